/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link loads and the bound on the superframes of a batch.
 *
 * The bound counts, for one message, the distinct other messages it shares a directed link with. Two
 * dimension-order paths that diverge never meet again. So two messages share one unbroken stretch of links:
 * k links and k - 1 pairs of consecutive links. Summing (load - 1) over the links of a path and
 * subtracting (pair load - 1) over its consecutive pairs therefore counts each other message exactly once, in
 * time proportional to the hops.
 */
#include "phasebench/flow.h"

#include <stdlib.h>
#include <string.h>

/* One hop of a message in dimension order. */
struct step {
    uint32_t from;
    unsigned port;
    struct pb_peer to;
};

/* Sets the hop from `at`; false at the destination. */
static bool next_step(const struct pb_network *network, uint32_t at, const struct pb_message *message,
                      struct step *step)
{
    if (at == message->destination)
        return false;
    const uint64_t wanted = pb_network_wanted(network, PB_RULE_ECUBE, at, message->destination);
    step->from = at;
    step->port = (unsigned)__builtin_ctzll(wanted);
    step->to = pb_network_peer(network, at, step->port);
    return true;
}

static size_t link_of(const struct pb_network *network, const struct step *step)
{
    return (size_t)step->from * network->ports + step->port;
}

/* Two consecutive links of a message: into a node on port `arrived`, and out of it. */
static size_t pair_of(const struct pb_network *network, unsigned arrived, const struct step *step)
{
    return ((size_t)step->from * network->ports + arrived) * network->ports + step->port;
}

void pb_flow_loads(const struct pb_network *network, const struct pb_traffic *traffic, uint32_t *load)
{
    struct step step;

    memset(load, 0, (size_t)network->nodes * network->ports * sizeof *load);
    for (size_t i = 0; i < traffic->count; i++)
        for (uint32_t at = traffic->message[i].source; next_step(network, at, &traffic->message[i], &step);
             at = step.to.node)
            load[link_of(network, &step)]++;
}

static void count_pairs(const struct pb_network *network, const struct pb_traffic *traffic, uint32_t *pair)
{
    for (size_t i = 0; i < traffic->count; i++) {
        struct step step;
        if (!next_step(network, traffic->message[i].source, &traffic->message[i], &step))
            continue;
        for (unsigned arrived = step.to.port; next_step(network, step.to.node, &traffic->message[i], &step);
             arrived = step.to.port)
            pair[pair_of(network, arrived, &step)]++;
    }
}

/* Distinct other messages that share a directed link with this one. */
static uint64_t count_sharing(const struct pb_network *network, const struct pb_message *message,
                              const uint32_t *load, const uint32_t *pair)
{
    struct step step;
    uint64_t sharing = 0;

    if (!next_step(network, message->source, message, &step))
        return 0;
    sharing += load[link_of(network, &step)] - 1;
    for (unsigned arrived = step.to.port; next_step(network, step.to.node, message, &step);
         arrived = step.to.port) {
        sharing += load[link_of(network, &step)] - 1;
        sharing -= pair[pair_of(network, arrived, &step)] - 1;
    }
    return sharing;
}

static unsigned lone_superframes(const struct pb_network *network, const struct pb_message *message)
{
    struct pb_route route;
    if (network->lone_phases[PB_RULE_ECUBE][0] <= network->phases)
        return 1;
    pb_route_lone(&route, network, PB_RULE_ECUBE, message->source, message->destination, 0);
    return route.hop[route.hops - 1].superframe + 1;
}

static int bound_loads(const struct pb_network *network, const struct pb_traffic *traffic,
                       struct pb_flow_bound *bound)
{
    size_t links = (size_t)network->nodes * network->ports;
    uint32_t *load = calloc(links, sizeof *load);
    uint32_t *pair = calloc(links * network->ports, sizeof *pair);
    int code = load && pair ? 0 : PB_ERR_MEMORY;

    if (code == 0) {
        pb_flow_loads(network, traffic, load);
        count_pairs(network, traffic, pair);
        for (size_t i = 0; i < links; i++)
            if (load[i] > bound->max_link_load)
                bound->max_link_load = load[i];
        for (size_t i = 0; i < traffic->count; i++) {
            if (traffic->message[i].source == traffic->message[i].destination)
                continue;
            uint64_t superframes = lone_superframes(network, &traffic->message[i]) +
                                   count_sharing(network, &traffic->message[i], load, pair);
            if (superframes > bound->bound_superframes)
                bound->bound_superframes = (uint32_t)superframes;
        }
    }
    free(load);
    free(pair);
    return code;
}

static int bound_runs(const struct pb_network *network, const struct pb_traffic *batch,
                      struct pb_flow_bound *bound)
{
    struct pb_flow_stats stats;

    int code = pb_flow_run(network, PB_RULE_ECUBE, batch, 0, NULL, NULL, &stats);
    if (code)
        return code;
    bound->fifo_superframes = stats.superframes;
    bound->max_queue = stats.max_queue;
    bound->max_occupancy = stats.max_occupancy;

    code = pb_flow_run(network, PB_RULE_OPPORTUNISTIC, batch, 0, NULL, NULL, &stats);
    bound->opportunistic_superframes = stats.superframes;
    return code;
}

static int bound_losses(const struct pb_network *network, const struct pb_traffic *batch,
                        struct pb_flow_bound *bound)
{
    int code = pb_flow_lost(network, PB_BUFFER_REGISTER, batch, &bound->lost_single_register);
    if (code == 0)
        code = pb_flow_lost(network, PB_BUFFER_REGISTER_AND_LATCH, batch, &bound->lost_register_and_latch);
    if (code == 0)
        code = pb_flow_lost(network, PB_BUFFER_REGISTER_PER_DIMENSION, batch,
                            &bound->lost_register_per_dimension);
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

int pb_flow_analyse(const struct pb_network *network, const struct pb_traffic *traffic,
                    struct pb_flow_bound *bound)
{
    struct pb_traffic batch;

    *bound = (struct pb_flow_bound){.messages = traffic->count};
    int code = copy_as_batch(&batch, traffic);
    if (code == 0)
        code = bound_loads(network, &batch, bound);
    if (code == 0)
        code = bound_runs(network, &batch, bound);
    if (code == 0)
        code = bound_losses(network, &batch, bound);
    pb_traffic_free(&batch);
    return code;
}
