/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run of a machine as bytes, and a result. What is read leads to no access outside an array, whatever it
 * is: numbers that index one are demanded to be below its end. */
#include "state.h"

#include "host/base/room.h"

#include <string.h>

enum { LEG_BYTES = 8 + 4 * 4 + 1 };

/* ---- a result */

static void pass_means(struct pb_bytes *bytes, struct pb_batch_means *means)
{
    pb_pass_double(bytes, &means->mean);
    pb_pass_double(bytes, &means->half95);
}

/* Each completed message is counted once. */
static int pass_latencies(struct pb_bytes *bytes, struct pb_machine_result *result, size_t *most)
{
    const size_t count = result->completed ? (size_t)result->latency_max + 1 : 0;
    uint64_t sum = 0;

    if (!pb_demand_left(bytes, count, 8))
        return PB_OK;
    if (bytes->reads && pb_make_room(&result->latencies, most, count, sizeof *result->latencies))
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        pb_pass(bytes, &result->latencies[i], 8);
        sum += result->latencies[i];
    }
    if (bytes->reads && count)
        memset(result->latencies + count, 0, (*most - count) * sizeof *result->latencies);
    pb_demand(bytes, sum == result->completed && (count || !result->latency_max));
    return PB_OK;
}

static int pass_course(struct pb_bytes *bytes, struct pb_machine_result *result, size_t *most)
{
    PB_PASS(bytes, 4, result->courses);
    PB_PASS(bytes, 4, result->course_every);
    if (!pb_demand(bytes, result->courses <= PB_MACHINE_COURSE && result->course_every) ||
        !pb_demand_left(bytes, result->courses, 8))
        return PB_OK;
    if (bytes->reads && pb_make_room(&result->course, most, PB_MACHINE_COURSE, sizeof *result->course))
        return PB_ERR_MEMORY;
    pb_pass_doubles(bytes, result->course, result->courses);
    return PB_OK;
}

static int pass_links(struct pb_bytes *bytes, struct pb_machine_result *result,
                      const struct pb_network *network)
{
    const size_t links = (size_t)network->nodes * network->ports;
    bool there = result->link != NULL;
    size_t none = 0;

    PB_PASS(bytes, 1, there);
    if (!there || !pb_demand_left(bytes, links, 8))
        return PB_OK;
    if (bytes->reads && pb_make_room(&result->link, &none, links, sizeof *result->link))
        return PB_ERR_MEMORY;
    pb_pass_doubles(bytes, result->link, links);
    return PB_OK;
}

int pb_machine_result_pass(struct pb_machine_result *result, size_t *latencies_max, size_t *course_max,
                           const struct pb_network *network, struct pb_bytes *bytes)
{
    uint32_t *const word[] = {&result->warm_up,     &result->superframes,  &result->senders,
                              &result->latency_min, &result->latency_max,  &result->p50,
                              &result->p95,         &result->p99,          &result->max_occupancy,
                              &result->max_queue,   &result->last_crossing};
    uint64_t *const total[] = {&result->offered,     &result->completed, &result->dropped, &result->local,
                               &result->unreachable, &result->crossings, &result->compared};

    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
        PB_PASS(bytes, 4, *word[i]);
    for (size_t i = 0; i < sizeof total / sizeof total[0]; i++)
        PB_PASS(bytes, 8, *total[i]);
    PB_PASS(bytes, 1, result->settled);
    PB_PASS(bytes, 1, result->finished);
    PB_PASS(bytes, 1, result->saturated);
    pass_means(bytes, &result->throughput);
    pass_means(bytes, &result->latency);
    pass_means(bytes, &result->occupancy);
    pb_pass_double(bytes, &result->growth);
    int code = pass_latencies(bytes, result, latencies_max);
    if (code == PB_OK)
        code = pass_course(bytes, result, course_max);
    return code == PB_OK ? pass_links(bytes, result, network) : code;
}

/* ---- the traffic */

static void pass_leg(struct pb_bytes *bytes, struct pb_leg *leg, const struct pb_machine_traffic *traffic)
{
    const struct pb_network *network = &traffic->network;

    PB_PASS(bytes, 8, leg->born);
    PB_PASS(bytes, 4, leg->source);
    PB_PASS(bytes, 4, leg->destination);
    PB_PASS(bytes, 4, leg->via);
    PB_PASS(bytes, 4, leg->next);
    PB_PASS(bytes, 1, leg->second);
    pb_demand(bytes, leg->born <= (traffic->made + 1) * network->phases && leg->source < network->nodes &&
                         leg->destination < network->nodes && leg->via < network->nodes &&
                         (leg->next < traffic->legs || leg->next == PB_NO_LEG));
}

static int pass_legs(struct pb_bytes *bytes, struct pb_machine_traffic *traffic)
{
    PB_PASS(bytes, 4, traffic->legs);
    PB_PASS(bytes, 4, traffic->free);
    PB_PASS(bytes, 4, traffic->dues);
    pb_demand(bytes, traffic->legged || !traffic->legs);
    pb_demand(bytes, traffic->free < traffic->legs || traffic->free == PB_NO_LEG);
    pb_demand(bytes, traffic->dues <= traffic->legs);
    if (!pb_demand_left(bytes, traffic->legs, LEG_BYTES))
        return PB_OK;
    if (bytes->reads &&
        (pb_make_room(&traffic->leg, &traffic->legs_max, traffic->legs, sizeof *traffic->leg) ||
         pb_make_room(&traffic->due, &traffic->dues_max, traffic->dues, sizeof *traffic->due)))
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < traffic->legs; i++)
        pass_leg(bytes, &traffic->leg[i], traffic);
    pb_pass_words(bytes, traffic->due, traffic->dues);
    for (size_t i = 0; i < traffic->dues; i++)
        pb_demand(bytes, traffic->due[i] < traffic->legs);
    return PB_OK;
}

/* The trace has given what it has for the superframes that were made. */
static int skip_trace(struct pb_machine_traffic *traffic)
{
    struct pb_releases *const trace = traffic->of_trace;
    struct pb_birth birth[64];
    uint32_t superframe;
    size_t count;
    int code = PB_OK;

    while (code == PB_OK && trace->next(trace, &superframe) && superframe < traffic->made)
        code = trace->take(trace, superframe, birth, sizeof birth / sizeof birth[0], &count);
    return code;
}

static int pass_traffic(struct pb_bytes *bytes, struct pb_machine_traffic *traffic, uint32_t superframe)
{
    uint64_t *const total[] = {&traffic->made,  &traffic->released,    &traffic->offered,
                               &traffic->local, &traffic->unreachable, &traffic->first_legs};

    for (size_t i = 0; i < sizeof total / sizeof total[0]; i++)
        pb_pass(bytes, total[i], 8);
    if (!pb_demand(bytes, traffic->made == superframe))
        return PB_OK;
    const int code = pass_legs(bytes, traffic);
    return code == PB_OK && bytes->reads && traffic->mode == PB_TRACE ? skip_trace(traffic) : code;
}

/* ---- the run */

static int pass_series(struct pb_bytes *bytes, struct pb_series *series)
{
    double **const value[] = {&series->in_flight, &series->latency, &series->complete};

    PB_PASS(bytes, 8, series->count);
    if (!pb_demand_left(bytes, series->count, 3 * 8))
        return PB_OK;
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
        if (bytes->reads && pb_make_room(value[i], &series->capacity[i], series->count, sizeof **value[i]))
            return PB_ERR_MEMORY;
        pb_pass_doubles(bytes, *value[i], series->count);
    }
    return PB_OK;
}

static int pass_before(struct pb_bytes *bytes, struct pb_machine_state *run)
{
    const struct pb_network *network = run->options->network;
    const size_t links = (size_t)network->nodes * network->ports;
    size_t none = 0;

    pb_pass_double(bytes, &run->before.in_flight);
    PB_PASS(bytes, 8, run->before.offered);
    PB_PASS(bytes, 8, run->before.local);
    PB_PASS(bytes, 8, run->before.unreachable);
    PB_PASS(bytes, 8, run->before.crossings);
    if (!run->measuring || !pb_demand_left(bytes, links, 4))
        return PB_OK;
    if (bytes->reads && pb_make_room(&run->before.load, &none, links, sizeof *run->before.load))
        return PB_ERR_MEMORY;
    pb_pass_words(bytes, run->before.load, links);
    return PB_OK;
}

/* Whether the steps so far are among those that the options give. */
static bool is_within(const struct pb_machine_state *run)
{
    const struct pb_machine_options *options = run->options;
    const bool detects = options->warm_up == PB_MACHINE_DETECT;
    const uint64_t superframe = run->superframe, warm_up = run->result->warm_up,
                   most = detects ? options->superframes : options->warm_up;

    if (run->measuring)
        return warm_up <= most && run->series.count <= options->superframes &&
               warm_up + run->series.count == superframe;
    return run->series.count == superframe && superframe <= (detects ? run->until : most) &&
           (!detects || run->until <= most);
}

int pb_machine_state_pass(struct pb_machine_state *run, struct pb_bytes *bytes)
{
    uint64_t *const total[] = {&run->until,     &run->delivered, &run->dropped,
                               &run->in_flight, &run->area,      &run->lives};

    PB_PASS(bytes, 4, run->superframe);
    PB_PASS(bytes, 1, run->measuring);
    PB_PASS(bytes, 8, run->course_filled);
    for (size_t i = 0; i < sizeof total / sizeof total[0]; i++)
        pb_pass(bytes, total[i], 8);
    int code = pb_machine_result_pass(run->result, &run->latencies_max, &run->course_max,
                                      run->options->network, bytes);
    if (code == PB_OK)
        code = pass_series(bytes, &run->series);
    if (code == PB_OK)
        code = pass_before(bytes, run);
    if (code == PB_OK)
        code = pass_traffic(bytes, run->traffic, run->superframe);
    /* What a run concludes is not there before its end. */
    pb_demand(bytes, !run->result->latency_min && !run->result->link);
    pb_demand(bytes, is_within(run) && run->course_filled <= run->result->course_every);
    return code;
}
