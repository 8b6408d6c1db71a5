/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"
#include "host/plan/seats.h"

#include <stdlib.h>
#include <string.h>

enum {
    HOPS_MAX = 5000,
    JOIN_DELAY_TICKS = 8,     /* from one pin of a joined pair to the other, at most */
    STIMULUS_TOLERANCE_Q1 = 3 /* in half ticks: one tick, and the rounding of the planned start */
};

static struct pb_hop_row *new_hop(struct pb_checker *checker)
{
    struct pb_result *result = checker->result;
    if (!result->hop)
        result->hop = calloc(HOPS_MAX, sizeof *result->hop);
    if (!result->hop)
        checker->code = PB_ERR_MEMORY;
    return result->hop && result->hops < HOPS_MAX ? &result->hop[result->hops++] : &checker->spare_hop;
}

static void add_hop(struct pb_checker *checker, unsigned link, bool correct)
{
    const struct pb_scenario *scenario = checker->scenario;
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct pb_expected_frame *expected = &checker->expected[link];
    const uint32_t here = scenario->node[link / scenario->dims].address,
                   there = pb_neighbour(here, link % scenario->dims);
    const bool here_sends = pb_sends(here, checker->phase);
    struct pb_hop_row *row = new_hop(checker);
    *row = (struct pb_hop_row){
        .message = SIZE_MAX,
        .superframe = checker->superframe,
        .phase = checker->phase,
        .dimension = link % scenario->dims,
        .from = here_sends ? here : there,
        .to = here_sends ? there : here,
        .link = link,
        .sender = here_sends || pb_seat_of(scenario, there) >= 0 ? PB_SENDER_NODE : PB_SENDER_BENCH,
        .seen = seen->any_low,
        .correct = correct,
        .start_ps = seen->any_low ? seen->first_low_ps : -1,
        .end_ps = seen->any_low ? seen->last_low_ps : -1,
        .byte_count = pb_slot_kept(seen),
    };
    memcpy(row->bytes, seen->byte, row->byte_count);
    if (expected->crossing) {
        const struct pb_message *message = &scenario->traffic.message[expected->crossing->message];
        row->message = expected->crossing->message;
        row->source = message->source;
        row->destination = message->destination;
        row->sender = expected->sender;
    }
}

static void judge_silence(struct pb_checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    char bytes[120];
    if (!seen->any_low)
        return;
    struct pb_finding *finding =
        pb_finding_add(checker, PB_FINDING_UNEXPECTED, (int)link, seen->first_low_ps);
    pb_slot_bytes_text(bytes, sizeof bytes, seen->byte, pb_slot_kept(seen));
    pb_finding_expected(finding, "line high through the whole phase");
    pb_finding_seen(finding, "low from %.3f us to %.3f us, %u bytes%s%s", pb_us(seen->first_low_ps),
                    pb_us(seen->last_low_ps), seen->byte_count, *bytes ? ": " : "", bytes);
    add_hop(checker, link, false);
}

/* ---- a frame */

/* Start of a frame against the instant at which the bench had to send it: below 0 early, above 0 late. */
static int stimulus_shift(const struct pb_checker *checker, const struct pb_slot_seen *seen)
{
    const int64_t shift_ps = seen->first_low_ps - checker->scenario->head_guard_ps;
    if (2 * llabs(shift_ps) <= STIMULUS_TOLERANCE_Q1 * checker->result->resolution_ps)
        return 0;
    return shift_ps < 0 ? -1 : 1;
}

/* The bench sent this frame, and it came out wrong. It was somebody else when the line was low before the
 * bench pulled it, or when every difference is a bit that should be high and is low; an open drain line
 * cannot be spoiled in another way. */
static bool pulled_by_another(const struct pb_checker *checker, const struct pb_slot_seen *seen,
                              const uint8_t *frame, unsigned count)
{
    if (stimulus_shift(checker, seen) < 0)
        return true;
    for (unsigned i = 0; i < count && i < seen->byte_count; i++)
        if (seen->byte[i] & ~frame[i])
            return false;
    return seen->byte_count >= count;
}

static bool judge_bytes(struct pb_checker *checker, unsigned link, const uint8_t *frame, unsigned count)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct pb_expected_frame *expected = &checker->expected[link];
    const unsigned kept = pb_slot_kept(seen);
    const int bit = pb_slot_first_difference(frame, count, seen->byte, kept);
    struct pb_finding *finding;

    if (bit >= 0) {
        enum pb_finding_kind kind = PB_FINDING_WRONG_BYTES;
        if (expected->sender == PB_SENDER_BENCH)
            kind =
                pulled_by_another(checker, seen, frame, count) ? PB_FINDING_UNEXPECTED : PB_FINDING_STIMULUS;
        const unsigned at = (unsigned)bit / 10;
        finding =
            pb_finding_add(checker, kind, (int)link, at < kept ? seen->byte_start_ps[at] : seen->last_low_ps);
        finding->bit = bit;
        pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
        pb_slot_bytes_text(finding->seen, sizeof finding->seen, seen->byte, kept);
        return false;
    }
    if (seen->bad_stop >= 0) {
        finding = pb_finding_add(checker, PB_FINDING_FRAMING, (int)link, seen->byte_start_ps[seen->bad_stop]);
        finding->bit = 10 * seen->bad_stop + 9;
        pb_finding_expected(finding, "line high at the stop bit");
        pb_finding_seen(finding, "line low at the stop bit of byte %d", seen->bad_stop);
        return false;
    }
    if (seen->bad_baud >= 0 && expected->sender == PB_SENDER_NODE && !expected->through_fabric) {
        finding = pb_finding_add(checker, PB_FINDING_BAUD, (int)link, seen->byte_start_ps[seen->bad_baud]);
        pb_finding_expected(finding, "bit time within %.1f %% of nominal", checker->baud_limit_ppm / 1e4);
        pb_finding_seen(finding, "byte %d is off by %.2f %%", seen->bad_baud, seen->baud_error_ppm / 1e4);
        return false;
    }
    /* A pulse between two sampling instants changes no byte, but it makes edges. */
    if (seen->edges != pb_slot_edges(frame, count)) {
        finding = pb_finding_add(checker, PB_FINDING_UNEXPECTED, (int)link, seen->first_low_ps);
        pb_finding_expected(finding, "%u edges in this frame", pb_slot_edges(frame, count));
        pb_finding_seen(finding, "%u edges", seen->edges);
        return false;
    }
    return true;
}

/* An instant that must not come later than a limit. False when it does beyond doubt. */
static bool judge_not_after(struct pb_checker *checker, unsigned link, enum pb_finding_kind kind,
                            int64_t at_ps, int64_t limit_ps, const char *rule)
{
    const int64_t uncertainty_ps = checker->limits.uncertainty_ps;
    /* An early start is a limit from below: both signs turn. */
    const int64_t beyond_ps = kind == PB_FINDING_EARLY ? limit_ps - at_ps : at_ps - limit_ps;
    if (beyond_ps <= -uncertainty_ps)
        return true;
    const bool marginal = beyond_ps <= uncertainty_ps;
    struct pb_finding *finding = marginal ? pb_finding_add_marginal(checker, kind, (int)link, at_ps)
                                          : pb_finding_add(checker, kind, (int)link, at_ps);
    pb_finding_expected(finding, "%s %.3f us after the phase edge", rule, pb_us(limit_ps));
    pb_finding_seen(finding, "%.3f us (U95 %.3f us)", pb_us(at_ps), pb_us(uncertainty_ps));
    return marginal;
}

static bool judge_stimulus_start(struct pb_checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const int shift = stimulus_shift(checker, seen);
    if (!shift)
        return true;
    struct pb_finding *finding = pb_finding_add(
        checker, shift < 0 ? PB_FINDING_UNEXPECTED : PB_FINDING_STIMULUS, (int)link, seen->first_low_ps);
    pb_finding_expected(finding, "line high until the bench pulls it at %.3f us",
                        pb_us(checker->scenario->head_guard_ps));
    pb_finding_seen(finding, "low from %.3f us", pb_us(seen->first_low_ps));
    return false;
}

static bool judge_timing(struct pb_checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct pb_expected_frame *expected = &checker->expected[link];
    const struct pb_slot_limits *limits = &checker->limits;
    const int64_t delay_ps = expected->through_fabric ? JOIN_DELAY_TICKS * checker->result->resolution_ps : 0;
    bool good = true;

    if (expected->sender == PB_SENDER_BENCH)
        good &= judge_stimulus_start(checker, link);
    else {
        good &= judge_not_after(checker, link, PB_FINDING_EARLY, seen->first_low_ps, limits->start_min_ps,
                                "start no earlier than");
        good &= judge_not_after(checker, link, PB_FINDING_LATE, seen->first_low_ps,
                                limits->start_max_ps + delay_ps, "start no later than");
        if (!expected->through_fabric)
            pb_measure_start(&checker->measure, link % checker->scenario->dims, seen->first_low_ps);
    }
    good &= judge_not_after(checker, link, PB_FINDING_OVERRUN, seen->last_low_ps,
                            limits->end_max_ps + delay_ps, "line high from");
    return good;
}

static void judge_frame(struct pb_checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct pb_expected_frame *expected = &checker->expected[link];
    struct pb_message_fate *fate = &checker->expectation.fate[expected->crossing->message];
    uint8_t frame[PB_FRAME_MAX];
    const unsigned count = pb_frame(checker->scenario, expected->crossing->message, fate->sequence, frame);
    bool good = false;
    if (seen->any_low) {
        good = judge_bytes(checker, link, frame, count);
        good &= judge_timing(checker, link);
    } else {
        struct pb_finding *finding = pb_finding_add(
            checker, expected->sender == PB_SENDER_BENCH ? PB_FINDING_STIMULUS : PB_FINDING_MISSING,
            (int)link, checker->scenario->head_guard_ps);
        finding->bit = 0;
        pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
        pb_finding_seen(finding, "line high through the whole phase");
    }
    fate->broken |= !good;
    add_hop(checker, link, good);
}

void pb_judge_slot(struct pb_checker *checker, unsigned link)
{
    checker->result->slots_checked++;
    checker->result->bytes_seen += checker->seen[link].byte_count;
    if (checker->expected[link].crossing)
        judge_frame(checker, link);
    else
        judge_silence(checker, link);
}
