/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One suite per call, one case per result. A failing node is a <failure>. An inconclusive run is an <error>,
 * as it says nothing about the node. A hypothesis that does not hold is a property: it selects the bound and
 * is no failure. Marginal passes, with a note in the output.
 */
#include "parts.h"
#include "phasebench/report.h"
#include "phasebench/suite.h"
#include "render.h"

#include <inttypes.h>
#include <string.h>

#define FINDINGS_SHOWN 20

void pb_junit_property(FILE *stream, const char *name, const char *value)
{
    fputs("        <property name=\"", stream);
    pb_markup(stream, name);
    fputs("\" value=\"", stream);
    pb_markup(stream, value);
    fputs("\"/>\n", stream);
}

static void number_property(FILE *stream, const char *name, uint64_t value)
{
    fprintf(stream, "        <property name=\"%s\" value=\"%" PRIu64 "\"/>\n", name, value);
}

static void properties(FILE *stream, const struct pb_result *result, const struct pb_case *one)
{
    fputs("      <properties>\n", stream);
    if (one && pb_case_flaky(one))
        pb_junit_property(stream, "flaky", "true");
    if (one && one->retries)
        number_property(stream, "retries", one->retries);
    if (one && *one->quarantine) {
        pb_junit_property(stream, "quarantine", one->quarantine);
        pb_junit_property(stream, "quarantine_until", one->until);
    }
    pb_junit_property(stream, "verdict", pb_verdict_name(result->verdict));
    if (*result->incomplete)
        pb_junit_property(stream, "incomplete", result->incomplete);
    number_property(stream, "seed", result->seed);
    pb_junit_property(stream, "rig", result->rig);
    pb_junit_property(stream, "nodes", result->nodes);
    pb_junit_property(stream, "scenario_path", result->scenario_path);
    pb_junit_property(stream, "bound", result->bound);
    number_property(stream, "bound_superframes", result->bound_superframes);
    for (unsigned i = 0; i < result->hypotheses; i++) {
        const struct pb_hypothesis *hypothesis = &result->hypothesis[i];
        char name[64], value[160];
        snprintf(name, sizeof name, "hypothesis: %s", hypothesis->name);
        snprintf(value, sizeof value, "%s: %s", hypothesis->holds ? "holds" : "does not hold",
                 hypothesis->detail);
        pb_junit_property(stream, name, value);
    }
    for (size_t i = 0; i < result->faults; i++) {
        const struct pb_fault_row *fault = &result->fault[i];
        char name[48], value[560];
        snprintf(name, sizeof name, "fault %zu: %s", i, pb_fault_id(fault->kind));
        snprintf(value, sizeof value, "%s; %s; %s", pb_fault_place_text(fault).text,
                 pb_fault_receipt_text(fault).text, pb_fault_found_text(fault).text);
        pb_junit_property(stream, name, value);
    }
    number_property(stream, "alarms", result->alarms);
    const struct pb_measurement *tie = pb_measurement_find(result, PB_FIGURE_CLOCK_TIE, -1);
    if (tie)
        fprintf(stream, "        <property name=\"tie_sd_ps\" value=\"%" PRId64 "\"/>\n", tie->sd);
    number_property(stream, "core_clock_hz", result->core_clock_hz);
    fprintf(stream, "        <property name=\"uncertainty_ps\" value=\"%" PRId64 "\"/>\n",
            result->uncertainty_ps);
    pb_junit_property(stream, "environment", result->environment); /* program, core id and map hash */
    pb_junit_property(stream, "command", result->command);
    fputs("      </properties>\n", stream);
}

static void finding_lines(FILE *stream, const struct pb_result *result)
{
    size_t shown = result->findings < FINDINGS_SHOWN ? result->findings : FINDINGS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const struct pb_finding *finding = &result->finding[i];
        fprintf(stream, "%s%s: superframe %" PRIu32 ", phase %u", pb_finding_id(finding->kind),
                finding->marginal ? " (marginal)" : "", finding->superframe, finding->phase);
        if (finding->link >= 0)
            fprintf(stream, ", link %d", finding->link);
        if (finding->dimension >= 0)
            fprintf(stream, ", dimension %d", finding->dimension);
        if (finding->bit >= 0)
            fprintf(stream, ", bit %s", pb_bit_place(finding->bit).text);
        if (finding->fault >= 0)
            fprintf(stream, ", explained by fault %d", finding->fault);
        fputs("; expected ", stream);
        pb_markup(stream, finding->expected);
        fputs("; seen ", stream);
        pb_markup(stream, finding->seen);
        fputc('\n', stream);
    }
    if (result->findings_total > shown)
        fprintf(stream, "%zu more\n", result->findings_total - shown);
    fputs("repeat: ", stream);
    pb_markup(stream, result->command);
    fputc('\n', stream);
}

void pb_junit_seconds(FILE *stream, int64_t ns)
{
    uint64_t ms = ns > 0 ? (uint64_t)ns / 1000000 : 0;
    fprintf(stream, " time=\"%" PRIu64 ".%03" PRIu64 "\"", ms / 1000, ms % 1000);
}

/* A failure in quarantine is skipped, as no reader of JUnit knows another element that counts in nothing. */
static void skipped(FILE *stream, const struct pb_result *result, const struct pb_case *one)
{
    char note[PB_CASE_NOTE_SIZE];
    fprintf(stream, "      <skipped message=\"%s ", pb_verdict_name(result->verdict));
    pb_markup(stream, pb_case_note(one, note));
    fputs("; ", stream);
    pb_markup(stream, result->reason);
    fputs("\"/>\n    </testcase>\n", stream);
}

/* The element of Maven Surefire for a test that passed when it was run again. */
static void flaky_failure(FILE *stream, const struct pb_case *one)
{
    fputs("      <flakyFailure type=\"", stream);
    pb_markup(stream, one->first_id);
    fputs("\" message=\"", stream);
    pb_markup(stream, one->first_reason);
    fputs("\"/>\n", stream);
}

static void test_case(FILE *stream, const struct pb_result *result, const struct pb_case *one)
{
    const struct pb_finding *first = pb_first_divergence(result);
    fprintf(stream, "    <testcase classname=\"phasebench.%.*s\" name=\"",
            (int)strspn(result->rig, "abcdefghijklmnopqrstuvwxyz"), result->rig);
    pb_markup(stream, result->scenario);
    fputc('"', stream);
    pb_junit_seconds(stream, result->wall_ns);
    fputs(">\n", stream);
    properties(stream, result, one);
    if (one && pb_case_excused(one)) {
        skipped(stream, result, one);
        return;
    }
    if (one && pb_case_flaky(one))
        flaky_failure(stream, one);
    const char *element = result->verdict == PB_VERDICT_FAIL           ? "failure"
                          : result->verdict == PB_VERDICT_INCONCLUSIVE ? "error"
                                                                       : "system-out";
    fprintf(stream, "      <%s", element);
    if (pb_verdict_exit_code(result->verdict)) {
        fprintf(stream, " type=\"%s\" message=\"",
                first ? pb_finding_id(first->kind) : pb_verdict_name(result->verdict));
        pb_markup(stream, result->reason);
        fputc('"', stream);
    }
    fputc('>', stream);
    if (!pb_verdict_exit_code(result->verdict)) {
        fprintf(stream, "%s: ", pb_verdict_name(result->verdict));
        pb_markup(stream, result->reason);
        fputc('\n', stream);
    }
    finding_lines(stream, result);
    fprintf(stream, "</%s>\n    </testcase>\n", element);
}

void pb_junit_begin(FILE *stream, const struct pb_junit_totals *totals)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", stream);
    fprintf(stream,
            "  <testsuite name=\"phasebench\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
            totals->tests, totals->failures, totals->errors, totals->skipped);
    pb_junit_seconds(stream, totals->wall_ns);
    if (totals->started_utc) {
        fputs(" timestamp=\"", stream);
        pb_markup(stream, totals->started_utc);
        fputc('"', stream);
    }
    fputs(">\n", stream);
}

int pb_report_junit(FILE *stream, const struct pb_result *const *result, size_t count)
{
    struct pb_junit_totals totals = {.tests = count, .started_utc = count ? result[0]->started_utc : NULL};
    for (size_t i = 0; i < count; i++) {
        totals.failures += result[i]->verdict == PB_VERDICT_FAIL;
        totals.errors += result[i]->verdict == PB_VERDICT_INCONCLUSIVE;
        if (result[i]->wall_ns > 0 && result[i]->wall_ns <= INT64_MAX - totals.wall_ns)
            totals.wall_ns += result[i]->wall_ns;
    }
    pb_junit_begin(stream, &totals);
    for (size_t i = 0; i < count; i++)
        test_case(stream, result[i], NULL);
    return pb_suite_junit_end(stream);
}

int pb_suite_junit_begin(FILE *stream, const struct pb_suite *suite)
{
    struct pb_junit_totals totals = {
        .tests = suite->count, .wall_ns = suite->wall_ns, .started_utc = suite->started_utc};
    for (size_t i = 0; i < suite->count; i++) {
        const struct pb_case *one = &suite->one[i];
        const bool run = pb_case_ran(one) && !pb_case_excused(one);
        totals.skipped += !run;
        totals.failures += run && one->verdict == PB_VERDICT_FAIL;
        totals.errors += run && one->verdict == PB_VERDICT_INCONCLUSIVE;
    }
    pb_junit_begin(stream, &totals);
    return pb_stream_status(stream);
}

int pb_suite_junit_end(FILE *stream)
{
    fputs("  </testsuite>\n</testsuites>\n", stream);
    return pb_stream_status(stream);
}

int pb_case_junit(FILE *stream, const struct pb_result *result, const struct pb_case *one)
{
    test_case(stream, result, one);
    return pb_stream_status(stream);
}

int pb_case_junit_alone(FILE *stream, const struct pb_case *one)
{
    const bool run = pb_case_ran(one);
    fputs("    <testcase classname=\"phasebench\" name=\"", stream);
    pb_markup(stream, one->name);
    fprintf(stream, "\" time=\"0.000\">\n      <%s message=\"",
            run ? "error type=\"inconclusive\"" : "skipped");
    pb_markup(stream, one->reason);
    fputs("\"/>\n    </testcase>\n", stream);
    return pb_stream_status(stream);
}
