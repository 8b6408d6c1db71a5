/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * TAP version 13, as readers before Test::Harness 3.45 refuse the number 14. A point that is not a plain
 * pass, or a pass with injected faults or with something that was not checked, carries a YAML block; strings
 * in it are double-quoted, with non-printable characters escaped.
 */
#include "host/base/utf8.h"
#include "parts.h"
#include "phasebench/report.h"
#include "phasebench/suite.h"
#include "render.h"

#include <inttypes.h>

#define FINDINGS_SHOWN 6

/* Line breaks become spaces; '#' is escaped, as it would start a directive. */
void pb_tap_description(FILE *stream, const char *text)
{
    uint32_t code;
    while ((code = pb_utf8_next_printable(&text)) != 0) {
        char bytes[4];
        if (code == '#' || code == '\\')
            fputc('\\', stream);
        fwrite(bytes, 1, pb_utf8_put(bytes, code), stream);
    }
}

void pb_tap_text(FILE *stream, unsigned indent, const char *key, const char *text)
{
    fprintf(stream, "%*s%s: \"", (int)indent, "", key);
    uint32_t code;
    while ((code = pb_utf8_next_printable(&text)) != 0) {
        char bytes[4];
        if (code == '"' || code == '\\')
            fputc('\\', stream);
        fwrite(bytes, 1, pb_utf8_put(bytes, code), stream);
    }
    fputs("\"\n", stream);
}

static void yaml_index(FILE *stream, const char *key, int value)
{
    if (value >= 0)
        fprintf(stream, "      %s: %d\n", key, value);
}

/* Of a case that is flaky or in quarantine. */
static void note(FILE *stream, const struct pb_case *one)
{
    char text[PB_CASE_NOTE_SIZE];
    if (!*pb_case_note(one, text))
        return;
    if (pb_case_flaky(one))
        fprintf(stream, "  flaky: true\n  retries: %u\n", one->retries);
    pb_tap_text(stream, 2, *one->quarantine ? "quarantine" : "flaky_runs", text);
}

static void diagnostic(FILE *stream, const struct pb_result *result, const struct pb_case *one)
{
    fputs("  ---\n", stream);
    if (one)
        note(stream, one);
    pb_tap_text(stream, 2, "message", result->reason);
    pb_tap_text(stream, 2, "severity", pb_verdict_exit_code(result->verdict) ? "fail" : "comment");
    pb_tap_text(stream, 2, "verdict", pb_verdict_name(result->verdict));
    if (*result->incomplete)
        pb_tap_text(stream, 2, "incomplete", result->incomplete);
    pb_tap_text(stream, 2, "rig", result->rig);
    pb_tap_text(stream, 2, "nodes", result->nodes);
    fprintf(stream, "  seed: %" PRIu64 "\n", result->seed);
    pb_tap_text(stream, 2, "bound", result->bound);
    if (result->hypotheses)
        fputs("  hypotheses:\n", stream);
    for (unsigned i = 0; i < result->hypotheses; i++) {
        const struct pb_hypothesis *hypothesis = &result->hypothesis[i];
        pb_tap_text(stream, 4, "- name", hypothesis->name);
        fprintf(stream, "      holds: %s\n", hypothesis->holds ? "true" : "false");
        pb_tap_text(stream, 6, "detail", hypothesis->detail);
    }
    if (result->faults)
        fputs("  faults:\n", stream);
    for (size_t i = 0; i < result->faults; i++) {
        const struct pb_fault_row *fault = &result->fault[i];
        pb_tap_text(stream, 4, "- kind", pb_fault_id(fault->kind));
        pb_tap_text(stream, 6, "place", pb_fault_place_text(fault).text);
        pb_tap_text(stream, 6, "receipt", pb_fault_receipt_text(fault).text);
        pb_tap_text(stream, 6, "found", pb_fault_found_text(fault).text);
    }
    fprintf(stream, "  alarms: %" PRIu64 "\n", result->alarms);
    const char *clause;
    for (unsigned i = 0; (clause = pb_result_unchecked(result, i)); i++) {
        if (!i)
            fputs("  not_checked:\n", stream);
        pb_tap_text(stream, 4, "- what", clause);
    }
    fprintf(stream, "  findings_total: %zu\n", result->findings_total);
    if (result->findings)
        fputs("  findings:\n", stream);
    for (size_t i = 0; i < result->findings && i < FINDINGS_SHOWN; i++) {
        const struct pb_finding *finding = &result->finding[i];
        pb_tap_text(stream, 4, "- id", pb_finding_id(finding->kind));
        fprintf(stream, "      marginal: %s\n      superframe: %" PRIu32 "\n      phase: %u\n",
                finding->marginal ? "true" : "false", finding->superframe, finding->phase);
        yaml_index(stream, "link", finding->link);
        yaml_index(stream, "dimension", finding->dimension);
        yaml_index(stream, "bit", finding->bit);
        yaml_index(stream, "fault", finding->fault);
        pb_tap_text(stream, 6, "expected", finding->expected);
        pb_tap_text(stream, 6, "seen", finding->seen);
    }
    if (*result->trace_path)
        pb_tap_text(stream, 2, "trace", result->trace_path);
    if (*result->steps_path)
        pb_tap_text(stream, 2, "steps", result->steps_path);
    pb_tap_text(stream, 2, "command", result->command);
    fputs("  ...\n", stream);
}

/* Of a point in quarantine: a reader counts it in no way, and names it when it passes. The case of a
 * directive does not matter. */
static void expected_to_fail(FILE *stream, const struct pb_case *one)
{
    fputs(" # todo until ", stream);
    pb_tap_description(stream, one->until);
    fputs(": ", stream);
    pb_tap_description(stream, one->quarantine);
}

int pb_case_tap(FILE *stream, const struct pb_result *result, const struct pb_case *one, size_t number)
{
    fprintf(stream, "%sok %zu - ", pb_verdict_exit_code(result->verdict) ? "not " : "", number);
    pb_tap_description(stream, result->scenario);
    if (one && *one->quarantine)
        expected_to_fail(stream, one);
    fputc('\n', stream);
    if (result->verdict != PB_VERDICT_PASS || result->faults || pb_result_unchecked(result, 0) ||
        (one && (one->retries || *one->quarantine)))
        diagnostic(stream, result, one);
    return pb_stream_status(stream);
}

int pb_case_tap_alone(FILE *stream, const struct pb_case *one, size_t number)
{
    const bool skipped = one->state == PB_CASE_SKIPPED;
    fprintf(stream, skipped ? "ok %zu - " : "not ok %zu - ", number);
    pb_tap_description(stream, one->name);
    fputs(skipped ? " # SKIP\n  ---\n" : "\n  ---\n", stream);
    pb_tap_text(stream, 2, "message", one->reason);
    pb_tap_text(stream, 2, "state", pb_case_state_id(one->state));
    fputs("  ...\n", stream);
    return pb_stream_status(stream);
}

int pb_tap_begin(FILE *stream, size_t count)
{
    fprintf(stream, "TAP version 13\n1..%zu\n", count);
    return pb_stream_status(stream);
}

int pb_report_tap(FILE *stream, const struct pb_result *const *result, size_t count)
{
    pb_tap_begin(stream, count);
    for (size_t i = 0; i < count; i++)
        pb_case_tap(stream, result[i], NULL, i + 1);
    return pb_stream_status(stream);
}
