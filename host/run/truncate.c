/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/session.h"

#include <inttypes.h>
#include <stdio.h>

int pb_observation_truncate(struct pb_observation *observation, const struct pb_scenario *scenario, int code,
                       struct pb_diag *diag)
{
    struct pb_events *events = &observation->events;
    const unsigned phases = scenario->network.phases;
    const bool replay = code == PB_ERR_ENDED;
    const char *what = replay ? "the recording" : "the run";
    const struct pb_diag why = diag ? *diag : (struct pb_diag){""};
    uint64_t begun = observation->phases_before;
    size_t kept = 0;
    for (size_t i = 0; i < events->count; i++)
        if (events->event[i].kind == PB_EVENT_PHASE) {
            begun++;
            kept = i;
        }
    if (begun < 2)
        return replay ? pb_fail(diag, code, "%s ends before a phase is over, so nothing is judged; %s", what,
                                why.text)
                      : code;
    /* Of the last phase some lines may be missing. */
    events->count = kept;
    observation->whole_phases = begun - 1;
    snprintf(observation->cut, sizeof observation->cut,
             "%s ends in superframe %" PRIu64 " of %" PRIu32 ", phase %u; %.160s", what, (begun - 1) / phases,
             scenario->superframes, (unsigned)((begun - 1) % phases), why.text);
    return replay ? PB_OK : code;
}
