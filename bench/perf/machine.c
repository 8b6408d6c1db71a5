/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Benchmark of the engines of a machine. Nodes start within a run, so the difference of two runs counts. */
#define _DEFAULT_SOURCE /* wait4 */
#include "bench/perf/machine.h"

#include "bench/perf/figures.h"
#include "host/machine/sweep.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* ---- threads */

static int64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Of two threads this one has what is not divided. */
static int64_t slower_ns(unsigned threads, unsigned superframes)
{
    const struct pb_network network = pb_network_cube(16);
    const struct pb_machine_traffic_options traffic = {.pattern = "uniform", .load = 1, .seed = 1};
    struct pb_machine_options options = {.network = &network, .superframes = superframes, .threads = threads};
    struct pb_machine_result result;
    struct pb_diag diag;

    const int64_t own_ns = thread_ns(), all_ns = perf_cpu_ns();
    if (pb_machine_traffic_create(&options.traffic, &network, &traffic, &diag) ||
        pb_machine_run(&result, &options, &diag))
        perf_die("%s", diag.text);
    const int64_t own = thread_ns() - own_ns, other = perf_cpu_ns() - all_ns - own;
    pb_machine_result_free(&result);
    pb_machine_traffic_free(options.traffic);
    return own > other ? own : other;
}

struct perf_threads perf_threads(void)
{
    enum { SUPERFRAMES_OF_THREADS = 40, TURNS = 3 };
    double best_ms[2] = {0};

    for (unsigned i = 0; i < TURNS; i++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            const int64_t one_ns = slower_ns(threads, 1),
                          all_ns = slower_ns(threads, SUPERFRAMES_OF_THREADS + 1);
            const double ms = (double)(all_ns - one_ns) / 1e6 / SUPERFRAMES_OF_THREADS;
            double *const best = &best_ms[threads - 1];
            *best = i == 0 || ms < *best ? ms : *best;
        }
    return (struct perf_threads){best_ms[0], best_ms[1]};
}

/* ---- many nodes */

static struct rusage spawned(const char *phasebench, const char *superframes)
{
    struct rusage used;
    int status;
    fflush(stdout);
    const pid_t pid = fork();

    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(4);
        execl(phasebench, phasebench, "machine", "--traffic", "uniform", "--dims", "20", "--load", "0.5",
              "--warm-up", "0", "--threads", "1", "--superframes", superframes, (char *)NULL);
        _exit(4);
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid || status)
        perf_die("phasebench machine --dims 20 failed");
    return used;
}

static double cpu_ms(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1e3 +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e3;
}

struct perf_large perf_large(const char *phasebench)
{
    const struct rusage few = spawned(phasebench, "1"), more = spawned(phasebench, "9");
    return (struct perf_large){(double)more.ru_maxrss * 1024, (cpu_ms(&more) - cpu_ms(&few)) / 8};
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
