/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs of a machine for its tests.
 */
#ifndef MACHINE_FIXTURE_H
#define MACHINE_FIXTURE_H

#include "tests/bench/unit/tests.h"

#include "phasebench/machine.h"

#include <stdlib.h>

struct machine_run {
    struct pb_machine_traffic_options traffic;
    struct pb_machine_options run; /* without network and traffic */
};

static inline void free_result(void *result)
{
    pb_machine_result_free(result);
    free(result);
}

/* What the test frees at its end. */
static inline struct pb_machine_result *ran(const struct pb_network *network, const struct machine_run *of)
{
    struct pb_machine_result *result = hand_over(calloc(1, sizeof *result), free_result);
    struct pb_machine_options run = of->run;

    assert_succeeds(pb_machine_traffic_create(&run.traffic, network, &of->traffic, &diag));
    run.network = network;
    assert_succeeds(pb_machine_run(result, &run, &diag));
    pb_machine_traffic_free(run.traffic);
    return result;
}

/* A batch of one message a node, until all have arrived. */
static inline struct pb_machine_result *batch_of(const struct pb_network *network, const char *pattern,
                                                 enum pb_rule rule, enum pb_valiant valiant, uint64_t seed)
{
    return ran(network, &(struct machine_run){
                            .traffic = {.pattern = pattern, .batch = 1, .valiant = valiant, .seed = seed},
                            .run = {.rule = rule, .superframes = 10000, .warm_up = PB_MACHINE_DETECT}});
}

#endif
