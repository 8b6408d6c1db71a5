/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "traffic.h"

#include "host/base/room.h"
#include "phasebench/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers of a node and superframe */

static uint64_t stream_of(const struct pb_machine_traffic *traffic, uint64_t superframe, uint32_t node)
{
    uint64_t state = traffic->how.seed;
    state = pb_splitmix64(&state) ^ traffic->how.trial;
    state = pb_splitmix64(&state) ^ superframe;
    state = pb_splitmix64(&state) ^ node;
    return pb_splitmix64(&state);
}

static double share_of(uint64_t *random)
{
    return (double)(pb_splitmix64(random) >> 11) * 0x1p-53;
}

static uint32_t below(uint64_t *random, uint32_t limit)
{
    return (uint32_t)((pb_splitmix64(random) >> 32) * limit >> 32);
}

static uint32_t other_node(const struct pb_machine_traffic *traffic, uint64_t *random, uint32_t node)
{
    const uint32_t nodes = traffic->network.nodes, other = node + 1 + below(random, nodes - 1);
    return other < nodes ? other : other - nodes;
}

static uint32_t destination_of(const struct pb_machine_traffic *traffic, uint64_t *random, uint32_t node)
{
    uint32_t target = traffic->target[node];
    if (traffic->hot != PB_TO_NONE && traffic->how.hot < 1 && share_of(random) >= traffic->how.hot)
        target = PB_TO_ANY;
    return target == PB_TO_ANY ? other_node(traffic, random, node) : target;
}

/* ---- legs */

static int take_leg(struct pb_machine_traffic *traffic, uint32_t *index)
{
    if (traffic->free != PB_NO_LEG) {
        *index = traffic->free;
        traffic->free = traffic->leg[*index].next;
        return PB_OK;
    }
    if (traffic->legs >= PB_NO_LEG ||
        pb_make_room(&traffic->leg, &traffic->legs_max, traffic->legs + 1, sizeof *traffic->leg))
        return PB_ERR_MEMORY;
    *index = (uint32_t)traffic->legs++;
    return PB_OK;
}

static void free_leg(struct pb_machine_traffic *traffic, uint32_t index)
{
    traffic->leg[index].next = traffic->free;
    traffic->free = index;
}

static int make_due(struct pb_machine_traffic *traffic, uint32_t index)
{
    if (pb_make_room(&traffic->due, &traffic->dues_max, traffic->dues + 1, sizeof *traffic->due))
        return PB_ERR_MEMORY;
    traffic->due[traffic->dues++] = index;
    return PB_OK;
}

/* ---- the releases of a superframe */

static int release(struct pb_drawn *drawn, const struct pb_birth *birth)
{
    if (pb_make_room(&drawn->birth, &drawn->births_max, drawn->births + 1, sizeof *drawn->birth))
        return PB_ERR_MEMORY;
    drawn->birth[drawn->births++] = *birth;
    return PB_OK;
}

static int release_leg(struct pb_machine_traffic *traffic, uint32_t index, uint32_t superframe,
                       unsigned phase)
{
    const struct pb_leg *leg = &traffic->leg[index];
    const bool there = !leg->second;
    struct pb_birth birth = {index, leg->source, leg->destination, superframe, phase};

    if (traffic->mode == PB_CLOSED) {
        birth.source = there ? leg->source : leg->destination;
        birth.destination = there ? leg->destination : leg->source;
    } else {
        birth.source = there ? leg->source : leg->via;
        birth.destination = there ? leg->via : leg->destination;
        traffic->first_legs += there;
    }
    return release(&traffic->drawn, &birth);
}

/* A new message of a node. With legs `drawn` is that of the traffic. */
static int offer(struct pb_machine_traffic *traffic, struct pb_drawn *drawn, uint64_t *random,
                 uint32_t source, uint32_t destination, uint32_t superframe, unsigned phase)
{
    uint32_t index = 0;

    if (source == destination) {
        drawn->local++;
        return PB_OK;
    }
    if (traffic->how.dead && !pb_machine_reaches(traffic->how.dead, source, destination)) {
        drawn->unreachable++;
        return PB_OK;
    }
    const uint64_t number = traffic->offered + drawn->offered++;
    if (!traffic->legged)
        return release(drawn, &(struct pb_birth){number, source, destination, superframe, phase});
    if (take_leg(traffic, &index))
        return PB_ERR_MEMORY;
    struct pb_leg *leg = &traffic->leg[index];
    *leg = (struct pb_leg){.born = (uint64_t)superframe * traffic->network.phases + phase,
                           .source = source,
                           .destination = destination};
    if (traffic->mode != PB_CLOSED) {
        leg->via = below(random, traffic->network.nodes);
        leg->second = leg->via == source;
    }
    return release_leg(traffic, index, superframe, phase);
}

static int offer_openly(struct pb_machine_traffic *traffic, struct pb_drawn *drawn, uint32_t superframe,
                        uint32_t node)
{
    const unsigned burst = traffic->how.burst > 1 ? traffic->how.burst : 1;
    const double bursts = traffic->how.load / burst;
    uint64_t random = stream_of(traffic, superframe, node);
    const double whole = floor(bursts);
    const uint64_t messages = ((uint64_t)whole + (share_of(&random) < bursts - whole)) * burst;
    unsigned phase = 0;
    int code = PB_OK;

    for (uint64_t i = 0; i < messages && code == PB_OK; i++) {
        if (traffic->how.any_phase && i % burst == 0)
            phase = below(&random, traffic->network.phases);
        code =
            offer(traffic, drawn, &random, node, destination_of(traffic, &random, node), superframe, phase);
    }
    return code;
}

/* A node asks another one. */
static uint32_t asked_by(const struct pb_machine_traffic *traffic, uint64_t *random, uint32_t node)
{
    const uint32_t destination = destination_of(traffic, random, node);
    return destination == node ? other_node(traffic, random, node) : destination;
}

static int offer_requests(struct pb_machine_traffic *traffic, uint32_t superframe, uint32_t node,
                          unsigned count)
{
    uint64_t random = stream_of(traffic, superframe, node);
    int code = PB_OK;
    for (unsigned i = 0; i < count && code == PB_OK; i++) {
        code =
            offer(traffic, &traffic->drawn, &random, node, asked_by(traffic, &random, node), superframe, 0);
    }
    return code;
}

static int offer_batch(struct pb_machine_traffic *traffic)
{
    uint64_t random = stream_of(traffic, 0, 0);
    int code = PB_OK;
    for (unsigned i = 0; i < traffic->how.batch; i++)
        for (size_t m = 0; m < traffic->list[i].count && code == PB_OK; m++) {
            const struct pb_message *message = &traffic->list[i].message[m];
            if (!traffic->how.dead || !pb_machine_is_dead(traffic->how.dead, message->source))
                code = offer(traffic, &traffic->drawn, &random, message->source, message->destination, 0, 0);
        }
    return code;
}

static int offer_trace(struct pb_machine_traffic *traffic, uint32_t superframe)
{
    struct pb_birth birth[64];
    size_t count = 1;
    int code = PB_OK;
    while (count && code == PB_OK) {
        code = traffic->of_trace->take(traffic->of_trace, superframe, birth, sizeof birth / sizeof birth[0],
                                       &count);
        for (size_t i = 0; i < count && code == PB_OK; i++)
            code = offer(traffic, &traffic->drawn, NULL, birth[i].source, birth[i].destination, superframe,
                         birth[i].phase);
    }
    return code;
}

/* Those of one phase stay in their order. */
static int sort_births(struct pb_drawn *drawn, unsigned phases)
{
    size_t start[PB_NETWORK_PHASES_MAX + 1] = {0};

    if (pb_make_room(&drawn->sorted, &drawn->sorted_max, drawn->births + 1, sizeof *drawn->sorted))
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < drawn->births; i++)
        start[drawn->birth[i].phase + 1]++;
    for (unsigned phase = 0; phase < phases; phase++)
        start[phase + 1] += start[phase];
    for (size_t i = 0; i < drawn->births; i++)
        drawn->sorted[start[drawn->birth[i].phase]++] = drawn->birth[i];
    struct pb_birth *const births = drawn->birth;
    const size_t most = drawn->births_max;
    drawn->birth = drawn->sorted;
    drawn->births_max = drawn->sorted_max;
    drawn->sorted = births;
    drawn->sorted_max = most;
    return PB_OK;
}

static void begin_drawing(struct pb_drawn *drawn)
{
    drawn->births = 0;
    drawn->offered = drawn->local = drawn->unreachable = drawn->instants = 0;
}

static int end_drawing(const struct pb_machine_traffic *traffic, struct pb_drawn *drawn)
{
    for (size_t i = 0; i < drawn->births; i++)
        drawn->instants += drawn->birth[i].phase;
    return traffic->how.any_phase ? sort_births(drawn, traffic->network.phases) : PB_OK;
}

static int draw_openly(struct pb_machine_traffic *traffic, struct pb_drawn *drawn, uint32_t superframe,
                       uint32_t first, uint32_t nodes)
{
    int code = PB_OK;
    for (uint32_t node = first; node < first + nodes && code == PB_OK; node++)
        if (traffic->target[node] != PB_TO_NONE)
            code = offer_openly(traffic, drawn, superframe, node);
    return code;
}

bool pb_traffic_is_apart(const struct pb_machine_traffic *traffic)
{
    return traffic->mode == PB_OPEN && !traffic->legged;
}

int pb_traffic_draw(struct pb_machine_traffic *traffic, struct pb_drawn *drawn, uint32_t superframe,
                    uint32_t first, uint32_t nodes)
{
    begin_drawing(drawn);
    const int code = draw_openly(traffic, drawn, superframe, first, nodes);
    return code ? code : end_drawing(traffic, drawn);
}

void pb_traffic_free_drawn(struct pb_drawn *drawn)
{
    free(drawn->birth);
    free(drawn->sorted);
}

void pb_traffic_add_drawn(struct pb_machine_traffic *traffic, const struct pb_drawn *drawn)
{
    traffic->offered += drawn->offered;
    traffic->local += drawn->local;
    traffic->unreachable += drawn->unreachable;
    traffic->instants = drawn->instants;
    traffic->count = drawn->births;
    traffic->released += drawn->births;
    traffic->made++;
}

static int release_dues(struct pb_machine_traffic *traffic, uint32_t superframe)
{
    int code = PB_OK;
    if (traffic->how.valiant == PB_VALIANT_BARRIER && traffic->first_legs)
        return PB_OK;
    for (size_t i = 0; i < traffic->dues && code == PB_OK; i++)
        code = release_leg(traffic, traffic->due[i], superframe, 0);
    traffic->dues = 0;
    return code;
}

static int make_superframe(struct pb_machine_traffic *traffic, uint32_t superframe)
{
    struct pb_drawn *drawn = &traffic->drawn;

    begin_drawing(drawn);
    traffic->taken = 0;
    int code = release_dues(traffic, superframe);
    if (traffic->mode == PB_BATCH && superframe == 0 && code == PB_OK)
        code = offer_batch(traffic);
    if (traffic->mode == PB_TRACE && code == PB_OK)
        code = offer_trace(traffic, superframe);
    if (traffic->mode == PB_OPEN && code == PB_OK)
        code = draw_openly(traffic, drawn, superframe, 0, traffic->network.nodes);
    for (uint32_t node = 0; traffic->mode == PB_CLOSED && superframe == 0 && node < traffic->network.nodes;
         node++)
        if (traffic->target[node] != PB_TO_NONE && code == PB_OK)
            code = offer_requests(traffic, superframe, node, traffic->how.window);
    if (code == PB_OK)
        code = end_drawing(traffic, drawn);
    traffic->made = superframe;
    pb_traffic_add_drawn(traffic, drawn);
    return code;
}

static int take(struct pb_releases *releases, uint32_t superframe, struct pb_birth *birth, size_t room,
                size_t *count)
{
    struct pb_machine_traffic *traffic = (struct pb_machine_traffic *)releases;

    *count = 0;
    if (superframe >= traffic->made) {
        const int code = make_superframe(traffic, superframe);
        if (code)
            return code;
    }
    const size_t left = traffic->drawn.births - traffic->taken;
    *count = left < room ? left : room;
    if (*count)
        memcpy(birth, traffic->drawn.birth + traffic->taken, *count * sizeof *birth);
    traffic->taken += *count;
    return PB_OK;
}

bool pb_traffic_left(const struct pb_machine_traffic *traffic)
{
    uint32_t superframe;
    return traffic->mode == PB_OPEN || traffic->dues ||
           (traffic->mode == PB_TRACE ? traffic->of_trace->next(traffic->of_trace, &superframe)
                                      : traffic->made == 0);
}

static bool next(const struct pb_releases *releases, uint32_t *superframe)
{
    const struct pb_machine_traffic *traffic = (const struct pb_machine_traffic *)releases;
    *superframe = (uint32_t)traffic->made;
    return pb_traffic_left(traffic);
}

/* ---- ends of messages */

static int ask_again(struct pb_machine_traffic *traffic, uint32_t index, uint32_t superframe)
{
    struct pb_leg *leg = &traffic->leg[index];
    uint64_t random = stream_of(traffic, superframe, leg->source) ^ index;

    leg->destination = asked_by(traffic, &random, leg->source);
    leg->born = ((uint64_t)superframe + 1) * traffic->network.phases;
    leg->second = false;
    traffic->offered++;
    return make_due(traffic, index);
}

int pb_traffic_arrived(struct pb_machine_traffic *traffic, const struct pb_crossing *crossing,
                       struct pb_arrival *arrival)
{
    *arrival = (struct pb_arrival){
        true, (uint64_t)crossing->release_superframe * traffic->network.phases + crossing->release_phase};
    if (!traffic->legged)
        return PB_OK;
    const uint32_t index = (uint32_t)crossing->message;
    struct pb_leg *leg = &traffic->leg[index];
    traffic->first_legs -= traffic->mode != PB_CLOSED && !leg->second;
    arrival->born = leg->born;
    arrival->complete = leg->second || (traffic->mode != PB_CLOSED && leg->via == leg->destination);
    if (!arrival->complete) {
        leg->second = true;
        return make_due(traffic, index);
    }
    if (traffic->mode == PB_CLOSED)
        return ask_again(traffic, index, crossing->superframe);
    free_leg(traffic, index);
    return PB_OK;
}

int pb_traffic_dropped(struct pb_machine_traffic *traffic, uint64_t message, uint32_t superframe)
{
    if (!traffic->legged)
        return PB_OK;
    traffic->first_legs -= traffic->mode != PB_CLOSED && !traffic->leg[message].second;
    if (traffic->mode == PB_CLOSED)
        return ask_again(traffic, (uint32_t)message, superframe);
    free_leg(traffic, (uint32_t)message);
    return PB_OK;
}

void pb_traffic_set_load(struct pb_machine_traffic *traffic, double load)
{
    traffic->how.load = load;
}

/* ---- creation */

static void free_releases(struct pb_releases *releases)
{
    pb_machine_traffic_free((struct pb_machine_traffic *)releases);
}

void pb_machine_traffic_free(struct pb_machine_traffic *traffic)
{
    if (!traffic)
        return;
    for (unsigned i = 0; traffic->list && i < traffic->how.batch; i++)
        pb_traffic_free(&traffic->list[i]);
    free(traffic->list);
    pb_releases_free(traffic->of_trace);
    free(traffic->target);
    free(traffic->leg);
    free(traffic->due);
    pb_traffic_free_drawn(&traffic->drawn);
    free(traffic);
}

static int check_options(const struct pb_network *network, const struct pb_machine_traffic_options *how,
                         struct pb_diag *diag)
{
    const bool open = !how->trace && !how->window && !how->batch;

    if (how->trace ? how->pattern || how->window || how->batch || how->valiant : !how->pattern)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: a trace has all messages itself; leave out pattern, window, batch and Valiant");
    if (how->window && (how->batch || how->valiant))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: a closed loop is neither a batch nor Valiant's; leave "
                       "out one of them");
    if (!open && (how->load != 0 || how->burst > 1 || how->any_phase))
        return pb_fail(diag, PB_ERR_ARGUMENT, "machine: load, bursts and random phases are of an open loop; "
                                              "leave out the window, the batch or the trace");
    if (open && !(how->load > 0 && how->load <= network->ports))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: load %g is not possible; a node sends at most one message on each of its %u "
                       "ports in a superframe; give more than 0, at most %u",
                       how->load, network->ports, network->ports);
    if (!(how->hot >= 0 && how->hot <= 1))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: share %g of the hot node is out of range; give 0 to 1", how->hot);
    if (how->valiant == PB_VALIANT_BARRIER && !how->batch)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: a barrier waits for all messages, and traffic that goes on has no last one; give "
            "a batch");
    if ((how->valiant || how->window) && how->dead)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: random nodes and answers may be unreachable when something is dead; leave out "
            "Valiant and the window");
    return PB_OK;
}

static bool is_plain(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0;
}

/* perm, xors and uniform may leave the seed to the options. */
static const char *with_seed(const struct pb_machine_traffic_options *how, uint64_t seed, char text[64])
{
    static const char *const seeded[] = {"perm", "xors", "uniform"};
    for (size_t i = 0; i < sizeof seeded / sizeof seeded[0]; i++)
        if (is_plain(how->pattern, seeded[i])) {
            snprintf(text, 64, "%s:%" PRIu64, seeded[i], seed);
            return text;
        }
    return how->pattern;
}

static int fill_batch(struct pb_machine_traffic *traffic, struct pb_diag *diag)
{
    struct pb_pattern pattern;
    char text[64];
    int code = pb_pattern_parse(&pattern, &traffic->network,
                                with_seed(&traffic->how, traffic->how.seed, text), diag);
    if (code)
        return code;
    traffic->list = calloc(traffic->how.batch, sizeof *traffic->list);
    for (unsigned i = 0; i < traffic->how.batch && code == PB_OK; i++)
        code = traffic->list ? pb_pattern_fill(&pattern, i, &traffic->list[i]) : PB_ERR_MEMORY;
    traffic->senders = traffic->network.nodes;
    return code
               ? pb_fail(diag, code, "no memory for %u messages of each node; give fewer", traffic->how.batch)
               : PB_OK;
}

static int fill_targets(struct pb_machine_traffic *traffic, struct pb_diag *diag)
{
    const struct pb_machine_traffic_options *how = &traffic->how;
    const uint32_t nodes = traffic->network.nodes;
    struct pb_pattern pattern;
    struct pb_traffic list;
    char text[64];

    traffic->target = calloc(nodes, sizeof *traffic->target);
    if (!traffic->target)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %" PRIu32 " nodes; give fewer", nodes);
    traffic->uniform = is_plain(how->pattern, "uniform") || strncmp(how->pattern, "uniform:", 8) == 0;
    int code = pb_pattern_parse(&pattern, &traffic->network, with_seed(how, how->seed, text), diag);
    if (code == PB_OK)
        code = pb_traffic_generate(&list, &traffic->network, with_seed(how, how->seed, text), diag);
    if (code)
        return code;
    if (traffic->uniform)
        traffic->how.seed = pattern.argument;
    bool single = list.count == nodes;
    for (uint32_t node = 0; node < nodes && single; node++) {
        single = list.message[node].source == node;
        const uint32_t destination = list.message[node].destination;
        traffic->target[node] = traffic->uniform ? PB_TO_ANY : destination;
    }
    pb_traffic_free(&list);
    if (!single)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: traffic '%.60s' has other than one message for each source; give it as a batch, or "
            "use uniform",
            how->pattern);
    if (strncmp(how->pattern, "hotspot:", 8) == 0)
        traffic->hot = traffic->target[0];
    else if (how->hot < 1)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: traffic '%.60s' has no hot node; give hotspot:NODE, or leave out its share",
                       how->pattern);
    if (traffic->hot != PB_TO_NONE && how->dead && pb_machine_is_dead(how->dead, traffic->hot))
        return pb_fail(diag, PB_ERR_ARGUMENT, "machine: the hot node 0x%" PRIX32 " is dead; name another one",
                       traffic->hot);
    for (uint32_t node = 0; node < nodes; node++) {
        const bool alone = traffic->target[node] == node && (traffic->hot == PB_TO_NONE || how->hot == 1);
        if (alone || (how->dead && pb_machine_is_dead(how->dead, node)))
            traffic->target[node] = PB_TO_NONE;
        traffic->senders += traffic->target[node] != PB_TO_NONE;
    }
    if (!traffic->senders)
        return pb_fail(diag, PB_ERR_ARGUMENT, "machine: no node sends with traffic '%.60s'; use another one",
                       how->pattern);
    return PB_OK;
}

static int fill_trace(struct pb_machine_traffic *traffic, struct pb_diag *diag)
{
    const struct pb_traffic *trace = traffic->how.trace;
    for (size_t i = 0; i < trace->count; i++)
        if (traffic->how.dead && pb_machine_is_dead(traffic->how.dead, trace->message[i].source))
            return pb_fail(diag, PB_ERR_CONFIG,
                           "machine: message %zu of the trace comes from node 0x%" PRIX32
                           ", which is dead; take "
                           "it out",
                           i + 1, trace->message[i].source);
    traffic->senders = traffic->network.nodes;
    const int code = pb_releases_list(&traffic->of_trace, &traffic->network, trace);
    return code ? pb_fail(diag, code, "no memory for a trace of %zu messages; split it", trace->count)
                : PB_OK;
}

int pb_machine_traffic_create(struct pb_machine_traffic **out, const struct pb_network *network,
                              const struct pb_machine_traffic_options *options, struct pb_diag *diag)
{
    *out = NULL;
    int code = check_options(network, options, diag);
    if (code)
        return code;
    struct pb_machine_traffic *traffic = calloc(1, sizeof *traffic);
    if (!traffic)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the traffic; close other programs");
    traffic->base = (struct pb_releases){take, next, free_releases};
    traffic->network = *network;
    traffic->how = *options;
    traffic->how.hot = options->hot > 0 ? options->hot : 1;
    traffic->free = PB_NO_LEG;
    traffic->hot = PB_TO_NONE;
    traffic->mode = options->trace    ? PB_TRACE
                    : options->window ? PB_CLOSED
                    : options->batch  ? PB_BATCH
                                      : PB_OPEN;
    traffic->legged = options->window || options->valiant;
    code = traffic->mode == PB_TRACE   ? fill_trace(traffic, diag)
           : traffic->mode == PB_BATCH ? fill_batch(traffic, diag)
                                       : fill_targets(traffic, diag);
    if (code) {
        pb_machine_traffic_free(traffic);
        return code;
    }
    *out = traffic;
    return PB_OK;
}
