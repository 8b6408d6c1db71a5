/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The state as the JSON document that the page reads; docs/use/station.md lists its members. */
#ifndef PB_STATION_STATE_JSON_H
#define PB_STATION_STATE_JSON_H

#include "state.h"

/* What stays the same as long as the station runs. */
struct station_info {
    const char *name, *profile, *rig; /* of the station; of each validation */
};

/* Returns the text, which the caller frees; NULL: out of memory. */
char *station_state_json(const struct station_state *state, const struct station_info *info, int64_t now_ns);

#endif
