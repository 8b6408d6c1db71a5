/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * phasebench jitter --from: the figures of a clock that another instrument has stamped, without a run.
 */
#ifndef PHASEBENCH_CLI_JITTER_FROM_H
#define PHASEBENCH_CLI_JITTER_FROM_H

#include "phasebench/jitter.h"

#include <stdbool.h>
#include <stdint.h>

#define OUTPUT_JITTER_PAGE "jitter.html"
#define OUTPUT_JITTER_JSON "jitter.json"

enum jitter_unit {
    JITTER_UNIT_BY_NAME,
    JITTER_UNIT_S,
    JITTER_UNIT_MS,
    JITTER_UNIT_US,
    JITTER_UNIT_NS,
    JITTER_UNIT_PS
};
enum jitter_edge { JITTER_EDGE_RISE, JITTER_EDGE_FALL };

struct jitter_from {
    const char *path, *channel, *out; /* NULL: none given */
    enum jitter_unit unit;
    enum jitter_edge edge;
    uint64_t resolution_ps, period_ps; /* 0: by the file */
    unsigned phases;                   /* of the n-period; 0: none */
    enum pb_jitter_reference reference;
    bool json;
};

/* Returns an exit code; errors have been reported. */
int jitter_from(const struct jitter_from *from);

#endif
