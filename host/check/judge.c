/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/judge.h"
#include "host/check/alarms.h"
#include "host/check/applied.h"
#include "host/check/classify.h"
#include "host/check/rise.h"
#include "host/plan/node_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOPS_MAX =
        PB_HOPS_FIRST + 500,  /* those after the first ones: from the superframe of the first finding on */
    STIMULUS_TOLERANCE_Q1 = 3 /* in half ticks: one tick, and the rounding of the planned start */
};

static struct pb_hop_row *new_hop(struct pb_judge *judge, uint32_t superframe)
{
    struct pb_result *result = judge->out->result;
    if (!result->hop)
        result->hop = calloc(HOPS_MAX, sizeof *result->hop);
    if (!result->hop)
        judge->out->code = PB_ERR_MEMORY;
    result->hops_total++;
    if (result->hops > PB_HOPS_FIRST && !result->findings_total &&
        result->hop[PB_HOPS_FIRST].superframe != superframe)
        result->hops = PB_HOPS_FIRST;
    return result->hop && result->hops < HOPS_MAX ? &result->hop[result->hops++] : &judge->spare;
}

static struct pb_hop_row hop_of(const struct pb_judge *judge, const struct pb_line_slot *slot, bool correct)
{
    const struct pb_scenario *scenario = judge->run->scenario;
    const struct pb_slot_seen *seen = &slot->seen;
    const struct pb_expected_frame *expected = &slot->expected;
    const unsigned port = pb_link_port(scenario, slot->link);
    const uint32_t here = pb_link_address(scenario, slot->link),
                   there = pb_network_neighbour(&scenario->network, here, port);
    /* A node out of step sends in a phase of its own count. */
    const bool here_sends =
        expected->crossing
            ? expected->crossing->from == here
            : pb_network_slot(&scenario->network, here, slot->at.phase).role == PB_ROLE_SEND;
    struct pb_hop_row row = {
        .message = SIZE_MAX,
        .superframe = slot->at.superframe,
        .phase = slot->at.phase,
        .dimension = port,
        .from = here_sends ? here : there,
        .to = here_sends ? there : here,
        .link = slot->link,
        .sender =
            here_sends || pb_scenario_node_index(scenario, there) >= 0 ? PB_SENDER_NODE : PB_SENDER_BENCH,
        .seen = seen->any_low,
        .correct = correct,
        .start_ps = seen->any_low ? seen->first_low_ps : -1,
        .end_ps = seen->any_low ? seen->last_low_ps : -1,
        .byte_count = pb_slot_kept(seen),
    };
    memcpy(row.bytes, seen->byte, row.byte_count);
    const struct pb_known_message *message =
        expected->crossing ? pb_known_find(judge->known, expected->crossing->message) : NULL;
    if (message) {
        row.message = expected->crossing->message;
        row.source = message->source;
        row.destination = message->destination;
    }
    if (expected->crossing)
        row.sender = expected->sender;
    return row;
}

static void add_hop(struct pb_judge *judge, const struct pb_line_slot *slot, bool correct)
{
    struct pb_hop_row *row = new_hop(judge, slot->at.superframe);
    *row = hop_of(judge, slot, correct);
    pb_evidence_take(judge->evidence, row);
}

static void write_slow_rise(const struct pb_check_run *run, struct pb_finding *finding,
                            const struct pb_classification *named, const struct pb_line_slot *slot)
{
    const struct pb_line_rise rise = pb_rise_of(run, slot);
    char line[64] = "";
    if (rise.max_ps)
        snprintf(line, sizeof line, " and the %.1f ns that the line takes", (double)rise.max_ps / 1e3);
    pb_finding_expected(finding, "line rises as it falls, within %.1f ns%s", (double)run->resolution_ps / 1e3,
                        line);
    pb_finding_seen(finding, "it rises %.1f ns late%s", (double)named->late_ps / 1e3,
                    rise.max_ps ? " beyond them" : "");
}

/* Writes the texts of a finding kind, for any sender. frame: bytes of the expected frame; none for an idle
 * line. */
static void write_texts(const struct pb_check_run *run, struct pb_finding *finding,
                        const struct pb_classification *named, const struct pb_line_slot *slot,
                        const uint8_t *frame, unsigned count)
{
    const struct pb_slot_seen *seen = &slot->seen;
    char bytes[120];
    pb_slot_bytes_text(bytes, sizeof bytes, seen->byte, pb_slot_kept(seen));
    switch (named->kind) {
    case PB_FINDING_STUCK:
        pb_finding_expected(finding, "line high when no node sends");
        pb_finding_seen(finding, "low for %.3f us from %.3f us on", pb_us(named->amount_ps),
                        pb_us(named->from_ps));
        break;
    case PB_FINDING_SHORT:
        pb_finding_expected(finding, "link %u apart from link %d", slot->link, named->other_link);
        pb_finding_seen(finding, "the edges of link %u are those of link %d: %u edges", slot->link,
                        named->other_link, seen->edges);
        break;
    case PB_FINDING_GLITCH:
        pb_finding_expected(finding, "no pulse shorter than a bit");
        pb_finding_seen(finding, "one at %.3f us", pb_us(named->from_ps));
        break;
    case PB_FINDING_SLOW_RISE:
        write_slow_rise(run, finding, named, slot);
        break;
    case PB_FINDING_BAUD:
        pb_finding_expected(finding, "bit time within %.2f %% of nominal", named->limit_ppm / 1e4);
        pb_finding_seen(finding, "off by %.2f %% (U95 %.2f %%)", named->ppm / 1e4, named->grain_ppm / 1e4);
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

/* True if the slot has only the end of a low that was reported in the phase before. */
static bool is_remainder(const struct pb_line_slot *slot)
{
    const struct pb_wave *wave = &slot->wave;
    return wave->low_first && slot->found_before && wave->count == 1 && wave->edge[0].high &&
           !slot->seen.byte_count;
}

/* Each glitch has a cause of its own; all other findings about a line in a phase have one common cause. */
static bool next_cause(const struct pb_check_run *run, const struct pb_pulses *pulses,
                       struct pb_classification *named, unsigned index)
{
    if (named->kind != PB_FINDING_GLITCH)
        return index == 0;
    if (index == pulses->count)
        return false;
    named->from_ps = pb_ticks_to_ps(run, (uint64_t)pulses->pulse[index].from_tick);
    named->to_ps = pb_ticks_to_ps(run, (uint64_t)pulses->pulse[index].to_tick);
    return true;
}

/* True if a fault of the line acts in this slot, but does not explain all of its errors. */
static bool is_unaccounted(const struct pb_check_output *out, const struct pb_line_slot *slot,
                           const uint8_t *frame, unsigned count)
{
    const int64_t slot_ps = pb_ticks_to_ps(out->run, slot->at.tick);
    /* At the far pin of a pair the bench's own joining acts, too; the near one shows what the node did. */
    return !slot->expected.through_fabric &&
           pb_fault_on_line(out->faults, slot->link, slot_ps, slot_ps + out->run->phase_ps) &&
           !pb_fault_of_frame(out->faults, slot->link, slot->at.superframe, slot->at.phase) &&
           !pb_fault_accounts(out->faults, slot, frame, count);
}

static bool judge_silence(struct pb_judge *judge, struct pb_line_slot *slot)
{
    const struct pb_slot_seen *seen = &slot->seen;
    if (!seen->any_low)
        return true;
    if (is_remainder(slot)) {
        slot->found = true;
        return false;
    }
    struct pb_pulses pulses;
    struct pb_classification named = pb_classify_idle(judge->out->faults, slot, &pulses);
    for (unsigned i = 0; next_cause(judge->run, &pulses, &named, i); i++) {
        struct pb_claim claim = {
            .kind = named.kind, .at_ps = named.from_ps, .to_ps = named.to_ps, .sender = PB_SENDER_NONE};
        struct pb_finding *finding = pb_slot_report(judge->out, slot, &claim);
        write_texts(judge->run, finding, &named, slot, NULL, 0);
        if (finding->fault >= 0 && is_unaccounted(judge->out, slot, NULL, 0)) {
            claim = (struct pb_claim){.kind = PB_FINDING_UNEXPECTED,
                                      .at_ps = named.from_ps,
                                      .sender = PB_SENDER_NONE,
                                      .unexcused = true};
            finding = pb_slot_report(judge->out, slot, &claim);
            write_texts(judge->run, finding, &(struct pb_classification){.kind = PB_FINDING_UNEXPECTED}, slot,
                        NULL, 0);
        }
    }
    add_hop(judge, slot, false);
    return false;
}

/* ---- a frame */

struct verdict {
    bool good;
    int fault; /* that explains the error; -1: none */
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

/* Returns the start of the frame. A low that was reported in the phase before is no part of the frame. */
static struct instant start_of(const struct pb_check_run *run, const struct pb_line_slot *slot)
{
    const struct pb_wave *wave = &slot->wave;
    const struct pb_slot_seen *seen = &slot->seen;
    if (wave->low_first && slot->found_before)
        for (unsigned i = 0; i < wave->count; i++)
            if (!wave->edge[i].high)
                return (struct instant){pb_ticks_to_ps(run, (uint64_t)wave->edge[i].tick),
                                        pb_uncertainty_ps(run, &slot->at, PB_HALF_UNKNOWN)};
    const int64_t late_ps = slot->expected.sender == PB_SENDER_NODE ? run->late_fall_ps : 0;
    return (struct instant){seen->first_low_ps - late_ps, seen->first_low_u95_ps};
}

/* When the frame would have been over: to there it can be cut off. */
static int64_t due_end_of(const struct pb_check_run *run, const struct pb_line_slot *slot, unsigned count)
{
    return start_of(run, slot).ps + 10 * count * PB_PS_PER_S / (int64_t)run->scenario->baud_hz;
}

/* Returns the due start of the frame: from then on a fault can corrupt it. */
static int64_t due_start_of(const struct pb_check_run *run, const struct pb_line_slot *slot)
{
    const struct pb_expected_frame *expected = &slot->expected;
    return run->scenario->head_guard_ps +
           (expected->sender == PB_SENDER_BENCH ? slot->at.ideal_ps : expected->edge_ps);
}

/* The deviation of all edges of the frame. -1: the edges are not those of a frame, or not at the sender's
 * pin.
 */
static int measure_bit_time(struct pb_check_output *out, struct pb_line_slot *slot,
                            const struct pb_classification *named)
{
    const struct pb_expected_frame *expected = &slot->expected;
    if (!named->fits || expected->through_fabric)
        return -1;
    const int64_t limit_ppb = INT64_C(1000) * named->limit_ppm;
    struct pb_reading reading = {.value = INT64_C(1000) * named->ppm,
                                 .u95 = INT64_C(1000) * named->grain_ppm,
                                 .lower = -limit_ppb,
                                 .upper = limit_ppb,
                                 .judgement = named->bit_time};
    pb_slot_place(out, slot, &reading);
    return pb_measure_take(&out->measure,
                           expected->sender == PB_SENDER_BENCH ? PB_FIGURE_BENCH_BIT_TIME
                                                               : PB_FIGURE_NODE_BIT_TIME,
                           slot->link, &reading);
}

static void report_content(struct pb_check_output *out, struct pb_line_slot *slot,
                           const struct pb_classification *named, const uint8_t *frame, unsigned count,
                           int bit, struct verdict *verdict)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const unsigned at = bit < 0 ? 0 : (unsigned)bit / 10;
    int64_t from_ps = named->from_ps;
    int64_t to_ps = named->to_ps;
    if (from_ps < 0 && to_ps < due_end_of(out->run, slot, count))
        to_ps = due_end_of(out->run, slot, count);
    if (from_ps < 0 && named->kind == PB_FINDING_FRAMING)
        from_ps = seen->byte_start_ps[seen->bad_stop];
    else if (from_ps < 0 && bit >= 0)
        from_ps = at < pb_slot_kept(seen) ? seen->byte_start_ps[at] : seen->last_low_ps;
    else if (from_ps < 0)
        from_ps = seen->first_low_ps;
    const bool marginal = named->kind == PB_FINDING_BAUD && named->bit_time == PB_JUDGED_MARGINAL;
    struct pb_finding *finding = pb_slot_report(out, slot,
                                                &(struct pb_claim){.kind = named->kind,
                                                                   .at_ps = from_ps,
                                                                   .from_ps = due_start_of(out->run, slot),
                                                                   .to_ps = to_ps,
                                                                   .sender = (int)slot->expected.sender,
                                                                   .marginal = marginal});
    write_texts(out->run, finding, named, slot, frame, count);
    if (named->kind == PB_FINDING_BAUD)
        finding->measurement = measure_bit_time(out, slot, named);
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
static void judge_not_after(struct pb_check_output *out, struct pb_line_slot *slot, enum pb_finding_kind kind,
                            struct instant at, int64_t limit_ps, const char *rule, int measurement,
                            struct verdict *verdict)
{
    /* An early start is a limit from below: both signs turn. */
    const int64_t margin_ps = kind == PB_FINDING_EARLY ? at.ps - limit_ps : limit_ps - at.ps;
    const enum pb_judgement judgement = pb_decide_u95(margin_ps, at.u95_ps);
    if (judgement == PB_JUDGED_PASS)
        return;
    struct pb_finding *finding =
        pb_slot_report(out, slot,
                       &(struct pb_claim){.kind = kind,
                                          .at_ps = at.ps,
                                          .sender = (int)slot->expected.sender,
                                          .marginal = judgement == PB_JUDGED_MARGINAL});
    finding->measurement = measurement;
    pb_finding_expected(finding, "%s %.3f us after the phase edge", rule, pb_us(limit_ps));
    pb_finding_seen(finding, "%.3f us (U95 %.3f us)", pb_us(at.ps), pb_us(at.u95_ps));
    take(verdict, finding);
}

/* Largest delay of the bench after the scheduled instant: for instants before it detects an external edge. */
static int64_t follow_lag_ps(const struct pb_check_run *run)
{
    const int64_t known_ps = pb_most_ps(run, PB_FOLLOW_DELAY_TICKS);
    const int64_t lag_ps = known_ps - run->scenario->head_guard_ps;
    return run->scenario->follow && lag_ps > 0 ? lag_ps : 0;
}

/* Returns when the bench has to send: by its own schedule, not by the edge at the pin; with an external clock
 * by the edge. */
static void judge_stimulus_start(struct pb_check_output *out, struct pb_line_slot *slot,
                                 struct verdict *verdict)
{
    const bool follow = out->run->scenario->follow;
    const int64_t due_ps = out->run->scenario->head_guard_ps + (follow ? 0 : slot->at.ideal_ps);
    const struct instant start = start_of(out->run, slot);
    const int64_t shift_ps = start.ps - due_ps, lag_ps = follow_lag_ps(out->run),
                  limit_ps = pb_most_ps(out->run, STIMULUS_TOLERANCE_Q1) / 2;
    struct pb_reading reading = {.value = shift_ps,
                                 .u95 = start.u95_ps,
                                 .lower = -limit_ps,
                                 .upper = lag_ps > limit_ps ? lag_ps : limit_ps};
    reading.judgement = pb_decide_limit(pb_reading_margin(&reading));
    const int measurement = pb_measure_take(&out->measure, PB_FIGURE_BENCH_START, slot->link, &reading);
    if (reading.judgement == PB_JUDGED_PASS)
        return;
    struct pb_finding *finding =
        pb_slot_report(out, slot,
                       &(struct pb_claim){.kind = shift_ps < 0 ? PB_FINDING_EARLY : PB_FINDING_LATE,
                                          .at_ps = due_ps + shift_ps,
                                          .sender = PB_SENDER_BENCH});
    finding->measurement = measurement;
    pb_finding_expected(finding, "the bench starts to send at %.3f us", pb_us(due_ps));
    pb_finding_seen(finding, "low from %.3f us", pb_us(due_ps + shift_ps));
    take(verdict, finding);
}

/* The end of the last low, less what the line takes to rise. */
static struct instant end_of(const struct pb_check_run *run, const struct pb_line_slot *slot)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const struct pb_released end = pb_released_at(run, slot, seen->last_low_ps, seen->last_low_u95_ps);
    const int64_t late_ps = slot->expected.sender == PB_SENDER_NODE ? run->late_rise_ps : 0;
    return (struct instant){end.ps - late_ps, end.u95_ps};
}

/* The core's bit is a whole number of sixteenths of its clock. A frame of the bench ends later by this. */
static int64_t rounding_ps(const struct pb_check_run *run)
{
    const struct pb_scenario *scenario = run->scenario;
    const __int128 bits = 10 * (__int128)scenario->frame_bytes - 1;
    const int64_t real_ps = (int64_t)(bits * run->bit_period_q4 * PB_PS_PER_S /
                                      (16 * (__int128)run->observation->info.clock_hz)),
                  by_baud_ps = (int64_t)(bits * PB_PS_PER_S / (int64_t)scenario->baud_hz);
    return real_ps > by_baud_ps ? real_ps - by_baud_ps : 0;
}

/* From the node's own edge. */
static int measure_start(struct pb_check_output *out, struct pb_line_slot *slot, struct instant start)
{
    struct pb_result *result = out->result;
    const int64_t step_ps = start.u95_ps - out->run->fall_rest_ps;
    struct pb_reading reading = {.value = start.ps - slot->expected.edge_ps,
                                 .u95 = start.u95_ps,
                                 .lower = out->run->start_min_ps,
                                 .upper = out->run->start_max_ps,
                                 .step_ps = step_ps};
    pb_slot_place(out, slot, &reading);
    reading.judgement = pb_decide_u95(pb_reading_margin(&reading), reading.u95);
    if (step_ps > out->measure.step_ps[slot->link])
        out->measure.step_ps[slot->link] = step_ps;
    if (start.u95_ps > result->uncertainty_ps)
        result->uncertainty_ps = start.u95_ps;
    return pb_measure_take(&out->measure, PB_FIGURE_NODE_START, slot->link, &reading);
}

/* Up to the phase edge at which the guard after max_ps ends; granted_ps: of that guard, for what is not the
 * sender's. */
static int measure_end(struct pb_check_output *out, struct pb_line_slot *slot, enum pb_figure figure,
                       struct instant end, int64_t max_ps, int64_t granted_ps)
{
    const int64_t tail_ps = out->run->scenario->guard_ps - out->run->scenario->head_guard_ps;
    struct pb_reading reading = {.value = max_ps + tail_ps - end.ps,
                                 .u95 = end.u95_ps,
                                 .lower = tail_ps - granted_ps,
                                 .upper = PB_ABSENT};
    reading.judgement = pb_decide_u95(pb_reading_margin(&reading), reading.u95);
    return pb_measure_take(&out->measure, figure, slot->link, &reading);
}

static void judge_timing(struct pb_check_output *out, struct pb_line_slot *slot, struct verdict *verdict)
{
    const struct pb_expected_frame *expected = &slot->expected;
    const struct pb_slot_limits *limits = &slot->limits;
    const int64_t delay_ps = expected->through_fabric ? pb_most_ps(out->run, PB_JOIN_DELAY_TICKS) : 0;
    const struct instant start = start_of(out->run, slot);
    const bool bench = expected->sender == PB_SENDER_BENCH;
    int64_t end_max_ps = limits->end_max_ps, granted_ps = delay_ps;

    const int64_t due_ps = pb_ticks_to_ps(out->run, slot->at.tick) + due_start_of(out->run, slot);
    const bool hidden =
        pb_fault_on_line(out->faults, slot->link, due_ps, due_ps); /* the fault's low, or its cut */

    if (bench) {
        if (!hidden)
            judge_stimulus_start(out, slot, verdict);
        end_max_ps += out->run->scenario->follow ? 0 : slot->at.ideal_ps; /* its own next edge */
        granted_ps += follow_lag_ps(out->run) + rounding_ps(out->run);
    } else if (!hidden) {
        const bool measured = !expected->through_fabric && start.ps < out->run->phase_ps;
        const int key = measured ? measure_start(out, slot, start) : -1;
        judge_not_after(out, slot, PB_FINDING_EARLY, start, limits->start_min_ps, "start no earlier than",
                        key, verdict);
        judge_not_after(out, slot, PB_FINDING_LATE, start, limits->start_max_ps + delay_ps,
                        "start no later than", key, verdict);
    }
    const struct instant end = end_of(out->run, slot);
    const int key = expected->through_fabric
                        ? -1
                        : measure_end(out, slot, bench ? PB_FIGURE_BENCH_END : PB_FIGURE_NODE_END, end,
                                      end_max_ps, granted_ps);
    judge_not_after(out, slot, PB_FINDING_OVERRUN, end, end_max_ps + granted_ps, "line high from", key,
                    verdict);
}

/* Reports a line that remained high instead of a frame. It is a cut if the frame was sent: the near pin of a
 * pair shows it and the far pin does not, or a receipt reports a cut. */
static void report_missing(struct pb_judge *judge, struct pb_line_slot *slot, const uint8_t *frame,
                           unsigned count, bool unexcused, struct verdict *verdict)
{
    const struct pb_expected_frame *expected = &slot->expected;
    const int partner = pb_partner_link(judge->run->scenario, slot->link);
    const bool forwarded =
        expected->through_fabric && partner >= 0 && pb_slot_of_line(slot, (unsigned)partner)->seen.any_low;
    const bool pulled = expected->sender == PB_SENDER_BENCH || forwarded;
    enum pb_finding_kind kind = pulled ? pb_absent_pull(judge->early, slot->link) : PB_FINDING_MISSING;
    const int64_t from_ps = judge->run->scenario->head_guard_ps, to_ps = slot->limits.end_max_ps;
    if ((forwarded && kind == PB_FINDING_STIMULUS) ||
        pb_fault_opens(judge->out->faults, slot, from_ps, to_ps))
        kind = PB_FINDING_OPEN;
    struct pb_finding *finding = pb_slot_report(judge->out, slot,
                                                &(struct pb_claim){.kind = kind,
                                                                   .at_ps = from_ps,
                                                                   .to_ps = to_ps,
                                                                   .sender = (int)expected->sender,
                                                                   .unexcused = unexcused});
    finding->bit = 0;
    pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
    pb_finding_seen(finding, "line high through the whole phase");
    take(verdict, finding);
}

/* False if another side corrupted the frame or the line: then start and end of the frame are not its
 * sender's. */
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

/* Judges what the fault that explains the other errors cannot have caused. */
static void judge_unaccounted(struct pb_judge *judge, struct pb_line_slot *slot, const uint8_t *frame,
                              unsigned count, struct verdict *verdict)
{
    const struct pb_slot_seen *seen = &slot->seen;
    if (verdict->fault < 0 || !is_unaccounted(judge->out, slot, frame, count))
        return;
    if (seen->any_low && seen->byte_count) {
        struct pb_finding *finding = pb_slot_report(judge->out, slot,
                                                    &(struct pb_claim){.kind = PB_FINDING_WRONG_BYTES,
                                                                       .at_ps = seen->first_low_ps,
                                                                       .sender = (int)slot->expected.sender,
                                                                       .unexcused = true});
        pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
        pb_slot_bytes_text(finding->seen, sizeof finding->seen, seen->byte, pb_slot_kept(seen));
        take(verdict, finding);
    } else
        report_missing(judge, slot, frame, count, true, verdict);
}

/* Returns how many of the last seen bytes equal the last bytes of the frame. */
static unsigned right_tail(const struct pb_slot_seen *seen, const uint8_t *frame, unsigned count)
{
    const unsigned kept = pb_slot_kept(seen);
    unsigned right = 0;
    while (right < kept && right < count && seen->byte[kept - 1 - right] == frame[count - 1 - right])
        right++;
    return right;
}

/* A fault of the line acted at the start edge of a byte, from which the edges of its bits are counted; or
 * before it, and from there on the bytes are not yet those of the frame: a receiver begins to read in its
 * middle, where the fault ends, at any falling edge. */
static bool is_misread(const struct pb_check_output *out, const struct pb_line_slot *slot,
                       const uint8_t *frame, unsigned count)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const int64_t slot_ps = pb_ticks_to_ps(out->run, slot->at.tick),
                  due_ps = slot_ps + due_start_of(out->run, slot);
    const unsigned kept = pb_slot_kept(seen), wrong = kept - right_tail(seen, frame, count);
    bool acted =
        wrong && pb_fault_on_line(out->faults, slot->link, due_ps, slot_ps + seen->byte_start_ps[wrong - 1]);
    for (unsigned i = 0; i < kept && !acted; i++) {
        const int64_t start_ps = slot_ps + seen->byte_start_ps[i];
        acted = pb_fault_on_line(out->faults, slot->link, start_ps, start_ps);
    }
    return acted;
}

static bool judge_frame(struct pb_judge *judge, struct pb_line_slot *slot, const uint8_t *frame,
                        unsigned count)
{
    const struct pb_slot_seen *seen = &slot->seen;
    const struct pb_expected_frame *expected = &slot->expected;
    struct verdict verdict = {true, -1};
    if (seen->any_low) {
        const int bit = pb_slot_first_difference(frame, count, seen->byte, pb_slot_kept(seen));
        struct pb_pulses pulses;
        struct pb_classification named =
            pb_classify_frame(judge->out->faults, slot, frame, count, bit, &pulses);
        if (named.kind != PB_FINDING_KINDS)
            for (unsigned i = 0; next_cause(judge->run, &pulses, &named, i); i++)
                report_content(judge->out, slot, &named, frame, count, bit, &verdict);
        if (is_own_doing(named.kind, expected->sender)) {
            struct pb_finding *finding = NULL;
            judge_timing(judge->out, slot, &verdict);
            if (!is_misread(judge->out, slot, frame, count) &&
                pb_judge_bits(judge->out, slot, count, &named, &finding))
                take(&verdict, finding);
            if (named.kind != PB_FINDING_BAUD && !(finding && finding->kind == PB_FINDING_BAUD))
                measure_bit_time(judge->out, slot, &named);
        }
    } else
        report_missing(judge, slot, frame, count, false, &verdict);
    judge_unaccounted(judge, slot, frame, count, &verdict);
    add_hop(judge, slot, verdict.good);
    return verdict.good;
}

bool pb_judge_slot(struct pb_judge *judge, struct pb_line_slot *slot)
{
    const struct pb_expected_frame *expected = &slot->expected;
    uint8_t frame[PB_FRAME_MAX];
    const unsigned count =
        expected->crossing ? pb_frames_bytes(judge->frames, expected->crossing->message, frame) : 0;
    bool good;
    judge->out->result->slots_checked++;
    judge->out->result->bytes_seen += slot->seen.byte_count;
    if (expected->crossing && expected->kind != PB_SLOT_PLAIN)
        good = pb_judge_odd_slot(judge->out, slot, frame, count);
    else if (expected->crossing)
        good = judge_frame(judge, slot, frame, count);
    else
        good = judge_silence(judge, slot);
    const bool right = good;
    /* Else the bench may not have pulled. */
    if (pb_absent_pull(judge->early, slot->link) == PB_FINDING_HELD_HIGH)
        good &= pb_judge_pulls(judge->out, slot);
    pb_alarm_judge(judge->out, slot);
    if (judge->transmissions.sink.take && slot->seen.any_low && (expected->crossing || !is_remainder(slot))) {
        const struct pb_hop_row hop = hop_of(judge, slot, right);
        const struct pb_shown shown = {judge->out->result, &hop, pb_run_ps(judge->run, slot->at.tick),
                                       pb_is_edgeless(judge->run, slot->link)};
        if (pb_transmissions_push(&judge->transmissions, slot, &shown))
            judge->out->code = PB_ERR_MEMORY;
    }
    return good;
}
