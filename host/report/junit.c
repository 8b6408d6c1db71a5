/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One suite per call, one case per result. A failing node is a <failure>. An inconclusive run is an <error>,
 * as it says nothing about the node. A hypothesis that does not hold is a property: it selects the bound and
 * is no failure. Marginal passes, with a note in the output.
 *
 * Only elements that all readers share: no reader but Jenkins takes <properties> in a case, so those of a
 * case are lines [[PROPERTY|NAME=VALUE]] of its <system-out>, the form that test managers read there.
 */
#include "parts.h"
#include "phasebench/report.h"
#include "phasebench/suite.h"
#include "render.h"

#include <inttypes.h>
#include <string.h>

#define FINDINGS_SHOWN 20
enum { VALUE_SIZE = 1024 };

void pb_junit_property(FILE *stream, const char *name, const char *value)
{
    fputs("      <property name=\"", stream);
    pb_markup(stream, name);
    fputs("\" value=\"", stream);
    pb_markup(stream, value);
    fputs("\"/>\n", stream);
}

/* Two brackets in a row would end the line of a property: a blank parts them. */
static void output_property(FILE *stream, const char *name, const char *value)
{
    char parted[VALUE_SIZE];
    size_t length = 0;
    for (; *value && length + 2 < sizeof parted; value++) {
        if (*value == ']' && (value[1] == ']' || !value[1])) {
            parted[length++] = ']';
            parted[length++] = ' ';
        } else {
            parted[length++] = *value;
        }
    }
    parted[length] = '\0';
    fputs("[[PROPERTY|", stream);
    pb_markup(stream, name);
    fputc('=', stream);
    pb_markup(stream, parted);
    fputs("]]\n", stream);
}

static void output_number(FILE *stream, const char *name, int64_t value)
{
    fprintf(stream, "[[PROPERTY|%s=%" PRId64 "]]\n", name, value);
}

static void case_note(FILE *stream, const struct pb_case *one)
{
    if (pb_case_flaky(one))
        output_property(stream, "flaky", "true");
    if (one->retries) {
        output_number(stream, "retries", one->retries);
        if (*one->first_id)
            output_property(stream, "first_run", one->first_id);
        output_property(stream, "first_reason", one->first_reason);
    }
    if (*one->quarantine) {
        output_property(stream, "quarantine", one->quarantine);
        output_property(stream, "quarantine_until", one->until);
    }
}

static void fault_properties(FILE *stream, const struct pb_result *result)
{
    for (size_t i = 0; i < result->faults; i++) {
        const struct pb_fault_row *fault = &result->fault[i];
        char name[48], value[560];
        snprintf(name, sizeof name, "fault %zu: %s", i, pb_fault_id(fault->kind));
        snprintf(value, sizeof value, "%s; %s; %s", pb_fault_place_text(fault).text,
                 pb_fault_receipt_text(fault).text, pb_fault_found_text(fault).text);
        output_property(stream, name, value);
    }
}

static void case_properties(FILE *stream, const struct pb_result *result, const struct pb_case *one)
{
    char text[160];
    if (one)
        case_note(stream, one);
    output_property(stream, "verdict", pb_verdict_name(result->verdict));
    if (*result->incomplete)
        output_property(stream, "incomplete", result->incomplete);
    snprintf(text, sizeof text, "%" PRIu64, result->seed);
    output_property(stream, "seed", text);
    output_property(stream, "rig", result->rig);
    output_property(stream, "nodes", result->nodes);
    output_property(stream, "scenario_path", result->scenario_path);
    output_property(stream, "bound", result->bound);
    output_number(stream, "bound_superframes", result->bound_superframes);
    for (unsigned i = 0; i < result->hypotheses; i++) {
        const struct pb_hypothesis *hypothesis = &result->hypothesis[i];
        char name[64];
        snprintf(name, sizeof name, "hypothesis: %s", hypothesis->name);
        snprintf(text, sizeof text, "%s: %s", hypothesis->holds ? "holds" : "does not hold",
                 hypothesis->detail);
        output_property(stream, name, text);
    }
    fault_properties(stream, result);
    output_number(stream, "alarms", (int64_t)result->alarms);
    const char *clause;
    for (unsigned i = 0; (clause = pb_result_unchecked(result, i)); i++)
        output_property(stream, "not checked", clause);
    const struct pb_measurement *tie = pb_measurement_find(result, PB_FIGURE_CLOCK_TIE, -1);
    if (tie)
        output_number(stream, "tie_sd_ps", tie->sd);
    output_number(stream, "core_clock_hz", (int64_t)result->core_clock_hz);
    output_number(stream, "uncertainty_ps", result->uncertainty_ps);
    output_property(stream, "environment", result->environment); /* program, core id and map hash */
    output_property(stream, "command", result->command);
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
    fputs("\"/>\n", stream);
}

static void trouble(FILE *stream, const struct pb_result *result)
{
    const struct pb_finding *first = pb_first_divergence(result);
    const char *element = result->verdict == PB_VERDICT_FAIL ? "failure" : "error";
    fprintf(stream, "      <%s type=\"%s\" message=\"", element,
            first ? pb_finding_id(first->kind) : pb_verdict_name(result->verdict));
    pb_markup(stream, result->reason);
    fputs("\">", stream);
    finding_lines(stream, result);
    fprintf(stream, "</%s>\n", element);
}

static void test_case(FILE *stream, const struct pb_result *result, const struct pb_case *one)
{
    const bool excused = one && pb_case_excused(one), bad = pb_verdict_exit_code(result->verdict) != 0;
    fprintf(stream, "    <testcase classname=\"phasebench.%.*s\" name=\"",
            (int)strspn(result->rig, "abcdefghijklmnopqrstuvwxyz"), result->rig);
    pb_markup(stream, result->scenario);
    fputc('"', stream);
    pb_junit_seconds(stream, result->wall_ns);
    fputs(">\n", stream);
    if (excused)
        skipped(stream, result, one);
    else if (bad)
        trouble(stream, result);
    fputs("      <system-out>", stream);
    if (!bad || excused) {
        fprintf(stream, "%s: ", pb_verdict_name(result->verdict));
        pb_markup(stream, result->reason);
        fputc('\n', stream);
        finding_lines(stream, result);
    }
    case_properties(stream, result, one);
    fputs("</system-out>\n    </testcase>\n", stream);
}

void pb_junit_begin(FILE *stream, const struct pb_junit_totals *totals)
{
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"phasebench\" tests=\"%zu\" "
            "failures=\"%zu\" errors=\"%zu\"",
            totals->tests, totals->failures, totals->errors);
    pb_junit_seconds(stream, totals->wall_ns);
    fprintf(
        stream,
        ">\n  <testsuite name=\"phasebench\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
        totals->tests, totals->failures, totals->errors, totals->skipped);
    pb_junit_seconds(stream, totals->wall_ns);
    if (totals->started_utc) {
        fputs(" timestamp=\"", stream);
        pb_markup(stream, totals->started_utc);
        fputc('"', stream);
    }
    fputs(">\n", stream);
}

static const char *rig_of(const struct pb_result *result)
{
    return result->rig;
}

static const char *environment_of(const struct pb_result *result)
{
    return result->environment;
}

/* What all results have in common is of the suite. */
static void common_property(FILE *stream, const char *name, const char *(*of)(const struct pb_result *),
                            const struct pb_result *const *result, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(of(result[i]), of(result[0])))
            return;
    pb_junit_property(stream, name, of(result[0]));
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
    if (count) {
        fputs("    <properties>\n", stream);
        common_property(stream, "rig", rig_of, result, count);
        common_property(stream, "environment", environment_of, result, count);
        fputs("    </properties>\n", stream);
    }
    for (size_t i = 0; i < count; i++)
        test_case(stream, result[i], NULL);
    return pb_suite_junit_end(stream);
}

static void suite_properties(FILE *stream, const struct pb_suite *suite)
{
    const struct pb_suite_totals totals = pb_suite_count(suite);
    char text[160];
    fputs("    <properties>\n", stream);
    pb_junit_property(stream, "verdict", pb_verdict_name(totals.worst));
    snprintf(text, sizeof text, "%d", suite->exit_code);
    pb_junit_property(stream, "exit_code", text);
    snprintf(text, sizeof text, "%u", suite->jobs);
    pb_junit_property(stream, "jobs", text);
    if (suite->shards) {
        snprintf(text, sizeof text, "%u/%u", suite->shard, suite->shards);
        pb_junit_property(stream, "shard", text);
    }
    for (size_t i = 0; i < suite->rigs; i++)
        pb_junit_property(stream, "rig", suite->rig[i].url);
    for (unsigned i = 0; i < totals.unchecked.rows; i++) {
        snprintf(text, sizeof text, "%s, in %zu of %zu cases", totals.unchecked.row[i].what,
                 totals.unchecked.row[i].runs, totals.judged);
        pb_junit_property(stream, "not checked", text);
    }
    fputs("    </properties>\n", stream);
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
    suite_properties(stream, suite);
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
