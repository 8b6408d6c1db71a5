/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run of a machine between two superframes, and how it is kept and goes on.
 */
#ifndef PB_MACHINE_STATE_H
#define PB_MACHINE_STATE_H

#include "engine.h"
#include "traffic.h"

#include "host/base/bytes.h"

/* Of the superframes of the warm-up, or of those that are measured. */
struct pb_series {
    double *in_flight, *latency, *complete;
    size_t count, capacity[3];
};

struct pb_machine_state {
    const struct pb_machine_options *options;
    struct pb_machine_traffic *traffic;
    struct pb_engine *engine;
    struct pb_machine_result *result;
    struct pb_diag *diag;
    struct pb_series series;
    size_t latencies_max;
    size_t course_max, course_filled; /* filled: superframes in the last value of the course */
    uint64_t until;                   /* a warm-up that is detected: superframes up to its next look */
    bool measuring;

    uint64_t delivered, dropped; /* by what the engine reported, of legs */
    uint64_t in_flight;          /* in the queues after the last superframe */
    /* Little's law, in phases: of all messages together, and of each. Sums of a run fit: 2^32 superframes of
     * 2^8 phases with 2^32 messages would not, but take a century. */
    uint64_t area, lives;
    uint32_t superframe; /* of the next step */

    struct { /* when the measured superframes began */
        uint32_t *load;
        double in_flight;
        uint64_t offered, local, unreachable, crossings;
    } before;
};

/* Either direction, of all that the run has but its engine, or of a result, which is empty before it is read.
 * What is read is possible, unless the bytes have failed. PB_ERR_MEMORY. */
int pb_machine_state_pass(struct pb_machine_state *run, struct pb_bytes *bytes);
int pb_machine_result_pass(struct pb_machine_result *result, size_t *latencies_max, size_t *course_max,
                           const struct pb_network *network, struct pb_bytes *bytes);

#endif
