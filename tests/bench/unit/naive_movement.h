/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A naive movement, written apart from the code under test, on the schedule that network_fixture.h builds
 * from the definition: no queues, one scan over all messages for every node and phase.
 */
#ifndef NAIVE_MOVEMENT_H
#define NAIVE_MOVEMENT_H

#include "tests/bench/unit/network_fixture.h"

#include "phasebench/flow.h"
#include "phasebench/random.h"

#define NAIVE_MESSAGES_MAX 80
#define NAIVE_CROSSINGS_MAX (1024 * DEFINED_HOPS_MAX)
#define NOWHERE (UINT32_MAX - 1)

struct record {
    struct pb_crossing crossing[NAIVE_CROSSINGS_MAX];
    size_t count;
};

static inline void note(void *context, const struct pb_crossing *crossing)
{
    struct record *record = context;
    assert_true(record->count < NAIVE_CROSSINGS_MAX);
    record->crossing[record->count++] = *crossing;
}

/* Before this superframe a message is gone, wherever it waits. */
struct naive_removal {
    uint32_t superframe;
    size_t message;
};

struct naive {
    const struct defined *defined;
    enum pb_rule rule;
    const struct pb_traffic *traffic;
    struct pb_flow_room room; /* of one node; all 0: none */
    const struct naive_removal *removal;
    size_t removals;
    /* out */
    struct record record;
    uint32_t at[NAIVE_MESSAGES_MAX];              /* NOWHERE: dropped or lost */
    unsigned stamp[NAIVE_MESSAGES_MAX], arrivals; /* order of arrival at the node; 0: not released yet */
    uint64_t done_at[NAIVE_MESSAGES_MAX];         /* phase after the last hop, from superframe 0 on */
    uint32_t sequence[NAIVE_MESSAGES_MAX], entered[DEFINED_NODES_MAX];
    unsigned max_queue, max_occupancy;
    size_t dropped[NAIVE_MESSAGES_MAX], crossings_before[NAIVE_MESSAGES_MAX], drops, lost, delivered;
    uint64_t first_drop; /* phase, from superframe 0 on */
};

/* The node to which a message goes next in dimension order. */
static inline uint32_t next_node(const struct defined *defined, uint32_t at, uint32_t destination)
{
    for (unsigned phase = 0; phase < defined->phases; phase++) {
        const uint32_t next = defined->sends_to[phase][at];
        if (next != NOBODY && wants_wire(defined, PB_RULE_ECUBE, at, next, destination))
            return next;
    }
    return NOBODY;
}

/* A message comes to a node: by a wire, or by its release. */
static inline void put(struct naive *naive, unsigned now, size_t message, uint32_t node, bool release)
{
    const struct pb_message *m = &naive->traffic->message[message];
    unsigned held = 0, queued = 0;

    naive->at[message] = node;
    naive->stamp[message] = ++naive->arrivals;
    naive->done_at[message] = now + !release;
    if (node == m->destination) {
        naive->delivered++;
        return;
    }
    for (size_t i = 0; i < naive->traffic->count; i++) {
        const uint32_t destination = naive->traffic->message[i].destination;
        if (i == message || !naive->stamp[i] || naive->at[i] != node || destination == node)
            continue;
        held++;
        queued += naive->rule == PB_RULE_ECUBE && next_node(naive->defined, node, destination) ==
                                                      next_node(naive->defined, node, m->destination);
    }
    if (node == naive->room.node && ((naive->room.in_all && held >= naive->room.in_all) ||
                                     (naive->room.per_dimension && naive->rule == PB_RULE_ECUBE &&
                                      queued >= naive->room.per_dimension))) {
        naive->at[message] = NOWHERE;
        naive->first_drop = naive->drops ? naive->first_drop : now;
        naive->crossings_before[naive->drops] = naive->record.count;
        naive->dropped[naive->drops++] = message;
        return;
    }
    if (release)
        naive->sequence[message] = naive->entered[node]++;
    naive->max_occupancy = held + 1 > naive->max_occupancy ? held + 1 : naive->max_occupancy;
    if (naive->rule == PB_RULE_ECUBE && queued + 1 > naive->max_queue)
        naive->max_queue = queued + 1;
}

static inline void send_oldest(struct naive *naive, unsigned now, uint32_t node)
{
    const struct defined *defined = naive->defined;
    const unsigned phase = now % defined->phases;
    const uint32_t to = defined->sends_to[phase][node];
    size_t oldest = NAIVE_MESSAGES_MAX;

    for (size_t i = 0; to != NOBODY && i < naive->traffic->count; i++)
        if (naive->stamp[i] && naive->at[i] == node &&
            wants_wire(defined, naive->rule, node, to, naive->traffic->message[i].destination) &&
            (oldest == NAIVE_MESSAGES_MAX || naive->stamp[i] < naive->stamp[oldest]))
            oldest = i;
    if (oldest == NAIVE_MESSAGES_MAX)
        return;
    const struct pb_message *m = &naive->traffic->message[oldest];
    note(&naive->record, &(struct pb_crossing){.message = oldest,
                                               .superframe = now / defined->phases,
                                               .phase = (uint8_t)phase,
                                               .from = node,
                                               .to = to,
                                               .source = m->source,
                                               .destination = m->destination,
                                               .release_superframe = m->release_superframe,
                                               .release_phase = (uint8_t)m->release_phase,
                                               .sequence = naive->sequence[oldest],
                                               .last = to == m->destination});
    put(naive, now, oldest, to, false);
}

static inline void remove_messages(struct naive *naive, unsigned superframe)
{
    for (size_t i = 0; i < naive->removals; i++) {
        const size_t message = naive->removal[i].message;
        if (naive->removal[i].superframe != superframe || !naive->stamp[message] ||
            naive->at[message] == NOWHERE ||
            naive->at[message] == naive->traffic->message[message].destination)
            continue;
        naive->at[message] = NOWHERE;
        naive->lost++;
    }
}

static inline void simulate_naively(struct naive *naive, unsigned superframes)
{
    const struct pb_traffic *traffic = naive->traffic;
    const unsigned phases = naive->defined->phases;

    assert_true(traffic->count <= NAIVE_MESSAGES_MAX);
    for (unsigned now = 0; now < superframes * phases; now++) {
        if (now % phases == 0)
            remove_messages(naive, now / phases);
        for (size_t i = 0; i < traffic->count; i++)
            if (traffic->message[i].release_superframe * phases + traffic->message[i].release_phase == now)
                put(naive, now, i, traffic->message[i].source, true);
        for (uint32_t node = 0; node < naive->defined->nodes; node++)
            send_oldest(naive, now, node);
        if (naive->delivered + naive->drops + naive->lost == traffic->count)
            break;
    }
}

/* Long enough for every message of a list: one superframe for each other message, and the releases. */
#define NAIVE_RELEASES 6
#define NAIVE_SUPERFRAMES (NAIVE_RELEASES + NAIVE_MESSAGES_MAX)

static inline struct pb_traffic random_traffic(const struct defined *defined, bool batch, uint64_t *random)
{
    struct pb_traffic traffic = {0};
    const unsigned count = 1 + (unsigned)(pb_splitmix64(random) % (NAIVE_MESSAGES_MAX - 1));

    for (unsigned i = 0; i < count; i++) {
        const struct pb_message message = {
            (uint32_t)(pb_splitmix64(random) % defined->nodes),
            (uint32_t)(pb_splitmix64(random) % defined->nodes),
            batch ? 0 : (uint32_t)(pb_splitmix64(random) % NAIVE_RELEASES),
            batch ? 0 : (unsigned)(pb_splitmix64(random) % defined->phases),
        };
        assert_int_equal(pb_traffic_add(&traffic, &message), 0);
    }
    return traffic;
}

static inline void assert_same_crossings(const struct pb_network *network, const struct record *actual,
                                         const struct record *expected)
{
    assert_int_equal(actual->count, expected->count);
    for (size_t i = 0; i < expected->count; i++) {
        const struct pb_crossing *a = &actual->crossing[i];
        struct pb_crossing e = expected->crossing[i];
        e.port = a->port;
        assert_int_equal(pb_network_peer(network, a->from, a->port).node, e.to);
        assert_memory_equal(a, &e, sizeof e);
    }
}

#endif
