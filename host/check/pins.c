/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pins on which nothing is due: link pins of the core beyond those of the network, and the consoles while
 * the run lasts. A console may give one answer line, '+' or '-' and printable characters, to each line that
 * is typed; anything else is noise.
 */
#include "host/check/checker.h"
#include "host/plan/seats.h"

#include <inttypes.h>

/* ---- links beyond the network's */

static void report_beyond(struct pb_checker *checker, unsigned link, uint64_t tick, bool from_the_start)
{
    const struct pb_scenario *scenario = checker->scenario;
    checker->phase_tick = tick;
    checker->superframe = checker->phase = 0;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_BEYOND, (int)link, 0);
    finding->dimension = -1;
    /* A single node owns the rest of its connector; among several nobody does. */
    finding->sender = scenario->node_count > 1 ? (int)PB_SENDER_BENCH : (int)PB_SENDER_NODE;
    pb_finding_expected(finding, "link pin %u, which no dimension uses, high through the whole run", link);
    pb_finding_seen(finding, from_the_start ? "line low from the start of the capture on" : "line low");
}

static void judge_beyond(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    const struct pb_events *events = &observation->events;
    const unsigned links =
        observation->info.links < PB_LINKS_MAX ? observation->info.links : (unsigned)PB_LINKS_MAX;
    uint64_t reported = 0;
    for (unsigned link = pb_link_count(checker->scenario); observation->before.known && link < links; link++)
        if (!(observation->before.level_capture >> link & 1)) {
            report_beyond(checker, link, observation->before.capture_tick, true);
            reported |= UINT64_C(1) << link;
        }
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_EDGE || event->link < pb_link_count(checker->scenario) ||
            reported >> event->link & 1)
            continue;
        report_beyond(checker, event->link, event->tick, pb_event_high(event));
        reported |= UINT64_C(1) << event->link;
    }
}

/* ---- consoles during the run: bytes outside an answer; the answers themselves are judged in answers.c */

/* Lines that the node which is listened to may answer during the run. */
static size_t lines_due(const struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    size_t lines = 0;
    for (size_t i = 0; i < observation->typings; i++)
        lines += observation->typed[i].seat == observation->console_seat;
    return lines;
}

static void report_noise(struct pb_checker *checker, const struct pb_event *event, size_t line, size_t at)
{
    checker->phase_tick = event->tick;
    checker->superframe = checker->phase = 0;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CONSOLE_NOISE, -1, 0);
    pb_finding_expected(finding, "one answer on UART0_TX to each of %zu lines typed during the run",
                        lines_due(checker));
    pb_finding_seen(finding, "byte %02X%s as character %zu of answer %zu", pb_event_data(event),
                    pb_event_stop_ok(event) ? "" : " without a stop bit", at + 1, line + 1);
}

static void judge_consoles(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    const struct pb_events *events = &observation->events;
    const size_t lines_max = lines_due(checker);
    size_t lines = 0, length = 0;
    if (!observation->before.known)
        return;
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_CONSOLE || event->tick <= observation->clock_tick ||
            (observation->end_tick && event->tick > observation->end_tick))
            continue;
        const uint8_t byte = pb_event_data(event);
        const bool ends = byte == '\n' && length;
        const bool fits = length == 0 ? (byte == '+' || byte == '-') && lines < lines_max
                                      : (byte >= ' ' && byte <= '~') || byte == '\r' || ends;
        if (!pb_event_stop_ok(event) || !fits) {
            report_noise(checker, event, lines, length);
            return;
        }
        lines += ends;
        length = ends ? 0 : length + 1;
    }
}

/* Before the run the session waits for one answer to each line that it types. */
static void judge_answers_before(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    const struct pb_events *events = &observation->events;
    const struct pb_event *surplus = NULL;
    size_t answers = 0;
    bool begins = true;
    if (!observation->before.known || checker->loss_told)
        return;
    for (size_t i = 0; i < events->count && !surplus; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_CONSOLE || event->tick < observation->before.typing_tick ||
            event->tick > observation->clock_tick)
            continue;
        const uint8_t byte = pb_event_data(event);
        answers += begins && (byte == '+' || byte == '-');
        begins = byte == '\n';
        if (answers > observation->answers)
            surplus = event;
    }
    if (!surplus)
        return;
    checker->phase_tick = surplus->tick;
    checker->superframe = checker->phase = 0;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CONSOLE_NOISE, -1, 0);
    pb_finding_expected(finding, "one answer to each line typed before the run, %zu in all",
                        observation->answers);
    pb_finding_seen(finding, "one more");
}

/* Before and after the run a node answers, or says a line of its own: bytes with a stop bit in any case. */
static void judge_framing(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    const struct pb_events *events = &observation->events;
    if (!observation->before.known)
        return;
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        const bool outside = event->tick <= observation->clock_tick ||
                             (observation->end_tick && event->tick > observation->end_tick);
        if (event->kind != PB_EVENT_CONSOLE || event->tick < observation->before.typing_tick || !outside ||
            pb_event_stop_ok(event))
            continue;
        checker->phase_tick = event->tick;
        checker->superframe = checker->phase = 0;
        struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CONSOLE_NOISE, -1, 0);
        pb_finding_expected(finding, "bytes at %" PRIu64 " baud on UART0_TX %s the run",
                            checker->scenario->console_baud_hz,
                            event->tick <= observation->clock_tick ? "before" : "after");
        pb_finding_seen(finding, "byte %02X without a stop bit", pb_event_data(event));
        return;
    }
}

void pb_judge_pins(struct pb_checker *checker)
{
    judge_beyond(checker);
    judge_framing(checker);
    judge_answers_before(checker);
    judge_consoles(checker);
}
