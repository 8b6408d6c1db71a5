/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The messages that wait in a contract node: one list in order of arrival, for both rules. A message leaves
 * on the first dimension it wants whose phase comes.
 */
#include "bench/nodes/contract.h"

#include <string.h>

static uint32_t lowest(uint32_t mask)
{
    return mask & (~mask + 1);
}

static uint32_t highest(uint32_t mask)
{
    uint32_t bit = 1u << 31;
    while (bit && !(mask & bit))
        bit >>= 1;
    return bit;
}

/* Returns a dimension on which the rule does not send a message, as a mask; 0: none. */
static uint32_t wrong_dimension(const struct contract *node, uint32_t differing)
{
    if (node->config.rule == PB_NODE_OPPORTUNISTIC)
        return lowest(contract_link_mask(node) & ~differing);
    const uint32_t next = lowest(differing) << 1;
    return next & contract_link_mask(node) ? next : lowest(differing) ^ 1;
}

uint32_t contract_wants(struct contract *node, uint32_t destination, bool own)
{
    const uint32_t differing = contract_ways(node, destination);
    if (highest(differing) != lowest(differing) && contract_strikes(node, PB_CONTRACT_WRONG_ORDER))
        return highest(differing);
    const uint32_t wrong = own ? 0 : wrong_dimension(node, differing);
    if (wrong && contract_strikes(node, PB_CONTRACT_WRONG_DIMENSION))
        return wrong;
    const bool other =
        highest(differing) != lowest(differing) && contract_strikes(node, PB_CONTRACT_KEEPS_RULE);
    return (node->config.rule == PB_NODE_ECUBE) != other ? lowest(differing) : differing;
}

static void remove_entry(struct contract *node, unsigned index)
{
    node->stored--;
    memmove(node->entry + index, node->entry + index + 1, (node->stored - index) * sizeof *node->entry);
}

/* Counts the messages of the same queue. Under `ecube` messages for a single dimension have a queue each. */
static unsigned queued_with(const struct contract *node, uint32_t wants, bool single)
{
    unsigned count = 0;
    for (unsigned i = 0; i < node->stored; i++)
        count += !single || node->entry[i].wants == wants;
    return count;
}

static bool full(struct contract *node)
{
    const bool room = node->stored < CONTRACT_ROOM;
    if (room && !(node->stored >= 1 && contract_strikes(node, PB_CONTRACT_SMALL_ROOM)))
        return false;
    if (!room && contract_strikes(node, PB_CONTRACT_DROPS_OLDEST)) {
        remove_entry(node, 0);
        node->count.queue_drops++;
        return false;
    }
    if (!room && contract_strikes(node, PB_CONTRACT_STUCK_FULL))
        node->stuck = true;
    return true;
}

static bool others_want(const struct contract *node, uint32_t wants)
{
    for (unsigned i = 0; i < node->stored; i++)
        if (node->entry[i].wants & wants)
            return true;
    return false;
}

/* Returns true if the next phase is an own phase of a dimension that the message wants. */
static bool leaves_next(const struct contract *node, uint32_t wants)
{
    unsigned port;
    const unsigned next = (unsigned)(node->phase + 1) % node->network_phases;
    return contract_turn(node, next, &port) == CONTRACT_SENDS && wants >> port & 1;
}

static void count_most(struct contract *node, uint32_t wants)
{
    const bool single = node->config.rule == PB_NODE_ECUBE || node->mode == CONTRACT_ECHO;
    const unsigned queued = queued_with(node, wants, single);
    if (node->count.max_queue < queued)
        node->count.max_queue = queued;
    if (node->count.max_stored < node->stored)
        node->count.max_stored = node->stored;
}

bool contract_store(struct contract *node, const struct contract_message *message, uint32_t wants, bool own)
{
    if (full(node)) {
        if (!contract_strikes(node, PB_CONTRACT_FULL_UNCOUNTED))
            node->count.queue_drops++;
        return false;
    }
    unsigned at = node->reception == CONTRACT_HELD && !own ? node->held_behind : node->stored;
    if (own && others_want(node, wants) && contract_strikes(node, PB_CONTRACT_OWN_FIRST))
        at = 0;
    memmove(node->entry + at + 1, node->entry + at, (node->stored - at) * sizeof *node->entry);
    node->entry[at] = (struct contract_entry){.message = *message, .wants = wants, .own = own};
    if (!own && leaves_next(node, wants) && contract_strikes(node, PB_CONTRACT_SLOW_FORWARD))
        node->entry[at].from_phase = node->phases + 2;
    if (contract_strikes(node, PB_CONTRACT_DUPLICATES))
        node->entry[at].again = 1;
    node->stored++;
    count_most(node, wants);
    return true;
}

void contract_put_back(struct contract *node, const struct contract_entry *entry, bool first)
{
    const unsigned at = first ? 0 : node->stored;
    if (node->stored == CONTRACT_ROOM)
        return;
    memmove(node->entry + at + 1, node->entry + at, (node->stored - at) * sizeof *node->entry);
    node->entry[at] = *entry;
    node->stored++;
    count_most(node, entry->wants);
}

bool contract_take(struct contract *node, unsigned dimension, struct contract_entry *out)
{
    unsigned oldest = 0, newest = 0, candidates = 0;
    for (unsigned yields = 0; yields < 2 && candidates == 0; yields++)
        for (unsigned i = 0; i < node->stored; i++)
            if ((node->entry[i].wants >> dimension & 1) && node->entry[i].from_phase <= node->phases &&
                node->entry[i].yields == yields) {
                oldest = candidates++ ? oldest : i;
                newest = i;
            }
    if (candidates == 0)
        return false;
    const unsigned found = candidates > 1 && contract_strikes(node, PB_CONTRACT_LAST_FIRST) ? newest : oldest;
    if (contract_strikes(node, PB_CONTRACT_WAITS))
        return false;
    *out = node->entry[found];
    if (node->entry[found].again > 0)
        node->entry[found].again--;
    else
        remove_entry(node, found);
    return true;
}

static void alter(struct contract *node, struct contract_message *message)
{
    const unsigned payload = node->config.payload_bytes, last = node->config.digits - 1;
    if (payload > 0 && contract_strikes(node, PB_CONTRACT_ALTERS_PAYLOAD))
        message->payload[payload - 1] ^= 0x80;
    if (contract_strikes(node, PB_CONTRACT_ALTERS_SEQUENCE))
        message->sequence = (message->sequence + 1) & 0x0F;
    if (contract_strikes(node, PB_CONTRACT_ALTERS_DESTINATION))
        message->destination = (message->destination + node->nodes / node->config.radix[last]) % node->nodes;
}

static void forward(struct contract *node, const struct contract_message *received)
{
    struct contract_message message = *received;
    if (contract_strikes(node, PB_CONTRACT_DROPS_FRAME))
        return;
    const uint32_t wants = contract_wants(node, message.destination, false);
    alter(node, &message);
    node->count.forwarded += contract_store(node, &message, wants, false);
}

static void echo(struct contract *node, const struct contract_message *received)
{
    struct contract_message message = *received;
    unsigned dimension = node->rx_dimension;
    if ((message.destination == node->address && contract_strikes(node, PB_CONTRACT_ECHO_DROPS_OWN)) ||
        (message.destination >= node->nodes && contract_strikes(node, PB_CONTRACT_ECHO_DROPS_OUTSIDE)))
        return;
    const uint16_t link = (uint16_t)(1u << dimension);
    const bool again = node->echoed & link;
    node->echoed |= link;
    if (again && contract_strikes(node, PB_CONTRACT_ECHO_ONCE))
        return;
    if (contract_strikes(node, PB_CONTRACT_ECHO_ELSEWHERE))
        dimension = (dimension + 1) % node->links;
    if (contract_strikes(node, PB_CONTRACT_ECHO_ALTERED))
        message.destination = contract_neighbour(node, dimension);
    node->count.forwarded += contract_store(node, &message, 1u << dimension, false);
}

static bool is_for_itself(struct contract *node, uint32_t destination)
{
    return destination == node->address ||
           (destination == node->config.address && contract_strikes(node, PB_CONTRACT_HOME_IS_OWN));
}

void contract_accept(struct contract *node, const struct contract_message *received)
{
    struct contract_message copy = *received;
    const struct contract_message *message = &copy;
    copy.destination = contract_destination(node, received->destination);
    const bool prbs = node->mode == CONTRACT_PRBS, normal = node->mode != CONTRACT_ECHO,
               outside = message->destination >= node->nodes,
               named = received->destination != CONTRACT_NO_DESTINATION;
    node->count.rx_frames +=
        !(normal && named && outside && contract_free(node, PB_FREEDOM_OUTSIDE_UNCOUNTED));
    if (contract_drops_repeat(node, message))
        return;
    if (contract_has_program(node)) {
        contract_program_hears(node, message);
        return;
    }
    if (node->mode == CONTRACT_ECHO && !contract_strikes(node, PB_CONTRACT_ECHO_ROUTES)) {
        echo(node, message);
    } else if (outside) {
        if (contract_strikes(node, PB_CONTRACT_TAKES_OUTSIDE) ||
            (prbs && contract_strikes(node, PB_CONTRACT_PRBS_TAKES_OUTSIDE)))
            (void)contract_store(node, message, 1, false);
        else
            node->count.rx_bad_destinations++;
    } else if (is_for_itself(node, message->destination)) {
        if (contract_strikes(node, PB_CONTRACT_FORWARDS_OWN)) {
            (void)contract_store(node, message, 1, false);
            return;
        }
        node->count.delivered += !contract_strikes(node, PB_CONTRACT_DROPS_OWN) &&
                                 !(prbs && contract_strikes(node, PB_CONTRACT_PRBS_DROPS_OWN));
        if (contract_strikes(node, PB_CONTRACT_COUNTS_WRONG))
            node->count.delivered++;
    } else {
        forward(node, message);
    }
}
