/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include "cli.h"
#include "output.h"
#include "progress.h"
#include "source.h"
#include "vusb.h"

#include <stdatomic.h>
#include <unistd.h>

static volatile sig_atomic_t stop, signalled, output_failed;

/* A second signal ends the program at once: the core's watchdog releases the lines. */
static void on_signal(int number)
{
    (void)number;
    if (signalled)
        _exit(CLI_INTERRUPTED);
    signalled = stop = 1;
    pb_vusb_interrupt();
}

void runner_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal}, present;

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
    /* Ignored on purpose by nohup. */
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
    pb_vusb_interrupt();
}

void runner_pass_line(void *context, const char *line, size_t length)
{
    (void)context;
    fwrite(line, 1, length, stderr);
    if (!length || line[length - 1] != '\n')
        fputc('\n', stderr);
}

bool runner_stopped(void)
{
    return stop != 0;
}

int runner_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

unsigned runner_timeout_s(const struct runner *runner, const struct pb_scenario *scenario)
{
    return runner->options.timeout_s ? runner->options.timeout_s : pb_run_timeout_s(scenario);
}

/* ---- the rig of a procedure */

static int begin_rig(void *vusb, const char **url, const struct pb_scenario *scenario, unsigned timeout_s,
                     struct pb_diag *diag)
{
    const int code = vusb_begin(vusb, *url, scenario, timeout_s, diag);
    *url = ((struct vusb *)vusb)->url;
    return code;
}

static void end_rig(void *vusb)
{
    vusb_end(vusb);
}

struct pb_procedure runner_procedure(struct vusb *vusb, const char *rig_url, unsigned timeout_s)
{
    return (struct pb_procedure){.rig_url = rig_url,
                                 .timeout_s = timeout_s,
                                 .stop = &stop,
                                 .begin = begin_rig,
                                 .end = end_rig,
                                 .context = vusb};
}

/* ---- a run */


/* A run with its observers. A thread of its own writes the result so far: a slow disk must not delay the
 * session. */
struct live {
    const struct runner *runner;
    struct progress progress;
    pthread_t writer;
    bool writing;
    atomic_bool written;
    struct pb_result *so_far; /* owned by the writer */
};

static void *write_so_far(void *context)
{
    struct live *live = context;
    output_so_far(live->runner->directory, live->so_far);
    pb_result_free(live->so_far);
    atomic_store(&live->written, true);
    return NULL;
}

static void await_writer(struct live *live)
{
    if (live->writing)
        pthread_join(live->writer, NULL);
    live->writing = false;
}

static bool start_writer(struct live *live, struct pb_result *so_far)
{
    await_writer(live);
    live->so_far = so_far;
    atomic_store(&live->written, false);
    live->writing = runner_thread(&live->writer, write_so_far, live) == 0;
    return live->writing;
}

static void on_progress(void *context, const struct pb_run_progress *state)
{
    struct live *live = context;
    const struct pb_run_options *options = &live->runner->options;
    if (options->progress)
        options->progress(options->context, state);
    else if (!options->on_events)
        progress_update(&live->progress, state);
}

static void on_events(void *context, const struct pb_device_info *info, const struct pb_event *event,
                      size_t count)
{
    const struct pb_run_options *options = &((const struct live *)context)->runner->options;
    options->on_events(options->context, info, event, count);
}

static void on_result(void *context, struct pb_result *so_far)
{
    struct live *live = context;
    progress_judge(&live->progress, so_far);
    if (!live->runner->directory || (live->writing && !atomic_load(&live->written)) ||
        !start_writer(live, so_far))
        pb_result_free(so_far);
}

int runner_run(struct pb_result **out, const struct pb_scenario *scenario, const struct runner *runner)
{
    struct live live = {.runner = runner};
    struct pb_diag diag = {.text = ""};
    struct vusb vusb;
    const char *const rig_url = runner->options.rig_url;
    struct pb_run_options options = runner->options;
    const bool stopped_before = stop;

    *out = NULL;
    options.timeout_s = runner_timeout_s(runner, scenario);
    options.stop = &stop;
    options.progress = on_progress;
    options.on_events = runner->options.on_events ? on_events : NULL;
    options.so_far = on_result;
    options.context = &live;
    runner_catch_signals();
    progress_begin(&live.progress, scenario->name, runner->quiet);
    int code = vusb_begin(&vusb, rig_url, scenario, options.timeout_s, &diag);
    options.rig_url = vusb.url;
    if (!code)
        code = pb_run(out, scenario, &options, &diag);
    else
        pb_run_none(out, scenario, &options, diag.text);
    if (*out && rig_url) /* as given; for vusb: the run has the mapped URL */
        snprintf((*out)->rig, sizeof(*out)->rig, "%s", rig_url);
    vusb_end(&vusb);
    await_writer(&live);
    progress_end(&live.progress);
    if (runner->ended)
        runner->ended(runner->options.context);
    int exit_code = CLI_PASS;
    if (code == PB_ERR_INTERRUPTED && output_failed)
        exit_code = CLI_BENCH_FAILED;
    else if (code == PB_ERR_INTERRUPTED && stopped_before)
        exit_code = CLI_INTERRUPTED; /* reported by the scenario before */
    else if (code)
        exit_code = cli_outcome_of(scenario->path, code, &diag);
    return record_end(runner->options.recorder, exit_code, code ? NULL : *out);
}

bool runner_began(int exit_code, const struct pb_result *result)
{
    return result && result->core_clock_hz && exit_code != CLI_USAGE && exit_code != CLI_BAD_SCENARIO;
}

static struct pb_run_options trace_options(const struct runner *runner, const struct pb_scenario *scenario)
{
    return (struct pb_run_options){.rig_url = runner->options.rig_url,
                                   .trace_path = runner->options.trace_path,
                                   .trace_vcd = runner->options.trace_vcd,
                                   .timeout_s = runner_timeout_s(runner, scenario),
                                   .stop = &stop};
}

bool runner_trace(struct pb_result *result, const struct pb_scenario *scenario, const struct runner *runner)
{
    struct pb_diag diag;
    const struct pb_run_options options = trace_options(runner, scenario);
    if (pb_run_trace(result, scenario, &options, &diag))
        cli_fail(CLI_PASS, "%s", diag.text); /* a warning: the verdict is independent of it */
    return *result->trace_path;
}

bool runner_window(const struct pb_result *result, const struct pb_scenario *scenario,
                   const struct runner *runner, uint32_t superframe, unsigned phase)
{
    struct pb_diag diag;
    const struct pb_run_options options = trace_options(runner, scenario);
    const int code = pb_run_window(result, scenario, &options, superframe, phase, &diag);
    if (code)
        cli_fail(CLI_PASS, "%s", diag.text);
    return !code && !*result->incomplete;
}
