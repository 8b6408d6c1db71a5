/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The part of the plan that is made superframe by superframe: frames of the virtual neighbours with their
 * faults, and console lines. A look-ahead finds what the core cannot do, the number of lanes for the frames,
 * and how the nodes' own messages are typed. Lines of a list of messages are then all made; for endless
 * traffic a typist goes ahead of the stream.
 */
#include "host/plan/fault_records.h"
#include "host/base/room.h"
#include "host/plan/frame.h"
#include "host/plan/maker.h"
#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker {
    const struct pb_scenario *scenario;
    struct pb_device_info info;
    unsigned link_lanes, link_lanes_used; /* the others may serve consoles */
    uint64_t lane_instant;                /* records so far in the present phase */
    unsigned lane_used;
    bool *frame_there;     /* owned; of each fault: there is a frame in its slot */
    unsigned *frames_then; /* owned; of each fault: lanes used in its phase */
    uint64_t foreseen;     /* superframes of the look ahead */
    struct pb_early early[PB_SCENARIO_NODES_MAX];
    unsigned fullest[PB_SCENARIO_NODES_MAX]; /* as in struct pb_moved */
    bool narrow;                             /* how is typed, as in struct pb_typing */
    unsigned reader;                         /* of plan->movement */
    struct typist *typist;                   /* owned; NULL: nothing is typed */
    size_t lines[PB_SCENARIO_NODES_MAX];     /* that the look ahead has typed to each node */
    uint64_t taken, horizon;                 /* superframes that the typist knows, and has made */
    size_t sorted, next_record, next_line;   /* of what it has made */
    struct pb_record_list spare;             /* owned */
};

/* ---- frames */

static int no_memory(struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_MEMORY, "no memory for the plan");
}

/* Puts a stimulus on a lane that is free in its phase. */
static int add_stimulus(struct pb_plan *plan, unsigned lane, unsigned link, uint64_t instant,
                        const struct pb_stimulus *stimulus, struct pb_diag *diag)
{
    struct maker *maker = plan->maker;
    uint8_t record[PB_RECORD_MAX];
    if (lane >= maker->link_lanes)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "more than %u virtual neighbours send in one phase, the core has %u lanes for them; put "
            "fewer nodes on the rig",
            maker->link_lanes, maker->link_lanes);
    if (lane >= maker->link_lanes_used)
        maker->link_lanes_used = lane + 1;
    const unsigned length = pb_make_record(
        record, link, false, (uint32_t)(instant / plan->phase_count), (unsigned)(instant % plan->phase_count),
        stimulus->offset_ticks, stimulus->bit_period_q4, stimulus->bytes, stimulus->count);
    if (stimulus->fault) {
        PB_BYTES_PUT(PB_PLAY_RECORD_MARK, record,
                     pb_fault_core_kind(stimulus->fault->kind) - PB_PLAY_MARK_KIND);
        PB_BYTES_PUT(PB_PLAY_RECORD_NUMBER, record, stimulus->fault->number);
    }
    return pb_add_record(&plan->now, lane, instant, record, length) ? no_memory(diag) : PB_OK;
}

/* The fault that wants this slot, which has a frame. */
static const struct pb_fault *take_fault(const struct maker *maker, int node_index, unsigned port,
                                         const struct pb_crossing *crossing)
{
    const struct pb_fault *fault = node_index < 0
                                       ? NULL
                                       : pb_plan_frame_fault(maker->scenario, (unsigned)node_index, port,
                                                             crossing->superframe, crossing->phase);
    if (fault)
        maker->frame_there[fault->number] = true;
    return fault;
}

/* A crossing into a node of the rig from a node that is not there: a virtual neighbour has to send it. */
static int plan_crossing(struct pb_plan *plan, const struct pb_crossing *crossing, struct pb_diag *diag)
{
    struct maker *maker = plan->maker;
    const struct pb_scenario *scenario = maker->scenario;
    const int node_index = pb_scenario_node_index(scenario, crossing->to),
              from = pb_scenario_node_index(scenario, crossing->from);
    const unsigned to_port = pb_network_peer(&scenario->network, crossing->from, crossing->port).port;
    const struct pb_fault *fault = take_fault(maker, node_index, to_port, crossing);
    int code = PB_OK;
    take_fault(maker, from, crossing->port, crossing);
    if (node_index < 0 || from >= 0)
        return PB_OK;

    const uint64_t instant = (uint64_t)crossing->superframe * plan->phase_count + crossing->phase;
    if (instant != maker->lane_instant)
        maker->lane_used = 0;
    maker->lane_instant = instant;
    struct pb_stimulus stimulus = {.offset_ticks = plan->head_guard_ticks,
                                   .bit_period_q4 = plan->bit_period_q4};
    stimulus.count =
        pb_frame(scenario, crossing->message, crossing->destination, crossing->sequence, stimulus.bytes);
    if (fault && fault->kind != PB_FAULT_BABBLE)
        code = pb_plan_spoil(&stimulus, fault, scenario, &maker->info, diag);
    return code ? code
                : add_stimulus(plan, maker->lane_used++, pb_link_of(scenario, (unsigned)node_index, to_port),
                               instant, &stimulus, diag);
}

/* ---- faults of frames */

static bool is_of_frame(const struct pb_fault *fault)
{
    return pb_fault_info(fault->kind)->place == PB_FAULT_ON_FRAME;
}

static uint64_t instant_of(const struct pb_plan *plan, const struct pb_fault *fault)
{
    return (uint64_t)fault->superframe * plan->phase_count + fault->phase;
}

struct nearest {
    const struct pb_plan *plan;
    const struct pb_fault *fault;
    uint64_t distance, instant;
    unsigned port;
};

static int look_for_frame(void *context, const struct pb_moved *moved)
{
    struct nearest *nearest = context;
    const struct pb_scenario *scenario = nearest->plan->maker->scenario;
    const uint64_t wanted = instant_of(nearest->plan, nearest->fault);
    for (size_t i = 0; i < moved->crossings; i++) {
        const struct pb_crossing *crossing = &moved->crossing[i];
        const uint64_t instant =
                           (uint64_t)crossing->superframe * nearest->plan->phase_count + crossing->phase,
                       distance = instant < wanted ? wanted - instant : instant - wanted;
        if (pb_scenario_node_index(scenario, crossing->to) != (int)nearest->fault->node_index ||
            pb_scenario_node_index(scenario, crossing->from) >= 0 || distance >= nearest->distance)
            continue;
        nearest->distance = distance;
        nearest->instant = instant;
        nearest->port = pb_network_peer(&scenario->network, crossing->from, crossing->port).port;
    }
    return PB_OK;
}

static int refuse_missing_frame(const struct pb_plan *plan, const struct pb_fault *fault,
                                struct pb_diag *diag)
{
    const struct pb_scenario *scenario = plan->maker->scenario;
    const unsigned phases = plan->phase_count;
    struct nearest nearest = {plan, fault, .distance = UINT64_MAX};
    char place[120] = "it sends it nothing at all";
    const int code = pb_foresee(scenario, scenario->superframes, look_for_frame, &nearest, diag);
    if (code)
        return code;
    if (nearest.distance < UINT64_MAX)
        snprintf(place, sizeof place,
                 "the nearest frame is in superframe %" PRIu64 ", phase %u, dimension %u",
                 nearest.instant / phases, (unsigned)(nearest.instant % phases), nearest.port);
    return pb_fail(diag, PB_ERR_CONFIG,
                   "faults: '%s' needs a frame, but the bench sends none to 0x%" PRIX32
                   " in superframe %" PRIu32 ", phase %u, dimension %u; %s",
                   pb_fault_info(fault->kind)->id, scenario->node[fault->node_index].address,
                   fault->superframe, fault->phase, fault->dimension, place);
}

static int plan_babble(struct pb_plan *plan, const struct pb_fault *fault, struct pb_diag *diag)
{
    const struct maker *maker = plan->maker;
    struct pb_stimulus stimulus = {.bit_period_q4 = plan->bit_period_q4};
    if (maker->frame_there[fault->number])
        return pb_fail(diag, PB_ERR_CONFIG,
                       "faults: 'babble' needs a free place, but on dimension %u of 0x%" PRIX32
                       " there is a frame in superframe %" PRIu32 ", phase %u; give another place",
                       fault->dimension, maker->scenario->node[fault->node_index].address, fault->superframe,
                       fault->phase);
    const int code = pb_plan_spoil(&stimulus, fault, maker->scenario, &maker->info, diag);
    return code ? code
                : add_stimulus(plan, maker->frames_then[fault->number],
                               pb_link_of(maker->scenario, fault->node_index, fault->dimension),
                               instant_of(plan, fault), &stimulus, diag);
}

/* The first fault of a superframe, or of a later one; faults are sorted. */
static unsigned first_fault(const struct pb_scenario *scenario, uint64_t superframe)
{
    unsigned low = 0, high = scenario->fault_count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (scenario->fault[middle].superframe < superframe)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the frames of a superframe: the number in the phase of each of its faults, earlier ones included. */
static void count_frames(const struct pb_plan *plan, uint32_t superframe)
{
    const struct pb_scenario *scenario = plan->maker->scenario;
    for (unsigned i = first_fault(scenario, superframe);
         i < scenario->fault_count && scenario->fault[i].superframe == superframe; i++) {
        unsigned *then = &plan->maker->frames_then[scenario->fault[i].number];
        *then = 0;
        for (size_t k = 0; k < plan->now.records; k++)
            *then += plan->now.record[k].instant == instant_of(plan, &scenario->fault[i]);
    }
}

/* Faults of frames in superframes first..end - 1, after all frames are there. */
static int plan_frame_faults(struct pb_plan *plan, uint64_t first, uint64_t end, struct pb_diag *diag)
{
    const struct pb_scenario *scenario = plan->maker->scenario;
    const unsigned from = first_fault(scenario, first), beyond = first_fault(scenario, end);
    int code = PB_OK;
    for (unsigned i = from; i < beyond && !code; i++) {
        const struct pb_fault *fault = &scenario->fault[i];
        if (is_of_frame(fault) && fault->kind != PB_FAULT_BABBLE && !plan->maker->frame_there[fault->number])
            code = refuse_missing_frame(plan, fault, diag);
    }
    for (unsigned i = from; i < beyond && !code; i++) {
        const struct pb_fault *fault = &scenario->fault[i];
        if (fault->kind != PB_FAULT_BABBLE)
            continue;
        code = plan_babble(plan, fault, diag);
        for (unsigned k = i + 1; k < beyond; k++) /* it takes a lane, too */
            plan->maker->frames_then[scenario->fault[k].number] +=
                instant_of(plan, &scenario->fault[k]) == instant_of(plan, fault);
    }
    return code;
}

static void forget_records(struct pb_record_list *list)
{
    list->records = list->byte_count = 0;
}

/* All frames of a superframe, without faults that need to know all of them. */
static int plan_frames(struct pb_plan *plan, const struct pb_moved *moved, struct pb_diag *diag)
{
    const struct pb_scenario *scenario = plan->maker->scenario;
    int code = moved->losts && !scenario->limits.drop_overflow
                   ? pb_refuse_overflow(scenario, &moved->lost[0], diag)
                   : PB_OK;
    forget_records(&plan->now);
    for (size_t i = 0; i < moved->crossings && !code; i++)
        code = plan_crossing(plan, &moved->crossing[i], diag);
    count_frames(plan, moved->superframe);
    return code;
}

/* ---- the look ahead */

struct look {
    struct pb_plan *plan;
    struct pb_diag *diag;
};

static int look_at(void *context, const struct pb_moved *moved)
{
    const struct look *look = context;
    struct maker *maker = look->plan->maker;
    const uint64_t phases = look->plan->phase_count;
    int code = plan_frames(look->plan, moved, look->diag);
    for (size_t i = 0; i < moved->owns && !code; i++) {
        const struct pb_own_message *own = &moved->own[i];
        if (own->destination != maker->scenario->node[own->node_index].address && !maker->scenario->program &&
            pb_early_take(&maker->early[own->node_index], own->superframe * phases + own->phase, phases))
            code = no_memory(look->diag);
    }
    memcpy(maker->fullest, moved->fullest, sizeof maker->fullest);
    maker->foreseen = moved->superframe + UINT64_C(1);
    return code;
}

/* Where frames may come without end: a lane for each neighbour whose turn it is, and for each babble then. */
static unsigned most_lanes(const struct pb_plan *plan)
{
    const struct pb_scenario *scenario = plan->maker->scenario;
    unsigned most = plan->maker->link_lanes_used;
    for (unsigned phase = 0; phase < plan->phase_count; phase++) {
        unsigned lanes = 0;
        for (unsigned node_index = 0; node_index < scenario->node_count; node_index++) {
            const struct pb_slot slot =
                pb_network_slot(&scenario->network, scenario->node[node_index].address, phase);
            lanes += slot.role == PB_ROLE_LISTEN &&
                     pb_partner_link(scenario, pb_link_of(scenario, node_index, slot.port)) < 0;
        }
        for (unsigned i = 0; i < scenario->fault_count; i++)
            lanes += scenario->fault[i].kind == PB_FAULT_BABBLE && scenario->fault[i].phase == phase;
        most = lanes > most ? lanes : most;
    }
    return most < plan->maker->link_lanes ? most : plan->maker->link_lanes;
}

static int open_typist(const struct pb_plan *plan, struct typist **out, struct pb_diag *diag)
{
    const struct maker *maker = plan->maker;
    struct pb_typing typing = {.scenario = maker->scenario,
                               .clock_hz = maker->info.clock_hz,
                               .console_period_q4 = plan->console_period_q4,
                               .first_lane = maker->link_lanes_used,
                               .lanes = maker->info.lanes,
                               .narrow = maker->narrow};
    for (unsigned node_index = 0; node_index < maker->scenario->node_count; node_index++) {
        const struct pb_scenario_node *node = &maker->scenario->node[node_index];
        const size_t room = node->room ? node->room : node->room_per_dimension,
                     early = maker->early[node_index].most;
        /* It is full, or would be if all messages that can be typed early were. */
        typing.strict[node_index] = room && early && maker->fullest[node_index] + early > room;
    }
    return pb_typist_open(out, &typing) ? no_memory(diag) : PB_OK;
}

static void count_lines(struct pb_plan *plan, const struct pb_typed *typed)
{
    size_t *lines = plan->maker->lines;
    for (size_t i = 0; i < typed->durings; i++)
        if (++lines[typed->during[i].node_index] > lines[plan->console_node])
            plan->console_node = typed->during[i].node_index;
}

/* Of endless traffic only the lines typed before the clock starts are kept. */
static int type_at(void *context, const struct pb_moved *moved)
{
    const struct look *look = context;
    struct maker *maker = look->plan->maker;
    struct pb_typed *typed = pb_typist_typed(maker->typist);
    int code = pb_typist_take(maker->typist, moved, look->diag);
    if (code || !maker->scenario->endless_count)
        return code;
    code = pb_typist_make(maker->typist, moved->superframe + UINT64_C(1), false, &maker->horizon, look->diag);
    count_lines(look->plan, typed);
    typed->durings = 0;
    forget_records(&typed->list);
    return code;
}

static int type_all(struct pb_plan *plan, struct pb_diag *diag)
{
    struct maker *maker = plan->maker;
    struct look look = {plan, diag};
    memset(maker->lines, 0, sizeof maker->lines);
    plan->console_node = 0;
    pb_typist_close(maker->typist);
    int code = open_typist(plan, &maker->typist, diag);
    if (!code)
        code = pb_foresee(maker->scenario, maker->scenario->superframes, type_at, &look, diag);
    if (!code && !maker->scenario->endless_count)
        code = pb_typist_make(maker->typist, maker->scenario->superframes, true, &maker->horizon, diag);
    return code;
}

static int plan_typing(struct pb_plan *plan, struct pb_diag *diag)
{
    struct maker *maker = plan->maker;
    bool any = false;
    for (unsigned node_index = 0; node_index < maker->scenario->node_count; node_index++)
        any |= maker->early[node_index].count > 0;
    plan->console_idle = !any;
    if (!any)
        return PB_OK;
    maker->narrow = true;
    int code = type_all(plan, diag);
    if (code == PB_ERR_CONFIG && !maker->scenario->reacts) {
        maker->narrow = false;
        code = type_all(plan, diag);
    }
    if (code)
        return code;
    struct pb_typed *typed = pb_typist_typed(maker->typist);
    plan->line = typed->before;
    plan->lines = typed->befores;
    typed->before = NULL;
    typed->befores = typed->before_capacity = 0;
    if (!maker->scenario->endless_count) {
        count_lines(plan, typed);
        plan->console_idle = !maker->lines[plan->console_node];
        return PB_OK;
    }
    pb_typist_close(maker->typist);
    maker->horizon = 0;
    return open_typist(plan, &maker->typist, diag);
}

int pb_stream_open(struct pb_plan *plan, const struct pb_scenario *scenario,
                   const struct pb_device_info *info, struct pb_diag *diag)
{
    struct maker *maker = plan->maker = calloc(1, sizeof *maker);
    struct look look = {plan, diag};
    if (!maker)
        return no_memory(diag);
    maker->scenario = scenario;
    maker->info = *info;
    maker->link_lanes = info->lanes - 1;
    maker->lane_instant = UINT64_MAX;
    maker->frame_there = calloc(scenario->fault_count + 1, sizeof *maker->frame_there);
    maker->frames_then = calloc(scenario->fault_count + 1, sizeof *maker->frames_then);
    if (!maker->frame_there || !maker->frames_then)
        return no_memory(diag);
    int code = pb_foresee(scenario, scenario->superframes, look_at, &look, diag);
    if (!scenario->endless_count)
        maker->foreseen = scenario->superframes;
    if (!code)
        code = plan_frame_faults(plan, 0, maker->foreseen, diag);
    if (!code && scenario->endless_count)
        maker->link_lanes_used = most_lanes(plan);
    if (!code)
        code = plan_typing(plan, diag);
    forget_records(&plan->now);
    maker->lane_instant = UINT64_MAX; /* the stream begins anew */
    if (!code)
        code = pb_movement_open(&plan->movement, scenario, diag);
    if (!code)
        maker->reader = pb_movement_reader(plan->movement);
    return code;
}

void pb_stream_close(struct pb_plan *plan)
{
    struct maker *maker = plan->maker;
    if (!maker)
        return;
    if (plan->movement)
        pb_movement_leave(plan->movement, maker->reader);
    for (unsigned node_index = 0; node_index < PB_SCENARIO_NODES_MAX; node_index++)
        free(maker->early[node_index].release);
    free(maker->spare.record);
    free(maker->spare.bytes);
    free(maker->frame_there);
    free(maker->frames_then);
    pb_typist_close(maker->typist);
    free(maker);
}

/* ---- the stream */

static int by_start(const void *left, const void *right)
{
    const struct pb_console_line *a = left, *b = right;
    return a->start_ps < b->start_ps ? -1 : a->start_ps > b->start_ps;
}

/* Drops what was handed out, and sorts the rest. */
static int sort_typed(struct maker *maker, struct pb_typed *typed)
{
    struct pb_record_list rest = maker->spare;
    int code = PB_OK;
    forget_records(&rest);
    for (size_t i = maker->next_record; i < typed->list.records && !code; i++) {
        const struct pb_record *record = &typed->list.record[i];
        code = pb_add_record(&rest, record->lane, record->instant, typed->list.bytes + record->at,
                             record->length);
    }
    maker->spare = typed->list;
    typed->list = rest;
    pb_sort_records(&typed->list);
    typed->durings -= maker->next_line;
    if (typed->durings) {
        memmove(typed->during, typed->during + maker->next_line, typed->durings * sizeof *typed->during);
        qsort(typed->during, typed->durings, sizeof *typed->during, by_start);
    }
    maker->next_record = maker->next_line = 0;
    maker->sorted = typed->list.records;
    return code;
}

/* Lines that begin in this superframe, and records of lines in it. */
static int hand_out_typed(struct pb_plan *plan, struct pb_diag *diag)
{
    struct maker *maker = plan->maker;
    struct pb_typed *typed = pb_typist_typed(maker->typist);
    const uint64_t end = (plan->superframe + UINT64_C(1)) * plan->phase_count;
    const int64_t end_ps =
        (int64_t)((unsigned __int128)end * PS_PER_S * 1000 / maker->scenario->phase_rate_mhz);
    int code = typed->list.records != maker->sorted ? sort_typed(maker, typed) : PB_OK;
    for (; maker->next_record < typed->list.records && !code; maker->next_record++) {
        const struct pb_record *record = &typed->list.record[maker->next_record];
        if (record->instant >= end)
            break;
        code = pb_add_record(&plan->now, record->lane, record->instant, typed->list.bytes + record->at,
                             record->length);
    }
    for (; maker->next_line < typed->durings && !code; maker->next_line++) {
        if (typed->during[maker->next_line].start_ps >= end_ps)
            break;
        code = pb_make_room(&plan->typed, &plan->typed_capacity, plan->typed_lines + 1, sizeof *plan->typed);
        if (!code)
            plan->typed[plan->typed_lines++] = typed->during[maker->next_line];
    }
    return code ? no_memory(diag) : PB_OK;
}

/* The typist goes ahead of the stream as far as it needs. */
static int type_ahead(struct pb_plan *plan, struct pb_diag *diag)
{
    struct maker *maker = plan->maker;
    const uint32_t superframes = maker->scenario->superframes;
    int code = PB_OK;
    while (maker->horizon <= plan->superframe && maker->taken < superframes && !code) {
        const struct pb_moved *moved;
        code = pb_movement_read(plan->movement, (uint32_t)maker->taken, &moved, diag);
        if (!code)
            code = pb_typist_take(maker->typist, moved, diag);
        maker->taken++;
        if (!code)
            code = pb_typist_make(maker->typist, maker->taken, maker->taken == superframes, &maker->horizon,
                                  diag);
    }
    return code;
}

int pb_plan_next(struct pb_plan *plan, struct pb_diag *diag)
{
    struct maker *maker = plan->maker;
    const struct pb_moved *moved;
    plan->typed_lines = 0;
    int code = maker->typist && maker->scenario->endless_count ? type_ahead(plan, diag) : PB_OK;
    if (!code)
        code = pb_movement_read(plan->movement, plan->superframe, &moved, diag);
    if (!code)
        code = plan_frames(plan, moved, diag);
    if (!code)
        code = plan_frame_faults(plan, plan->superframe, plan->superframe + UINT64_C(1), diag);
    if (!code && maker->typist)
        code = hand_out_typed(plan, diag);
    if (code)
        return code;
    pb_sort_records(&plan->now);
    plan->superframe++;
    plan->work = moved->stats.released + moved->stats.crossings + UINT64_C(256) * plan->superframe;
    pb_movement_pass(plan->movement, maker->reader, plan->superframe);
    return PB_OK;
}
