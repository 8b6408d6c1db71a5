/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Refuses scenarios that a sound node cannot meet, because they would fail it.
 */
#include "compile.h"
#include "movement.h"

#include "bench/registry/kinds.h"

#include <inttypes.h>
#include <string.h>

#define MILLION INT64_C(1000000)
#define PS_PER_S INT64_C(1000000000000)
/* A tick of the slowest simulated core, two of any other: how exactly an edge is placed and measured. */
#define EDGE_GRAIN_PS INT64_C(100000)

/* Head guards in sentences are whole multiples of this. */
#define SHOWN_PS INT64_C(10000)

void pb_default_latency(const struct pb_scenario *scenario, struct pb_scenario_node *node)
{
    const int64_t left_ps =
        scenario->head_guard_ps > EDGE_GRAIN_PS ? scenario->head_guard_ps - EDGE_GRAIN_PS : 0;
    node->irq_latency_ps = left_ps < 4000000 ? 3 * left_ps / 8 : 1500000;
    node->irq_jitter_ps = left_ps < 4000000 ? left_ps / 8 : 500000;
}

/* What the movement asks of each node. */
struct reach {
    const struct pb_reader *reader;
    const struct pb_scenario *scenario;
    bool sends[PB_SCENARIO_NODES_MAX], receives[PB_SCENARIO_NODES_MAX];
    bool overflows;
    struct pb_lost_message first_lost; /* when it overflows */
};

static int take_superframe(void *context, const struct pb_moved *moved)
{
    struct reach *reach = context;
    for (size_t c = 0; c < moved->crossings; c++)
        for (unsigned i = 0; i < reach->scenario->node_count; i++) {
            reach->sends[i] |= reach->scenario->node[i].address == moved->crossing[c].from;
            reach->receives[i] |= reach->scenario->node[i].address == moved->crossing[c].to;
        }
    if (moved->losts && !reach->overflows)
        reach->first_lost = moved->lost[0];
    reach->overflows |= moved->losts > 0;
    return PB_OK;
}

static bool are_joined(const struct pb_scenario *scenario, unsigned one, unsigned other)
{
    for (unsigned port = 0; port < scenario->network.ports; port++)
        if (pb_network_neighbour(&scenario->network, scenario->node[one].address, port) ==
            scenario->node[other].address)
            return true;
    return false;
}

/* Returns how early before the end of the head guard a joined neighbour may start, because its clock is
 * fast. */
static int64_t early_ps(const struct pb_scenario *scenario, unsigned index)
{
    int64_t most_ps = 0;
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const int64_t ppm = scenario->node[i].clock_error_ppm;
        if (ppm > 0 && are_joined(scenario, i, index)) {
            const int64_t ps = (int64_t)((__int128)scenario->head_guard_ps * ppm / (MILLION + ppm)) + 1;
            most_ps = ps > most_ps ? ps : most_ps;
        }
    }
    return most_ps;
}

static int refuse(const struct reach *reach, unsigned index, int64_t needed_ps, int64_t limit_ps,
                  const char *must)
{
    const struct pb_scenario_node *node = &reach->scenario->node[index];
    const int64_t head_ps = reach->scenario->head_guard_ps, missing_ps = needed_ps - limit_ps;
    /* An eighth more: a fast neighbour starts earlier when the guard is longer. */
    const int64_t enough_ps =
        head_ps + missing_ps + (early_ps(reach->scenario, index) ? missing_ps / 8 + 1 : 0);
    const struct pb_node_logic *logic = pb_node_kind_of(node->kind)->logic;
    char needed[32], limit[32], guard[32], enough[32];
    struct pb_place place;
    pb_quantity_format(needed, sizeof needed, PB_QUANTITY_TIME, needed_ps);
    pb_quantity_format(limit, sizeof limit, PB_QUANTITY_TIME, limit_ps);
    pb_quantity_format(guard, sizeof guard, PB_QUANTITY_TIME, head_ps);
    pb_quantity_format(enough, sizeof enough, PB_QUANTITY_TIME,
                       (enough_ps + SHOWN_PS - 1) / SHOWN_PS * SHOWN_PS);
    return pb_reject(
        reach->reader, pb_place(&place, "nodes", index, logic ? "kind" : "irq_latency"),
        "%s%s%s takes %s from the phase edge, and the node must %s: link.head_guard %s leaves %s for that; "
        "set link.head_guard to %s or more%s",
        logic ? "'" : "", logic ? node->kind : "with irq_jitter it", logic ? "'" : "", needed, must, guard,
        limit_ps >= 0 ? limit : "no time", enough,
        logic                            ? ", or use another kind"
        : needed_ps > 0 && limit_ps >= 0 ? ", or lower irq_latency or irq_jitter"
                                         : "");
}

/* limits.start_late may be longer than the phase: a frame that starts later is low in the tail guard. Its
 * last bit, a stop bit, is high. */
static int check_end(const struct reach *reach, unsigned index, int64_t needed_ps)
{
    const struct pb_scenario *scenario = reach->scenario;
    const int64_t tail_ps = scenario->guard_ps - scenario->head_guard_ps,
                  low_ps = (int64_t)((10 * (uint64_t)scenario->frame_bytes - 1) * (uint64_t)PS_PER_S /
                                     scenario->baud_hz),
                  limit_ps = pb_phase_ps(scenario) - tail_ps - low_ps - EDGE_GRAIN_PS;
    char needed[32], limit[32];
    struct pb_place place;
    if (needed_ps <= scenario->head_guard_ps || needed_ps <= limit_ps)
        return PB_OK;
    pb_quantity_format(needed, sizeof needed, PB_QUANTITY_TIME, needed_ps);
    pb_quantity_format(limit, sizeof limit, PB_QUANTITY_TIME, limit_ps);
    return pb_reject(
        reach->reader, pb_place(&place, "nodes", index, "irq_latency"),
        "with irq_jitter it takes %s from the phase edge, and a frame that starts later than %s is low "
        "in the tail guard; lower irq_latency, irq_jitter or link.payload",
        needed, limit);
}

/* The handler that runs after the start edge of a frame loses the frame; one that runs after the end of the
 * head guard starts late. */
static int check_latency(const struct reach *reach, unsigned index)
{
    const struct pb_scenario *scenario = reach->scenario;
    const struct pb_scenario_node *node = &scenario->node[index];
    const int64_t needed_ps = node->irq_latency_ps + node->irq_jitter_ps, head_ps = scenario->head_guard_ps,
                  listen_ps = head_ps - early_ps(scenario, index) - EDGE_GRAIN_PS,
                  start_ps = head_ps + scenario->limits.start_late_ps - EDGE_GRAIN_PS;
    if (reach->receives[index] && needed_ps > listen_ps)
        return refuse(reach, index, needed_ps, listen_ps, "listen before a frame begins");
    if (reach->sends[index] && needed_ps > head_ps && needed_ps > start_ps)
        return refuse(reach, index, needed_ps, start_ps, "start within limits.start_late");
    return reach->sends[index] ? check_end(reach, index, needed_ps) : PB_OK;
}

/* The bit of a node that is logic is a whole number of sixteenths of its clock: of a long frame that adds up.
 */
static int check_logic_end(const struct reach *reach, unsigned index, const struct pb_node_logic *logic)
{
    const struct pb_scenario *scenario = reach->scenario;
    const int64_t baud_hz = (int64_t)scenario->baud_hz, bits = 10 * (int64_t)scenario->frame_bytes - 1,
                  period_q4 = (16 * logic->clock_hz + baud_hz / 2) / baud_hz,
                  low_ps = (int64_t)((__int128)bits * PS_PER_S / baud_hz),
                  real_ps = (int64_t)((__int128)bits * period_q4 * PS_PER_S / (16 * logic->clock_hz)),
                  room_ps = pb_phase_ps(scenario) - scenario->guard_ps - low_ps;
    char longer[32], room[32];
    struct pb_place place;
    if (real_ps - low_ps <= EDGE_GRAIN_PS ||
        real_ps - low_ps + pb_node_clocks_ps(logic, logic->late_clocks) <= room_ps)
        return PB_OK;
    pb_quantity_format(longer, sizeof longer, PB_QUANTITY_TIME, real_ps - low_ps);
    pb_quantity_format(room, sizeof room, PB_QUANTITY_TIME, room_ps);
    return pb_reject(
        reach->reader, pb_place(&place, "nodes", index, "kind"),
        "the bit of a '%s' node is %" PRId64 "/%" PRId64 " us, the nearest to link.baud, and its frame "
        "of %u bytes lasts %s longer, with %s left before the tail guard; set link.baud to %" PRId64
        ", lower link.payload, or use another kind",
        scenario->node[index].kind, period_q4, 16 * logic->clock_hz / MILLION, scenario->frame_bytes, longer,
        room, 16 * logic->clock_hz / period_q4);
}

/* An edge before it listens is seen late, which a quarter of a bit covers. */
static int check_logic(const struct reach *reach, unsigned index, const struct pb_node_logic *logic)
{
    const struct pb_scenario *scenario = reach->scenario;
    const int64_t ppm = scenario->node[index].clock_error_ppm, head_ps = scenario->head_guard_ps,
                  needed_ps = (int64_t)((__int128)pb_node_clocks_ps(logic, logic->start_clocks) * MILLION /
                                      (MILLION + ppm)),
                  hears_ps = (int64_t)((__int128)pb_node_clocks_ps(logic, logic->listen_clocks) * MILLION /
                                     (MILLION + ppm)),
                  listen_ps = head_ps + PS_PER_S / 4 / (int64_t)scenario->baud_hz,
                  start_ps = head_ps + scenario->limits.start_late_ps - EDGE_GRAIN_PS;
    if (reach->receives[index] && hears_ps > listen_ps)
        return refuse(reach, index, hears_ps, listen_ps, "listen before a quarter of a start bit is over");
    if (reach->sends[index] && needed_ps > head_ps && needed_ps > start_ps)
        return refuse(reach, index, needed_ps, start_ps, "start within limits.start_late");
    return reach->sends[index] ? check_logic_end(reach, index, logic) : PB_OK;
}

static int check_nodes(const struct reach *reach)
{
    int code = PB_OK;
    for (unsigned i = 0; i < reach->scenario->node_count && code == PB_OK; i++) {
        const struct pb_node_logic *logic = pb_node_kind_of(reach->scenario->node[i].kind)->logic;
        code = logic ? check_logic(reach, i, logic) : check_latency(reach, i);
    }
    return code;
}

int pb_scenario_check_nodes(const struct pb_scenario *scenario, struct pb_diag *diag)
{
    const struct pb_reader reader = {.path = scenario->path, .diag = diag};
    struct reach reach = {.reader = &reader, .scenario = scenario};
    memset(reach.sends, true, sizeof reach.sends);
    memset(reach.receives, true, sizeof reach.receives);
    return check_nodes(&reach);
}

int pb_compile_reach(const struct pb_reader *reader, struct pb_scenario *scenario)
{
    struct reach reach = {.reader = reader, .scenario = scenario};
    struct pb_diag cause;
    int code = pb_foresee(scenario, scenario->superframes, take_superframe, &reach, &cause);
    if (code != PB_OK)
        return pb_fail(reader->diag, code, "%s: %s", reader->path, cause.text);
    code = check_nodes(&reach);
    if (code == PB_OK && reach.overflows && !scenario->limits.drop_overflow) {
        pb_refuse_overflow(scenario, &reach.first_lost, &cause);
        code = pb_reject(reader, "traffic", "%s", cause.text);
    }
    return code;
}
