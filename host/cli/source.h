/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source and recording of a run: a scenario file or a recording, and the new recording. Functions that return
 * an exit code have reported the error.
 */
#ifndef PHASEBENCH_SOURCE_H
#define PHASEBENCH_SOURCE_H

#include "host/procedure/suite/find_scenarios.h"

#include "phasebench/record.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"
#include "phasebench/suite_run.h"

#define SOURCE_SUPERFRAMES_MAX UINT32_MAX /* as many as there can be */

struct source {
    struct pb_scenario *scenario; /* owned, as are the others */
    struct pb_scenario_texts texts;
    struct pb_recording
        *recording; /* the recording of --rig replay:, kept open so that it cannot be replaced; else NULL */
    struct pb_scenario_overrides overrides;
};

/* Reads the scenario at this path. On a rig replay:FILE the path may be NULL: the scenario is in the
 * recording; one that is given must be the same, seed and superframes included. On failure *source is empty.
 */
int source_open(struct source *source, const char *path, const char *rig_url,
                const struct pb_scenario_overrides *overrides);
/* The file of an operand: found (as of find_scenario), or the operand. Refuses a name that is nearly that of
 * a shipped scenario, and no file. */
int source_find(const char **file, char found[FIND_PATH_SIZE], const char *operand);
/* The scenario that is part of the program. A recording must be one of a self-test. */
int source_open_demo(struct source *source, const char *rig_url);
void source_close(struct source *source); /* empty: no effect */

/* --record FILE, --record-usb FILE and --force. */
struct record_options {
    const char *path;     /* NULL: no recording */
    const char *usb_path; /* NULL: none of the USB transfers */
    bool force;
};

/* Begins the recording that was asked for; *out is NULL when none was. */
int record_begin(struct pb_recorder **out, const struct record_options *options, const struct source *source,
                 const char *verb, const char *rig_url);
/* Ends the recording; recorder NULL: no effect. `result` may be NULL. Returns exit_code, or CLI_BENCH_FAILED
 * if the recording is incomplete. */
int record_end(struct pb_recorder *recorder, int exit_code, const struct pb_result *result);

#endif
