/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include "checkpoint.h"
#include "state.h"

#include "host/base/monotonic.h"
#include "host/base/nearest_word.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOLERANCE 0.005
enum { JOBS_MAX = 256, NODES_OF_THREAD = 8192 };

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
    unsigned point;
    int64_t due_ns, began_ns; /* of its next checkpoint, and of the last one */
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

int pb_machine_sweep_check_pattern(const char *pattern, struct pb_diag *diag)
{
    static const char *const known[] = {"uniform", "bitrev", "transpose", "complement", "shuffle", "perm",
                                        "xor",     "xors",   "hotspot",   "pairs",      "total",   "file"};
    const size_t count = sizeof known / sizeof known[0], length = strcspn(pattern, ":");
    char word[32], hint[PB_HINT_SIZE];

    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, pattern);
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, known[i]) == 0)
            return PB_OK;
    return pb_fail(diag, PB_ERR_ARGUMENT, "unknown traffic '%.60s'%s", pattern,
                   pb_hint(hint, "", word, known, count, "; see 'phasebench help machine'"));
}

/* ---- the checkpoint */

/* The processes that mpirun has started. */
static int meet(struct pb_machine_sweep *sweep, struct pb_diag *diag)
{
    if (sweep->engine != PB_ENGINE_SLOT || sweep->threads > 1)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: %u processes share the nodes, with --engine slot in one thread each; leave out "
            "--threads and other engines, or mpirun",
            pb_ranks_count());
    return pb_ranks_open(&sweep->ranks, sweep->network, diag);
}

bool pb_machine_sweep_shows(const struct pb_machine_sweep *sweep)
{
    return !sweep->ranks || sweep->ranks->own == 0;
}

int pb_machine_sweep_open(struct pb_machine_sweep *sweep, struct pb_diag *diag)
{
    if (sweep->threads > 1 && sweep->engine != PB_ENGINE_SLOT)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: --threads is of --engine slot; leave it out: %s runs in one thread",
                       pb_machine_engine_name(sweep->engine));
    int code = sweep->checkpoint ? pb_machine_engine_check_kept(sweep->engine, diag) : PB_OK;

    if (code == PB_OK && pb_ranks_count() > 1)
        code = meet(sweep, diag);
    if (code || !sweep->checkpoint)
        return code;
    if (!sweep->points)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: a checkpoint keeps runs at loads, and the saturation alone is searched; give a "
            "load, too, or leave out --checkpoint");
    return pb_checkpoint_open(&sweep->kept, sweep, diag);
}

static bool is_due(void *context, uint32_t steps)
{
    struct watch *watch = context;
    const unsigned every = watch->work->sweep->checkpoint_every;

    watch->began_ns = pb_monotonic_ns();
    bool due = every ? steps % every == 0 : watch->began_ns >= watch->due_ns;
    if (!every && watch->work->sweep->ranks)
        due = pb_ranks_agree(watch->work->sweep->ranks, due);
    return due;
}

static int keep(void *context, uint8_t *state, size_t bytes, struct pb_diag *diag)
{
    struct watch *watch = context;
    const int code = pb_checkpoint_keep(watch->work->sweep->kept, watch->point,
                                        &(struct pb_kept){PB_KEPT_RUN, state, bytes}, diag);
    watch->due_ns = pb_checkpoint_due_ns(watch->began_ns);
    return code;
}

static int keep_result(const struct pb_machine_sweep *sweep, unsigned point, struct pb_diag *diag)
{
    struct pb_bytes bytes = {0};
    size_t none[2] = {0};

    pb_machine_result_pass(&sweep->point[point].result, &none[0], &none[1], sweep->network, &bytes);
    if (!bytes.failed)
        return pb_checkpoint_keep(sweep->kept, point,
                                  &(struct pb_kept){PB_KEPT_RESULT, bytes.byte, bytes.count}, diag);
    free(bytes.byte);
    return pb_fail(diag, PB_ERR_MEMORY, "machine: no memory to keep %u results; give fewer loads",
                   sweep->points);
}

static int take_result(const struct pb_machine_sweep *sweep, unsigned point, struct pb_diag *diag)
{
    const struct pb_kept *kept = pb_checkpoint_of(sweep->kept, point);
    struct pb_machine_result *result = &sweep->point[point].result;
    struct pb_bytes bytes = {.byte = kept->bytes, .count = kept->count, .reads = true};
    size_t none[2] = {0};

    if (pb_machine_result_pass(result, &none[0], &none[1], sweep->network, &bytes))
        return pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for %u results; give fewer loads",
                       sweep->points);
    if (pb_demand(&bytes, bytes.taken == bytes.count && result->link))
        return PB_OK;
    return pb_fail(diag, PB_ERR_CONFIG,
                   "machine: the checkpoint has no result of load %u, as it says; begin anew, without it",
                   point + 1);
}

/* ---- points */

static unsigned processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (unsigned)count : 1;
}

/* Nodes of images share what is read of the file. */
unsigned pb_machine_sweep_jobs(const struct pb_machine_sweep *sweep)
{
    const unsigned jobs = sweep->jobs ? sweep->jobs : processors() / (sweep->threads ? sweep->threads : 1);
    const unsigned most = sweep->image || sweep->bench || sweep->ranks ? 1
                          : jobs < JOBS_MAX                            ? jobs
                                                                       : JOBS_MAX;
    return most < 1 ? 1 : most < sweep->points ? most : sweep->points ? sweep->points : 1;
}

unsigned pb_machine_sweep_threads(const struct pb_machine_sweep *sweep)
{
    const uint32_t large = sweep->network->nodes / NODES_OF_THREAD,
                   idle = processors() / pb_machine_sweep_jobs(sweep);
    if (sweep->engine != PB_ENGINE_SLOT || sweep->ranks)
        return 1;
    return pb_machine_parts(sweep->network, sweep->threads ? sweep->threads : idle < large ? idle : large);
}

static struct pb_machine_options options_of(const struct pb_machine_sweep *sweep, struct watch *watch)
{
    const struct pb_kept *const kept =
        sweep->kept && watch ? pb_checkpoint_of(sweep->kept, watch->point) : NULL;

    return (struct pb_machine_options){.is_due = sweep->kept ? is_due : NULL,
                                       .keep = keep,
                                       .state = kept ? kept->bytes : NULL,
                                       .state_bytes = kept ? kept->count : 0,
                                       .network = sweep->network,
                                       .rule = sweep->rule,
                                       .engine = sweep->engine,
                                       .line = &sweep->line,
                                       .image = &sweep->image,
                                       .images = sweep->image != NULL,
                                       .bench = sweep->bench,
                                       .superframes = sweep->superframes,
                                       .warm_up = sweep->warm_up,
                                       .room = sweep->room,
                                       .room_port = sweep->room_port,
                                       .threads = pb_machine_sweep_threads(sweep),
                                       .ranks = sweep->ranks,
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
    /* What is kept of a point is less than it takes to run, and as much as its result. */
    const uint64_t of_run = sweep->checkpoint ? 2 * most : most,
                   of_result = pb_machine_result_bytes(sweep->network) * (sweep->checkpoint ? 2 : 1);
    if (jobs >= sweep->points)
        return pb_ranks_here() * (sweep->points ? sweep->points : 1) * of_run;
    return pb_ranks_here() * (jobs * of_run + (sweep->points - jobs) * of_result);
}

static int run_point(struct watch *watch, struct pb_diag *diag)
{
    const struct pb_machine_sweep *sweep = watch->work->sweep;
    struct pb_machine_point *point = &sweep->point[watch->point];
    struct pb_machine_options run = options_of(sweep, watch);

    if (sweep->kept && pb_checkpoint_of(sweep->kept, watch->point)->kind == PB_KEPT_RESULT) {
        const int taken = take_result(sweep, watch->point, diag);
        show_steps(watch, point->result.warm_up + point->result.superframes);
        return taken;
    }
    int code = open_traffic(sweep, point->load, point->window, &run.traffic, diag);
    if (code)
        return code;
    code = pb_machine_run(&point->result, &run, diag);
    pb_machine_traffic_free(run.traffic);
    return code == PB_OK && sweep->kept ? keep_result(sweep, watch->point, diag) : code;
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
        struct watch watch = {.work = work, .point = at, .due_ns = pb_checkpoint_due_ns(pb_monotonic_ns())};
        struct pb_diag diag;
        const int code = run_point(&watch, &diag);
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
    struct pb_diag written;

    /* So that a file which cannot be written is refused before the first superframe. */
    int code = sweep->kept ? pb_checkpoint_write(sweep->kept, diag) : PB_OK;
    if (code)
        return code;
    run_all_points(&work, pb_machine_sweep_jobs(sweep));
    if (sweep->kept)
        code = pb_checkpoint_write(sweep->kept, &written);
    if (work.code && !differs_before(sweep, work.failed_at)) {
        *diag = work.diag;
        return work.code;
    }
    if (code) {
        *diag = written;
        return code;
    }
    sweep->done = true;
    if (!sweep->search || pb_machine_sweep_difference(sweep))
        return PB_OK;
    code = pb_machine_saturation(&sweep->saturation, sweep->network, &sweep->how, TOLERANCE, show_steps,
                                 &watch, diag);
    sweep->searched = !code;
    return code;
}

uint64_t pb_machine_sweep_findings(const struct pb_machine_sweep *sweep)
{
    uint64_t findings = 0;
    for (unsigned i = 0; i < sweep->points; i++)
        findings += sweep->point[i].result.seen.findings;
    return findings;
}

bool pb_machine_sweep_doubts(const struct pb_machine_sweep *sweep)
{
    bool any = false;
    for (unsigned i = 0; i < sweep->points; i++)
        any |= sweep->point[i].result.seen.findings > 0 || sweep->point[i].result.seen.unjudged > 0;
    return any;
}

void pb_machine_sweep_free(struct pb_machine_sweep *sweep)
{
    for (unsigned i = 0; i < sweep->points; i++)
        pb_machine_result_free(&sweep->point[i].result);
    free(sweep->point);
    pb_traffic_free(&sweep->trace);
    pb_machine_dead_free(sweep->dead);
    pb_checkpoint_close(sweep->kept);
    if (sweep->done)
        pb_ranks_close(sweep->ranks);
}
