/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "coverage.h"
#include "rows.h"
#include "run_job.h"
#include "suite.h"
#include "suite_check.h"
#include "vusb.h"

#include "phasebench/report.h"
#include "phasebench/rig.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one scenario */

struct files {
    struct pb_file_output junit, csv, coverage;
    struct pb_file_stream pcap;
};

static int prepare_coverage(struct run_job *job, const struct run_request *request, struct files *files)
{
    if (!coverage_has_image(job->source.scenario))
        return coverage_refuse(job->source.scenario->path);
    snprintf(job->coverage_path, sizeof job->coverage_path, "%s", request->coverage_path);
    return output_check_file(&files->coverage, request->coverage_path);
}

static int prepare(struct run_job *job, const char *path, struct run_request *request, struct files *files)
{
    int exit_code = source_open(&job->source, path, request->runner.options.rig_url, &request->overrides);
    if (exit_code == CLI_PASS)
        exit_code = run_check_window(request, job->source.scenario);
    if (exit_code == CLI_PASS)
        exit_code = record_begin(&request->runner.options.recorder, &request->record, &job->source, "run",
                                 request->runner.options.rig_url);
    if (exit_code == CLI_PASS && run_needs_directory(request)) {
        exit_code = run_job_place(job, request->out ? request->out : RUN_OUT_DEFAULT);
        if (exit_code == CLI_PASS)
            exit_code = output_prepare(job->directory);
    }
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&files->junit, request->junit_path);
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&files->csv, request->csv_path);
    if (exit_code == CLI_PASS && request->gdb.given)
        exit_code = gdb_check(&request->gdb, job->source.scenario);
    if (exit_code == CLI_PASS && request->coverage_path)
        exit_code = prepare_coverage(job, request, files);
    if (exit_code == CLI_PASS)
        exit_code = history_reach(&request->history);
    if (exit_code == CLI_PASS && request->pcap_path) {
        struct pb_file_output file;
        exit_code = output_check_file(&file, request->pcap_path);
        if (exit_code == CLI_PASS)
            exit_code = output_stream_begin(&files->pcap, &file);
        job->pcap = files->pcap.stream;
    }
    return exit_code;
}

static int print_text(const struct run_job *job, const struct run_request *request)
{
    if (!job->began)
        return CLI_PASS; /* a run that never began was reported already */
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
    if (job->covered)
        coverage_say(job->coverage_path, job->covered);
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
    exit_code = cli_worse(exit_code, output_junit(&files->junit, &result, results));
    if (request->csv_path && result)
        exit_code = cli_worse(exit_code, output_csv(&files->csv, result));
    return exit_code;
}

static int run_one(const char *path, struct run_request *request)
{
    struct run_job job = {.result = NULL};
    struct files files = {.pcap = {.stream = NULL}};
    int exit_code = prepare(&job, path, request, &files);
    if (exit_code == CLI_PASS) {
        exit_code = run_job(&job, request);
        exit_code = cli_worse(exit_code, show(&job, request, &files));
        if (job.pcap && job.began)
            exit_code = cli_worse(exit_code, output_stream_end(&files.pcap, job.pcap_errno));
        if (runner_stopped())
            exit_code = cli_worse(exit_code, CLI_INTERRUPTED);
    } else {
        record_end(request->runner.options.recorder, exit_code, NULL);
    }
    output_stream_drop(&files.pcap);
    run_job_free(&job);
    return exit_code;
}

/* ---- command line */

static const struct cli_option options[] = {
    CLI_ROW_RIG(run_request, runner.options.rig_url),
    CLI_ROW_SUPERFRAMES(run_request, overrides.superframes),
    CLI_ROW_FOR(run_request, overrides.for_s),
    CLI_ROW_RECORD(run_request, record),
    CLI_ROW_RECORD_USB(run_request, record),
    CLI_ROW_HISTORY(run_request, history),
    CLI_ROW_SEED(run_request, overrides.seed, overrides.seed_given),
    CLI_ROW_CAPTURE(run_request, overrides.capture, overrides.capture_given),
    CLI_ROW_TIMEOUT(run_request, runner.options.timeout_s, "limit of wall time for each scenario",
                    .otherwise = RUNNER_TIMEOUT_DEFAULT " and twice the length of the run"),
    {"jobs", "N", CLI_COUNT, CLI_AT(run_request, jobs), .least = 1, .most = PB_SUITE_JOBS_MAX,
     .otherwise = "1", .letter = 'j', .of_run = CLI_OF_PROCESSES,
     .help = "how many scenarios of a suite at a time, only on rig sim:"},
    CLI_ROW_CAL(run_request, cal),
    CLI_ROW_RETRY(run_request, retry),
    CLI_ROW_QUARANTINE(run_request, quarantine_path),
    CLI_ROW_SELECT(run_request, select),
    {"out", "DIR", CLI_FOLDER, CLI_AT(run_request, out), .use = CLI_WRITES, .otherwise = RUN_OUT_DEFAULT,
     .of_run = CLI_OF_FILES,
     .help = "folder for the files, made when missing; the scenarios of a suite get one folder each in it"},
    {"json", NULL, CLI_SET, CLI_AT(run_request, form), .least = RUN_FORM_JSON,
     .help = "one JSON document on stdout, of a suite with its totals and a list of the results; files "
             "only with --out"},
    {"tap", NULL, CLI_SET, CLI_AT(run_request, form), .least = RUN_FORM_TAP,
     .of_run = CLI_OF_FILES, .help = "TAP on stdout; files only with --out"},
    {"trace", NULL, CLI_FLAG, CLI_AT(run_request, trace),
     .of_run = CLI_OF_WAVEFORMS, .help = "write failure.fst also where the other files are not written"},
    {"trace-at", "S[:P]", CLI_TEXT, CLI_AT(run_request, window_text),
     .of_run = CLI_OF_WAVEFORMS,
     .help = "a waveform of two phases before and after the begin of phase P (0) of superframe S, also of "
             "a run that passes: window.fst; on simulated rigs, and of a recording"},
    {"vcd", NULL, CLI_FLAG, CLI_AT(run_request, runner.options.trace_vcd),
     .of_run = CLI_OF_WAVEFORMS,
     .help = "the pins of each waveform as VCD, too, one scalar each, for sigrok and others: failure.vcd, "
             "window.vcd"},
    {"junit", "FILE", CLI_FILE, CLI_AT(run_request, junit_path), .use = CLI_WRITES,
     .of_run = CLI_OF_FILES, .help = "JUnit XML of all scenarios"},
    {"csv", "FILE", CLI_FILE, CLI_AT(run_request, csv_path), .use = CLI_WRITES,
     .of_run = CLI_OF_FILES,
     .help = "every transmission of all scenarios, one row each; columns: phasebench-method(7)"},
    {"pcap", "FILE", CLI_FILE, CLI_AT(run_request, pcap_path), .use = CLI_WRITES,
     .of_run = CLI_OF_FILES,
     .help = "every transmission that was seen on a link as a packet for Wireshark (pcapng, nanoseconds), "
             "complete however long the run is; of a suite a section for each scenario"},
    CLI_ROW_COVERAGE(run_request, coverage_path),
    CLI_ROW_GDB(run_request, gdb_text),
    {"list", NULL, CLI_SET, CLI_AT(run_request, action), .least = RUN_LIST,
     .help = "names, descriptions and paths, of the shipped scenarios when none is given; no run"},
    {"check", NULL, CLI_SET, CLI_AT(run_request, action), .least = RUN_CHECK,
     .help = "read and plan for the rig: errors and warnings; no run"},
    {"quiet", NULL, CLI_FLAG, CLI_AT(run_request, runner.quiet),
     .help = "no progress, one line for each scenario and no table"},
    {.name = NULL},
};

const struct cli_verb verb_run = {
    .name = "run",
    .summary = "run scenarios and judge the nodes",
    .usage = "SCENARIO... [options]\nFOLDER... [options]\n--rig replay:FILE [options]",
    .about = "Runs each scenario on the bench and judges every byte and edge of the nodes. A scenario is a "
             "YAML file, see phasebench-scenario(5) and 'phasebench help scenario', or the bare name of a "
             "shipped one. Prints a summary and writes report.html, result.json and, when the run failed, "
             "the waveform failure.fst.\n"
             "\n"
             "Several scenarios are a suite. So is a folder: all *.yaml files in it, sorted by their bytes, "
             "not those of folders below nor hidden ones; a folder of shipped scenarios has a bare name, as "
             "broken. Each scenario of a suite runs in a process of its own: one that crashes, or has not "
             "ended 10 s after three times its limit, is an error of its own case. A suite has at most "
             "10000 scenarios. In addition to their files it has index.html and result.json.",
    .options = options,
    .more =
        "Scenarios of one name, or whose files have one name, get a number from 2 on: the second is "
        "'pairs (2)' in every form, and its folder pairs-2. All scenario files are read before the first "
        "run starts: one bad file, and nothing is run.\n"
        "\n"
        "With --retry a scenario that does not pass runs again as it was; the files of its first run are in "
        "DIR/NAME/first. A scenario of --quarantine runs, and its failure changes no exit code; an entry "
        "whose "
        "date is over, or that names no scenario, is an error. Both make a suite of one scenario, too.\n"
        "\n"
        "--shard I/N runs every N-th scenario, from the I-th on: N machines, under any scheduler, run one "
        "suite. 'phasebench report merge' joins their results, and misses none of the shards.\n"
        "\n"
        "When a file of a suite cannot be written, that is said before the first run; the suite runs, all "
        "other files are written, and the exit code is 4. A folder is written to by one process at a time: "
        "a second one is refused, with the number of the first.\n"
        "\n"
        "A recording holds the scenario, its seed and number of superframes, so none need be given; what "
        "is given must be the same. A replay has the verdict and report of the recorded run. Its waveforms "
        "show the pins, by the edges in the recording, and no signals inside the core. --record takes one "
        "scenario.\n"
        "\n"
        "A run that ends early, by a signal, the time limit, a rig that breaks, a full disk or the end "
        "of its recording, is judged up to there: every form says 'incomplete' and why. It is "
        "inconclusive unless a node had failed before, and the exit code is that of the event. Files are "
        "whole or not there; the waveform comes after the others, and when it cannot be written the "
        "verdict stays.\n"
        "\n"
        "SIGINT (Ctrl-C), SIGTERM, SIGQUIT and SIGHUP stop the run: the clock is stopped, all lines are "
        "released, exit code 130. A second one exits at once; the watchdog of the core then does the "
        "rest. Of a suite what runs is judged up to there, and the rest is marked as not run, in JUnit "
        "as skipped.\n"
        "\n"
        "The warnings of --check: traffic that crosses no line of the rig, or none of a node; a latency "
        "longer than the head guard; limits of the start closer together than the core resolves; edges "
        "or events that the host link does not carry; a run that takes longer than --timeout allows, by "
        "the rate at which this computer simulates the core, on a board in real time. A warning costs no "
        "exit code.\n"
        "\n"
        "kinds of node that a scenario can name:\n"
#define MODEL(name, text, ...) "  " #name ": " text "\n"
#define NO_MODEL(name, text, ...) "  " #name ": " text "\n"
#include "bench/registry/kinds.def"
#undef MODEL
#undef NO_MODEL
    ,
    .exits = "0 all passed (marginal too), 1 a node failed, 2 wrong usage, 3 bad scenario or recording, 4 "
             "the bench failed or the new recording cannot be written, 5 inconclusive, 124 timeout, 130 "
             "interrupted. Of a suite the worst counts, in this order: 130, 124, 4, 3, 1, 5, 0; a crash is "
             "a 4.",
    .examples = "  phasebench run demo\n"
                "  phasebench run full-load --for 8h\n"
                "  phasebench run --list\n"
                "  phasebench run host/scenarios --check\n"
                "  phasebench run host/scenarios -j 4 --junit build/junit.xml\n"
                "  phasebench run host/scenarios/pairs.yaml --json --seed 7\n"
                "  phasebench run host/scenarios/pairs.yaml --record pairs.rec\n"
                "  phasebench run --rig replay:pairs.rec --json\n",
    .most = UINT_MAX,
    .operand = CLI_OPERAND_SCENARIO,
    .run = cmd_run,
};

/* SUPERFRAME or SUPERFRAME:PHASE */
static bool take_window(struct run_window *window, const char *text)
{
    char superframe[24];
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    snprintf(superframe, sizeof superframe, "%.*s", length < sizeof superframe ? (int)length : 23, text);
    *window = (struct run_window){.given = true};
    return cli_unsigned("--trace-at, superframe,", superframe, 0, UINT32_MAX - 1, &window->superframe) &&
           (!colon || cli_unsigned("--trace-at, phase,", colon + 1, 0, 2 * PB_DIMS_MAX - 1, &window->phase));
}

/* Finds the scenarios that the operands name; *suite: a list, even if it has one scenario. */
static int find_operands(struct find_list *list, bool *suite, char **operand)
{
    char folder[FIND_PATH_SIZE];
    struct pb_diag diag;
    int exit_code = CLI_PASS;
    *suite = operand[0] && operand[1];
    for (; *operand && exit_code == CLI_PASS; operand++) {
        if (find_is_ambiguous(*operand))
            return cli_fail(
                CLI_USAGE,
                "run: '%s' is a folder and a shipped scenario; write '%s/' for the folder, or the "
                "path of the scenario's file",
                *operand, *operand);
        const char *found = find_folder(folder, *operand);
        *suite |= found != NULL;
        exit_code =
            cli_outcome(found ? find_in_folder(list, found, &diag) : find_add(list, *operand, &diag), &diag);
    }
    return exit_code;
}

/* What goes with several scenarios. */
static int check_suite(const struct run_request *request, size_t scenarios)
{
    const char *url = request->runner.options.rig_url;
    if (request->gdb.given)
        return cli_fail(CLI_USAGE, "run: --gdb controls a node of one scenario, %zu are given; give one",
                        scenarios);
    if (pb_rig_target_of(url).replays || request->record.path || request->record.usb_path)
        return cli_fail(CLI_USAGE, "run: a recording holds one scenario, %zu are given; give one", scenarios);
    if (request->jobs > 1 && !pb_rig_target_of(url).in_process)
        return cli_fail(
            CLI_USAGE,
            "run: --jobs is %u, and rig '%.60s' carries one run at a time; leave --jobs out, or use "
            "--rig sim:",
            request->jobs, url);
    return CLI_PASS;
}

/* --list and --check: of which nothing runs. */
static int look(const struct find_list *list, const struct run_request *request)
{
    int exit_code = cli_refuse_of_run(&verb_run, request, request->action == RUN_LIST ? "--list" : "--check");
    if (exit_code != CLI_PASS)
        return exit_code;
    if (request->action == RUN_LIST)
        return suite_list(list, request);
    exit_code = vusb_check_url(request->runner.options.rig_url);
    return exit_code == CLI_PASS ? suite_check(list, request) : exit_code;
}

/* The files of a suite. */
struct entries {
    struct find_list file;
    struct pb_suite_entry *one; /* owned */
};

static int begin_suite(void *context, struct pb_suite_results **out, const struct pb_procedure *procedure,
                       const struct pb_suite_options *options, struct pb_diag *diag)
{
    const struct entries *entries = context;
    struct pb_suite_options own = *options;
    own.entry = entries->one;
    own.count = entries->file.count;
    return pb_suite_run(out, procedure, &own, diag);
}

static int run_suite(const struct find_list *list, const struct run_request *request)
{
    struct entries entries = {.one = calloc(list->count + 1, sizeof *entries.one)};
    struct pb_diag diag;
    char found[FIND_PATH_SIZE];
    int exit_code =
        entries.one ? CLI_PASS
                    : cli_fail(CLI_BENCH_FAILED, "no memory for %zu scenarios; give fewer", list->count);
    for (size_t i = 0; i < list->count && exit_code == CLI_PASS; i++) {
        const char *file;
        exit_code = source_find(&file, found, list->path[i]);
        if (exit_code == CLI_PASS)
            exit_code = cli_outcome(find_add(&entries.file, file, &diag), &diag);
        if (exit_code == CLI_PASS)
            entries.one[i].path = entries.file.path[i];
    }
    if (exit_code == CLI_PASS)
        exit_code = suite_run(list->count, request, begin_suite, &entries);
    find_free(&entries.file);
    free(entries.one);
    return exit_code;
}

static int run_scenarios(const struct find_list *list, bool suite, struct run_request *request)
{
    const bool replay = pb_rig_target_of(request->runner.options.rig_url).replays;
    if (!list->count && !replay)
        return cli_fail(CLI_USAGE,
                        "run: no scenario given, so nothing would be tested; give one or more YAML files");
    if (request->window.given && !replay && !pb_rig_target_of(request->runner.options.rig_url).simulates)
        return cli_fail(
            CLI_USAGE,
            "run: --trace-at repeats the run, which rig '%.60s' cannot; use --rig sim:, or --record the run "
            "and play it with --rig replay:FILE",
            request->runner.options.rig_url);
    int exit_code = suite ? check_suite(request, list->count) : CLI_PASS;
    if (exit_code == CLI_PASS && request->coverage_path)
        exit_code = coverage_check_rig(request->runner.options.rig_url);
    if (exit_code == CLI_PASS)
        exit_code = vusb_check_url(request->runner.options.rig_url);
    if (exit_code == CLI_PASS)
        exit_code = history_check(&request->history);
    if (exit_code == CLI_PASS && request->cal.path)
        exit_code = cal_check(&request->cal, request->runner.options.rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (suite && (exit_code = history_reach(&request->history)) != CLI_PASS)
        return exit_code;
    return suite ? run_suite(list, request) : run_one(list->count ? list->path[0] : NULL, request);
}

static int run(char **operand, struct run_request *request)
{
    struct find_list list = {.path = NULL};
    struct pb_diag diag;
    bool suite;
    int exit_code = find_operands(&list, &suite, operand);
    suite |= request->retry || request->quarantine_path || suite_selection_given(&request->select);
    if (exit_code == CLI_PASS)
        exit_code = suite_selection_take(&request->select);
    if (exit_code == CLI_PASS && request->action == RUN_LIST && !operand[0])
        exit_code = cli_outcome(find_all_shipped(&list, &diag), &diag);
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
    struct run_request request = {.form = RUN_FORM_TEXT};
    int exit_code;
    char **const operand = cli_parse(&verb_run, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    if (request.window_text && !take_window(&request.window, request.window_text))
        return CLI_USAGE;
    exit_code =
        request.gdb_text ? gdb_take(&request.gdb, request.gdb_text, request.runner.options.rig_url)
                         : CLI_PASS;
    return exit_code == CLI_PASS ? run(operand, &request) : exit_code;
}
