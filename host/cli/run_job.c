/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "run_job.h"

#include "cli.h"
#include "coverage.h"
#include "host/base/shell_word.h"

#include "bench/nodes/watch.h"

#include "phasebench/rig.h"
#include "phasebench/slot_capture.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

bool run_writes_files(const struct run_request *request)
{
    return request->form == RUN_FORM_TEXT || request->out;
}

bool run_needs_directory(const struct run_request *request)
{
    return run_writes_files(request) || request->trace || request->runner.options.trace_vcd ||
           request->window.given;
}

/* Runs it, under the control of gdb, and counts what of the firmware is executed. */
static int run_watched(struct run_job *job, struct runner *runner, const struct gdb_place *gdb)
{
    struct pb_coverage *coverage = *job->coverage_path ? pb_coverage_create() : NULL;
    struct pb_node_watch watch = {.coverage = coverage};
    if (*job->coverage_path && !coverage)
        return cli_fail(CLI_BENCH_FAILED, "no memory for the coverage");
    int exit_code = gdb->given ? gdb_begin(&watch.gdb, gdb) : CLI_PASS;
    if (exit_code != CLI_PASS) {
        pb_coverage_free(coverage);
        return exit_code;
    }
    runner->options.watch = &watch;
    exit_code = runner_run(&job->result, job->source.scenario, runner);
    runner->options.watch = NULL;
    const int verdict = exit_code || !job->result ? exit_code : pb_verdict_exit_code(job->result->verdict);
    pb_gdb_close(watch.gdb, verdict);
    if (coverage && runner_began(exit_code, job->result))
        exit_code = cli_worse(exit_code, coverage_write(job->coverage_path, coverage, &job->covered));
    pb_coverage_free(coverage);
    return exit_code;
}

int run_check_window(const struct run_request *request, const struct pb_scenario *scenario)
{
    const struct run_window *window = &request->window;
    const unsigned phases = scenario->network.phases;
    if (!window->given || (window->superframe < scenario->superframes && window->phase < phases))
        return CLI_PASS;
    return cli_fail(CLI_USAGE,
                    "--trace-at is %u:%u; the run of %s has superframes 0..%" PRIu32
                    " of phases 0..%u, give one of "
                    "them",
                    window->superframe, window->phase, scenario->path, scenario->superframes - 1, phases - 1);
}

int run_job_place(struct run_job *job, const char *directory)
{
    if (!*directory) /* refused like one that cannot be made */
        return output_prepare(directory);
    if (!output_path(job->directory, directory, ""))
        return CLI_BENCH_FAILED;
    for (size_t length = strlen(job->directory); length > 1 && job->directory[length - 1] == '/'; length--)
        job->directory[length - 1] = '\0';
    return output_path(job->trace_path, job->directory, OUTPUT_TRACE) &&
                   output_path(job->window_path, job->directory, OUTPUT_WINDOW)
               ? CLI_PASS
               : CLI_BENCH_FAILED;
}

static void make_command(char *line, size_t size, const struct run_job *job,
                         const struct run_request *request)
{
    char path[PATH_MAX];
    snprintf(line, size, "phasebench run");
    if (pb_rig_target_of(request->runner.options.rig_url).replays) { /* all else is in the recording */
        snprintf(line + strlen(line), size - strlen(line), " --rig");
        pb_shell_append(line, size, request->runner.options.rig_url);
        return;
    }
    /* A name that begins with - would be an option. */
    snprintf(path, sizeof path, "%s%s", *job->source.scenario->path == '-' ? "./" : "",
             job->source.scenario->path);
    pb_shell_append(line, size, path);
    snprintf(line + strlen(line), size - strlen(line), " --seed %" PRIu64, job->source.scenario->seed);
    if (job->source.overrides.superframes)
        snprintf(line + strlen(line), size - strlen(line), " --superframes %u",
                 job->source.overrides.superframes);
    if (request->overrides.capture_given)
        snprintf(line + strlen(line), size - strlen(line), " --capture %s",
                 pb_capture_name(request->overrides.capture));
    if (request->runner.options.rig_url) {
        snprintf(line + strlen(line), size - strlen(line), " --rig");
        pb_shell_append(line, size, request->runner.options.rig_url);
    }
}

/* With the transmissions written while it runs. */
static int run_captured(struct run_job *job, struct runner *runner, const struct gdb_place *gdb)
{
    struct pb_slot_capture *capture = NULL;
    if (job->pcap) {
        if (pb_slot_capture_open(&capture, job->pcap, job->source.scenario, runner->options.rig_url))
            return cli_fail(CLI_BENCH_FAILED, "no memory for the capture of slot frames; leave --pcap out");
        runner->options.transmissions = pb_slot_capture_sink(capture);
    }
    const int exit_code = run_watched(job, runner, gdb);
    if (capture && pb_slot_capture_close(capture, job->result))
        job->pcap_errno = errno;
    return exit_code;
}

int run_job(struct run_job *job, const struct run_request *request)
{
    char command[sizeof job->result->command];
    struct history_images images = {.count = 0};
    struct runner runner = request->runner;
    struct pb_calibration calibration;
    bool calibrated;

    int exit_code = cal_take(&calibration, &calibrated, &request->cal, runner.options.rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    runner.options.calibration = calibrated ? &calibration : NULL;
    make_command(command, sizeof command, job, request);
    runner.options.command = command;
    runner.options.trace_path = *job->trace_path ? job->trace_path : NULL;
    if (run_writes_files(request)) {
        runner.directory = job->directory;
        output_announce(job->directory, job->source.scenario, &runner);
    }
    if (request->history.path)
        history_look(&images, job->source.scenario, runner.options.rig_url);
    exit_code = run_captured(job, &runner, &request->gdb);
    if (!job->result)
        return exit_code;
    job->began = runner_began(exit_code, job->result);
    job->refused = exit_code == CLI_USAGE || exit_code == CLI_BAD_SCENARIO;
    int written = run_writes_files(request) ? output_write(job->directory, job->result) : CLI_PASS;
    const int kept = job->began ? history_keep(&request->history, &images, job->result) : CLI_PASS;
    if (runner_trace(job->result, job->source.scenario, &runner) && run_writes_files(request))
        written = cli_worse(written, output_write_again(job->directory, job->result)); /* with its name */
    runner.options.trace_path = job->window_path;
    job->shown = request->window.given && runner_window(job->result, job->source.scenario, &runner,
                                                        request->window.superframe, request->window.phase);
    job->written = written == CLI_PASS;
    exit_code = cli_worse(cli_worse(exit_code, written), kept);
    return cli_worse(exit_code, pb_verdict_exit_code(job->result->verdict));
}

void run_job_free(struct run_job *job)
{
    pb_result_free(job->result);
    pb_lcov_free(job->covered);
    job->covered = NULL;
    job->result = NULL;
    source_close(&job->source);
}
