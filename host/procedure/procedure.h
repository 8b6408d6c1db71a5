/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What all procedures share: their rig, and their time.
 */
#ifndef PHASEBENCH_PROCEDURE_PROCEDURE_H
#define PHASEBENCH_PROCEDURE_PROCEDURE_H

#include "phasebench/procedure.h"

#include <stdbool.h>
#include <stdint.h>

/* Superframes of this many phases from one own message of a node to the next: 24 phases at least, as the
 * console's line is slower than a link. */
static inline unsigned procedure_own_every(unsigned phases)
{
    enum { OWN_PHASES = 24 };
    return (OWN_PHASES + phases - 1) / phases;
}

/* The callbacks, or the URL itself without them. */
int procedure_begin(const struct pb_procedure *procedure, const char **url,
                    const struct pb_scenario *scenario, unsigned timeout_s, struct pb_diag *diag);
void procedure_end(const struct pb_procedure *procedure);

/* Limit of wall time for a run of the scenario, s. */
unsigned procedure_timeout_s(const struct pb_procedure *procedure, const struct pb_scenario *scenario);
bool procedure_stopped(const struct pb_procedure *procedure);
/* Opens the rig at this URL, asks its core for the map hash, and closes it. Errors as pb_rig_open and
 * pb_device_open: PB_ERR_MAP is a core that has answered, with another map than that of this program. */
int procedure_reach(const struct pb_procedure *procedure, const char *url, const struct pb_scenario *scenario,
                    uint32_t *map_hash, struct pb_diag *diag);
#endif
