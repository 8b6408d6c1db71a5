/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session: plays one scenario on one rig and gathers what is observed. No judgement here.
 */
#ifndef PHASEBENCH_SESSION_H
#define PHASEBENCH_SESSION_H

#include "host/check/observation.h"
#include "phasebench/rig.h"
#include "phasebench/run.h"

/* Plays it. Errors as pb_run. The observation is the caller's; release with pb_observation_free, also after a
 * failure. */
int pb_session_play(struct pb_observation *observation, const struct pb_scenario *scenario,
                    const struct pb_run_options *options, const struct pb_rig_options *rig,
                    struct pb_diag *diag);

/* Makes the best of an observation that ends where its recording does: keeps whole phases, and says where it
 * ends. PB_OK, or PB_ERR_ENDED when there is no whole phase. The sentence so far says why it ends. */
int pb_observation_cut(struct pb_observation *observation, const struct pb_scenario *scenario,
                       struct pb_diag *diag);

#endif
