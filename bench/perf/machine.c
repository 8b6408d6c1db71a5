/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Benchmark of the engines of a machine. Nodes start within a run, so the difference of two runs counts. */
#include "bench/perf/machine.h"

#include "bench/perf/figures.h"
#include "host/machine/sweep.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

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

/* ---- checkpoints */

enum { EVERY = 50, SUPERFRAMES = 1000 };

struct intervals {
    const char *path;
    off_t most;                          /* bytes of the file: that of a result is smaller */
    double last_ms, with_ms, without_ms; /* a superframe that follows a checkpoint, and the others: sums */
    unsigned with, without;
};

/* Called after each superframe, before its checkpoint. */
static void measure(void *context, uint64_t done, uint64_t all)
{
    struct intervals *intervals = context;
    struct timespec time;
    struct stat status;

    (void)all;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double now_ms = (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6,
                 ms = now_ms - intervals->last_ms;
    const bool follows = (done - 1) % EVERY == 0;
    intervals->last_ms = now_ms;
    if (done == 1)
        return;
    *(follows ? &intervals->with_ms : &intervals->without_ms) += ms;
    *(follows ? &intervals->with : &intervals->without) += 1;
    if (follows && stat(intervals->path, &status) == 0 && status.st_size > intervals->most)
        intervals->most = status.st_size;
}

struct perf_checkpoint perf_checkpoint(const char *path)
{
    const struct pb_network network = pb_network_cube(12);
    struct pb_machine_point point = {.load = 1};
    struct intervals intervals = {.path = path};
    struct pb_machine_sweep sweep = {.network = &network,
                                     .pattern = "uniform",
                                     .superframes = SUPERFRAMES,
                                     .warm_up = EVERY,
                                     .how = {.pattern = "uniform", .burst = 1, .seed = 1},
                                     .point = &point,
                                     .points = 1,
                                     .progress = measure,
                                     .context = &intervals,
                                     .checkpoint = path,
                                     .checkpoint_every = EVERY};
    struct pb_diag diag;

    if (pb_machine_sweep_open(&sweep, &diag) || pb_machine_sweep_run(&sweep, &diag))
        perf_die("%s", diag.text);
    remove(path);
    pb_machine_result_free(&point.result);
    sweep.point = NULL;
    sweep.points = 0;
    pb_machine_sweep_free(&sweep);
    const double superframe_ms = intervals.without_ms / intervals.without;
    return (struct perf_checkpoint){intervals.with_ms / intervals.with - superframe_ms, superframe_ms,
                                    (double)intervals.most};
}
