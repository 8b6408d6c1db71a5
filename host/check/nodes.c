/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Expectation of the nodes of the rig in each segment. A model of the contract for each node (model.h) gets
 * the edges, levels and frames seen at its pins, so that the expectation follows the contract through faults
 * of clock, lines and frames. Without a fault it equals the schedule. Where they differ, a message took
 * another path than the schedule computed (pb_scheduled.crossed).
 */
#include "host/check/cut.h"
#include "host/plan/answer.h"
#include "host/plan/node_map.h"

#include <stdlib.h>
#include <string.h>

enum { CLOCK_PPM = 1000 /* of a node's clock, beyond the stated error */ };
#define FAR_PS INT64_C(1000000000000) /* between two edges; longer gaps are known as well */

static int64_t reaction_min_ps(const struct pb_scenario_node *node)
{
    return node->irq_latency_ps - node->irq_latency_ps / 8;
}

static unsigned node_of(const struct pb_walk *walk, unsigned link)
{
    return pb_link_node_index(walk->run->scenario, link);
}

static unsigned dimension_of(const struct pb_walk *walk, unsigned link)
{
    return pb_link_port(walk->run->scenario, link);
}

/* ---- the schedule, by phases of the bench */

static bool is_at(const struct pb_phase_mark *mark, uint32_t superframe, unsigned phase)
{
    return mark->superframe == superframe && mark->phase == phase;
}

/* The link on which a crossing reaches its node. */
static unsigned arrival_link(const struct pb_scenario *scenario, unsigned node_index,
                             const struct pb_crossing *crossing)
{
    const struct pb_peer peer = pb_network_peer(&scenario->network, crossing->from, crossing->port);
    return pb_link_of(scenario, node_index, peer.port);
}

void pb_nodes_take_mark(struct pb_walk *walk, struct pb_segment *segment)
{
    struct pb_schedule *schedule = walk->schedule;
    const struct pb_scenario *scenario = walk->run->scenario;
    const struct pb_phase_mark *mark = pb_mark(walk->marks, segment->mark);
    const uint64_t phases = scenario->network.phases, now = mark->superframe * phases + mark->phase;
    const struct pb_crossing *crossing;
    /* One more, as a node out of step sends what is released in it too early. */
    if (pb_schedule_read(schedule, (uint64_t)mark->superframe + 1)) {
        walk->out->code = PB_ERR_MEMORY;
        return;
    }
    size_t at = walk->next_crossing;
    for (; at < schedule->crossing_end; at++) {
        crossing = &pb_schedule_crossing(schedule, at)->crossing;
        if (crossing->superframe * phases + crossing->phase >= now)
            break;
    }
    segment->first_crossing = at;
    for (; at < schedule->crossing_end; at++) {
        crossing = &pb_schedule_crossing(schedule, at)->crossing;
        if (!is_at(mark, crossing->superframe, crossing->phase))
            break;
        const int to = pb_scenario_node_index(scenario, crossing->to);
        if (pb_scenario_node_index(scenario, crossing->from) < 0)
            segment->bench_due |= UINT64_C(1) << arrival_link(scenario, (unsigned)to, crossing);
    }
    walk->next_crossing = at;
    for (size_t i = 0; i < scenario->fault_count; i++) {
        const struct pb_fault *fault = &scenario->fault[i];
        if (fault->kind == PB_FAULT_BABBLE && is_at(mark, fault->superframe, fault->phase))
            segment->bench_due |= UINT64_C(1) << pb_link_of(scenario, fault->node_index, fault->dimension);
    }
}

int pb_nodes_open(struct pb_walk *walk)
{
    int code = PB_OK;
    for (unsigned link = 0; link < PB_LINKS_MAX; link++)
        walk->line[link].cut_id = PB_FRAME_NONE;
    pb_frames_open(&walk->frames, walk->run->scenario, &walk->schedule->known);
    for (unsigned i = 0; !code && i < walk->run->scenario->node_count; i++)
        code = pb_model_open(&walk->model[i], &walk->frames, i);
    return code;
}

void pb_nodes_end(struct pb_walk *walk)
{
    static const enum pb_counter outside[] = {PB_COUNTER_EDGES,        PB_COUNTER_SUPERFRAMES,
                                              PB_COUNTER_MISSED_EDGES, PB_COUNTER_EXTRA_EDGES,
                                              PB_COUNTER_MAX_QUEUE,    PB_COUNTER_MAX_STORED};
    for (unsigned i = 0; i < walk->run->scenario->node_count; i++) {
        pb_model_watch(&walk->model[i], NULL, 0);
        pb_model_watch(&walk->model[i], NULL, 0); /* nothing leaves any more */
        pb_model_counts(&walk->model[i], walk->evidence->least[i], walk->evidence->most[i]);
        /* An external clock also runs before the first phase of the bench and after its last one. */
        for (size_t k = 0; k < sizeof outside / sizeof outside[0] && walk->run->scenario->follow; k++)
            walk->evidence->most[i][outside[k]] = -1;
        if (walk->model[i].failed)
            walk->out->code = PB_ERR_MEMORY;
    }
}

/* ---- messages that can be forgotten */

/* Longest time, in superframes, from the departure of a message to its answer on a console. */
static uint64_t answer_superframes(const struct pb_scenario *scenario)
{
    return UINT64_C(4) * PB_ANSWER_MS * scenario->phase_rate_mhz / 1000000 / scenario->network.phases;
}

static bool is_wanted(void *context, const struct pb_known_message *message)
{
    const struct pb_walk *walk = context;
    bool wanted = !message->left || message->superframe + (uint64_t)PB_KNOWN_SUPERFRAMES +
                                            answer_superframes(walk->run->scenario) >=
                                        walk->frames.superframe;
    for (unsigned i = 0; i < walk->run->scenario->node_count && !wanted; i++)
        wanted = pb_model_holds(&walk->model[i], (size_t)message->message);
    return wanted;
}

void pb_nodes_sweep(struct pb_walk *walk)
{
    const uint32_t now = walk->frames.superframe;
    if (now < walk->swept + PB_KNOWN_SUPERFRAMES)
        return;
    walk->swept = now;
    pb_frames_sweep(&walk->frames, now - PB_KNOWN_SUPERFRAMES, walk->model, walk->run->scenario->node_count);
    if (pb_known_sweep(&walk->schedule->known, is_wanted, walk))
        walk->out->code = PB_ERR_MEMORY;
}

void pb_nodes_close(struct pb_walk *walk)
{
    for (unsigned i = 0; i < PB_SCENARIO_NODES_MAX; i++)
        pb_model_close(&walk->model[i]);
    pb_frames_close(&walk->frames);
}

/* ---- the segment begins */

/* The level of TDMA_SYNC some time after the edge: as seen at the edge while the bench's phase lasts, then as
 * the schedule has it. */
static bool sync_after(const struct pb_walk *walk, int64_t after_ps)
{
    const struct pb_segment *segment = walk->segment;
    const uint64_t tick = segment->tick + (uint64_t)pb_ps_to_ticks(walk->run, after_ps);
    size_t at_edge = segment->mark, later;
    if (at_edge && segment->tick < pb_mark(walk->marks, at_edge)->ideal_tick)
        at_edge--;
    for (later = at_edge;
         later + 1 < walk->marks->end && pb_mark(walk->marks, later + 1)->ideal_tick <= tick;)
        later++;
    return later == at_edge ? segment->sync : pb_mark(walk->marks, later)->phase == 0;
}

/* A frame that it received reached into the tail guard before this edge: it may still be busy with the last
 * byte, and late by that. */
static bool is_busy_with_a_byte(const struct pb_walk *walk, unsigned node_index)
{
    const struct pb_scenario *scenario = walk->run->scenario;
    const int64_t byte_ps = 10 * PB_PS_PER_S / (int64_t)scenario->baud_hz,
                  edge_ps = pb_ticks_to_ps(walk->run, walk->segment->tick),
                  guard_from_ps = edge_ps - pb_tail_guard_ps(walk->run);
    for (unsigned link = 0; link < pb_link_count(scenario); link++) {
        const uint64_t byte_tick = walk->line[link].byte_tick;
        if (byte_tick && node_of(walk, link) == node_index &&
            pb_model_listens(&walk->model[node_index], dimension_of(walk, link)) &&
            pb_ticks_to_ps(walk->run, byte_tick) + byte_ps - 2 * walk->run->resolution_ps > guard_from_ps)
            return true;
    }
    return false;
}

static void enter_edge(struct pb_walk *walk)
{
    const struct pb_segment *segment = walk->segment;
    const int64_t before_ps =
        walk->last_edge_tick ? pb_ticks_to_ps(walk->run, segment->tick - walk->last_edge_tick) : INT64_MAX;
    for (unsigned i = 0; i < walk->run->scenario->node_count; i++) {
        const struct pb_scenario_node *node = &walk->run->scenario->node[i];
        const bool skipped = before_ps < pb_reaction_max_ps(node);
        bool first = segment->sync, last = first;
        if (!walk->run->scenario->follow) {
            first = sync_after(walk, reaction_min_ps(node));
            last = sync_after(walk, pb_reaction_max_ps(node));
        }
        const int64_t known_ps = before_ps < FAR_PS ? before_ps : FAR_PS;
        /* Of two edges so close it handles one after the other. */
        const int64_t handlers = 1 + (before_ps < 2 * pb_reaction_max_ps(node));
        walk->model[i].starts_late =
            pb_may_miss_head_guard(walk->run, handlers * pb_reaction_max_ps(node)) ||
            (walk->run->scenario->fault_count && is_busy_with_a_byte(walk, i));
        pb_model_interval(&walk->model[i], pb_ticks_to_ps(walk->run, segment->tick),
                          pb_reaction_max_ps(node) - reaction_min_ps(node) +
                              known_ps / 1000000 * (CLOCK_PPM + abs(node->clock_error_ppm)),
                          skipped);
        pb_model_edge(&walk->model[i], !first || !last, first || last, first, skipped);
    }
    walk->last_edge_tick = segment->tick;
}

static uint64_t instant_of(const struct pb_walk *walk)
{
    const struct pb_phase_mark *mark = pb_mark(walk->marks, walk->segment->mark);
    return (uint64_t)mark->superframe * walk->run->scenario->network.phases + mark->phase;
}

static void release_due(struct pb_walk *walk)
{
    struct pb_schedule *schedule = walk->schedule;
    const uint64_t now = instant_of(walk);
    for (; walk->released < schedule->release_end; walk->released++) {
        const struct pb_scheduled_release *release = pb_schedule_release(schedule, walk->released);
        if (release->instant > now)
            break;
        pb_model_release(&walk->model[release->node], (size_t)release->message, release->number, false);
    }
    pb_schedule_pass_releases(schedule, walk->released);
}

/* The console line of a message is typed after the last phase before its release in which a synchronised node
 * could send it. An unsynchronised node can send it before the release. So can a node to which an extra edge
 * gives that phase twice. */
static void release_early(struct pb_walk *walk)
{
    const struct pb_schedule *schedule = walk->schedule;
    const struct pb_phase_mark *mark = pb_mark(walk->marks, walk->segment->mark);
    const uint64_t until = instant_of(walk) + walk->run->scenario->network.phases;
    for (size_t i = walk->released; i < schedule->release_end; i++) {
        const struct pb_scheduled_release *release = pb_schedule_release(schedule, i);
        struct pb_model *model = &walk->model[release->node];
        if (release->instant >= until)
            break;
        if (walk->segment->extra || !pb_model_is_at(model, mark->phase))
            pb_model_release(model, (size_t)release->message, release->number, true);
    }
}

/* What each node holds, with its messages that may have been typed before their release. */
static void watch_queues(struct pb_walk *walk)
{
    enum { AHEAD_MOST = 256 };
    const struct pb_schedule *schedule = walk->schedule;
    /* Typed a superframe before at the earliest, less a phase that a fault may shift. */
    const uint64_t until =
        instant_of(walk) + walk->run->scenario->network.phases - (walk->run->scenario->fault_count == 0);
    for (unsigned node_index = 0; node_index < walk->run->scenario->node_count; node_index++) {
        size_t ahead[AHEAD_MOST];
        unsigned count = 0;
        for (size_t i = walk->released; i < schedule->release_end && count < AHEAD_MOST; i++) {
            const struct pb_scheduled_release *release = pb_schedule_release(schedule, i);
            if (release->instant > until)
                break;
            if (release->node == node_index &&
                !pb_model_has_entered(&walk->model[node_index], release->number))
                ahead[count++] = (size_t)release->message;
        }
        pb_model_watch(&walk->model[node_index], ahead, count);
    }
}

void pb_nodes_enter(struct pb_walk *walk)
{
    if (!walk->segment->extra)
        release_due(walk);
    watch_queues(walk);
    if (walk->segment->edge)
        enter_edge(walk);
    release_early(walk);
}

static bool is_due(const struct pb_walk *walk, unsigned link)
{
    const struct pb_model *model = &walk->model[node_of(walk, link)];
    const unsigned dimension = dimension_of(walk, link);
    return walk->segment->edge && pb_model_sends(model, dimension) &&
           pb_model_due(model, dimension, PB_FRAME_GARBAGE) != PB_FRAME_NONE;
}

/* When the node has released a line that an edge cuts, at the latest. What is low from the earliest start of
 * a frame on is part of that frame, unless the stated latency reaches so far. */
static int64_t release_max_ps(const struct pb_walk *walk, unsigned link)
{
    const struct pb_scenario_node *node = &walk->run->scenario->node[node_of(walk, link)];
    const int64_t reaction_ps = pb_reaction_max_ps(node),
                  next_ps = walk->run->start_min_ps - 2 * walk->run->resolution_ps;
    return next_ps > node->irq_latency_ps + node->irq_jitter_ps && next_ps < reaction_ps ? next_ps
                                                                                         : reaction_ps;
}

void pb_nodes_foresee(struct pb_walk *walk, unsigned link)
{
    struct pb_line_walk *line = &walk->line[link];
    const int partner = pb_partner_link(walk->run->scenario, link);
    const unsigned sender = partner >= 0 && is_due(walk, (unsigned)partner) ? (unsigned)partner : link;
    const int64_t lasts_ps = pb_ticks_to_ps(walk->run, walk->next_edge_tick - walk->segment->tick);
    line->own = is_due(walk, link);
    line->due = PB_FRAME_NONE;
    line->seen = line->by_edges = PB_FRAME_UNKNOWN;
    line->cut = is_due(walk, sender) && lasts_ps + 2 * walk->run->resolution_ps < pb_end_max_ps(walk->run);
    line->lag_ticks = line->cut ? (uint64_t)pb_ps_to_ticks(walk->run, release_max_ps(walk, sender)) : 0;
}

/* ---- what is due */

/* The present mark's crossings: the next from a number on; NULL: no more. */
static struct pb_scheduled *next_crossing(const struct pb_walk *walk, size_t number)
{
    const struct pb_schedule *schedule = walk->schedule;
    struct pb_scheduled *next =
        number < schedule->crossing_end ? pb_schedule_crossing(schedule, number) : NULL;
    return next && is_at(pb_mark(walk->marks, walk->segment->mark), next->crossing.superframe,
                         next->crossing.phase)
               ? next
               : NULL;
}

static const struct pb_crossing *bench_crossing(struct pb_walk *walk, unsigned link)
{
    const struct pb_scheduled *next;
    for (size_t i = walk->segment->first_crossing; (next = next_crossing(walk, i)); i++) {
        const struct pb_crossing *crossing = &next->crossing;
        const int to = pb_scenario_node_index(walk->run->scenario, crossing->to);
        if (to < 0 || pb_scenario_node_index(walk->run->scenario, crossing->from) >= 0 ||
            arrival_link(walk->run->scenario, (unsigned)to, crossing) != link)
            continue;
        walk->by_bench[link] = *crossing;
        return &walk->by_bench[link];
    }
    return NULL;
}

static bool shows(const struct pb_walk *walk, unsigned link, size_t id)
{
    const struct pb_slot_seen *seen = &walk->slot[link].seen;
    return seen->byte_count <= PB_FRAME_MAX &&
           pb_frames_equal(&walk->frames, id, seen->byte, seen->byte_count);
}

/* True if a late edge of TDMA_CLK makes a node's frame overlap the bench's. Each frame has a slot of its own,
 * and the end of one is in the slot of the other. */
static bool reaches_over(const struct pb_walk *walk, unsigned link)
{
    const struct pb_line_walk *line = &walk->line[link];
    const struct pb_phase_mark *mark = pb_mark(walk->marks, walk->segment->mark);
    const size_t at = walk->segment->mark;
    const bool at_ease = walk->segment->tick == mark->ideal_tick && !walk->segment->extra &&
                         at + 1 < walk->marks->end && walk->next_edge_tick == mark[1].ideal_tick;
    const bool last = walk->segment + 1 == walk->segments + walk->count;
    const uint64_t bench_due = walk->segment->bench_due | (last ? 0 : walk->segment[1].bench_due);
    const int64_t frame_ps =
        10 * PB_PS_PER_S * walk->run->scenario->frame_bytes / (int64_t)walk->run->scenario->baud_hz;
    if ((at_ease && !line->spilt) || !(bench_due >> link & 1))
        return false;
    if (line->own) {
        const struct pb_slot_seen *seen = &walk->slot[link].seen;
        const int64_t from_ps = pb_ticks_to_ps(walk->run, line->from_tick),
                      to_ps = pb_ticks_to_ps(walk->run, line->to_tick),
                      byte_ps = 10 * PB_PS_PER_S / (int64_t)walk->run->scenario->baud_hz;
        const unsigned bytes = pb_slot_kept(seen);
        const bool whole = seen->byte_count >= walk->run->scenario->frame_bytes &&
                           from_ps + seen->byte_start_ps[bytes - 1] + byte_ps <= to_ps;
        return !whole &&
               pb_ticks_to_ps(walk->run, walk->segment->tick) + walk->run->start_max_ps + frame_ps > to_ps;
    }
    return line->spilt;
}

/* The next edge comes so early that the node's next frame may begin before this end of the bench's. */
static bool meets_next(const struct pb_walk *walk, unsigned link, int64_t bench_end_ps)
{
    return walk->segment->bench_due >> link & 1 &&
           pb_model_sends_next(&walk->model[node_of(walk, link)], dimension_of(walk, link)) &&
           pb_ticks_to_ps(walk->run, walk->next_edge_tick) + walk->run->start_min_ps < bench_end_ps;
}

/* An edge that comes before the node had to begin leaves it open whether it did. */
static bool had_to_begin(const struct pb_walk *walk)
{
    return pb_ticks_to_ps(walk->run, walk->next_edge_tick - walk->segment->tick) >
           walk->run->start_max_ps + pb_most_ps(walk->run, 1);
}

static size_t what_was_seen(const struct pb_walk *walk, unsigned link, const struct pb_crossing *by_bench)
{
    const struct pb_line_walk *line = &walk->line[link];
    const struct pb_slot_seen *seen = &walk->slot[link].seen;
    const struct pb_model *model = &walk->model[node_of(walk, link)];
    const bool spoilt = pb_fault_on_line(walk->out->faults, link, pb_ticks_to_ps(walk->run, line->from_tick),
                                         pb_ticks_to_ps(walk->run, line->to_tick));
    if (line->garbled)
        return PB_FRAME_UNKNOWN;
    if (by_bench)
        return shows(walk, link, by_bench->message) ? PB_FRAME_NONE : PB_FRAME_UNKNOWN;
    if (!seen->any_low)
        return spoilt || (line->cut && !had_to_begin(walk)) ? PB_FRAME_UNKNOWN : PB_FRAME_NONE;
    const size_t id = seen->byte_count <= PB_FRAME_MAX
                          ? pb_model_match(model, dimension_of(walk, link), seen->byte, seen->byte_count)
                          : PB_FRAME_GARBAGE;
    return id == PB_FRAME_GARBAGE && (spoilt || line->cut) ? PB_FRAME_UNKNOWN : id;
}

/* The data bits of the slot's last byte end before this time in the slot. */
static bool is_over(const struct pb_walk *walk, unsigned link, int64_t by_ps)
{
    const struct pb_slot_seen *seen = &walk->slot[link].seen;
    const unsigned bytes = pb_slot_kept(seen);
    const int64_t data_ps = 9 * PB_PS_PER_S / (int64_t)walk->run->scenario->baud_hz;
    return bytes && seen->byte_start_ps[bytes - 1] + data_ps <= by_ps;
}

/* True if the bytes of the slot continue the frame that should have been cut off: its sender did not release
 * the line, so the bytes are correct. */
static bool goes_on(const struct pb_walk *walk, unsigned link)
{
    const struct pb_slot_seen *seen = &walk->slot[link].seen;
    const struct pb_line_walk *line = &walk->line[link];
    uint8_t bytes[PB_FRAME_MAX];
    const unsigned count = line->cut_id == PB_FRAME_NONE
                               ? 0
                               : pb_frames_bytes(&walk->frames, line->cut_id, bytes),
                   left = count > line->cut_bytes ? count - line->cut_bytes : 0, kept = pb_slot_kept(seen),
                   both = kept < left ? kept : left;
    return both > 1 && !memcmp(bytes + line->cut_bytes, seen->byte, both);
}

/* A frame that begins while the core still receives a frame that was cut off: its bytes are misread, its
 * edges are correct. */
static void read_edges_alone(struct pb_walk *walk, unsigned link)
{
    struct pb_expected_frame *expected = &walk->slot[link].expected;
    const bool edgeless = pb_is_edgeless(walk->run, link);
    if (walk->line[link].garbled && expected->crossing &&
        (expected->kind == PB_SLOT_PLAIN || (expected->kind == PB_SLOT_CUT && edgeless)))
        expected->kind = edgeless || expected->sender == PB_SENDER_BENCH ? PB_SLOT_COLLISION : PB_SLOT_CUT;
}

/* No fault was injected into the slot's line or the bench's frame. */
static bool is_undisturbed(const struct pb_walk *walk, unsigned link)
{
    const struct pb_line_walk *line = &walk->line[link];
    const struct pb_phase_mark *mark = pb_mark(walk->marks, walk->segment->mark);
    return !line->garbled && !pb_fault_of_frame(walk->out->faults, link, mark->superframe, mark->phase) &&
           !pb_fault_on_line(walk->out->faults, link, pb_ticks_to_ps(walk->run, line->from_tick),
                             pb_ticks_to_ps(walk->run, line->to_tick));
}

static void expect_own(struct pb_walk *walk, unsigned link, const struct pb_crossing *by_bench)
{
    struct pb_line_walk *line = &walk->line[link];
    const unsigned dimension = dimension_of(walk, link);
    const uint32_t here = walk->run->scenario->node[node_of(walk, link)].address;
    struct pb_expected_frame *expected = &walk->slot[link].expected;
    /* The edge could have cut a frame that ends as late as it may. This one was over before. */
    if (line->cut && !line->garbled && walk->slot[link].seen.byte_count >= walk->run->scenario->frame_bytes &&
        is_over(walk, link, expected->end_ps))
        line->cut = false;
    line->seen = what_was_seen(walk, link, by_bench);
    /* The bytes of a frame that was cut off show only that there was a frame, not which. The same holds for a
     * frame that meets a frame of the bench: alone it would have been received correctly. */
    const bool begun = line->seen == PB_FRAME_UNKNOWN && walk->slot[link].seen.any_low &&
                       (by_bench ? is_undisturbed(walk, link) : line->cut);
    line->due =
        pb_model_due(&walk->model[node_of(walk, link)], dimension, begun ? PB_FRAME_GARBAGE : line->seen);
    if (!by_bench && (line->cut || line->garbled) && walk->slot[link].seen.any_low &&
        line->seen == PB_FRAME_UNKNOWN)
        pb_cut_choose(walk, link);
    if (line->due == PB_FRAME_NONE)
        return;
    walk->own[link] =
        (struct pb_crossing){.superframe = pb_mark(walk->marks, walk->segment->mark)->superframe,
                             .phase = pb_mark(walk->marks, walk->segment->mark)->phase,
                             .port = dimension,
                             .from = here,
                             .to = pb_network_neighbour(&walk->run->scenario->network, here, dimension),
                             .message = line->due};
    /* A bit of the frame that is due is not the next sender's. */
    const bool whole = line->seen == line->due && is_over(walk, link, expected->released_ps);
    expected->crossing = &walk->own[link];
    expected->sender = PB_SENDER_NODE;
    expected->kind = by_bench ? PB_SLOT_COLLISION : line->cut && !whole ? PB_SLOT_CUT : PB_SLOT_PLAIN;
}

static void expect_through(struct pb_walk *walk, unsigned link)
{
    const int partner = pb_partner_link(walk->run->scenario, link);
    if (partner < 0 || !walk->slot[partner].expected.crossing ||
        walk->slot[partner].expected.through_fabric || walk->slot[link].expected.crossing)
        return;
    walk->slot[link].expected.crossing = walk->slot[partner].expected.crossing;
    walk->slot[link].expected.sender = PB_SENDER_NODE;
    walk->slot[link].expected.kind = walk->slot[partner].expected.kind;
    walk->slot[link].expected.through_fabric = true;
}

/* Whether the nodes' phases differ from the bench's, by number or by time. */
static bool are_displaced(const struct pb_walk *walk)
{
    const struct pb_segment *segment = walk->segment;
    const struct pb_phase_mark *mark = pb_mark(walk->marks, segment->mark);
    bool displaced = segment->extra || !segment->edge || walk->next_edge_tick != segment[1].tick;
    for (const struct pb_phase_mark *at = mark - (segment->mark > 0);
         at < pb_marks_end(walk->marks) && at <= mark + 1; at++)
        displaced |= !walk->run->scenario->follow && at->tick != at->ideal_tick;
    for (unsigned i = 0; i < walk->run->scenario->node_count; i++)
        displaced |= !pb_model_is_at(&walk->model[i], mark->phase);
    return displaced;
}

/* The bench's frame is on the line, and nothing of the next one yet where its slot ends. */
static bool is_right_to_its_end(const struct pb_walk *walk, unsigned link, const struct pb_crossing *by_bench)
{
    const struct pb_line_slot *slot = &walk->slot[link];
    return shows(walk, link, by_bench->message) && slot->seen.bad_stop < 0 && slot->high;
}

/* What is due on the line, if frames of node and bench may reach into one another. */
static void expect_over(struct pb_walk *walk, unsigned link, const struct pb_crossing *by_bench)
{
    struct pb_line_walk *line = &walk->line[link];
    struct pb_expected_frame *expected = &walk->slot[link].expected;
    const size_t mark = walk->segment->mark;
    const int64_t sampled_ps = pb_walk_bench_sampled_ps(walk, mark),
                  end_ps = pb_walk_bench_end_ps(walk, mark) + 2 * walk->run->resolution_ps;
    const bool inside = !walk->run->scenario->follow, over = inside && reaches_over(walk, link),
               meets = inside && !line->own && meets_next(walk, link, sampled_ps),
               touches = inside && !line->own && meets_next(walk, link, end_ps);
    if (line->own)
        expect_own(walk, link, by_bench);
    const bool apart = line->own ? line->seen == line->due
                                 : !over && by_bench && is_right_to_its_end(walk, link, by_bench);
    if ((over || meets || line->met) && !apart && expected->crossing) {
        expected->kind = PB_SLOT_COLLISION;
        line->seen = PB_FRAME_UNKNOWN;
    }
    line->spilt = over && line->own;
    /* The core takes the bench for a sender up to the end of its last stop bit. */
    if (touches || line->touched)
        walk->slot[link].alarm.codes &= ~(UINT32_C(1) << PB_ALARM_CONTENTION);
    line->met = meets;
    line->touched = touches;
}

void pb_nodes_expect(struct pb_walk *walk, uint64_t links)
{
    const unsigned count = pb_link_count(walk->run->scenario);
    for (unsigned link = 0; link < count; link++) {
        if (!(links >> link & 1))
            continue;
        const struct pb_crossing *by_bench =
            walk->segment->bench_due >> link & 1 ? bench_crossing(walk, link) : NULL;
        walk->slot[link].expected = (struct pb_expected_frame){
            .crossing = by_bench,
            .sender = PB_SENDER_BENCH,
            .by_bench = by_bench != NULL,
            .edge_ps = pb_ticks_to_ps(walk->run, walk->segment->tick) -
                       pb_ticks_to_ps(walk->run, walk->line[link].from_tick),
            .end_ps = pb_ticks_to_ps(walk->run, walk->next_edge_tick) -
                      pb_ticks_to_ps(walk->run, walk->line[link].from_tick),
            .released_ps = pb_ticks_to_ps(walk->run, walk->line[link].to_tick - walk->line[link].from_tick),
        };
        if (walk->line[link].garbled && goes_on(walk, link))
            walk->line[link].garbled = false;
        expect_over(walk, link, by_bench);
        read_edges_alone(walk, link);
    }
    const bool displaced = are_displaced(walk);
    for (unsigned link = 0; link < count; link++)
        if (links >> link & 1) {
            walk->slot[link].displaced = displaced;
            expect_through(walk, link);
        }
}

void pb_nodes_confirm(struct pb_walk *walk, unsigned link)
{
    const struct pb_expected_frame *expected = &walk->slot[link].expected;
    struct pb_scheduled *next;
    for (size_t i = walk->segment->first_crossing; expected->crossing && (next = next_crossing(walk, i)); i++)
        if (next->crossing.message == expected->crossing->message &&
            next->crossing.from == expected->crossing->from)
            next->crossed = true;
}

/* The neighbour accepts a frame in the phase in which it listens on the line, independent of its place in a
 * queue. */
void pb_nodes_note_shown(struct pb_walk *walk, unsigned link)
{
    const struct pb_network *network = &walk->run->scenario->network;
    const struct pb_line_slot *slot = &walk->slot[link];
    const struct pb_slot_seen *seen = &slot->seen;
    const struct pb_expected_frame *expected = &slot->expected;
    const unsigned node_index = node_of(walk, link), port = dimension_of(walk, link);
    const uint32_t here = walk->run->scenario->node[node_index].address;
    if (expected->by_bench || expected->through_fabric || seen->bad_stop >= 0 ||
        seen->byte_count != walk->run->scenario->frame_bytes ||
        !pb_network_is(network, here, slot->at.phase, PB_ROLE_SEND, port))
        return;
    const size_t likely = expected->crossing ? (size_t)expected->crossing->message : PB_FRAME_NONE,
                 id = pb_frames_add(&walk->frames, likely, seen->byte, seen->byte_count);
    struct pb_known_message *known = pb_known_find(&walk->schedule->known, id);
    if (known && pb_network_wanted(network, walk->run->scenario->rule, here, known->destination) >> port & 1)
        known->shown |= (uint16_t)(1u << node_index);
}

/* ---- what was sent and taken */

static const struct pb_event *next_byte(const struct pb_walk *walk, unsigned link, size_t *at)
{
    const struct pb_event *event;
    while ((event = pb_walk_event(walk, link, *at)) && event->kind != PB_EVENT_BYTE)
        ++*at;
    if (event)
        ++*at;
    return event;
}

/* How a node counts a reception of these bytes, of which nothing else is in doubt. A StarC frame is judged as
 * it comes: by its first byte, then by its length field. */
static enum pb_model_miss miss_of(const struct pb_scenario *scenario, const uint8_t *bytes, unsigned count)
{
    const bool starc = scenario->codec == PB_CODEC_STARC;
    if (starc && bytes[0] != 0xaa)
        return PB_MISS_MARK;
    if (starc && count > 2 && bytes[2] != scenario->payload_bytes + 2)
        return PB_MISS_LENGTH;
    return count < scenario->frame_bytes ? PB_MISS_CUT : PB_MISS_CRC;
}

/* Returns the latest begin of a byte that the node may receive in this segment. After an edge in the middle
 * of the bench's phase the node still receives for up to its latency. */
static int64_t heard_to_ps(const struct pb_walk *walk, const struct pb_scenario_node *node)
{
    const size_t next = walk->segment->mark + 1;
    const uint64_t phase_end =
        next < walk->marks->end ? pb_mark(walk->marks, next)->ideal_tick : walk->end_tick;
    const int64_t to_ps = pb_ticks_to_ps(walk->run, walk->next_edge_tick),
                  phase_end_ps = pb_ticks_to_ps(walk->run, phase_end),
                  late_ps =
                      to_ps + pb_reaction_max_ps(node) -
                      9 * PB_PS_PER_S / (int64_t)walk->run->scenario->baud_hz,
                  least_ps = late_ps < phase_end_ps ? late_ps : phase_end_ps;
    return least_ps > to_ps ? least_ps : to_ps;
}

/* What the line of a listening phase shows of a frame. */
struct reception {
    uint8_t bytes[PB_FRAME_MAX + 1];
    unsigned count, surplus; /* bytes of the frame, and bytes after its end */
    unsigned fault;          /* kind of the injected fault of this frame, or 0 */
    bool spoilt;             /* by a fault: the node may accept or refuse the frame */
    bool doubtful;           /* the node may have received the frame or not */
    bool lost;               /* the node cannot have received the frame whole */
    bool bad_stop, early, plain_surplus; /* surplus: its first byte is a whole one */
    bool mistaken;                       /* incorrect by an error of the bench or of the capture */
};

/* A byte that began before the edge is in a phase in which the node did not listen here. The node may take
 * the part after the edge for a byte, with which the frame then begins. */
static void skip_unheard(struct pb_walk *walk, unsigned link, struct reception *got)
{
    struct pb_line_walk *line = &walk->line[link];
    const int64_t from_ps = pb_ticks_to_ps(walk->run, walk->segment->tick),
                  bit_ps = PB_PS_PER_S / (int64_t)walk->run->scenario->baud_hz;
    const struct pb_event *event;
    while ((event = pb_walk_event(walk, link, line->hear)) &&
           (event->kind != PB_EVENT_BYTE ||
            pb_ticks_to_ps(walk->run, event->tick) < from_ps - 2 * walk->run->resolution_ps)) {
        got->doubtful |=
            event->kind == PB_EVENT_BYTE && pb_ticks_to_ps(walk->run, event->tick) + 10 * bit_ps > from_ps;
        line->hear++;
    }
}

/* From the first byte of the segment on. */
static void read_bytes(struct pb_walk *walk, unsigned link, struct reception *got)
{
    const struct pb_scenario_node *node = &walk->run->scenario->node[node_of(walk, link)];
    const int64_t from_ps = pb_ticks_to_ps(walk->run, walk->segment->tick),
                  to_ps = pb_ticks_to_ps(walk->run, walk->next_edge_tick),
                  bit_ps = PB_PS_PER_S / (int64_t)walk->run->scenario->baud_hz,
                  guard_ps = walk->run->start_min_ps - 2 * walk->run->resolution_ps,
                  reaction_ps = pb_reaction_max_ps(node),
                  deaf_ps = reaction_ps < guard_ps ? reaction_ps : guard_ps;
    const unsigned length = walk->run->scenario->frame_bytes;
    const struct pb_event *event;
    for (size_t at = walk->line[link].hear; (event = next_byte(walk, link, &at));) {
        const int64_t at_ps = pb_ticks_to_ps(walk->run, event->tick);
        int32_t error_ppm;
        if (at_ps >= heard_to_ps(walk, node) || (at_ps >= to_ps && got->count == length))
            break;
        if (got->count == length) {
            if (!got->surplus++) {
                got->plain_surplus = pb_event_stop_ok(event) && at_ps + 10 * bit_ps <= to_ps;
                got->bytes[got->count] = pb_event_data(event);
            }
            continue;
        }
        if (got->count == 0 && at_ps < from_ps + deaf_ps)
            got->doubtful = got->early = true;
        if (!pb_event_stop_ok(event))
            got->lost = got->bad_stop = true;
        if (at_ps + 10 * bit_ps > to_ps)
            got->doubtful = true;
        if (at_ps + 9 * bit_ps > to_ps + reaction_ps)
            got->lost = true;
        if (pb_slot_baud_error(event, walk->run->bit_period_q4, &error_ppm) &&
            abs(error_ppm) > walk->run->baud_limit_ppm)
            got->doubtful = true;
        got->bytes[got->count++] = pb_event_data(event);
    }
}

/* Reads the line of a link on which a node listens in this segment. */
static void read_line(struct pb_walk *walk, unsigned link, struct reception *got)
{
    const struct pb_phase_mark *mark = pb_mark(walk->marks, walk->segment->mark);
    const struct pb_expected_frame *expected = &walk->slot[link].expected;
    const struct pb_crossing *due = expected->crossing;
    *got = (struct reception){
        .fault = pb_fault_of_frame(walk->out->faults, link, mark->superframe, mark->phase)};
    /* By the contract a node may accept or refuse a frame in which only the time or the baud is incorrect. */
    got->spoilt = pb_fault_on_line(walk->out->faults, link, pb_ticks_to_ps(walk->run, walk->segment->tick),
                                   pb_ticks_to_ps(walk->run, walk->next_edge_tick)) ||
                  got->fault == PB_FAULT_BAUD || got->fault == PB_FAULT_EARLY_START ||
                  got->fault == PB_FAULT_LATE_START;
    got->doubtful = got->spoilt;
    skip_unheard(walk, link, got);
    read_bytes(walk, link, got);
    got->mistaken = due && (walk->line[link].garbled ||
                            (!got->fault && expected->sender == PB_SENDER_BENCH &&
                             (got->lost || got->surplus ||
                              !pb_frames_equal(&walk->frames, due->message, got->bytes, got->count))));
}

/* How the node counts it if it does not take a frame. */
static enum pb_model_miss miss_shown(const struct pb_walk *walk, unsigned link, const struct reception *got,
                                     bool good)
{
    const struct pb_line_slot *slot = &walk->slot[link];
    const bool plain = !got->doubtful && !got->mistaken && !walk->loss->reported,
               ended = walk->next_edge_tick < walk->end_tick; /* else no edge ends the last phase */
    enum pb_model_miss miss = PB_MISS_ANY;
    if (got->surplus)
        return plain && good && got->plain_surplus ? PB_MISS_AFTER : PB_MISS_ANY_AFTER;
    if (!plain)
        return PB_MISS_ANY;
    if (!got->count && !(got->spoilt || (slot->seen.any_low && !slot->expected.crossing)))
        miss = PB_MISS_SILENCE;
    else if (got->bad_stop)
        miss = PB_MISS_STOP;
    else if (got->count && !got->lost)
        miss = miss_of(walk->run->scenario, got->bytes, got->count);
    return miss == PB_MISS_CUT && !ended ? PB_MISS_ANY : miss;
}

/* The ids that the node may have taken from a link on which it listens in this segment. */
static unsigned heard(struct pb_walk *walk, unsigned link, size_t id[4], enum pb_model_miss *miss)
{
    struct reception got;
    read_line(walk, link, &got);
    const struct pb_crossing *due = walk->slot[link].expected.crossing;
    const size_t likely = due ? due->message : PB_FRAME_NONE,
                 whole = got.count == walk->run->scenario->frame_bytes
                             ? pb_frames_add(&walk->frames, likely, got.bytes, got.count)
                             : PB_FRAME_NONE;
    if (whole == PB_FRAME_UNKNOWN)
        walk->out->code = PB_ERR_MEMORY;
    const bool good = whole != PB_FRAME_NONE && whole != PB_FRAME_UNKNOWN && !got.lost;
    *miss = miss_shown(walk, link, &got, good);
    unsigned choices = 0;
    if (good)
        id[choices++] = whole;
    if ((got.spoilt || got.mistaken || walk->loss->reported) && due &&
        (choices == 0 || id[0] != due->message))
        id[choices++] = due->message;
    /* The rest of a frame that was cut off may read as a byte before this frame. A node that listens from its
     * edge on does not receive it. */
    const size_t later = got.early && got.plain_surplus && !got.lost
                             ? pb_frames_add(&walk->frames, likely, got.bytes + 1, got.count)
                             : PB_FRAME_NONE;
    if (later != PB_FRAME_NONE && later != PB_FRAME_UNKNOWN && (!choices || id[choices - 1] != later))
        id[choices++] = later;
    if (!choices || got.doubtful || got.surplus || got.mistaken || walk->loss->reported)
        id[choices++] = PB_FRAME_NONE;
    return choices;
}

void pb_nodes_leave(struct pb_walk *walk, uint64_t links)
{
    for (unsigned link = 0; link < pb_link_count(walk->run->scenario); link++) {
        const struct pb_expected_frame *expected = &walk->slot[link].expected;
        if (!(links >> link & 1))
            continue;
        walk->line[link].cut_id =
            expected->crossing && expected->kind == PB_SLOT_CUT ? expected->crossing->message : PB_FRAME_NONE;
        walk->line[link].cut_bytes = pb_slot_kept(&walk->slot[link].seen);
    }
    if (!walk->segment->edge)
        return;
    for (unsigned link = 0; link < pb_link_count(walk->run->scenario); link++) {
        struct pb_model *model = &walk->model[node_of(walk, link)];
        const struct pb_line_walk *line = &walk->line[link];
        const bool closed = links >> link & 1;
        const size_t seen = line->seen == PB_FRAME_UNKNOWN ? line->by_edges : line->seen;
        if (line->own)
            pb_model_sent(model, dimension_of(walk, link), closed ? seen : PB_FRAME_UNKNOWN,
                          pb_cut_end(walk, link, closed, is_undisturbed(walk, link)));
    }
    for (unsigned link = 0; link < pb_link_count(walk->run->scenario); link++) {
        struct pb_model *model = &walk->model[node_of(walk, link)];
        size_t id[4];
        enum pb_model_miss miss;
        if (!pb_model_listens(model, dimension_of(walk, link)))
            continue;
        const unsigned choices = heard(walk, link, id, &miss);
        pb_model_receive(model, dimension_of(walk, link), id, choices, miss);
    }
}
