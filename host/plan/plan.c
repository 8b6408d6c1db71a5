/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/plan.h"
#include "host/plan/faults.h"
#include "host/plan/frame.h"
#include "host/plan/maker.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOIN_BLANK_TOP = 255,
    JOIN_DELAY_TICKS = 8, /* from one pin of a joined pair to the other, at most */
    CHECK_TICKS = 1,      /* what the check grants for the grain of its measurement */
    TOLERANCE_TICKS = 2,
    TOLERANCE_TOP = 65535,
    PERIOD_BITS = 27,
    BIT_TICKS_MIN = 8,
    BIT_TICKS_TOP = 65536
};

unsigned pb_make_record(uint8_t *record, unsigned target, bool immediate, uint32_t superframe, unsigned phase,
                        uint32_t offset_ticks, uint32_t bit_period_q4, const uint8_t *data, unsigned count)
{
    memset(record, 0, PB_PLAY_RECORD_BYTES);
    PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, target);
    PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, count);
    PB_BYTES_PUT(PB_PLAY_RECORD_IMMEDIATE, record, immediate);
    PB_BYTES_PUT(PB_PLAY_RECORD_PHASE, record, phase);
    PB_BYTES_PUT(PB_PLAY_RECORD_SUPERFRAME, record, superframe);
    /* Of no meaning to the core, for a record without a mark has no receipts: the rest of the superframe. */
    PB_BYTES_PUT(PB_PLAY_RECORD_NUMBER, record, superframe >> PB_PLAY_RECORD_SUPERFRAME_WIDTH);
    PB_BYTES_PUT(PB_PLAY_RECORD_OFFSET, record, offset_ticks);
    PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, bit_period_q4);
    memcpy(record + PB_PLAY_RECORD_BYTES, data, count);
    return PB_PLAY_RECORD_BYTES + count;
}

unsigned pb_record_immediate(uint8_t record[PB_RECORD_MAX], unsigned target, uint32_t bit_period_q4,
                             const uint8_t *data, unsigned count)
{
    return pb_make_record(record, target, true, 0, 0, 0, bit_period_q4, data, count);
}

void pb_console_send_line(char *text, size_t size, const struct pb_scenario *scenario, size_t message)
{
    uint8_t payload[PB_FRAME_MAX];
    pb_payload(scenario, message, payload);
    int at = snprintf(text, size, "S %" PRIX32 " ", scenario->traffic.message[message].destination);
    for (unsigned i = 0; i < scenario->payload_bytes && (size_t)at < size; i++)
        at += snprintf(text + at, size - (size_t)at, "%02X", payload[i]);
}

int pb_add_record(struct maker *maker, unsigned lane, uint64_t instant, const uint8_t *bytes, unsigned length)
{
    struct pb_plan *plan = maker->plan;
    if (plan->records == maker->record_capacity) {
        const size_t capacity = maker->record_capacity ? 2 * maker->record_capacity : 256;
        struct pb_record *grown = realloc(plan->record, capacity * sizeof *grown);
        if (!grown)
            return PB_ERR_MEMORY;
        plan->record = grown;
        maker->record_capacity = capacity;
    }
    if (plan->byte_count + length > plan->byte_capacity) {
        const size_t capacity = 2 * plan->byte_capacity + PB_RECORD_MAX;
        uint8_t *grown = realloc(plan->bytes, capacity);
        if (!grown)
            return PB_ERR_MEMORY;
        plan->bytes = grown;
        plan->byte_capacity = capacity;
    }
    memcpy(plan->bytes + plan->byte_count, bytes, length);
    plan->record[plan->records++] = (struct pb_record){instant, lane, length, (uint32_t)plan->byte_count};
    plan->byte_count += length;
    return PB_OK;
}

static int too_many_neighbours(const struct maker *maker)
{
    return pb_fail(maker->diag, PB_ERR_CONFIG,
                   "more than %u virtual neighbours send in one phase, the core has %u lanes for them; put "
                   "fewer nodes on the rig",
                   maker->link_lanes, maker->link_lanes);
}

/* Puts a stimulus on a lane that is free in its phase. */
static int add_stimulus(struct maker *maker, unsigned lane, unsigned link, uint64_t instant,
                        const struct pb_stimulus *stimulus)
{
    uint8_t record[PB_RECORD_MAX];
    if (lane >= maker->link_lanes)
        return too_many_neighbours(maker);
    if (lane >= maker->link_lanes_used)
        maker->link_lanes_used = lane + 1;
    const unsigned length =
        pb_make_record(record, link, false, (uint32_t)(instant / maker->plan->phase_count),
                       (unsigned)(instant % maker->plan->phase_count), stimulus->offset_ticks,
                       stimulus->bit_period_q4, stimulus->bytes, stimulus->count);
    if (stimulus->fault) {
        PB_BYTES_PUT(PB_PLAY_RECORD_MARK, record,
                     pb_fault_core_kind(stimulus->fault->kind) - PB_PLAY_MARK_KIND);
        PB_BYTES_PUT(PB_PLAY_RECORD_NUMBER, record, stimulus->fault->number);
    }
    const int code = pb_add_record(maker, lane, instant, record, length);
    return code ? pb_fail(maker->diag, code, "no memory for the plan") : PB_OK;
}

/* The fault that wants this slot, which has a frame. */
static const struct pb_fault *take_fault(struct maker *maker, int seat, unsigned port,
                                         const struct pb_crossing *crossing)
{
    const struct pb_fault *fault = seat < 0
                                       ? NULL
                                       : pb_plan_frame_fault(maker->scenario, (unsigned)seat, port,
                                                             crossing->superframe, crossing->phase);
    if (fault)
        maker->frame_there[fault->number] = true;
    return fault;
}

/* A crossing into a node of the rig from a node that is not there: a virtual neighbour has to send it. */
static void plan_crossing(void *context, const struct pb_crossing *crossing)
{
    struct maker *maker = context;
    const struct pb_scenario *scenario = maker->scenario;
    const int seat = pb_seat_of(scenario, crossing->to), from = pb_seat_of(scenario, crossing->from);
    if (maker->code || (seat < 0 && from < 0))
        return;
    maker->code = pb_note_passage(maker, crossing, seat, from);
    if (maker->code)
        return;
    const unsigned to_port = pb_network_peer(&scenario->network, crossing->from, crossing->port).port;
    const struct pb_fault *fault = take_fault(maker, seat, to_port, crossing);
    take_fault(maker, from, crossing->port, crossing);
    if (seat < 0 || from >= 0)
        return;

    const uint64_t instant = (uint64_t)crossing->superframe * maker->plan->phase_count + crossing->phase;
    if (instant != maker->lane_instant)
        maker->lane_used = 0;
    maker->lane_instant = instant;
    struct pb_stimulus stimulus = {.offset_ticks = maker->plan->head_guard_ticks,
                                   .bit_period_q4 = maker->plan->bit_period_q4};
    stimulus.count =
        pb_frame(scenario, crossing->message, maker->sequence[crossing->message], stimulus.bytes);
    if (fault && fault->kind != PB_FAULT_BABBLE)
        maker->code = pb_plan_spoil(&stimulus, fault, scenario, maker->info, maker->diag);
    if (!maker->code)
        maker->code = add_stimulus(maker, maker->lane_used++,
                                   pb_link_of(scenario, (unsigned)seat, to_port), instant, &stimulus);
}

static void note_drop(void *context, uint32_t superframe, unsigned phase, uint32_t node, size_t message)
{
    struct maker *maker = context;
    (void)superframe;
    (void)phase;
    maker->dropped[message] |= node == maker->scenario->traffic.message[message].source;
}

/* ---- faults of frames, after all frames are there */

static uint64_t instant_of(const struct maker *maker, const struct pb_fault *fault)
{
    return (uint64_t)fault->superframe * maker->plan->phase_count + fault->phase;
}

static int refuse_missing_frame(const struct maker *maker, const struct pb_fault *fault)
{
    const struct pb_plan *plan = maker->plan;
    const struct pb_scenario *scenario = maker->scenario;
    const uint64_t wanted = instant_of(maker, fault);
    const unsigned phases = plan->phase_count;
    const struct pb_record *nearest = NULL;
    uint64_t nearest_distance = UINT64_MAX;
    char place[120] = "it sends it nothing at all";
    for (size_t i = 0; i < plan->records; i++) {
        const uint64_t instant = plan->record[i].instant,
                       distance = instant < wanted ? wanted - instant : instant - wanted;
        if (pb_link_seat(scenario, plan->bytes[plan->record[i].at]) != fault->seat ||
            distance >= nearest_distance)
            continue;
        nearest = &plan->record[i];
        nearest_distance = distance;
    }
    if (nearest)
        snprintf(place, sizeof place,
                 "the nearest frame is in superframe %" PRIu64 ", phase %u, dimension %u",
                 nearest->instant / phases, (unsigned)(nearest->instant % phases),
                 pb_link_port(scenario, plan->bytes[nearest->at]));
    return pb_fail(maker->diag, PB_ERR_CONFIG,
                   "faults: '%s' needs a frame, but the bench sends none to 0x%" PRIX32
                   " in superframe %" PRIu32 ", phase %u, dimension %u; %s",
                   pb_fault_info(fault->kind)->id, scenario->node[fault->seat].address, fault->superframe,
                   fault->phase, fault->dimension, place);
}

static int plan_babble(struct maker *maker, const struct pb_fault *fault)
{
    const uint64_t instant = instant_of(maker, fault);
    struct pb_stimulus stimulus = {.bit_period_q4 = maker->plan->bit_period_q4};
    unsigned lane = 0;
    if (maker->frame_there[fault->number])
        return pb_fail(maker->diag, PB_ERR_CONFIG,
                       "faults: 'babble' belongs where nothing is sent, but on dimension %u of 0x%" PRIX32
                       " there is a frame in superframe %" PRIu32 ", phase %u; give another place",
                       fault->dimension, maker->scenario->node[fault->seat].address, fault->superframe,
                       fault->phase);
    for (size_t i = 0; i < maker->plan->records; i++)
        lane += maker->plan->record[i].instant == instant;
    const int code = pb_plan_spoil(&stimulus, fault, maker->scenario, maker->info, maker->diag);
    return code ? code
                : add_stimulus(maker, lane, pb_link_of(maker->scenario, fault->seat, fault->dimension),
                               instant, &stimulus);
}

static int plan_frame_faults(struct maker *maker)
{
    const struct pb_scenario *scenario = maker->scenario;
    int code = PB_OK;
    for (unsigned i = 0; i < scenario->fault_count && !code; i++)
        if (pb_fault_info(scenario->fault[i].kind)->place == PB_FAULT_ON_FRAME &&
            scenario->fault[i].kind != PB_FAULT_BABBLE && !maker->frame_there[i])
            code = refuse_missing_frame(maker, &scenario->fault[i]);
    for (unsigned i = 0; i < scenario->fault_count && !code; i++)
        if (scenario->fault[i].kind == PB_FAULT_BABBLE)
            code = plan_babble(maker, &scenario->fault[i]);
    return code;
}

static int by_instant(const void *left, const void *right)
{
    const struct pb_record *a = left, *b = right;
    if (a->instant != b->instant)
        return a->instant < b->instant ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* ---- register values */

static int bit_period(uint32_t *period_q4, const char *what, uint64_t baud_hz, uint32_t clock_hz,
                      struct pb_diag *diag)
{
    const uint64_t period = (16 * (uint64_t)clock_hz + baud_hz / 2) / baud_hz;
    if (period < 16 * BIT_TICKS_MIN || period >= 16 * BIT_TICKS_TOP)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s of %" PRIu64 " baud is out of reach of a core at %" PRIu32 " Hz: use %" PRIu32
                       " to %" PRIu32 " baud",
                       what, baud_hz, clock_hz, clock_hz / BIT_TICKS_TOP + 1, clock_hz / BIT_TICKS_MIN);
    *period_q4 = (uint32_t)period;
    return PB_OK;
}

static int plan_registers(struct pb_plan *plan, const struct pb_scenario *scenario,
                          const struct pb_device_info *info, struct pb_diag *diag)
{
    const uint64_t scaled = (uint64_t)info->clock_hz * 1000, rate = scenario->phase_rate_mhz;
    plan->phase_count = scenario->network.phases;
    plan->period_ticks = (uint32_t)(scaled / rate);
    plan->period_num = (uint32_t)(scaled % rate);
    plan->period_den = (uint32_t)rate;
    plan->high_ticks = plan->period_ticks / 2;
    if (scaled / rate >> PERIOD_BITS || rate >> PERIOD_BITS)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "a phase of %" PRIu64
                       " ticks is too long for the core: %u is the limit; raise phase_rate",
                       scaled / rate, (1u << PERIOD_BITS) - 1);
    plan->head_guard_ticks =
        (uint32_t)(((uint64_t)scenario->head_guard_ps / 1000 * (info->clock_hz / 1000) + 500000) / 1000000);
    if (plan->head_guard_ticks > PB_PLAY_RECORD_OFFSET_MASK)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "a head guard of %" PRIu32
                       " ticks is too long for the core: %u is the limit; lower head_guard",
                       plan->head_guard_ticks, PB_PLAY_RECORD_OFFSET_MASK);
    plan->head_guard_ticks = (uint32_t)pb_plan_after_edge(scenario, plan->head_guard_ticks);
    int code = bit_period(&plan->bit_period_q4, "a link", scenario->baud_hz, info->clock_hz, diag);
    /* Half a bit: a line that rises more slowly cannot carry the baud anyway. */
    plan->join_blank_ticks =
        plan->bit_period_q4 / 32 < JOIN_BLANK_TOP ? plan->bit_period_q4 / 32 : JOIN_BLANK_TOP;
    if (!code)
        code = bit_period(&plan->console_period_q4, "a console", scenario->console_baud_hz, info->clock_hz,
                          diag);
    return code;
}

/* Limits of the line watch. A node that keeps to the scenario's limits never raises an alarm: they are as
 * wide as those of the check, and a little wider for the grain of the clock. */
static void plan_watch(struct pb_plan *plan, const struct pb_scenario *scenario,
                       const struct pb_device_info *info)
{
    const unsigned __int128 clock_hz = info->clock_hz;
    const int64_t phase_ps = (int64_t)((uint64_t)PS_PER_S * 1000 / scenario->phase_rate_mhz),
                  start_ps = scenario->head_guard_ps - scenario->limits.start_early_ps,
                  end_ps = phase_ps - (scenario->guard_ps - scenario->head_guard_ps);
    const uint32_t start = (uint32_t)((unsigned __int128)start_ps * clock_hz / PS_PER_S);
    const uint64_t end =
        end_ps > 0 ? (uint64_t)(((unsigned __int128)end_ps * clock_hz + PS_PER_S - 1) / PS_PER_S) : 0;
    bool joined = false;
    for (unsigned link = 0; link < pb_link_count(scenario); link++)
        joined |= PB_GET(PB_LINK_MODE, plan->link_config[link]) == PB_LINK_MODE_JOINED;

    plan->guard_head_ticks = (uint32_t)pb_plan_after_edge(scenario, start ? start - 1 : 0);
    const uint64_t tail =
        pb_plan_after_edge(scenario, end + CHECK_TICKS + (joined ? JOIN_DELAY_TICKS : 0) + 2);
    plan->guard_tail_ticks = (uint32_t)(tail >> PERIOD_BITS ? (1u << PERIOD_BITS) - 1 : tail);

    const struct pb_controller *controller = &scenario->controller;
    const uint64_t error = (uint64_t)llabs(controller->clock_error_ppm),
                   /* of the rate; a slow clock's period is longer by more */
        away = (plan->period_ticks * error + 1000000 - error - 1) / (1000000 - error) +
               (uint64_t)(((unsigned __int128)controller->jitter_ps * clock_hz + PS_PER_S - 1) / PS_PER_S) +
               TOLERANCE_TICKS;
    plan->tolerance_ticks = (uint32_t)(away < TOLERANCE_TOP ? away : TOLERANCE_TOP);
    plan->follow = scenario->follow;
}

static int plan_links(struct pb_plan *plan, const struct pb_scenario *scenario,
                      const struct pb_device_info *info, struct pb_diag *diag)
{
    if (pb_link_count(scenario) > info->links || scenario->node_count > info->nodes)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "%u nodes with %u links together do not fit the core: it has %u links and %u node ports",
            scenario->node_count, pb_link_count(scenario), info->links, info->nodes);
    for (unsigned link = 0; link < PB_REG_LINK_COUNT; link++)
        plan->link_config[link] = PB_PUT(PB_LINK_PHASE, PB_LINK_PHASE_ANY);
    for (unsigned seat = 0; seat < scenario->node_count; seat++)
        for (unsigned port = 0; port < scenario->network.ports; port++) {
            const unsigned link = pb_link_of(scenario, seat, port);
            const int other = pb_partner_link(scenario, link);
            const unsigned phase =
                pb_network_send_phase(&scenario->network, scenario->node[seat].address, port);
            plan->link_mask |= UINT64_C(1) << link;
            const unsigned mode = other >= 0            ? PB_LINK_MODE_JOINED
                                  : scenario->push_pull ? PB_LINK_MODE_PUSH_PULL
                                                        : PB_LINK_MODE_NEIGHBOUR;
            plan->link_config[link] = PB_PUT(PB_LINK_MODE, mode) |
                                      PB_PUT(PB_LINK_PARTNER, other >= 0 ? (unsigned)other : 0) |
                                      PB_PUT(PB_LINK_PHASE, phase);
        }
    return PB_OK;
}

int pb_plan_make(struct pb_plan *plan, const struct pb_scenario *scenario, const struct pb_device_info *info,
                 struct pb_diag *diag)
{
    *plan = (struct pb_plan){0};
    int code = plan_registers(plan, scenario, info, diag);
    if (!code)
        code = plan_links(plan, scenario, info, diag);
    if (!code) {
        plan_watch(plan, scenario, info);
        code = pb_plan_fault_records(plan, scenario, info, diag);
    }
    if (code) {
        pb_plan_free(plan);
        return code;
    }

    struct maker maker = {.plan = plan,
                          .scenario = scenario,
                          .info = info,
                          .link_lanes = info->lanes - 1,
                          .lane_instant = UINT64_MAX,
                          .diag = diag};
    struct pb_movement movement = {.superframes = scenario->superframes,
                                   .visit = plan_crossing,
                                   .dropped = note_drop,
                                   .context = &maker};
    const size_t count = scenario->traffic.count;
    maker.sequence = malloc(count + 1);
    maker.frame_there = calloc(scenario->fault_count + 1, sizeof *maker.frame_there);
    maker.dropped = calloc(count + 1, sizeof *maker.dropped);
    maker.arrival = malloc((count + 1) * sizeof *maker.arrival);
    size_t *order = malloc((count + 1) * sizeof *order);
    code = !maker.sequence || !maker.frame_there || !maker.dropped || !maker.arrival || !order
               ? PB_ERR_MEMORY
               : pb_message_order(scenario, maker.sequence, order);
    if (!code) {
        memset(maker.arrival, 0xFF, (count + 1) * sizeof *maker.arrival);
        code = pb_move(&movement, scenario);
    }
    if (!code)
        code = maker.code;
    if (code == PB_ERR_MEMORY)
        pb_fail(diag, code, "no memory for the plan");
    if (!code)
        code = plan_frame_faults(&maker);
    if (!code)
        code = pb_plan_typing(&maker, order, movement.fullest);
    if (!code && plan->records)
        qsort(plan->record, plan->records, sizeof *plan->record, by_instant);
    free(maker.sequence);
    free(maker.frame_there);
    free(maker.dropped);
    free(maker.arrival);
    free(maker.passage);
    free(order);
    if (code)
        pb_plan_free(plan);
    return code;
}

void pb_plan_free(struct pb_plan *plan)
{
    free(plan->record);
    free(plan->bytes);
    free(plan->line);
    free(plan->typed);
    free(plan->fault);
    *plan = (struct pb_plan){0};
}
