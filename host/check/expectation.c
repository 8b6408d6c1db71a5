/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/expectation.h"
#include "host/scenario/program.h"
#include "phasebench/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest load of a directed link among the messages of one release superframe, and where it is. */
struct loads {
    uint32_t batch;
    uint32_t at_from;
    unsigned at_dimension;
    uint32_t at_superframe;
    uint32_t *load; /* owned */
};

static int by_release(const void *left, const void *right)
{
    const struct pb_message *a = left, *b = right;
    return a->release_superframe < b->release_superframe ? -1 : a->release_superframe > b->release_superframe;
}

static bool is_sorted(const struct pb_traffic *traffic)
{
    for (size_t i = 1; i < traffic->count; i++)
        if (traffic->message[i].release_superframe < traffic->message[i - 1].release_superframe)
            return false;
    return true;
}

static void note_loads(struct loads *loads, const struct pb_network *network, const struct pb_traffic *batch)
{
    const unsigned ports = network->ports;
    const size_t links = (size_t)network->nodes * ports;
    pb_flow_loads(network, batch, loads->load);
    for (size_t i = 0; i < links; i++)
        if (loads->load[i] > loads->batch) {
            loads->batch = loads->load[i];
            loads->at_from = (uint32_t)(i / ports);
            loads->at_dimension = (unsigned)(i % ports);
            loads->at_superframe = batch->message[0].release_superframe;
        }
}

/* Messages born in the middle of a superframe may meet those of the next, so then all are one batch. */
static int find_loads(struct loads *loads, const struct pb_network *network,
                      const struct pb_traffic *traffic, bool one_batch)
{
    const size_t count = traffic->count;
    struct pb_message *message = traffic->message, *sorted = NULL;
    if (!is_sorted(traffic)) {
        message = sorted = malloc(count * sizeof *sorted);
        if (!sorted)
            return PB_ERR_MEMORY;
        memcpy(sorted, traffic->message, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_release);
    }
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from;
             to < count && (one_batch || message[to].release_superframe == message[from].release_superframe);
             to++)
            ;
        note_loads(loads, network, &(struct pb_traffic){.message = message + from, .count = to - from});
    }
    free(sorted);
    return PB_OK;
}

struct pb_foreseen {
    const struct pb_scenario *scenario;
    bool at_start; /* every message is released in phase 0 */
    struct loads loads;
    struct pb_mover_stats stats;
    unsigned fullest[PB_SCENARIO_NODES_MAX];
    uint8_t *on_rig;      /* owned; bit per message of a list: it crosses a line of the rig */
    uint64_t through_rig; /* such messages */
};

static struct pb_hypothesis *add_hypothesis(struct pb_result *result, const char *name, const char *condition,
                                            bool holds)
{
    struct pb_hypothesis *hypothesis = &result->hypothesis[result->hypotheses++];
    snprintf(hypothesis->name, sizeof hypothesis->name, "%s", name);
    snprintf(hypothesis->condition, sizeof hypothesis->condition, "%s", condition);
    hypothesis->holds = holds;
    return hypothesis;
}

static bool released_at_start(const struct pb_traffic *traffic)
{
    for (size_t i = 0; i < traffic->count; i++)
        if (traffic->message[i].release_phase)
            return false;
    return true;
}

/* The node of the rig that is nearest to its room. Those elsewhere are virtual and have room for everything.
 */
static unsigned fullest_node(const struct pb_expectation *expectation, const struct pb_scenario *scenario)
{
    unsigned fullest = 0;
    for (unsigned i = 1; i < scenario->node_count; i++) {
        const struct pb_scenario_node *a = &scenario->node[i], *b = &scenario->node[fullest];
        const uint64_t a_room = a->room ? a->room : a->room_per_dimension,
                       b_room = b->room ? b->room : b->room_per_dimension;
        if (expectation->fullest[i] * b_room > expectation->fullest[fullest] * a_room)
            fullest = i;
    }
    return fullest;
}

static void add_occupancy(const struct pb_expectation *expectation, struct pb_result *result,
                          const struct pb_scenario *scenario)
{
    const struct pb_mover_stats *stats = &expectation->stats;
    const unsigned limit = scenario->limits.max_occupancy, node_index = fullest_node(expectation, scenario);
    const struct pb_scenario_node *node = &scenario->node[node_index];
    struct pb_hypothesis *h =
        add_hypothesis(result, "buffer occupancy", "no node holds more messages than it has room for",
                       (!limit || stats->max_occupancy <= limit) && !stats->dropped);
    char *text = h->detail;
    const size_t size = sizeof h->detail;
    int at = snprintf(text, size, "the fullest node holds %u", stats->max_occupancy);
    if (limit)
        at += snprintf(text + at, size - (size_t)at, ", the limit is %u", limit);
    at += snprintf(text + at, size - (size_t)at, "; 0x%" PRIX32 " on the rig %u of %u%s", node->address,
                   expectation->fullest[node_index], node->room ? node->room : node->room_per_dimension,
                   node->room ? "" : " on a dimension");
    if (stats->dropped)
        snprintf(text + at, size - (size_t)at, "; %" PRIu64 " dropped", stats->dropped);
}

/* Each frame is a message to a neighbour that is born in its own phase, and arrives in it. */
static void apply_program(struct pb_expectation *expectation, struct pb_result *result,
                          const struct pb_scenario *scenario)
{
    const struct pb_scenario_program *program = scenario->program;
    add_occupancy(expectation, result, scenario);
    result->bound_phases = expectation->bound_phases = scenario->network.phases;
    result->bound_superframes = expectation->bound_superframes = 1;
    snprintf(result->bound, sizeof result->bound,
             "program '%s', %" PRIu32 " superframe%s: each frame has its phase, and arrives in it",
             program->program->name, program->superframes, program->superframes == 1 ? "" : "s");
}

static int apply_theorem(struct pb_expectation *expectation, struct pb_result *result,
                         const struct pb_scenario *scenario, const struct pb_foreseen *foreseen)
{
    const struct pb_network *network = &scenario->network;
    const int digits = (int)pb_network_address_digits(network);
    const unsigned phases = network->phases;
    const bool ecube = scenario->rule == PB_RULE_ECUBE, at_start = foreseen->at_start,
               endless = scenario->endless_count > 0;
    const struct loads loads = foreseen->loads;
    /* Messages born in the middle of a superframe, again and again, may meet those of any other. */
    const bool light = loads.batch <= 1 && (at_start || !endless);

    struct pb_hypothesis *h = add_hypothesis(
        result, "routing rule", "every node crosses the lowest differing dimension first", ecube);
    snprintf(h->detail, sizeof h->detail, "the scenario orders %s", pb_rule_name(scenario->rule));
    h = add_hypothesis(result, "birth", "every message is ready when a superframe starts", at_start);
    snprintf(h->detail, sizeof h->detail,
             at_start ? "all are released at phase 0" : "some are released in a later phase");
    h = add_hypothesis(result, "link load", "no directed link is wanted twice in a superframe",
                       loads.batch <= 1);
    if (loads.batch)
        snprintf(h->detail, sizeof h->detail,
                 "largest load %" PRIu32 ": 0x%0*" PRIX32 " to 0x%0*" PRIX32
                 " on %s %u, superframe %" PRIu32,
                 loads.batch, digits, loads.at_from, digits,
                 pb_network_neighbour(network, loads.at_from, loads.at_dimension),
                 network->dims ? "dimension" : "port", loads.at_dimension,
                 loads.at_superframe);
    else
        snprintf(h->detail, sizeof h->detail, "no message crosses a link");
    add_occupancy(expectation, result, scenario);

    expectation->bound_phases = pb_bound_lone_phases(network, scenario->rule, !at_start);
    if (light && ecube)
        expectation->bound_superframes = at_start ? 1 : 2;
    else if (ecube && !endless) {
        struct pb_flow_bound bound;
        const int code = pb_flow_analyse(network, &scenario->traffic, &bound);
        if (code)
            return code;
        expectation->bound_superframes = bound.bound_superframes + !at_start;
    } else
        expectation->bound_superframes = 0;

    result->bound_phases = expectation->bound_phases;
    result->bound_superframes = expectation->bound_superframes;
    if (light && ecube)
        snprintf(result->bound, sizeof result->bound,
                 "dimension order, ready at %s, no link wanted twice: every message arrives within %u phases",
                 at_start ? "the superframe start" : "any phase", expectation->bound_phases);
    else if (ecube && endless)
        snprintf(
            result->bound, sizeof result->bound,
            "dimension order under load without end: the %u-phase bound does not apply; only the computed "
            "schedule does",
            phases);
    else if (ecube)
        snprintf(result->bound, sizeof result->bound,
                 "dimension order under load: the %u-phase bound does not apply; every message arrives "
                 "within %" PRIu32 " superframes (1 + the others that share a link with it)",
                 phases, expectation->bound_superframes);
    else
        snprintf(result->bound, sizeof result->bound,
                 "opportunistic order: a lone message arrives within %u phases from any birth; under load "
                 "only the computed schedule applies",
                 expectation->bound_phases);
    return PB_OK;
}

/* ---- what is foreseen */

/* A list of births as traffic. */
static int note_births(struct pb_foreseen *foreseen, const struct pb_moved *moved)
{
    struct pb_traffic batch = {.message = malloc((moved->births + 1) * sizeof *batch.message)};
    if (!batch.message)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < moved->births; i++) {
        const struct pb_birth *birth = &moved->birth[i];
        foreseen->at_start &= !birth->phase;
        batch.message[batch.count++] =
            (struct pb_message){birth->source, birth->destination, birth->superframe, birth->phase};
    }
    if (batch.count)
        note_loads(&foreseen->loads, &foreseen->scenario->network, &batch);
    free(batch.message);
    return PB_OK;
}

static int see(void *context, const struct pb_moved *moved)
{
    struct pb_foreseen *foreseen = context;
    foreseen->stats = moved->stats;
    memcpy(foreseen->fullest, moved->fullest, sizeof foreseen->fullest);
    if (foreseen->scenario->endless_count)
        return note_births(foreseen, moved);
    for (size_t i = 0; i < moved->crossings; i++) {
        const size_t message = (size_t)moved->crossing[i].message;
        const uint8_t bit = (uint8_t)(1u << message % 8);
        foreseen->through_rig += !(foreseen->on_rig[message / 8] & bit);
        foreseen->on_rig[message / 8] |= bit;
    }
    return PB_OK;
}

int pb_expect(struct pb_expectation *expectation, struct pb_result *result,
              const struct pb_scenario *scenario)
{
    const struct pb_network *network = &scenario->network;
    const bool endless = scenario->endless_count > 0;
    struct pb_foreseen foreseen = {.scenario = scenario, .at_start = released_at_start(&scenario->traffic)};
    *expectation = (struct pb_expectation){0};
    foreseen.on_rig = calloc(scenario->traffic.count / 8 + 1, 1);
    foreseen.loads.load = malloc((size_t)network->nodes * network->ports * sizeof *foreseen.loads.load);
    int code = foreseen.on_rig && foreseen.loads.load ? PB_OK : PB_ERR_MEMORY;
    if (!code)
        code = pb_foresee(scenario, scenario->superframes, see, &foreseen, NULL);
    if (!code && !endless)
        code = find_loads(&foreseen.loads, network, &scenario->traffic, !foreseen.at_start);
    if (!code) {
        expectation->stats = foreseen.stats;
        memcpy(expectation->fullest, foreseen.fullest, sizeof expectation->fullest);
        if (scenario->program)
            apply_program(expectation, result, scenario);
        else
            code = apply_theorem(expectation, result, scenario, &foreseen);
    }
    if (!code && !endless) {
        result->messages = scenario->traffic.count;
        result->messages_through_rig = foreseen.through_rig;
        expectation->never = scenario->traffic.count - foreseen.stats.delivered - foreseen.stats.dropped;
    }
    free(foreseen.on_rig);
    free(foreseen.loads.load);
    return code;
}
