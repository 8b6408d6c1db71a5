/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "phasebench/compare.h"

#include <stdio.h>
#include <stdlib.h>

#define RESULT_LIMIT_BYTES ((size_t)1 << 30)

struct results {
    struct pb_result **result; /* owned */
    size_t count;
};

static int read_results(struct results *results, const char *path)
{
    struct pb_diag diag;
    char *text;
    size_t length;
    const int exit_code = cli_read_file(path, RESULT_LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = pb_report_read_json_all(&results->result, &results->count, text, length, &diag);
    free(text);
    return code ? cli_fail(pb_error_exit_code(code), "%s: %s", path, diag.text) : CLI_PASS;
}

static int compare(const struct results side[2], char **path, bool json, bool all)
{
    struct pb_compare_set set;
    int exit_code;
    int code = pb_compare(&set, side[0].result, side[0].count, side[1].result, side[1].count);
    if (code)
        exit_code = cli_fail(CLI_BENCH_FAILED, "compare: out of memory; give results of fewer runs");
    else if (!set.pairs)
        exit_code = cli_fail(CLI_BAD_SCENARIO,
                             "%s: none of its %zu scenarios is in %s; give results of the same scenarios",
                             path[0], side[0].count, path[1]);
    else {
        const struct pb_report_style style = {cli_colour(), cli_columns(stdout)};
        code = json ? pb_compare_json(stdout, &set) : pb_compare_text(stdout, &set, all, &style);
        exit_code = output_end(code);
        if (exit_code == CLI_PASS && pb_compare_is_worse(&set))
            exit_code = CLI_NODE_FAILED;
    }
    pb_compare_free(&set);
    return exit_code;
}

struct request {
    bool all, json;
};

static const struct cli_option options[] = {
    {"all", NULL, CLI_FLAG, CLI_AT(request, all),
     .help = "all rows; by default a table of more than 24 has the significant ones alone"},
    {"json", NULL, CLI_FLAG, CLI_AT(request, json), .help = "a JSON document on stdout, with all rows"},
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
                "  phasebench compare nightly-1.json nightly-2.json --json\n",
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
    exit_code = read_results(&side[0], path[0]);
    if (exit_code == CLI_PASS)
        exit_code = read_results(&side[1], path[1]);
    if (exit_code == CLI_PASS)
        exit_code = compare(side, path, request.json, request.all);
    for (size_t i = 0; i < 2; i++)
        pb_report_free_all(side[i].result, side[i].count);
    return exit_code;
}
