/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A mover between two steps as bytes. The messages are kept in the order in which they have to enter their
 * nodes anew: how they are stored there, and at which places, decides nothing.
 */
#include "box.h"

#include "host/base/bytes.h"

#include <stdlib.h>

enum { MESSAGE_BYTES = 8 + 4 + 4 + 2 + 2 + 2 + 1 };

static void pass_message(struct pb_bytes *bytes, uint32_t *node, struct pb_crossing *message)
{
    PB_PASS(bytes, 2, *node);
    PB_PASS(bytes, 8, message->message);
    PB_PASS(bytes, 4, message->release_superframe);
    PB_PASS(bytes, 4, message->sequence);
    PB_PASS(bytes, 2, message->source);
    PB_PASS(bytes, 2, message->destination);
    PB_PASS(bytes, 1, message->release_phase);
}

static void pass_stats(struct pb_bytes *bytes, struct pb_mover_stats *stats)
{
    uint64_t *const total[] = {&stats->released, &stats->delivered, &stats->dropped,
                               &stats->lost,     &stats->crossings, &stats->delivered_in_first};
    struct pb_drop *const drop = &stats->first_drop;

    for (size_t i = 0; i < sizeof total / sizeof total[0]; i++)
        pb_pass(bytes, total[i], 8);
    PB_PASS(bytes, 4, stats->superframes);
    PB_PASS(bytes, 4, stats->max_queue);
    PB_PASS(bytes, 4, stats->max_occupancy);
    PB_PASS(bytes, 8, drop->message);
    PB_PASS(bytes, 4, drop->superframe);
    PB_PASS(bytes, 4, drop->crossings);
    PB_PASS(bytes, 2, drop->node);
    PB_PASS(bytes, 1, drop->phase);
    PB_PASS(bytes, 1, drop->at_release);
}

/* All but the messages. */
static void pass_rest(struct pb_bytes *bytes, struct pb_mover *mover)
{
    struct pb_state *const state = &mover->state;
    const size_t nodes = mover->network.nodes, queues = mover->turns.queues;
    const size_t entered = pb_demand_left(bytes, nodes, 4) ? nodes : 0;

    PB_PASS(bytes, 8, mover->superframe);
    pb_demand(bytes, mover->superframe <= UINT32_MAX);
    pb_pass_words(bytes, state->entered, entered);
    if (mover->load && pb_demand_left(bytes, queues, 4))
        pb_pass_words(bytes, mover->load, queues);
    for (unsigned i = 0; i < mover->rooms; i++)
        PB_PASS(bytes, 4, state->room[i].fullest);
    pass_stats(bytes, &state->stats);
}

/* ---- writing */

static void put_message(void *context, uint32_t node, const struct pb_crossing *message)
{
    struct pb_crossing copy = *message;
    pass_message(context, &node, &copy);
}

/* The message that entered the node first is the head of each queue in which it is; then the second is. */
static void put_deep(struct pb_bytes *bytes, const struct pb_mover *mover, uint32_t node)
{
    uint32_t head[PB_NETWORK_PORTS_MAX], left[PB_NETWORK_PORTS_MAX];
    const unsigned ports = mover->network.ports;

    for (unsigned port = 0; port < ports; port++) {
        head[port] = deep_queue(mover, node, port)->head;
        left[port] = deep_queue(mover, node, port)->depth;
    }
    for (unsigned port = 0; port < ports;) {
        const uint32_t place = head[port];
        const struct pb_crossing *const message = left[port] ? &mover->state.cold[place] : NULL;
        const uint64_t wanted =
            message ? pb_network_wanted(&mover->network, PB_RULE_OPPORTUNISTIC, node, message->destination)
                    : 0;
        bool first = message != NULL;
        for (uint64_t want = wanted; want; want &= want - 1)
            first &= head[lowest_port(want)] == place;
        for (uint64_t want = first ? wanted : 0; want; want &= want - 1) {
            const unsigned at = lowest_port(want);
            left[at]--;
            head[at] = link_of(mover, place, at)[NEXT];
        }
        if (first)
            put_message(bytes, node, message);
        port = first ? 0 : port + 1; /* others may be first now */
    }
}

static void put_messages(struct pb_bytes *bytes, const struct pb_mover *mover)
{
    if (mover->rule == PB_RULE_ECUBE) {
        pb_mover_waiting(mover, put_message, bytes);
        return;
    }
    for (uint32_t node = 0; node < mover->network.nodes; node++) {
        const struct pb_box *const box = &mover->state.box[node];
        if (mover->state.deep[node])
            put_deep(bytes, mover, node);
        for (unsigned at = 0; at < PB_BOX && want_in(box, at); at++)
            put_message(bytes, node, &mover->state.cold[box->place[at]]);
    }
}

static uint64_t in_flight(const struct pb_mover_stats *stats)
{
    return stats->released - stats->delivered - stats->dropped - stats->lost;
}

int pb_mover_save(struct pb_mover *mover, uint8_t **out, size_t *count)
{
    struct pb_bytes bytes = {0};

    pass_rest(&bytes, mover);
    put_messages(&bytes, mover);
    *out = bytes.byte;
    *count = bytes.count;
    if (!bytes.failed)
        return PB_OK;
    free(bytes.byte);
    *out = NULL;
    *count = 0;
    return PB_ERR_MEMORY;
}

/* ---- reading */

static bool is_possible(const struct pb_mover *mover, uint32_t node, const struct pb_crossing *message)
{
    const struct pb_network *const network = &mover->network;
    return node < network->nodes && message->source < network->nodes &&
           message->destination < network->nodes && message->destination != node &&
           message->release_phase < network->phases && message->release_superframe < mover->superframe;
}

int pb_mover_load(struct pb_mover *mover, const uint8_t *byte, size_t count)
{
    struct pb_bytes bytes = {.byte = (uint8_t *)byte, .count = count, .reads = true};

    pass_rest(&bytes, mover);
    const struct pb_mover_stats stats = mover->state.stats;
    const uint64_t messages = in_flight(&stats);
    if (!pb_demand_left(&bytes, messages, MESSAGE_BYTES))
        return PB_ERR_CONFIG;
    if (pb_state_reserve(&mover->state, mover, (size_t)messages))
        return PB_ERR_MEMORY;
    for (uint64_t i = 0; i < messages; i++) {
        struct pb_crossing message = {0};
        uint32_t node = 0;
        pass_message(&bytes, &node, &message);
        if (!pb_demand(&bytes, is_possible(mover, node, &message)))
            return PB_ERR_CONFIG;
        pb_enter_anew(mover, node, &message);
    }
    mover->state.stats = stats; /* those that entered have counted anew */
    return pb_demand(&bytes, bytes.taken == count) ? PB_OK : PB_ERR_CONFIG;
}
