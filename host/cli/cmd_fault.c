/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "vusb.h"

#include "host/base/nearest_word.h"
#include "host/base/shell_word.h"
#include "host/procedure/suite/find_scenarios.h"
#include "host/report/fault_forms.h"
#include "phasebench/fault_matrix.h"
#include "phasebench/rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct request {
    struct runner runner;
    struct pb_fault_text text;
    const char *scenario_path; /* NULL: the demo */
    const char *out;           /* NULL: no files */
    bool list, matrix, markdown, json;
    bool has_seed, has_capture;
    enum pb_capture capture;
    uint64_t seed;
};

static int list(void)
{
    pb_fault_kinds_text(stdout);
    return cli_flush();
}

/* ---- a run */

static const struct cli_option options[] = {
    {"list", NULL, CLI_FLAG, CLI_AT(request, list),
     .help = "the kinds, with the wiring they need and the finding that names them"},
    {"matrix", NULL, CLI_FLAG, CLI_AT(request, matrix),
     .help = "every kind on a clean run, and a run without a fault"},
    {"markdown", NULL, CLI_FLAG, CLI_AT(request, markdown), .help = "the matrix as a Markdown table"},

    {"node", "A", CLI_TEXT, CLI_AT(request, text.node), .gap = true, .otherwise = "the first",
     .help = "address of the node whose link gets the fault"},
    {"dimension", "D", CLI_TEXT, CLI_AT(request, text.dimension), .help = "of that line"},
    {"superframe", "S", CLI_TEXT, CLI_AT(request, text.superframe), .otherwise = "1",
     .help = "in which it begins"},
    {"phase", "P", CLI_TEXT, CLI_AT(request, text.phase), .help = "in which it begins"},
    {"at", "T", CLI_TEXT, CLI_AT(request, text.at), .help = "after the phase edge, as 10us"},
    {"length", "L", CLI_TEXT, CLI_AT(request, text.length), .help = "how long"},
    {"amount", "X", CLI_TEXT, CLI_AT(request, text.amount), .help = "by how much"},
    {"time-constant", "RC", CLI_TEXT, CLI_AT(request, text.time_constant),
     .help = "slow_rise: in place of --amount"},
    {"ppm", "N", CLI_TEXT, CLI_AT(request, text.ppm), .help = "baud, drift: positive is fast"},
    {"shape", "SHAPE", CLI_TEXT, CLI_AT(request, text.shape), .words = "uniform gaussian",
     .help = "jitter: uniform or gaussian"},
    {"jitter-seed", "N", CLI_TEXT, CLI_AT(request, text.seed), .words = "auto",
     .help = "jitter: 1..65535 or auto"},
    {"bytes", "N", CLI_TEXT, CLI_AT(request, text.bytes),
     .help = "babble: how many; short_frame: how many are left out; long_frame: how many follow"},
    {"other-node", "A", CLI_TEXT, CLI_AT(request, text.other.node),
     .help = "short: the node of the other line"},
    {"other-dimension", "D", CLI_TEXT, CLI_AT(request, text.other.dimension),
     .help = "short: the dimension of the other line"},
    {"repeat", "N", CLI_TEXT, CLI_AT(request, text.repeat),
     .help = "in this many superframes, one after the other"},

    CLI_ROW_RIG(request, runner.options.rig_url),
    CLI_ROW_CAPTURE(request, capture, has_capture),
    CLI_ROW_SEED(request, seed, has_seed),
    CLI_ROW_TIMEOUT(request, runner.options.timeout_s, "limit of wall time for each run",
                    .initial = RUNNER_TIMEOUT_DEFAULT),
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, out), .use = CLI_WRITES,
     .help = "write report.html and result.json there"},
    {"json", NULL, CLI_FLAG, CLI_AT(request, json), .help = "the result as JSON on stdout"},
    {"quiet", NULL, CLI_FLAG, CLI_AT(request, runner.quiet), .help = "no progress"},
    {.name = NULL},
};

static const char *kind_name(unsigned i)
{
    unsigned count;
    const struct pb_fault_info *const info = pb_fault_infos(&count);
    return i < count ? info[i].id : NULL;
}

const struct cli_verb verb_fault = {
    .name = "fault",
    .summary = "break a link, the clock or a frame on purpose and see it found",
    .usage = "KIND [SCENARIO] [options]\n--list [--json]\n--matrix [SCENARIO] [--markdown]",
    .about = "Runs a scenario (the built-in demo) with one fault that the bench makes on purpose, and says "
             "when it was made and how it was found. What is left out is chosen so that the fault shows.",
    .options = options,
    .more = "Kinds, keys and ranges are those of `faults` in docs/reference/scenario.md; docs/use/faults.md "
            "shows what each does on the wire.",
    .exits = "0 the fault was made and found and all else is well, 1 the node failed, 2 wrong usage, 3 bad "
             "scenario, 4 the bench failed, 5 inconclusive (not made, or not found), 124 timeout, 130 "
             "interrupted",
    .examples = "  phasebench fault stuck_low\n"
                "  phasebench fault late_edge ref --superframe 2 --phase 5 --amount 3us\n"
                "  phasebench fault --matrix\n",
    .most = 2,
    .operand = CLI_OPERAND_SCENARIO,
    .first = kind_name,
    .run = cmd_fault,
};

static void append(char *line, size_t size, const char *option, const char *value)
{
    const size_t length = strlen(line);
    if (*option)
        snprintf(line + length, size - length, " --%s", option);
    pb_shell_append(line, size, value);
}

static void make_command(char *line, size_t size, struct request *request, const struct pb_scenario *scenario)
{
    char seed[24];
    snprintf(line, size, "phasebench fault %s", request->text.kind);
    if (request->scenario_path)
        append(line, size, "", request->scenario_path);
    for (const struct cli_option *option = options; option->name; option++) {
        const char *const *value = (const char *const *)((const char *)request + option->at);
        if (option->kind == CLI_TEXT && *value)
            append(line, size, option->name, *value);
    }
    snprintf(seed, sizeof seed, "%" PRIu64, scenario->seed);
    append(line, size, "seed", seed);
    if (request->has_capture)
        append(line, size, "capture", pb_capture_name(request->capture));
    if (request->runner.options.rig_url)
        append(line, size, "rig", request->runner.options.rig_url);
}

static int print_result(const struct request *request, const struct pb_scenario *scenario,
                        const struct pb_result *result)
{
    if (request->json)
        return output_end(pb_report_json(stdout, result));
    pb_fault_runs_text(stdout, scenario, result);
    cli_say("%-12s %s", pb_verdict_name(result->verdict), result->reason);
    if (request->out)
        cli_say("report       %s/%s", request->out, OUTPUT_REPORT);
    return cli_flush();
}

static int run(struct request *request, struct pb_scenario *scenario)
{
    struct pb_result *result = NULL;
    char command[sizeof result->command];
    struct pb_diag diag;
    int exit_code = CLI_PASS;
    if (request->has_seed)
        scenario->seed = request->seed;
    if (request->has_capture)
        scenario->capture = request->capture;
    const int code = pb_fault_add(scenario, &request->text, &diag);
    if (code)
        return cli_fail(code == PB_ERR_CONFIG ? CLI_USAGE : pb_error_exit_code(code), "%s", diag.text);
    if (request->out)
        exit_code = output_prepare(request->out);
    make_command(command, sizeof command, request, scenario);
    request->runner.options.command = command;
    if (exit_code == CLI_PASS)
        exit_code = runner_run(&result, scenario, &request->runner);
    if (!result)
        return exit_code;
    const bool began = runner_began(exit_code, result);
    if (request->out)
        exit_code = cli_worse(exit_code, output_write(request->out, result));
    if (began)
        exit_code = cli_worse(exit_code, print_result(request, scenario, result));
    exit_code = cli_worse(exit_code, pb_verdict_exit_code(result->verdict));
    pb_result_free(result);
    return exit_code;
}

static int load_and_run(struct request *request)
{
    struct pb_scenario *scenario;
    struct pb_diag diag;
    char found[FIND_PATH_SIZE];
    const char *path = request->scenario_path ? find_scenario(found, request->scenario_path) : NULL;
    const int code =
        path ? pb_scenario_load(&scenario, path, &diag) : cli_demo_scenario(&scenario, NULL, &diag);
    if (code)
        return cli_refuse_scenario(path, code, &diag);
    const int exit_code = run(request, scenario);
    pb_scenario_free(scenario);
    return exit_code;
}

/* ---- --matrix */

struct table {
    bool markdown;
    int exit_code; /* of the output */
};

static void begin_matrix(void *context, const struct pb_fault_matrix *matrix)
{
    const struct table *table = context;
    (void)matrix;
    pb_report_fault_matrix_head(stdout, table->markdown);
}

static bool print_matrix_row(void *context, const struct pb_fault_matrix_row *row)
{
    struct table *table = context;
    pb_report_fault_matrix_row(stdout, row, table->markdown);
    if (!row->lacks)
        table->exit_code = cli_flush();
    return table->exit_code == CLI_PASS;
}

static int print_matrix(struct request *request, const char *scenario_path)
{
    struct table table = {.markdown = request->markdown};
    const struct pb_fault_matrix_options matrix = {
        .scenario_path = scenario_path,
        .capture = request->has_capture ? &request->capture : NULL,
        .observer = {.begin = begin_matrix, .row = print_matrix_row, .context = &table}};
    struct vusb vusb;
    const struct pb_procedure procedure =
        runner_procedure(&vusb, request->runner.options.rig_url, request->runner.options.timeout_s);
    struct pb_fault_matrix sums;
    struct pb_diag diag;
    runner_catch_signals();
    const int code = pb_fault_matrix_run(&sums, &procedure, &matrix, &diag);
    if (code)
        return cli_outcome(code, &diag);
    if (table.exit_code != CLI_PASS)
        return table.exit_code;
    if (!request->markdown)
        pb_report_fault_matrix_sums(stdout, &sums);
    return cli_flush() != CLI_PASS ? CLI_BENCH_FAILED : sums.wrong ? CLI_INCONCLUSIVE : CLI_PASS;
}

/* ---- command line */

static int unknown_kind(const char *kind)
{
    unsigned count;
    const struct pb_fault_info *info = pb_fault_infos(&count);
    const char *name[PB_FAULT_END];
    for (unsigned i = 0; i < count; i++)
        name[i] = info[i].id;
    char hint[PB_HINT_SIZE];
    return cli_fail(CLI_USAGE, "fault: unknown kind '%s'%s 'phasebench fault --list' lists all", kind,
                    pb_hint(hint, "", kind, name, count, "."));
}

static int dispatch(struct request *request, char **operand)
{
    const unsigned most = request->list ? 0 : request->matrix ? 1 : 2;
    const int exit_code = vusb_check_url(request->runner.options.rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (operand[0] && (most == 0 || (operand[1] && most == 1)))
        return cli_fail(CLI_USAGE, "fault: unexpected operand '%s'; try 'phasebench help fault'",
                        operand[most]);
    if (request->list)
        return request->json ? cli_print_json(pb_fault_kinds_json()) : list();
    if (request->matrix)
        return print_matrix(request, operand[0]);
    if (!operand[0])
        return cli_fail(CLI_USAGE, "fault: no kind given; 'phasebench fault --list' lists all");
    if (!pb_fault_by_id(operand[0]))
        return unknown_kind(operand[0]);
    request->text.kind = operand[0];
    request->scenario_path = operand[1];
    return load_and_run(request);
}

int cmd_fault(int argc, char **argv)
{
    struct request request = {.list = false};
    int exit_code;
    char **const operand = cli_parse(&verb_fault, &request, argc, argv, &exit_code);
    return operand ? dispatch(&request, operand) : exit_code;
}
