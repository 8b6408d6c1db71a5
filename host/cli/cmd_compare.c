/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "phasebench/compare.h"

#include <stdio.h>
#include <stdlib.h>

const char cmd_compare_help[] =
    "usage: phasebench compare A.json B.json [options]\n"
    "\n"
    "Compares the measurements of two stored results (result.json of a run, or what 'run --json' printed,\n"
    "of one scenario or of several): means and margins, with the uncertainty of each change; verdicts\n"
    "and judgements; settings; measurements that one of them lacks. A is the reference.\n"
    "\n"
    "  --all            all rows, not only significant changes, when the table is long\n"
    "  --json           a JSON document on stdout\n"
    "  -h, --help       this text\n"
    "\n"
    "A change is significant (*) when it exceeds its U95, the root sum of the squares of both; '!' marks a\n"
    "margin that became significantly smaller, a verdict or judgement that became worse.\n"
    "\n"
    "exit codes: 0 nothing became significantly worse; 1 a margin, verdict or judgement did; 2 wrong\n"
    "usage, 3 no such file, no result in it, or no scenario in common; 4 out of memory\n"
    "or output not written\n"
    "\n"
    "examples:\n"
    "  phasebench compare before/result.json after/result.json\n"
    "  phasebench compare nightly-1.json nightly-2.json --json\n";

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

enum { OPTION_ALL = CLI_LONG_OPTION, OPTION_JSON };

int cmd_compare(int argc, char **argv)
{
    static const struct option options[] = {
        {"all", no_argument, NULL, OPTION_ALL},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    bool json = false, all = false;
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_ALL:
            all = true;
            break;
        case OPTION_JSON:
            json = true;
            break;
        case 'h':
            return cli_help(cmd_compare_help);
        default:
            return CLI_USAGE;
        }
    }
    if (argc - optind != 2)
        return cli_fail(CLI_USAGE, "compare: needs 2 result files, got %d; give A.json B.json",
                        argc - optind);

    struct results side[2] = {{NULL, 0}, {NULL, 0}};
    int exit_code = read_results(&side[0], argv[optind]);
    if (exit_code == CLI_PASS)
        exit_code = read_results(&side[1], argv[optind + 1]);
    if (exit_code == CLI_PASS)
        exit_code = compare(side, argv + optind, json, all);
    for (size_t i = 0; i < 2; i++)
        pb_report_free_all(side[i].result, side[i].count);
    return exit_code;
}
