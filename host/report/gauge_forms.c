/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/form.h"
#include "phasebench/gauge.h"
#include "phasebench/random.h"
#include "render.h"

#include <math.h>

/* ---- the plan */

int pb_report_gauge_plan(FILE *out, const struct pb_gauge_plan *plan)
{
    unsigned part[PB_GAUGE_PARTS_MAX], order = 0;
    uint64_t state = plan->seed;
    fputs("order,part,appraiser,trial,value\n", out);
    for (unsigned trial = 0; trial < plan->trials; trial++)
        for (unsigned appraiser = 0; appraiser < plan->appraisers; appraiser++) {
            for (unsigned i = 0; i < plan->parts; i++) {
                const unsigned at = (unsigned)(pb_splitmix64(&state) % (i + 1));
                part[i] = part[at];
                part[at] = i;
            }
            for (unsigned i = 0; i < plan->parts; i++)
                fprintf(out, "%u,%u,%c,%u,\n", ++order, part[i] + 1, (int)('A' + appraiser), trial + 1);
        }
    return pb_stream_status(out);
}

/* ---- the study */

static void component(FILE *out, const char *name, double deviation, const struct pb_gauge *gauge)
{
    const double share = gauge->total > 0 ? deviation / gauge->total : 0;
    fprintf(out, "  %-24s %14.6g %12.4f %12.2f\n", name, deviation, 100 * share * share, 100 * share);
}

int pb_report_gauge_text(FILE *out, const struct pb_gauge *gauge, double tolerance)
{
    fprintf(out, "study        %u parts, %u appraisers, %u trials each\n\n", gauge->parts, gauge->appraisers,
            gauge->trials);
    fputs("  source            df             SS             MS\n", out);
    for (int source = 0; source < PB_GAUGE_SOURCES; source++)
        fprintf(out, "  %-12s %7.0f %14.6f %14.6f\n", pb_gauge_source_name(source),
                gauge->row[source].freedom, gauge->row[source].squares, gauge->row[source].mean_square);
    fprintf(out, "  interaction: F %.4f, p %.4f; %s\n\n", gauge->f_interaction, gauge->p_interaction,
            gauge->pooled ? "no effect, pooled into the error" : "an effect of its own");
    fputs("  component                deviation       % of variance   % of total\n", out);
    component(out, "repeatability (EV)", gauge->repeatability, gauge);
    component(out, "reproducibility (AV)", gauge->reproducibility, gauge);
    component(out, "measuring system (GRR)", gauge->study, gauge);
    component(out, "parts (PV)", gauge->parts_deviation, gauge);
    component(out, "total (TV)", gauge->total, gauge);
    fprintf(out, "\n%%GRR         %.2f %% of the total deviation\n", gauge->study_percent);
    if (tolerance > 0)
        fprintf(out, "%%tolerance   %.2f %%, of a tolerance of %g\n", gauge->tolerance_percent, tolerance);
    if (isfinite(gauge->categories))
        fprintf(out, "categories   %.0f distinct (ndc %.3f); 5 are wanted\n", floor(gauge->categories),
                gauge->categories);
    else
        fputs("categories   without limit: no value differs from its repeats\n", out);
    fprintf(out, "verdict      %s\n", pb_gauge_verdict_text(gauge->verdict));
    return pb_stream_status(out);
}

static json_t *analysis(const struct pb_gauge *gauge)
{
    json_t *list = json_array();
    for (int source = 0; list && source < PB_GAUGE_SOURCES; source++)
        pb_form_add(list, json_pack("{s:s, s:f, s:f, s:f}", "source", pb_gauge_source_name(source), "df",
                                     gauge->row[source].freedom, "ss", gauge->row[source].squares, "ms",
                                     gauge->row[source].mean_square));
    return list;
}

int pb_report_gauge_json(FILE *out, const struct pb_gauge *gauge)
{
    json_t *root = json_pack(
        "{s:i, s:i, s:i, s:o, s:f, s:f, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s}", "parts",
        (int)gauge->parts, "appraisers", (int)gauge->appraisers, "trials", (int)gauge->trials, "analysis",
        analysis(gauge), "f_interaction", gauge->f_interaction, "p_interaction", gauge->p_interaction,
        "pooled", gauge->pooled, "repeatability", gauge->repeatability, "reproducibility",
        gauge->reproducibility, "grr", gauge->study, "parts_deviation", gauge->parts_deviation, "total",
        gauge->total, "grr_percent", gauge->study_percent, "contribution_percent",
        gauge->contribution_percent, "verdict", pb_gauge_verdict_text(gauge->verdict));
    if (gauge->tolerance_percent > 0)
        pb_form_set(root, "tolerance_percent", json_real(gauge->tolerance_percent));
    if (isfinite(gauge->categories))
        pb_form_set(root, "categories", json_real(gauge->categories));
    return pb_form_json(out, root);
}
