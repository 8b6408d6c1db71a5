/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/arrival.h"
#include "host/plan/node_map.h"
#include "phasebench/error.h"

/* ---- one event alone */

static bool is_possible(const struct pb_check_run *run, const struct pb_event *event)
{
    const struct pb_observation *observation = run->observation;
    const bool of_line = event->link < pb_link_count(run->scenario);
    const unsigned half_most =
        observation->info.half_ticks ? (unsigned)PB_HALF_SECOND : (unsigned)PB_HALF_UNKNOWN;
    const bool half_possible = pb_event_half(event) <= half_most;
    if (event->tick > run->ticks_max)
        return false;
    switch (event->kind) {
    case PB_EVENT_EDGE:
        return (of_line || event->link < observation->info.links) &&
               (!(observation->edgeless >> event->link & 1) || event->tick < observation->clock_tick) &&
               half_possible;
    case PB_EVENT_TDMA:
        return half_possible && pb_event_sync_half(event) <= half_most;
    case PB_EVENT_TDC:
        return observation->tdc && PB_GET(PB_EVENT_TDC_CODE, event->value) <= observation->tdc->taps;
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

/* ---- in the order of the stamps */

/* The stamps move, so that the first phase has a fixed one. */
static void start(struct pb_arrival *arrival)
{
    struct pb_queue *window = &arrival->window;
    size_t at = window->first;
    while (pb_queue_at(window, at)->kind != PB_EVENT_PHASE)
        at++;
    const uint64_t tick = pb_queue_at(window, at)->tick;
    arrival->first_sequence = pb_queue_at(window, at)->sequence;
    arrival->started = true;
    pb_origin_set(arrival->run, tick);
    for (size_t i = window->head; i < window->count; i++)
        window->event[i].tick = pb_moved_tick(arrival->run, window->event[i].tick);
    for (unsigned i = 0; i < arrival->phases; i++)
        arrival->phase_tick[i] = pb_moved_tick(arrival->run, arrival->phase_tick[i]);
    pb_gaps_move(&arrival->loss->gaps, (int64_t)(arrival->run->origin_tick - tick));
}

const struct pb_event *pb_arrival_next(struct pb_arrival *arrival)
{
    pb_queue_forget(&arrival->window, arrival->taken);
    const struct pb_event *event = pb_queue_first(&arrival->window);
    if (!event || event->tick >= arrival->settled_tick)
        return NULL;
    arrival->taken = arrival->window.first + 1;
    return event;
}

/* The oldest of the last phases is the limit of what is settled. True: it is another one. */
static bool take_phase(struct pb_arrival *arrival, uint64_t tick)
{
    unsigned at = arrival->phases++;
    for (; at > 0 && arrival->phase_tick[at - 1] > tick; at--)
        arrival->phase_tick[at] = arrival->phase_tick[at - 1];
    arrival->phase_tick[at] = tick;
    if (arrival->phases <= PB_SETTLE_PHASES)
        return false;
    if (!arrival->started)
        start(arrival);
    arrival->settled_tick = arrival->phase_tick[0];
    arrival->phases--;
    for (unsigned i = 0; i < arrival->phases; i++)
        arrival->phase_tick[i] = arrival->phase_tick[i + 1];
    return true;
}

int pb_arrival_push(struct pb_arrival *arrival, const struct pb_event *arrived, bool *settled)
{
    struct pb_event event = *arrived;
    *settled = false;
    if (!screen(arrival->run, &event)) {
        pb_loss_take_impossible(arrival->loss);
        return PB_OK;
    }
    if (event.kind == PB_EVENT_OVERFLOW)
        pb_loss_take_overflow(arrival->loss, event.value);
    if (arrival->started)
        event.tick = pb_moved_tick(arrival->run, event.tick);
    if (event.tick < arrival->settled_tick) {
        pb_loss_take_impossible(arrival->loss);
        return PB_OK;
    }
    const bool begins = event.kind == PB_EVENT_PHASE;
    if (!begins && arrival->waiting >= PB_WAITING_MAX) {
        pb_loss_take_unplaced(arrival->loss);
        arrival->unplaced = event;
        return PB_OK;
    }
    arrival->waiting += !begins;
    if (pb_gaps_take(&arrival->loss->gaps, &event) || pb_queue_add(&arrival->window, &event, 0))
        return PB_ERR_MEMORY;
    *settled = begins && take_phase(arrival, event.tick);
    if (begins && !*settled) /* none has gone to a stage yet */
        arrival->waiting = pb_queue_waiting(&arrival->window);
    return PB_OK;
}

/* The events that found no room at the end are a gap, too. */
int pb_arrival_end(struct pb_arrival *arrival)
{
    struct pb_event *beyond = &arrival->unplaced;
    int code = PB_OK;
    if (arrival->loss->unplaced && beyond->sequence >= arrival->loss->gaps.next) {
        beyond->sequence++;
        code = pb_gaps_take(&arrival->loss->gaps, beyond);
    }
    if (!arrival->started && arrival->phases)
        start(arrival);
    arrival->settled_tick = UINT64_MAX;
    return code;
}

void pb_arrival_place_loss(const struct pb_arrival *arrival)
{
    if (arrival->started)
        pb_loss_find_place(arrival->loss, arrival->first_sequence, arrival->settled_tick,
                           arrival->run->origin_tick);
}
