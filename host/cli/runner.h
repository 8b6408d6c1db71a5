/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One run as the command makes it: with progress on stderr, and stopped in a safe way by a signal.
 */
#ifndef PHASEBENCH_RUNNER_H
#define PHASEBENCH_RUNNER_H

#include "phasebench/run.h"

#include <signal.h>

#define RUNNER_TIMEOUT_DEFAULT_S 600
#define RUNNER_ARGUMENT(number) #number
#define RUNNER_AS_ARGUMENT(number) RUNNER_ARGUMENT(number)
#define RUNNER_TIMEOUT_DEFAULT RUNNER_AS_ARGUMENT(RUNNER_TIMEOUT_DEFAULT_S)
#define RUNNER_TIMEOUT_MAX_S 86400u

struct runner {
    const char *rig_url;    /* NULL: sim: */
    const char *trace_path; /* for runner_trace; NULL: none */
    bool trace_vcd;         /* besides, as VCD */
    const char *command;    /* the line that repeats the run */
    unsigned timeout_s;
    bool quiet;
    struct pb_recorder *recorder; /* runner_run ends it; NULL: none */
    /* As in struct pb_run_options, in place of the progress; NULL: none. */
    void (*on_events)(void *context, const struct pb_device_info *info, const struct pb_event *event,
                      size_t count);
    /* In place of the progress bar; NULL: none. */
    void (*progress)(void *context, const struct pb_run_progress *progress);
    void (*ended)(void *context); /* the run is over, nothing was printed yet; NULL: none */
    void *context;
};

/* Returns CLI_PASS and a result (whatever its verdict), or the exit code, after the error has been reported.
 * Then, too, *out is a result unless memory ran out: of what was observed before (result->incomplete), or of
 * a whole run whose recording cannot be written. The caller releases it with pb_result_free. From the first
 * call on SIGINT, SIGTERM, SIGQUIT and SIGHUP only set a flag, and a second one of them ends the program at
 * once with exit code 130. */
int runner_run(struct pb_result **out, const struct pb_scenario *scenario, const struct runner *runner);

/* A core was reached, and the run was not refused: there is more to show than the error that was reported.
 * `exit_code` and `result` (which may be NULL) are those of runner_run. */
bool runner_began(int exit_code, const struct pb_result *result);

/* Writes the waveform of a failure to runner->trace_path, where there is one to be written; call it after the
 * result is on the disk. An error is reported and costs nothing but the waveform. True: result->trace_path
 * has come to name it. */
bool runner_trace(struct pb_result *result, const struct pb_scenario *scenario, const struct runner *runner);

/* The same around the begin of a phase, of a run that may have passed; true: it was written. */
bool runner_window(const struct pb_result *result, const struct pb_scenario *scenario,
                   const struct runner *runner, uint32_t superframe, unsigned phase);

/* Makes the signals set the flag; what runner_run does by itself. */
void runner_catch_signals(void);
const volatile sig_atomic_t *runner_stop_flag(void);
/* Stops as a signal would, because the output failed; whoever calls this reports it. */
void runner_stop(void);
/* A signal has come, or runner_stop was called. */
bool runner_stopped(void);

#endif
