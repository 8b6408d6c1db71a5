/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"
#include "host/plan/seats.h"

#include <stdio.h>
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
    const unsigned port = pb_link_port(scenario, link);
    const uint32_t here = pb_link_address(scenario, link),
                   there = pb_network_neighbour(&scenario->network, here, port);
    /* A node out of step sends in a phase of its own count. */
    const bool here_sends =
        expected->crossing
            ? expected->crossing->from == here
            : pb_network_slot(&scenario->network, here, checker->phase).role == PB_ROLE_SEND;
    struct pb_hop_row *row = new_hop(checker);
    *row = (struct pb_hop_row){
        .message = SIZE_MAX,
        .superframe = checker->superframe,
        .phase = checker->phase,
        .dimension = port,
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
    if (expected->crossing && expected->crossing->message < scenario->traffic.count) {
        const struct pb_message *message = &scenario->traffic.message[expected->crossing->message];
        row->message = expected->crossing->message;
        row->source = message->source;
        row->destination = message->destination;
    }
    if (expected->crossing)
        row->sender = expected->sender;
    pb_evidence_take(checker, row);
}

static void write_slow_rise(const struct pb_checker *checker, struct pb_finding *finding,
                            const struct pb_named *named, unsigned link)
{
    const struct pb_line_rise rise = pb_rise_of(checker, link);
    char line[64] = "";
    if (rise.max_ps)
        snprintf(line, sizeof line, " and the %.1f ns that the line takes", (double)rise.max_ps / 1e3);
    pb_finding_expected(finding, "line rises as it falls, within %.1f ns%s",
                        (double)checker->result->resolution_ps / 1e3, line);
    pb_finding_seen(finding, "it rises %.1f ns late%s", (double)named->amount_ps / 1e3,
                    rise.max_ps ? " beyond them" : "");
}

/* What is to be said of a kind, whoever was to send. The bytes are those of the expected frame, none for an
 * idle line. */
static void write_texts(const struct pb_checker *checker, struct pb_finding *finding,
                        const struct pb_named *named, unsigned link, const uint8_t *frame, unsigned count)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    char bytes[120];
    pb_slot_bytes_text(bytes, sizeof bytes, seen->byte, pb_slot_kept(seen));
    switch (named->kind) {
    case PB_FINDING_STUCK:
        pb_finding_expected(finding, "line high when nobody sends");
        pb_finding_seen(finding, "low for %.3f us from %.3f us on", pb_us(named->amount_ps),
                        pb_us(named->from_ps));
        break;
    case PB_FINDING_SHORT:
        pb_finding_expected(finding, "link %u apart from link %d", link, named->other_link);
        pb_finding_seen(finding, "the edges of link %u are those of link %d: %u edges", link,
                        named->other_link, seen->edges);
        break;
    case PB_FINDING_GLITCH:
        pb_finding_expected(finding, "no pulse shorter than a bit");
        pb_finding_seen(finding, "one at %.3f us", pb_us(named->from_ps));
        break;
    case PB_FINDING_SLOW_RISE:
        write_slow_rise(checker, finding, named, link);
        break;
    case PB_FINDING_BAUD:
        pb_finding_expected(finding, "bit time within %.2f %% of nominal", named->limit_ppm / 1e4);
        pb_finding_seen(finding, "off by %.2f %%", named->ppm / 1e4);
        break;
    default:
        if (count) {
            pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
            pb_slot_bytes_text(finding->seen, sizeof finding->seen, seen->byte, pb_slot_kept(seen));
            return;
        }
        pb_finding_expected(finding, "line high through the whole phase");
        pb_finding_seen(finding, "low from %.3f us to %.3f us, %u bytes%s%s", pb_us(seen->first_low_ps),
                        pb_us(seen->last_low_ps), seen->byte_count, *bytes ? ": " : "", bytes);
    }
}

/* Nothing but the end of a low that was told of in the phase before. */
static bool is_remainder(const struct pb_checker *checker, unsigned link)
{
    const struct pb_wave *wave = &checker->wave[link];
    return wave->low_first && checker->found_before >> link & 1 && wave->count == 1 && wave->edge[0].high &&
           !checker->seen[link].byte_count;
}

/* Each glitch has a cause of its own; all else that is told of a line in a phase is one. */
static bool next_cause(const struct pb_checker *checker, struct pb_named *named, unsigned index)
{
    if (named->kind != PB_FINDING_GLITCH)
        return index == 0;
    if (index == checker->pulses->count)
        return false;
    named->from_ps = pb_ticks_to_ps(checker, (uint64_t)checker->pulses->pulse[index].from_tick);
    named->to_ps = pb_ticks_to_ps(checker, (uint64_t)checker->pulses->pulse[index].to_tick);
    return true;
}

/* A fault of the line acts in this slot, but not on all that is wrong in it. */
static bool is_unaccounted(const struct pb_checker *checker, unsigned link, const uint8_t *frame,
                           unsigned count)
{
    const int64_t slot_ps = pb_ticks_to_ps(checker, checker->phase_tick);
    /* At the far pin of a pair the bench's own joining acts, too; the near one shows what the node did. */
    return !checker->expected[link].through_fabric &&
           pb_fault_on_line(checker, link, slot_ps, slot_ps + checker->result->phase_ps) &&
           !pb_fault_of_frame(checker, link, checker->superframe, checker->phase) &&
           !pb_fault_accounts(checker, link, frame, count);
}

static bool judge_silence(struct pb_checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    if (!seen->any_low)
        return true;
    if (is_remainder(checker, link)) {
        checker->found |= UINT64_C(1) << link;
        return false;
    }
    struct pb_named named = pb_name_silence(checker, link);
    for (unsigned i = 0; next_cause(checker, &named, i); i++) {
        checker->evidence_to_ps = named.to_ps;
        struct pb_finding *finding = pb_finding_add(checker, named.kind, (int)link, named.from_ps);
        write_texts(checker, finding, &named, link, NULL, 0);
        if (finding->fault >= 0 && is_unaccounted(checker, link, NULL, 0)) {
            checker->unexcused = true;
            finding = pb_finding_add(checker, PB_FINDING_UNEXPECTED, (int)link, named.from_ps);
            write_texts(checker, finding, &(struct pb_named){.kind = PB_FINDING_UNEXPECTED}, link, NULL, 0);
            checker->unexcused = false;
        }
    }
    add_hop(checker, link, false);
    return false;
}

/* ---- a frame */

struct verdict {
    bool good;
    int fault; /* that explains what is wrong; -1 */
};

static void take(struct verdict *verdict, const struct pb_finding *finding)
{
    verdict->good &= finding->marginal;
    if (verdict->fault < 0)
        verdict->fault = finding->fault;
}

struct instant {
    int64_t ps, u95_ps; /* from the phase edge */
};

/* Where the frame starts; a low that began in the phase before and was told of there is no part of it. */
static struct instant start_of(const struct pb_checker *checker, unsigned link)
{
    const struct pb_wave *wave = &checker->wave[link];
    const struct pb_slot_seen *seen = &checker->seen[link];
    if (wave->low_first && checker->found_before >> link & 1)
        for (unsigned i = 0; i < wave->count; i++)
            if (!wave->edge[i].high)
                return (struct instant){pb_ticks_to_ps(checker, (uint64_t)wave->edge[i].tick),
                                        pb_uncertainty_ps(checker, PB_HALF_UNKNOWN)};
    return (struct instant){seen->first_low_ps, seen->first_low_u95_ps};
}

/* When the frame would have been over: to there it can be cut off. */
static int64_t due_end_of(const struct pb_checker *checker, unsigned link, unsigned count)
{
    return start_of(checker, link).ps + 10 * count * PB_PS_PER_S / (int64_t)checker->scenario->baud_hz;
}

/* When the frame had to start, at the latest: from there on it can be spoiled. */
static int64_t due_start_of(const struct pb_checker *checker, unsigned link)
{
    const struct pb_expected_frame *expected = &checker->expected[link];
    return checker->scenario->head_guard_ps +
           (expected->sender == PB_SENDER_BENCH ? checker->ideal_ps : expected->edge_ps);
}

/* The deviation of all edges of the frame; its limit grants what the grain of both ends makes of it. -1: the
 * edges are not those of a frame, or not at the sender's pin. */
static int measure_bit_time(struct pb_checker *checker, unsigned link, const struct pb_named *named)
{
    const struct pb_expected_frame *expected = &checker->expected[link];
    if (!named->fits || expected->through_fabric)
        return -1;
    const int64_t limit_ppb = INT64_C(1000) * named->limit_ppm;
    const struct pb_reading reading = {.value = INT64_C(1000) * named->ppm,
                                       .u95 = INT64_C(1000) * named->grain_ppm,
                                       .lower = -limit_ppb,
                                       .upper = limit_ppb,
                                       .judgement =
                                           named->kind == PB_FINDING_BAUD ? PB_JUDGED_FAIL : PB_JUDGED_PASS};
    return pb_measure_take(&checker->measure,
                           expected->sender == PB_SENDER_BENCH ? PB_FIGURE_BENCH_BIT_TIME
                                                               : PB_FIGURE_NODE_BIT_TIME,
                           link, &reading);
}

static void report_content(struct pb_checker *checker, unsigned link, const struct pb_named *named,
                           const uint8_t *frame, unsigned count, int bit, struct verdict *verdict)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const unsigned at = bit < 0 ? 0 : (unsigned)bit / 10;
    int64_t from_ps = named->from_ps;
    checker->evidence_from_ps = due_start_of(checker, link);
    checker->evidence_to_ps = named->to_ps;
    if (from_ps < 0 && checker->evidence_to_ps < due_end_of(checker, link, count))
        checker->evidence_to_ps = due_end_of(checker, link, count);
    if (from_ps < 0 && named->kind == PB_FINDING_FRAMING)
        from_ps = seen->byte_start_ps[seen->bad_stop];
    else if (from_ps < 0 && bit >= 0)
        from_ps = at < pb_slot_kept(seen) ? seen->byte_start_ps[at] : seen->last_low_ps;
    else if (from_ps < 0)
        from_ps = seen->first_low_ps;
    /* A rise that leaves a receiver three quarters of the bit does not spoil anything yet. */
    const bool marginal = named->kind == PB_FINDING_SLOW_RISE && bit < 0 && seen->bad_stop < 0 &&
                          named->amount_ps < PB_PS_PER_S / 4 / (int64_t)checker->scenario->baud_hz;
    struct pb_finding *finding = pb_finding_add_frame(checker, named->kind, (int)link, from_ps,
                                                      checker->expected[link].sender, marginal);
    write_texts(checker, finding, named, link, frame, count);
    if (named->kind == PB_FINDING_BAUD)
        finding->measurement = measure_bit_time(checker, link, named);
    if (named->kind == PB_FINDING_FRAMING) {
        finding->bit = 10 * seen->bad_stop + 9;
        pb_finding_expected(finding, "line high at the stop bit");
        pb_finding_seen(finding, "line low at the stop bit of byte %d", seen->bad_stop);
    } else
        finding->bit = bit;
    if (bit < 0 && (named->kind == PB_FINDING_CONTENTION || named->kind == PB_FINDING_UNEXPECTED)) {
        /* A pulse between two sampling instants changes no byte, but it makes edges. */
        pb_finding_expected(finding, "%u edges in this frame", pb_slot_edges(frame, count));
        pb_finding_seen(finding, "%u edges", seen->edges);
    }
    take(verdict, finding);
}

/* An instant that must not come later than a limit. */
static void judge_not_after(struct pb_checker *checker, unsigned link, enum pb_finding_kind kind,
                            struct instant at, int64_t limit_ps, const char *rule, int measurement,
                            struct verdict *verdict)
{
    /* An early start is a limit from below: both signs turn. */
    const int64_t margin_ps = kind == PB_FINDING_EARLY ? at.ps - limit_ps : limit_ps - at.ps;
    const enum pb_judgement judgement = pb_decide_u95(margin_ps, at.u95_ps);
    if (judgement == PB_JUDGED_PASS)
        return;
    struct pb_finding *finding = pb_finding_add_frame(
        checker, kind, (int)link, at.ps, checker->expected[link].sender, judgement == PB_JUDGED_MARGINAL);
    finding->measurement = measurement;
    pb_finding_expected(finding, "%s %.3f us after the phase edge", rule, pb_us(limit_ps));
    pb_finding_seen(finding, "%.3f us (U95 %.3f us)", pb_us(at.ps), pb_us(at.u95_ps));
    take(verdict, finding);
}

/* How much later than wanted the bench may do what it does: when it is wanted sooner than it knows of an
 * outside edge. */
static int64_t follow_lag_ps(const struct pb_checker *checker)
{
    const int64_t known_ps = pb_most_ps(checker, PB_FOLLOW_DELAY_TICKS);
    const int64_t lag_ps = known_ps - checker->scenario->head_guard_ps;
    return checker->scenario->follow && lag_ps > 0 ? lag_ps : 0;
}

/* When the bench has to send: by its own schedule, not by the edge at the pin; behind an outside edge by that
 * edge. */
static void judge_stimulus_start(struct pb_checker *checker, unsigned link, struct verdict *verdict)
{
    const bool follow = checker->scenario->follow;
    const int64_t due_ps = checker->scenario->head_guard_ps + (follow ? 0 : checker->ideal_ps);
    const struct instant start = start_of(checker, link);
    const int64_t shift_ps = start.ps - due_ps, lag_ps = follow_lag_ps(checker),
                  limit_ps = pb_most_ps(checker, STIMULUS_TOLERANCE_Q1) / 2;
    struct pb_reading reading = {.value = shift_ps,
                                 .u95 = start.u95_ps,
                                 .lower = -limit_ps,
                                 .upper = lag_ps > limit_ps ? lag_ps : limit_ps};
    reading.judgement = pb_decide_limit(pb_reading_margin(&reading));
    const int measurement = pb_measure_take(&checker->measure, PB_FIGURE_BENCH_START, link, &reading);
    if (reading.judgement == PB_JUDGED_PASS)
        return;
    struct pb_finding *finding =
        pb_finding_add_frame(checker, shift_ps < 0 ? PB_FINDING_EARLY : PB_FINDING_LATE, (int)link,
                             due_ps + shift_ps, PB_SENDER_BENCH, false);
    finding->measurement = measurement;
    pb_finding_expected(finding, "the bench starts to send at %.3f us", pb_us(due_ps));
    pb_finding_seen(finding, "low from %.3f us", pb_us(due_ps + shift_ps));
    take(verdict, finding);
}

/* The end of the last low, less what the line takes to rise. */
static struct instant end_of(const struct pb_checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct pb_released end = pb_released_at(checker, link, seen->last_low_ps, seen->last_low_u95_ps);
    return (struct instant){end.ps, end.u95_ps};
}

/* The core's bit is a whole number of sixteenths of its clock. A frame of the bench ends later by this. */
static int64_t rounding_ps(const struct pb_checker *checker)
{
    const struct pb_scenario *scenario = checker->scenario;
    const __int128 bits = 10 * (__int128)scenario->frame_bytes - 1;
    const int64_t real_ps = (int64_t)(bits * checker->bit_period_q4 * PB_PS_PER_S /
                                      (16 * (__int128)checker->observation->info.clock_hz)),
                  by_baud_ps = (int64_t)(bits * PB_PS_PER_S / (int64_t)scenario->baud_hz);
    return real_ps > by_baud_ps ? real_ps - by_baud_ps : 0;
}

/* From the node's own edge. */
static int measure_start(struct pb_checker *checker, unsigned link, struct instant start)
{
    struct pb_result *result = checker->result;
    struct pb_reading reading = {.value = start.ps - checker->expected[link].edge_ps,
                                 .u95 = start.u95_ps,
                                 .lower = result->start_min_ps,
                                 .upper = result->start_max_ps};
    reading.judgement = pb_decide_u95(pb_reading_margin(&reading), reading.u95);
    const int64_t step_ps = start.u95_ps - checker->fall_rest_ps;
    if (step_ps > checker->measure.step_ps[link])
        checker->measure.step_ps[link] = step_ps;
    if (start.u95_ps > result->uncertainty_ps)
        result->uncertainty_ps = start.u95_ps;
    return pb_measure_take(&checker->measure, PB_FIGURE_NODE_START, link, &reading);
}

/* Up to the phase edge at which the guard after max_ps ends; granted_ps: of that guard, for what is not the
 * sender's. */
static int measure_end(struct pb_checker *checker, unsigned link, enum pb_figure figure, struct instant end,
                       int64_t max_ps, int64_t granted_ps)
{
    const int64_t tail_ps = checker->scenario->guard_ps - checker->scenario->head_guard_ps;
    struct pb_reading reading = {.value = max_ps + tail_ps - end.ps,
                                 .u95 = end.u95_ps,
                                 .lower = tail_ps - granted_ps,
                                 .upper = PB_ABSENT};
    reading.judgement = pb_decide_u95(pb_reading_margin(&reading), reading.u95);
    return pb_measure_take(&checker->measure, figure, link, &reading);
}

static void judge_timing(struct pb_checker *checker, unsigned link, struct verdict *verdict)
{
    const struct pb_expected_frame *expected = &checker->expected[link];
    const struct pb_slot_limits *limits = &checker->limits;
    const int64_t delay_ps = expected->through_fabric ? pb_most_ps(checker, JOIN_DELAY_TICKS) : 0;
    const struct instant start = start_of(checker, link);
    const bool bench = expected->sender == PB_SENDER_BENCH;
    int64_t end_max_ps = limits->end_max_ps, granted_ps = delay_ps;

    const int64_t due_ps = pb_ticks_to_ps(checker, checker->phase_tick) + due_start_of(checker, link);
    const bool hidden = pb_fault_on_line(checker, link, due_ps, due_ps); /* the fault's low, or its cut */

    if (bench) {
        if (!hidden)
            judge_stimulus_start(checker, link, verdict);
        end_max_ps += checker->scenario->follow ? 0 : checker->ideal_ps; /* its own next edge */
        granted_ps += follow_lag_ps(checker) + rounding_ps(checker);
    } else if (!hidden) {
        const bool measured = !expected->through_fabric && start.ps < checker->result->phase_ps;
        const int key = measured ? measure_start(checker, link, start) : -1;
        judge_not_after(checker, link, PB_FINDING_EARLY, start, limits->start_min_ps, "start no earlier than",
                        key, verdict);
        judge_not_after(checker, link, PB_FINDING_LATE, start, limits->start_max_ps + delay_ps,
                        "start no later than", key, verdict);
    }
    const struct instant end = end_of(checker, link);
    const int key = expected->through_fabric
                        ? -1
                        : measure_end(checker, link, bench ? PB_FIGURE_BENCH_END : PB_FIGURE_NODE_END, end,
                                      end_max_ps, granted_ps);
    judge_not_after(checker, link, PB_FINDING_OVERRUN, end, end_max_ps + granted_ps, "line high from", key,
                    verdict);
}

/* The line stayed high. A cut is named when something shows that the frame was sent: the far pin of a pair is
 * silent beside the near one, or a receipt tells of a cut. */
static void report_missing(struct pb_checker *checker, unsigned link, const uint8_t *frame, unsigned count,
                           struct verdict *verdict)
{
    const struct pb_expected_frame *expected = &checker->expected[link];
    const int partner = pb_partner_link(checker->scenario, link);
    const bool forwarded = expected->through_fabric && partner >= 0 && checker->seen[partner].any_low;
    const bool pulled = expected->sender == PB_SENDER_BENCH || forwarded;
    enum pb_finding_kind kind = pulled ? pb_absent_pull(checker, link) : PB_FINDING_MISSING;
    const int64_t from_ps = checker->scenario->head_guard_ps, to_ps = checker->limits.end_max_ps;
    if ((forwarded && kind == PB_FINDING_STIMULUS) || pb_fault_opens(checker, link, from_ps, to_ps))
        kind = PB_FINDING_OPEN;
    checker->evidence_to_ps = to_ps;
    struct pb_finding *finding =
        pb_finding_add_frame(checker, kind, (int)link, from_ps, expected->sender, false);
    finding->bit = 0;
    pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
    pb_finding_seen(finding, "line high through the whole phase");
    take(verdict, finding);
}

/* When somebody else spoiled the frame, or the line, its start and end are not its sender's. */
static bool is_own_doing(enum pb_finding_kind kind, enum pb_sender sender)
{
    switch (kind) {
    case PB_FINDING_OPEN:
    case PB_FINDING_SHORT:
    case PB_FINDING_STUCK:
    case PB_FINDING_GLITCH:
    case PB_FINDING_CONTENTION:
        return false;
    case PB_FINDING_BABBLE:
        return sender == PB_SENDER_NODE;
    default:
        return true;
    }
}

/* What the fault that explains the rest cannot have done. */
static void judge_unaccounted(struct pb_checker *checker, unsigned link, const uint8_t *frame, unsigned count,
                              struct verdict *verdict)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    if (verdict->fault < 0 || !is_unaccounted(checker, link, frame, count))
        return;
    checker->unexcused = true;
    if (seen->any_low && seen->byte_count) {
        struct pb_finding *finding =
            pb_finding_add_frame(checker, PB_FINDING_WRONG_BYTES, (int)link, seen->first_low_ps,
                                 checker->expected[link].sender, false);
        pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
        pb_slot_bytes_text(finding->seen, sizeof finding->seen, seen->byte, pb_slot_kept(seen));
        take(verdict, finding);
    } else
        report_missing(checker, link, frame, count, verdict);
    checker->unexcused = false;
}

/* A fault of the line acted at the start edge of a byte, from which the edges of its bits are counted: so
 * does a receiver that begins to read in the middle of the frame, where the fault ends. */
static bool is_misread(const struct pb_checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const int64_t slot_ps = pb_ticks_to_ps(checker, checker->phase_tick);
    bool acted = false;
    for (unsigned i = 0; i < pb_slot_kept(seen) && !acted; i++) {
        const int64_t start_ps = slot_ps + seen->byte_start_ps[i];
        acted = pb_fault_on_line(checker, link, start_ps, start_ps);
    }
    return acted;
}

static bool judge_frame(struct pb_checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct pb_expected_frame *expected = &checker->expected[link];
    uint8_t frame[PB_FRAME_MAX];
    const unsigned count = pb_frames_bytes(checker->frames, expected->crossing->message, frame);
    struct verdict verdict = {true, -1};
    if (seen->any_low) {
        const int bit = pb_slot_first_difference(frame, count, seen->byte, pb_slot_kept(seen));
        struct pb_named named = pb_name_frame(checker, link, frame, count, bit);
        if (named.kind != PB_FINDING_KINDS)
            for (unsigned i = 0; next_cause(checker, &named, i); i++)
                report_content(checker, link, &named, frame, count, bit, &verdict);
        if (is_own_doing(named.kind, expected->sender)) {
            struct pb_finding *finding = NULL;
            judge_timing(checker, link, &verdict);
            if (!is_misread(checker, link) && pb_judge_bits(checker, link, count, &named, &finding))
                take(&verdict, finding);
            if (named.kind != PB_FINDING_BAUD && !(finding && finding->kind == PB_FINDING_BAUD))
                measure_bit_time(checker, link, &named);
        }
    } else
        report_missing(checker, link, frame, count, &verdict);
    judge_unaccounted(checker, link, frame, count, &verdict);
    add_hop(checker, link, verdict.good);
    return verdict.good;
}

bool pb_judge_slot(struct pb_checker *checker, unsigned link)
{
    const struct pb_expected_frame *expected = &checker->expected[link];
    bool good;
    checker->result->slots_checked++;
    checker->result->bytes_seen += checker->seen[link].byte_count;
    if (expected->crossing && expected->kind != PB_SLOT_PLAIN)
        good = pb_judge_odd_slot(checker, link);
    else if (expected->crossing)
        good = judge_frame(checker, link);
    else
        good = judge_silence(checker, link);
    pb_alarm_judge(checker, link);
    return good;
}
