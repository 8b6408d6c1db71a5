/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Makes and analyses traffic for the tests of flow.h; a failure fails the test.
 */
#ifndef FLOW_FIXTURE_H
#define FLOW_FIXTURE_H

#include "phasebench/flow.h"

#include "tests/bench/unit/tests.h"

/* The binary cube as an argument; it lives as long as the block. */
#define CUBE(dims) ((const struct pb_network[]){pb_network_cube(dims)})

static inline struct pb_traffic made(unsigned dims, const char *pattern)
{
    struct pb_traffic traffic;
    assert_int_equal(pb_traffic_generate(&traffic, CUBE(dims), pattern, NULL), 0);
    return traffic;
}

static inline void add(struct pb_traffic *traffic, uint32_t source, uint32_t destination)
{
    assert_int_equal(pb_traffic_add(traffic, &(struct pb_message){source, destination, 0, 0}), 0);
}

static inline struct pb_flow_bound analysed(unsigned dims, const struct pb_traffic *traffic)
{
    struct pb_flow_bound bound;
    assert_int_equal(pb_flow_analyse(CUBE(dims), traffic, &bound), 0);
    return bound;
}

static inline struct pb_flow_bound analysed_pairs(unsigned dims, const uint32_t (*pair)[2], size_t count)
{
    struct pb_traffic traffic = {0};
    for (size_t i = 0; i < count; i++)
        add(&traffic, pair[i][0], pair[i][1]);
    struct pb_flow_bound bound = analysed(dims, &traffic);
    pb_traffic_free(&traffic);
    return bound;
}

/* Largest load of a directed link; dims 1..6. */
static inline uint32_t max_load(unsigned dims, const struct pb_traffic *traffic)
{
    uint32_t load[64 * 6], largest = 0;
    assert_true(dims <= 6);
    pb_flow_loads(CUBE(dims), traffic, load);
    for (size_t i = 0; i < (size_t)dims << dims; i++)
        largest = load[i] > largest ? load[i] : largest;
    return largest;
}

#endif
