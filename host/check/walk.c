/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Leads through the events. The nodes live in segments, from one edge of TDMA_CLK to the next; the bench
 * sends in the phases of its own schedule. Both are the same unless a fault of the clock sets them apart. A
 * slot is what one line shows in one segment; where the bench sends, the slot is the bench's phase.
 */
#include "host/check/walk.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Beyond it (hours) a time in a phase means nothing. */
#define PHASE_TICKS_MAX (INT64_C(1) << 40)

/* ---- events of one line */

static bool of_line(const struct pb_event *event)
{
    return event->kind == PB_EVENT_EDGE || event->kind == PB_EVENT_BYTE || event->kind == PB_EVENT_ALARM;
}

static int sort_by_line(struct pb_walk *walk)
{
    const struct pb_events *events = &walk->checker->observation->events;
    const unsigned links = pb_link_count(walk->checker->scenario);
    size_t total = 0;
    for (size_t i = 0; i < events->count; i++)
        if (of_line(&events->event[i]) && events->event[i].link < links)
            walk->line[events->event[i].link].end++;
    for (unsigned link = 0; link < links; link++) {
        const size_t count = walk->line[link].end;
        walk->line[link].next = walk->line[link].hear = walk->line[link].end = total;
        total += count;
    }
    walk->index = malloc((total + 1) * sizeof *walk->index);
    if (!walk->index)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < events->count; i++)
        if (of_line(&events->event[i]) && events->event[i].link < links)
            walk->index[walk->line[events->event[i].link].end++] = i;
    return PB_OK;
}

const struct pb_event *pb_walk_event(const struct pb_walk *walk, unsigned link, size_t at)
{
    return at < walk->line[link].end ? &walk->checker->observation->events.event[walk->index[at]] : NULL;
}

/* ---- what happens in a slot */

/* An edge to the level that the line has already: told once a slot, and not where a loss is known anyway. */
static void report_lost_edge(struct pb_checker *checker, unsigned link, int64_t at_ps, bool high)
{
    const uint64_t bit = UINT64_C(1) << link;
    if (checker->loss_told || checker->edge_lost & bit || pb_is_edgeless(checker, link))
        return;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_EDGE_LOST, (int)link, at_ps);
    pb_finding_expected(finding, "link %u falls and rises in turn", link);
    pb_finding_seen(finding, "it %s at %.3f us, and was %s before", high ? "rose" : "fell", pb_us(at_ps),
                    high ? "high" : "low");
    checker->edge_lost |= bit;
    checker->loss = true;
}

/* What happened to a line between an edge and the next one is not known when events are missing there. */
static bool is_unknown_to(const struct pb_checker *checker, unsigned link, uint64_t sequence)
{
    return checker->loss_told && pb_gaps_between(&checker->gaps, checker->edge_sequence[link], sequence);
}

/* A low of which only the beginning is known: a bit long, as the shortest that senders make. */
static int64_t known_low_to(const struct pb_checker *checker, unsigned link, int64_t beyond_tick)
{
    const struct pb_wave *wave = &checker->wave[link];
    const int64_t from = wave->count ? wave->edge[wave->count - 1].tick : 0,
                  to = from + (checker->bit_period_q4 + 15) / 16;
    return to < beyond_tick ? to : beyond_tick;
}

static void add_to_wave(struct pb_wave *wave, int64_t tick, bool high)
{
    if (wave->count < PB_WAVE_EDGES_MAX && tick < PHASE_TICKS_MAX)
        wave->edge[wave->count++] = (struct pb_wave_edge){.tick = tick, .high = high, .laid = true};
}

/* The same for an edge that was captured. That of a rise: when the line was released. */
static void add_edge_to_wave(struct pb_checker *checker, const struct pb_event *event, int64_t ps,
                             int64_t u95_ps)
{
    struct pb_wave *wave = &checker->wave[event->link];
    const bool high = pb_event_high(event);
    const unsigned count = wave->count;
    struct pb_released at = {ps, u95_ps};
    int64_t tick = (int64_t)(event->tick - checker->phase_tick);
    if (high) {
        at = pb_released_at(checker, event->link, ps, u95_ps);
        const int64_t earlier_ps = ps - at.ps, tick_ps = checker->result->resolution_ps;
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

static void take_edge(struct pb_checker *checker, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &checker->seen[event->link];
    struct pb_wave *wave = &checker->wave[event->link];
    const uint64_t ticks = event->tick > checker->phase_tick ? event->tick - checker->phase_tick : 0;
    const unsigned half = pb_event_half(event);
    const int64_t from_tick_ps = pb_ticks_to_ps(checker, ticks) + pb_half_ps(checker, half),
                  edge_ps = pb_half_ps(checker, checker->phase_half),
                  at_ps = from_tick_ps > edge_ps ? from_tick_ps - edge_ps : 0;
    const int64_t u95_ps = pb_uncertainty_ps(checker, half);
    const uint64_t bit = UINT64_C(1) << event->link;
    const bool high = pb_event_high(event);
    const bool was_high = checker->line_level & ~checker->level_lost & bit;
    if (high == was_high)
        report_lost_edge(checker, event->link, at_ps, high);
    if (high && !was_high && is_unknown_to(checker, event->link, event->sequence))
        add_to_wave(wave, known_low_to(checker, event->link, (int64_t)ticks), true);
    checker->level_lost &= ~bit;
    checker->edge_sequence[event->link] = event->sequence;
    checker->result->edges_seen += !pb_is_edgeless(checker, event->link);
    seen->edges++;
    add_edge_to_wave(checker, event, at_ps, u95_ps);
    if (!seen->any_low) {
        seen->first_low_ps = at_ps;
        seen->first_low_u95_ps = u95_ps;
    }
    seen->any_low = true; /* before a rising edge it was low, too */
    if (high) {
        checker->line_level |= bit;
        seen->last_low_ps = at_ps;
        seen->last_low_u95_ps = u95_ps;
    } else
        checker->line_level &= ~bit;
}

static void take_byte(struct pb_checker *checker, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &checker->seen[event->link];
    const unsigned at = seen->byte_count++;
    if (at >= PB_FRAME_MAX)
        return;
    seen->byte[at] = pb_event_data(event);
    seen->byte_start_ps[at] = pb_ticks_to_ps(checker, event->tick - checker->phase_tick);
    if (!seen->any_low)
        seen->first_low_ps = seen->last_low_ps = seen->byte_start_ps[at];
    seen->any_low = true; /* a byte without an edge is a contradiction that must not go by */
    if (!pb_event_stop_ok(event) && seen->bad_stop < 0)
        seen->bad_stop = (int)at;
}

static void begin_slot(struct pb_checker *checker, unsigned link)
{
    const uint64_t bit = UINT64_C(1) << link;
    const bool low = !(checker->line_level & bit);
    checker->found_before = (checker->found_before & ~bit) | (checker->found & bit);
    checker->found &= ~bit;
    checker->edge_lost &= ~bit;
    checker->low_before &= ~bit;
    checker->low_before |= checker->seen[link].any_low ? bit : 0;
    checker->seen[link] =
        (struct pb_slot_seen){.any_low = low,
                              .first_low_u95_ps = pb_uncertainty_ps(checker, PB_HALF_UNKNOWN),
                              .last_low_u95_ps = pb_uncertainty_ps(checker, PB_HALF_UNKNOWN),
                              .bad_stop = -1};
    checker->wave[link].low_first = low;
    checker->wave[link].count = 0;
    checker->alarm[link] = (struct pb_alarm_seen){0};
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

/* A line that is low when its slot ends: when it rises. To tell a short pulse from a line that is held, the
 * rise is looked for a bit beyond the end. Where the line falls again, or events are missing before its next
 * one, it rose at a time that is not known. */
static void end_slot(struct pb_walk *walk, unsigned link, uint64_t end_tick)
{
    struct pb_checker *checker = walk->checker;
    struct pb_slot_seen *seen = &checker->seen[link];
    const uint64_t bit = UINT64_C(1) << link, beyond = end_tick + checker->bit_period_q4;
    const int64_t ticks = (int64_t)(end_tick - checker->phase_tick);
    if (checker->line_level & bit)
        return;
    const struct pb_event *next = next_edge(walk, link);
    bool low_at_end;
    if (next)
        low_at_end = pb_event_high(next) && !is_unknown_to(checker, link, next->sequence);
    else
        low_at_end = !checker->gaps.count ||
                     !is_unknown_to(checker, link, checker->gaps.sequence[checker->gaps.count - 1]);
    seen->last_low_u95_ps = pb_uncertainty_ps(checker, PB_HALF_UNKNOWN);
    if (low_at_end) {
        const uint64_t rise = next && next->tick < beyond ? next->tick : beyond;
        checker->low_until_tick[link] = (int64_t)(rise - checker->phase_tick);
        seen->last_low_ps = pb_ticks_to_ps(checker, (uint64_t)ticks);
        return;
    }
    checker->line_level |= bit;
    checker->level_lost |= bit;
    checker->low_until_tick[link] = known_low_to(checker, link, ticks);
    seen->last_low_ps = pb_ticks_to_ps(checker, (uint64_t)checker->low_until_tick[link]);
}

/* Makes the slot of a line the present one. */
static void turn_to_slot(struct pb_walk *walk, unsigned link)
{
    struct pb_checker *checker = walk->checker;
    const struct pb_phase_mark *mark = &checker->mark[walk->segment->mark];
    const struct pb_line_walk *line = &walk->line[link];
    checker->phase_tick = line->from_tick;
    checker->phase_half = line->from_half;
    checker->ideal_ps = pb_ticks_to_ps(checker, mark->ideal_tick) - pb_ticks_to_ps(checker, line->from_tick);
    checker->superframe = mark->superframe;
    checker->phase = mark->phase;
}

static int64_t stop_sample_ps(const struct pb_checker *checker, uint64_t byte_tick)
{
    return pb_ticks_to_ps(checker, byte_tick) + 19 * PB_PS_PER_S / 2 / (int64_t)checker->scenario->baud_hz;
}

/* When the slot's frame begins. By bytes the first start bit may be missed for one in progress: then the
 * earliest time. */
static int64_t begins_ps(const struct pb_walk *walk, unsigned link)
{
    const struct pb_checker *checker = walk->checker;
    const int64_t seen_ps =
                      pb_ticks_to_ps(checker, walk->line[link].from_tick) + checker->seen[link].first_low_ps,
                  earliest_ps = pb_ticks_to_ps(checker, walk->segment->tick) + checker->result->start_min_ps;
    return pb_is_edgeless(checker, link) && earliest_ps < seen_ps ? earliest_ps : seen_ps;
}

static void fill_slot(struct pb_walk *walk, unsigned link)
{
    struct pb_line_walk *line = &walk->line[link];
    const uint64_t before_tick = line->byte_tick;
    turn_to_slot(walk, link);
    begin_slot(walk->checker, link);
    for (const struct pb_event *event;
         (event = pb_walk_event(walk, link, line->next)) && event->tick < line->to_tick; line->next++) {
        if (event->kind == PB_EVENT_EDGE)
            take_edge(walk->checker, event);
        else if (event->kind == PB_EVENT_BYTE) {
            take_byte(walk->checker, event);
            line->byte_tick = event->tick;
        } else
            pb_alarm_take(walk->checker, event);
    }
    end_slot(walk, link, line->to_tick);
    line->garbled = before_tick && walk->checker->seen[link].any_low &&
                    stop_sample_ps(walk->checker, before_tick) > begins_ps(walk, link);
}

/* ---- outside the phases */

static void report_low_outside(struct pb_checker *checker, const struct pb_event *event)
{
    const int64_t at_ps = pb_ticks_to_ps(checker, event->tick) - pb_ticks_to_ps(checker, checker->phase_tick);
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_UNEXPECTED, event->link, at_ps);
    pb_finding_expected(finding, "line high while the phase clock stands");
    pb_finding_seen(finding, "line low");
}

static void take_outside(struct pb_walk *walk, unsigned link, uint64_t to_tick)
{
    struct pb_line_walk *line = &walk->line[link];
    begin_slot(walk->checker, link);
    for (const struct pb_event *event;
         (event = pb_walk_event(walk, link, line->next)) && event->tick < to_tick; line->next++)
        if (event->kind == PB_EVENT_EDGE) {
            take_edge(walk->checker, event);
            /* What came before the first phase is before.c's. */
            if (!pb_event_high(event) && walk->checker->marks && event->tick >= walk->checker->mark[0].tick)
                report_low_outside(walk->checker, event);
        } else if (event->kind == PB_EVENT_BYTE)
            take_byte(walk->checker, event);
}

/* ---- segments */

static int by_tick(const void *left, const void *right)
{
    const struct pb_segment *a = left, *b = right;
    if (a->tick != b->tick)
        return a->tick < b->tick ? -1 : 1;
    return a->mark < b->mark ? -1 : a->mark > b->mark;
}

/* One for each phase of the bench, and one for each edge of TDMA_CLK that begins none. Without any captured
 * edge the nodes are taken to have seen those that were ordered. */
static int make_segments(struct pb_walk *walk)
{
    const struct pb_checker *checker = walk->checker;
    const struct pb_events *events = &checker->observation->events;
    size_t edges = 0, mark = 0;
    for (size_t i = 0; i < events->count; i++)
        edges += events->event[i].kind == PB_EVENT_TDMA;
    walk->segments_all = calloc(checker->marks + edges + 1, sizeof *walk->segments_all);
    if (!walk->segments_all)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < checker->marks; i++) {
        const struct pb_phase_mark *at = &checker->mark[i];
        const bool assumed = !edges || (checker->loss_told && !at->has_edge);
        walk->segments_all[walk->count++] = (struct pb_segment){
            .tick = at->tick,
            .half = at->half,
            .mark = i,
            .edge = at->has_edge || assumed,
            .sync = assumed ? at->phase == 0 : at->sync,
        };
    }
    for (size_t i = 0; i < events->count && checker->marks && !checker->scenario->follow; i++) {
        const struct pb_event *event = &events->event[i];
        while (mark + 1 < checker->marks && checker->mark[mark + 1].tick <= event->tick)
            mark++;
        if (event->kind != PB_EVENT_TDMA || event->tick <= checker->mark[mark].tick ||
            event->tick >= walk->end_tick)
            continue;
        walk->segments_all[walk->count++] =
            (struct pb_segment){.tick = event->tick,
                                .mark = mark,
                                .edge = true,
                                .sync = PB_GET(PB_EVENT_TDMA_SYNC, event->value),
                                .extra = true};
    }
    qsort(walk->segments_all, walk->count, sizeof *walk->segments_all, by_tick);
    walk->segments_all[walk->count].tick = walk->end_tick;
    return PB_OK;
}

static bool bench_sends(const struct pb_walk *walk, size_t mark, unsigned link)
{
    return mark < walk->checker->marks && walk->bench_due[mark] >> link & 1;
}

/* Where the slot of a frame of the bench ends: with the bench's phase; with the nodes' edge if that is
 * earlier and a node can send before the bench's phase ends, but not before the frame is over. */
static uint64_t end_of_bench_slot(const struct pb_walk *walk, const struct pb_segment *to)
{
    const struct pb_checker *checker = walk->checker;
    const uint64_t ideal_tick = checker->mark[to->mark].ideal_tick;
    const int64_t end_ps = pb_walk_bench_end_ps(walk, to->mark - 1);
    if (to->tick >= ideal_tick || pb_ticks_to_ps(checker, to->tick) + checker->result->start_min_ps < end_ps)
        return ideal_tick;
    const uint64_t end_tick = (uint64_t)pb_ps_to_ticks(checker, end_ps);
    return end_tick < to->tick ? to->tick : end_tick < ideal_tick ? end_tick : ideal_tick;
}

/* Where the slot of a line ends that the segment `to` follows. False: it goes on. */
static bool boundary(const struct pb_walk *walk, unsigned link, const struct pb_segment *to, uint64_t *tick,
                     unsigned *half)
{
    const struct pb_phase_mark *mark = &walk->checker->mark[to->mark];
    const bool was_by_bench = !to->extra && to->mark && bench_sends(walk, to->mark - 1, link),
               is_by_bench = bench_sends(walk, to->mark, link);
    *half = to->half;
    *tick = to->tick;
    if (walk->checker->scenario->follow)
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

/* What a slow outside clock adds to the phase. No more than it is allowed: an edge may be missing. */
static int64_t longer_ps(const struct pb_walk *walk)
{
    const struct pb_checker *checker = walk->checker;
    const int64_t longer = pb_ticks_to_ps(checker, walk->next_edge_tick - walk->segment->tick) -
                           checker->result->phase_ps,
                  most = pb_phase_play_ps(checker);
    return longer < 0 ? 0 : longer < most ? longer : most;
}

/* From the beginning of the slot: a node keeps its times from the edge that it saw. */
static void set_limits(const struct pb_walk *walk, unsigned link)
{
    struct pb_checker *checker = walk->checker;
    const struct pb_expected_frame *expected = &checker->expected[link];
    const int64_t edge_ps = expected->crossing && expected->sender == PB_SENDER_NODE ? expected->edge_ps : 0;
    checker->limits.start_min_ps = checker->result->start_min_ps + edge_ps;
    checker->limits.start_max_ps = checker->result->start_max_ps + edge_ps;
    checker->limits.longer_ps = longer_ps(walk);
    checker->limits.end_max_ps = pb_end_max_ps(checker) + edge_ps + checker->limits.longer_ps;
}

static void judge_segment(struct pb_walk *walk)
{
    struct pb_checker *checker = walk->checker;
    const struct pb_segment *next = walk->segment + 1;
    const unsigned links = pb_link_count(checker->scenario);
    const bool last = next == walk->segments_all + walk->count;
    unsigned half[PB_LINKS_MAX];
    uint64_t open = 0;
    walk->next_edge_tick = walk->end_tick;
    for (const struct pb_segment *s = next; s < walk->segments_all + walk->count; s++)
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
            turn_to_slot(walk, link);
            set_limits(walk, link);
            if (pb_judge_slot(checker, link))
                pb_nodes_confirm(walk, link);
        }
    pb_nodes_leave(walk, open);
    for (unsigned link = 0; link < links; link++)
        if (open >> link & 1) {
            walk->line[link].from_tick = walk->line[link].to_tick;
            walk->line[link].from_half = half[link];
        }
}

/* ---- all events */

/* The level was observed between the start of the capture and that of the clock. Where a line moved in that
 * time, its first edge says what was before. */
static uint64_t first_levels(const struct pb_checker *checker)
{
    const struct pb_events *events = &checker->observation->events;
    const uint64_t clock_tick = checker->marks ? checker->mark[0].tick : UINT64_MAX;
    uint64_t level = checker->observation->line_level, known = 0;
    for (size_t i = 0; i < events->count && events->event[i].tick < clock_tick; i++) {
        const struct pb_event *event = &events->event[i];
        const uint64_t bit = UINT64_C(1) << (event->link & 63);
        if (event->kind != PB_EVENT_EDGE || known & bit)
            continue;
        known |= bit;
        level = pb_event_high(event) ? level & ~bit : level | bit;
    }
    return level;
}

static void report_underruns(struct pb_checker *checker)
{
    const struct pb_events *events = &checker->observation->events;
    size_t mark = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        while (mark + 1 < checker->marks && checker->mark[mark + 1].tick <= event->tick)
            mark++;
        if (event->kind != PB_EVENT_UNDERRUN)
            continue;
        if (checker->marks)
            pb_turn_to_mark(checker, mark);
        struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_STIMULUS, -1, 0);
        pb_finding_expected(finding, "slot player record in time");
        pb_finding_seen(finding, "record for superframe %u phase %u came too late on lane %u",
                        pb_event_superframe(event), pb_event_phase(event), event->link);
    }
}

static void walk_on(struct pb_walk *walk)
{
    struct pb_checker *checker = walk->checker;
    const unsigned links = pb_link_count(checker->scenario);
    const uint64_t first_tick = checker->marks ? checker->mark[0].tick : UINT64_MAX;
    checker->phase_tick = 0;
    checker->phase_half = PB_HALF_UNKNOWN;
    checker->superframe = checker->phase = 0;
    checker->line_level = first_levels(checker);
    for (unsigned link = 0; link < links; link++) {
        take_outside(walk, link, first_tick);
        walk->line[link].from_tick = first_tick;
        walk->line[link].from_half = checker->marks ? checker->mark[0].half : PB_HALF_UNKNOWN;
    }
    for (size_t i = 0; i < walk->count && !checker->code; i++) {
        walk->segment = &walk->segments_all[i];
        judge_segment(walk);
    }
    /* After the last phase, too, every line is high. */
    for (unsigned link = 0; link < links && checker->marks && !checker->code; link++) {
        pb_turn_to_mark(checker, checker->marks - 1);
        take_outside(walk, link, UINT64_MAX);
    }
}

void pb_walk(struct pb_checker *checker)
{
    const uint64_t period_ticks = (uint64_t)pb_ps_to_ticks(checker, checker->result->phase_ps);
    struct pb_walk *walk = calloc(1, sizeof *walk);
    checker->wave = calloc(PB_LINKS_MAX, sizeof *checker->wave);
    checker->pulses = calloc(1, sizeof *checker->pulses);
    if (!walk || !checker->wave || !checker->pulses)
        checker->code = PB_ERR_MEMORY;
    if (!checker->code) {
        walk->checker = checker;
        /* The last phase has no edge to end it; it is as long as the others. */
        if (checker->marks)
            walk->end_tick = checker->mark[checker->marks - 1].ideal_tick + period_ticks;
        report_underruns(checker);
        checker->code = sort_by_line(walk);
    }
    if (!checker->code)
        checker->code = make_segments(walk);
    if (!checker->code)
        checker->code = pb_nodes_open(walk);
    if (!checker->code)
        walk_on(walk);
    if (walk && walk->checker) {
        pb_nodes_close(walk);
        free(walk->index);
        free(walk->segments_all);
    }
    free(walk);
}
