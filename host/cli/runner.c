/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include "cli.h"
#include "progress.h"
#include "source.h"
#include "vusb.h"

#include <unistd.h>

static volatile sig_atomic_t stop, output_failed;

/* Who asks twice does not want to wait for the link to be made safe: the core's watchdog does it. */
static void on_signal(int number)
{
    (void)number;
    if (stop)
        _exit(CLI_INTERRUPTED);
    stop = 1;
}

void runner_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal}, present;

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
    /* nohup ignores it on purpose. */
    if (sigaction(SIGHUP, NULL, &present) == 0 && present.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

const volatile sig_atomic_t *runner_stop_flag(void)
{
    return &stop;
}

void runner_stop(void)
{
    output_failed = 1;
    stop = 1;
}

bool runner_stopped(void)
{
    return stop != 0;
}

int runner_run(struct pb_result **out, const struct pb_scenario *scenario, const struct runner *runner)
{
    struct progress progress;
    struct pb_diag diag = {.text = ""};
    struct vusb vusb;
    struct pb_run_options options = {
        .timeout_s = runner->timeout_s,
        .stop = &stop,
        .progress = runner->progress    ? runner->progress
                    : runner->on_events ? NULL
                                        : progress_update,
        .on_events = runner->on_events,
        .context = runner->on_events || runner->progress ? runner->context : &progress,
        .recorder = runner->recorder,
        .command = runner->command,
    };

    const bool stopped_before = stop;

    *out = NULL;
    runner_catch_signals();
    progress_begin(&progress, scenario->name, runner->quiet);
    int code = vusb_begin(&vusb, runner->rig_url, scenario, &diag);
    options.rig_url = vusb.url;
    if (!code)
        code = pb_run(out, scenario, &options, &diag);
    else
        pb_run_none(out, scenario, &options, diag.text);
    if (*out && runner->rig_url) /* as the user named it: of a vusb: the run knows what it is mapped to */
        snprintf((*out)->rig, sizeof(*out)->rig, "%s", runner->rig_url);
    vusb_end(&vusb);
    progress_end(&progress);
    if (runner->ended)
        runner->ended(runner->context);
    int exit_code = CLI_PASS;
    if (code == PB_ERR_INTERRUPTED && output_failed)
        exit_code = CLI_BENCH_FAILED;
    else if (code == PB_ERR_INTERRUPTED && stopped_before)
        exit_code = CLI_INTERRUPTED; /* which the scenario before has said */
    else if (code)
        exit_code = cli_fail(pb_error_exit_code(code), "%s: %s", scenario->path, diag.text);
    return record_end(runner->recorder, exit_code, code ? NULL : *out);
}

bool runner_began(int exit_code, const struct pb_result *result)
{
    return result && result->core_clock_hz && exit_code != CLI_USAGE && exit_code != CLI_BAD_SCENARIO;
}

static struct pb_run_options trace_options(const struct runner *runner)
{
    return (struct pb_run_options){.rig_url = runner->rig_url,
                                   .trace_path = runner->trace_path,
                                   .trace_vcd = runner->trace_vcd,
                                   .timeout_s = runner->timeout_s,
                                   .stop = &stop};
}

bool runner_trace(struct pb_result *result, const struct pb_scenario *scenario, const struct runner *runner)
{
    struct pb_diag diag;
    const struct pb_run_options options = trace_options(runner);
    if (pb_run_trace(result, scenario, &options, &diag))
        cli_fail(CLI_PASS, "%s", diag.text); /* a warning: the verdict stands without it */
    return *result->trace_path;
}

bool runner_window(const struct pb_result *result, const struct pb_scenario *scenario,
                   const struct runner *runner, uint32_t superframe, unsigned phase)
{
    struct pb_diag diag;
    const struct pb_run_options options = trace_options(runner);
    const int code = pb_run_window(result, scenario, &options, superframe, phase, &diag);
    if (code)
        cli_fail(CLI_PASS, "%s", diag.text);
    return !code && !*result->incomplete;
}
