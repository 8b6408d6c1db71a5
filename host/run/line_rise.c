/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/line_rise.h"

#include "bench/registry/kinds.h"
#include "host/plan/node_map.h"
#include "host/run/configure.h"

#include <string.h>

#define PS_PER_S INT64_C(1000000000000)

enum {
    PULSES = PB_RISE_PULSES, /* of each line */
    LOW_TICKS = 256,         /* of a pulse, at most */
    POLL_MS = 1,
    IDLE_MS = 3, /* after the time that the pulses take */
    PACKET = 249,
    TRIES = 50, /* to hand over a packet */
    BYTE_BITS = 10
};

struct rise {
    struct pb_observation *seen;
    struct pb_device *device;
    const struct pb_scenario *scenario;
    const struct pb_plan *plan;
    struct pb_diag *diag;
    struct pb_events events; /* owned */
    uint64_t from_tick;      /* older events, as of a pull before, may come late: they are not of a pulse */
    uint32_t low_ticks;
    unsigned lines;
};

/* A line that its senders drive high takes no time for it; the pair that the bench joins, and a node that
 * knows no push-pull, rise by the pull-up in any case. */
static bool is_driven(const struct rise *rise, unsigned link)
{
    const struct pb_scenario_node *node = &rise->scenario->node[pb_link_node_index(rise->scenario, link)];
    return rise->scenario->push_pull &&
           PB_GET(PB_LINK_MODE, rise->plan->link_config[link]) != PB_LINK_MODE_JOINED &&
           pb_node_kind_of(node->kind)->push_pull;
}

static int write_mask(const struct rise *rise, unsigned address, uint64_t mask)
{
    const uint32_t word[] = {(uint32_t)mask, (uint32_t)(mask >> 32)};
    return pb_device_write_many(rise->device, address, word, 2, rise->diag);
}

/* Before the run the edges of every pin are recorded, also of unused ones (before.c, consoles.c). */
static uint64_t every_link(const struct rise *rise)
{
    return rise->seen->info.links < 64 ? (UINT64_C(1) << rise->seen->info.links) - 1 : UINT64_MAX;
}

static int arm(struct rise *rise)
{
    uint32_t config[PB_REG_LINK_COUNT] = {PB_PUT(PB_LINK_MODE, PB_LINK_MODE_LISTEN)};
    int code = write_mask(rise, PB_REG_EDGE_MASK0, every_link(rise));
    if (!code)
        code = write_mask(rise, PB_REG_BYTE_MASK0, 0);
    for (unsigned link = 0; link < rise->seen->info.links; link++)
        if (rise->plan->link_mask >> link & 1) {
            config[link] = PB_SET(PB_LINK_MODE, rise->plan->link_config[link], PB_LINK_MODE_NEIGHBOUR);
            rise->lines++;
        }
    return code ? code
                : pb_device_write_many(rise->device, PB_REG_LINK, config, rise->seen->info.links, rise->diag);
}

static int disarm(const struct rise *rise)
{
    int code = pb_device_write_many(rise->device, PB_REG_LINK, rise->plan->link_config,
                                    rise->seen->info.links, rise->diag);
    if (!code)
        code = write_mask(rise, PB_REG_EDGE_MASK0, every_link(rise));
    return code ? code : write_mask(rise, PB_REG_BYTE_MASK0, rise->plan->link_mask);
}

static bool is_edge(const struct rise *rise, const struct pb_event *event)
{
    return event->kind == PB_EVENT_EDGE && event->tick >= rise->from_tick;
}

/* Of the lines; an external clock makes events, too. */
static size_t edges_of(const struct rise *rise)
{
    size_t edges = 0;
    for (size_t i = 0; i < rise->events.count; i++)
        edges += is_edge(rise, &rise->events.event[i]);
    return edges;
}

/* Waits for `ticks`, or until there are `edges` edges. Uses the core's time: the host's time continues while
 * a busy link brings nothing, and with an external clock events never pause. */
static int wait_ticks(struct rise *rise, uint64_t ticks, size_t edges)
{
    uint64_t from = 0, now = 0;
    int code = pb_stamp(&from, rise->device, rise->seen, rise->diag);
    for (now = from; !code && now - from < ticks && edges_of(rise) < edges;) {
        code = pb_device_poll(rise->device, POLL_MS, &rise->events, rise->diag);
        if (code >= 0)
            code = pb_stamp(&now, rise->device, rise->seen, rise->diag);
    }
    return code;
}

static uint64_t ticks_of_ms(const struct rise *rise, unsigned ms)
{
    return (uint64_t)rise->seen->info.clock_hz / 1000 * ms;
}

static int hand_over(struct rise *rise, unsigned lane, const uint8_t *packet, size_t size)
{
    for (unsigned tries = 0; size && tries < TRIES; tries++) {
        bool taken;
        unsigned free_bytes;
        int code = pb_device_play(rise->device, lane, packet, size, &taken, &free_bytes, rise->diag);
        if (code || taken)
            return code;
        code = wait_ticks(rise, ticks_of_ms(rise, 2 * POLL_MS), SIZE_MAX);
        if (code)
            return code;
    }
    return size
               ? pb_fail(rise->diag, PB_ERR_LINK,
                         "lane %u of the slot player has no room for the pulses that measure the lines; open "
                         "the rig again",
                         lane)
               : PB_OK;
}

/* A pulse that is seen later would be taken for a node's; a slow rise comes later, too. A slow link brings
 * edges long after the core has recorded them. */
static int wait_until_over(struct rise *rise)
{
    const uint64_t ticks = (uint64_t)PULSES * rise->lines * (BYTE_BITS + 2) * rise->low_ticks;
    const size_t edges = (size_t)2 * PULSES * rise->lines;
    uint64_t end_tick = 0;
    int code = wait_ticks(rise, ticks + ticks_of_ms(rise, IDLE_MS), edges);
    if (code || edges_of(rise) >= edges)
        return code;
    code = pb_stamp(&end_tick, rise->device, rise->seen, rise->diag);
    return code ? code : pb_device_catch_up(rise->device, end_tick, &rise->events, rise->diag);
}

/* A byte of ones is low for its start bit alone. The lines take turns, so that each has time to rise. */
static int pulse(struct rise *rise)
{
    const unsigned lanes = rise->seen->info.lanes > 1 ? rise->seen->info.lanes - 1 : 1;
    static const uint8_t ones[] = {0xFF};
    for (unsigned lane = 0; lane < lanes; lane++) {
        uint8_t packet[PACKET], record[PB_RECORD_MAX];
        size_t size = 0;
        for (unsigned i = 0; i < PULSES * rise->seen->info.links; i++) {
            const unsigned link = i % rise->seen->info.links;
            if (link % lanes != lane || !(rise->plan->link_mask >> link & 1))
                continue;
            const unsigned length =
                pb_record_immediate(record, link, rise->low_ticks << 4, ones, sizeof ones);
            if (size + length > sizeof packet) {
                const int code = hand_over(rise, lane, packet, size);
                if (code)
                    return code;
                size = 0;
            }
            memcpy(packet + size, record, length);
            size += length;
        }
        const int code = hand_over(rise, lane, packet, size);
        if (code)
            return code;
    }
    return wait_until_over(rise);
}

/* In half ticks; an unknown half counts as the first. */
static int64_t stamp_q1(const struct pb_event *event)
{
    return 2 * (int64_t)event->tick + (pb_event_half(event) == PB_HALF_SECOND);
}

static void add_pulse(struct pb_line_rise *measured, int64_t late_q1, int64_t clock_hz)
{
    const int64_t ps = (late_q1 < 0 ? 0 : late_q1) * (PS_PER_S / 2) / clock_hz;
    if (!measured->pulses || ps < measured->min_ps)
        measured->min_ps = ps;
    if (!measured->pulses || ps > measured->max_ps)
        measured->max_ps = ps;
    if (measured->pulses < PB_RISE_PULSES)
        measured->pulse_ps[measured->pulses++] = ps;
}

/* The line falls with a pull, and rises after it. One that rises slowly may be pulled again before: then
 * there are fewer lows, and longer ones. One that does not rise at all has no pull-up. More lows, or shorter
 * ones, are not the bench's. */
static void take_line(struct rise *rise, unsigned link)
{
    const struct pb_event *fall = NULL;
    const int64_t clock_hz = rise->seen->info.clock_hz;
    struct pb_line_rise measured = {.source = PB_RISE_MEASURED};
    unsigned lows = 0;
    for (size_t i = 0; i < rise->events.count; i++) {
        const struct pb_event *event = &rise->events.event[i];
        if (!is_edge(rise, event) || event->link != link)
            continue;
        if (pb_event_high(event) == !fall)
            return;
        if (!fall) {
            fall = event;
            lows++;
            continue;
        }
        const int64_t late_q1 = stamp_q1(event) - stamp_q1(fall) - 2 * (int64_t)rise->low_ticks;
        if (late_q1 < -2)
            return;
        add_pulse(&measured, late_q1, clock_hz);
        fall = NULL;
    }
    if (!lows || lows > PULSES)
        return;
    if (fall) {
        measured.pulses = 0;
        add_pulse(&measured, 2 * clock_hz / 1000 * IDLE_MS, clock_hz);
    }
    rise->seen->rise[link] =
        is_driven(rise, link) ? (struct pb_line_rise){.source = PB_RISE_DRIVEN} : measured;
}

/* Hands on what is not the measurement's own. */
static int keep_rest(const struct rise *rise)
{
    for (size_t i = 0; i < rise->events.count; i++) {
        const struct pb_event *event = &rise->events.event[i];
        const bool known_link = is_edge(rise, event) && event->link < PB_RISE_LINKS;
        if (known_link && (rise->seen->rise[event->link].source != PB_RISE_UNKNOWN ||
                           rise->seen->edgeless >> event->link & 1)) {
            rise->seen->events_taken++;
            continue;
        }
        if (pb_events_add(&rise->seen->events, event))
            return pb_fail(rise->diag, PB_ERR_MEMORY, "no memory for %zu events", rise->events.count);
    }
    return PB_OK;
}

static int measure(struct rise *rise)
{
    int code = pb_stamp(&rise->from_tick, rise->device, rise->seen, rise->diag);
    if (!code)
        code = arm(rise);
    if (!code)
        code = pulse(rise);
    if (!code)
        code = disarm(rise);
    if (code)
        return code;
    pb_events_sort(&rise->events);
    for (unsigned link = 0; link < rise->seen->info.links; link++)
        if (rise->plan->link_mask >> link & 1)
            take_line(rise, link);
    return keep_rest(rise);
}

int pb_line_rise(struct pb_observation *observation, struct pb_device *device,
                 const struct pb_scenario *scenario, const struct pb_plan *plan, struct pb_diag *diag)
{
    struct rise rise = {
        .seen = observation, .device = device, .scenario = scenario, .plan = plan, .diag = diag};
    const uint32_t part_of_bit = plan->bit_period_q4 * 3 / (16 * 8);
    rise.low_ticks = part_of_bit < 2 ? 2 : part_of_bit > LOW_TICKS ? LOW_TICKS : part_of_bit;
    if (scenario->rise_ps == PB_RISE_AUTO) {
        const int code = measure(&rise);
        pb_events_free(&rise.events);
        return code;
    }
    for (unsigned link = 0; link < observation->info.links; link++)
        if (plan->link_mask >> link & 1)
            observation->rise[link] = is_driven(&rise, link)
                                          ? (struct pb_line_rise){.source = PB_RISE_DRIVEN}
                                          : (struct pb_line_rise){.source = PB_RISE_SET,
                                                                  .min_ps = scenario->rise_ps,
                                                                  .max_ps = scenario->rise_ps,
                                                                  .pulses = 1,
                                                                  .pulse_ps = {scenario->rise_ps}};
    return PB_OK;
}
