/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include "cli.h"
#include "progress.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

void runner_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal}, present;

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* nohup ignores it on purpose. */
    if (sigaction(SIGHUP, NULL, &present) == 0 && present.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

bool runner_stopped(void)
{
    return stop != 0;
}

int runner_run(struct pb_result **out, const struct pb_scenario *scenario, const struct runner *runner)
{
    struct progress progress;
    struct pb_diag diag = {.text = ""};
    const struct pb_run_options options = {
        .rig_url = runner->rig_url,
        .trace_path = runner->trace_path,
        .timeout_s = runner->timeout_s,
        .stop = &stop,
        .progress = progress_update,
        .context = &progress,
        .command = runner->command,
    };

    runner_catch_signals();
    progress_begin(&progress, scenario->name, runner->quiet);
    const int code = pb_run(out, scenario, &options, &diag);
    progress_end(&progress);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s: %s", scenario->path, diag.text);
    return CLI_PASS;
}
