/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Benchmark of the engines of a machine. */
#include "bench/perf/perf.h"

enum { SUPERFRAMES = 32 };

struct perf_hops perf_machine(enum pb_machine_engine engine, unsigned *superframes)
{
    const struct pb_network network = pb_network_cube(12);
    const struct pb_machine_traffic_options traffic = {.pattern = "complement", .load = 1};
    struct pb_machine_options options = {.network = &network, .superframes = SUPERFRAMES, .engine = engine};
    struct pb_machine_result result;
    struct pb_diag diag;

    if (pb_machine_traffic_create(&options.traffic, &network, &traffic, &diag))
        perf_die("%s", diag.text);
    const int64_t started = perf_cpu_ns();
    if (pb_machine_run(&result, &options, &diag))
        perf_die("%s", diag.text);
    const struct perf_hops moved = {result.crossings, perf_cpu_ns() - started};
    *superframes = result.superframes;
    pb_machine_result_free(&result);
    pb_machine_traffic_free(options.traffic);
    return moved;
}
