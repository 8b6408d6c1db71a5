/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the nodes of the rig must do in each segment. A model of the contract for each node (model.h) is fed
 * with the edges, levels and frames that were seen at its pins, so that the expectation follows the contract
 * through faults of clock, lines and frames. On a run without any it expects what the schedule says; where
 * the two differ, a message took another way than the schedule computed (crossed[]).
 */
#include "host/check/walk.h"
#include "host/plan/seats.h"

#include <stdlib.h>
#include <string.h>

/* How a node takes notice of an edge of TDMA_CLK: synchronisers, or the interrupt latency that the scenario
 * states, which the error of its clock (10 % at most) stretches. */
enum { REACTION_MIN_PS = 1000000 };

static int64_t reaction_min_ps(const struct pb_scenario_node *node)
{
    return node->irq_latency_ps - node->irq_latency_ps / 8;
}

static int64_t reaction_max_ps(const struct pb_scenario_node *node)
{
    const int64_t stated_ps = node->irq_latency_ps + node->irq_jitter_ps;
    return stated_ps + stated_ps / 8 + REACTION_MIN_PS;
}

static unsigned node_of(const struct pb_walk *walk, unsigned link)
{
    return pb_link_seat(walk->checker->scenario, link);
}

static unsigned dimension_of(const struct pb_walk *walk, unsigned link)
{
    return pb_link_port(walk->checker->scenario, link);
}

/* ---- the schedule, by phases of the bench */

static bool is_at(const struct pb_phase_mark *mark, uint32_t superframe, unsigned phase)
{
    return mark->superframe == superframe && mark->phase == phase;
}

/* The link on which a crossing reaches its node. */
static unsigned arrival_link(const struct pb_scenario *scenario, unsigned seat,
                             const struct pb_crossing *crossing)
{
    const struct pb_peer peer = pb_network_peer(&scenario->network, crossing->from, crossing->port);
    return pb_link_of(scenario, seat, peer.port);
}

static void sort_crossings(struct pb_walk *walk)
{
    struct pb_checker *checker = walk->checker;
    const struct pb_scenario *scenario = checker->scenario;
    size_t at = 0;
    for (size_t mark = 0; mark < checker->marks; mark++) {
        const uint64_t phases = scenario->network.phases,
                       now = checker->mark[mark].superframe * phases + checker->mark[mark].phase;
        const struct pb_crossing *crossing;
        for (; at < checker->expectation.crossings; at++) {
            crossing = &checker->expectation.crossing[at];
            if (crossing->superframe * phases + crossing->phase >= now)
                break;
        }
        walk->first_crossing[mark] = at;
        for (; at < checker->expectation.crossings; at++) {
            crossing = &checker->expectation.crossing[at];
            if (!is_at(&checker->mark[mark], crossing->superframe, crossing->phase))
                break;
            const int to = pb_seat_of(scenario, crossing->to);
            if (pb_seat_of(scenario, crossing->from) < 0)
                walk->bench_due[mark] |= UINT64_C(1) << arrival_link(scenario, (unsigned)to, crossing);
        }
        for (size_t i = 0; i < scenario->fault_count; i++) {
            const struct pb_fault *fault = &scenario->fault[i];
            if (fault->kind == PB_FAULT_BABBLE &&
                is_at(&checker->mark[mark], fault->superframe, fault->phase))
                walk->bench_due[mark] |= UINT64_C(1) << pb_link_of(scenario, fault->seat, fault->dimension);
        }
    }
    walk->first_crossing[checker->marks] = at;
}

static int by_instant(const void *left, const void *right)
{
    const struct pb_release *a = left, *b = right;
    if (a->instant != b->instant)
        return a->instant < b->instant ? -1 : 1;
    return a->message < b->message ? -1 : a->message > b->message;
}

static bool was_refused(const struct pb_observation *observation, size_t message)
{
    const size_t most = sizeof observation->console_failure / sizeof observation->console_failure[0];
    for (size_t i = 0; i < observation->console_failures && i < most; i++)
        if (observation->console_failure[i].message == message &&
            observation->console_failure[i].answer[0] == '-')
            return true;
    return false;
}

static int sort_releases(struct pb_walk *walk)
{
    const struct pb_scenario *scenario = walk->checker->scenario;
    const struct pb_traffic *traffic = &scenario->traffic;
    size_t own[PB_SCENARIO_NODES_MAX] = {0};
    walk->release = calloc(traffic->count + 1, sizeof *walk->release);
    if (!walk->release)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct pb_message *message = &traffic->message[i];
        const int node = pb_seat_of(scenario, message->source);
        if (node < 0 || was_refused(walk->checker->observation, i))
            continue;
        walk->release[walk->releases++] = (struct pb_release){
            .instant = (uint64_t)message->release_superframe * scenario->network.phases +
                       message->release_phase,
            .message = i,
            .node = (unsigned)node,
        };
    }
    qsort(walk->release, walk->releases, sizeof *walk->release, by_instant);
    for (size_t i = 0; i < walk->releases; i++)
        walk->release[i].number = own[walk->release[i].node]++;
    return PB_OK;
}

int pb_nodes_open(struct pb_walk *walk)
{
    struct pb_checker *checker = walk->checker;
    walk->bench_due = calloc(checker->marks + 1, sizeof *walk->bench_due);
    walk->first_crossing = calloc(checker->marks + 1, sizeof *walk->first_crossing);
    walk->crossed = calloc(checker->expectation.crossings + 1, sizeof *walk->crossed);
    for (unsigned link = 0; link < PB_LINKS_MAX; link++)
        walk->line[link].cut_id = PB_FRAME_NONE;
    int code = walk->bench_due && walk->first_crossing && walk->crossed
                   ? pb_frames_open(&walk->frames, checker->scenario)
                   : PB_ERR_MEMORY;
    for (unsigned i = 0; !code && i < checker->scenario->node_count; i++)
        code = pb_model_open(&walk->model[i], &walk->frames, i);
    if (!code)
        code = sort_releases(walk);
    if (code)
        return code;
    checker->frames = &walk->frames;
    sort_crossings(walk);
    return PB_OK;
}

/* A message of which one crossing was not seen right did not arrive as computed. */
void pb_nodes_close(struct pb_walk *walk)
{
    struct pb_checker *checker = walk->checker;
    for (size_t i = 0; walk->crossed && i < checker->expectation.crossings; i++)
        if (!walk->crossed[i])
            checker->expectation.fate[checker->expectation.crossing[i].message].broken = true;
    checker->frames = NULL;
    for (unsigned i = 0; i < PB_SCENARIO_NODES_MAX; i++) {
        if (walk->model[i].states)
            pb_model_counts(&walk->model[i], checker->least[i], checker->most[i]);
        if (walk->model[i].failed)
            checker->code = PB_ERR_MEMORY;
        pb_model_close(&walk->model[i]);
    }
    pb_frames_close(&walk->frames);
    free(walk->bench_due);
    free(walk->first_crossing);
    free(walk->crossed);
    free(walk->release);
}

/* ---- the segment begins */

/* The level of TDMA_SYNC some time after the edge: as seen at the edge while the bench's phase lasts, then as
 * the schedule has it. */
static bool sync_after(const struct pb_walk *walk, int64_t after_ps)
{
    const struct pb_checker *checker = walk->checker;
    const struct pb_segment *segment = walk->segment;
    const uint64_t tick = segment->tick + (uint64_t)pb_ps_to_ticks(checker, after_ps);
    size_t at_edge = segment->mark, later;
    if (at_edge && segment->tick < checker->mark[at_edge].ideal_tick)
        at_edge--;
    for (later = at_edge; later + 1 < checker->marks && checker->mark[later + 1].ideal_tick <= tick;)
        later++;
    return later == at_edge ? segment->sync : checker->mark[later].phase == 0;
}

static void enter_edge(struct pb_walk *walk)
{
    const struct pb_checker *checker = walk->checker;
    const struct pb_segment *segment = walk->segment;
    const int64_t before_ps =
        walk->last_edge_tick ? pb_ticks_to_ps(checker, segment->tick - walk->last_edge_tick) : INT64_MAX;
    for (unsigned i = 0; i < checker->scenario->node_count; i++) {
        const struct pb_scenario_node *node = &checker->scenario->node[i];
        bool first = segment->sync, last = first;
        if (!checker->scenario->follow) {
            first = sync_after(walk, reaction_min_ps(node));
            last = sync_after(walk, reaction_max_ps(node));
        }
        pb_model_edge(&walk->model[i], !first || !last, first || last, first,
                      before_ps < reaction_max_ps(node));
    }
    walk->last_edge_tick = segment->tick;
}

static uint64_t instant_of(const struct pb_walk *walk)
{
    const struct pb_phase_mark *mark = &walk->checker->mark[walk->segment->mark];
    return (uint64_t)mark->superframe * walk->checker->scenario->network.phases + mark->phase;
}

static void release_due(struct pb_walk *walk)
{
    const uint64_t now = instant_of(walk);
    for (; walk->released < walk->releases && walk->release[walk->released].instant <= now;
         walk->released++) {
        const struct pb_release *release = &walk->release[walk->released];
        pb_model_release(&walk->model[release->node], release->message, release->number, false);
    }
}

/* The console line of a message is typed after the last phase before its release in which a node in step
 * could send it: a node that is out of step can send it before the release, and so can one that an extra edge
 * gives that phase twice. */
static void release_early(struct pb_walk *walk)
{
    const struct pb_checker *checker = walk->checker;
    const uint64_t until = instant_of(walk) + checker->scenario->network.phases;
    for (size_t i = walk->released; i < walk->releases && walk->release[i].instant < until; i++) {
        const struct pb_release *release = &walk->release[i];
        struct pb_model *model = &walk->model[release->node];
        if (walk->segment->extra || !pb_model_is_at(model, checker->mark[walk->segment->mark].phase))
            pb_model_release(model, release->message, release->number, true);
    }
}

void pb_nodes_enter(struct pb_walk *walk)
{
    if (!walk->segment->extra)
        release_due(walk);
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

void pb_nodes_foresee(struct pb_walk *walk, unsigned link)
{
    const struct pb_checker *checker = walk->checker;
    struct pb_line_walk *line = &walk->line[link];
    const int partner = pb_partner_link(checker->scenario, link);
    const unsigned sender = partner >= 0 && is_due(walk, (unsigned)partner) ? (unsigned)partner : link;
    const int64_t lasts_ps = pb_ticks_to_ps(checker, walk->next_edge_tick - walk->segment->tick);
    line->own = is_due(walk, link);
    line->due = PB_FRAME_NONE;
    line->seen = PB_FRAME_UNKNOWN;
    line->cut =
        is_due(walk, sender) && lasts_ps + 2 * checker->result->resolution_ps < pb_end_max_ps(checker);
    const int64_t reaction_ps = reaction_max_ps(&checker->scenario->node[node_of(walk, sender)]);
    line->lag_ticks = line->cut ? (uint64_t)pb_ps_to_ticks(checker, reaction_ps) : 0;
}

/* ---- what is due */

static const struct pb_crossing *bench_crossing(const struct pb_walk *walk, unsigned link)
{
    const struct pb_checker *checker = walk->checker;
    const size_t mark = walk->segment->mark;
    for (size_t i = walk->first_crossing[mark]; i < checker->expectation.crossings; i++) {
        const struct pb_crossing *crossing = &checker->expectation.crossing[i];
        if (!is_at(&checker->mark[mark], crossing->superframe, crossing->phase))
            break;
        const int to = pb_seat_of(checker->scenario, crossing->to);
        if (to >= 0 && pb_seat_of(checker->scenario, crossing->from) < 0 &&
            arrival_link(checker->scenario, (unsigned)to, crossing) == link)
            return crossing;
    }
    return NULL;
}

static bool shows(const struct pb_walk *walk, unsigned link, size_t id)
{
    const struct pb_slot_seen *seen = &walk->checker->seen[link];
    return seen->byte_count <= PB_FRAME_MAX &&
           pb_frames_equal(&walk->frames, id, seen->byte, seen->byte_count);
}

/* An edge of TDMA_CLK that comes so late, or the next one so early, that a node's frame and one of the bench
 * reach into one another, each in a slot of its own: the end of one is in the slot of the other. */
static bool reaches_over(const struct pb_walk *walk, unsigned link)
{
    const struct pb_checker *checker = walk->checker;
    const struct pb_line_walk *line = &walk->line[link];
    const struct pb_phase_mark *mark = &checker->mark[walk->segment->mark];
    const struct pb_model *model = &walk->model[node_of(walk, link)];
    const unsigned dimension = dimension_of(walk, link);
    const size_t at = walk->segment->mark;
    const bool at_ease = walk->segment->tick == mark->ideal_tick && !walk->segment->extra &&
                         at + 1 < checker->marks && walk->next_edge_tick == mark[1].ideal_tick;
    const bool last = walk->segment + 1 == walk->segments_all + walk->count;
    const uint64_t bench_due = walk->bench_due[at] | (last ? 0 : walk->bench_due[walk->segment[1].mark]);
    const int64_t frame_ps =
        10 * PB_PS_PER_S * checker->scenario->frame_bytes / (int64_t)checker->scenario->baud_hz;
    if ((at_ease && !line->spilt) || !(bench_due >> link & 1))
        return false;
    if (line->own) {
        const struct pb_slot_seen *seen = &checker->seen[link];
        const int64_t from_ps = pb_ticks_to_ps(checker, line->from_tick),
                      to_ps = pb_ticks_to_ps(checker, line->to_tick),
                      byte_ps = 10 * PB_PS_PER_S / (int64_t)checker->scenario->baud_hz;
        const unsigned bytes = pb_slot_kept(seen);
        const bool whole = seen->byte_count >= checker->scenario->frame_bytes &&
                           from_ps + seen->byte_start_ps[bytes - 1] + byte_ps <= to_ps;
        return !whole &&
               pb_ticks_to_ps(checker, walk->segment->tick) + checker->result->start_max_ps + frame_ps >
                   to_ps;
    }
    return line->spilt ||
           (walk->bench_due[at] >> link & 1 && pb_model_sends_next(model, dimension) &&
            pb_ticks_to_ps(checker, walk->next_edge_tick) + checker->result->start_min_ps <
                pb_walk_bench_end_ps(walk, at));
}

/* An edge that comes before the node had to begin leaves it open whether it did. */
static bool had_to_begin(const struct pb_walk *walk)
{
    const struct pb_checker *checker = walk->checker;
    return pb_ticks_to_ps(checker, walk->next_edge_tick - walk->segment->tick) >
           checker->result->start_max_ps + pb_most_ps(checker, 1);
}

static size_t what_was_seen(const struct pb_walk *walk, unsigned link, const struct pb_crossing *by_bench)
{
    const struct pb_checker *checker = walk->checker;
    const struct pb_line_walk *line = &walk->line[link];
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct pb_model *model = &walk->model[node_of(walk, link)];
    const bool spoilt = pb_fault_on_line(checker, link, pb_ticks_to_ps(checker, line->from_tick),
                                         pb_ticks_to_ps(checker, line->to_tick));
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
    const struct pb_slot_seen *seen = &walk->checker->seen[link];
    const unsigned bytes = pb_slot_kept(seen);
    const int64_t data_ps = 9 * PB_PS_PER_S / (int64_t)walk->checker->scenario->baud_hz;
    return bytes && seen->byte_start_ps[bytes - 1] + data_ps <= by_ps;
}

/* The bytes of the slot continue the frame that should have been cut off: its sender did not release the
 * line, so they were read right. */
static bool goes_on(const struct pb_walk *walk, unsigned link)
{
    const struct pb_slot_seen *seen = &walk->checker->seen[link];
    const struct pb_line_walk *line = &walk->line[link];
    uint8_t bytes[PB_FRAME_MAX];
    const unsigned count = line->cut_id == PB_FRAME_NONE
                               ? 0
                               : pb_frames_bytes(&walk->frames, line->cut_id, bytes),
                   left = count > line->cut_bytes ? count - line->cut_bytes : 0, kept = pb_slot_kept(seen),
                   both = kept < left ? kept : left;
    return both > 1 && !memcmp(bytes + line->cut_bytes, seen->byte, both);
}

/* A frame that begins while the core reads what is left of one that was cut off: its bytes are misread, its
 * edges are as they are. */
static void read_edges_alone(struct pb_walk *walk, unsigned link)
{
    struct pb_expected_frame *expected = &walk->checker->expected[link];
    const bool edgeless = pb_is_edgeless(walk->checker, link);
    if (walk->line[link].garbled && expected->crossing &&
        (expected->kind == PB_SLOT_PLAIN || (expected->kind == PB_SLOT_CUT && edgeless)))
        expected->kind = edgeless || expected->sender == PB_SENDER_BENCH ? PB_SLOT_COLLISION : PB_SLOT_CUT;
}

static void expect_own(struct pb_walk *walk, unsigned link, const struct pb_crossing *by_bench)
{
    struct pb_checker *checker = walk->checker;
    struct pb_line_walk *line = &walk->line[link];
    const unsigned dimension = dimension_of(walk, link);
    const uint32_t here = checker->scenario->node[node_of(walk, link)].address;
    struct pb_expected_frame *expected = &checker->expected[link];
    /* The edge could have cut a frame that ends as late as it may. This one was over before. */
    if (line->cut && !line->garbled && checker->seen[link].byte_count >= checker->scenario->frame_bytes &&
        is_over(walk, link, expected->end_ps))
        line->cut = false;
    line->seen = what_was_seen(walk, link, by_bench);
    /* Of a frame that was cut off its bytes do not tell which it is, but that there was one. */
    const bool begun =
        line->seen == PB_FRAME_UNKNOWN && line->cut && !by_bench && checker->seen[link].any_low;
    line->due =
        pb_model_due(&walk->model[node_of(walk, link)], dimension, begun ? PB_FRAME_GARBAGE : line->seen);
    if (line->due == PB_FRAME_NONE)
        return;
    walk->own[link] =
        (struct pb_crossing){.superframe = checker->mark[walk->segment->mark].superframe,
                             .phase = checker->mark[walk->segment->mark].phase,
                             .port = dimension,
                             .from = here,
                             .to = pb_network_neighbour(&checker->scenario->network, here, dimension),
                             .message = line->due};
    /* A bit of the frame that is due is not the next sender's. */
    const bool whole = line->seen == line->due && is_over(walk, link, expected->released_ps);
    expected->crossing = &walk->own[link];
    expected->sender = PB_SENDER_NODE;
    expected->kind = by_bench ? PB_SLOT_COLLISION : line->cut && !whole ? PB_SLOT_CUT : PB_SLOT_PLAIN;
}

static void expect_through(struct pb_walk *walk, unsigned link)
{
    struct pb_checker *checker = walk->checker;
    const int partner = pb_partner_link(checker->scenario, link);
    if (partner < 0 || !checker->expected[partner].crossing || checker->expected[partner].through_fabric ||
        checker->expected[link].crossing)
        return;
    checker->expected[link].crossing = checker->expected[partner].crossing;
    checker->expected[link].sender = PB_SENDER_NODE;
    checker->expected[link].kind = checker->expected[partner].kind;
    checker->expected[link].through_fabric = true;
}

/* Whether the nodes' phases lie elsewhere than the bench's, by number or by time. */
static bool are_displaced(const struct pb_walk *walk)
{
    const struct pb_checker *checker = walk->checker;
    const struct pb_segment *segment = walk->segment;
    const struct pb_phase_mark *mark = &checker->mark[segment->mark];
    bool displaced = segment->extra || !segment->edge || walk->next_edge_tick != segment[1].tick;
    for (const struct pb_phase_mark *at = mark - (segment->mark > 0);
         at < checker->mark + checker->marks && at <= mark + 1; at++)
        displaced |= !checker->scenario->follow && at->tick != at->ideal_tick;
    for (unsigned i = 0; i < checker->scenario->node_count; i++)
        displaced |= !pb_model_is_at(&walk->model[i], mark->phase);
    return displaced;
}

void pb_nodes_expect(struct pb_walk *walk, uint64_t links)
{
    struct pb_checker *checker = walk->checker;
    const unsigned count = pb_link_count(checker->scenario);
    const size_t mark = walk->segment->mark;
    for (unsigned link = 0; link < count; link++) {
        if (!(links >> link & 1))
            continue;
        const struct pb_crossing *by_bench =
            walk->bench_due[mark] >> link & 1 ? bench_crossing(walk, link) : NULL;
        checker->expected[link] = (struct pb_expected_frame){
            .crossing = by_bench,
            .sender = PB_SENDER_BENCH,
            .by_bench = by_bench != NULL,
            .edge_ps = pb_ticks_to_ps(checker, walk->segment->tick) -
                       pb_ticks_to_ps(checker, walk->line[link].from_tick),
            .end_ps = pb_ticks_to_ps(checker, walk->next_edge_tick) -
                      pb_ticks_to_ps(checker, walk->line[link].from_tick),
            .released_ps = pb_ticks_to_ps(checker, walk->line[link].to_tick - walk->line[link].from_tick),
        };
        if (walk->line[link].garbled && goes_on(walk, link))
            walk->line[link].garbled = false;
        const bool over = !checker->scenario->follow && reaches_over(walk, link);
        if (walk->line[link].own)
            expect_own(walk, link, by_bench);
        if (over && walk->line[link].seen != walk->line[link].due && checker->expected[link].crossing) {
            checker->expected[link].kind = PB_SLOT_COLLISION;
            walk->line[link].seen = PB_FRAME_UNKNOWN;
        }
        walk->line[link].spilt = over && walk->line[link].own;
        read_edges_alone(walk, link);
    }
    checker->displaced = are_displaced(walk);
    for (unsigned link = 0; link < count; link++)
        if (links >> link & 1)
            expect_through(walk, link);
}

void pb_nodes_confirm(struct pb_walk *walk, unsigned link)
{
    const struct pb_checker *checker = walk->checker;
    const struct pb_expected_frame *expected = &checker->expected[link];
    const size_t mark = walk->segment->mark;
    for (size_t i = walk->first_crossing[mark]; expected->crossing && i < checker->expectation.crossings;
         i++) {
        const struct pb_crossing *crossing = &checker->expectation.crossing[i];
        if (!is_at(&checker->mark[mark], crossing->superframe, crossing->phase))
            break;
        if (crossing->message == expected->crossing->message && crossing->from == expected->crossing->from)
            walk->crossed[i] = true;
    }
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
        return PB_MISS_ANY; /* not followed */
    if (starc && count > 2 && bytes[2] != scenario->payload_bytes + 2)
        return PB_MISS_LENGTH;
    return count < scenario->frame_bytes ? PB_MISS_CUT : PB_MISS_CRC;
}

/* The ids that the node may have taken from a link on which it listens in this segment. */
static unsigned heard(struct pb_walk *walk, unsigned link, size_t id[4], enum pb_model_miss *miss)
{
    struct pb_checker *checker = walk->checker;
    struct pb_line_walk *line = &walk->line[link];
    const struct pb_scenario_node *node = &checker->scenario->node[node_of(walk, link)];
    const int64_t from_ps = pb_ticks_to_ps(checker, walk->segment->tick),
                  to_ps = pb_ticks_to_ps(checker, walk->next_edge_tick),
                  bit_ps = PB_PS_PER_S / (int64_t)checker->scenario->baud_hz,
                  slack_ps = 2 * checker->result->resolution_ps,
                  guard_ps = checker->result->start_min_ps - slack_ps;
    const int64_t deaf_ps = reaction_max_ps(node) < guard_ps ? reaction_max_ps(node) : guard_ps;
    const unsigned fault = pb_fault_of_frame(checker, link, checker->mark[walk->segment->mark].superframe,
                                             checker->mark[walk->segment->mark].phase);
    /* The contract leaves it to the node whether it takes a frame that only its time or its baud spoils. */
    const bool spoilt = pb_fault_on_line(checker, link, from_ps, to_ps) || fault == PB_FAULT_BAUD ||
                        fault == PB_FAULT_EARLY_START || fault == PB_FAULT_LATE_START;
    const unsigned length = checker->scenario->frame_bytes;
    uint8_t bytes[PB_FRAME_MAX + 1];
    unsigned count = 0, surplus = 0;
    bool doubtful = spoilt, lost = false, bad_stop = false, plain_surplus = false, early = false;
    const struct pb_event *event;

    /* A byte that began before the edge belongs to a phase in which the node did not listen here. What of it
     * comes after the edge may look like a byte to the node, which the frame then begins with. */
    while ((event = pb_walk_event(walk, link, line->hear)) &&
           (event->kind != PB_EVENT_BYTE || pb_ticks_to_ps(checker, event->tick) < from_ps - slack_ps)) {
        doubtful |=
            event->kind == PB_EVENT_BYTE && pb_ticks_to_ps(checker, event->tick) + 10 * bit_ps > from_ps;
        line->hear++;
    }
    for (size_t at = line->hear; (event = next_byte(walk, link, &at));) {
        const int64_t at_ps = pb_ticks_to_ps(checker, event->tick);
        int32_t error_ppm;
        if (at_ps >= to_ps)
            break;
        if (count == length) {
            if (!surplus++) {
                plain_surplus = pb_event_stop_ok(event) && at_ps + 10 * bit_ps <= to_ps;
                bytes[count] = pb_event_data(event);
            }
            continue;
        }
        if (count == 0 && at_ps < from_ps + deaf_ps)
            doubtful = early = true;
        if (!pb_event_stop_ok(event))
            lost = bad_stop = true;
        if (at_ps + 10 * bit_ps > to_ps)
            doubtful = true;
        if (at_ps + 9 * bit_ps > to_ps + reaction_max_ps(node))
            lost = true;
        if (pb_slot_baud_error(event, checker->bit_period_q4, &error_ppm) &&
            abs(error_ppm) > checker->baud_limit_ppm)
            doubtful = true;
        bytes[count++] = pb_event_data(event);
    }
    const struct pb_crossing *due = checker->expected[link].crossing;
    const size_t likely = due ? due->message : PB_FRAME_NONE,
                 whole = count == length ? pb_frames_add(&walk->frames, likely, bytes, count) : PB_FRAME_NONE;
    if (whole == PB_FRAME_UNKNOWN)
        checker->code = PB_ERR_MEMORY;
    /* A frame of the bench that was not injected to be wrong, and is seen wrong: by the bench's mistake or by
     * the capture's. */
    const bool mistaken =
        due &&
        (line->garbled || (!fault && checker->expected[link].sender == PB_SENDER_BENCH &&
                           (lost || surplus || !pb_frames_equal(&walk->frames, due->message, bytes, count))));
    const bool good = whole != PB_FRAME_NONE && whole != PB_FRAME_UNKNOWN && !lost,
               plain = !doubtful && !mistaken && !checker->loss_told,
               ended = walk->next_edge_tick < walk->end_tick; /* else no edge ends the last phase */
    *miss = surplus ? PB_MISS_ANY_AFTER : PB_MISS_ANY;
    if (plain && surplus && good && plain_surplus)
        *miss = PB_MISS_AFTER;
    else if (plain && !surplus) {
        if (!count && !(spoilt || (checker->seen[link].any_low && !due)))
            *miss = PB_MISS_SILENCE;
        else if (bad_stop)
            *miss = PB_MISS_STOP;
        else if (count && !lost)
            *miss = miss_of(checker->scenario, bytes, count);
        if (*miss == PB_MISS_CUT && !ended)
            *miss = PB_MISS_ANY;
    }
    unsigned choices = 0;
    if (good)
        id[choices++] = whole;
    if ((spoilt || mistaken || checker->loss_told) && due && (choices == 0 || id[0] != due->message))
        id[choices++] = due->message;
    /* The rest of a frame that was cut off may read as a byte before this frame. A node that listens from its
     * edge on does not receive it. */
    const size_t later = early && plain_surplus && !lost
                             ? pb_frames_add(&walk->frames, likely, bytes + 1, count)
                             : PB_FRAME_NONE;
    if (later != PB_FRAME_NONE && later != PB_FRAME_UNKNOWN && (!choices || id[choices - 1] != later))
        id[choices++] = later;
    if (!choices || doubtful || surplus || mistaken || checker->loss_told)
        id[choices++] = PB_FRAME_NONE;
    return choices;
}

void pb_nodes_leave(struct pb_walk *walk, uint64_t links)
{
    struct pb_checker *checker = walk->checker;
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++) {
        const struct pb_expected_frame *expected = &checker->expected[link];
        if (!(links >> link & 1))
            continue;
        walk->line[link].cut_id =
            expected->crossing && expected->kind == PB_SLOT_CUT ? expected->crossing->message : PB_FRAME_NONE;
        walk->line[link].cut_bytes = pb_slot_kept(&checker->seen[link]);
    }
    if (!walk->segment->edge)
        return;
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++) {
        struct pb_model *model = &walk->model[node_of(walk, link)];
        const struct pb_line_walk *line = &walk->line[link];
        const bool closed = links >> link & 1;
        if (line->own)
            pb_model_sent(model, dimension_of(walk, link), closed ? line->seen : PB_FRAME_UNKNOWN,
                          line->cut && !(closed && line->seen == line->due));
    }
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++) {
        struct pb_model *model = &walk->model[node_of(walk, link)];
        size_t id[4];
        enum pb_model_miss miss;
        if (!pb_model_listens(model, dimension_of(walk, link)))
            continue;
        const unsigned choices = heard(walk, link, id, &miss);
        pb_model_receive(model, dimension_of(walk, link), id, choices, miss);
    }
}
