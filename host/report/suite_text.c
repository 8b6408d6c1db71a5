/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "suite_text.h"

#include "host/base/form.h"
#include "host/base/utf8.h"

#include <inttypes.h>

enum { NAME_COLUMNS = 32 };

void pb_suite_tap_notes(FILE *out, const struct pb_suite *suite)
{
    char note[PB_CASE_NOTE_SIZE];
    for (size_t i = 0; i < suite->count; i++)
        if (*pb_case_note(&suite->one[i], note))
            pb_form_line(out, "# %s: %s", suite->one[i].name, note);
    for (size_t i = 0; i < suite->rigs; i++)
        if (*suite->rig[i].lost)
            pb_form_line(out, "# rig %s taken out: %s", suite->rig[i].url, suite->rig[i].lost);
}

static void put_row(FILE *out, const struct pb_case *one)
{
    char margin[24] = "-", seconds[24] = "-", queue[24] = "-", name[NAME_COLUMNS * 4 + 1];
    if (one->margin_known)
        snprintf(margin, sizeof margin, "%.3f", (double)one->margin_ps / 1e6);
    if (pb_case_ran(one))
        snprintf(seconds, sizeof seconds, "%.2f", (double)one->wall_ns / 1e9);
    if (pb_case_ran(one) && one->queue_depth >= 0)
        snprintf(queue, sizeof queue, "%" PRId64, one->queue_depth);
    pb_utf8_clean(name, sizeof name, one->name);
    pb_form_line(out, "%-*s  %-12s  %8" PRIu64 "  %8zu  %10s  %5s  %8s", NAME_COLUMNS, name,
                 pb_case_word(one), one->slots, one->findings, margin, queue, seconds);
}

static void put_notes(FILE *out, const struct pb_suite *suite, bool whole)
{
    char note[PB_CASE_NOTE_SIZE];
    for (size_t i = 0; i < suite->rigs; i++) {
        const struct pb_suite_rig *rig = &suite->rig[i];
        if (whole || *rig->lost)
            pb_form_line(out, "%-12s  %s%s%s: %zu case%s%s%s", "rig", rig->url,
                         *rig->serial ? ", board " : "", rig->serial, rig->cases, rig->cases == 1 ? "" : "s",
                         *rig->lost ? "; taken out: " : "", rig->lost);
    }
    for (size_t i = 0; i < suite->count; i++) {
        const struct pb_case *one = &suite->one[i];
        if (*pb_case_note(one, note))
            pb_form_line(out, "%-12s  %s: %s", *one->quarantine ? "quarantine" : "flaky", one->name, note);
    }
}

void pb_suite_text(FILE *out, const struct pb_suite *suite, bool whole)
{
    const struct pb_suite_totals totals = pb_suite_count(suite);
    char unchecked[PB_UNCHECKED_TEXT];
    if (whole) {
        fprintf(out, "\n%-*s  %-12s  %8s  %8s  %10s  %5s  %8s\n", NAME_COLUMNS, "SCENARIO", "VERDICT",
                "SLOTS", "FINDINGS", "MARGIN, us", "QUEUE", "TIME, s");
        for (size_t i = 0; i < suite->count; i++)
            put_row(out, &suite->one[i]);
    }
    put_notes(out, suite, whole);
    fprintf(out, "\n%zu scenario%s: %zu pass, %zu marginal, %zu fail, %zu inconclusive, %zu not judged",
            suite->count, suite->count == 1 ? "" : "s", totals.verdict[PB_VERDICT_PASS],
            totals.verdict[PB_VERDICT_MARGINAL], totals.verdict[PB_VERDICT_FAIL],
            totals.verdict[PB_VERDICT_INCONCLUSIVE], totals.not_judged);
    if (totals.state[PB_CASE_SKIPPED])
        fprintf(out, ", %zu skipped", totals.state[PB_CASE_SKIPPED]);
    if (totals.excused)
        fprintf(out, ", %zu quarantined", totals.excused);
    if (totals.flaky)
        fprintf(out, "; %zu flaky", totals.flaky);
    if (*pb_unchecked_text(&totals.unchecked, totals.judged, "scenarios", unchecked))
        fprintf(out, "; not checked: %s", unchecked);
    putc('\n', out);
    if (whole)
        fprintf(out, "took %.2f s, %u at a time\n", (double)suite->wall_ns / 1e9, suite->jobs);
}
