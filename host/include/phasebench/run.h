/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One run: scenario -> plan -> wire -> event -> verdict.
 */
#ifndef PHASEBENCH_RUN_H
#define PHASEBENCH_RUN_H

#include "phasebench/api.h"
#include "phasebench/device.h"
#include "phasebench/record.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

#include <signal.h>

PB_API_BEGIN

struct pb_run_progress {
    uint32_t superframe, superframes; /* done, to do */
    uint64_t events;
};

struct pb_run_options {
    const char *rig_url;    /* NULL: "sim:" */
    const char *trace_path; /* FST file of pb_run_trace, for simulated rigs; pb_run writes none; NULL: none */
    bool trace_vcd;         /* pb_run_trace and pb_run_window: besides, the same as VCD beside it */
    unsigned timeout_s;     /* of wall time for the whole run; 0: 600 */
    const volatile sig_atomic_t *stop; /* non-zero: stop, make safe, PB_ERR_INTERRUPTED; NULL: never */
    void (*progress)(void *context,
                     const struct pb_run_progress *progress); /* a few times a second at most; NULL: none */
    /* Events as they come, in the order of arrival; called from the session, which waits for it: be quick. */
    void (*on_events)(void *context, const struct pb_device_info *info, const struct pb_event *event,
                      size_t count); /* NULL: none */
    void *context;                   /* of both */
    struct pb_recorder *recorder;    /* borrowed; records what passes (record.h); NULL: none */
    const char *command;             /* goes into the result; NULL: made from the scenario's path and seed */
};

/* Runs the scenario on a rig and judges it. 0: *out is a result, whatever its verdict. Negative: the bench
 * could not do its work (no rig, broken link, interrupted, timed out); *out is then the result of what was
 * observed before, with result->incomplete set and the verdict inconclusive unless a node had failed already.
 * Its core_clock_hz is 0 when no core was reached. *out is NULL only when memory ran out. PB_ERR_ENDED: a
 * recording holds too little to judge anything. The caller releases *out with pb_result_free. All lines are
 * released and the clock is stopped in every case. */
int pb_run(struct pb_result **out, const struct pb_scenario *scenario, const struct pb_run_options *options,
           struct pb_diag *diag);

/* The result of a run that has not begun, or could not, for the reason `why`: as that of pb_run when no core
 * was reached. 0 or PB_ERR_MEMORY. */
int pb_run_none(struct pb_result **out, const struct pb_scenario *scenario,
                const struct pb_run_options *options, const char *why);

/* Repeats a failed run of a simulated rig from its seed and writes the waveform of two phases before and
 * after the first failure, as an FST file, to options->trace_path: whole, or not at all. Sets
 * result->trace_path then; leaves it empty, and returns PB_OK, where there is nothing to trace (no failure,
 * no simulation in this process, trace_path NULL). Works in a child process, as the writer of the file may
 * end it: call it with one thread only. Takes at most options->timeout_s. PB_ERR_IO: the file cannot be
 * written; PB_ERR_INTERRUPTED, PB_ERR_TIMEOUT, PB_ERR_MEMORY. */
int pb_run_trace(struct pb_result *result, const struct pb_scenario *scenario,
                 const struct pb_run_options *options, struct pb_diag *diag);

/* The same of any whole run, around the phase edge that begins this phase, below those of the run; result is
 * as it was. Files beside the waveform, of both functions, have its name but for the end: .gtkw, the save
 * file for GTKWave, and on request .vcd. All of them are whole, or none is there. */
int pb_run_window(const struct pb_result *result, const struct pb_scenario *scenario,
                  const struct pb_run_options *options, uint32_t superframe, unsigned phase,
                  struct pb_diag *diag);

PB_API_END

#endif
