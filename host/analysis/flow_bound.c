/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link loads and the bound on the superframes of a batch.
 *
 * The bound counts, for one message, the distinct other messages it shares a directed link with. Two e-cube
 * paths that part never meet again, so what two messages share is one unbroken stretch of links: k links and
 * k - 1 pairs of consecutive links. Summing (load - 1) over the links of a path and subtracting (pair load -
 * 1) over its consecutive pairs therefore counts each other message exactly once, in time proportional to the
 * hops.
 */
#include "phasebench/flow.h"

#include <stdlib.h>
#include <string.h>

static unsigned lowest_bit(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

void pb_flow_loads(unsigned dims, const struct pb_traffic *traffic, uint32_t *load)
{
    memset(load, 0, (size_t)pb_cube_nodes(dims) * dims * sizeof *load);
    for (size_t i = 0; i < traffic->count; i++) {
        uint32_t at = traffic->message[i].source;
        for (uint32_t left = at ^ traffic->message[i].destination; left; left &= left - 1) {
            load[(size_t)at * dims + lowest_bit(left)]++;
            at ^= left & -left;
        }
    }
}

/* Loads of consecutive links, pair[(node * dims + in) * dims + out]: messages that reach node across
 * dimension `in` and leave it along `out`. */
static void count_pairs(unsigned dims, const struct pb_traffic *traffic, uint32_t *pair)
{
    for (size_t i = 0; i < traffic->count; i++) {
        uint32_t at = traffic->message[i].source;
        uint32_t left = at ^ traffic->message[i].destination;
        while (left & (left - 1)) {
            unsigned in = lowest_bit(left);
            at = pb_neighbour(at, in);
            left &= left - 1;
            pair[((size_t)at * dims + in) * dims + lowest_bit(left)]++;
        }
    }
}

/* Distinct other messages that share a directed link with this one. */
static uint64_t count_sharing(unsigned dims, const struct pb_message *message, const uint32_t *load,
                              const uint32_t *pair)
{
    uint32_t at = message->source;
    uint32_t left = at ^ message->destination;
    uint64_t sharing = 0;

    while (left) {
        unsigned dimension = lowest_bit(left);
        sharing += load[(size_t)at * dims + dimension] - 1;
        at = pb_neighbour(at, dimension);
        left &= left - 1;
        if (left)
            sharing -= pair[((size_t)at * dims + dimension) * dims + lowest_bit(left)] - 1;
    }
    return sharing;
}

static int bound_loads(unsigned dims, const struct pb_traffic *traffic, struct pb_flow_bound *bound)
{
    size_t links = (size_t)pb_cube_nodes(dims) * dims;
    uint32_t *load = calloc(links, sizeof *load);
    uint32_t *pair = calloc(links * dims, sizeof *pair);
    int code = load && pair ? 0 : PB_ERR_MEMORY;

    if (code == 0) {
        pb_flow_loads(dims, traffic, load);
        count_pairs(dims, traffic, pair);
        for (size_t i = 0; i < links; i++)
            if (load[i] > bound->max_link_load)
                bound->max_link_load = load[i];
        for (size_t i = 0; i < traffic->count; i++) {
            if (traffic->message[i].source == traffic->message[i].destination)
                continue;
            uint64_t superframes = 1 + count_sharing(dims, &traffic->message[i], load, pair);
            if (superframes > bound->bound_superframes)
                bound->bound_superframes = (uint32_t)superframes;
        }
    }
    free(load);
    free(pair);
    return code;
}

static int bound_runs(unsigned dims, const struct pb_traffic *batch, struct pb_flow_bound *bound)
{
    struct pb_flow_stats stats;

    int code = pb_flow_run(dims, PB_RULE_ECUBE, batch, 0, NULL, NULL, &stats);
    if (code)
        return code;
    bound->fifo_superframes = stats.superframes;
    bound->max_queue = stats.max_queue;
    bound->max_occupancy = stats.max_occupancy;

    code = pb_flow_run(dims, PB_RULE_OPPORTUNISTIC, batch, 0, NULL, NULL, &stats);
    bound->opportunistic_superframes = stats.superframes;
    return code;
}

static int bound_losses(unsigned dims, const struct pb_traffic *batch, struct pb_flow_bound *bound)
{
    int code = pb_flow_lost(dims, PB_BUFFER_REGISTER, batch, &bound->lost_single_register);
    if (code == 0)
        code = pb_flow_lost(dims, PB_BUFFER_REGISTER_AND_LATCH, batch, &bound->lost_register_and_latch);
    if (code == 0)
        code =
            pb_flow_lost(dims, PB_BUFFER_REGISTER_PER_DIMENSION, batch, &bound->lost_register_per_dimension);
    return code;
}

static int copy_as_batch(struct pb_traffic *batch, const struct pb_traffic *traffic)
{
    *batch = (struct pb_traffic){0};
    for (size_t i = 0; i < traffic->count; i++) {
        struct pb_message message = {.source = traffic->message[i].source,
                                     .destination = traffic->message[i].destination};
        int code = pb_traffic_add(batch, &message);
        if (code)
            return code;
    }
    return 0;
}

int pb_flow_analyse(unsigned dims, const struct pb_traffic *traffic, struct pb_flow_bound *bound)
{
    struct pb_traffic batch;

    *bound = (struct pb_flow_bound){.messages = traffic->count};
    int code = copy_as_batch(&batch, traffic);
    if (code == 0)
        code = bound_loads(dims, &batch, bound);
    if (code == 0)
        code = bound_runs(dims, &batch, bound);
    if (code == 0)
        code = bound_losses(dims, &batch, bound);
    pb_traffic_free(&batch);
    return code;
}
