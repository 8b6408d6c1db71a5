/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include <pthread.h>
#include <stdlib.h>

#define TOLERANCE 0.005
enum { JOBS_MAX = 256 };

/* The points are runs that know nothing of one another: each thread takes the next one. */
struct work {
    struct pb_machine_sweep *sweep;
    pthread_mutex_t lock;
    unsigned next;      /* point */
    uint64_t done, all; /* superframes of all points so far, and about those to run */
    unsigned failed_at; /* the first point that failed; `points`: none */
    int code;
    struct pb_diag diag;
    bool stop;
};

struct watch {
    struct work *work;
    uint32_t steps; /* of the present point so far */
};

static void show_steps(void *context, uint32_t steps)
{
    struct watch *watch = context;
    struct work *work = watch->work;

    pthread_mutex_lock(&work->lock);
    work->done += steps > watch->steps ? steps - watch->steps : steps; /* a search has several runs */
    watch->steps = steps;
    if (work->sweep->progress)
        work->sweep->progress(work->sweep->context, work->done,
                              work->done > work->all ? work->done : work->all);
    pthread_mutex_unlock(&work->lock);
}

static int open_traffic(const struct pb_machine_sweep *sweep, double load, unsigned window,
                        struct pb_machine_traffic **traffic, struct pb_diag *diag)
{
    struct pb_machine_traffic_options how = sweep->how;

    how.load = load;
    how.window = window;
    return pb_machine_traffic_create(traffic, sweep->network, &how, diag);
}

int pb_machine_sweep_limit(struct pb_machine_sweep *sweep, struct pb_diag *diag)
{
    struct pb_machine_traffic *traffic;
    const double load = pb_machine_sweep_once(sweep) || sweep->closed ? 0
                        : sweep->points                               ? sweep->point[0].load
                                                                      : 0.5;
    int code = open_traffic(sweep, load, sweep->points ? sweep->point[0].window : 0, &traffic, diag);
    if (code)
        return code;
    if (pb_machine_limit(&sweep->limit, sweep->rule, traffic))
        code =
            pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for the loads of the links; give fewer nodes");
    pb_machine_traffic_free(traffic);
    return code;
}

static struct pb_machine_options options_of(const struct pb_machine_sweep *sweep, struct watch *watch)
{
    return (struct pb_machine_options){.network = sweep->network,
                                       .rule = sweep->rule,
                                       .engine = sweep->engine,
                                       .line = &sweep->line,
                                       .image = &sweep->image,
                                       .images = sweep->image != NULL,
                                       .superframes = sweep->superframes,
                                       .warm_up = sweep->warm_up,
                                       .room = sweep->room,
                                       .room_port = sweep->room_port,
                                       .progress = show_steps,
                                       .context = watch};
}

uint64_t pb_machine_sweep_bytes(const struct pb_machine_sweep *sweep, unsigned jobs)
{
    struct pb_machine_options options = options_of(sweep, NULL);
    struct pb_machine_traffic_options how = sweep->how;
    uint64_t most = 0;

    if (pb_machine_sweep_once(sweep))
        options.superframes = 1;
    for (unsigned i = 0; i < sweep->points; i++) {
        how.load = sweep->point[i].load;
        how.window = sweep->point[i].window;
        const uint64_t bytes = pb_machine_bytes(&options, &how, sweep->limit);
        most = bytes > most ? bytes : most;
    }
    if (sweep->search) {
        options.superframes = 128; /* far above the limit it is seen soon */
        how.load = sweep->limit > 0 ? 2 * sweep->limit : 1;
        const uint64_t bytes = pb_machine_bytes(&options, &how, sweep->limit);
        most = bytes > most ? bytes : most;
    }
    if (jobs >= sweep->points)
        return (sweep->points ? sweep->points : 1) * most;
    return jobs * most + (sweep->points - jobs) * pb_machine_result_bytes(sweep->network);
}

static int run_point(const struct pb_machine_sweep *sweep, struct pb_machine_point *point,
                     const struct pb_machine_options *options, struct pb_diag *diag)
{
    struct pb_machine_options run = *options;
    int code = open_traffic(sweep, point->load, point->window, &run.traffic, diag);
    if (code)
        return code;
    code = pb_machine_run(&point->result, &run, diag);
    pb_machine_traffic_free(run.traffic);
    return code;
}

const struct pb_machine_difference *pb_machine_sweep_difference(const struct pb_machine_sweep *sweep)
{
    for (unsigned i = 0; i < sweep->points; i++)
        if (sweep->point[i].result.difference.found)
            return &sweep->point[i].result.difference;
    return NULL;
}

/* Returns the next point; `points`: none is to be run any more. */
static unsigned take_point(struct work *work)
{
    pthread_mutex_lock(&work->lock);
    const unsigned at = work->stop ? work->sweep->points : work->next;
    work->next += at < work->sweep->points;
    pthread_mutex_unlock(&work->lock);
    return at;
}

/* All points before one that has failed, or differs, have begun: so what is reported is that of the first
 * one, as with a single thread. */
static void end_point(struct work *work, unsigned at, int code, const struct pb_diag *diag)
{
    pthread_mutex_lock(&work->lock);
    if (code && at < work->failed_at) {
        work->failed_at = at;
        work->code = code;
        work->diag = *diag;
    }
    work->stop |= code || work->sweep->point[at].result.difference.found;
    pthread_mutex_unlock(&work->lock);
}

static void *run_points(void *context)
{
    struct work *work = context;
    const unsigned points = work->sweep->points;

    for (unsigned at; (at = take_point(work)) < points;) {
        struct watch watch = {.work = work};
        const struct pb_machine_options options = options_of(work->sweep, &watch);
        struct pb_diag diag;
        const int code = run_point(work->sweep, &work->sweep->point[at], &options, &diag);
        end_point(work, at, code, &diag);
    }
    return NULL;
}

static void run_all_points(struct work *work, unsigned jobs)
{
    pthread_t thread[JOBS_MAX];
    unsigned threads = 0;

    while (threads + 1 < jobs && !pthread_create(&thread[threads], NULL, run_points, work))
        threads++;
    run_points(work);
    while (threads > 0)
        pthread_join(thread[--threads], NULL);
}

/* Nodes of images share what is read of the file. */
unsigned pb_machine_sweep_jobs(const struct pb_machine_sweep *sweep)
{
    const unsigned most = sweep->image ? 1 : sweep->jobs < JOBS_MAX ? sweep->jobs : JOBS_MAX;
    return most < 1 ? 1 : most < sweep->points ? most : sweep->points ? sweep->points : 1;
}

static bool differs_before(const struct pb_machine_sweep *sweep, unsigned end)
{
    const struct pb_machine_difference *const first = pb_machine_sweep_difference(sweep);
    return first && first < &sweep->point[end].result.difference;
}

int pb_machine_sweep_run(struct pb_machine_sweep *sweep, struct pb_diag *diag)
{
    struct work work = {.sweep = sweep,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .all = (uint64_t)sweep->points * (sweep->superframes + 64),
                        .failed_at = sweep->points};
    struct watch watch = {.work = &work};

    run_all_points(&work, pb_machine_sweep_jobs(sweep));
    if (work.code && !differs_before(sweep, work.failed_at)) {
        *diag = work.diag;
        return work.code;
    }
    if (!sweep->search || pb_machine_sweep_difference(sweep))
        return PB_OK;
    const int code = pb_machine_saturation(&sweep->saturation, sweep->network, &sweep->how, TOLERANCE,
                                           show_steps, &watch, diag);
    sweep->searched = !code;
    return code;
}

void pb_machine_sweep_free(struct pb_machine_sweep *sweep)
{
    for (unsigned i = 0; i < sweep->points; i++)
        pb_machine_result_free(&sweep->point[i].result);
    free(sweep->point);
    pb_traffic_free(&sweep->trace);
    pb_machine_dead_free(sweep->dead);
}
