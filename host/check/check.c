/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/check.h"
#include "host/check/applied.h"
#include "host/check/checker.h"
#include "host/check/epilogue.h"
#include "host/check/trouble.h"
#include "host/check/uncertainty.h"
#include "host/plan/answer.h"
#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_loss_finding(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->run.observation;
    const struct pb_schedule_place place = {.tick = checker->run.origin_tick};
    struct pb_finding *finding = pb_finding_add(&checker->out, &place, PB_FINDING_LOSS, -1);
    pb_finding_expected(finding, "no loss");
    char impossible[48] = "", unplaced[80] = "";
    if (checker->loss.impossible)
        snprintf(impossible, sizeof impossible, ", %" PRIu64 " that no core makes", checker->loss.impossible);
    if (checker->loss.unplaced)
        snprintf(unplaced, sizeof unplaced, ", %" PRIu64 " left out while %u waited for their phase",
                 checker->loss.unplaced, PB_WAITING_MAX);
    pb_finding_seen(finding, "%" PRIu64 " events lost in the core, %" PRIu64 " on the way to the host%s%s",
                    checker->loss.in_core, observation->counters.events_missing, impossible, unplaced);
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
            "elsewhere%s: %" PRIu64 " slots, %" PRIu64 " transmissions",
            result->faults, result->faults == 1 ? "" : "s", left_out, edges ? "" : " by its bytes",
            result->slots_checked, result->hops_total);
    else
        snprintf(result->reason, sizeof result->reason,
                 "every frame in its slot, every byte right, %s elsewhere: %" PRIu64
                 " slots, %" PRIu64 " transmissions",
                 edges ? "every line silent" : "no byte and no alarm", result->slots_checked,
                 result->hops_total);
}

/* Where events are lost only what a line did in the run counts, up to a phase before the first of them; a low
 * on a line that is nobody's in the phase up to the loss itself. */
static bool is_whole(const struct pb_checker *checker, const struct pb_finding *finding)
{
    if (!checker->loss.known)
        return true;
    const uint64_t tick = checker->loss.reported ? checker->loss.whole_to_tick : 0;
    const bool is_low = finding->kind == PB_FINDING_OUTSIDE;
    return tick && !checker->loss.impossible && finding->link >= 0 &&
           finding->time_ps >= pb_ticks_to_ps(&checker->run, checker->run.origin_tick) &&
           finding->time_ps < pb_ticks_to_ps(&checker->run, tick) - (is_low ? 0 : checker->run.phase_ps);
}

/* What a node does after the bench failed it, and what seems to be missing once events were lost, proves
 * nothing against it. An applied fault that was not found does not excuse a node. */
static void decide(const struct pb_checker *checker)
{
    struct pb_result *result = checker->out.result;
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
    } else if ((bench || first[PB_BLAME_UNDETECTED]) && !checker->loss.known) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        write_reason(result, bench ? bench : first[PB_BLAME_UNDETECTED]);
    } else if (open) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        snprintf(result->reason, sizeof result->reason, "%s: %s", pb_finding_text(open->kind), open->seen);
    } else if (!result->hops_total) {
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

static int open_stages(struct pb_checker *checker, struct pb_movement *movement)
{
    int code =
        pb_schedule_open(&checker->schedule, checker->run.scenario, checker->run.observation, movement);
    if (!code)
        code = pb_arrival_open(checker);
    if (!code && checker->run.observation->edgeless)
        code = pb_rebuild_open(&checker->rebuild, checker->run.observation, checker->run.bit_period_q4,
                               checker->line);
    if (!code)
        code = pb_walk_open(checker);
    if (code)
        return code;
    pb_pins_open(&checker->consoles);
    code = pb_faults_open(&checker->faults, &checker->run, &checker->marks, checker->out.result);
    if (code)
        return code;
    pb_evidence_begin(&checker->out);
    return checker->out.code;
}

static void free_all(struct pb_checker *checker)
{
    pb_walk_free(checker);
    pb_arrival_free(checker);
    pb_clock_free(&checker->clock);
    pb_alarms_free(&checker->alarms);
    pb_notes_free(&checker->notes);
    pb_early_end(&checker->early);
    pb_output_free(&checker->out);
    pb_transmissions_free(&checker->transmissions);
    pb_schedule_free(&checker->schedule);
    pb_loss_free(&checker->loss);
    free(checker->rebuild);
    pb_faults_free(&checker->faults);
    free(checker);
}

/* Which stage reads what of which other. */
static void connect(struct pb_checker *checker)
{
    const struct pb_check_run *run = &checker->run;
    struct pb_check_output *out = &checker->out;
    struct pb_marks *marks = &checker->marks;
    struct pb_clock *clock = &checker->clock;
    struct pb_loss *loss = &checker->loss;
    struct pb_schedule *schedule = &checker->schedule;
    struct pb_consoles *consoles = &checker->consoles;
    marks->run = run;
    pb_clock_open(clock, marks, out);
    checker->alarms = (struct pb_alarms){.run = run, .marks = marks, .clock = clock, .out = out};
    checker->notes =
        (struct pb_notes){.run = run, .marks = marks, .clock = clock, .consoles = consoles, .out = out};
    checker->early = (struct pb_early){.run = run, .marks = marks, .loss = loss, .out = out};
    checker->evidence =
        (struct pb_evidence_seen){.run = run, .marks = marks, .schedule = schedule, .loss = loss, .out = out};
    checker->deliveries = (struct pb_deliveries){
        .run = run, .marks = marks, .expectation = &checker->expectation, .schedule = schedule, .out = out};
    *consoles =
        (struct pb_consoles){.run = run, .marks = marks, .loss = loss, .schedule = schedule, .out = out};
}

int pb_check_open(struct pb_checker **out, struct pb_result *result, const struct pb_scenario *scenario,
                  const struct pb_expectation *expectation, const struct pb_observation *observation,
                  struct pb_movement *movement)
{
    struct pb_checker *checker = *out = calloc(1, sizeof *checker);
    if (!checker)
        return PB_ERR_MEMORY;
    checker->out =
        (struct pb_check_output){.run = &checker->run, .result = result, .faults = &checker->faults};
    connect(checker);
    pb_check_run_open(&checker->run, result, scenario, observation);
    pb_loss_take_counters(&checker->loss, observation);
    snprintf(result->capture, sizeof result->capture, "%s", observation->edgeless ? "bytes" : "edges");
    snprintf(result->capture_reason, sizeof result->capture_reason, "%s", observation->capture_reason);
    checker->expectation = *expectation;
    const int code = open_stages(checker, movement);
    if (!code)
        return PB_OK;
    free_all(checker);
    *out = NULL;
    return code;
}

void pb_check_watch(struct pb_checker *check, const struct pb_sample_sink *samples)
{
    check->out.measure.samples = *samples;
}

void pb_check_watch_lines(struct pb_checker *check, const struct pb_transmission_sink *sink)
{
    check->transmissions.sink = *sink;
}

int pb_check_push(struct pb_checker *checker, const struct pb_event *event, size_t count)
{
    for (size_t i = 0; i < count && !checker->out.code; i++)
        pb_arrival_take(checker, &event[i]);
    return checker->out.code;
}

/* A loss that the counters tell of at the end explains every edge that was found missing before. */
static void explain_lost_edges(struct pb_checker *checker)
{
    struct pb_result *result = checker->out.result;
    size_t kept = 0;
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].kind != PB_FINDING_EDGE_LOST)
            result->finding[kept++] = result->finding[i];
    result->findings = kept;
    result->findings_total -= checker->loss.edges;
}

/* What can be said once no further event comes. */
static void judge_end(struct pb_checker *checker)
{
    pb_walk_end(checker);
    pb_judge_answers(&checker->consoles, checker->last_tick);
    pb_judge_pins(&checker->consoles);
    pb_judge_faults(&checker->out);
    pb_deliveries_end(&checker->deliveries);
    pb_judge_answers_before(&checker->consoles);
    pb_judge_troubles(&checker->out, &checker->marks);
    pb_measure_processors(&checker->out);
    if (checker->loss.reported) {
        explain_lost_edges(checker);
        add_loss_finding(checker);
    }
    pb_evidence_finish(&checker->evidence);
    pb_judge_epilogue(checker);
}

static int conclude(struct pb_checker *checker)
{
    struct pb_result *result = checker->out.result;
    const char *cut = checker->run.observation->cut;
    const int code = pb_measure_finish(&checker->out.measure, result, checker->run.scenario->network.ports);
    if (!result->findings_total && result->hops > PB_HOPS_FIRST)
        result->hops = PB_HOPS_FIRST;
    pb_findings_sort(result);
    decide(checker);
    pb_origin_apply(&checker->run, result);
    if (*cut) {
        snprintf(result->incomplete, sizeof result->incomplete, "%s", cut);
        if (result->verdict != PB_VERDICT_FAIL) /* what a node did before stays done */
            pb_check_incomplete(result, cut);
    }
    return code;
}

int pb_check_close(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->run.observation;
    struct pb_result *result = checker->out.result;
    int code = PB_OK;
    pb_loss_take_counters(&checker->loss, observation);
    if (!checker->out.code)
        pb_arrival_end(checker);
    pb_loss_end(&checker->loss, observation);
    result->events_lost = checker->loss.in_core + observation->counters.events_missing;
    if (!checker->out.code) {
        judge_end(checker);
        code = conclude(checker);
    }
    code = checker->out.code ? checker->out.code : code;
    free_all(checker);
    return code;
}

/* *array becomes a copy of its own. */
static bool copy_rows(void *array, size_t count, size_t size)
{
    void *rows;
    memcpy(&rows, array, sizeof rows);
    void *copy = calloc(count + 1, size);
    if (copy && count)
        memcpy(copy, rows, count * size);
    memcpy(array, &copy, sizeof copy);
    return copy != NULL;
}

/* The same findings, rows and state for a result of its own, so that nothing of the check is touched. */
static struct pb_checker *copy_check(const struct pb_checker *check)
{
    struct pb_checker *at = malloc(sizeof *at);
    struct pb_result *result = malloc(sizeof *result);
    if (!at || !result) {
        free(at);
        free(result);
        return NULL;
    }
    *at = *check;
    *result = *check->out.result;
    at->out.result = result;
    result->measurement = NULL;
    result->measurements = 0;
    const bool copied[] = {copy_rows(&result->finding, result->findings, sizeof *result->finding),
                           copy_rows(&result->fault, result->faults, sizeof *result->fault),
                           copy_rows(&result->hop, result->hops, sizeof *result->hop)};
    if (copied[0] && copied[1] && copied[2])
        return at;
    pb_result_free(result);
    free(at);
    return NULL;
}

int pb_check_so_far(const struct pb_checker *check, const char *why, struct pb_result **out)
{
    struct pb_checker *at = check->out.code ? NULL : copy_check(check);
    *out = NULL;
    if (!at)
        return PB_ERR_MEMORY;
    struct pb_result *result = at->out.result;
    pb_evidence_so_far(&at->evidence, result);
    const int code = conclude(at);
    if (result->verdict != PB_VERDICT_FAIL)
        pb_check_incomplete(result, why);
    snprintf(result->incomplete, sizeof result->incomplete, "%s", why);
    if (code)
        pb_result_free(result);
    else
        *out = result;
    free(at);
    return code;
}

int pb_check(struct pb_result *result, const struct pb_scenario *scenario, struct pb_observation *observation)
{
    struct pb_checker *checker;
    struct pb_expectation expectation;
    pb_events_sort(&observation->events);
    int code = pb_expect(&expectation, result, scenario);
    if (!code)
        code = pb_check_open(&checker, result, scenario, &expectation, observation, NULL);
    if (code)
        return code;
    code = pb_check_push(checker, observation->events.event, observation->events.count);
    const int closed = pb_check_close(checker);
    return code ? code : closed;
}

uint64_t pb_check_typed_done(const struct pb_checker *check)
{
    return pb_answers_done(&check->consoles);
}
