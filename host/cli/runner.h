/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One run as the command makes it: with progress on stderr, and stopped in a safe way by Ctrl-C.
 */
#ifndef PHASEBENCH_RUNNER_H
#define PHASEBENCH_RUNNER_H

#include "phasebench/run.h"

#define RUNNER_TIMEOUT_DEFAULT_S 600u
#define RUNNER_TIMEOUT_MAX_S 86400u

struct runner {
    const char *rig_url;    /* NULL: sim: */
    const char *trace_path; /* NULL: none */
    const char *command;    /* the line that repeats the run */
    unsigned timeout_s;
    bool quiet;
};

/* Returns CLI_PASS and a result (whatever its verdict), to be released with pb_result_free, or the exit code,
 * after the error has been reported. From the first call on SIGINT, SIGTERM and SIGHUP only set a flag. */
int runner_run(struct pb_result **out, const struct pb_scenario *scenario, const struct runner *runner);

/* Makes the signals set the flag; what runner_run does by itself. */
void runner_catch_signals(void);
/* One of the signals has come. */
bool runner_stopped(void);

#endif
