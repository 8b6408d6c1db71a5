/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"

#include "phasebench/gauge.h"

#include <stdio.h>
#include <stdlib.h>

#define LIMIT_BYTES ((size_t)64 << 20)

struct request {
    const char *out;
    bool plan, json;
    struct pb_gauge_plan of;
    uint64_t tolerance_millionths;
};

/* What is written: a plan, or a study. */
struct shown {
    const struct request *request;
    const struct pb_gauge *gauge; /* NULL: the plan */
    const char *path;             /* of the study */
    const struct pb_gauge_file *file;
};

/* ---- forms */

static int write_csv(FILE *out, void *context)
{
    const struct shown *shown = context;
    return shown->gauge ? CLI_NO_FORM : pb_report_gauge_plan(out, &shown->request->of);
}

static double tolerance_of(const struct request *request)
{
    return (double)request->tolerance_millionths / 1e6;
}

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    return shown->gauge ? pb_report_gauge_text(out, shown->gauge, tolerance_of(shown->request)) : CLI_NO_FORM;
}

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    return shown->gauge ? pb_report_gauge_json(out, shown->gauge) : CLI_NO_FORM;
}

static int write_html(FILE *out, void *context)
{
    const struct shown *shown = context;
    if (!shown->gauge)
        return CLI_NO_FORM;
    return pb_report_gauge_html(out, shown->path, shown->file, shown->gauge, tolerance_of(shown->request));
}

/* The plan comes first: a study, which may be of it, has the others, and leaves it alone. */
enum { PLAN, TEXT, JSON, STUDY = TEXT };
static const struct cli_form forms[] = {
    {"grr.csv", write_csv}, {"grr.txt", write_text}, {"grr.json", write_json}, {"grr.html", write_html},
    {.name = NULL}};

static int evaluate(const struct request *request, const char *path)
{
    struct pb_gauge_file file;
    struct pb_gauge gauge;
    struct pb_diag diag;
    char *text;
    size_t length;
    int exit_code = cli_read_file(path, LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    int code = pb_gauge_file_read(&file, path, text, length, &diag);
    free(text);
    if (code)
        return cli_outcome(code, &diag);
    code =
        pb_gauge_evaluate(&gauge, file.value, file.count, tolerance_of(request), &file.names, &diag);
    if (code)
        exit_code = cli_outcome_of(path, code, &diag);
    else
        exit_code =
            output_forms_end(request->out, forms + STUDY, &(struct shown){request, &gauge, path, &file},
                             (request->json ? JSON : TEXT) - STUDY);
    pb_gauge_file_free(&file);
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
    {"parts", "N", CLI_COUNT, CLI_AT(request, of.parts), .least = 2, .most = PB_GAUGE_PARTS_MAX,
     .initial = "10", .help = "of the plan"},
    {"appraisers", "N", CLI_COUNT, CLI_AT(request, of.appraisers), .least = 1, .most = 26, .initial = "3",
     .help = "of the plan: operators or stations"},
    {"trials", "N", CLI_COUNT, CLI_AT(request, of.trials), .least = 2, .most = 100, .initial = "3",
     .help = "of the plan"},
    {"seed", "N", CLI_NUMBER, CLI_AT(request, of.seed), .most = UINT64_MAX, .initial = "1",
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
