/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A core sends its events nearly in the order of their stamps. They wait here until PB_SETTLE_PHASES phases
 * have begun after them; what comes later than that is no stamp that a core makes. Then each goes to the
 * stages that look at its kind, and these judge as far as they can. Here and there PB_WAITING_MAX wait at
 * most: when phases stop, or are long, and lines babble, what comes then is counted, and counts as lost. All
 * of it follows from the events, whatever portions they come in.
 */
#include "host/check/applied.h"
#include "host/check/checker.h"
#include "host/plan/node_map.h"
#include "phasebench/error.h"

#include <stdlib.h>

struct pb_arrival {
    struct pb_queue window;
    uint64_t phase_tick[PB_SETTLE_PHASES + 1]; /* of the last PHASE events, ascending */
    unsigned phases;
    uint64_t settled_tick;   /* what is before it was handed on */
    size_t room;             /* events, besides PHASE, that may wait until the next PHASE */
    struct pb_event unplaced; /* the newest one that found no room */
    bool started;            /* the first phase is known */
    uint64_t first_sequence; /* of its event */
};

int pb_arrival_open(struct pb_checker *checker)
{
    checker->arrival = calloc(1, sizeof *checker->arrival);
    if (!checker->arrival)
        return PB_ERR_MEMORY;
    checker->arrival->room = PB_WAITING_MAX;
    return PB_OK;
}

void pb_arrival_free(struct pb_checker *checker)
{
    if (checker->arrival)
        pb_queue_free(&checker->arrival->window);
    free(checker->arrival);
    checker->arrival = NULL;
}

/* ---- one event alone */

static bool is_possible(const struct pb_check_run *run, const struct pb_event *event)
{
    const struct pb_observation *observation = run->observation;
    const bool of_line = event->link < pb_link_count(run->scenario);
    const bool half_possible =
        pb_event_half(event) <=
        (observation->info.half_ticks ? (unsigned)PB_HALF_SECOND : (unsigned)PB_HALF_UNKNOWN);
    if (event->tick > run->ticks_max)
        return false;
    switch (event->kind) {
    case PB_EVENT_EDGE:
        return (of_line || event->link < observation->info.links) &&
               (!(observation->edgeless >> event->link & 1) || event->tick < observation->clock_tick) &&
               half_possible;
    case PB_EVENT_TDMA:
        return half_possible;
    case PB_EVENT_BYTE:
        return of_line;
    case PB_EVENT_ALARM:
        return (of_line || event->link < observation->info.links || event->link == PB_FAULT_CLOCK_LINK) &&
               PB_GET(PB_EVENT_ALARM_CODE, event->value) >= PB_ALARM_CONTENTION &&
               PB_GET(PB_EVENT_ALARM_CODE, event->value) <= PB_ALARM_WATCHDOG;
    case PB_EVENT_FAULT:
        return of_line || event->link == PB_FAULT_CLOCK_LINK;
    default:
        return event->kind >= PB_EVENT_PHASE && event->kind <= PB_EVENT_TDMA;
    }
}

/* False: no core makes such an event. Stamps a byte at its start edge, where the core stamps the stop bit. */
static bool screen(const struct pb_check_run *run, struct pb_event *event)
{
    if (!is_possible(run, event))
        return false;
    if (event->kind == PB_EVENT_BYTE) {
        const uint64_t back = pb_sample_ticks(run->bit_period_q4, 9);
        event->tick = event->tick > back ? event->tick - back : 0;
    }
    return true;
}

/* ---- to the stages */

/* What a stage says that was given an event. */
static void note(struct pb_check_output *out, int code)
{
    if (code)
        out->code = code;
}

static void hand_on(struct pb_checker *checker, const struct pb_event *event)
{
    const bool of_line = event->link < pb_link_count(checker->run.scenario);
    const uint64_t end_tick = pb_end_tick(&checker->run);
    if (!end_tick || event->tick <= end_tick)
        checker->last_tick = event->tick;
    note(&checker->out, pb_early_push(&checker->early, event));
    switch (event->kind) {
    case PB_EVENT_EDGE:
        if (of_line)
            note(&checker->out, pb_queue_add(&checker->line[event->link], event, 0));
        else
            pb_pins_take_edge(&checker->consoles, event);
        break;
    case PB_EVENT_BYTE:
        note(&checker->out, pb_queue_add(&checker->line[event->link], event, 0));
        break;
    case PB_EVENT_ALARM:
        checker->out.result->alarms++;
        note(&checker->out, PB_GET(PB_EVENT_ALARM_CODE, event->value) == PB_ALARM_WATCHDOG
                                ? pb_notes_push(&checker->notes, event)
                                : pb_alarms_push(&checker->alarms, event));
        if (of_line)
            note(&checker->out, pb_queue_add(&checker->line[event->link], event, 0));
        break;
    case PB_EVENT_PHASE:
        pb_clock_take_phase(&checker->clock, event);
        break;
    case PB_EVENT_TDMA:
        note(&checker->out, pb_clock_take_edge(&checker->clock, event));
        break;
    case PB_EVENT_FAULT:
        pb_judge_receipt(&checker->out, event);
        break;
    case PB_EVENT_UNDERRUN:
    case PB_EVENT_CONSOLE:
        note(&checker->out, pb_notes_push(&checker->notes, event));
        break;
    default:
        break;
    }
    if (checker->rebuild)
        note(&checker->out, pb_rebuild_take(checker->rebuild, event, checker->run.clock_tick));
}

/* ---- loss */

/* A loss that was told of has its place where numbers are missing. */
static void look_for_gap(struct pb_checker *checker)
{
    const struct pb_arrival *arrival = checker->arrival;
    if (arrival->started)
        pb_loss_find_place(&checker->loss, arrival->first_sequence, arrival->settled_tick,
                           checker->run.origin_tick);
}

static void forget(struct pb_checker *checker)
{
    const size_t walked = pb_walk_mark(checker), clock = pb_clock_done(&checker->clock);
    size_t least = walked < clock ? walked : clock;
    const size_t notes = pb_notes_mark(&checker->notes, least),
                 alarms = pb_alarms_mark(&checker->alarms, least);
    least = least < notes ? least : notes;
    least = least < alarms ? least : alarms;
    const size_t behind = pb_ahead(&checker->run);
    if (least > behind)
        pb_marks_forget(&checker->marks, least - behind);
    if (checker->early.judged && checker->marks.end)
        pb_gaps_forget(&checker->loss.gaps, pb_mark(&checker->marks, checker->marks.base)->ideal_tick);
}

static void advance(struct pb_checker *checker)
{
    look_for_gap(checker);
    pb_clock_advance(&checker->clock);
    pb_faults_pass(&checker->faults, checker->clock.pins);
    pb_walk_take_marks(checker);
    pb_notes_advance(&checker->notes);
    if (checker->out.code)
        return;
    pb_alarms_advance(&checker->alarms);
    pb_walk_advance(checker);
    pb_deliveries_advance(&checker->deliveries, pb_walk_mark(checker));
    forget(checker);
}

/* ---- in the order of the stamps */

static void start(struct pb_checker *checker)
{
    struct pb_arrival *arrival = checker->arrival;
    struct pb_queue *window = &arrival->window;
    size_t at = window->first;
    while (pb_queue_at(window, at)->kind != PB_EVENT_PHASE)
        at++;
    const uint64_t tick = pb_queue_at(window, at)->tick;
    arrival->first_sequence = pb_queue_at(window, at)->sequence;
    arrival->started = true;
    pb_origin_set(&checker->run, tick);
    for (size_t i = window->head; i < window->count; i++)
        window->event[i].tick = pb_moved_tick(&checker->run, window->event[i].tick);
    for (unsigned i = 0; i < arrival->phases; i++)
        arrival->phase_tick[i] = pb_moved_tick(&checker->run, arrival->phase_tick[i]);
    pb_gaps_move(&checker->loss.gaps, (int64_t)(checker->run.origin_tick - tick));
}

static void settle(struct pb_checker *checker, uint64_t before_tick)
{
    struct pb_arrival *arrival = checker->arrival;
    const struct pb_event *event;
    if (!arrival->started && arrival->phases)
        start(checker);
    if (before_tick != UINT64_MAX)
        before_tick = arrival->phase_tick[0];
    while (!checker->out.code && (event = pb_queue_at(&arrival->window, arrival->window.first)) &&
           event->tick < before_tick) {
        hand_on(checker, event);
        pb_queue_forget(&arrival->window, arrival->window.first + 1);
    }
    arrival->settled_tick = before_tick;
}

/* The oldest of the last phases is the limit of what is settled. */
static void take_phase(struct pb_checker *checker, uint64_t tick)
{
    struct pb_arrival *arrival = checker->arrival;
    unsigned at = arrival->phases++;
    for (; at > 0 && arrival->phase_tick[at - 1] > tick; at--)
        arrival->phase_tick[at] = arrival->phase_tick[at - 1];
    arrival->phase_tick[at] = tick;
    if (arrival->phases <= PB_SETTLE_PHASES)
        return;
    settle(checker, 0);
    for (unsigned i = 1; i < arrival->phases; i++)
        arrival->phase_tick[i - 1] = arrival->phase_tick[i];
    arrival->phases--;
    if (!checker->out.code)
        advance(checker);
}

/* Events that wait for their phase, in the window or at a stage. */
static size_t waiting(const struct pb_checker *checker)
{
    size_t count = checker->early.events.count + pb_queue_waiting(&checker->arrival->window) +
                   pb_queue_waiting(&checker->clock.edge) + pb_queue_waiting(&checker->alarms.waiting) +
                   pb_queue_waiting(&checker->notes.waiting);
    for (unsigned link = 0; link < pb_link_count(checker->run.scenario); link++)
        count += pb_queue_waiting(&checker->line[link]);
    return count;
}

static void leave_out(struct pb_checker *checker, const struct pb_event *event)
{
    pb_loss_take_unplaced(&checker->loss);
    checker->arrival->unplaced = *event;
}

void pb_arrival_take(struct pb_checker *checker, const struct pb_event *arrived)
{
    struct pb_arrival *arrival = checker->arrival;
    struct pb_event event = *arrived;
    checker->out.result->events++;
    if (!screen(&checker->run, &event)) {
        pb_loss_take_impossible(&checker->loss);
        return;
    }
    if (event.kind == PB_EVENT_OVERFLOW)
        pb_loss_take_overflow(&checker->loss, event.value);
    if (arrival->started)
        event.tick = pb_moved_tick(&checker->run, event.tick);
    if (event.tick < arrival->settled_tick) {
        pb_loss_take_impossible(&checker->loss);
        return;
    }
    const bool begins = event.kind == PB_EVENT_PHASE;
    if (!begins && !arrival->room) {
        leave_out(checker, &event);
        return;
    }
    arrival->room -= !begins;
    if (pb_gaps_take(&checker->loss.gaps, &event) || pb_queue_add(&arrival->window, &event, 0))
        checker->out.code = PB_ERR_MEMORY;
    else if (begins) {
        take_phase(checker, event.tick);
        const size_t count = waiting(checker);
        arrival->room = count < PB_WAITING_MAX ? PB_WAITING_MAX - count : 0;
    }
}

/* The events that found no room at the end are a gap, too. */
static void end_with_gap(struct pb_checker *checker)
{
    struct pb_event *beyond = &checker->arrival->unplaced;
    if (!checker->loss.unplaced || beyond->sequence < checker->loss.gaps.next)
        return;
    beyond->sequence++;
    if (pb_gaps_take(&checker->loss.gaps, beyond))
        checker->out.code = PB_ERR_MEMORY;
}

void pb_arrival_end(struct pb_checker *checker)
{
    end_with_gap(checker);
    settle(checker, UINT64_MAX);
    if (checker->rebuild && pb_rebuild_end(checker->rebuild))
        checker->out.code = PB_ERR_MEMORY;
    pb_clock_take_phase(&checker->clock, NULL);
    checker->run.ended = true;
    pb_faults_end(&checker->faults);
    if (!checker->out.code)
        advance(checker);
}
