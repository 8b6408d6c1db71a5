/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/epilogue.h"
#include "host/plan/fault_records.h"
#include "host/plan/maker.h"
#include "host/plan/node_map.h"
#include "host/run/steps.h"

#include <string.h>

/* The script at one place. */
struct player {
    struct pb_console *console;
    struct pb_epilogue_places places;
    bool watching; /* the present reset: edges are recorded */
};

/* ---- lines */

static bool is_for(const struct pb_epilogue_node *node, enum pb_epilogue_line line)
{
    return node->asked && !node->silent && (node->counts || pb_epilogue_is_plain(line));
}

static int type_line(struct player *player, unsigned node_index, enum pb_epilogue_line line)
{
    struct pb_console *console = player->console;
    struct pb_epilogue_node *node = &console->seen->epilogue.node[node_index];
    char text[PB_EPILOGUE_TEXT];
    if (!is_for(node, line))
        return PB_OK;
    pb_epilogue_text(text, console->scenario, node_index, line);
    const int at = pb_epilogue_long(line);
    const int code = at < 0
                         ? pb_console_ask(console, node_index, text, node->answer[line].text,
                                          sizeof node->answer[line].text)
                         : pb_console_ask(console, node_index, text, node->longs[at], sizeof node->longs[at]);
    if (code < 0)
        return code;
    node->answer[line].typed = true;
    if (console->events->count)
        node->answer[line].tick = console->events->event[console->events->count - 1].tick;
    node->silent = code == 0;
    pb_epilogue_move(&player->places, node_index, line);
    return PB_OK;
}

/* ---- resets */

static int stamp(uint64_t *tick, struct pb_console *console)
{
    const struct pb_events *events = console->events;
    const uint64_t newest = events->count ? events->event[events->count - 1].tick : console->seen->end_tick;
    uint32_t now = 0;
    const int code = pb_device_read(console->device, PB_REG_STAMP, &now, console->diag);
    *tick = newest + (uint64_t)(int64_t)(int32_t)(now - (uint32_t)newest);
    return code;
}

static int read_levels(uint64_t *level, struct pb_console *console)
{
    uint32_t word[2] = {0};
    const int code = pb_device_read_many(console->device, PB_REG_LINE_LEVEL0, word, 2, console->diag);
    *level = word[0] | (uint64_t)word[1] << 32;
    return code;
}

static int set_edges(struct pb_console *console, bool on)
{
    const unsigned links = console->seen->info.links;
    const uint64_t all = links < 64 ? (UINT64_C(1) << links) - 1 : UINT64_MAX, mask = on ? all : 0;
    const uint32_t word[2] = {(uint32_t)mask, (uint32_t)(mask >> 32)};
    return pb_device_write_many(console->device, PB_REG_EDGE_MASK0, word, 2, console->diag);
}

/* From now on a node may send: without an external clock once the phase clock starts, else once a line is
 * typed to it. */
static int end_watch(struct player *player)
{
    struct pb_console *console = player->console;
    struct pb_epilogue *epilogue = &console->seen->epilogue;
    if (!player->watching)
        return PB_OK;
    struct pb_epilogue_reset *reset = &epilogue->reset[epilogue->resets - 1];
    player->watching = false;
    int code = read_levels(&reset->level_end, console);
    if (!code)
        code = stamp(&reset->end_tick, console);
    return code ? code : set_edges(console, false);
}

/* With an external clock a node that kept a message or a mode sends within one or two superframes. */
static unsigned silence_ms(const struct pb_scenario *scenario)
{
    const unsigned boot_ms = pb_scenario_boot_ms(scenario);
    return scenario->follow ? boot_ms + 1 +
                                  (unsigned)(UINT64_C(2000000) * scenario->network.phases /
                                             scenario->phase_rate_mhz)
                            : boot_ms;
}

static int reset_nodes(struct player *player)
{
    struct pb_console *console = player->console;
    const struct pb_scenario *scenario = console->scenario;
    struct pb_epilogue *epilogue = &console->seen->epilogue;
    struct pb_epilogue_reset *reset = &epilogue->reset[epilogue->resets];
    const unsigned ending_ms = (unsigned)(UINT64_C(20000) / scenario->console_baud_hz);
    reset->console_node = epilogue->resets++ % scenario->node_count;
    player->places.moved = 0;
    int code = pb_console_listen(console, reset->console_node);
    if (!code)
        code = pb_step_capture(console);
    if (!code)
        code = set_edges(console, true);
    if (!code)
        code = pb_step_set(console, PB_REG_NODE_RESET, (1u << scenario->node_count) - 1);
    player->watching = !code;
    if (!code)
        code = stamp(&reset->reset_tick, console);
    if (!code)
        code = pb_step_wait(console, PB_STEP_RESET_MS + ending_ms);
    if (!code)
        code = stamp(&reset->held_tick, console);
    if (!code)
        code = read_levels(&reset->level_held, console);
    if (!code)
        code = stamp(&reset->released_tick, console);
    if (!code)
        code = pb_step_set(console, PB_REG_NODE_RESET, 0);
    if (!code)
        code = pb_step_wait(console, silence_ms(scenario));
    return code ? code : stamp(&reset->typing_tick, console);
}

/* ---- the phase clock */

/* Bytes alone are recorded while it runs: they are few, and every host link carries them. */
static int prepare(struct pb_console *console)
{
    const uint64_t links = console->plan->link_mask;
    const uint32_t mask[2] = {(uint32_t)links, (uint32_t)(links >> 32)};
    return pb_device_write_many(console->device, PB_REG_BYTE_MASK0, mask, 2, console->diag);
}

/* Joined links become lines of virtual neighbours, as all others are. */
static int part_links(struct pb_console *console)
{
    const struct pb_plan *plan = console->plan;
    int code = PB_OK;
    for (unsigned link = 0; link < console->seen->info.links && !code; link++)
        if (PB_GET(PB_LINK_MODE, plan->link_config[link]) == PB_LINK_MODE_JOINED)
            code = pb_step_set(console, PB_REG_LINK + link,
                               PB_PUT(PB_LINK_MODE, PB_LINK_MODE_NEIGHBOUR) |
                                   PB_PUT(PB_LINK_PHASE, PB_GET(PB_LINK_PHASE, plan->link_config[link])));
    return code;
}

/* Queues a frame for the superframe that comes; the lane has been empty since the run. */
static int queue_frame(struct player *player, unsigned lane, unsigned node_index, unsigned port,
                       unsigned superframe, const struct pb_epilogue_frame *frame)
{
    struct pb_console *console = player->console;
    const struct pb_scenario *scenario = console->scenario;
    uint8_t record[PB_RECORD_MAX];
    unsigned free_bytes;
    bool taken;
    const unsigned size = pb_make_record(
        record, pb_link_of(scenario, node_index, port), false, superframe,
        pb_network_listen_phase(&scenario->network, pb_epilogue_address(&player->places, node_index), port),
        console->plan->head_guard_ticks, console->plan->bit_period_q4, frame->byte, frame->count);
    const int code = pb_device_play(console->device, lane, record, size, &taken, &free_bytes, console->diag);
    return code || taken
               ? code
               : pb_fail(console->diag, PB_ERR_LINK,
                         "slot player: lane %u has no room for %u bytes after the run (%u free); open the "
                         "rig again",
                         lane, size, free_bytes);
}

/* A frame on each port of each node that takes part, phase by phase, as a lane keeps their order. The lanes
 * take turns, so that their buffers hold them all. */
static int queue_frames(struct player *player, const struct pb_epilogue_step *step)
{
    const struct pb_scenario *scenario = player->console->scenario;
    const struct pb_epilogue_node *node = player->console->seen->epilogue.node;
    struct pb_epilogue_frame frame;
    unsigned queued = 0;
    int code = PB_OK;
    const unsigned phases = scenario->network.phases;
    for (unsigned at = 0; at < step->superframes * phases; at++)
        for (unsigned node_index = 0; node_index < scenario->node_count && !code; node_index++) {
            const struct pb_slot slot = pb_network_slot(
                &scenario->network, pb_epilogue_address(&player->places, node_index), at % phases);
            if (slot.role == PB_ROLE_LISTEN && node[node_index].asked && !node[node_index].silent &&
                pb_epilogue_played(&frame, &player->places, node_index, slot.port, step->frames,
                                   at / phases))
                code = queue_frame(player, queued++ % player->places.lanes, node_index, slot.port,
                                   at / phases, &frame);
        }
    return code;
}

/* The units' faults of the run are over. */
static int hold_sync(const struct pb_console *console)
{
    struct pb_fault_record record;
    bool taken;
    unsigned free_bytes;
    int code =
        pb_plan_sync_held(&record, console->plan, console->scenario, &console->seen->info, console->diag);
    if (!code)
        code = pb_device_fault(console->device, record.unit, record.bytes, sizeof record.bytes, &taken,
                               &free_bytes, console->diag);
    return code || taken ? code
                         : pb_fail(console->diag, PB_ERR_LINK,
                                   "fault unit %u: no room for a record after the run (%u bytes free); open "
                                   "the rig again",
                                   record.unit, free_bytes);
}

static int run(struct player *player, const struct pb_epilogue_step *step)
{
    int code = end_watch(player);
    if (!code && step->frames == PB_EPILOGUE_UNSYNCED)
        code = hold_sync(player->console);
    if (!code)
        code = queue_frames(player, step);
    return code ? code : pb_step_superframes(player->console, step->superframes);
}

/* ---- the script */

/* Types lines that follow one another to every node, one node after the other. */
static int type(struct player *player, unsigned from, unsigned to)
{
    const struct pb_scenario *scenario = player->console->scenario;
    const struct pb_device_info *info = &player->console->seen->info;
    struct pb_epilogue_step step;
    int code = scenario->follow ? end_watch(player) : PB_OK;
    for (unsigned node_index = 0; node_index < scenario->node_count; node_index++)
        for (unsigned at = from; !code && at < to && pb_epilogue_next(scenario, info, &at, &step);)
            code = type_line(player, node_index, step.line);
    return code;
}

static int play(struct player *player)
{
    const struct pb_scenario *scenario = player->console->scenario;
    struct pb_epilogue_step step;
    int code = prepare(player->console);
    if (!code)
        code = part_links(player->console);
    if (!code && !scenario->follow) /* else the effect of an external clock on the run is recorded */
        code = pb_step_capture(player->console);
    unsigned at = 0, from = 0;
    for (bool more = true; !code && more;) {
        const unsigned to = at;
        more = pb_epilogue_next(scenario, &player->console->seen->info, &at, &step);
        if (more && step.act == PB_EPILOGUE_TYPES)
            continue;
        if (from < to)
            code = type(player, from, to);
        from = at;
        if (!code && more)
            code = step.act == PB_EPILOGUE_RESETS ? reset_nodes(player) : run(player, &step);
    }
    return code ? code : end_watch(player);
}

/* ---- who takes part */

static bool choose_nodes(struct pb_console *console)
{
    bool any = false;
    for (unsigned node_index = 0; node_index < console->scenario->node_count; node_index++) {
        const struct pb_node_answer *answer = &console->seen->answer[node_index];
        struct pb_epilogue_node *node = &console->seen->epilogue.node[node_index];
        node->counts = answer->counted;
        node->asked = answer->identified && !strncmp(answer->identity, "+I", 2) && !answer->too_slow &&
                      answer->counted == answer->counts;
        any |= node->asked;
    }
    return any;
}

int pb_epilogue_play(struct pb_console *console)
{
    struct pb_epilogue *epilogue = &console->seen->epilogue;
    struct pb_events *const of_run = console->events;
    const uint64_t lost = pb_step_lost_events(console);
    if (pb_epilogue_unfit(console->scenario) || !choose_nodes(console))
        return PB_OK;
    struct player player = {
        .console = console,
        .places = {.scenario = console->scenario, .lanes = console->seen->info.lanes - 1},
    };
    console->events = &epilogue->events;
    console->watching = true;
    int code = play(&player);
    console->watching = false;
    if (!code)
        code = pb_step_set(console, PB_REG_CTRL, 0);
    if (!code)
        code = pb_device_settle(console->device, &epilogue->events, console->diag);
    console->events = of_run;
    pb_events_sort(&epilogue->events);
    epilogue->lost = pb_step_lost_events(console) - lost;
    epilogue->played = !code;
    return code;
}
