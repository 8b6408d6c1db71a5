/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Classifies a slot by its likeliest single cause. Causes that explain every edge come first; alarms of the
 * core decide where the edges are ambiguous.
 */
#include "host/check/classify.h"
#include "host/plan/node_map.h"
#include "phasebench/signal_limits.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONG_LOW_HALF_BITS = 21, /* longer than any character, which is low for ten bits at most */
    LOWERED_BITS_MIN = 4,    /* this many lowered bits and none raised: no sender with incorrect bits does
                                that */
    SPAN_TICKS = 3           /* uncertainty of a measured whole frame */
};

static bool alarmed(const struct pb_line_slot *slot, unsigned code)
{
    return slot->alarm.codes >> code & 1;
}

static int64_t half_bit_ticks(const struct pb_check_run *run)
{
    return run->bit_period_q4 / 32;
}

static int64_t to_ps(const struct pb_check_run *run, int64_t ticks)
{
    return ticks < 0 ? -pb_ticks_to_ps(run, (uint64_t)-ticks) : pb_ticks_to_ps(run, (uint64_t)ticks);
}

static struct pb_lows lows_of(const struct pb_line_slot *slot)
{
    return pb_wave_lows(&slot->wave, slot->low_until_tick);
}

/* ---- causes that an idle line and a frame have in common */

/* Returns the line that this line follows: a line with an expected frame, or if neither has one, a line with
 * a lower number. -1: none. */
static int followed(const struct pb_faults *faults, const struct pb_line_slot *slot)
{
    const int partner = pb_partner_link(faults->run->scenario, slot->link);
    for (unsigned other = 0; other < pb_link_count(faults->run->scenario); other++) {
        if (other == slot->link || (int)other == partner)
            continue;
        if (!pb_slot_of_line(slot, other)->expected.crossing &&
            (slot->expected.crossing || other > slot->link))
            continue;
        if (pb_wave_follows(&slot->wave, &pb_slot_of_line(slot, other)->wave))
            return (int)other;
    }
    return -1;
}

static bool name_stuck(struct pb_classification *named, const struct pb_faults *faults,
                       const struct pb_line_slot *slot, bool bytes)
{
    const struct pb_lows lows = lows_of(slot);
    const bool at_end = !slot->high;
    const bool long_low = 32 * lows.longest > LONG_LOW_HALF_BITS * (int64_t)faults->run->bit_period_q4;
    /* A sender that is in the middle of its bytes when the phase ends holds nothing. */
    if (!long_low && (!at_end || bytes || lows.last < half_bit_ticks(faults->run)))
        return false;
    named->kind = PB_FINDING_STUCK;
    named->from_ps = to_ps(faults->run, long_low ? lows.longest_tick : lows.last_tick);
    named->amount_ps = to_ps(faults->run, long_low ? lows.longest : lows.last);
    named->to_ps = named->from_ps + named->amount_ps;
    return true;
}

/* Names pulses that no bit explains, each shorter than a bit of any sender. A row of them is a second sender
 * in parallel with the first. */
static bool name_pulses(struct pb_classification *named, struct pb_pulses *pulses,
                        const struct pb_faults *faults, const struct pb_line_slot *slot,
                        const struct pb_frame_edges *frame, const struct pb_fit *fit)
{
    const struct pb_wave *wave = &slot->wave;
    const bool reported = slot->found_before;
    if (pb_is_edgeless(faults->run, slot->link))
        return false; /* a receiver shows no pulse that is shorter than a bit */
    /* A whole bit that is low at a stop bit may read a tick too short of two stamps. */
    const int64_t shortest =
        (int64_t)faults->run->bit_period_q4 * (1000000 - faults->run->baud_limit_ppm) / 16 / 1000000 -
        (slot->seen.bad_stop >= 0);
    if (!pb_pulses_find(pulses, wave, frame, fit, slot->low_until_tick, reported) ||
        pulses->longest >= shortest)
        return false;
    const bool row = pb_pulses_are_wave(pulses, wave);
    if (row ? !frame->count : !pb_pulses_are_single(pulses, frame))
        return false;
    named->kind = row ? PB_FINDING_CONTENTION : PB_FINDING_GLITCH;
    return true;
}

/* ---- an idle line */

static bool node_may_send(const struct pb_check_run *run, const struct pb_line_slot *slot)
{
    const struct pb_scenario *scenario = run->scenario;
    return pb_network_is(&scenario->network, pb_link_address(scenario, slot->link), slot->at.phase,
                         PB_ROLE_SEND, pb_link_port(scenario, slot->link));
}

struct pb_classification pb_classify_idle(const struct pb_faults *faults, const struct pb_line_slot *slot,
                                          struct pb_pulses *pulses)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const struct pb_lows lows = lows_of(slot);
    struct pb_classification named = {.kind = PB_FINDING_UNEXPECTED,
                                      .from_ps = seen->first_low_ps,
                                      .to_ps = seen->last_low_ps,
                                      .other_link = followed(faults, slot)};
    const struct pb_frame_edges nothing = {.count = 0};
    const struct pb_fit nowhere = {.origin_tick = 0};
    if (named.other_link >= 0)
        named.kind = PB_FINDING_SHORT;
    else if (name_stuck(&named, faults, slot, seen->byte_count >= 2))
        ;
    else if (name_pulses(&named, pulses, faults, slot, &nothing, &nowhere))
        ;
    else if (alarmed(slot, PB_ALARM_CONTENTION))
        named.kind = PB_FINDING_CONTENTION;
    else if (seen->byte_count > faults->run->scenario->frame_bytes)
        named.kind = PB_FINDING_BABBLE;
    else if (alarmed(slot, PB_ALARM_OUTSIDE_PHASE))
        named.kind = PB_FINDING_OUTSIDE;
    else if (seen->byte_count && lows.count && !node_may_send(faults->run, slot) &&
             pb_partner_link(faults->run->scenario, slot->link) < 0)
        named.kind = PB_FINDING_BABBLE;
    return named;
}

/* ---- a frame */

struct frame_view {
    const struct pb_faults *faults;
    const struct pb_line_slot *slot;
    const uint8_t *bytes;
    unsigned count;
    int bit;
    bool bench;
    struct pb_frame_edges edges;
    struct pb_fit fit;
};

static int64_t bit_q16(const struct pb_check_run *run)
{
    return (int64_t)run->bit_period_q4 << 12;
}

static bool name_baud(struct pb_classification *named, const struct frame_view *view)
{
    const struct pb_fit *fit = &view->fit;
    const struct pb_faults *faults = view->faults;
    const int64_t nominal_q16 = bit_q16(faults->run);
    const int64_t span = view->edges.count ? view->edges.bit[view->edges.count - 1] * nominal_q16 >> 16 : 0;
    const int64_t ppm = (fit->bit_q16 - nominal_q16) * 1000000 / nominal_q16;
    named->kind = PB_FINDING_BAUD;
    named->fits = span && !fit->missing && !fit->surplus;
    named->ppm = (int32_t)ppm;
    named->grain_ppm = span ? (int32_t)(SPAN_TICKS * INT64_C(1000000) / span) : 0;
    /* The bench's bits are exact: what the grain of the two ends makes of them is all that it may. */
    named->limit_ppm = view->bench ? named->grain_ppm : PB_BIT_TIME_LIMIT_PPM;
    const int64_t margin_ppm = named->limit_ppm - llabs(ppm);
    named->bit_time = view->bench ? pb_decide_limit(margin_ppm) : pb_decide_u95(margin_ppm, named->grain_ppm);
    return named->fits && named->bit_time != PB_JUDGED_PASS;
}

static bool name_slow_rise(struct pb_classification *named, const struct frame_view *view)
{
    int64_t delay_q16;
    if (!pb_wave_rises_late(&view->slot->wave, &view->edges, bit_q16(view->faults->run), view->bench,
                            &delay_q16))
        return false;
    named->late_ps =
        (int64_t)((__int128)delay_q16 * PB_PS_PER_S / 65536 / view->faults->run->observation->info.clock_hz);
    return true;
}

/* True if an injected fault explains the late rises, or if they corrupt a byte. Otherwise only the limit of
 * the rise decides. */
static bool is_slow_rise(const struct frame_view *view, bool sound)
{
    const struct pb_line_slot *slot = view->slot;
    return !sound || pb_fault_explaining_slot(view->faults, slot, PB_FINDING_SLOW_RISE) >= 0;
}

/* Whether the edges are exactly those of the received bytes. */
static bool is_frame_of_its_own(const struct frame_view *view)
{
    const struct pb_slot_seen *seen = &view->slot->seen;
    struct pb_frame_edges edges;
    if (!seen->byte_count || seen->byte_count > PB_FRAME_MAX || seen->bad_stop >= 0)
        return false;
    pb_frame_edges(&edges, seen->byte, seen->byte_count);
    const struct pb_fit fit =
        pb_wave_fit(&view->slot->wave, &edges, view->fit.origin_tick, bit_q16(view->faults->run));
    return !fit.missing && !fit.surplus;
}

/* Returns the number of bits that are low instead of high. A second sender on an open-drain line can corrupt
 * bits in this direction only. -1: a bit is high instead of low, or bytes are missing. */
static int lowered_bits(const struct frame_view *view)
{
    const struct pb_slot_seen *seen = &view->slot->seen;
    int count = 0;
    if (seen->byte_count < view->count)
        return -1;
    for (unsigned i = 0; i < view->count && i < pb_slot_kept(seen); i++) {
        if (seen->byte[i] & ~view->bytes[i])
            return -1;
        count += __builtin_popcount((unsigned)(seen->byte[i] ^ view->bytes[i]));
    }
    return count;
}

/* True if the line is low before the bench's frame, and the last byte of the frame is correct and in its
 * place. Another side then pulled the line, and the receiver took its low for the first start bit. */
static bool is_entered_before(const struct frame_view *view)
{
    const struct pb_faults *faults = view->faults;
    const struct pb_slot_seen *seen = &view->slot->seen;
    const unsigned kept = pb_slot_kept(seen);
    const int64_t bit_ps = PB_PS_PER_S / (int64_t)faults->run->scenario->baud_hz,
                  start_ps = faults->run->scenario->head_guard_ps + view->slot->at.ideal_ps;
    if (!view->bench || !kept || view->count == 0 || seen->byte[kept - 1] != view->bytes[view->count - 1])
        return false;
    const uint64_t before_ticks = 10 * (uint64_t)(view->count - 1) * faults->run->bit_period_q4 / 16;
    const int64_t late_ps =
        seen->byte_start_ps[kept - 1] - start_ps - pb_ticks_to_ps(faults->run, before_ticks);
    return seen->first_low_ps + bit_ps < start_ps && llabs(late_ps) < bit_ps / 2;
}

static bool is_contention(const struct frame_view *view)
{
    const struct pb_fit *fit = &view->fit;
    const struct pb_wave *wave = &view->slot->wave;
    const bool disturbed = fit->missing || fit->surplus;
    const bool covered = disturbed && pb_wave_covers(wave, &view->edges, fit);
    const int lowered = lowered_bits(view);
    if (lowered >= LOWERED_BITS_MIN || is_entered_before(view))
        return true;
    if (view->bench)
        return view->bit < 0 || ((lowered >= 0 || covered) && !is_frame_of_its_own(view));
    /* A node that sends other bits keeps the bit boundaries; a second sender does not know them. */
    const int64_t end = fit->origin_tick + (view->edges.bit[view->edges.count - 1] * fit->bit_q16 >> 16);
    return covered && pb_wave_off_grid(wave, fit) && fit->surplus_tick >= fit->origin_tick &&
           fit->surplus_tick < end;
}

/* True if a receipt reports a cut while the frame was due, and the line has no more edges than the frame: a
 * cut removes edges. */
static bool is_cut(const struct frame_view *view)
{
    const struct pb_faults *faults = view->faults;
    return view->slot->seen.edges <= view->edges.count &&
           pb_fault_opens(faults, view->slot, faults->run->scenario->head_guard_ps,
                          view->slot->limits.end_max_ps);
}

/* True if all bytes are correct, but the last byte, of the frame or of those received, has a low stop bit. */
static bool lacks_stop_bit(const struct frame_view *view)
{
    const struct pb_slot_seen *seen = &view->slot->seen;
    const bool ends =
        seen->byte_count == (unsigned)seen->bad_stop + 1 && view->bit == 10 * (int)seen->byte_count;
    return seen->bad_stop >= 0 && (view->bit < 0 || ends);
}

static enum pb_finding_kind rest_of(const struct frame_view *view)
{
    const struct pb_slot_seen *seen = &view->slot->seen;
    const bool contended = alarmed(view->slot, PB_ALARM_CONTENTION);
    if (lacks_stop_bit(view))
        return contended ? PB_FINDING_CONTENTION : PB_FINDING_FRAMING;
    if (contended)
        return PB_FINDING_CONTENTION;
    if (!view->fit.missing && seen->byte_count > view->count && view->bit == (int)(10 * view->count))
        return PB_FINDING_BABBLE;
    if (is_contention(view))
        return PB_FINDING_CONTENTION;
    return view->bit >= 0 ? PB_FINDING_WRONG_BYTES : PB_FINDING_UNEXPECTED;
}

struct pb_classification pb_classify_frame(const struct pb_faults *faults, const struct pb_line_slot *slot,
                                           const uint8_t *bytes, unsigned count, int bit,
                                           struct pb_pulses *pulses)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const int64_t start_ps = faults->run->scenario->head_guard_ps + slot->at.ideal_ps;
    struct frame_view view = {.faults = faults,
                              .slot = slot,
                              .bytes = bytes,
                              .count = count,
                              .bit = bit,
                              .bench = slot->expected.sender == PB_SENDER_BENCH};
    struct pb_classification named = {
        .kind = PB_FINDING_KINDS, .from_ps = -1, .to_ps = seen->last_low_ps, .other_link = -1};
    pb_frame_edges(&view.edges, bytes, count);
    view.fit =
        pb_wave_fit(&slot->wave, &view.edges, pb_ps_to_ticks(faults->run, start_ps), bit_q16(faults->run));
    /* The rise that ends a low reported in the phase before is no part of the frame. */
    const bool remainder = slot->wave.low_first && slot->found_before;
    const bool sound = bit < 0 && seen->bad_stop < 0 && seen->edges == view.edges.count + remainder;

    if (!sound && (named.other_link = followed(faults, slot)) >= 0)
        named.kind = PB_FINDING_SHORT;
    else if (name_baud(&named, &view))
        return named;
    else if (name_slow_rise(&named, &view) && is_slow_rise(&view, sound)) {
        named.kind = PB_FINDING_SLOW_RISE;
        return named;
    } else if (sound) {
        named.kind = PB_FINDING_KINDS;
        name_stuck(&named, faults, slot, false);
    } else if (is_cut(&view))
        named.kind = PB_FINDING_OPEN;
    else if (!name_pulses(&named, pulses, faults, slot, &view.edges, &view.fit)) {
        /* A line that is held has two additional edges; more of them show another sender. */
        const bool held = view.fit.surplus <= 2;
        if (!held || !name_stuck(&named, faults, slot, false))
            named.kind = rest_of(&view);
    }
    return named;
}
