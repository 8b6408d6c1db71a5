/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One run of the command: progress on stderr, safe stop on a signal.
 */
#ifndef PHASEBENCH_RUNNER_H
#define PHASEBENCH_RUNNER_H

#include "phasebench/procedure.h"
#include "phasebench/run.h"

#include <pthread.h>
#include <signal.h>

#define RUNNER_ARGUMENT(number) #number
#define RUNNER_AS_ARGUMENT(number) RUNNER_ARGUMENT(number)
#define RUNNER_TIMEOUT_DEFAULT RUNNER_AS_ARGUMENT(PB_RUN_TIMEOUT_S)

struct runner {
    /* Of these, runner_run sets stop and so_far itself and ends the recorder; timeout_s 0 is as
     * runner_timeout_s; on_events and progress take the place of the progress bar. */
    struct pb_run_options options;
    bool quiet;
    const char *directory; /* for the result so far, while a long run goes on; NULL: none */
    void (*ended)(void *context); /* after the run, before its output, with options.context; NULL: none */
};

/* Returns CLI_PASS and a result of any verdict, or the exit code of a reported error. After an error *out is
 * also a result, unless memory ran out: of the part before (result->incomplete), or of a complete run whose
 * recording cannot be written. Release it with pb_result_free. From the first call on, SIGINT, SIGTERM,
 * SIGQUIT and SIGHUP set a flag; a second signal ends the program at once with exit code 130. */
int runner_run(struct pb_result **out, const struct pb_scenario *scenario, const struct runner *runner);

/* Limit of wall time, s: the runner's, or pb_run_timeout_s. */
unsigned runner_timeout_s(const struct runner *runner, const struct pb_scenario *scenario);

/* A procedure of the library on this rig, with a board of its own if the URL asks for one; a signal stops it.
 * `vusb` must last as long. timeout_s: of each run; 0: the usual limit. */
struct vusb;
struct pb_procedure runner_procedure(struct vusb *vusb, const char *rig_url, unsigned timeout_s);

/* True if a core was reached and the run was not refused, so that the result is worth printing. `exit_code`
 * and `result` (may be NULL) are those of runner_run. */
bool runner_began(int exit_code, const struct pb_result *result);

/* Writes the waveform of a failure, if any, to options.trace_path; call it after the result is on the disk.
 * An error is reported and does not change the exit code. True: result->trace_path is set. */
bool runner_trace(struct pb_result *result, const struct pb_scenario *scenario, const struct runner *runner);

/* Writes the waveform around the start of a phase of any run; true: written. */
bool runner_window(const struct pb_result *result, const struct pb_scenario *scenario,
                   const struct runner *runner, uint32_t superframe, unsigned phase);

/* Begins a thread that takes no signals: they end waits of the session's thread. Returns 0, or an errno. */
int runner_thread(pthread_t *thread, void *(*run)(void *context), void *context);

/* Installs the signal handlers; runner_run does so itself. */
void runner_catch_signals(void);
const volatile sig_atomic_t *runner_stop_flag(void);
/* Stops as a signal does, after an output failure that the caller reports. */
void runner_stop(void);
/* Writes a line of a process that this one has forked to stderr; the context is not used. */
void runner_pass_line(void *context, const char *line, size_t length);
/* True after a signal or runner_stop. */
bool runner_stopped(void);

#endif
