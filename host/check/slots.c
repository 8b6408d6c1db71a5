/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Divides the events into slots. For the nodes time is divided into segments, from one edge of TDMA_CLK to
 * the next; the bench sends in the phases of its own schedule. Both are equal without a fault of the clock. A
 * slot is one line in one segment; where the bench sends, it is the line in the bench's phase.
 */
#include "host/check/slots.h"
#include "host/base/room.h"
#include "host/check/alarms.h"
#include "host/check/rebuild.h"
#include "host/check/rise.h"
#include "host/plan/node_map.h"

#include <stdlib.h>
#include <string.h>

/* Beyond it (hours) a time in a phase means nothing. */
#define PHASE_TICKS_MAX (INT64_C(1) << 40)

enum { DEAF_BITS = 12 }; /* a byte, and what the stamps of its phase leave open */

/* ---- what happens in a slot */

/* Reports an edge to the level that the line has already: once a slot, and only if no loss is known. */
static void report_lost_edge(struct pb_walk *walk, struct pb_line_slot *slot, int64_t at_ps, bool high)
{
    if (walk->loss->reported || slot->edge_lost || pb_is_edgeless(walk->run, slot->link))
        return;
    struct pb_finding *finding = pb_slot_report(
        walk->out, slot,
        &(struct pb_claim){.kind = PB_FINDING_EDGE_LOST, .at_ps = at_ps, .sender = PB_SENDER_NONE});
    pb_finding_expected(finding, "link %u falls and rises in turn", slot->link);
    pb_finding_seen(finding, "it %s at %.3f us, and was %s before", high ? "rose" : "fell", pb_us(at_ps),
                    high ? "high" : "low");
    slot->edge_lost = true;
    pb_loss_take_edge(walk->loss);
}

/* What happened to a line between an edge and the next one is not known when events are missing there. */
static bool is_unknown_to(const struct pb_walk *walk, const struct pb_line_slot *slot, uint64_t sequence)
{
    return walk->loss->reported && pb_gaps_between(&walk->loss->gaps, slot->edge_sequence, sequence);
}

/* A low of which only the beginning is known: a bit long, as the shortest that senders make. */
static int64_t known_low_to(const struct pb_check_run *run, const struct pb_line_slot *slot,
                            int64_t beyond_tick)
{
    const struct pb_wave *wave = &slot->wave;
    const int64_t from = wave->count ? wave->edge[wave->count - 1].tick : 0,
                  to = from + (run->bit_period_q4 + 15) / 16;
    return to < beyond_tick ? to : beyond_tick;
}

static void add_to_wave(struct pb_wave *wave, int64_t tick, bool high)
{
    if (wave->count < PB_WAVE_EDGES_MAX && tick < PHASE_TICKS_MAX)
        wave->edge[wave->count++] = (struct pb_wave_edge){.tick = tick, .high = high, .laid = true};
}

/* The same for an edge that was captured. That of a rise: when the line was released. */
static void add_edge_to_wave(const struct pb_check_run *run, struct pb_line_slot *slot,
                             const struct pb_event *event, int64_t ps, int64_t u95_ps)
{
    struct pb_wave *wave = &slot->wave;
    const bool high = pb_event_high(event);
    const unsigned count = wave->count;
    struct pb_released at = {ps, u95_ps};
    int64_t tick = (int64_t)(event->tick - slot->at.tick);
    if (high) {
        at = pb_released_at(run, slot, ps, u95_ps);
        const int64_t earlier_ps = ps - at.ps, tick_ps = run->resolution_ps;
        tick -= (earlier_ps + tick_ps / 2) / tick_ps;
        if (wave->count && tick <= wave->edge[wave->count - 1].tick)
            tick = wave->edge[wave->count - 1].tick + 1;
    }
    add_to_wave(wave, tick, high);
    if (wave->count > count) {
        struct pb_wave_edge *edge = &wave->edge[count];
        edge->laid = pb_event_half(event) == PB_HALF_LAID;
        edge->ps = at.ps;
        edge->u95_ps = at.u95_ps;
    }
}

static void take_edge(struct pb_walk *walk, struct pb_line_slot *slot, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &slot->seen;
    const uint64_t ticks = event->tick > slot->at.tick ? event->tick - slot->at.tick : 0;
    const unsigned half = pb_event_half(event);
    const int64_t from_tick_ps = pb_ticks_to_ps(walk->run, ticks) + pb_half_ps(walk->run, half),
                  edge_ps = pb_half_ps(walk->run, slot->at.half),
                  at_ps = from_tick_ps > edge_ps ? from_tick_ps - edge_ps : 0;
    const int64_t u95_ps = pb_uncertainty_ps(walk->run, &slot->at, half);
    const bool high = pb_event_high(event), was_high = slot->high && !slot->level_lost;
    if (high == was_high)
        report_lost_edge(walk, slot, at_ps, high);
    if (high && !was_high && is_unknown_to(walk, slot, event->sequence))
        add_to_wave(&slot->wave, known_low_to(walk->run, slot, (int64_t)ticks), true);
    slot->level_lost = false;
    slot->edge_sequence = event->sequence;
    walk->out->result->edges_seen += !pb_is_edgeless(walk->run, slot->link);
    seen->edges++;
    add_edge_to_wave(walk->run, slot, event, at_ps, u95_ps);
    if (!seen->any_low) {
        seen->first_low_ps = at_ps;
        seen->first_low_u95_ps = u95_ps;
    }
    seen->any_low = true; /* before a rising edge it was low, too */
    if (high) {
        seen->last_low_ps = at_ps;
        seen->last_low_u95_ps = u95_ps;
    }
    slot->high = high;
}

static void take_byte(const struct pb_check_run *run, struct pb_line_slot *slot, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &slot->seen;
    const unsigned at = seen->byte_count++;
    if (at >= PB_FRAME_MAX)
        return;
    seen->byte[at] = pb_event_data(event);
    seen->byte_start_ps[at] = pb_ticks_to_ps(run, event->tick - slot->at.tick);
    if (!seen->any_low)
        seen->first_low_ps = seen->last_low_ps = seen->byte_start_ps[at];
    seen->any_low = true; /* a byte without an edge is a contradiction, which must be reported */
    if (!pb_event_stop_ok(event) && seen->bad_stop < 0)
        seen->bad_stop = (int)at;
}

static void begin_slot(const struct pb_check_output *out, struct pb_line_slot *slot)
{
    const int64_t u95_ps = pb_uncertainty_ps(out->run, &slot->at, PB_HALF_UNKNOWN);
    slot->found_before = slot->found;
    slot->low_before = slot->seen.any_low;
    slot->found = slot->edge_lost = false;
    slot->findings_before = out->result->findings;
    slot->seen = (struct pb_slot_seen){.any_low = !slot->high,
                                       .first_low_u95_ps = u95_ps,
                                       .last_low_u95_ps = u95_ps,
                                       .bad_stop = -1};
    slot->wave.low_first = !slot->high;
    slot->wave.count = 0;
    slot->alarm = (struct pb_alarm_seen){0};
}

/* The next edge of a line from here on; NULL. */
static const struct pb_event *next_edge(const struct pb_walk *walk, unsigned link)
{
    const struct pb_event *event;
    for (size_t at = walk->line[link].next; (event = pb_walk_event(walk, link, at)); at++)
        if (event->kind == PB_EVENT_EDGE)
            return event;
    return NULL;
}

/* Ends the slot of a line that is low: finds its rise. A rise within one bit after the end distinguishes a
 * short pulse from a held line. If the line falls again, or events are missing before its next event, the
 * time of the rise is unknown. */
static void end_slot(const struct pb_walk *walk, struct pb_line_slot *slot, uint64_t end_tick)
{
    struct pb_slot_seen *seen = &slot->seen;
    const uint64_t beyond = end_tick + walk->run->bit_period_q4;
    const int64_t ticks = (int64_t)(end_tick - slot->at.tick);
    if (slot->high)
        return;
    const struct pb_event *next = next_edge(walk, slot->link);
    bool low_at_end;
    if (next)
        low_at_end = pb_event_high(next) && !is_unknown_to(walk, slot, next->sequence);
    else
        low_at_end = !walk->loss->gaps.next || !is_unknown_to(walk, slot, walk->loss->gaps.next - 1);
    seen->last_low_u95_ps = pb_uncertainty_ps(walk->run, &slot->at, PB_HALF_UNKNOWN);
    if (low_at_end) {
        const uint64_t rise = next && next->tick < beyond ? next->tick : beyond;
        slot->low_until_tick = (int64_t)(rise - slot->at.tick);
        seen->last_low_ps = pb_ticks_to_ps(walk->run, (uint64_t)ticks);
        return;
    }
    slot->high = slot->level_lost = true;
    slot->low_until_tick = known_low_to(walk->run, slot, ticks);
    seen->last_low_ps = pb_ticks_to_ps(walk->run, (uint64_t)slot->low_until_tick);
}

static int64_t stop_sample_ps(const struct pb_check_run *run, uint64_t byte_tick)
{
    return pb_ticks_to_ps(run, byte_tick) + 19 * PB_PS_PER_S / 2 / (int64_t)run->scenario->baud_hz;
}

/* When the slot's frame begins. By bytes the first start bit may be missed for one in progress: then the
 * earliest time. */
static int64_t begins_ps(const struct pb_walk *walk, unsigned link)
{
    const int64_t seen_ps = pb_ticks_to_ps(walk->run, walk->line[link].from_tick) +
                            walk->slot[link].seen.first_low_ps,
                  earliest_ps = pb_ticks_to_ps(walk->run, walk->segment->tick) + walk->run->start_min_ps;
    return pb_is_edgeless(walk->run, link) && earliest_ps < seen_ps ? earliest_ps : seen_ps;
}

static void fill_slot(struct pb_walk *walk, unsigned link)
{
    struct pb_line_walk *line = &walk->line[link];
    struct pb_line_slot *slot = &walk->slot[link];
    const uint64_t before_tick = line->byte_tick;
    slot->at = pb_schedule_place_from(walk->run, pb_mark(walk->marks, walk->segment->mark), line->from_tick,
                                      line->from_half);
    begin_slot(walk->out, slot);
    for (const struct pb_event *event;
         (event = pb_walk_event(walk, link, line->next)) && event->tick < line->to_tick; line->next++) {
        if (event->kind == PB_EVENT_EDGE)
            take_edge(walk, slot, event);
        else if (event->kind == PB_EVENT_BYTE) {
            take_byte(walk->run, slot, event);
            line->byte_tick = event->tick;
        } else
            pb_alarm_take(walk->run, slot, event);
    }
    end_slot(walk, slot, line->to_tick);
    line->garbled =
        before_tick && slot->seen.any_low && stop_sample_ps(walk->run, before_tick) > begins_ps(walk, link);
}

/* ---- outside the phases */

static void report_low_outside(struct pb_check_output *out, struct pb_line_slot *slot,
                               const struct pb_event *event)
{
    const int64_t at_ps = pb_ticks_to_ps(out->run, event->tick) - pb_ticks_to_ps(out->run, slot->at.tick);
    struct pb_finding *finding = pb_slot_report(
        out, slot,
        &(struct pb_claim){.kind = PB_FINDING_UNEXPECTED, .at_ps = at_ps, .sender = PB_SENDER_NONE});
    pb_finding_expected(finding, "line high while the phase clock is stopped");
    pb_finding_seen(finding, "line low");
}

static void take_outside(struct pb_walk *walk, unsigned link, struct pb_schedule_place at, uint64_t to_tick)
{
    struct pb_line_walk *line = &walk->line[link];
    struct pb_line_slot *slot = &walk->slot[link];
    slot->at = at;
    begin_slot(walk->out, slot);
    for (const struct pb_event *event;
         (event = pb_walk_event(walk, link, line->next)) && event->tick < to_tick; line->next++)
        if (event->kind == PB_EVENT_EDGE) {
            take_edge(walk, slot, event);
            /* What came before the first phase is before.c's. */
            if (!pb_event_high(event) && walk->marks->end && event->tick >= walk->marks->first.tick)
                report_low_outside(walk->out, slot, event);
        } else if (event->kind == PB_EVENT_BYTE)
            take_byte(walk->run, slot, event);
}

/* ---- segments */

static bool add_segment(struct pb_walk *walk, const struct pb_segment *segment)
{
    /* One more place, for the end. */
    if (pb_make_room(&walk->segments, &walk->capacity, walk->count + 2, sizeof *walk->segments)) {
        walk->out->code = PB_ERR_MEMORY;
        return false;
    }
    walk->segments[walk->count++] = *segment;
    return true;
}

/* Makes a segment for each phase of the bench, and for each edge of TDMA_CLK that begins no phase. If no edge
 * was captured at all, the nodes are assumed to have seen the scheduled ones. */
static void take_mark(struct pb_walk *walk, size_t number)
{
    const struct pb_phase_mark *at = pb_mark(walk->marks, number);
    const bool last = number + 1 == walk->marks->end;
    const bool assumed = !walk->clock->recorded || (walk->loss->reported && !at->has_edge);
    const struct pb_event *edge;
    if (last) /* the last phase has no edge to end it; it is as long as the others */
        walk->end_tick = at->ideal_tick + (uint64_t)pb_ps_to_ticks(walk->run, walk->run->phase_ps);
    struct pb_segment segment = {.tick = at->tick,
                                 .half = at->half,
                                 .mark = number,
                                 .edge = at->has_edge || assumed,
                                 .sync = assumed ? at->phase == 0 : at->sync};
    pb_nodes_take_mark(walk, &segment);
    if (!add_segment(walk, &segment))
        return;
    segment.half = 0;
    segment.edge = segment.extra = true;
    while ((edge = pb_queue_at(&walk->clock->edge, walk->extra)) && (last || edge->tick < at[1].tick)) {
        walk->extra++;
        segment.tick = edge->tick;
        segment.sync = PB_GET(PB_EVENT_TDMA_SYNC, edge->value);
        if (edge->tick > at->tick && edge->tick < walk->end_tick && !walk->run->scenario->follow &&
            !add_segment(walk, &segment))
            return;
    }
}

void pb_walk_take_marks(struct pb_walk *walk)
{
    const size_t end = walk->clock->pins - (walk->clock->pins > 0 && !walk->run->ended);
    for (; walk->marks_taken < end; walk->marks_taken++)
        take_mark(walk, walk->marks_taken);
}

/* Where the slot of a frame of the bench ends: with the bench's phase; with the nodes' edge if that is
 * earlier, but not before the frame is over. */
static uint64_t end_of_bench_slot(const struct pb_walk *walk, const struct pb_segment *to)
{
    const int64_t end_ps = pb_walk_bench_sampled_ps(walk, to->mark - 1);
    const uint64_t ideal_tick = pb_mark(walk->marks, to->mark)->ideal_tick,
                   end_tick = (uint64_t)pb_ps_to_ticks(walk->run, end_ps);
    if (to->tick >= ideal_tick)
        return ideal_tick;
    return end_tick < to->tick ? to->tick : end_tick < ideal_tick ? end_tick : ideal_tick;
}

/* Finds the end of the slot of a line before the segment `to`. False: the slot continues. */
static bool boundary(const struct pb_walk *walk, unsigned link, const struct pb_segment *to, uint64_t *tick,
                     unsigned *half)
{
    const struct pb_phase_mark *mark = pb_mark(walk->marks, to->mark);
    const bool was_by_bench = !to->extra && walk->segment->bench_due >> link & 1,
               is_by_bench = to->bench_due >> link & 1;
    *half = to->half;
    *tick = to->tick;
    if (walk->run->scenario->follow)
        return true;
    if (is_by_bench && to->extra)
        return false;
    if (is_by_bench || was_by_bench) {
        *tick = is_by_bench ? mark->ideal_tick : end_of_bench_slot(walk, to);
        *half = PB_HALF_UNKNOWN;
    }
    /* What a node sends may last until it has taken notice of the edge that ends its phase. */
    if (walk->line[link].lag_ticks && *tick < to->tick + walk->line[link].lag_ticks)
        *tick = to->tick + walk->line[link].lag_ticks;
    return true;
}

/* The time that a slow external clock adds to the phase. At most the permitted one, as an edge may be
 * missing. */
static int64_t longer_ps(const struct pb_walk *walk)
{
    const int64_t longer = pb_ticks_to_ps(walk->run, walk->next_edge_tick - walk->segment->tick) -
                           walk->run->phase_ps,
                  most = pb_phase_play_ps(walk->run);
    return longer < 0 ? 0 : longer < most ? longer : most;
}

/* From the beginning of the slot: a node keeps its times from the edge that it saw. */
static void set_limits(const struct pb_walk *walk, struct pb_line_slot *slot)
{
    const struct pb_expected_frame *expected = &slot->expected;
    const int64_t edge_ps = expected->crossing && expected->sender == PB_SENDER_NODE ? expected->edge_ps : 0;
    slot->limits = (struct pb_slot_limits){.start_min_ps = walk->run->start_min_ps + edge_ps,
                                           .start_max_ps = walk->run->start_max_ps + edge_ps,
                                           .longer_ps = longer_ps(walk)};
    slot->limits.end_max_ps = pb_end_max_ps(walk->run) + edge_ps + slot->limits.longer_ps;
}

static void judge_segment(struct pb_walk *walk)
{
    const struct pb_segment *next = walk->segment + 1;
    const unsigned links = pb_link_count(walk->run->scenario);
    const bool last = next == walk->segments + walk->count;
    unsigned half[PB_LINKS_MAX];
    uint64_t open = 0;
    walk->next_edge_tick = walk->run->ended ? walk->end_tick : walk->segments[walk->count - 1].tick;
    for (const struct pb_segment *s = next; s < walk->segments + walk->count; s++)
        if (s->edge) {
            walk->next_edge_tick = s->tick;
            break;
        }
    pb_nodes_enter(walk);
    for (unsigned link = 0; link < links; link++) {
        struct pb_line_walk *line = &walk->line[link];
        pb_nodes_foresee(walk, link);
        half[link] = PB_HALF_UNKNOWN;
        line->to_tick = walk->end_tick;
        if (!last && !boundary(walk, link, next, &line->to_tick, &half[link]))
            continue;
        if (line->to_tick < line->from_tick)
            line->to_tick = line->from_tick;
        open |= UINT64_C(1) << link;
        fill_slot(walk, link);
    }
    pb_nodes_expect(walk, open);
    for (unsigned link = 0; link < links; link++)
        if (open >> link & 1) {
            set_limits(walk, &walk->slot[link]);
            if (pb_judge_slot(&walk->judge, &walk->slot[link]))
                pb_nodes_confirm(walk, link);
            if (walk->schedule->reacts)
                pb_nodes_note_shown(walk, link);
        }
    pb_nodes_leave(walk, open);
    uint64_t judged_to = UINT64_MAX;
    for (unsigned link = 0; link < links; link++) {
        struct pb_line_walk *line = &walk->line[link];
        if (open >> link & 1) {
            line->from_tick = line->to_tick;
            line->from_half = half[link];
        }
        if (line->from_tick < judged_to)
            judged_to = line->from_tick;
    }
    pb_transmissions_pass(&walk->judge.transmissions,
                          judged_to == UINT64_MAX ? INT64_MAX : pb_run_ps(walk->run, judged_to));
}

/* ---- from the first to the last */

int pb_walk_open(struct pb_walk *walk)
{
    walk->slot = calloc(PB_LINKS_MAX, sizeof *walk->slot);
    if (!walk->slot)
        return PB_ERR_MEMORY;
    for (unsigned link = 0; link < PB_LINKS_MAX; link++)
        walk->slot[link].link = link;
    walk->end_tick = UINT64_MAX;
    return pb_nodes_open(walk);
}

int pb_walk_push(struct pb_walk *walk, const struct pb_event *event)
{
    return pb_queue_add(&walk->events[event->link], event, 0);
}

/* What came before the first phase; its edge is known. */
static void begin(struct pb_walk *walk)
{
    const uint64_t first_tick = walk->marks->end ? walk->marks->first.tick : UINT64_MAX;
    pb_judge_rises(walk->out);
    pb_judge_before(walk->early);
    const uint64_t level = pb_early_levels(walk->early);
    for (unsigned link = 0; link < pb_link_count(walk->run->scenario); link++) {
        walk->slot[link].high = level >> link & 1;
        take_outside(walk, link, (struct pb_schedule_place){.half = PB_HALF_UNKNOWN}, first_tick);
        walk->line[link].from_tick = first_tick;
        walk->line[link].from_half = walk->marks->end ? walk->marks->first.half : PB_HALF_UNKNOWN;
    }
    pb_early_end(walk->early);
}

/* Discards events that began too long before the current segment for a receiver to accept them. */
static void forget_events(struct pb_walk *walk)
{
    const uint64_t byte_ticks = (DEAF_BITS * (uint64_t)walk->run->bit_period_q4 >> 4) + 1;
    for (unsigned link = 0; link < pb_link_count(walk->run->scenario); link++) {
        struct pb_line_walk *line = &walk->line[link];
        const struct pb_event *event;
        while (line->hear < line->next && (event = pb_walk_event(walk, link, line->hear)) &&
               event->tick + byte_ticks < walk->segment->tick)
            line->hear++;
        pb_queue_forget(&walk->events[link], line->hear < line->next ? line->hear : line->next);
    }
}

void pb_walk_advance(struct pb_walk *walk)
{
    if (!walk->early->judged && (walk->clock->pins > 0 || walk->run->ended))
        begin(walk);
    while (walk->at < walk->count && !walk->out->code) {
        walk->segment = &walk->segments[walk->at];
        if (!walk->run->ended &&
            walk->segments[walk->count - 1].mark <= walk->segment->mark + pb_ahead(walk->run))
            break;
        if (walk->run->ended)
            walk->segments[walk->count].tick = walk->end_tick;
        walk->frames.superframe = pb_mark(walk->marks, walk->segment->mark)->superframe;
        judge_segment(walk);
        pb_nodes_sweep(walk);
        forget_events(walk);
        walk->at++;
    }
    if (walk->at > walk->count / 2) {
        walk->count -= walk->at;
        memmove(walk->segments, walk->segments + walk->at, walk->count * sizeof *walk->segments);
        walk->at = 0;
    }
}

size_t pb_walk_mark(const struct pb_walk *walk)
{
    return walk->at < walk->count ? walk->segments[walk->at].mark : walk->clock->pins;
}

void pb_walk_end(struct pb_walk *walk)
{
    pb_transmissions_pass(&walk->judge.transmissions, INT64_MAX);
    /* After the last phase, too, every line is high. */
    for (unsigned link = 0; link < pb_link_count(walk->run->scenario) && walk->marks->end; link++)
        take_outside(walk, link, pb_schedule_place_last(walk->marks), UINT64_MAX);
    pb_nodes_end(walk);
}

void pb_walk_free(struct pb_walk *walk)
{
    pb_nodes_close(walk);
    pb_transmissions_free(&walk->judge.transmissions);
    free(walk->segments);
    free(walk->slot);
    for (unsigned link = 0; link < PB_LINKS_MAX; link++)
        pb_queue_free(&walk->events[link]);
}
