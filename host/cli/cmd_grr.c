/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "gauge_file.h"
#include "gauge_page.h"
#include "output.h"
#include "random.h"
#include "rows.h"

#include "phasebench/gauge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct request {
    const char *out;
    bool plan, json;
    unsigned parts, appraisers, trials;
    uint64_t seed, tolerance_millionths;
};

/* What is written: a plan, or a study. */
struct shown {
    const struct request *request;
    const struct pb_gauge *gauge; /* NULL: the plan */
    const char *path;             /* of the study */
    const struct gauge_file *file;
};

/* ---- the plan */

/* Each trial of each appraiser takes the parts in an order of its own, so that no appraiser remembers a
 * value. */
static int write_csv(FILE *out, void *context)
{
    const struct request *request = ((const struct shown *)context)->request;
    if (((const struct shown *)context)->gauge)
        return CLI_NO_FORM;
    unsigned part[GAUGE_PARTS_MAX], order = 0;
    uint64_t state = request->seed;
    fputs("order,part,appraiser,trial,value\n", out);
    for (unsigned trial = 0; trial < request->trials; trial++)
        for (unsigned appraiser = 0; appraiser < request->appraisers; appraiser++) {
            for (unsigned i = 0; i < request->parts; i++) {
                const unsigned at = (unsigned)(cli_random(&state) % (i + 1));
                part[i] = part[at];
                part[at] = i;
            }
            for (unsigned i = 0; i < request->parts; i++)
                fprintf(out, "%u,%u,%c,%u,\n", ++order, part[i] + 1, (int)('A' + appraiser), trial + 1);
        }
    return 0;
}

/* ---- the study */

static void component(FILE *out, const char *name, double deviation, const struct pb_gauge *gauge)
{
    const double share = gauge->total > 0 ? deviation / gauge->total : 0;
    fprintf(out, "  %-24s %14.6g %12.4f %12.2f\n", name, deviation, 100 * share * share, 100 * share);
}

static double tolerance_of(const struct request *request)
{
    return (double)request->tolerance_millionths / 1e6;
}

static int write_text(FILE *out, void *context)
{
    const struct pb_gauge *gauge = ((const struct shown *)context)->gauge;
    const double tolerance = tolerance_of(((const struct shown *)context)->request);
    if (!gauge)
        return CLI_NO_FORM;
    fprintf(out, "study        %u parts, %u appraisers, %u trials each\n\n", gauge->parts, gauge->appraisers,
            gauge->trials);
    fputs("  source            df             SS             MS\n", out);
    for (int source = 0; source < PB_GAUGE_SOURCES; source++)
        fprintf(out, "  %-12s %7.0f %14.6f %14.6f\n", gauge_source_name(source), gauge->row[source].freedom,
                gauge->row[source].squares, gauge->row[source].mean_square);
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
    return 0;
}

static json_t *analysis(const struct pb_gauge *gauge)
{
    json_t *list = json_array();
    for (int source = 0; list && source < PB_GAUGE_SOURCES; source++)
        cli_json_add(list, json_pack("{s:s, s:f, s:f, s:f}", "source", gauge_source_name(source), "df",
                                     gauge->row[source].freedom, "ss", gauge->row[source].squares, "ms",
                                     gauge->row[source].mean_square));
    return list;
}

static int write_json(FILE *out, void *context)
{
    const struct pb_gauge *gauge = ((const struct shown *)context)->gauge;
    if (!gauge)
        return CLI_NO_FORM;
    json_t *root = json_pack(
        "{s:i, s:i, s:i, s:o, s:f, s:f, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s}", "parts",
        (int)gauge->parts, "appraisers", (int)gauge->appraisers, "trials", (int)gauge->trials, "analysis",
        analysis(gauge), "f_interaction", gauge->f_interaction, "p_interaction", gauge->p_interaction,
        "pooled", gauge->pooled, "repeatability", gauge->repeatability, "reproducibility",
        gauge->reproducibility, "grr", gauge->study, "parts_deviation", gauge->parts_deviation, "total",
        gauge->total, "grr_percent", gauge->study_percent, "contribution_percent",
        gauge->contribution_percent, "verdict", pb_gauge_verdict_text(gauge->verdict));
    if (gauge->tolerance_percent > 0)
        cli_json_set(root, "tolerance_percent", json_real(gauge->tolerance_percent));
    if (isfinite(gauge->categories))
        cli_json_set(root, "categories", json_real(gauge->categories));
    return cli_write_json(out, root);
}

static int write_html(FILE *out, void *context)
{
    const struct shown *shown = context;
    if (!shown->gauge)
        return CLI_NO_FORM;
    return gauge_page(out, shown->path, shown->file, shown->gauge, tolerance_of(shown->request));
}

/* The plan comes first: a study, which may be of it, has the others, and leaves it alone. */
enum { PLAN, TEXT, JSON, STUDY = TEXT };
static const struct cli_form forms[] = {
    {"grr.csv", write_csv}, {"grr.txt", write_text}, {"grr.json", write_json}, {"grr.html", write_html},
    {.name = NULL}};

static int evaluate(const struct request *request, const char *path)
{
    struct gauge_file file;
    struct pb_gauge gauge;
    struct pb_diag diag;
    int exit_code = gauge_file_read(&file, path);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code =
        pb_gauge_evaluate(&gauge, file.value, file.count, tolerance_of(request), &file.names, &diag);
    if (code)
        exit_code = cli_fail(pb_error_exit_code(code), "%s: %s", path, diag.text);
    else
        exit_code =
            output_forms_end(request->out, forms + STUDY, &(struct shown){request, &gauge, path, &file},
                             (request->json ? JSON : TEXT) - STUDY);
    gauge_file_free(&file);
    return exit_code == CLI_PASS && gauge.verdict == PB_GAUGE_POOR ? CLI_NODE_FAILED : exit_code;
}

/* ---- command line */

static const struct cli_option options[] = {
    {"tolerance", "T", CLI_DECIMAL, CLI_AT(request, tolerance_millionths), .least = 1,
     .most = UINT64_C(1000000000000000000), .decimals = 6,
     .help = "width of the tolerance, in the unit of the values: judges the study against it, too"},
    CLI_ROW_JSON(request, json),
    CLI_ROW_OUT(request, out, forms),
    {"plan", NULL, CLI_FLAG, CLI_AT(request, plan), .gap = true,
     .help = "print a sheet for a study in a random order, to be filled in; no study"},
    {"parts", "N", CLI_COUNT, CLI_AT(request, parts), .least = 2, .most = GAUGE_PARTS_MAX, .initial = "10",
     .help = "of the plan"},
    {"appraisers", "N", CLI_COUNT, CLI_AT(request, appraisers), .least = 1, .most = 26, .initial = "3",
     .help = "of the plan: operators or stations"},
    {"trials", "N", CLI_COUNT, CLI_AT(request, trials), .least = 2, .most = 100, .initial = "3",
     .help = "of the plan"},
    {"seed", "N", CLI_NUMBER, CLI_AT(request, seed), .most = UINT64_MAX, .initial = "1",
     .help = "order of the plan"},
    {.name = NULL},
};

const struct cli_verb verb_grr = {
    .name = "grr",
    .summary = "gauge study: how much of a spread is the bench's own",
    .usage = "[options] [FILE.csv]",
    .about = "Evaluates repeatability and reproducibility of measured values by the analysis of variance "
             "(AIAG, Measurement "
             "Systems Analysis, 4th edition). FILE has a line of column names; part, appraiser and value are "
             "read, and every "
             "appraiser has measured every part equally often.",
    .options = options,
    .spared = "grr.csv",
    .most = 1,
    .operand = CLI_OPERAND_FILE,
    .exits = "0 acceptable, also for some uses only; 1 not acceptable (more than 30 %), 2 wrong usage, 3 "
             "wrong file, 4 the "
             "result could not be written",
    .examples = "  phasebench grr --plan --parts 10 > study.csv\n"
                "  phasebench grr study.csv --tolerance 1.1\n",
    .run = cmd_grr,
};

int cmd_grr(int argc, char **argv)
{
    struct request request = {.json = false};
    int exit_code;
    char **const operand = cli_parse(&verb_grr, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    if (request.plan && operand[0])
        return cli_fail(CLI_USAGE, "grr: --plan takes no file, got '%s'; redirect stdout to it", operand[0]);
    if (!request.plan && !operand[0])
        return cli_fail(CLI_USAGE,
                        "grr: no file given; 'phasebench grr --plan > study.csv' makes one to fill in");
    exit_code = output_forms_begin(request.out, request.plan ? forms : forms + STUDY);
    if (exit_code != CLI_PASS)
        return exit_code;
    return request.plan ? output_forms_end(request.out, forms, &(struct shown){.request = &request}, PLAN)
                        : evaluate(&request, operand[0]);
}
