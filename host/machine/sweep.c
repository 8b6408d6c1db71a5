/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include <stdlib.h>

#define TOLERANCE 0.005

struct watch {
    const struct pb_machine_sweep *sweep;
    uint64_t before, all; /* superframes of the points that are done, and about of all */
};

static void show_steps(void *context, uint32_t steps)
{
    const struct watch *watch = context;
    const uint64_t done = watch->before + steps;
    if (watch->sweep->progress)
        watch->sweep->progress(watch->sweep->context, done, done > watch->all ? done : watch->all);
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
        code = pb_fail(diag, PB_ERR_MEMORY,
                       "machine: no memory for the loads of the links; give fewer nodes");
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

uint64_t pb_machine_sweep_bytes(const struct pb_machine_sweep *sweep)
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
    return most;
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

int pb_machine_sweep_run(struct pb_machine_sweep *sweep, struct pb_diag *diag)
{
    struct watch watch = {.sweep = sweep, .all = (uint64_t)sweep->points * (sweep->superframes + 64)};
    const struct pb_machine_options options = options_of(sweep, &watch);
    int code = PB_OK;
    for (unsigned i = 0; i < sweep->points && !code && !pb_machine_sweep_difference(sweep); i++) {
        code = run_point(sweep, &sweep->point[i], &options, diag);
        watch.before += sweep->point[i].result.warm_up + sweep->point[i].result.superframes;
    }
    if (!code && sweep->search) {
        code = pb_machine_saturation(&sweep->saturation, sweep->network, &sweep->how, TOLERANCE, show_steps,
                                     &watch, diag);
        sweep->searched = !code;
    }
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
