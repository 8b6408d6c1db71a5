/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of messages by docs/node.md and docs/reference/scenario.md, as plainly as can be: in each
 * phase one look at every message that is in flight.
 */
#include "case.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 400 }; /* superframes */

struct moving {
    uint32_t source, destination, at;
    uint32_t release; /* instant */
    uint32_t order;   /* in the list */
    uint64_t age;     /* when it came to the node it is at; the smaller the older */
    bool there, done;
};

int node_index(const struct test_case *test, uint32_t address)
{
    for (unsigned i = 0; i < test->nodes; i++)
        if (test->node[i].address == address)
            return (int)i;
    return -1;
}

static uint32_t destination(const struct test_case *test, const struct case_entry *entry, uint32_t source)
{
    const uint32_t all = (1u << test->dims) - 1;
    uint32_t to = 0;
    switch (entry->pattern) {
    case P_XOR:
        return source ^ (uint32_t)entry->argument;
    case P_COMPLEMENT:
        return source ^ all;
    case P_BITREV:
        for (unsigned bit = 0; bit < test->dims; bit++)
            to |= ((source >> bit) & 1) << (test->dims - 1 - bit);
        return to;
    case P_TRANSPOSE:
        return ((source << test->dims / 2) | (source >> (test->dims - test->dims / 2))) & all;
    case P_SHUFFLE:
        return ((source << 1) | (source >> (test->dims - 1))) & all;
    case P_HOTSPOT:
        return (uint32_t)entry->argument;
    default:
        return entry->to;
    }
}

static bool list_messages(struct movement *movement, const struct test_case *test)
{
    const unsigned phases = phases_of(test);
    movement->message = calloc(MESSAGES_MAX, sizeof *movement->message);
    if (!movement->message)
        abort();
    for (unsigned i = 0; i < test->entries; i++) {
        const struct case_entry *entry = &test->entry[i];
        if (entry->pattern >= P_OPAQUE) {
            movement->opaque = true;
            continue;
        }
        for (uint32_t again = 0; again < entry->repeat; again++)
            for (uint32_t source = 0; source < places(test); source++) {
                if (entry->pattern == FROM_TO && source != entry->from)
                    continue;
                if (movement->messages == MESSAGES_MAX)
                    return false;
                struct moving *message = &movement->message[movement->messages];
                *message = (struct moving){.source = source,
                                           .destination = destination(test, entry, source),
                                           .at = source,
                                           .release = (entry->superframe + again) * phases + entry->phase,
                                           .order = movement->messages};
                message->done = message->source == message->destination;
                movement->messages++;
            }
    }
    return true;
}

static void note_hop(struct movement *movement, const struct test_case *test, const struct hop *hop)
{
    if (node_index(test, hop->from) < 0 && node_index(test, hop->to) < 0)
        return;
    if (movement->hops == movement->capacity) {
        movement->capacity = movement->capacity ? 2 * movement->capacity : 256;
        movement->hop = realloc(movement->hop, movement->capacity * sizeof *movement->hop);
        if (!movement->hop)
            abort();
    }
    movement->hop[movement->hops++] = *hop;
}

static void note_room(struct movement *movement, const struct test_case *test)
{
    for (unsigned i = 0; i < test->nodes; i++) {
        unsigned all = 0, queue[16] = {0};
        for (unsigned m = 0; m < movement->messages; m++) {
            const struct moving *message = &movement->message[m];
            if (!message->there || message->done || message->at != test->node[i].address)
                continue;
            all++;
            for (unsigned d = 0; d < test->dims; d++)
                queue[d] += wants(test, message->at, message->destination, d);
        }
        if (all > movement->held[i])
            movement->held[i] = all;
        for (unsigned d = 0; d < test->dims; d++)
            if (queue[d] > movement->held_in_queue[i])
                movement->held_in_queue[i] = queue[d];
    }
}

bool movement_make(struct movement *movement, const struct test_case *test)
{
    static unsigned first[1 << 12]; /* of each node: the message it sends in this phase, plus one */
    const unsigned phases = phases_of(test);
    uint64_t age = 0;
    unsigned left = 0;
    *movement = (struct movement){0};
    if (!list_messages(movement, test))
        return false;
    for (unsigned m = 0; m < movement->messages; m++)
        left += !movement->message[m].done;
    for (uint32_t instant = 0; left && !movement->opaque; instant++) {
        const unsigned phase = instant % phases;
        if (instant / phases >= LIMIT) {
            movement->endless = true;
            break;
        }
        memset(first, 0, sizeof first);
        for (unsigned m = 0; m < movement->messages; m++) {
            struct moving *message = &movement->message[m];
            if (message->done || message->release > instant)
                continue;
            if (!message->there) {
                message->there = true;
                message->age = age++;
            }
            const int port = sending_port(test, message->at, phase);
            if (port < 0 || !wants(test, message->at, message->destination, (unsigned)port))
                continue;
            unsigned *best = &first[message->at];
            if (!*best || movement->message[*best - 1].age > message->age)
                *best = m + 1;
        }
        note_room(movement, test);
        for (uint32_t at = 0; at < places(test); at++) {
            if (!first[at])
                continue;
            struct moving *message = &movement->message[first[at] - 1];
            const unsigned port = (unsigned)sending_port(test, at, phase);
            const uint32_t to = neighbour(test, at, port);
            const struct hop hop = {instant, port, port_to(test, to, at), at, to, first[at] - 1};
            message->at = hop.to;
            message->age = age++;
            note_hop(movement, test, &hop);
            if (message->at != message->destination)
                continue;
            message->done = true;
            left--;
            const uint32_t took = instant / phases - message->release / phases + 1;
            if (took > movement->slowest)
                movement->slowest = took;
            movement->superframes = instant / phases + 1;
        }
    }
    return true;
}

void movement_free(struct movement *movement)
{
    free(movement->message);
    free(movement->hop);
    *movement = (struct movement){0};
}

const struct hop *hop_at(const struct movement *movement, uint32_t address, unsigned dimension,
                         uint32_t instant)
{
    for (size_t i = 0; i < movement->hops; i++) {
        const struct hop *hop = &movement->hop[i];
        if (hop->instant == instant && ((hop->from == address && hop->dimension == dimension) ||
                                        (hop->to == address && hop->to_dimension == dimension)))
            return hop;
    }
    return NULL;
}

bool goes_on(const struct movement *movement, const struct hop *hop)
{
    return movement->message[hop->message].destination != hop->to;
}

uint32_t source_of(const struct movement *movement, unsigned message)
{
    return movement->message[message].source;
}

uint32_t destination_of(const struct movement *movement, unsigned message)
{
    return movement->message[message].destination;
}

uint32_t came_at(const struct movement *movement, const struct hop *hop)
{
    for (const struct hop *before = hop; before-- > movement->hop;)
        if (before->message == hop->message && before->to == hop->from)
            return before->instant + 1;
    return movement->message[hop->message].release;
}
