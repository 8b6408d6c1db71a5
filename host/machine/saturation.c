/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The load from which on queues grow without end.
 *
 * Near that load an empty machine needs about 1 / (1 - load / limit)^2 superframes to reach its queues, and
 * grows all that time, whether it is stable or not. A machine whose busiest links have a backlog shows at
 * once: the backlog of a link changes by (load - limit) / limit in each superframe, as the link is never
 * idle.
 */
#include "engine.h"
#include "traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COARSE = 16,    /* superframes, to find a load of the right order */
    BUILD_UP = 192, /* superframes at a load above, */
    SETTLE = 64,    /* and until what is on its way has arrived, */
    JUDGED = 256,   /* that are judged, */
    PARTS = 16,     /* in equal parts: fewer than a backlog lasts, */
    WHOLE = 8,      /* trials, at least, for a judgement by whole ones */
    TRIALS = 32,    /* so in several trials, as many as it takes, at most */
    BACKLOG = 8,    /* messages in the deepest queue, at least, else the load is far below */
    NARROWED = 4    /* times that an end is brought nearer to a load where nothing is significant */
};
static const double above = 1.25, clearly = 0.2, significant = 4, significant_whole = 5;

struct machine {
    struct pb_machine_traffic *traffic;
    struct pb_engine *engine;
    uint32_t superframe;
};

struct search {
    const struct pb_network *network;
    const struct pb_machine_traffic_options *how;
    void (*progress)(void *context, uint32_t steps);
    void *context;
    struct pb_diag *diag;
    uint32_t steps;
    unsigned runs;
};

static void stop(struct machine *machine)
{
    if (machine->engine)
        machine->engine->ops->destroy(machine->engine);
    pb_machine_traffic_free(machine->traffic);
}

static int start(struct machine *machine, struct search *search, double load, unsigned trial)
{
    struct pb_machine_traffic_options how = *search->how;

    *machine = (struct machine){0};
    how.load = load;
    how.trial = trial;
    search->runs++;
    int code = pb_machine_traffic_create(&machine->traffic, search->network, &how, search->diag);
    if (code)
        return code;
    code = pb_engine_slot(&machine->engine,
                          &(struct pb_engine_options){.network = search->network,
                                                      .releases = &machine->traffic->base},
                          search->diag);
    if (code)
        stop(machine);
    return code;
}

/* in_flight: after them. */
static int advance(struct machine *machine, struct search *search, uint32_t count, double *in_flight)
{
    struct pb_step done = {0};
    struct pb_arrival arrival;
    int code = PB_OK;

    while (count-- > 0 && code == PB_OK) {
        code = machine->engine->ops->step(machine->engine, machine->superframe++, &done, search->diag);
        for (size_t i = 0; i < done.crossings && code == PB_OK; i++)
            if (done.crossing[i].last && pb_traffic_arrived(machine->traffic, &done.crossing[i], &arrival))
                code =
                    pb_fail(search->diag, PB_ERR_MEMORY, "machine: no memory for messages; give fewer nodes");
        if (search->progress)
            search->progress(search->context, ++search->steps);
    }
    *in_flight = code == PB_OK ? (double)pb_step_held(&done, search->network->nodes) : 0;
    return code;
}

/* Whether far more is released than delivered. */
static int is_far_above(struct search *search, double load, bool *far)
{
    struct machine machine;
    double early = 0, late = 0;
    int code = start(&machine, search, load, 0);
    if (code)
        return code;
    code = advance(&machine, search, COARSE / 2, &early);
    const uint64_t offered = machine.traffic->offered;
    if (code == PB_OK)
        code = advance(&machine, search, COARSE / 2, &late);
    *far = late - early > clearly * (double)(machine.traffic->offered - offered);
    stop(&machine);
    return code;
}

/* Changes of the messages in deep queues, each over an equal part of what is judged. */
struct changes {
    double sum, squares;
    unsigned count;
};

/* Of the parts of each trial, and from the built-up backlog to the end of each: far below the limit the
 * backlog is gone before the first part. */
struct trials {
    struct changes part, whole;
};

static void add_change(struct changes *changes, double change)
{
    changes->sum += change;
    changes->squares += change * change;
    changes->count++;
}

/* -1: the backlog shrinks, 1: it grows, 0: neither is significant. */
static int judge(const struct changes *changes, double times)
{
    const double n = changes->count, mean = changes->sum / n,
                 error = sqrt(fmax(changes->squares / n - mean * mean, 0) / (n - 1));
    return mean > times * error ? 1 : mean < -times * error ? -1 : 0;
}

/* Messages in the queue of each link. */
struct depths {
    const struct search *search;
    uint32_t *link;
};

static void count_waiting(void *context, uint32_t node, const struct pb_crossing *message)
{
    const struct depths *depths = context;
    const struct pb_network *network = depths->search->network;
    const uint64_t wanted = pb_network_wanted(network, PB_RULE_ECUBE, node, message->destination);
    const unsigned port = (unsigned)__builtin_ctzll(wanted);
    depths->link[(size_t)node * network->ports + port]++;
}

static void count_depths(const struct machine *machine, const struct depths *depths, size_t links)
{
    memset(depths->link, 0, links * sizeof *depths->link);
    machine->engine->ops->waiting(machine->engine, count_waiting, (void *)depths);
}

/* The deep queues: at least half as deep as the deepest one. */
static double sum_deep(const uint32_t *depth, const uint8_t *deep, size_t links)
{
    double sum = 0;
    for (size_t i = 0; i < links; i++)
        sum += deep[i] ? depth[i] : 0;
    return sum;
}

/* One trial: a backlog is built up, and the changes of its deep queues are added. */
static int observe_backlog(struct search *search, double load, struct machine *machine,
                           const struct depths *depths, uint8_t *deep, struct trials *trials, int *verdict)
{
    const size_t links = (size_t)search->network->nodes * search->network->ports;
    double before, after;
    uint32_t deepest = 0;
    int code = advance(machine, search, BUILD_UP, &before);
    if (code)
        return code;
    count_depths(machine, depths, links);
    for (size_t i = 0; i < links; i++)
        deepest = depths->link[i] > deepest ? depths->link[i] : deepest;
    for (size_t i = 0; i < links; i++)
        deep[i] = depths->link[i] >= deepest / 2.0;
    pb_traffic_set_load(machine->traffic, load);
    const uint64_t offered = machine->traffic->offered;
    code = advance(machine, search, SETTLE, &after);
    if (deepest < BACKLOG)
        *verdict = -1;
    else if (after - before > clearly * (double)(machine->traffic->offered - offered))
        *verdict = 1;
    const double built_up = sum_deep(depths->link, deep, links);
    count_depths(machine, depths, links);
    after = sum_deep(depths->link, deep, links);
    for (unsigned i = 0; i < PARTS && *verdict == 0 && code == PB_OK; i++) {
        double in_flight;
        before = after;
        code = advance(machine, search, JUDGED / PARTS, &in_flight);
        count_depths(machine, depths, links);
        after = sum_deep(depths->link, deep, links);
        add_change(&trials->part, after - before);
    }
    if (code == PB_OK && *verdict == 0) {
        add_change(&trials->whole, after - built_up);
        *verdict = judge(&trials->part, significant);
        if (*verdict == 0 && trials->whole.count >= WHOLE)
            *verdict = judge(&trials->whole, significant_whole);
    }
    return code;
}

static int observe(struct search *search, double load, unsigned trial, struct trials *trials, int *verdict)
{
    const size_t links = (size_t)search->network->nodes * search->network->ports;
    const struct depths depths = {search, calloc(links, sizeof *depths.link)};
    uint8_t *deep = calloc(links, sizeof *deep);
    struct machine machine = {0};
    int code = depths.link && deep ? PB_OK
                                   : pb_fail(search->diag, PB_ERR_MEMORY,
                                             "machine: no memory for the queues; give fewer nodes");

    if (code == PB_OK)
        code = start(&machine, search, fmin(load * above, search->network->ports), trial);
    if (code == PB_OK) {
        code = observe_backlog(search, load, &machine, &depths, deep, trials, verdict);
        stop(&machine);
    }
    free(depths.link);
    free(deep);
    return code;
}

static int try_load(struct search *search, double load, int *verdict)
{
    struct trials trials = {0};
    int code = PB_OK;

    *verdict = 0;
    for (unsigned trial = 0; trial < TRIALS && *verdict == 0 && code == PB_OK; trial++)
        code = observe(search, load, trial, &trials, verdict);
    return code;
}

/* At found->load nothing is significant. Brings one end nearer to it, as far as its verdict is. */
static int narrow(struct search *search, const struct pb_saturation *found, double *end, int wanted)
{
    int code = PB_OK;
    for (unsigned i = 0; i < NARROWED && code == PB_OK; i++) {
        const double load = (*end + found->load) / 2;
        int verdict;
        code = try_load(search, load, &verdict);
        if (code || verdict != wanted)
            break;
        *end = load;
    }
    return code;
}

int pb_machine_saturation(struct pb_saturation *out, const struct pb_network *network,
                          const struct pb_machine_traffic_options *traffic, double tolerance,
                          void (*progress)(void *context, uint32_t steps), void *context,
                          struct pb_diag *diag)
{
    struct search search = {network, traffic, progress, context, diag, 0, 0};
    double lower = network->ports, upper;
    bool far = true;
    int code = PB_OK;

    *out = (struct pb_saturation){0};
    if (traffic->window || traffic->batch || traffic->trace || !(tolerance > 0))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: saturation is of an open loop, within a tolerance above 0; leave out window, batch "
            "and trace");
    while (far && code == PB_OK) {
        code = is_far_above(&search, lower, &far);
        lower = far ? lower / 2 : lower;
    }
    /* In so short a time a load below the critical one may look far above it, and one above it may not. */
    upper = fmin(2.5 * lower, network->ports);
    struct pb_saturation found = {.lower = lower / 2, .upper = upper};
    bool open = false;
    for (int verdict = 0; code == PB_OK && verdict >= 0;) {
        code = try_load(&search, found.lower, &verdict);
        if (code == PB_OK && verdict >= 0) {
            found.upper = verdict > 0 ? found.lower : found.upper;
            found.lower /= 2;
        }
    }
    while (code == PB_OK && !open && found.upper - found.lower > tolerance * found.upper) {
        int verdict;
        found.load = (found.lower + found.upper) / 2;
        code = try_load(&search, found.load, &verdict);
        open = verdict == 0;
        if (!open)
            *(verdict > 0 ? &found.upper : &found.lower) = found.load;
    }
    if (code == PB_OK && open)
        code = narrow(&search, &found, &found.lower, -1);
    if (code == PB_OK && open)
        code = narrow(&search, &found, &found.upper, 1);
    if (code)
        return code;
    found.load = (found.lower + found.upper) / 2;
    found.runs = search.runs;
    *out = found;
    return PB_OK;
}
