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

/* ---- all crossings of a run */

struct crossings {
    struct pb_crossing *crossing; /* owned */
    size_t count, max;
};

/* For struct pb_machine_options; context: a struct crossings. */
static inline void keep_crossing(void *context, const struct pb_crossing *crossing)
{
    struct crossings *kept = context;
    if (kept->count == kept->max) {
        kept->max = kept->max ? 2 * kept->max : 1024;
        kept->crossing = realloc(kept->crossing, kept->max * sizeof *kept->crossing);
        assert_non_null(kept->crossing);
    }
    kept->crossing[kept->count++] = *crossing;
}

/* ---- two results, bit for bit */

static inline void assert_equal_means(const struct pb_batch_means *a, const struct pb_batch_means *b)
{
    assert_memory_equal(a, b, sizeof *a); /* NAN among them */
}

static inline void assert_equal_result(const struct pb_network *network, const struct pb_machine_result *a,
                                      const struct pb_machine_result *b)
{
#define SAME(field) assert_int_equal(a->field, b->field)
    SAME(warm_up), SAME(superframes), SAME(senders), SAME(settled), SAME(finished), SAME(offered);
    SAME(completed), SAME(dropped), SAME(local), SAME(unreachable), SAME(crossings);
    SAME(latency_min), SAME(latency_max), SAME(p50), SAME(p95), SAME(p99);
    SAME(max_occupancy), SAME(max_queue), SAME(saturated), SAME(last_crossing);
    SAME(courses), SAME(course_every);
#undef SAME
    assert_equal_means(&a->throughput, &b->throughput);
    assert_equal_means(&a->latency, &b->latency);
    assert_equal_means(&a->occupancy, &b->occupancy);
    assert_memory_equal(&a->growth, &b->growth, sizeof a->growth);
    if (a->completed)
        assert_memory_equal(a->latencies, b->latencies, (a->latency_max + 1) * sizeof *a->latencies);
    assert_memory_equal(a->course, b->course, a->courses * sizeof *a->course);
    assert_memory_equal(a->link, b->link, (size_t)network->nodes * network->ports * sizeof *a->link);
}

#endif
