/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/cut.h"
#include "host/check/classify.h"
#include "host/plan/node_map.h"

static bool are_alike(const struct pb_walk *walk, size_t id, size_t other)
{
    uint8_t bytes[PB_FRAME_MAX];
    return id == other ||
           pb_frames_equal(&walk->frames, id, bytes, pb_frames_bytes(&walk->frames, other, bytes));
}

void pb_cut_choose(struct pb_walk *walk, unsigned link)
{
    const struct pb_scenario *scenario = walk->run->scenario;
    struct pb_line_walk *line = &walk->line[link];
    const struct pb_model *model = &walk->model[pb_link_node_index(scenario, link)];
    bool any = false;
    for (unsigned i = 0; i < model->states; i++) {
        uint8_t bytes[PB_FRAME_MAX];
        const size_t id = pb_model_choice(model, i, pb_link_port(scenario, link));
        if (id == PB_FRAME_NONE || (any && are_alike(walk, id, line->due)) ||
            !pb_slot_begins_with(walk->run, &walk->slot[link], bytes,
                                 pb_frames_bytes(&walk->frames, id, bytes)))
            continue;
        line->by_edges = any ? PB_FRAME_UNKNOWN : id;
        line->due = any ? line->due : id;
        any = true;
    }
}

/* It was seen to begin, and when the node had time to handle the edge it was not over. */
static bool outlasts_the_edge(const struct pb_walk *walk, unsigned link)
{
    const struct pb_scenario *scenario = walk->run->scenario;
    const struct pb_line_walk *line = &walk->line[link];
    const int64_t begin_ps =
                      pb_ticks_to_ps(walk->run, line->from_tick) + walk->slot[link].seen.first_low_ps,
                  edge_ps = pb_ticks_to_ps(walk->run, walk->next_edge_tick + line->lag_ticks),
                  frame_ps = 10 * PB_PS_PER_S * scenario->frame_bytes / (int64_t)scenario->baud_hz;
    return begin_ps + 2 * walk->run->resolution_ps < edge_ps && begin_ps + frame_ps - frame_ps / 20 > edge_ps;
}

enum pb_model_end pb_cut_end(const struct pb_walk *walk, unsigned link, bool closed, bool undisturbed)
{
    const struct pb_line_walk *line = &walk->line[link];
    const struct pb_slot_seen *seen = &walk->slot[link].seen;
    const struct pb_expected_frame *expected = &walk->slot[link].expected;
    if (!closed)
        return line->cut ? PB_END_UNKNOWN : PB_END_WHOLE;
    const bool shown = line->due != PB_FRAME_NONE && line->seen == line->due;
    if (line->cut && !shown)
        return !seen->any_low || expected->by_bench || !undisturbed ? PB_END_UNKNOWN
               : outlasts_the_edge(walk, link)                        ? PB_END_CUT
                                                                      : PB_END_EITHER;
    const unsigned bytes = walk->run->scenario->frame_bytes, last = pb_slot_kept(seen);
    const int64_t byte_ps = 10 * PB_PS_PER_S / (int64_t)walk->run->scenario->baud_hz,
                  last_ps = shown && last ? seen->byte_start_ps[last - 1] + byte_ps
                                          : expected->edge_ps + walk->run->start_max_ps + bytes * byte_ps,
                  slow_ps = (shown ? 1 : bytes) * byte_ps * walk->run->baud_limit_ppm / 1000000;
    return last_ps + slow_ps + 2 * walk->run->resolution_ps > expected->end_ps ? PB_END_EITHER : PB_END_WHOLE;
}
