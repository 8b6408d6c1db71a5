/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Benchmark of the movement of messages. */
#include "bench/perf/perf.h"

#include "phasebench/flow.h"
#include "phasebench/random.h"

#include <stdlib.h>
#include <string.h>

enum { SUPERFRAMES = 128, PLAIN_MAX = 64 };

/* A simple reference: each node keeps its messages in order of arrival, and in each phase searches the first
 * one for the link. */
struct held {
    uint16_t destination[PLAIN_MAX];
    unsigned count;
};

static void put(struct held *held, uint32_t node, uint32_t destination)
{
    if (node == destination)
        return;
    if (held[node].count == PLAIN_MAX)
        perf_die("node %u holds more than %d messages", node, PLAIN_MAX);
    held[node].destination[held[node].count++] = (uint16_t)destination;
}

static uint64_t move_plainly(const struct pb_network *network, enum pb_rule rule,
                             const struct pb_traffic *traffic)
{
    struct held *held = calloc(network->nodes, sizeof *held);
    uint64_t hops = 0;
    size_t released = 0;
    if (!held)
        perf_die("no memory for the nodes");
    for (uint64_t now = 0, before = 0; released < traffic->count || hops > before; now++) {
        for (; released < traffic->count && traffic->message[released].release_superframe == now; released++)
            put(held, traffic->message[released].source, traffic->message[released].destination);
        before = hops;
        for (unsigned phase = 0; phase < network->phases; phase++)
            for (uint32_t node = 0; node < network->nodes; node++) {
                const struct pb_slot slot = pb_network_slot(network, node, phase);
                unsigned i = 0;
                if (slot.role != PB_ROLE_SEND)
                    continue;
                while (i < held[node].count &&
                       !(pb_network_wanted(network, rule, node, held[node].destination[i]) >> slot.port & 1))
                    i++;
                if (i == held[node].count)
                    continue;
                put(held, pb_network_neighbour(network, node, slot.port), held[node].destination[i]);
                memmove(&held[node].destination[i], &held[node].destination[i + 1],
                        (--held[node].count - i) * sizeof *held->destination);
                hops++;
            }
    }
    free(held);
    return hops;
}

static uint64_t move_list(const struct pb_network *network, enum pb_rule rule,
                          const struct pb_traffic *traffic)
{
    struct pb_flow_stats stats;
    if (pb_flow_run(network, rule, traffic, 0, NULL, NULL, &stats))
        perf_die("no memory for the movement");
    return stats.crossings;
}

static uint64_t move_endlessly(const struct pb_network *network, enum pb_rule rule, bool crossings)
{
    const struct pb_mover_options options = {.network = network, .rule = rule, .crossings = crossings};
    struct pb_releases *releases;
    struct pb_mover *mover;
    if (pb_releases_repeat(&releases, network, "uniform:1", &(struct pb_repeat){.every = 1}, NULL) ||
        pb_mover_create(&mover, &options, releases))
        perf_die("no memory for the movement");
    for (unsigned i = 0; i < SUPERFRAMES; i++)
        if (pb_mover_step(mover, NULL))
            perf_die("no memory for the movement");
    const uint64_t hops = pb_mover_stats(mover)->crossings;
    pb_mover_free(mover);
    pb_releases_free(releases);
    return hops;
}

struct perf_hops perf_movement(const char *text, enum pb_rule rule, enum perf_way way)
{
    struct pb_network network;
    struct pb_traffic traffic = {0};
    struct pb_diag diag;
    uint64_t random = 1;

    if (pb_network_parse(&network, text, &diag))
        perf_die("%s", diag.text);
    for (uint32_t superframe = 0; superframe < SUPERFRAMES; superframe++)
        for (uint32_t node = 0; node < network.nodes; node++) {
            const struct pb_message message = {.source = node,
                                               .destination =
                                                   (uint32_t)(pb_splitmix64(&random) % network.nodes),
                                               .release_superframe = superframe};
            if (pb_traffic_add(&traffic, &message))
                perf_die("no memory for the messages");
        }
    const int64_t started = perf_cpu_ns();
    const uint64_t hops = way == PERF_PLAIN  ? move_plainly(&network, rule, &traffic)
                          : way == PERF_LIST ? move_list(&network, rule, &traffic)
                                             : move_endlessly(&network, rule, way == PERF_NOTED);
    const struct perf_hops moved = {hops, perf_cpu_ns() - started};
    pb_traffic_free(&traffic);
    return moved;
}
