/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The answers to the console lines that were typed while the clock ran: one for each, in their order. The
 * core listens to one console at a time, so those of one node are judged.
 */
#include "host/check/checker.h"
#include "host/plan/answer.h"

#include <inttypes.h>
#include <string.h>

struct answers {
    struct pb_checker *checker;
    size_t next; /* in the observation's typed lines */
};

/* The next line of the node that is listened to; SIZE_MAX: none. */
static size_t next_line(struct answers *answers)
{
    const struct pb_observation *observation = answers->checker->observation;
    while (answers->next < observation->typings &&
           observation->typed[answers->next].seat != observation->console_seat)
        answers->next++;
    return answers->next < observation->typings ? answers->next++ : SIZE_MAX;
}

static void report(struct pb_checker *checker, size_t line, uint64_t tick, const char *expected,
                   const char *seen)
{
    const struct pb_typed_line *typed = &checker->observation->typed[line];
    checker->superframe = checker->phase = 0;
    for (size_t i = 0; i < checker->marks && checker->mark[i].tick <= tick; i++) {
        checker->superframe = checker->mark[i].superframe;
        checker->phase = checker->mark[i].phase;
    }
    checker->phase_tick = tick;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CONSOLE, -1, 0);
    pb_finding_expected(finding, "node 0x%" PRIX32 " answers '%s' to the line that queues message %zu",
                        checker->scenario->node[typed->seat].address, expected, typed->message);
    if (*seen)
        pb_finding_seen(finding, "it answered '%s'", seen);
    else
        pb_finding_seen(finding, "no answer on UART0 up to the end of the run");
}

/* Judges a line of the console; a first wrong one may shift all others, so nothing is judged after it. */
static bool take(struct answers *answers, uint64_t tick, const char *seen)
{
    const struct pb_checker *checker = answers->checker;
    char expected[PB_ANSWER_MAX];
    const size_t line = next_line(answers);
    if (line == SIZE_MAX)
        return false;
    const struct pb_message_fate *fate =
        &checker->expectation.fate[checker->observation->typed[line].message];
    pb_answer(expected, fate->refused, fate->sequence);
    if (*seen && pb_answer_fits(seen, expected))
        return true;
    report(answers->checker, line, tick, expected, seen);
    return false;
}

/* A refused line, or one without an answer, has shifted the numbers of those that follow. */
static bool failed_before(const struct pb_observation *observation)
{
    const size_t room = sizeof observation->console_failure / sizeof observation->console_failure[0];
    bool failed = observation->console_failures > room;
    for (size_t i = 0; i < observation->console_failures && i < room; i++)
        failed |= observation->console_failure[i].seat == observation->console_seat;
    return failed;
}

/* A node whose lines are typed during the run, and whose answers nobody listens to: it was asked before. */
static void judge_silent(struct pb_checker *checker, unsigned seat)
{
    const struct pb_observation *observation = checker->observation;
    const struct pb_node_answer *answer = &observation->answer[seat];
    bool typed = false;
    for (size_t i = 0; i < observation->typings; i++)
        typed |= observation->typed[i].seat == seat;
    if (!typed || seat == observation->console_seat || !answer->asked || answer->identified)
        return;
    checker->superframe = checker->phase = 0;
    checker->phase_tick = checker->origin_tick;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CONSOLE, -1, 0);
    pb_finding_expected(finding, "node 0x%" PRIX32 " answers the line 'I'",
                        checker->scenario->node[seat].address);
    pb_finding_seen(finding, "no answer on UART0 within 50 ms");
}

void pb_judge_answers(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    for (unsigned seat = 0; seat < checker->scenario->node_count && !checker->loss_told; seat++)
        judge_silent(checker, seat);
    struct answers answers = {.checker = checker};
    char text[80];
    size_t at = 0;
    bool goes_on = observation->typings > 0 && !failed_before(observation) && !*observation->cut &&
                   !checker->loss_told && checker->marks > 0;
    uint64_t tick = 0;
    for (size_t i = 0; goes_on && i < observation->events.count; i++) {
        const struct pb_event *event = &observation->events.event[i];
        if (observation->end_tick && event->tick > observation->end_tick)
            break; /* from here on they answer the request for the counters */
        tick = event->tick;
        if (event->kind != PB_EVENT_CONSOLE || event->tick < checker->mark[0].tick)
            continue;
        const char byte = (char)pb_event_data(event);
        text[at] = 0;
        if (byte == '\n') {
            at = 0;
            goes_on = take(&answers, tick, *text ? text : " ");
        } else if (byte != '\r' && at + 1 < sizeof text)
            text[at++] = byte >= ' ' && byte <= '~' ? byte : '?';
    }
    if (goes_on)
        take(&answers, tick, "");
}
