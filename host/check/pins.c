/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pins on which nothing is due: link pins of the core beyond those of the network, and the consoles while
 * the run lasts. A console may give one answer line, '+' or '-' and printable characters, to each line that
 * is typed; anything else is noise.
 */
#include "host/check/consoles.h"
#include "host/plan/node_map.h"

#include <inttypes.h>

/* ---- links beyond the network's */

static void report_beyond(struct pb_check_output *out, unsigned link, uint64_t tick, bool from_the_start)
{
    const struct pb_scenario *scenario = out->run->scenario;
    struct pb_finding *finding =
        pb_finding_add(out, &(struct pb_schedule_place){.tick = tick}, PB_FINDING_BEYOND, (int)link);
    finding->dimension = -1;
    /* A single node owns the rest of its connector; among several nobody does. */
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

/* ---- consoles during the run: bytes outside an answer; the answers themselves are judged in answers.c */

/* Lines that the node which is listened to may answer during the run. */
static uint64_t lines_due(const struct pb_check_run *run)
{
    return run->observation->typings_before + run->observation->typings;
}

/* Takes note of the first byte that is wrong. */
static void note(struct pb_console_byte *first, const struct pb_event *event, size_t line, size_t at)
{
    if (!first->reported)
        *first = (struct pb_console_byte){true, *event, line, at};
}

static void take_in_run(struct pb_consoles *consoles, const struct pb_event *event)
{
    const uint8_t byte = pb_event_data(event);
    const bool ends = byte == '\n' && consoles->length;
    const bool fits = consoles->length == 0
                          ? (byte == '+' || byte == '-') && consoles->lines < lines_due(consoles->run)
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
        pb_finding_expected(finding, "one answer on UART0_TX to each of %zu lines typed during the run",
                            lines_due(consoles->run));
        pb_finding_seen(finding, "byte %02X%s as character %zu of answer %zu", pb_event_data(event),
                        pb_event_stop_ok(event) ? "" : " without a stop bit", consoles->noise.at + 1,
                        consoles->noise.line + 1);
    }
}
