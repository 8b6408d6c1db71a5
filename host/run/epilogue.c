/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/epilogue.h"
#include "host/plan/maker.h"
#include "host/plan/node_map.h"
#include "host/run/steps.h"

#include <string.h>

/* ---- lines */

/* A node that has no counters knows the lines that queue messages alone. */
static bool is_for(const struct pb_epilogue_node *node, enum pb_epilogue_line line)
{
    return node->asked && !node->silent &&
           (node->counts || line == PB_EPILOGUE_REFUSED || line == PB_EPILOGUE_SELF ||
            line == PB_EPILOGUE_MESSAGE);
}

static int type_line(struct pb_console *console, unsigned node_index, enum pb_epilogue_line line)
{
    struct pb_epilogue_node *node = &console->seen->epilogue.node[node_index];
    char text[PB_EPILOGUE_TEXT];
    if (!is_for(node, line))
        return PB_OK;
    pb_epilogue_text(text, console->scenario, node_index, line);
    const bool long_one = line == PB_EPILOGUE_COUNTERS;
    const int code =
        pb_console_ask(console, node_index, text, long_one ? node->statistics : node->answer[line].text,
                       long_one ? sizeof node->statistics : sizeof node->answer[line].text);
    if (code < 0)
        return code;
    node->answer[line].typed = true;
    if (console->events->count)
        node->answer[line].tick = console->events->event[console->events->count - 1].tick;
    node->silent = code == 0;
    return PB_OK;
}

/* Types these lines to every node, one node after the other. */
static int type_lines(struct pb_console *console, enum pb_epilogue_line first, enum pb_epilogue_line last)
{
    int code = PB_OK;
    for (unsigned node_index = 0; node_index < console->scenario->node_count; node_index++)
        for (int line = (int)first; !code && line <= (int)last; line++)
            code = type_line(console, node_index, (enum pb_epilogue_line)line);
    return code;
}

/* ---- the script */

/* Bytes alone are recorded: they are few, and every host link carries them. */
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
static int queue_frame(struct pb_console *console, unsigned lane, unsigned node_index, unsigned port)
{
    const struct pb_scenario *scenario = console->scenario;
    uint8_t record[PB_RECORD_MAX], frame[PB_FRAME_MAX];
    unsigned free_bytes;
    bool taken;
    pb_epilogue_played(scenario, node_index, port, frame);
    const unsigned size = pb_make_record(
        record, pb_link_of(scenario, node_index, port), false, 0,
        pb_network_listen_phase(&scenario->network, scenario->node[node_index].address, port),
        console->plan->head_guard_ticks, console->plan->bit_period_q4, frame, scenario->frame_bytes);
    const int code = pb_device_play(console->device, lane, record, size, &taken, &free_bytes, console->diag);
    return code || taken
               ? code
               : pb_fail(console->diag, PB_ERR_LINK,
                         "slot player: lane %u has no room for %u bytes after the run (%u free); open the "
                         "rig again",
                         lane, size, free_bytes);
}

/* A frame on each port of each node that took the line, phase by phase, as a lane keeps their order. The
 * lanes take turns, so that their buffers hold them all. */
static int queue_frames(struct pb_console *console, enum pb_epilogue_line line)
{
    const struct pb_scenario *scenario = console->scenario;
    const unsigned lanes = console->seen->info.lanes - 1;
    unsigned queued = 0;
    int code = PB_OK;
    for (unsigned phase = 0; phase < scenario->network.phases; phase++)
        for (unsigned node_index = 0; node_index < scenario->node_count && !code; node_index++) {
            const struct pb_slot slot =
                pb_network_slot(&scenario->network, scenario->node[node_index].address, phase);
            if (slot.role == PB_ROLE_LISTEN && console->seen->epilogue.node[node_index].answer[line].typed &&
                pb_epilogue_plays(scenario, lanes, node_index, slot.port))
                code = queue_frame(console, queued++ % lanes, node_index, slot.port);
        }
    return code;
}

/* A mode in which nodes send what the bench sends them. */
static int play_mode(struct pb_console *console, enum pb_epilogue_line line)
{
    int code = type_lines(console, line, line);
    if (!code)
        code = queue_frames(console, line);
    return code ? code : pb_step_superframes(console, 2);
}

static int play(struct pb_console *console)
{
    int code = pb_step_reset(console, 0);
    if (!code)
        code = type_lines(console, PB_EPILOGUE_ADDRESS, PB_EPILOGUE_IDENTITY);
    if (!code)
        code = pb_step_reset(console, 0);
    if (!code)
        code = type_lines(console, PB_EPILOGUE_REFUSED, PB_EPILOGUE_MESSAGE);
    if (!code)
        code = prepare(console);
    if (!code)
        code = pb_step_superframes(console, 1);
    if (!code)
        code = type_lines(console, PB_EPILOGUE_COUNTERS, PB_EPILOGUE_MODE);
    if (!code)
        code = pb_step_superframes(console, 1);
    if (!code)
        code = part_links(console);
    if (!code)
        code = play_mode(console, PB_EPILOGUE_ECHO);
    return code ? code : play_mode(console, PB_EPILOGUE_ROUTE);
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
    if (!pb_epilogue_fits(console->scenario) || !choose_nodes(console))
        return PB_OK;
    console->events = &epilogue->events;
    int code = play(console);
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
