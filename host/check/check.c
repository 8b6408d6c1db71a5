/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/check.h"
#include "host/check/checker.h"
#include "host/check/epilogue.h"
#include "host/check/uncertainty.h"
#include "host/plan/answer.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t pb_ticks_to_ps(const struct pb_checker *checker, uint64_t ticks)
{
    return (int64_t)((unsigned __int128)ticks * PB_PS_PER_S / checker->observation->info.clock_hz);
}

int64_t pb_ps_to_ticks(const struct pb_checker *checker, int64_t ps)
{
    return (int64_t)((__int128)ps * checker->observation->info.clock_hz / PB_PS_PER_S);
}

int64_t pb_half_ps(const struct pb_checker *checker, unsigned half)
{
    return half == PB_HALF_SECOND ? checker->result->edge_resolution_ps : 0;
}

int64_t pb_mark_ps(const struct pb_checker *checker, size_t mark)
{
    return pb_ticks_to_ps(checker, checker->mark[mark].tick) + pb_half_ps(checker, checker->mark[mark].half);
}

/* The core makes the phase edge, so its stamp is exact; that of an outside edge, and of what happens at a
 * line, is rounded down to its tick or to the half of it. So a time between the two reads too short by less
 * than that, or is off by less than that either way. These are bounds: they cover more than the 95 % they are
 * asked for. */
int64_t pb_uncertainty_ps(const struct pb_checker *checker, unsigned half)
{
    const bool known = (half == PB_HALF_FIRST || half == PB_HALF_SECOND) &&
                       !(checker->scenario->follow && checker->phase_half == PB_HALF_UNKNOWN);
    return checker->fall_rest_ps +
           (known ? checker->result->edge_resolution_ps : checker->result->resolution_ps);
}

/* ---- messages */

/* Makes a phase that was walked through the present one again; its tick is the nominal one. */
static void turn_to(struct pb_checker *checker, uint32_t superframe, unsigned phase)
{
    const uint64_t index = (uint64_t)superframe * checker->scenario->network.phases + phase;
    checker->superframe = superframe;
    checker->phase = phase;
    checker->phase_tick = (checker->marks ? checker->mark[0].ideal_tick : 0) +
                          (uint64_t)((unsigned __int128)index * checker->observation->info.clock_hz * 1000 /
                                     checker->scenario->phase_rate_mhz);
}

/* In phases; limit in superframes, 0: none. */
static int measure_message(struct pb_checker *checker, int64_t arrival, int64_t latency, uint32_t limit)
{
    const struct pb_reading lasted = {.value = latency, .lower = PB_ABSENT, .upper = PB_ABSENT};
    struct pb_reading reading = {.value = arrival, .lower = PB_ABSENT, .upper = PB_ABSENT};
    if (limit) {
        reading.upper = (int64_t)limit * checker->scenario->network.phases;
        reading.judgement = pb_decide_limit(pb_reading_margin(&reading));
    }
    pb_measure_take(&checker->measure, PB_FIGURE_LATENCY, 0, &lasted);
    return pb_measure_take(&checker->measure, PB_FIGURE_ARRIVAL, 0, &reading);
}

static void judge_messages(struct pb_checker *checker)
{
    struct pb_result *result = checker->result;
    const struct pb_scenario *scenario = checker->scenario;
    const unsigned phases = scenario->network.phases;
    const uint32_t limit = scenario->limits.max_superframes ? scenario->limits.max_superframes
                                                            : checker->expectation.bound_superframes;
    size_t never = 0;

    for (size_t i = 0; i < scenario->traffic.count; i++) {
        const struct pb_message *message = &scenario->traffic.message[i];
        const struct pb_message_fate *fate = &checker->expectation.fate[i];
        if (fate->dropped)
            continue;
        never += fate->superframe == PB_NEVER;
        if (fate->superframe == PB_NEVER || fate->broken)
            continue;
        if (*checker->observation->cut &&
            (uint64_t)fate->superframe * phases + fate->phase >= checker->observation->whole_phases)
            continue;
        result->delivered++;
        if (message->source == message->destination)
            continue;
        const uint32_t taken = fate->superframe - message->release_superframe;
        const uint32_t latency = taken * phases + fate->phase + 1 - message->release_phase;
        if (latency > result->worst_latency_phases)
            result->worst_latency_phases = latency;
        const int measurement = measure_message(checker, taken * phases + fate->phase + 1, latency, limit);
        if (!limit || taken + 1 <= limit)
            continue;
        result->late++;
        turn_to(checker, fate->superframe, fate->phase);
        struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_LATENCY, -1, 0);
        finding->measurement = measurement;
        pb_finding_expected(finding,
                            "message %zu, 0x%" PRIX32 " to 0x%" PRIX32 ", within %" PRIu32 " superframes", i,
                            message->source, message->destination, limit);
        pb_finding_seen(finding, "%" PRIu32 " superframes (%" PRIu32 " phases)", taken + 1, latency);
    }
    if (never) {
        turn_to(checker, scenario->superframes - 1, phases - 1);
        struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_UNDELIVERED, -1, 0);
        pb_finding_expected(finding, "all %zu messages delivered within %" PRIu32 " superframes",
                            scenario->traffic.count, scenario->superframes);
        pb_finding_seen(finding, "%zu are still under way by the schedule itself; raise superframes", never);
    }
}

static void add_console_findings(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    checker->superframe = checker->phase = 0;
    for (size_t i = 0; i < observation->console_failures &&
                       i < sizeof observation->console_failure / sizeof observation->console_failure[0];
         i++) {
        const struct pb_console_failure *failure = &observation->console_failure[i];
        checker->phase_tick = checker->origin_tick; /* it was asked before the clock started */
        struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_CONSOLE, -1, 0);
        const struct pb_message_fate *fate = &checker->expectation.fate[failure->message];
        char answer[PB_ANSWER_MAX];
        pb_answer(answer, fate->refused, fate->sequence);
        pb_finding_expected(finding, "node 0x%" PRIX32 " answers '%s' to the line that queues message %zu",
                            checker->scenario->node[failure->seat].address, answer, failure->message);
        if (*failure->answer)
            pb_finding_seen(finding, "it answered '%s'", failure->answer);
        else
            pb_finding_seen(finding, "no answer on UART0 within 50 ms");
    }
}

static void add_loss_finding(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    checker->phase_tick = checker->origin_tick;
    checker->superframe = checker->phase = 0;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_LOSS, -1, 0);
    pb_finding_expected(finding, "no loss");
    char impossible[48] = "";
    if (checker->impossible)
        snprintf(impossible, sizeof impossible, ", %" PRIu64 " that no core makes", checker->impossible);
    pb_finding_seen(finding, "%" PRIu64 " events lost in the core, %" PRIu64 " on the way to the host%s",
                    checker->lost_in_core, observation->counters.events_missing, impossible);
}

/* ---- verdict */

static void write_reason(struct pb_result *result, const struct pb_finding *finding)
{
    const int at = snprintf(result->reason, sizeof result->reason, "%s: %ssuperframe %" PRIu32 ", phase %u",
                            pb_finding_text(finding->kind),
                            pb_finding_is_after(result, finding) ? "after the run, " : "",
                            finding->superframe, finding->phase);
    char *rest = result->reason + at;
    const size_t size = sizeof result->reason - (size_t)at;
    const char *plural = result->findings_total == 1 ? "" : "s";
    if (finding->link < 0)
        snprintf(rest, size, "; %zu finding%s in all", result->findings_total, plural);
    else
        snprintf(rest, size, ", link %d; %zu finding%s in all", finding->link, result->findings_total,
                 plural);
}

static void write_pass(struct pb_result *result)
{
    const bool edges = !strcmp(result->capture, "edges");
    size_t unsought = 0;
    char left_out[64] = "";
    for (size_t i = 0; i < result->faults; i++)
        unsought += result->fault[i].unsought;
    if (unsought)
        snprintf(left_out, sizeof left_out, ", but for %zu that leave%s nothing to see", unsought,
                 unsought == 1 ? "s" : "");
    if (result->faults)
        snprintf(
            result->reason, sizeof result->reason,
            "%zu fault%s injected, each with its receipt and found%s; all else in its slot, right and silent "
            "elsewhere%s: %" PRIu64 " slots, %zu transmissions",
            result->faults, result->faults == 1 ? "" : "s", left_out, edges ? "" : " by its bytes",
            result->slots_checked, result->hops);
    else
        snprintf(result->reason, sizeof result->reason,
                 "every frame in its slot, every byte right, %s elsewhere: %" PRIu64
                 " slots, %zu transmissions",
                 edges ? "every line silent" : "no byte and no alarm", result->slots_checked, result->hops);
}

/* Where events are lost only what a line did in the run counts, up to a phase before the first of them; a low
 * on a line that is nobody's in the phase up to the loss itself. */
static bool is_whole(const struct pb_checker *checker, const struct pb_finding *finding)
{
    if (!checker->loss)
        return true;
    const uint64_t tick = checker->whole_to_tick;
    const bool is_low = finding->kind == PB_FINDING_OUTSIDE;
    return tick && !checker->impossible && finding->link >= 0 &&
           finding->time_ps >= pb_ticks_to_ps(checker, checker->origin_tick) &&
           finding->time_ps < pb_ticks_to_ps(checker, tick) - (is_low ? 0 : checker->result->phase_ps);
}

/* What a node does after the bench failed it, and what seems to be missing once events were lost, proves
 * nothing against it. An applied fault that was not found does not excuse a node. */
static void decide(const struct pb_checker *checker)
{
    struct pb_result *result = checker->result;
    const struct pb_finding *first[PB_BLAMES] = {NULL};
    size_t count[PB_BLAMES] = {0};
    for (size_t i = result->findings; i-- > 0;) {
        const enum pb_blame blame = pb_finding_blame(&result->finding[i]);
        count[blame]++;
        if (blame != PB_BLAME_NODE || is_whole(checker, &result->finding[i]))
            first[blame] = &result->finding[i];
    }
    const struct pb_finding *node = first[PB_BLAME_NODE], *bench = first[PB_BLAME_BENCH],
                            *open = first[PB_BLAME_NOBODY];

    if (node && !(bench && bench->time_ps <= node->time_ps)) {
        result->verdict = PB_VERDICT_FAIL;
        write_reason(result, node);
    } else if ((bench || first[PB_BLAME_AWARE]) && !checker->loss) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        write_reason(result, bench ? bench : first[PB_BLAME_AWARE]);
    } else if (open) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        snprintf(result->reason, sizeof result->reason, "%s: %s", pb_finding_text(open->kind), open->seen);
    } else if (!result->hops) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        snprintf(
            result->reason, sizeof result->reason,
            "no message crosses a line of the rig, so nothing was proven; add traffic through its nodes");
    } else if (pb_evidence_lacks(result->reason, sizeof result->reason, result)) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
    } else if (first[PB_BLAME_MARGINAL]) {
        const size_t near = result->findings_total > result->findings
                                ? result->findings_total - count[PB_BLAME_FAULT]
                                : count[PB_BLAME_MARGINAL];
        result->verdict = PB_VERDICT_MARGINAL;
        snprintf(result->reason, sizeof result->reason,
                 "%zu value%s within the measurement uncertainty of a limit", near,
                 near == 1 ? " is" : "s are");
    } else {
        result->verdict = PB_VERDICT_PASS;
        write_pass(result);
    }
}

/* What the lines take to rise, and the budget of what is known of an instant. */
static void set_uncertainty(struct pb_checker *checker)
{
    struct pb_result *result = checker->result;
    const struct pb_observation *seen = checker->observation;
    struct pb_uncertainty_input input = {
        .clock_hz = seen->info.clock_hz,
        .half_ticks = seen->info.half_ticks && !seen->edgeless,
        .step_ps = seen->edgeless ? result->resolution_ps : result->edge_resolution_ps,
        .interval_ps = result->phase_ps,
        .rise_known = true,
    };
    result->lines = pb_link_count(checker->scenario);
    for (unsigned link = 0; link < result->lines; link++) {
        const struct pb_line_rise *rise = &seen->rise[link];
        result->rise_source[link] = rise->source;
        input.rise_known &= rise->source != PB_RISE_UNKNOWN;
        if (rise->max_ps - rise->min_ps > input.rise_spread_ps)
            input.rise_spread_ps = rise->max_ps - rise->min_ps;
    }
    pb_uncertainty_budget(result, &input);
    checker->fall_rest_ps = pb_uncertainty_u95_ps(result->budget, 1, result->budget_rows, false);
    checker->rise_rest_ps = pb_uncertainty_u95_ps(result->budget, 1, result->budget_rows, true);
    /* The spread of a line's own rise is counted with that line (rise.c). */
    if (checker->rise_rest_ps && input.rise_known)
        checker->rise_rest_ps -= checker->rise_rest_ps < input.rise_spread_ps / 2 ? checker->rise_rest_ps
                                                                                  : input.rise_spread_ps / 2;
    result->uncertainty_ps = checker->fall_rest_ps + result->edge_resolution_ps;
}

static void set_limits(struct pb_checker *checker)
{
    const struct pb_scenario *scenario = checker->scenario;
    struct pb_result *result = checker->result;
    const uint32_t clock_hz = checker->observation->info.clock_hz;

    checker->bit_period_q4 =
        (uint32_t)((16 * (uint64_t)clock_hz + scenario->baud_hz / 2) / scenario->baud_hz);
    checker->baud_limit_ppm =
        PB_BAUD_LIMIT_PPM + (int32_t)(16 * 1000000 / (PB_BAUD_BITS_MIN * checker->bit_period_q4));
    result->core_clock_hz = clock_hz;
    result->resolution_ps = PB_PS_PER_S / clock_hz;
    result->edge_resolution_ps = result->resolution_ps / (checker->observation->info.half_ticks ? 2 : 1);
    result->phase_ps = (int64_t)((uint64_t)PB_PS_PER_S * 1000 / scenario->phase_rate_mhz);
    checker->superframe_ps = result->phase_ps * scenario->network.phases;
    set_uncertainty(checker); /* until a start is known less well */
    result->start_min_ps = scenario->head_guard_ps - scenario->limits.start_early_ps;
    result->start_max_ps = scenario->head_guard_ps + scenario->limits.start_late_ps;
    checker->limits = (struct pb_slot_limits){
        .start_min_ps = result->start_min_ps,
        .start_max_ps = result->start_max_ps,
    };
}

int pb_check(struct pb_result *result, const struct pb_scenario *scenario, struct pb_observation *observation)
{
    struct pb_checker *checker = calloc(1, sizeof *checker);
    if (!checker)
        return PB_ERR_MEMORY;
    checker->result = result;
    checker->scenario = scenario;
    checker->observation = observation;
    snprintf(result->capture, sizeof result->capture, "%s", observation->edgeless ? "bytes" : "edges");
    snprintf(result->capture_reason, sizeof result->capture_reason, "%s", observation->capture_reason);
    set_limits(checker);
    int code = pb_expect(&checker->expectation, result, scenario);
    if (!code) {
        uint64_t overflown;
        result->events = observation->events.count;
        checker->impossible = pb_screen(checker, &overflown);
        pb_origin_set(checker);
        checker->lost_in_core = observation->events_lost > overflown ? observation->events_lost : overflown;
        result->events_lost = checker->lost_in_core + observation->counters.events_missing;
        checker->loss = checker->loss_told = result->events_lost || checker->impossible;
        if (checker->loss_told)
            checker->code = pb_gaps_make(&checker->gaps, &observation->events);
        checker->whole_to_tick = pb_gaps_whole_to(&checker->gaps, &observation->events);
        if (!checker->code)
            pb_rebuild_edges(checker);
        add_console_findings(checker);
        if (!checker->code)
            pb_faults_collect(checker);
        if (!checker->code)
            pb_judge_clock(checker);
        if (!checker->code)
            pb_alarms_of_clock(checker);
        pb_evidence_begin(checker);
        if (!checker->code)
            pb_judge_rises(checker);
        if (!checker->code)
            pb_walk(checker);
        if (!checker->code)
            pb_judge_answers(checker);
        if (!checker->code)
            pb_judge_before(checker);
        if (!checker->code)
            pb_judge_pins(checker);
        if (!checker->code)
            pb_faults_finish(checker);
        judge_messages(checker);
        if (checker->loss_told)
            add_loss_finding(checker);
        pb_evidence_finish(checker);
        pb_judge_epilogue(checker);
        code = pb_measure_finish(&checker->measure, result, scenario->network.ports);
        pb_findings_sort(result);
        decide(checker);
        pb_origin_apply(checker);
        if (*observation->cut) {
            snprintf(result->incomplete, sizeof result->incomplete, "%s", observation->cut);
            if (result->verdict != PB_VERDICT_FAIL) /* what a node did before stays done */
                pb_check_incomplete(result, observation->cut);
        }
        code = checker->code ? checker->code : code;
    }
    pb_measure_free(&checker->measure);
    pb_expectation_free(&checker->expectation);
    pb_gaps_free(&checker->gaps);
    free(checker->mark);
    free(checker->fault);
    free(checker->wave);
    free(checker->pulses);
    free(checker);
    return code;
}
