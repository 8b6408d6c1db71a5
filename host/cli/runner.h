/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One run of the command: progress on stderr, safe stop on a signal.
 */
#ifndef PHASEBENCH_RUNNER_H
#define PHASEBENCH_RUNNER_H

#include "phasebench/run.h"

#include <signal.h>

#define RUNNER_TIMEOUT_DEFAULT_S 600
#define RUNNER_ARGUMENT(number) #number
#define RUNNER_AS_ARGUMENT(number) RUNNER_ARGUMENT(number)
#define RUNNER_TIMEOUT_DEFAULT RUNNER_AS_ARGUMENT(RUNNER_TIMEOUT_DEFAULT_S)
#define RUNNER_TIMEOUT_MAX_S 10000000u

struct runner {
    const char *rig_url;    /* NULL: sim: */
    const char *trace_path; /* for runner_trace; NULL: none */
    bool trace_vcd;         /* also write VCD */
    const char *command;    /* the command line that repeats the run */
    struct pb_node_watch *watch; /* as in struct pb_run_options; NULL: none */
    unsigned timeout_s; /* 0: as runner_timeout_s */
    bool quiet;
    const char *directory; /* for the result so far, while a long run goes on; NULL: none */
    struct pb_recorder *recorder; /* runner_run ends it; NULL: none */
    /* As in struct pb_run_options, in place of the progress; NULL: none. */
    void (*on_events)(void *context, const struct pb_device_info *info, const struct pb_event *event,
                      size_t count);
    /* In place of the progress bar; NULL: none. */
    void (*progress)(void *context, const struct pb_run_progress *progress);
    void (*ended)(void *context); /* after the run, before its output; NULL: none */
    void *context;
    const struct pb_calibration *calibration; /* as in struct pb_run_options */
    struct pb_tdc_watch *tdc;      /* as in struct pb_run_options */
    struct pb_sample_sink samples; /* as in struct pb_run_options */
    struct pb_transmission_sink transmissions; /* the same */
};

/* Returns CLI_PASS and a result of any verdict, or the exit code of a reported error. After an error *out is
 * also a result, unless memory ran out: of the part before (result->incomplete), or of a complete run whose
 * recording cannot be written. Release it with pb_result_free. From the first call on, SIGINT, SIGTERM,
 * SIGQUIT and SIGHUP set a flag; a second signal ends the program at once with exit code 130. */
int runner_run(struct pb_result **out, const struct pb_scenario *scenario, const struct runner *runner);

/* Limit of wall time, s: the runner's, or RUNNER_TIMEOUT_DEFAULT_S plus twice the duration of the scenario.
 */
unsigned runner_timeout_s(const struct runner *runner, const struct pb_scenario *scenario);

/* True if a core was reached and the run was not refused, so that the result is worth printing. `exit_code`
 * and `result` (may be NULL) are those of runner_run. */
bool runner_began(int exit_code, const struct pb_result *result);

/* Writes the waveform of a failure, if any, to runner->trace_path; call it after the result is on the disk.
 * An error is reported and does not change the exit code. True: result->trace_path is set. */
bool runner_trace(struct pb_result *result, const struct pb_scenario *scenario, const struct runner *runner);

/* Writes the waveform around the start of a phase of any run; true: written. */
bool runner_window(const struct pb_result *result, const struct pb_scenario *scenario,
                   const struct runner *runner, uint32_t superframe, unsigned phase);

/* Installs the signal handlers; runner_run does so itself. */
void runner_catch_signals(void);
const volatile sig_atomic_t *runner_stop_flag(void);
/* Stops as a signal does, after an output failure that the caller reports. */
void runner_stop(void);
/* True after a signal or runner_stop. */
bool runner_stopped(void);

#endif
