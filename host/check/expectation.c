/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/expectation.h"
#include "host/plan/frame.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collector {
    struct pb_expectation *expectation;
    const struct pb_scenario *scenario;
    int code;
};

static void collect(void *context, const struct pb_crossing *crossing)
{
    struct collector *collector = context;
    struct pb_expectation *expectation = collector->expectation;
    struct pb_message_fate *fate = &expectation->fate[crossing->message];

    if (crossing->last) {
        fate->superframe = crossing->superframe;
        fate->phase = crossing->phase;
    }
    if (collector->code || (pb_seat_of(collector->scenario, crossing->from) < 0 &&
                            pb_seat_of(collector->scenario, crossing->to) < 0))
        return;
    fate->on_rig = true;
    if (expectation->crossings == expectation->capacity) {
        const size_t capacity = expectation->capacity ? 2 * expectation->capacity : 256;
        struct pb_crossing *grown = realloc(expectation->crossing, capacity * sizeof *grown);
        if (!grown) {
            collector->code = PB_ERR_MEMORY;
            return;
        }
        expectation->crossing = grown;
        expectation->capacity = capacity;
    }
    expectation->crossing[expectation->crossings++] = *crossing;
}

static void collect_drop(void *context, uint32_t superframe, unsigned phase, uint32_t node, size_t message)
{
    struct collector *collector = context;
    struct pb_expectation *expectation = collector->expectation;
    const int seat = pb_seat_of(collector->scenario, node);
    const bool own = node == collector->scenario->traffic.message[message].source;
    (void)superframe;
    (void)phase;
    expectation->fate[message].dropped = true;
    expectation->fate[message].refused |= own;
    if (seat >= 0) {
        expectation->drops[seat]++;
        expectation->refusals[seat] += own;
    }
}

/* The largest load of a directed link among the messages of one release superframe, and where it is. */
struct loads {
    uint32_t batch;
    uint32_t at_from;
    unsigned at_dimension;
    uint32_t at_superframe;
};

static int by_release(const void *left, const void *right)
{
    const struct pb_message *a = left, *b = right;
    return a->release_superframe < b->release_superframe ? -1 : a->release_superframe > b->release_superframe;
}

/* Messages born in the middle of a superframe may meet those of the next, so then all are one batch. */
static int find_loads(struct loads *loads, const struct pb_scenario *scenario, bool one_batch)
{
    const struct pb_network *network = &scenario->network;
    const unsigned ports = network->ports;
    const size_t links = (size_t)network->nodes * ports, count = scenario->traffic.count;
    uint32_t *load = malloc(links * sizeof *load);
    struct pb_message *message = malloc((count + 1) * sizeof *message);
    *loads = (struct loads){0};
    if (!load || !message) {
        free(load);
        free(message);
        return PB_ERR_MEMORY;
    }
    memcpy(message, scenario->traffic.message, count * sizeof *message);
    qsort(message, count, sizeof *message, by_release);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from;
             to < count && (one_batch || message[to].release_superframe == message[from].release_superframe);
             to++)
            ;
        const struct pb_traffic batch = {.message = message + from, .count = to - from};
        pb_flow_loads(network, &batch, load);
        for (size_t i = 0; i < links; i++)
            if (load[i] > loads->batch)
                *loads = (struct loads){load[i], (uint32_t)(i / ports), (unsigned)(i % ports),
                                        message[from].release_superframe};
    }
    free(load);
    free(message);
    return PB_OK;
}

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
static unsigned fullest_seat(const struct pb_expectation *expectation, const struct pb_scenario *scenario)
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
    const struct pb_flow_stats *stats = &expectation->stats;
    const unsigned limit = scenario->limits.max_occupancy, seat = fullest_seat(expectation, scenario);
    const struct pb_scenario_node *node = &scenario->node[seat];
    struct pb_hypothesis *h =
        add_hypothesis(result, "buffer occupancy", "no node holds more messages than it has room for",
                       (!limit || stats->max_occupancy <= limit) && !stats->dropped);
    char *text = h->detail;
    const size_t size = sizeof h->detail;
    int at = snprintf(text, size, "the fullest node holds %u", stats->max_occupancy);
    if (limit)
        at += snprintf(text + at, size - (size_t)at, ", the limit is %u", limit);
    at += snprintf(text + at, size - (size_t)at, "; 0x%" PRIX32 " on the rig %u of %u%s", node->address,
                   expectation->fullest[seat], node->room ? node->room : node->room_per_dimension,
                   node->room ? "" : " on a dimension");
    if (stats->dropped)
        snprintf(text + at, size - (size_t)at, "; %zu dropped", stats->dropped);
}

static int apply_theorem(struct pb_expectation *expectation, struct pb_result *result,
                         const struct pb_scenario *scenario)
{
    const struct pb_network *network = &scenario->network;
    const int digits = (int)pb_network_address_digits(network);
    const unsigned phases = network->phases;
    const bool ecube = scenario->rule == PB_RULE_ECUBE, at_start = released_at_start(&scenario->traffic);
    struct loads loads;
    int code = find_loads(&loads, scenario, !at_start);
    if (code)
        return code;

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
    if (loads.batch <= 1 && ecube)
        expectation->bound_superframes = at_start ? 1 : 2;
    else if (ecube) {
        struct pb_flow_bound bound;
        code = pb_flow_analyse(network, &scenario->traffic, &bound);
        if (code)
            return code;
        expectation->bound_superframes = bound.bound_superframes + !at_start;
    } else
        expectation->bound_superframes = 0;

    result->bound_phases = expectation->bound_phases;
    result->bound_superframes = expectation->bound_superframes;
    if (loads.batch <= 1 && ecube)
        snprintf(result->bound, sizeof result->bound,
                 "dimension order, ready at %s, no link wanted twice: every message arrives within %u phases",
                 at_start ? "the superframe start" : "any phase", expectation->bound_phases);
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

int pb_expect(struct pb_expectation *expectation, struct pb_result *result,
              const struct pb_scenario *scenario)
{
    const size_t count = scenario->traffic.count;
    *expectation = (struct pb_expectation){0};
    expectation->fate = calloc(count + 1, sizeof *expectation->fate);
    uint8_t *sequence = malloc(count + 1);
    int code = expectation->fate && sequence ? pb_message_order(scenario, sequence, NULL) : PB_ERR_MEMORY;
    if (!code) {
        for (size_t i = 0; i < count; i++) {
            const struct pb_message *message = &scenario->traffic.message[i];
            const bool stays = message->source == message->destination;
            expectation->fate[i].sequence = sequence[i];
            expectation->fate[i].broken_by = -1;
            expectation->fate[i].superframe = stays ? message->release_superframe : PB_NEVER;
            expectation->fate[i].phase = message->release_phase;
        }
        struct collector collector = {expectation, scenario, PB_OK};
        struct pb_movement movement = {.superframes = scenario->superframes,
                                       .visit = collect,
                                       .dropped = collect_drop,
                                       .context = &collector};
        code = pb_move(&movement, scenario);
        expectation->stats = movement.stats;
        memcpy(expectation->fullest, movement.fullest, sizeof expectation->fullest);
        if (!code)
            code = collector.code;
    }
    free(sequence);
    if (!code)
        code = apply_theorem(expectation, result, scenario);
    result->messages = count;
    for (size_t i = 0; !code && i < count; i++)
        result->messages_through_rig += expectation->fate[i].on_rig;
    if (code)
        pb_expectation_free(expectation);
    return code;
}

void pb_expectation_free(struct pb_expectation *expectation)
{
    free(expectation->crossing);
    free(expectation->fate);
    *expectation = (struct pb_expectation){0};
}
