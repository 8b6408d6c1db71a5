/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pins on which nothing is due: link pins beyond those of the network, and the consoles while the run lasts.
 * A console may give one answer line, '+' or '-' and printable characters, to each typed line; anything else
 * is noise. Also judges the answers to the lines typed while the clock ran: one for each, in their order. The
 * core receives one console at a time, so only the answers of one node are judged.
 */
#include "host/check/consoles.h"
#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- answers */

/* Number of kept lines without a valid answer before the clock started. */
static size_t failures_kept(const struct pb_observation *observation)
{
    const size_t room = sizeof observation->console_failure / sizeof observation->console_failure[0];
    return observation->console_failures < room ? observation->console_failures : room;
}

/* Number of lines typed at the console that the core receives. */
static uint64_t lines(const struct pb_observation *observation)
{
    return observation->typings_before + observation->typings;
}

static void report(struct pb_consoles *consoles)
{
    struct pb_finding *finding = pb_finding_add(consoles->out, &consoles->at, PB_FINDING_CONSOLE, -1);
    pb_finding_expected(finding, "node 0x%" PRIX32 " answers '%s' to the line that queues message %zu",
                        consoles->run->scenario->node[consoles->run->observation->console_node].address,
                        consoles->due, (size_t)consoles->message);
    if (*consoles->seen)
        pb_finding_seen(finding, "it answered '%s'", consoles->seen);
    else
        pb_finding_seen(finding, "no answer on UART0 up to the end of the run");
}

/* Finds a typed message. Its node answers before the release, so this may read up to PB_KNOWN_SUPERFRAMES
 * further superframes of the schedule. */
static const struct pb_known_message *find_typed(struct pb_consoles *consoles, uint64_t message)
{
    struct pb_schedule *schedule = consoles->schedule;
    const struct pb_known_message *known = pb_known_find(&schedule->known, message);
    const uint64_t end = schedule->read + (uint64_t)PB_KNOWN_SUPERFRAMES;
    while (!known && schedule->read < end && schedule->read < consoles->run->scenario->superframes) {
        if (pb_schedule_read(schedule, schedule->read)) {
            consoles->out->code = PB_ERR_MEMORY;
            return NULL;
        }
        known = pb_known_find(&schedule->known, message);
    }
    return known;
}

/* Judges a line of the console. The first invalid line may shift all later ones, so no later line is
 * judged. */
static void judge_line(struct pb_consoles *consoles, const char *seen)
{
    const struct pb_observation *observation = consoles->run->observation;
    consoles->wrong = true;
    if (consoles->next_typed >= lines(observation))
        return;
    consoles->message = observation->typed[consoles->next_typed++ - observation->typings_before];
    const struct pb_known_message *message = find_typed(consoles, consoles->message);
    if (!message) /* forgotten, so its answer cannot be judged */
        return;
    pb_answer(consoles->due, message->refused, message->sequence & PB_SEQUENCE_MASK);
    consoles->wrong = !*seen || !pb_answer_fits(seen, consoles->due);
    if (!consoles->wrong)
        return;
    consoles->contradicts = true;
    snprintf(consoles->seen, sizeof consoles->seen, "%s", seen);
}

void pb_answers_take(struct pb_consoles *consoles, const struct pb_event *event,
                     const struct pb_phase_mark *at)
{
    const uint64_t end_tick = pb_end_tick(consoles->run);
    /* From the end on they answer the request for the counters. */
    if (consoles->wrong || !at || event->tick < consoles->marks->first.tick ||
        (end_tick && event->tick > end_tick) || !lines(consoles->run->observation))
        return;
    consoles->at = pb_schedule_place_at(consoles->run, at);
    consoles->at.tick = event->tick;
    const char byte = (char)pb_event_data(event);
    consoles->text[consoles->text_at] = 0;
    if (byte == '\n') {
        consoles->text_at = 0;
        judge_line(consoles, *consoles->text ? consoles->text : " ");
    } else if (byte != '\r' && consoles->text_at + 1 < sizeof consoles->text)
        consoles->text[consoles->text_at++] = byte >= ' ' && byte <= '~' ? byte : '?';
}

/* A refused line, or one without an answer, has shifted the numbers of those that follow. */
static bool failed_before(const struct pb_observation *observation)
{
    const size_t kept = failures_kept(observation);
    bool failed = observation->console_failures > kept;
    for (size_t i = 0; i < kept; i++)
        failed |= observation->console_failure[i].node_index == observation->console_node;
    return failed;
}

/* Judges a node whose lines are typed during the run while the core receives another console: it had to
 * answer I before the run. */
static void judge_silent(struct pb_check_output *out, unsigned node_index)
{
    const struct pb_observation *observation = out->run->observation;
    const struct pb_node_answer *answer = &observation->answer[node_index];
    if (!(observation->typed_nodes >> node_index & 1) || node_index == observation->console_node ||
        !answer->asked || answer->identified)
        return;
    struct pb_finding *finding = pb_finding_add(
        out, &(struct pb_schedule_place){.tick = out->run->origin_tick}, PB_FINDING_CONSOLE, -1);
    pb_finding_expected(finding, "node 0x%" PRIX32 " answers the line 'I'",
                        out->run->scenario->node[node_index].address);
    pb_finding_seen(finding, "no answer on UART0 within 50 ms");
}

void pb_judge_answers(struct pb_consoles *consoles, uint64_t last_tick)
{
    const struct pb_observation *observation = consoles->run->observation;
    for (unsigned node_index = 0;
         node_index < consoles->run->scenario->node_count && !consoles->loss->reported; node_index++)
        judge_silent(consoles->out, node_index);
    if (!lines(observation) || failed_before(observation) || *observation->cut || consoles->loss->reported ||
        !consoles->marks->end)
        return;
    if (!consoles->wrong) { /* a line may lack its answer: reported at the last event of the run */
        consoles->at = pb_schedule_place_last(consoles->marks);
        consoles->at.tick = last_tick;
        judge_line(consoles, "");
    }
    if (consoles->contradicts)
        report(consoles);
}

void pb_judge_answers_before(struct pb_consoles *consoles)
{
    const struct pb_observation *observation = consoles->run->observation;
    /* asked before the clock started */
    const struct pb_schedule_place place = {.tick = consoles->run->origin_tick};
    for (size_t i = 0; i < failures_kept(observation); i++) {
        const struct pb_console_failure *failure = &observation->console_failure[i];
        struct pb_finding *finding = pb_finding_add(consoles->out, &place, PB_FINDING_CONSOLE, -1);
        const struct pb_own_message *own = &consoles->schedule->failed[i];
        char answer[PB_ANSWER_MAX];
        pb_answer(answer, own->refused, own->sequence & PB_SEQUENCE_MASK);
        pb_finding_expected(finding, "node 0x%" PRIX32 " answers '%s' to the line that queues message %zu",
                            consoles->run->scenario->node[failure->node_index].address, answer,
                            failure->message);
        if (*failure->answer)
            pb_finding_seen(finding, "it answered '%s'", failure->answer);
        else
            pb_finding_seen(finding, "no answer on UART0 within 50 ms");
    }
}

uint64_t pb_answers_done(const struct pb_consoles *consoles)
{
    return consoles->wrong || consoles->loss->reported ? lines(consoles->run->observation)
                                                       : consoles->next_typed;
}

/* ---- links beyond the network's */

static void report_beyond(struct pb_check_output *out, unsigned link, uint64_t tick, bool from_the_start)
{
    const struct pb_scenario *scenario = out->run->scenario;
    struct pb_finding *finding =
        pb_finding_add(out, &(struct pb_schedule_place){.tick = tick}, PB_FINDING_BEYOND, (int)link);
    finding->dimension = -1;
    /* With a single node the unused pins of the connector are its own; with several they have no owner. */
    finding->sender = scenario->node_count > 1 ? (int)PB_SENDER_BENCH : (int)PB_SENDER_NODE;
    pb_finding_expected(finding, "link pin %u, which no dimension uses, high through the whole run", link);
    pb_finding_seen(finding, from_the_start ? "line low from the start of the capture on" : "line low");
}

void pb_pins_open(struct pb_consoles *consoles)
{
    const struct pb_observation *observation = consoles->run->observation;
    const unsigned links =
        observation->info.links < PB_LINKS_MAX ? observation->info.links : (unsigned)PB_LINKS_MAX;
    for (unsigned link = pb_link_count(consoles->run->scenario); consoles->run->before.known && link < links;
         link++)
        if (!(consoles->run->before.level_capture >> link & 1)) {
            report_beyond(consoles->out, link, consoles->run->before.capture_tick, true);
            consoles->beyond |= UINT64_C(1) << link;
        }
}

void pb_pins_take_edge(struct pb_consoles *consoles, const struct pb_event *event)
{
    if (consoles->beyond >> event->link & 1)
        return;
    report_beyond(consoles->out, event->link, event->tick, pb_event_high(event));
    consoles->beyond |= UINT64_C(1) << event->link;
}

/* ---- consoles during the run: bytes outside an answer; the answers themselves are judged above */

/* Notes the first invalid byte. */
static void note(struct pb_console_byte *first, const struct pb_event *event, size_t line, size_t at)
{
    if (!first->reported)
        *first = (struct pb_console_byte){true, *event, line, at};
}

static void take_in_run(struct pb_consoles *consoles, const struct pb_event *event)
{
    const uint8_t byte = pb_event_data(event);
    const bool ends = byte == '\n' && consoles->length;
    const bool fits = consoles->length == 0 ? (byte == '+' || byte == '-') &&
                                                  consoles->lines < lines(consoles->run->observation)
                                            : (byte >= ' ' && byte <= '~') || byte == '\r' || ends;
    if (!pb_event_stop_ok(event) || !fits)
        note(&consoles->noise, event, consoles->lines, consoles->length);
    consoles->lines += ends;
    consoles->length = ends ? 0 : consoles->length + 1;
}

/* Before the run the session waits for one answer to each line that it types. */
static void take_before(struct pb_consoles *consoles, const struct pb_event *event)
{
    const uint8_t byte = pb_event_data(event);
    consoles->before += !consoles->in_line && (byte == '+' || byte == '-');
    consoles->in_line = byte != '\n';
    if (consoles->before > consoles->run->observation->answers)
        note(&consoles->surplus, event, 0, 0);
}

void pb_pins_take_console(struct pb_consoles *consoles, const struct pb_event *event)
{
    const uint64_t end_tick = pb_end_tick(consoles->run);
    const bool before = event->tick <= consoles->run->clock_tick, after = end_tick && event->tick > end_tick;
    if (!before && !after && !consoles->noise.reported)
        take_in_run(consoles, event);
    if (event->tick < consoles->run->before.typing_tick)
        return;
    if (before)
        take_before(consoles, event);
    /* Before and after the run a node answers, or says a line of its own: bytes with a stop bit in any case.
     */
    if ((before || after) && !pb_event_stop_ok(event))
        note(&consoles->unframed, event, 0, 0);
}

/* ---- at the end */

static struct pb_finding *report_byte(struct pb_check_output *out, const struct pb_console_byte *byte)
{
    return pb_finding_add(out, &(struct pb_schedule_place){.tick = byte->event.tick},
                          PB_FINDING_CONSOLE_NOISE, -1);
}

void pb_judge_pins(struct pb_consoles *consoles)
{
    struct pb_finding *finding;
    if (!consoles->run->before.known)
        return;
    if (consoles->unframed.reported) {
        const struct pb_event *event = &consoles->unframed.event;
        finding = report_byte(consoles->out, &consoles->unframed);
        pb_finding_expected(finding, "bytes at %" PRIu64 " baud on UART0_TX %s the run",
                            consoles->run->scenario->console_baud_hz,
                            event->tick <= consoles->run->clock_tick ? "before" : "after");
        pb_finding_seen(finding, "byte %02X without a stop bit", pb_event_data(event));
    }
    if (consoles->surplus.reported && !consoles->loss->reported) {
        finding = report_byte(consoles->out, &consoles->surplus);
        pb_finding_expected(finding, "one answer to each line typed before the run, %zu in all",
                            consoles->run->observation->answers);
        pb_finding_seen(finding, "one more");
    }
    if (consoles->noise.reported) {
        const struct pb_event *event = &consoles->noise.event;
        finding = report_byte(consoles->out, &consoles->noise);
        if (consoles->run->observation->pulses_in_run) {
            pb_finding_expected(finding, "UART0_TX high while no line is typed");
            pb_finding_seen(finding, "low for %.2f us or longer",
                            pb_us(PB_CONSOLE_PULSE_TICKS * consoles->run->resolution_ps));
            return;
        }
        pb_finding_expected(finding, "one answer on UART0_TX to each of %zu lines typed during the run",
                            lines(consoles->run->observation));
        pb_finding_seen(finding, "byte %02X%s as character %zu of answer %zu", pb_event_data(event),
                        pb_event_stop_ok(event) ? "" : " without a stop bit", consoles->noise.at + 1,
                        consoles->noise.line + 1);
    }
}
