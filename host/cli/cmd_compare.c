/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "phasebench/compare.h"
#include "rows.h"

#include <stdio.h>

struct results {
    struct pb_result **result; /* owned */
    size_t count;
};

static int parse(void *context, const char *text, size_t length, struct pb_diag *diag)
{
    struct results *results = context;
    return pb_report_read_json_all(&results->result, &results->count, text, length, diag);
}

struct request {
    const char *out;
    bool all, json;
};

struct shown {
    const struct request *request;
    const struct pb_compare_set *set;
};

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_report_style style =
        out == stdout ? output_style() : (struct pb_report_style){.columns = 80};
    return pb_compare_text(out, shown->set, shown->request->all, &style);
}

static int write_json(FILE *out, void *context)
{
    return pb_compare_json(out, ((const struct shown *)context)->set);
}

static const struct cli_form forms[] = {
    {"compare.txt", write_text}, {"compare.json", write_json}, {.name = NULL}};

static int compare(const struct results side[2], char **path, const struct request *request)
{
    struct pb_compare_set set;
    int exit_code;
    const int code = pb_compare(&set, side[0].result, side[0].count, side[1].result, side[1].count);
    if (code)
        exit_code = cli_fail(CLI_BENCH_FAILED, "compare: out of memory; give results of fewer runs");
    else if (!set.pairs)
        exit_code = cli_fail(CLI_BAD_SCENARIO,
                             "%s: none of its %zu scenarios is in %s; give results of the same scenarios",
                             path[0], side[0].count, path[1]);
    else {
        exit_code = output_forms_end(request->out, forms, &(struct shown){request, &set}, request->json);
        if (exit_code == CLI_PASS && pb_compare_is_worse(&set))
            exit_code = CLI_NODE_FAILED;
    }
    pb_compare_free(&set);
    return exit_code;
}

static const struct cli_option options[] = {
    {"all", NULL, CLI_FLAG, CLI_AT(request, all),
     .help = "all rows; by default a table of more than 24 has the significant ones alone"},
    {"json", NULL, CLI_FLAG, CLI_AT(request, json), .help = "a JSON document on stdout, with all rows"},
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_compare = {
    .name = "compare",
    .summary = "compare the measurements of two stored results",
    .usage = "A.json B.json [options]",
    .about = "Compares the measurements of two stored results (result.json of a run, or what 'run --json' "
             "printed, of one scenario or of several): means and margins, with the uncertainty of each "
             "change; verdicts and judgements; settings; measurements that one of them lacks. A is the "
             "reference; several results are paired by the name of their scenario.",
    .options = options,
    .more = "A change is significant (*) when it exceeds its U95, the root sum of the squares of both; '!' "
            "marks a margin that became significantly smaller, a verdict or judgement that became worse.",
    .exits = "0 nothing became significantly worse; 1 a margin, verdict or judgement did; 2 wrong usage, 3 "
             "no such file, no result in it, or no scenario in common; 4 out of memory or output not written",
    .examples = "  phasebench compare before/result.json after/result.json\n"
                "  phasebench compare my_first.json my_second.json --json\n",
    .least = 2,
    .most = 2,
    .operand = CLI_OPERAND_FILE,
    .run = cmd_compare,
};

int cmd_compare(int argc, char **argv)
{
    struct request request = {.all = false};
    int exit_code;
    char **const path = cli_parse(&verb_compare, &request, argc, argv, &exit_code);
    if (!path)
        return exit_code;

    struct results side[2] = {{NULL, 0}, {NULL, 0}};
    exit_code = cli_read_result(path[0], parse, &side[0]);
    if (exit_code == CLI_PASS)
        exit_code = cli_read_result(path[1], parse, &side[1]);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_begin(request.out, forms);
    if (exit_code == CLI_PASS)
        exit_code = compare(side, path, &request);
    for (size_t i = 0; i < 2; i++)
        pb_report_free_all(side[i].result, side[i].count);
    return exit_code;
}
