/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Benchmark of the engines of a machine. Nodes start within a run, so the difference of two runs counts. */
#include "bench/perf/machine.h"

#include "bench/perf/figures.h"

static int64_t run_ns(enum pb_machine_engine engine, const char *image, unsigned superframes)
{
    const struct pb_network network = pb_network_cube(12);
    const struct pb_machine_traffic_options traffic = {.pattern = "complement", .load = 1};
    struct pb_machine_options options = {.network = &network,
                                         .superframes = superframes,
                                         .engine = engine,
                                         .image = &image,
                                         .images = image != NULL};
    struct pb_machine_result result;
    struct pb_diag diag;

    if (pb_machine_traffic_create(&options.traffic, &network, &traffic, &diag))
        perf_die("%s", diag.text);
    const int64_t started = perf_cpu_ns();
    if (pb_machine_run(&result, &options, &diag))
        perf_die("%s", diag.text);
    const int64_t ns = perf_cpu_ns() - started;
    pb_machine_result_free(&result);
    pb_machine_traffic_free(options.traffic);
    return ns;
}

double perf_machine(enum pb_machine_engine engine, const char *image, unsigned superframes)
{
    const int64_t one_ns = run_ns(engine, image, 1), all_ns = run_ns(engine, image, superframes + 1);
    return superframes * 1e9 / (double)(all_ns - one_ns);
}
