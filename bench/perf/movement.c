/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of messages alone. */
#include "bench/perf/perf.h"

#include "phasebench/flow.h"

enum { SUPERFRAMES = 64 };

struct perf_hops perf_movement(const char *text, enum pb_rule rule)
{
    struct pb_network network;
    struct pb_traffic traffic = {0};
    struct pb_flow_stats stats;
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
    if (pb_flow_run(&network, rule, &traffic, 0, NULL, NULL, &stats))
        perf_die("no memory for the movement");
    const struct perf_hops hops = {stats.crossings, perf_cpu_ns() - started};
    pb_traffic_free(&traffic);
    return hops;
}
