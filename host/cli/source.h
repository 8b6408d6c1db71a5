/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source and recording of a run: a scenario file or a recording, and the new recording. Functions that return
 * an exit code have reported the error.
 */
#ifndef PHASEBENCH_SOURCE_H
#define PHASEBENCH_SOURCE_H

#include "phasebench/record.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

#define SOURCE_SUPERFRAMES_MAX UINT32_MAX /* as many as there can be */

/* What the command line says in place of the scenario. */
struct source_overrides {
    bool seed_given;
    uint64_t seed;
    unsigned superframes; /* 0: the scenario's; once the source is open that of for_s, too */
    uint64_t for_s;       /* how long to run; 0: not given */
    bool capture_given;
    enum pb_capture capture;
};

struct source {
    struct pb_scenario *scenario; /* owned, as are the others */
    struct pb_scenario_texts texts;
    struct pb_recording
        *recording; /* the recording of --rig replay:, kept open so that it cannot be replaced; else NULL */
    struct source_overrides overrides;
};

/* Reads the scenario at this path. On a rig replay:FILE the path may be NULL: the scenario is in the
 * recording; one that is given must be the same, seed and superframes included. On failure *source is empty.
 */
int source_open(struct source *source, const char *path, const char *rig_url,
                const struct source_overrides *overrides);
/* Reads the scenario from a text; the path names it in messages and in the result. */
int source_open_text(struct source *source, const char *path, const char *text,
                     const struct source_overrides *overrides);
/* Makes the scenario again from the texts of a source whose scenario has been freed, without any file. */
int source_renew(struct source *source);
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
