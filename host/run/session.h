/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session: plays one scenario on one rig and fills the observation. No judgement here.
 */
#ifndef PHASEBENCH_SESSION_H
#define PHASEBENCH_SESSION_H

#include "host/check/observation.h"
#include "host/run/console.h"
#include "phasebench/rig.h"
#include "phasebench/run.h"

struct pb_movement;

/* Takes the events of a run while it lasts. A code other than 0 ends the session with it. */
struct pb_event_sink {
    /* The clock is about to start: the observation holds what was seen before. The sink may become a reader
     * of the movement, which lasts until it leaves. */
    int (*begin)(void *context, const struct pb_observation *observation, struct pb_movement *movement);
    int (*take)(void *context, const struct pb_event *event, size_t count);
    /* Returns how many of observation->typed it no longer needs, counted from the start of the run. */
    uint64_t (*typed_done)(void *context);
    void *context;
};

/* Plays it. Errors as pb_run. The observation is the caller's; release with pb_observation_free, also after a
 * failure. After a failure that leaves a whole phase to be judged, observation->cut says where it ends.
 * sink: the events go there, up to the cut, and do not stay in the observation; NULL: they all stay. */
int pb_session_play(struct pb_observation *observation, const struct pb_scenario *scenario,
                    const struct pb_run_options *options, const struct pb_rig_options *rig,
                    const struct pb_event_sink *sink, struct pb_diag *diag);

struct pb_session;

/* Opens the rig and configures it as for a run, up to the answers to I. Errors as pb_run; *out is NULL then;
 * no recording. Borrows all until pb_session_close; the observation as above. */
int pb_session_open(struct pb_session **out, struct pb_observation *observation,
                    const struct pb_scenario *scenario, const struct pb_run_options *options,
                    const struct pb_rig_options *rig, struct pb_diag *diag);
struct pb_console *pb_session_console(struct pb_session *session);
/* What ended the process, or the model, of a node; its kind is 0 otherwise. */
void pb_session_trouble(const struct pb_session *session, unsigned node_index,
                        struct pb_node_trouble *trouble);
/* Ends it: all lines are released and the clock is stopped. code: of what was done meanwhile. Returns it, or
 * its cause, or the first error of its own. */
int pb_session_close(struct pb_session *session, int code);

/* The same around a script, whose errors it returns, too. */
int pb_session_script(struct pb_observation *observation, const struct pb_scenario *scenario,
                      const struct pb_run_options *options, const struct pb_rig_options *rig,
                      int (*script)(struct pb_console *console, void *context), void *context,
                      struct pb_diag *diag);

/* Keeps the whole phases of an observation that ended with this error, whose sentence is in *diag, and writes
 * into observation->cut where it ends; leaves `cut` empty when no phase is whole. Returns `code`, but PB_OK
 * for a recording that ends early (PB_ERR_ENDED) and has a whole phase. */
int pb_observation_truncate(struct pb_observation *observation, const struct pb_scenario *scenario, int code,
                       struct pb_diag *diag);

#endif
