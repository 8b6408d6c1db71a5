/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One run: scenario -> plan -> wire -> event -> verdict.
 */
#ifndef PHASEBENCH_RUN_H
#define PHASEBENCH_RUN_H

#include "phasebench/api.h"
#include "phasebench/calibration.h"
#include "phasebench/device.h"
#include "phasebench/record.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"
#include "phasebench/tdc.h"
#include "phasebench/transmission.h"

#include <signal.h>

PB_API_BEGIN

struct pb_run_progress {
    uint32_t superframe, superframes; /* done, to do */
    uint64_t events;
};

/* The time-to-digital converter during a run. Its delays are measured before and after it. */
struct pb_tdc_watch {
    struct pb_tdc_table table; /* in: of the board; its bitstream is compared with the core's */
    unsigned pin;              /* in: a link, or PB_TDC_CLOCK */
    struct pb_tdc_scale scale; /* out: the places during the run; taps 0: it did not begin */
    double ratio_end;          /* out: the ratio after it; 0: not measured */
};

struct pb_run_options {
    const char *rig_url;    /* NULL: "sim:" */
    const char *trace_path; /* FST file of pb_run_trace; not on a board; NULL: none */
    bool trace_vcd;         /* pb_run_trace and pb_run_window: write a VCD file next to it */
    bool run_only;          /* nothing is tried after the run (docs/node.md), and nothing said of it */
    unsigned timeout_s;     /* wall time of the whole run; 0: 600 */
    const volatile sig_atomic_t *stop; /* non-zero: safe state, PB_ERR_INTERRUPTED; NULL: never */
    void (*progress)(void *context,
                     const struct pb_run_progress *progress); /* at most a few calls per second; NULL: none */
    /* Events in order of arrival. Called from the session, which it blocks: return within milliseconds. */
    void (*on_events)(void *context, const struct pb_device_info *info, const struct pb_event *event,
                      size_t count); /* NULL: none */
    /* The result so far, about every 5 s while the clock runs; marked incomplete. Takes ownership of it.
     * Called from the session, as on_events. NULL: none. */
    void (*so_far)(void *context, struct pb_result *result);
    void *context;                   /* of all three */
    struct pb_sample_sink samples;   /* called from the session, as on_events */
    struct pb_transmission_sink transmissions; /* the same */
    struct pb_recorder *recorder;    /* borrowed (record.h); NULL: none */
    const char *command;             /* for the result; NULL: built from the scenario's path and seed */
    struct pb_node_watch *watch;     /* of the phasebench command (rig.h); NULL: none */
    const struct pb_calibration *calibration; /* of the core: corrects absolute rates; NULL: none */
    struct pb_tdc_watch *tdc; /* its edges go to samples.take_fine; NULL: the converter is off. No taps:
                                 PB_ERR_UNSUPPORTED; a table that does not fit: PB_ERR_CONFIG */
};

/* Runs the scenario on a rig and judges it. Returns 0 with a result of any verdict in *out. A negative code
 * means that the run ended early (no rig, broken link, interrupted, timed out). *out then holds the result up
 * to there: result->incomplete is set, and the verdict is inconclusive unless a node has failed already.
 * core_clock_hz is 0 if no core was reached. *out is NULL only if memory ran out. PB_ERR_ENDED: the recording
 * is too short to judge. Release *out with pb_result_free. In every case all lines are released and the
 * clock is stopped. */
int pb_run(struct pb_result **out, const struct pb_scenario *scenario, const struct pb_run_options *options,
           struct pb_diag *diag);

/* A limit of wall time that leaves a run of this scenario much room, s: PB_RUN_TIMEOUT_S plus twice its
 * duration, and at most PB_RUN_TIMEOUT_MAX_S. */
#define PB_RUN_TIMEOUT_S 600
#define PB_RUN_TIMEOUT_MAX_S 10000000u
unsigned pb_run_timeout_s(const struct pb_scenario *scenario);

/* Builds the result of a run that did not start, for the reason `why`: as pb_run if no core was reached.
 * Returns 0 or PB_ERR_MEMORY. */
int pb_run_none(struct pb_result **out, const struct pb_scenario *scenario,
                const struct pb_run_options *options, const char *why);

/* Repeats a failed run of a simulated rig from its seed, or plays a recording again, of which the waveform
 * shows the pins alone. Writes the waveform of two phases before and after
 * the first failure to options->trace_path, a complete FST file or none, and sets result->trace_path. With
 * nothing to trace (no failure, a board, trace_path NULL) it leaves that empty and
 * returns PB_OK. Forks, because the FST writer may end its process: call it while single-threaded. Takes at
 * most options->timeout_s. PB_ERR_IO: the file cannot be written; PB_ERR_INTERRUPTED, PB_ERR_TIMEOUT,
 * PB_ERR_MEMORY. */
int pb_run_trace(struct pb_result *result, const struct pb_scenario *scenario,
                 const struct pb_run_options *options, struct pb_diag *diag);

/* As pb_run_trace, for any complete run and around the edge that begins a given phase of it; result stays
 * unchanged. Both functions write next to the waveform, under its name: .gtkw, the save file of GTKWave (not
 * of a recording), and on request .vcd, the pins as scalars. Either all files are complete or none exists. */
int pb_run_window(const struct pb_result *result, const struct pb_scenario *scenario,
                  const struct pb_run_options *options, uint32_t superframe, unsigned phase,
                  struct pb_diag *diag);

PB_API_END

#endif
