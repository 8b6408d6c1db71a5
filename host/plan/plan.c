/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/plan.h"
#include "host/base/room.h"
#include "host/plan/fault_records.h"
#include "host/plan/frame.h"
#include "host/plan/maker.h"
#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOIN_BLANK_TOP = 255,
    CHECK_TICKS = 1, /* what the check grants for the grain of its measurement */
    TOLERANCE_TICKS = 2,
    TOLERANCE_TOP = 65535,
    PERIOD_BITS = 27
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

unsigned pb_record_in_phase(uint8_t record[PB_RECORD_MAX], const struct pb_plan *plan, unsigned link,
                            unsigned phase, const uint8_t *data, unsigned count)
{
    return pb_make_record(record, link, false, 0, phase, plan->head_guard_ticks, plan->bit_period_q4, data,
                          count);
}

void pb_console_send_line(char *text, size_t size, const struct pb_scenario *scenario, uint64_t message,
                          uint32_t destination)
{
    uint8_t payload[PB_FRAME_MAX];
    pb_payload(scenario, message, payload);
    int at = snprintf(text, size, "S %" PRIX32 " ", destination);
    for (unsigned i = 0; i < scenario->payload_bytes && (size_t)at < size; i++)
        at += snprintf(text + at, size - (size_t)at, "%02X", payload[i]);
}

int pb_add_record(struct pb_record_list *list, unsigned lane, uint64_t instant, const uint8_t *bytes,
                  unsigned length)
{
    if (pb_make_room(&list->record, &list->record_capacity, list->records + 1, sizeof *list->record) ||
        pb_make_room(&list->bytes, &list->byte_capacity, list->byte_count + length, 1))
        return PB_ERR_MEMORY;
    memcpy(list->bytes + list->byte_count, bytes, length);
    list->record[list->records++] = (struct pb_record){instant, lane, length, (uint32_t)list->byte_count};
    list->byte_count += length;
    return PB_OK;
}

static int by_instant(const void *left, const void *right)
{
    const struct pb_record *a = left, *b = right;
    if (a->instant != b->instant)
        return a->instant < b->instant ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

void pb_sort_records(struct pb_record_list *list)
{
    if (list->records)
        qsort(list->record, list->records, sizeof *list->record, by_instant);
}

/* ---- register values */

static int bit_period(uint32_t *period_q4, const char *what, uint64_t baud_hz, uint32_t clock_hz,
                      struct pb_diag *diag)
{
    const uint64_t period = (16 * (uint64_t)clock_hz + baud_hz / 2) / baud_hz;
    if (period < 16 * PB_DEVICE_BIT_TICKS_MIN || period >= 16 * PB_DEVICE_BIT_TICKS_TOP)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s of %" PRIu64 " baud is out of reach of a core at %" PRIu32 " Hz: use %" PRIu32
                       " to %" PRIu32 " baud",
                       what, baud_hz, clock_hz, clock_hz / PB_DEVICE_BIT_TICKS_TOP + 1,
                       clock_hz / PB_DEVICE_BIT_TICKS_MIN);
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
        pb_plan_after_edge(scenario, end + CHECK_TICKS + (joined ? PB_JOIN_DELAY_TICKS : 0) + 2);
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
    for (unsigned node_index = 0; node_index < scenario->node_count; node_index++)
        for (unsigned port = 0; port < scenario->network.ports; port++) {
            const unsigned link = pb_link_of(scenario, node_index, port);
            const int other = pb_partner_link(scenario, link);
            const unsigned phase =
                pb_network_send_phase(&scenario->network, scenario->node[node_index].address, port);
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
    if (!code)
        code = pb_stream_open(plan, scenario, info, diag);
    if (code)
        pb_plan_free(plan);
    return code;
}

void pb_plan_free(struct pb_plan *plan)
{
    pb_stream_close(plan);
    free(plan->now.record);
    free(plan->now.bytes);
    free(plan->line);
    free(plan->typed);
    free(plan->fault);
    *plan = (struct pb_plan){0};
}
