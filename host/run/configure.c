/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/configure.h"
#include "host/plan/node_map.h"
#include "host/run/line_rise.h"
#include "host/run/steps.h"

#include <stdio.h>
#include <string.h>

enum {
    ANSWER_MS = 2,  /* after a line to a console whose answer is not needed */
    PULL_BITS = 12, /* a byte, and a pause */
    LOW_BITS = 16   /* in which a low shows that is longer than any of a frame (before.c) */
};

int pb_stamp(uint64_t *tick, struct pb_device *device, const struct pb_observation *seen,
             struct pb_diag *diag)
{
    uint32_t stamp = 0;
    const int code = pb_device_read(device, PB_REG_STAMP, &stamp, diag);
    if (code)
        return code;
    const uint64_t newest = seen->events.count ? seen->events.event[seen->events.count - 1].tick : stamp;
    *tick = newest + (uint64_t)(int64_t)(int32_t)(stamp - (uint32_t)newest);
    return PB_OK;
}

/* By the core's clock: with an external phase clock events never pause. */
static int wait_ms(const struct pb_configure *configure, unsigned ms, struct pb_diag *diag)
{
    const uint64_t ticks = (uint64_t)ms * configure->seen->info.clock_hz / 1000;
    uint64_t from, now;
    int code = pb_stamp(&from, configure->device, configure->seen, diag);
    for (now = from; !code && now - from < ticks;) {
        code = configure->poll(configure->context, 1);
        code = code < 0 ? code : pb_stamp(&now, configure->device, configure->seen, diag);
    }
    return code;
}

/* Time of this many bytes on a console, rounded down. */
static unsigned console_ms(const struct pb_configure *configure, unsigned bytes)
{
    return (unsigned)(UINT64_C(10000) * bytes / configure->scenario->console_baud_hz);
}

static int read_levels(uint64_t *level, const struct pb_configure *configure, struct pb_diag *diag)
{
    uint32_t word[2] = {0};
    const int code = pb_device_read_many(configure->device, PB_REG_LINE_LEVEL0, word, 2, diag);
    *level = word[0] | (uint64_t)word[1] << 32;
    return code;
}

static int write_settings(const struct pb_configure *configure, struct pb_diag *diag)
{
    const struct pb_plan *plan = configure->plan;
    const unsigned links = configure->seen->info.links;
    /* Before the run every edge is recorded, links beyond the network's included: there are few. */
    const uint64_t edge_mask = links < 64 ? (UINT64_C(1) << links) - 1 : UINT64_MAX;
    const struct {
        unsigned address;
        uint32_t value;
    } setting[] = {
        {PB_REG_PHASE_COUNT, plan->phase_count},
        {PB_REG_PERIOD_TICKS, plan->period_ticks},
        {PB_REG_PERIOD_NUM, plan->period_num},
        {PB_REG_PERIOD_DEN, plan->period_den},
        {PB_REG_HIGH_TICKS, plan->high_ticks},
        {PB_REG_SUPERFRAME_LIMIT, configure->scenario->superframes},
        {PB_REG_GUARD_HEAD, plan->guard_head_ticks},
        {PB_REG_GUARD_TAIL, plan->guard_tail_ticks},
        {PB_REG_TOLERANCE, plan->tolerance_ticks},
        {PB_REG_BIT_PERIOD, plan->bit_period_q4},
        {PB_REG_JOIN_BLANK, plan->join_blank_ticks},
        {PB_REG_CONSOLE_PERIOD, plan->console_period_q4},
        {PB_REG_EDGE_MASK0, (uint32_t)edge_mask},
        {PB_REG_EDGE_MASK1, (uint32_t)(edge_mask >> 32)},
        {PB_REG_BYTE_MASK0, (uint32_t)plan->link_mask},
        {PB_REG_BYTE_MASK1, (uint32_t)(plan->link_mask >> 32)},
        {PB_REG_NODE_BOOT, 0},
        /* From here on the clock pins are the bench's, or with FOLLOW the external controller's; and
         * everything is recorded, reset included. */
        {PB_REG_CTRL, configure->ctrl},
    };
    for (size_t i = 0; i < sizeof setting / sizeof setting[0]; i++) {
        const int code = pb_device_write(configure->device, setting[i].address, setting[i].value, diag);
        if (code)
            return code;
    }
    return PB_OK;
}

/* Hands a record to a lane that has been emptied: it has room. */
static int play(const struct pb_configure *configure, unsigned lane, const uint8_t *record, unsigned size,
                struct pb_diag *diag)
{
    bool taken;
    unsigned free_bytes;
    const int code = pb_device_play(configure->device, lane, record, size, &taken, &free_bytes, diag);
    if (code || taken)
        return code;
    return pb_fail(
        diag, PB_ERR_LINK,
        "slot player: lane %u has no room for %u bytes before the run (%u free); open the rig again", lane,
        size, free_bytes);
}

/* Types a line at each console, without reading the answers. */
static int type_at_all(const struct pb_configure *configure, bool stale, struct pb_diag *diag)
{
    const struct pb_scenario *scenario = configure->scenario;
    int code = PB_OK;
    for (unsigned i = 0; !code && i < scenario->node_count; i++) {
        uint8_t record[PB_RECORD_MAX];
        char line[24] = "I\n";
        if (stale)
            snprintf(line, sizeof line, "S %X %s\n",
                     (unsigned)pb_network_neighbour(&scenario->network, scenario->node[i].address, 0),
                     scenario->payload_bytes ? "00" : "");
        const unsigned length = (unsigned)strlen(line);
        code = pb_device_write(configure->device, PB_REG_CONSOLE_SELECT, i, diag);
        if (!code)
            code =
                play(configure, configure->seen->info.lanes - 1, record,
                     pb_record_immediate(record, PB_PLAY_TARGET_CONSOLE | i,
                                         configure->plan->console_period_q4, (const uint8_t *)line, length),
                     diag);
        /* An answer is as long as the line, or shorter, or is that to I: some 50 characters. */
        const unsigned bytes = length + (stale ? length : 50);
        if (!code)
            code = wait_ms(configure, console_ms(configure, bytes) + ANSWER_MS, diag);
    }
    return code;
}

/* Pulls each line of the network for one bit, one line after the other: a byte 0xFF by the slot player. What
 * does not go low then is driven high by another side, or shorted to the supply. */
static int pull_lines(const struct pb_configure *configure, struct pb_diag *diag)
{
    const struct pb_scenario *scenario = configure->scenario;
    struct pb_before *before = &configure->seen->before;
    const unsigned links = pb_link_count(scenario);
    static const uint8_t pull = 0xff;
    int code = PB_OK;
    for (unsigned link = 0; !code && link < links; link++) {
        struct pb_bench_pull *made = &before->pull[before->pulls++];
        uint8_t record[PB_RECORD_MAX];
        made->link = link;
        code = pb_device_write(configure->device, PB_REG_LINK + link,
                               PB_PUT(PB_LINK_MODE, PB_LINK_MODE_NEIGHBOUR), diag);
        if (!code)
            code = pb_stamp(&made->from_tick, configure->device, configure->seen, diag);
        if (!code)
            code = play(configure, 0, record,
                        pb_record_immediate(record, link, configure->plan->bit_period_q4, &pull, 1), diag);
    }
    if (!code)
        code =
            wait_ms(configure, (unsigned)(UINT64_C(1000) * PULL_BITS * links / scenario->baud_hz) + 1, diag);
    uint64_t end = 0;
    if (!code)
        code = pb_stamp(&end, configure->device, configure->seen, diag);
    for (unsigned i = 0; i < before->pulls; i++)
        before->pull[i].to_tick = end;
    return code;
}

/* One node after the other, so that each is spoken to when its time to start is over. */
static int release_nodes(const struct pb_configure *configure, struct pb_diag *diag)
{
    uint32_t held = (1u << configure->scenario->node_count) - 1;
    int code = PB_OK;
    for (unsigned i = 0; !code && i < configure->scenario->node_count; i++) {
        held &= held - 1;
        code = pb_device_write(configure->device, PB_REG_NODE_RESET, held, diag);
        if (!code)
            code = wait_ms(configure, pb_scenario_boot_ms(configure->scenario), diag);
        if (!code && i == 0)
            code = pb_stamp(&configure->seen->before.typing_tick, configure->device, configure->seen, diag);
        if (!code)
            code = configure->greet(configure->context, i);
    }
    return code;
}

int pb_choose_edges(const struct pb_configure *configure, struct pb_diag *diag)
{
    const unsigned links = configure->seen->info.links;
    const uint64_t all = links < 64 ? (UINT64_C(1) << links) - 1 : UINT64_MAX,
                   mask = all & ~configure->seen->edgeless;
    if (!configure->seen->edgeless)
        return PB_OK;
    const uint32_t word[2] = {(uint32_t)mask, (uint32_t)(mask >> 32)};
    return pb_device_write_many(configure->device, PB_REG_EDGE_MASK0, word, 2, diag);
}

static int measure_lines(const struct pb_configure *configure, struct pb_diag *diag)
{
    return pb_line_rise(configure->seen, configure->device, configure->scenario, configure->plan, diag);
}

int pb_configure(const struct pb_configure *configure, struct pb_diag *diag)
{
    struct pb_observation *seen = configure->seen;
    struct pb_before *before = &seen->before;
    const uint32_t nodes = (1u << configure->scenario->node_count) - 1;
    const bool follow = configure->plan->follow;

    int code = write_settings(configure, diag);
    if (!code)
        code = pb_stamp(&before->capture_tick, configure->device, seen, diag);
    if (!code)
        code = read_levels(&before->level_capture, configure, diag);
    /* Types a message that each node must discard at the reset. With a running clock it would be sent
     * before. */
    if (!code)
        code = follow
                   ? wait_ms(configure,
                             1 + (unsigned)(UINT64_C(1000) * LOW_BITS / configure->scenario->baud_hz), diag)
                   : type_at_all(configure, true, diag);
    if (!code)
        code = pb_stamp(&before->reset_from_tick, configure->device, seen, diag);
    if (!code)
        code = pb_device_write(configure->device, PB_REG_NODE_RESET, nodes, diag);
    if (!code)
        code = pb_stamp(&before->reset_tick, configure->device, seen, diag);
    if (!code)
        code = wait_ms(configure, PB_STEP_RESET_MS + console_ms(configure, 2), diag);
    if (!code)
        code = pb_stamp(&before->held_tick, configure->device, seen, diag);
    if (!code)
        code = read_levels(&before->level_held, configure, diag);
    /* A question that no node may answer now. */
    if (!code)
        code = type_at_all(configure, false, diag);
    /* A node that receives an external clock may listen, and must not take the pulls for a frame; or it may
     * send, and corrupt the measurement. */
    if (!code && follow)
        code = measure_lines(configure, diag);
    if (!code && follow)
        code = pull_lines(configure, diag);
    if (!code)
        code = pb_stamp(&before->released_tick, configure->device, seen, diag);
    if (!code)
        code = release_nodes(configure, diag);
    if (!code && !follow)
        code = pull_lines(configure, diag);
    if (!code)
        code = pb_device_write_many(configure->device, PB_REG_LINK, configure->plan->link_config,
                                    seen->info.links, diag);
    /* A line that is stuck low makes no edge. */
    if (!code)
        code = read_levels(&seen->line_level, configure, diag);
    before->known = !code;
    if (!code && !follow)
        code = measure_lines(configure, diag);
    return code;
}
