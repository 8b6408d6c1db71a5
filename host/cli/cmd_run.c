/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "run_job.h"
#include "suite.h"
#include "suite_check.h"
#include "vusb.h"
#include "workers.h"

#include "phasebench/report.h"
#include "phasebench/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cmd_run_help[] =
    "usage: phasebench run SCENARIO... [options]\n"
    "       phasebench run FOLDER... [options]\n"
    "       phasebench run --rig replay:FILE [options]\n"
    "\n"
    "Runs each scenario on the bench and judges every byte and edge of the nodes. A scenario is a\n"
    "YAML file, see phasebench-scenario(5), or the bare name of a shipped one. Prints a summary and\n"
    "writes report.html, result.json and, when the run failed, the waveform failure.fst.\n"
    "\n"
    "Several scenarios are a suite. So is a folder: all *.yaml files in it, sorted by their bytes, not\n"
    "those of folders below nor hidden ones; a folder of shipped scenarios has a bare name, as broken.\n"
    "Each scenario of a suite runs in a process of its own: one that crashes, or has not ended 10 s after\n"
    "three times its limit, is an error of its own case. A suite has at most 10000 scenarios, and besides\n"
    "their files index.html.\n"
    "\n"
    "  --rig URL        sim:, ftdi:SERIAL (a board), tty:DEVICE?baud=N (one behind a serial port), or\n"
    "                   replay:FILE, a recording (sim:)\n" RECORD_HELP RECORD_USB_HELP
    "  --seed N         payloads and jitter, in place of the scenario's seed\n"
    "  --superframes N  how many to run, 1..100000, in place of the scenario's number\n" CAPTURE_HELP
    "  --timeout S      of wall time for each scenario, 1..86400 seconds (600)\n"
    "  --jobs N, -j N   how many scenarios of a suite at a time, 1..256 (1); only on rig sim:\n"
    "  --out DIR        folder for the files (phasebench-out), made when missing; the scenarios of a suite\n"
    "                   get one folder each in it\n"
    "  --json           one JSON document on stdout, of a suite with its totals and a list of the results;\n"
    "                   files only with --out\n"
    "  --tap            TAP on stdout; files only with --out\n"
    "  --trace          write failure.fst also where the other files are not written\n"
    "  --trace-at S[:P] a waveform around phase P (0) of superframe S, also of a run that passes: "
    "window.fst\n"
    "  --vcd            each waveform as VCD, too: failure.vcd, window.vcd\n"
    "  --junit FILE     JUnit XML of all scenarios\n"
    "  --csv FILE       every transmission of all scenarios, one row each; columns: phasebench-method(7)\n"
    "  --list           names, descriptions and paths, of the shipped scenarios when none is given; no run\n"
    "  --check          read and plan for the rig: errors, and warnings about traffic that no line of the "
    "rig\n"
    "                   carries, latencies that do not fit, runs longer than --timeout; no run\n"
    "  --quiet          no progress, one line for each scenario and no table\n"
    "  -h, --help       this text\n"
    "\n"
    "A recording holds the scenario, its seed and number of superframes, so none need be given; what is\n"
    "given must be the same. A replay has the verdict and report of the recorded run, but no waveform:\n"
    "a recording holds no signals inside the core. --record takes one scenario.\n"
    "\n"
    "A run that ends early, by a signal, the time limit, a rig that breaks, a full disk or the end of its\n"
    "recording, is judged up to there: every form says 'incomplete' and why. It is inconclusive unless a\n"
    "node had failed before. Files are whole or not there.\n"
    "\n"
    "All scenario files are read before the first run starts: one bad file, and nothing is run.\n"
    "\n"
    "SIGINT (Ctrl-C), SIGTERM, SIGQUIT and SIGHUP stop the run: the clock is stopped, all lines are\n"
    "released, exit code 130. A second one exits at once; the watchdog of the core then does the rest.\n"
    "Of a suite what runs is judged up to there, and the rest is marked as not run.\n"
    "\n"
    "kinds of node that a scenario can name:\n"
#define MODEL(name, text, ...) "  " #name ": " text "\n"
#define NO_MODEL(name, text, ...) "  " #name ": " text "\n"
#include "bench/nodes/kinds.def"
#undef MODEL
#undef NO_MODEL
    "\n"
    "exit codes: 0 all passed (marginal too), 1 a node failed, 2 wrong usage, 3 bad scenario or\n"
    "recording, 4 the bench failed or the new recording cannot be written, 5 inconclusive, 124 timeout,\n"
    "130 interrupted. Of a suite the worst counts, in this order: 130, 124, 4, 3, 1, 5, 0; a crash is a 4.\n"
    "\n"
    "examples:\n"
    "  phasebench run demo\n"
    "  phasebench run --list\n"
    "  phasebench run host/scenarios --check\n"
    "  phasebench run host/scenarios -j 4 --junit build/junit.xml\n"
    "  phasebench run host/scenarios/pairs.yaml --json --seed 7\n"
    "  phasebench run host/scenarios/pairs.yaml --record pairs.rec\n"
    "  phasebench run --rig replay:pairs.rec --json\n";

/* ---- one scenario */

struct files {
    struct output_file junit, csv;
};

static int prepare(struct run_job *job, const char *path, struct run_request *request, struct files *files)
{
    int exit_code = source_open(&job->source, path, request->runner.rig_url, &request->overrides);
    if (exit_code == CLI_PASS)
        exit_code = run_check_window(request, job->source.scenario);
    if (exit_code == CLI_PASS)
        exit_code = record_begin(&request->runner.recorder, &request->record, &job->source, "run",
                                 request->runner.rig_url);
    if (exit_code == CLI_PASS && run_needs_directory(request)) {
        exit_code = run_job_place(job, request->out ? request->out : RUN_OUT_DEFAULT);
        if (exit_code == CLI_PASS)
            exit_code = output_prepare(job->directory);
    }
    if (exit_code == CLI_PASS && request->junit_path)
        exit_code = output_check_file(&files->junit, request->junit_path);
    if (exit_code == CLI_PASS && request->csv_path)
        exit_code = output_check_file(&files->csv, request->csv_path);
    return exit_code;
}

static int print_text(const struct run_job *job, const struct run_request *request)
{
    if (!job->began)
        return CLI_PASS; /* of a run that never began all is said */
    if (request->runner.quiet) {
        cli_say("%-12s  %s: %s", pb_verdict_name(job->result->verdict), job->source.scenario->path,
                job->result->reason);
        return cli_flush();
    }
    const int exit_code = output_text(job->result);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (job->written)
        cli_say("report %s/%s", job->directory, OUTPUT_REPORT);
    if (job->shown)
        cli_say("window %s", job->window_path);
    if (job->result->verdict == PB_VERDICT_FAIL && pb_rig_replay(request->runner.rig_url))
        puts("no waveform: a recording holds no signals inside the core; run the scenario itself for one");
    return cli_flush();
}

static int print_tap(const struct pb_result *const *result, size_t results)
{
    pb_report_tap(stdout, result, results);
    if (!results)
        puts("Bail out! 1 of 1 scenarios were not judged");
    return cli_flush();
}

static int show(const struct run_job *job, const struct run_request *request, const struct files *files)
{
    const struct pb_result *const result = job->result;
    const size_t results = result ? 1 : 0;
    int exit_code = CLI_PASS;
    if (request->form == RUN_FORM_TAP)
        exit_code = print_tap(&result, results);
    else if (request->form == RUN_FORM_TEXT)
        exit_code = print_text(job, request);
    else if (!job->refused)
        exit_code = output_end(result ? pb_report_json(stdout, result) : PB_OK);
    if (request->junit_path)
        exit_code = cli_worse(exit_code, output_junit(&files->junit, &result, results));
    if (request->csv_path && result)
        exit_code = cli_worse(exit_code, output_csv(&files->csv, result));
    return exit_code;
}

static int run_one(const char *path, struct run_request *request)
{
    struct run_job job = {.result = NULL};
    struct files files;
    int exit_code = prepare(&job, path, request, &files);
    if (exit_code == CLI_PASS) {
        exit_code = run_job(&job, request);
        exit_code = cli_worse(exit_code, show(&job, request, &files));
        if (runner_stopped())
            exit_code = cli_worse(exit_code, CLI_INTERRUPTED);
    } else {
        record_end(request->runner.recorder, exit_code, NULL);
    }
    run_job_free(&job);
    return exit_code;
}

/* ---- command line */

enum {
    OPTION_RIG = CLI_LONG_OPTION,
    OPTION_SEED,
    OPTION_OUT,
    OPTION_JSON,
    OPTION_JUNIT,
    OPTION_TAP,
    OPTION_QUIET,
    OPTION_TIMEOUT,
    OPTION_SUPERFRAMES,
    OPTION_CAPTURE,
    OPTION_TRACE,
    OPTION_RECORD,
    OPTION_RECORD_USB,
    OPTION_FORCE,
    OPTION_CSV,
    OPTION_TRACE_AT,
    OPTION_VCD,
    OPTION_LIST,
    OPTION_CHECK
};

static const struct option options[] = {
    {"rig", required_argument, NULL, OPTION_RIG},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"out", required_argument, NULL, OPTION_OUT},
    {"json", no_argument, NULL, OPTION_JSON},
    {"junit", required_argument, NULL, OPTION_JUNIT},
    {"tap", no_argument, NULL, OPTION_TAP},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"superframes", required_argument, NULL, OPTION_SUPERFRAMES},
    {"capture", required_argument, NULL, OPTION_CAPTURE},
    {"trace", no_argument, NULL, OPTION_TRACE},
    RECORD_OPTIONS(OPTION_RECORD, OPTION_FORCE),
    {"record-usb", required_argument, NULL, OPTION_RECORD_USB},
    {"csv", required_argument, NULL, OPTION_CSV},
    {"trace-at", required_argument, NULL, OPTION_TRACE_AT},
    {"vcd", no_argument, NULL, OPTION_VCD},
    {"list", no_argument, NULL, OPTION_LIST},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"jobs", required_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* SUPERFRAME or SUPERFRAME:PHASE */
static bool take_window(struct run_window *window, const char *text)
{
    char superframe[24];
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    snprintf(superframe, sizeof superframe, "%.*s", length < sizeof superframe ? (int)length : 23, text);
    *window = (struct run_window){.given = true};
    return cli_unsigned("--trace-at, superframe,", superframe, 0, SOURCE_SUPERFRAMES_MAX - 1,
                        &window->superframe) &&
           (!colon || cli_unsigned("--trace-at, phase,", colon + 1, 0, 2 * PB_DIMS_MAX - 1, &window->phase));
}

static bool take_option(struct run_request *request, int option)
{
    switch (option) {
    case OPTION_RIG:
        request->runner.rig_url = optarg;
        return true;
    case OPTION_SEED:
        request->overrides.seed_given = true;
        return cli_number("--seed", optarg, 0, UINT64_MAX, &request->overrides.seed);
    case OPTION_OUT:
        request->out = optarg;
        return true;
    case OPTION_JSON:
    case OPTION_TAP:
        if (request->form != RUN_FORM_TEXT &&
            request->form != (option == OPTION_JSON ? RUN_FORM_JSON : RUN_FORM_TAP)) {
            cli_fail(CLI_USAGE, "run: --json and --tap both want stdout; give one of them");
            return false;
        }
        request->form = option == OPTION_JSON ? RUN_FORM_JSON : RUN_FORM_TAP;
        return true;
    case OPTION_JUNIT:
        request->junit_path = optarg;
        return true;
    case OPTION_CSV:
        request->csv_path = optarg;
        return true;
    case OPTION_QUIET:
        request->runner.quiet = true;
        return true;
    case OPTION_TIMEOUT:
        return cli_unsigned("--timeout", optarg, 1, RUNNER_TIMEOUT_MAX_S, &request->runner.timeout_s);
    case OPTION_SUPERFRAMES:
        return cli_unsigned("--superframes", optarg, 1, SOURCE_SUPERFRAMES_MAX,
                            &request->overrides.superframes);
    case OPTION_CAPTURE:
        request->overrides.capture_given = true;
        return cli_capture(optarg, &request->overrides.capture);
    case OPTION_TRACE:
        request->trace = true;
        return true;
    case OPTION_TRACE_AT:
        return take_window(&request->window, optarg);
    case OPTION_VCD:
        request->runner.trace_vcd = true;
        return true;
    case OPTION_RECORD:
        request->record.path = optarg;
        return true;
    case OPTION_RECORD_USB:
        request->record.usb_path = optarg;
        return true;
    case OPTION_LIST:
    case OPTION_CHECK:
        request->action = option == OPTION_LIST ? RUN_LIST : RUN_CHECK;
        return true;
    case 'j':
        return cli_unsigned("--jobs", optarg, 1, WORKERS_MAX, &request->jobs);
    case OPTION_FORCE:
        request->record.force = true;
        return true;
    default:
        return false;
    }
}

/* What the operands stand for; *suite: a list, even when it has one scenario. */
static int find_operands(struct find_list *list, bool *suite, char **operand, int operands)
{
    char folder[FIND_PATH_SIZE];
    int exit_code = CLI_PASS;
    *suite = operands > 1;
    for (int i = 0; i < operands && exit_code == CLI_PASS; i++) {
        if (find_is_ambiguous(operand[i]))
            return cli_fail(
                CLI_USAGE,
                "run: '%s' is a folder and a shipped scenario; write '%s/' for the folder, or the "
                "path of the scenario's file",
                operand[i], operand[i]);
        const char *found = find_folder(folder, operand[i]);
        *suite |= found != NULL;
        exit_code = found ? find_in_folder(list, found) : find_add(list, operand[i]);
    }
    return exit_code;
}

/* What goes with several scenarios. */
static int check_suite(const struct run_request *request, size_t scenarios)
{
    const char *url = request->runner.rig_url;
    if (pb_rig_replay(url) || request->record.path || request->record.usb_path)
        return cli_fail(CLI_USAGE, "run: a recording holds one scenario, %zu are given; give one", scenarios);
    if (request->jobs > 1 && !pb_rig_is_sim(url))
        return cli_fail(
            CLI_USAGE,
            "run: --jobs is %u, and rig '%.60s' carries one run at a time; leave --jobs out, or use "
            "--rig sim:",
            request->jobs, url);
    return CLI_PASS;
}

static int check_rig(const char *url)
{
    struct pb_diag diag;
    const int code = url ? vusb_check_url(url, &diag) : PB_OK;
    return code ? cli_fail(pb_error_exit_code(code), "--rig: %s", diag.text) : CLI_PASS;
}

/* --list and --check: of which nothing runs. */
static int look(const struct find_list *list, const struct run_request *request)
{
    if (request->form == RUN_FORM_TAP || request->out || request->junit_path || request->csv_path ||
        request->trace || request->window.given || request->runner.trace_vcd || request->jobs ||
        request->record.path || request->record.usb_path || pb_rig_replay(request->runner.rig_url))
        return cli_fail(CLI_USAGE,
                        "run: %s runs nothing; leave out --out, --tap, --junit, --csv, --trace, --trace-at, "
                        "--vcd, --jobs, --record, "
                        "--record-usb and a rig replay:",
                        request->action == RUN_LIST ? "--list" : "--check");
    if (request->action == RUN_LIST)
        return suite_list(list, request);
    const int exit_code = check_rig(request->runner.rig_url);
    return exit_code == CLI_PASS ? suite_check(list, request) : exit_code;
}

static int run_scenarios(const struct find_list *list, bool suite, struct run_request *request)
{
    const bool replay = pb_rig_replay(request->runner.rig_url) != 0;
    if (!list->count && !replay)
        return cli_fail(CLI_USAGE,
                        "run: no scenario given, so nothing would be tested; give one or more YAML files");
    if (request->window.given && !replay && !pb_rig_simulates(request->runner.rig_url))
        return cli_fail(
            CLI_USAGE,
            "run: --trace-at needs signals inside the core, which rig '%.60s' does not show; use --rig sim:",
            request->runner.rig_url);
    if (replay && (request->trace || request->runner.trace_vcd || request->window.given))
        return cli_fail(CLI_USAGE, "run: --trace, --trace-at and --vcd need signals inside the core, which a "
                                   "recording does not hold; "
                                   "leave it out, or run the scenario itself");
    int exit_code = suite ? check_suite(request, list->count) : CLI_PASS;
    if (exit_code == CLI_PASS)
        exit_code = check_rig(request->runner.rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    return suite ? suite_run(list, request) : run_one(list->count ? list->path[0] : NULL, request);
}

static int run(int operands, char **operand, struct run_request *request)
{
    struct find_list list = {.path = NULL};
    bool suite;
    int exit_code = find_operands(&list, &suite, operand, operands);
    if (exit_code == CLI_PASS && request->action == RUN_LIST && !operands)
        exit_code = find_all_shipped(&list);
    if (exit_code == CLI_PASS && request->action == RUN_AND_JUDGE)
        exit_code = run_scenarios(&list, suite, request);
    else if (exit_code == CLI_PASS && !list.count)
        exit_code = cli_fail(CLI_USAGE, "run: no scenario given to check; give one or more YAML files");
    else if (exit_code == CLI_PASS)
        exit_code = look(&list, request);
    find_free(&list);
    return exit_code;
}

int cmd_run(int argc, char **argv)
{
    struct run_request request = {.runner = {.timeout_s = RUNNER_TIMEOUT_DEFAULT_S}};
    int option;

    cli_begin();
    while ((option = cli_short_option(argc, argv, ":hj:", options)) != -1) {
        if (option == 'h')
            return cli_help(cmd_run_help);
        if (!take_option(&request, option))
            return CLI_USAGE;
    }
    return run(argc - optind, argv + optind, &request);
}
