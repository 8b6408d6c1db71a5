/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/injected.h"
#include "host/plan/node_map.h"
#include "phasebench/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REACH_TICKS = 12 };

static enum pb_fault_place place_of(unsigned kind)
{
    return pb_fault_info(kind)->place;
}

/* ---- receipts */

int64_t pb_fault_ordered_ps(const struct pb_check_run *run, const struct pb_fault *fault)
{
    const bool open_ended = fault->kind == PB_FAULT_JITTER || fault->kind == PB_FAULT_DRIFT;
    return fault->length_ps > 0 || open_ended ? fault->length_ps : run->phase_ps;
}

/* Takes a receipt. Returns NULL, or its error. */
static const char *take_receipt(struct pb_faults *faults, const struct pb_event *event)
{
    const uint32_t number = PB_GET(PB_EVENT_FAULT_NUMBER, event->value),
                   what = PB_GET(PB_EVENT_FAULT_WHAT, event->value);
    struct pb_fault_row *row = number < faults->count ? &faults->row[number] : NULL;
    const unsigned link = row && row->link >= 0 ? (unsigned)row->link : PB_FAULT_CLOCK_LINK;
    const int64_t at_ps = pb_ticks_to_ps(faults->run, event->tick);
    if (!row || pb_fault_core_kind(row->kind) != PB_GET(PB_EVENT_FAULT_KIND, event->value) ||
        link != event->link)
        return "is of no injected fault";
    struct pb_fault_state *state = &faults->state[number];
    if (what == PB_FAULT_WHAT_BEGAN && !row->began && !state->too_late) {
        row->began = true;
        row->start_ps = at_ps;
    } else if (what == PB_FAULT_WHAT_ENDED && row->began && !row->ended && at_ps >= row->start_ps) {
        row->ended = true;
        row->length_ps = at_ps - row->start_ps;
    } else if (what == PB_FAULT_WHAT_LATE && !row->began && !state->too_late)
        state->too_late = true;
    else
        return "contradicts an earlier one";
    return NULL;
}

static void set_window(struct pb_faults *faults, size_t index)
{
    const struct pb_scenario *scenario = faults->run->scenario;
    const struct pb_fault_row *row = &faults->row[index];
    struct pb_fault_state *state = &faults->state[index];
    const int64_t ordered_ps = pb_fault_ordered_ps(faults->run, &scenario->fault[index]);
    if (!row->began) {
        state->from_ps = 1;
        state->to_ps = 0;
        return;
    }
    state->end_ps = row->ended                         ? row->start_ps + row->length_ps
                    : ordered_ps && faults->run->ended ? row->start_ps + ordered_ps
                                                       : INT64_MAX;
    /* Synchronisers, and the far pin of a joined pair; findings about the clock use a whole superframe. */
    const int64_t after_ps = place_of(row->kind) == PB_FAULT_ON_CLOCK
                                 ? faults->run->superframe_ps + faults->run->phase_ps
                                 : pb_most_ps(faults->run, REACH_TICKS);
    state->from_ps = row->start_ps - pb_most_ps(faults->run, 2);
    state->to_ps = state->end_ps > INT64_MAX - after_ps ? INT64_MAX : state->end_ps + after_ps;
}

int pb_faults_open(struct pb_faults *faults, const struct pb_check_run *run, const struct pb_marks *marks,
                   struct pb_result *result)
{
    const struct pb_scenario *scenario = run->scenario;
    result->fault = calloc(scenario->fault_count + 1, sizeof *result->fault);
    *faults = (struct pb_faults){.run = run,
                                 .marks = marks,
                                 .row = result->fault,
                                 .count = scenario->fault_count,
                                 .state = calloc(scenario->fault_count + 1, sizeof *faults->state)};
    if (!faults->row || !faults->state)
        return PB_ERR_MEMORY;
    result->faults = scenario->fault_count;
    for (size_t i = 0; i < result->faults; i++) {
        const struct pb_fault *fault = &scenario->fault[i];
        const bool on_clock = place_of(fault->kind) == PB_FAULT_ON_CLOCK;
        result->fault[i] = (struct pb_fault_row){
            .kind = fault->kind,
            .link = on_clock ? -1 : (int)pb_link_of(scenario, fault->node_index, fault->dimension),
            .other_link = fault->kind == PB_FAULT_SHORT
                              ? (int)pb_link_of(scenario, fault->other_node, fault->other_dimension)
                              : -1,
            .superframe = fault->superframe,
            .phase = fault->phase,
            .found_as = PB_FINDING_KINDS,
        };
        /* No byte is that short. */
        result->fault[i].unsought =
            fault->kind == PB_FAULT_GLITCH && pb_is_edgeless(run, (unsigned)result->fault[i].link);
    }
    for (size_t i = 0; i < result->faults; i++)
        set_window(faults, i);
    return PB_OK;
}

void pb_faults_free(struct pb_faults *faults)
{
    free(faults->state);
    *faults = (struct pb_faults){.count = 0};
}

/* A fault acts from the receipt of its begin on. Without a receipt of its end it acts until now; once no
 * receipt can come, for its configured length. */
const char *pb_faults_push(struct pb_faults *faults, const struct pb_event *receipt)
{
    const uint32_t number = PB_GET(PB_EVENT_FAULT_NUMBER, receipt->value);
    const char *problem = take_receipt(faults, receipt);
    if (number < faults->count)
        set_window(faults, number);
    return problem;
}

void pb_faults_end(struct pb_faults *faults)
{
    for (size_t i = 0; i < faults->count; i++)
        set_window(faults, i);
}

static uint64_t index_of(const struct pb_check_run *run, const struct pb_fault_row *row)
{
    return (uint64_t)row->superframe * run->scenario->network.phases + row->phase;
}

void pb_faults_pass(struct pb_faults *faults, size_t mark)
{
    for (; faults->mark < mark; faults->mark++)
        for (size_t i = 0; i < faults->count; i++)
            if (index_of(faults->run, &faults->row[i]) == faults->mark) {
                faults->state[i].place = *pb_mark(faults->marks, faults->mark);
                faults->state[i].passed = true;
            }
}

/* ---- by line and time */

static bool of_clock(enum pb_finding_kind kind)
{
    return kind >= PB_FINDING_CLOCK && kind <= PB_FINDING_DRIFT;
}

static bool on_line(const struct pb_check_run *run, const struct pb_fault_row *row, int link)
{
    const int partner = pb_partner_link(run->scenario, (unsigned)link);
    return row->link == link || row->other_link == link ||
           (partner >= 0 && (row->link == partner || row->other_link == partner));
}

#define KIND(name) (UINT64_C(1) << PB_FINDING_##name)

/* A low that is added to a line cannot take a frame away nor make it late. */
#define BY_LOWS                                                                                              \
    (KIND(STUCK) | KIND(SHORT) | KIND(GLITCH) | KIND(CONTENTION) | KIND(WRONG_BYTES) | KIND(FRAMING) |       \
     KIND(BAUD) | KIND(BIT_SHAPE) | KIND(SLOW_RISE) | KIND(UNEXPECTED) | KIND(OUTSIDE) | KIND(BABBLE) |      \
     KIND(EARLY) | KIND(OVERRUN))

/* The kinds of finding that a kind of fault can cause. */
static uint64_t causes(unsigned fault)
{
    switch (fault) {
    case PB_FAULT_STUCK_LOW:
    case PB_FAULT_SHORT:
    case PB_FAULT_GLITCH:
    case PB_FAULT_SECOND_DRIVER:
        return BY_LOWS;
    case PB_FAULT_OPEN:
        return KIND(OPEN) | KIND(MISSING) | KIND(WRONG_BYTES) | KIND(FRAMING) | KIND(BAUD) | KIND(BIT_SHAPE) |
               KIND(LATE) | KIND(UNEXPECTED) | KIND(GLITCH) | KIND(CONTENTION);
    case PB_FAULT_SLOW_RISE:
        return KIND(SLOW_RISE) | KIND(BIT_SHAPE) | KIND(WRONG_BYTES) | KIND(FRAMING) | KIND(BAUD) |
               KIND(OVERRUN) | KIND(STUCK) | KIND(GLITCH) | KIND(CONTENTION) | KIND(UNEXPECTED) |
               KIND(OUTSIDE);
    case PB_FAULT_LATE_EDGE:
    case PB_FAULT_EARLY_EDGE:
        return KIND(CLOCK) | KIND(CLOCK_LATE) | KIND(CLOCK_EARLY) | KIND(JITTER) | KIND(SYNC_MISSING) |
               KIND(SYNC_EXTRA);
    case PB_FAULT_MISSING_EDGE:
        return KIND(CLOCK) | KIND(CLOCK_MISSING) | KIND(SYNC_MISSING);
    case PB_FAULT_EXTRA_EDGE:
        return KIND(CLOCK) | KIND(CLOCK_EXTRA) | KIND(SYNC_EXTRA);
    case PB_FAULT_MISSING_SYNC:
        return KIND(SYNC_MISSING);
    case PB_FAULT_EXTRA_SYNC:
        return KIND(SYNC_EXTRA);
    case PB_FAULT_JITTER:
        return KIND(CLOCK) | KIND(CLOCK_LATE) | KIND(JITTER);
    case PB_FAULT_DRIFT:
        return KIND(CLOCK) | KIND(DRIFT);
    case PB_FAULT_WRONG_BYTES:
    case PB_FAULT_SHORT_FRAME:
    case PB_FAULT_WRONG_LENGTH:
    case PB_FAULT_OUTSIDE_ADDRESS:
        return KIND(WRONG_BYTES);
    case PB_FAULT_LONG_FRAME:
        return KIND(BABBLE);
    case PB_FAULT_FRAMING:
        return KIND(FRAMING) | KIND(OVERRUN);
    case PB_FAULT_BAUD: /* a tenth of a bit in each makes other bytes */
        return KIND(BAUD) | KIND(BIT_SHAPE) | KIND(OVERRUN) | KIND(WRONG_BYTES) | KIND(FRAMING) |
               KIND(CONTENTION) | KIND(BABBLE) | KIND(UNEXPECTED);
    case PB_FAULT_EARLY_START:
        return KIND(EARLY);
    case PB_FAULT_LATE_START:
        return KIND(LATE) | KIND(OVERRUN);
    case PB_FAULT_BABBLE:
        return BY_LOWS;
    default:
        return 0;
    }
}

static bool reaches(const struct pb_check_run *run, const struct pb_fault_row *row,
                    const struct pb_schedule_place *at, enum pb_finding_kind kind, int link)
{
    if (!(causes(row->kind) >> kind & 1))
        return false;
    if (place_of(row->kind) == PB_FAULT_ON_CLOCK)
        return of_clock(kind);
    if (link < 0 || !on_line(run, row, link))
        return false;
    return place_of(row->kind) == PB_FAULT_ON_LINE ||
           (row->superframe == at->superframe && row->phase == at->phase);
}

int64_t pb_faults_run_end_ps(const struct pb_faults *faults)
{
    if (!faults->run->ended)
        return INT64_MAX;
    return faults->marks->end
               ? pb_ticks_to_ps(faults->run, pb_mark(faults->marks, faults->marks->end - 1)->ideal_tick) +
                     faults->run->phase_ps
               : 0;
}

/* The fault lasts for fewer periods than make a drift. */
static bool is_short(const struct pb_faults *faults, const struct pb_fault_row *row)
{
    const int64_t run_ps = PB_DRIFT_RUN * faults->run->phase_ps;
    return (row->ended && row->length_ps < run_ps) || row->start_ps + run_ps > pb_faults_run_end_ps(faults);
}

/* Faults shorter than a slot corrupt a frame alike, so each finding that such a fault can cause names it.
 * They are a line that is held, cut or joined for some bits, and a second driver in parallel with a frame. */
static bool is_part(const struct pb_check_run *run, const struct pb_fault_row *row)
{
    return place_of(row->kind) == PB_FAULT_ON_LINE &&
           (row->kind == PB_FAULT_SECOND_DRIVER || (row->ended && row->length_ps < run->phase_ps));
}

/* Where the edges of a line are not recorded, only the bytes of a receiver show an incorrect bit time. */
static bool is_misread(const struct pb_check_run *run, const struct pb_fault_row *row,
                       enum pb_finding_kind kind)
{
    return row->kind == PB_FAULT_BAUD && pb_is_edgeless(run, (unsigned)row->link) &&
           (kind == PB_FINDING_WRONG_BYTES || kind == PB_FINDING_FRAMING);
}

/* Whether the finding names the fault, early enough. */
static bool names(const struct pb_faults *faults, const struct pb_fault_row *row, enum pb_finding_kind kind,
                  int64_t at_ps)
{
    /* Jitter of a few edges shows as late edges, drift of a few as an incorrect phase. */
    const bool named = (int)kind == pb_fault_info(row->kind)->finding || is_part(faults->run, row) ||
                       is_misread(faults->run, row, kind) ||
                       (row->kind == PB_FAULT_JITTER && kind == PB_FINDING_CLOCK_LATE) ||
                       (row->kind == PB_FAULT_DRIFT && kind == PB_FINDING_CLOCK && is_short(faults, row));
    return named && at_ps <= row->start_ps + faults->run->superframe_ps + faults->run->phase_ps;
}

int pb_fault_explaining(const struct pb_faults *faults, const struct pb_schedule_place *at,
                        enum pb_finding_kind kind, int link, int64_t from_ps, int64_t to_ps)
{
    int best = -1, best_weight = -1;
    for (size_t i = 0; i < faults->count; i++) {
        const struct pb_fault_row *row = &faults->row[i];
        const struct pb_fault_state *state = &faults->state[i];
        const bool in_slot = place_of(row->kind) == PB_FAULT_ON_FRAME && state->from_ps <= state->to_ps;
        if (!reaches(faults->run, row, at, kind, link) ||
            (!in_slot && (to_ps < state->from_ps || from_ps > state->to_ps)))
            continue;
        /* The one that it names and that nothing has named yet; then the one on the line itself; then the
         * latest. */
        const int weight = 4 * (names(faults, row, kind, from_ps) && !row->detected) +
                           2 * (place_of(row->kind) != PB_FAULT_ON_CLOCK) + (from_ps <= state->end_ps);
        if (weight >= best_weight) {
            best = (int)i;
            best_weight = weight;
        }
    }
    return best;
}

int pb_fault_explaining_slot(const struct pb_faults *faults, const struct pb_line_slot *slot,
                             enum pb_finding_kind kind)
{
    const int64_t slot_ps = pb_ticks_to_ps(faults->run, slot->at.tick);
    return pb_fault_explaining(faults, &slot->at, kind, (int)slot->link, slot_ps + slot->seen.first_low_ps,
                               slot_ps + slot->seen.last_low_ps);
}

void pb_fault_credit(struct pb_faults *faults, int fault, const struct pb_finding *finding, int64_t from_ps)
{
    struct pb_fault_row *row = &faults->row[fault];
    const struct pb_fault_state *state = &faults->state[fault];
    const bool foreign = place_of(row->kind) == PB_FAULT_ON_FRAME && finding->sender == PB_SENDER_NODE;
    const int64_t at_ps = finding->time_ps > row->start_ps ? finding->time_ps : row->start_ps;
    if (!row->explains++)
        row->found_as = finding->kind;
    if (foreign || from_ps > state->to_ps || row->unsought ||
        !names(faults, row, finding->kind, finding->time_ps))
        return;
    if (!row->detected || at_ps < row->detected_ps)
        row->detected_ps = at_ps;
    row->detected = true;
}

bool pb_fault_opens(const struct pb_faults *faults, const struct pb_line_slot *slot, int64_t from_ps,
                    int64_t to_ps)
{
    const int64_t slot_ps = pb_ticks_to_ps(faults->run, slot->at.tick);
    for (size_t i = 0; i < faults->count; i++) {
        const struct pb_fault_row *row = &faults->row[i];
        if (row->kind == PB_FAULT_OPEN && row->began && on_line(faults->run, row, (int)slot->link) &&
            row->start_ps < slot_ps + to_ps && faults->state[i].end_ps > slot_ps + from_ps)
            return true;
    }
    return false;
}

bool pb_fault_on_line(const struct pb_faults *faults, unsigned link, int64_t from_ps, int64_t to_ps)
{
    for (size_t i = 0; i < faults->count; i++) {
        const struct pb_fault_row *row = &faults->row[i];
        const struct pb_fault_state *state = &faults->state[i];
        if (place_of(row->kind) == PB_FAULT_ON_LINE && on_line(faults->run, row, (int)link) &&
            state->from_ps <= to_ps && state->to_ps >= from_ps)
            return true;
    }
    return false;
}

unsigned pb_fault_of_frame(const struct pb_faults *faults, unsigned link, uint32_t superframe, unsigned phase)
{
    for (size_t i = 0; i < faults->count; i++) {
        const struct pb_fault_row *row = &faults->row[i];
        if (place_of(row->kind) == PB_FAULT_ON_FRAME && row->began && row->superframe == superframe &&
            row->phase == phase && row->link == (int)link)
            return row->kind;
    }
    return 0;
}

/* ---- what the faults of a line account for */

/* Whether some fault makes the line low, or lets it stay high, throughout. Times from the beginning of the
 * slot; a slow rise only prolongs a low. */
static bool acts(const struct pb_faults *faults, const struct pb_line_slot *slot, bool low, int64_t from_ps,
                 int64_t to_ps)
{
    const int64_t slot_ps = pb_ticks_to_ps(faults->run, slot->at.tick);
    for (size_t i = 0; i < faults->count; i++) {
        const struct pb_fault_row *row = &faults->row[i];
        const struct pb_fault_state *state = &faults->state[i];
        if (place_of(row->kind) != PB_FAULT_ON_LINE || !on_line(faults->run, row, (int)slot->link))
            continue;
        /* A receiver that a fault has put off its bits shows others up to the end of the frame. */
        if (pb_is_edgeless(faults->run, slot->link) && slot->seen.any_low &&
            slot_ps + to_ps >= state->from_ps)
            return true;
        if ((row->kind == PB_FAULT_OPEN) == low)
            continue;
        const int64_t amount_ps =
            row->kind == PB_FAULT_SLOW_RISE ? faults->run->scenario->fault[i].amount_ps : 0;
        const bool long_enough = row->kind != PB_FAULT_SLOW_RISE ||
                                 to_ps - from_ps <= amount_ps + pb_most_ps(faults->run, REACH_TICKS);
        if (long_enough && slot_ps + from_ps >= state->from_ps &&
            (state->to_ps == INT64_MAX || slot_ps + to_ps <= state->to_ps + amount_ps))
            return true;
    }
    return false;
}

/* Level changes of the expected frame, and of the line, one after the other. */
struct levels {
    const struct pb_wave *wave;
    const struct pb_frame_edges *edges;
    const struct pb_fit *fit;
};

static int64_t edge_tick(const struct levels *levels, unsigned i)
{
    return levels->fit->origin_tick + (levels->edges->bit[i] * levels->fit->bit_q16 >> 16);
}

/* The part at either end of a low that a receiver does not see, as it samples in the middle of the bits. */
static int64_t unseen_ticks(const struct pb_check_run *run, unsigned link)
{
    return pb_is_edgeless(run, link) ? run->bit_period_q4 / 32 + 1 : 0;
}

/* Whether the faults account for all in which the line differs from the frame laid at this place. */
static bool fits(const struct pb_faults *faults, const struct pb_line_slot *slot, const struct levels *levels,
                 int64_t grain)
{
    const struct pb_wave *wave = levels->wave;
    const int64_t unseen = unseen_ticks(faults->run, slot->link);
    bool line_high = !wave->low_first, frame_high = true;
    int64_t now = 0;
    for (unsigned i = 0, k = 0; i < wave->count || k < levels->edges->count;) {
        const int64_t at_line = i < wave->count ? wave->edge[i].tick : INT64_MAX,
                      at_frame = k < levels->edges->count ? edge_tick(levels, k) : INT64_MAX,
                      next = at_line < at_frame ? at_line : at_frame;
        if (line_high != frame_high && next - now > grain &&
            !acts(faults, slot, !line_high,
                  pb_ticks_to_ps(faults->run, (uint64_t)(now > 0 ? now + unseen : 0)),
                  pb_ticks_to_ps(faults->run, (uint64_t)(next > unseen ? next - unseen : 0))))
            return false;
        if (at_line == next)
            line_high = wave->edge[i++].high;
        if (at_frame == next) {
            frame_high = k % 2;
            k++;
        }
        now = next;
    }
    return true;
}

/* A fault prevents the measurement of the frame's place and bit time. So every bit time permitted for a
 * sender is tried, in steps of a tenth of a bit at the end of the frame. */
static bool fits_somehow(const struct pb_faults *faults, const struct pb_line_slot *slot,
                         const struct pb_frame_edges *edges, int64_t origin_tick, int64_t grain)
{
    const int64_t nominal_q16 = (int64_t)faults->run->bit_period_q4 << 12,
                  limit_ppm = faults->run->baud_limit_ppm, bits = edges->bit[edges->count - 1] + 1,
                  step_ppm = 100000 / bits + 1;
    for (int64_t ppm = 0; ppm <= limit_ppm; ppm += step_ppm)
        for (int sign = -1; sign <= 1; sign += 2) {
            const struct pb_fit fit = {.origin_tick = origin_tick,
                                       .bit_q16 = nominal_q16 + sign * nominal_q16 * ppm / 1000000};
            const struct levels levels = {&slot->wave, edges, &fit};
            if (fits(faults, slot, &levels, grain))
                return true;
        }
    return false;
}

/* Any start that a node is allowed, in steps of a quarter of a bit. */
static bool fits_in_window(const struct pb_faults *faults, const struct pb_line_slot *slot,
                           const struct pb_frame_edges *edges, int64_t grain)
{
    const int64_t step = faults->run->bit_period_q4 / 64 + 1,
                  to_tick = pb_ps_to_ticks(faults->run, slot->limits.start_max_ps);
    for (int64_t tick = pb_ps_to_ticks(faults->run, slot->limits.start_min_ps); tick <= to_tick; tick += step)
        if (fits_somehow(faults, slot, edges, tick, grain))
            return true;
    return false;
}

bool pb_fault_accounts(const struct pb_faults *faults, const struct pb_line_slot *slot, const uint8_t *bytes,
                       unsigned count)
{
    const struct pb_wave *wave = &slot->wave;
    const int64_t bit_q16 = (int64_t)faults->run->bit_period_q4 << 12;
    /* T5 lets an edge be late by less than 7/16 bit. */
    const int64_t grain = (pb_is_edgeless(faults->run, slot->link) ? bit_q16 : 7 * bit_q16 / 16) >> 16;
    const int64_t nominal =
        pb_ps_to_ticks(faults->run, faults->run->scenario->head_guard_ps + slot->at.ideal_ps);
    struct pb_frame_edges edges = {.count = 0};
    struct pb_fit fit = {.origin_tick = nominal, .bit_q16 = bit_q16};
    if (!count)
        return fits(faults, slot, &(struct levels){wave, &edges, &fit}, grain);
    pb_frame_edges(&edges, bytes, count);
    fit = pb_wave_fit(wave, &edges, nominal, bit_q16);
    if (fits(faults, slot, &(struct levels){wave, &edges, &fit}, grain) ||
        fits_somehow(faults, slot, &edges, nominal, grain))
        return true;
    unsigned first = 0;
    while (first < wave->count && wave->edge[first].high)
        first++;
    /* The first fall may be the frame's, or it is the fault's and hides where the frame begins. */
    return (first < wave->count && fits_somehow(faults, slot, &edges, wave->edge[first].tick, grain)) ||
           fits_in_window(faults, slot, &edges, grain);
}
