/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A mover between two steps as bytes: the totals, then node by node what it counts, and its messages in the
 * order in which they have to enter it anew: how they are stored there, and at which places, decides nothing.
 */
#include "box.h"

#include "host/base/bytes.h"

#include <stdlib.h>

enum { MESSAGE_BYTES = 8 + 4 + 4 + 4 + 4 + 1 };

static void pass_message(struct pb_bytes *bytes, struct pb_place_cold *message)
{
    PB_PASS(bytes, 8, message->message);
    PB_PASS(bytes, 4, message->release_superframe);
    PB_PASS(bytes, 4, message->sequence);
    PB_PASS(bytes, 4, message->source);
    PB_PASS(bytes, 4, message->destination);
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
    PB_PASS(bytes, 4, drop->node);
    PB_PASS(bytes, 4, drop->release_superframe);
    PB_PASS(bytes, 1, drop->release_phase);
    PB_PASS(bytes, 1, drop->phase);
    PB_PASS(bytes, 1, drop->at_release);
}

static void pass_totals(struct pb_bytes *bytes, uint64_t *superframe, struct pb_mover_stats *stats)
{
    pb_pass(bytes, superframe, 8);
    pb_demand(bytes, *superframe <= UINT32_MAX);
    pass_stats(bytes, stats);
}

/* All of a node but its messages. held: those that it has. */
static void pass_node(struct pb_bytes *bytes, struct pb_mover *mover, uint32_t node, uint32_t *held)
{
    PB_PASS(bytes, 4, *held);
    PB_PASS(bytes, 4, mover->state.entered[node]);
    for (unsigned port = 0; mover->load && port < mover->network.ports; port++)
        PB_PASS(bytes, 4, mover->load[pb_queue_of(&mover->turns, mover->turns.cube, node, port)]);
    if (pb_bit(mover->has_room, node))
        PB_PASS(bytes, 4, mover->state.room[mover->room_at[node]].fullest);
}

/* ---- writing */

static void put_message(struct pb_bytes *bytes, const struct pb_mover *mover, uint32_t place)
{
    struct pb_place_cold message = mover->state.cold[place];
    pass_message(bytes, &message);
}

static void put_queue(struct pb_bytes *bytes, const struct pb_mover *mover, uint32_t node, unsigned port)
{
    const struct pb_queue *queue =
        &mover->state.queue[pb_queue_of(&mover->turns, mover->turns.cube, node, port)];
    for (uint32_t left = queue->depth, place = queue->head; left-- > 0; place = mover->state.hot[place].next)
        put_message(bytes, mover, place);
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
        const uint64_t wanted =
            left[port] ? pb_network_wanted(&mover->network, PB_RULE_OPPORTUNISTIC, mover->base + node,
                                           mover->state.cold[place].destination)
                       : 0;
        bool first = wanted != 0;
        for (uint64_t want = wanted; want; want &= want - 1)
            first &= head[lowest_port(want)] == place;
        for (uint64_t want = first ? wanted : 0; want; want &= want - 1) {
            const unsigned at = lowest_port(want);
            left[at]--;
            head[at] = link_of(mover, place, at)[NEXT];
        }
        if (first)
            put_message(bytes, mover, place);
        port = first ? 0 : port + 1; /* others may be first now */
    }
}

static void put_messages(struct pb_bytes *bytes, const struct pb_mover *mover, uint32_t node)
{
    for (unsigned port = 0; mover->rule == PB_RULE_ECUBE && port < mover->network.ports; port++)
        put_queue(bytes, mover, node, port);
    if (mover->rule == PB_RULE_ECUBE)
        return;
    const struct pb_box *const box = &mover->state.box[node];
    if (mover->state.deep[node])
        put_deep(bytes, mover, node);
    for (unsigned at = 0; at < PB_BOX && want_in(box, at); at++)
        put_message(bytes, mover, box->place[at]);
}

static int end(struct pb_bytes *bytes, uint8_t **out, size_t *count)
{
    *out = bytes->byte;
    *count = bytes->count;
    if (!bytes->failed)
        return PB_OK;
    free(bytes->byte);
    *out = NULL;
    *count = 0;
    return PB_ERR_MEMORY;
}

int pb_mover_save(struct pb_mover *mover, uint8_t **out, size_t *count)
{
    struct pb_bytes bytes = {0};

    pass_totals(&bytes, &mover->superframe, &mover->state.stats);
    for (uint32_t node = 0; node < mover->nodes; node++) {
        uint32_t held = mover->state.occupancy[node];
        pass_node(&bytes, mover, node, &held);
        if (held)
            put_messages(&bytes, mover, node);
    }
    return end(&bytes, out, count);
}

int pb_mover_join(const struct pb_handed *saved, unsigned parts, uint8_t **out, size_t *count)
{
    struct pb_mover_stats stats = {0};
    struct pb_bytes bytes = {0};
    uint64_t superframe = 0;
    size_t head = 0;

    for (unsigned i = 0; i < parts; i++) {
        struct pb_bytes of_part = {.byte = (uint8_t *)saved[i].bytes, .count = saved[i].count, .reads = true};
        struct pb_mover_stats part = {0};
        pass_totals(&of_part, &superframe, &part);
        pb_mover_add_stats(&stats, &part);
        head = of_part.taken;
    }
    pass_totals(&bytes, &superframe, &stats);
    for (unsigned i = 0; i < parts; i++)
        pb_put_bytes(&bytes, (const uint8_t *)saved[i].bytes + head, saved[i].count - head);
    return end(&bytes, out, count);
}

/* ---- reading */

static bool is_possible(const struct pb_mover *mover, uint32_t address, const struct pb_place_cold *message)
{
    const struct pb_network *const network = &mover->network;
    return message->source < network->nodes && message->destination < network->nodes &&
           message->destination != address && message->release_phase < network->phases &&
           message->release_superframe < mover->superframe;
}

/* What a node has, of at most `left` messages; another part has those of its nodes. PB_ERR_MEMORY. */
static int enter_anew(struct pb_bytes *bytes, struct pb_mover *mover, uint32_t address, uint64_t *left)
{
    const uint32_t node = address - mover->base;
    const bool own = node < mover->nodes;
    uint32_t held = 0, other = 0;

    if (own) {
        pass_node(bytes, mover, node, &held);
    } else {
        const unsigned words =
            1 + (mover->load ? mover->network.ports : 0) + (pb_bit(mover->any_room, address) ? 1 : 0);
        PB_PASS(bytes, 4, held);
        for (unsigned i = 0; i < words; i++)
            PB_PASS(bytes, 4, other);
    }
    if (!pb_demand(bytes, held <= *left))
        return PB_OK;
    for (*left -= held; held > 0; held--) {
        struct pb_place_cold message = {0};
        pass_message(bytes, &message);
        if (!pb_demand(bytes, is_possible(mover, address, &message)))
            return PB_OK;
        if (own && pb_state_reserve(&mover->state, mover, 1))
            return PB_ERR_MEMORY;
        if (own)
            pb_enter_anew(mover, node, &message);
        mover->came += own;
    }
    return PB_OK;
}

int pb_mover_load(struct pb_mover *mover, const uint8_t *byte, size_t count)
{
    struct pb_bytes bytes = {.byte = (uint8_t *)byte, .count = count, .reads = true};
    struct pb_mover_stats stats = {0};

    pass_totals(&bytes, &mover->superframe, &stats);
    uint64_t left = stats.released - stats.delivered - stats.dropped - stats.lost;
    if (!pb_demand_left(&bytes, left, MESSAGE_BYTES))
        return PB_ERR_CONFIG;
    for (uint32_t node = 0; node < mover->network.nodes && !bytes.failed; node++)
        if (enter_anew(&bytes, mover, node, &left))
            return PB_ERR_MEMORY;
    /* Those that entered have counted anew. The totals are the first part's. */
    mover->state.stats = mover->part.own ? (struct pb_mover_stats){0} : stats;
    mover->came -= pb_in_flight(mover) - mover->came;
    return pb_demand(&bytes, !left && bytes.taken == count) ? PB_OK : PB_ERR_CONFIG;
}
