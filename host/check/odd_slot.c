/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slots in which a fault of the clock lets a node's frame meet an edge or a frame of the bench.
 *
 * Cut: up to the edge the line carries the beginning of the frame. The node releases the line when it has
 * handled the edge; the slot ends then. Collision: the bits are those of two senders, so only the times at
 * which the line may be low can be judged.
 */
#include "host/check/classify.h"
#include "phasebench/signal_limits.h"

#include <limits.h>
#include <stdlib.h>

/* In a collision the bench's own frame is known to the tick: a low outside both frames is the node's. to_ps:
 * last instant of its basis; 0: at_ps. */
static struct pb_finding *add(struct pb_check_output *out, enum pb_finding_kind kind,
                              struct pb_line_slot *slot, int64_t at_ps, int64_t to_ps)
{
    const struct pb_expected_frame *expected = &slot->expected;
    const enum pb_sender sender = expected->kind == PB_SLOT_COLLISION ? PB_SENDER_NODE : expected->sender;
    return pb_slot_report(
        out, slot, &(struct pb_claim){.kind = kind, .at_ps = at_ps, .to_ps = to_ps, .sender = (int)sender});
}

/* How far an edge may be from its place, in ticks, by the limits of T5. boundary: in bits from the start edge
 * of its byte. */
static int64_t off_most(const struct pb_check_run *run, unsigned boundary, bool late)
{
    const int64_t bit_ps = PB_PS_PER_S / (int64_t)run->scenario->baud_hz;
    return PB_WAVE_TOLERANCE_TICKS +
           pb_ps_to_ticks(run, late ? pb_edge_late_ps(bit_ps, boundary) : pb_edge_early_ps(bit_ps, boundary));
}

/* Edge by edge from the first fall on, each within the limits of an edge from the start edge of its byte. */
static bool is_beginning_of(const struct pb_check_run *run, const struct pb_line_slot *slot,
                            const struct pb_frame_edges *frame)
{
    const struct pb_wave *wave = &slot->wave;
    const int64_t bit_q16 = (int64_t)run->bit_period_q4 << 12,
                  end = pb_ps_to_ticks(run, slot->expected.end_ps);
    unsigned at = 0, start_bit = 0;
    while (at < wave->count && wave->edge[at].high)
        at++;
    if (at == wave->count)
        return true;
    int64_t start = wave->edge[at].tick;
    for (unsigned i = 1; at + i < wave->count && wave->edge[at + i].tick < end; i++) {
        if (i >= frame->count)
            return false;
        const unsigned boundary = frame->bit[i] - start_bit;
        const int64_t off = wave->edge[at + i].tick - start - (boundary * bit_q16 >> 16);
        if (llabs(off) > off_most(run, boundary, off > 0))
            return false;
        if (boundary == PB_CHARACTER_BITS) {
            start = wave->edge[at + i].tick;
            start_bit = frame->bit[i];
        }
    }
    return true;
}

bool pb_slot_begins_with(const struct pb_check_run *run, const struct pb_line_slot *slot,
                         const uint8_t *bytes, unsigned count)
{
    struct pb_frame_edges frame;
    pb_frame_edges(&frame, bytes, count);
    return is_beginning_of(run, slot, &frame);
}

/* The last instant after the edge at which the line was low though the frame is high there, or the node had
 * to have released it: at the end of the slot, or, of a line that is known by its bytes, where a bit was
 * sampled. 0: none. */
static int64_t held_low_ps(const struct pb_check_run *run, const struct pb_line_slot *slot,
                           const uint8_t *bytes, unsigned count)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const struct pb_expected_frame *expected = &slot->expected;
    const int64_t bit_ps = PB_PS_PER_S / (int64_t)run->scenario->baud_hz,
                  clear_ps = bit_ps / 4 + 2 * run->resolution_ps,
                  next_ps = expected->end_ps + run->start_min_ps; /* another may send then */
    if (!pb_is_edgeless(run, slot->link))
        return slot->high ? 0 : seen->last_low_ps;
    int64_t low_ps = 0;
    for (unsigned i = 0; i < pb_slot_kept(seen); i++) {
        const unsigned is = pb_slot_line_bits(seen->byte[i], (int)i != seen->bad_stop),
                       due = i < count ? pb_slot_line_bits(bytes[i], true) : UINT_MAX;
        for (unsigned bit = 1; bit < 10; bit++) {
            const int64_t at_ps = seen->byte_start_ps[i] + (2 * bit + 1) * bit_ps / 2;
            const bool wrong = at_ps > expected->released_ps + clear_ps ||
                               (due >> bit & 1 && at_ps > expected->end_ps + clear_ps);
            if (wrong && at_ps < next_ps && !(is >> bit & 1))
                low_ps = at_ps;
        }
    }
    return low_ps;
}

static bool judge_cut(struct pb_check_output *out, struct pb_line_slot *slot, const uint8_t *bytes,
                      unsigned count)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const struct pb_expected_frame *expected = &slot->expected;
    const int64_t start_ps = seen->first_low_ps, tick_ps = out->run->resolution_ps;
    struct pb_frame_edges frame;
    struct pb_finding *finding = NULL;
    pb_frame_edges(&frame, bytes, count);
    if (!seen->any_low) {
        if (expected->end_ps <= slot->limits.start_max_ps + tick_ps)
            return false;
        finding =
            add(out, PB_FINDING_MISSING, slot, expected->edge_ps + out->run->scenario->head_guard_ps, 0);
        pb_slot_bytes_text(finding->expected, sizeof finding->expected, bytes, count);
        pb_finding_seen(finding, "line high up to the next edge of TDMA_CLK");
        return false;
    }
    if (start_ps + seen->first_low_u95_ps < slot->limits.start_min_ps ||
        start_ps - seen->first_low_u95_ps > slot->limits.start_max_ps) {
        const bool early = start_ps < slot->limits.start_min_ps;
        finding = add(out, early ? PB_FINDING_EARLY : PB_FINDING_LATE, slot, seen->first_low_ps, 0);
        pb_finding_expected(finding, "start %s than %.3f us", early ? "no earlier" : "no later",
                            pb_us(early ? slot->limits.start_min_ps : slot->limits.start_max_ps));
        pb_finding_seen(finding, "start at %.3f us", pb_us(start_ps));
    }
    if (!is_beginning_of(out->run, slot, &frame)) {
        finding = add(out, PB_FINDING_WRONG_BYTES, slot, seen->first_low_ps, expected->end_ps);
        pb_slot_bytes_text(finding->expected, sizeof finding->expected, bytes, count);
        pb_slot_bytes_text(finding->seen, sizeof finding->seen, seen->byte, pb_slot_kept(seen));
    }
    const int64_t low_ps = held_low_ps(out->run, slot, bytes, count);
    if (low_ps) {
        finding = add(out, PB_FINDING_OVERRUN, slot, low_ps, 0);
        pb_finding_expected(finding, "line released after the edge of TDMA_CLK at %.3f us",
                            pb_us(expected->end_ps));
        pb_finding_seen(finding, "line low at %.3f us", pb_us(low_ps));
    }
    return false;
}

/* From the earliest start of either to the latest end. By bytes the lows are laid on the bits of the byte
 * that the receiver was in, which may be half a bit from those of the sender. */
static bool judge_collision(struct pb_check_output *out, struct pb_line_slot *slot)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const struct pb_expected_frame *expected = &slot->expected;
    const int64_t grid_ps =
        pb_is_edgeless(out->run, slot->link) ? PB_PS_PER_S / (int64_t)out->run->scenario->baud_hz / 2 : 0;
    const int64_t bench_ps = out->run->scenario->head_guard_ps + slot->at.ideal_ps - pb_most_ps(out->run, 2),
                  node_ps = slot->limits.start_min_ps - pb_most_ps(out->run, 1);
    const int64_t bench_end_ps = slot->limits.end_max_ps - expected->edge_ps + slot->at.ideal_ps,
                  node_end_ps = slot->limits.end_max_ps;
    const int64_t from_ps = (expected->by_bench && bench_ps < node_ps ? bench_ps : node_ps) - grid_ps,
                  to_ps = (expected->by_bench && bench_end_ps > node_end_ps ? bench_end_ps : node_end_ps) +
                          pb_most_ps(out->run, 2) + grid_ps;
    if (seen->any_low && seen->first_low_ps + seen->first_low_u95_ps < from_ps) {
        struct pb_finding *finding = add(out, PB_FINDING_EARLY, slot, seen->first_low_ps, 0);
        pb_finding_expected(finding, "line high to %.3f us", pb_us(from_ps));
        pb_finding_seen(finding, "line low at %.3f us", pb_us(seen->first_low_ps));
    }
    if (seen->any_low && seen->last_low_ps - seen->last_low_u95_ps > to_ps) {
        struct pb_finding *finding = add(out, PB_FINDING_OVERRUN, slot, seen->last_low_ps, 0);
        pb_finding_expected(finding, "line high from %.3f us", pb_us(to_ps));
        pb_finding_seen(finding, "line low to %.3f us", pb_us(seen->last_low_ps));
    }
    return false;
}

bool pb_judge_odd_slot(struct pb_check_output *out, struct pb_line_slot *slot, const uint8_t *bytes,
                       unsigned count)
{
    return slot->expected.kind == PB_SLOT_CUT ? judge_cut(out, slot, bytes, count)
                                              : judge_collision(out, slot);
}
