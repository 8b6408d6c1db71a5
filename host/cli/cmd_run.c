/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cmd_run_help[] =
    "usage: phasebench run SCENARIO... [options]\n"
    "       phasebench run --rig replay:FILE [options]\n"
    "\n"
    "Runs each scenario on the bench and judges every byte and edge of the nodes. A scenario is a\n"
    "YAML file, see phasebench-scenario(5), or the bare name of a shipped one. Prints a summary and\n"
    "writes report.html, result.json and, when the run failed, the waveform failure.fst.\n"
    "\n"
    "  --rig URL        sim:, ftdi:SERIAL (a board), tty:DEVICE?baud=N (one behind a serial port), or\n"
    "                   replay:FILE, a recording (sim:)\n" RECORD_HELP RECORD_USB_HELP
    "  --seed N         payloads and jitter, in place of the scenario's seed\n"
    "  --superframes N  how many to run, 1..100000, in place of the scenario's number\n" CAPTURE_HELP
    "  --timeout S      of wall time for each scenario, 1..86400 seconds (600)\n"
    "  --out DIR        folder for the files (phasebench-out), made when missing; several scenarios\n"
    "                   get one folder each in it\n"
    "  --json           one JSON document on stdout, of several scenarios with a list of their results;\n"
    "                   files only with --out\n"
    "  --tap            TAP on stdout; files only with --out\n"
    "  --trace          write failure.fst also where the other files are not written\n"
    "  --junit FILE     JUnit XML of all scenarios\n"
    "  --quiet          no progress, one line for each scenario\n"
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
    "\n"
    "kinds of node that a scenario can name:\n"
#define MODEL(name, text, ...) "  " #name ": " text "\n"
#define NO_MODEL(name, text, ...) "  " #name ": " text "\n"
#include "bench/nodes/kinds.def"
#undef MODEL
#undef NO_MODEL
    "\n"
    "exit codes: 0 all passed (marginal too), 1 a node failed, 2 wrong usage, 3 bad scenario or\n"
    "recording, 4 the bench failed or the new recording cannot be written, 5 inconclusive, 124 timeout, 130 "
    "interrupted. Of several scenarios the worst\n"
    "counts, in this order: 130, 124, 4, 1, 5, 0.\n"
    "\n"
    "examples:\n"
    "  phasebench run demo\n"
    "  phasebench run host/scenarios/*.yaml --quiet --junit build/junit.xml\n"
    "  phasebench run host/scenarios/pairs.yaml --json --seed 7\n"
    "  phasebench run host/scenarios/pairs.yaml --record pairs.rec\n"
    "  phasebench run --rig replay:pairs.rec --json\n";

#define OUT_DEFAULT "phasebench-out"

enum form { FORM_TEXT, FORM_JSON, FORM_TAP };

struct request {
    struct runner runner;
    enum form form;
    const char *out;        /* NULL: not given */
    const char *junit_path; /* NULL: none */
    struct output_file junit;
    bool trace;
    struct source_overrides overrides;
    struct record_options record;
};

struct job {
    struct source source;
    struct pb_result *result;         /* NULL: no memory for it */
    char directory[OUTPUT_PATH_SIZE]; /* "" when no file is written */
    char trace_path[OUTPUT_PATH_SIZE];
    bool refused; /* the rig's URL or the recording is wrong: no run */
    bool began;   /* runner_began */
    bool written; /* its files are in the directory */
};

struct batch {
    struct job *job;
    size_t jobs;
};

static bool writes_files(const struct request *request)
{
    return request->form == FORM_TEXT || request->out;
}

/* ---- preparation: everything that can be refused is refused before the first run */

/* The file name without folder and .yaml: of several scenarios each has its own folder. */
static int choose_directory(struct batch *batch, size_t index, const char *out)
{
    struct job *job = &batch->job[index];
    if (batch->jobs == 1 || !*out) { /* none is refused like one that cannot be made */
        if (!output_path(job->directory, out, ""))
            return CLI_BENCH_FAILED;
        job->directory[strlen(out)] = '\0';
        return CLI_PASS;
    }
    const char *path = job->source.scenario->path, *slash = strrchr(path, '/');
    char name[256 + 24];
    snprintf(name, 256, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    if (!output_path(job->directory, out, name))
        return CLI_BENCH_FAILED;
    for (size_t i = 0; i < index; i++)
        if (strcmp(batch->job[i].directory, job->directory) == 0) {
            const size_t length = strlen(name);
            snprintf(name + length, sizeof name - length, "-%zu", index + 1);
            return output_path(job->directory, out, name) ? CLI_PASS : CLI_BENCH_FAILED;
        }
    return CLI_PASS;
}

static int prepare_files(struct batch *batch, size_t index, const struct request *request)
{
    struct job *job = &batch->job[index];
    if (!writes_files(request) && !request->trace)
        return CLI_PASS;

    int exit_code = choose_directory(batch, index, request->out ? request->out : OUT_DEFAULT);
    for (size_t length = strlen(job->directory); length > 1 && job->directory[length - 1] == '/'; length--)
        job->directory[length - 1] = '\0';
    if (exit_code == CLI_PASS)
        exit_code = output_prepare(job->directory);
    if (exit_code == CLI_PASS && !output_path(job->trace_path, job->directory, OUTPUT_TRACE))
        exit_code = CLI_BENCH_FAILED;
    return exit_code;
}

static int prepare(struct batch *batch, char **path, struct request *request)
{
    struct pb_diag diag;
    int exit_code = CLI_PASS;

    if (request->runner.rig_url) {
        const int code = vusb_check_url(request->runner.rig_url, &diag);
        if (code)
            return cli_fail(pb_error_exit_code(code), "--rig: %s", diag.text);
    }
    for (size_t i = 0; exit_code == CLI_PASS && i < batch->jobs; i++)
        exit_code = source_open(&batch->job[i].source, path[i], request->runner.rig_url, &request->overrides);
    if (exit_code == CLI_PASS)
        exit_code = record_begin(&request->runner.recorder, &request->record, &batch->job[0].source, "run",
                                 request->runner.rig_url);
    for (size_t i = 0; exit_code == CLI_PASS && i < batch->jobs; i++)
        exit_code = prepare_files(batch, i, request);
    if (exit_code == CLI_PASS && request->junit_path)
        exit_code = output_check_file(&request->junit, request->junit_path);
    return exit_code;
}

/* ---- running */

/* Quotes for a shell where needed. */
static void append_word(char *line, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+,@%-";
    size_t length = strlen(line);
    const bool quote = !*word || word[strspn(word, plain)];

    length += (size_t)snprintf(line + length, size - length, quote ? " '" : " ");
    for (; *word && length + 6 < size; word++)
        length +=
            (size_t)snprintf(line + length, size - length, quote && *word == '\'' ? "'\\''" : "%c", *word);
    if (quote && length + 1 < size)
        snprintf(line + length, size - length, "'");
}

static void make_command(char *line, size_t size, const struct job *job, const struct request *request)
{
    snprintf(line, size, "phasebench run");
    if (pb_rig_replay(request->runner.rig_url)) { /* all else is in the recording */
        snprintf(line + strlen(line), size - strlen(line), " --rig");
        append_word(line, size, request->runner.rig_url);
        return;
    }
    append_word(line, size, job->source.scenario->path);
    snprintf(line + strlen(line), size - strlen(line), " --seed %" PRIu64, job->source.scenario->seed);
    if (request->overrides.superframes)
        snprintf(line + strlen(line), size - strlen(line), " --superframes %u",
                 request->overrides.superframes);
    if (request->overrides.capture_given)
        snprintf(line + strlen(line), size - strlen(line), " --capture %s",
                 pb_capture_name(request->overrides.capture));
    if (request->runner.rig_url) {
        snprintf(line + strlen(line), size - strlen(line), " --rig");
        append_word(line, size, request->runner.rig_url);
    }
}

static int print_line(const struct job *job)
{
    cli_say("%-12s  %s: %s", pb_verdict_name(job->result->verdict), job->source.scenario->path,
            job->result->reason);
    return cli_flush();
}

static int print_result(const struct batch *batch, const struct job *job, const struct request *request)
{
    if (request->form != FORM_TEXT || !job->began)
        return CLI_PASS; /* of a run that never began all is said */
    if (request->runner.quiet || batch->jobs > 1)
        return print_line(job);

    const int exit_code = output_text(job->result);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (job->written)
        cli_say("report %s/%s", job->directory, OUTPUT_REPORT);
    if (job->result->verdict == PB_VERDICT_FAIL && pb_rig_replay(request->runner.rig_url))
        puts("no waveform: a recording holds no signals inside the core; run the scenario itself for one");
    return cli_flush();
}

static int run_job(const struct batch *batch, struct job *job, const struct request *request)
{
    char command[sizeof job->result->command];
    struct runner runner = request->runner;

    make_command(command, sizeof command, job, request);
    runner.command = command;
    runner.trace_path = *job->trace_path ? job->trace_path : NULL;
    if (writes_files(request))
        output_announce(job->directory, job->source.scenario, &runner);
    int exit_code = runner_run(&job->result, job->source.scenario, &runner);
    if (!job->result)
        return exit_code;
    job->began = runner_began(exit_code, job->result);
    job->refused = exit_code == CLI_USAGE || exit_code == CLI_BAD_SCENARIO;
    int written = writes_files(request) ? output_write(job->directory, job->result) : CLI_PASS;
    if (runner_trace(job->result, job->source.scenario, &runner) && writes_files(request))
        written = cli_worse(written, output_write_again(job->directory, job->result)); /* with its name */
    job->written = written == CLI_PASS;
    exit_code = cli_worse(exit_code, written);
    exit_code = cli_worse(exit_code, print_result(batch, job, request));
    return cli_worse(exit_code, pb_verdict_exit_code(job->result->verdict));
}

static int print_total(const struct batch *batch, const struct request *request)
{
    size_t count[PB_VERDICT_INCONCLUSIVE + 1] = {0}, judged = 0;
    for (size_t i = 0; i < batch->jobs; i++) {
        const struct pb_result *result = batch->job[i].result;
        if (!result || (*result->incomplete && !result->slots_checked))
            continue;
        count[result->verdict]++;
        judged++;
    }
    printf("\n%zu scenarios: %zu pass, %zu marginal, %zu fail, %zu inconclusive, %zu not judged\n",
           batch->jobs, count[PB_VERDICT_PASS], count[PB_VERDICT_MARGINAL], count[PB_VERDICT_FAIL],
           count[PB_VERDICT_INCONCLUSIVE], batch->jobs - judged);
    cli_say("reports in %s", request->out ? request->out : OUT_DEFAULT);
    return cli_flush();
}

static int print_only(const struct pb_result *const *result, size_t results)
{
    return results ? pb_report_json(stdout, result[0]) : PB_OK;
}

/* What is made of all results together. */
static int print_batch(const struct batch *batch, const struct request *request)
{
    const struct pb_result **result = calloc(batch->jobs, sizeof *result);
    size_t results = 0;
    int exit_code = CLI_PASS;

    if (!result)
        return cli_fail(CLI_BENCH_FAILED, "no memory for %zu results; give fewer scenarios", batch->jobs);
    for (size_t i = 0; i < batch->jobs; i++)
        if (batch->job[i].result)
            result[results++] = batch->job[i].result;
    if (request->form == FORM_TAP) {
        pb_report_tap(stdout, result, results);
        if (results < batch->jobs)
            printf("Bail out! %zu of %zu scenarios were not judged\n", batch->jobs - results, batch->jobs);
        exit_code = cli_flush();
    } else if (request->form == FORM_JSON && !(batch->jobs == 1 && batch->job[0].refused)) {
        exit_code = output_end(batch->jobs > 1 ? pb_report_json_all(stdout, result, results)
                                               : print_only(result, results));
    } else if (request->form == FORM_TEXT && batch->jobs > 1) {
        exit_code = print_total(batch, request);
    }
    if (request->junit_path)
        exit_code = cli_worse(exit_code, output_junit(&request->junit, result, results));
    free(result);
    return exit_code;
}

static int run_batch(struct batch *batch, const struct request *request)
{
    int exit_code = CLI_PASS;
    for (size_t i = 0; i < batch->jobs; i++) /* those after a signal, too: each has its case in every form */
        exit_code = cli_worse(exit_code, run_job(batch, &batch->job[i], request));
    if (runner_stopped())
        exit_code = CLI_INTERRUPTED;
    return cli_worse(exit_code, print_batch(batch, request));
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
    OPTION_FORCE
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
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool take_option(struct request *request, int option)
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
        if (request->form != FORM_TEXT && request->form != (option == OPTION_JSON ? FORM_JSON : FORM_TAP)) {
            cli_fail(CLI_USAGE, "run: --json and --tap both want stdout; give one of them");
            return false;
        }
        request->form = option == OPTION_JSON ? FORM_JSON : FORM_TAP;
        return true;
    case OPTION_JUNIT:
        request->junit_path = optarg;
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
    case OPTION_RECORD:
        request->record.path = optarg;
        return true;
    case OPTION_RECORD_USB:
        request->record.usb_path = optarg;
        return true;
    case OPTION_FORCE:
        request->record.force = true;
        return true;
    default:
        return false;
    }
}

/* How many scenarios go with the options. */
static int check_operands(const struct request *request, int scenarios)
{
    const bool replay = pb_rig_replay(request->runner.rig_url) != 0;
    if (!scenarios && !replay)
        return cli_fail(CLI_USAGE,
                        "run: no scenario given, so nothing would be tested; give one or more YAML files");
    if (scenarios > 1 && (replay || request->record.path || request->record.usb_path))
        return cli_fail(CLI_USAGE, "run: a recording holds one scenario, %d are given; give one", scenarios);
    if (replay && request->trace)
        return cli_fail(CLI_USAGE,
                        "run: --trace needs signals inside the core, which a recording does not hold; "
                        "leave it out, or run the scenario itself");
    return CLI_PASS;
}

int cmd_run(int argc, char **argv)
{
    struct request request = {.runner = {.timeout_s = RUNNER_TIMEOUT_DEFAULT_S}};
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        if (option == 'h')
            return cli_help(cmd_run_help);
        if (!take_option(&request, option))
            return CLI_USAGE;
    }
    const int refused = check_operands(&request, argc - optind);
    if (refused != CLI_PASS)
        return refused;

    struct batch batch = {.jobs = argc > optind ? (size_t)(argc - optind) : 1};
    batch.job = calloc(batch.jobs, sizeof *batch.job);
    if (!batch.job)
        return cli_fail(CLI_BENCH_FAILED, "no memory for %zu scenarios; give fewer", batch.jobs);
    int exit_code = prepare(&batch, argv + optind, &request);
    exit_code = exit_code == CLI_PASS ? run_batch(&batch, &request)
                                      : record_end(request.runner.recorder, exit_code, NULL);
    for (size_t i = 0; i < batch.jobs; i++) {
        pb_result_free(batch.job[i].result);
        source_close(&batch.job[i].source);
    }
    free(batch.job);
    return exit_code;
}
