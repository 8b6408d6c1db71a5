/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What happens in a phase. Bitmaps of the queues that are not empty name the senders: no other node is looked
 * at. Whether a queue is empty, and whether it becomes so, is as good as random under load. So nothing below
 * branches on it: what an empty queue says of its head is read and written, and never used.
 */
#include "mover.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))

/* Of one phase, so that the counters can be kept in registers. */
struct tally {
    uint32_t max_queue, max_occupancy;
};

/* Constant in each call of run_phase, so that each has code of its own. */
struct kind {
    enum pb_rule rule;
    bool cube; /* a binary cube: port d corrects bit d */
    bool note;
};

enum { NEXT, BEFORE };

static unsigned lowest_port(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

static ALWAYS_INLINE uint64_t wanted_by(const struct pb_mover *mover, struct kind kind, uint32_t node,
                                        uint32_t destination)
{
    if (kind.cube) /* of dimension order, the lowest alone counts */
        return node ^ destination;
    return pb_network_wanted(&mover->network, kind.rule, node, destination);
}

static ALWAYS_INLINE uint32_t queue_of(const struct pb_mover *mover, uint32_t node, unsigned port)
{
    return mover->turns.queue[(size_t)port * mover->network.nodes + node];
}

static ALWAYS_INLINE uint32_t *link_of(const struct pb_mover *mover, uint32_t place, unsigned port)
{
    return &mover->state.link[(size_t)place * mover->links + 2 * port];
}

static ALWAYS_INLINE void append(struct pb_mover *mover, struct kind kind, struct tally *tally, uint32_t node,
                                 unsigned port, uint32_t place)
{
    struct pb_state *state = &mover->state;
    const uint32_t number = queue_of(mover, node, port);
    struct pb_queue *queue = &state->queue[number];
    const uint32_t depth = queue->depth;
    uint32_t *next = kind.rule == PB_RULE_ECUBE ? &state->hot[queue->tail].next
                                                : &link_of(mover, queue->tail, port)[NEXT];

    *(depth ? next : &queue->head) = place;
    if (kind.rule != PB_RULE_ECUBE)
        link_of(mover, place, port)[BEFORE] = queue->tail;
    queue->tail = place;
    queue->depth = depth + 1;
    state->waiting[number / PB_WORD_BITS] |= UINT64_C(1) << number % PB_WORD_BITS;
    if (kind.rule == PB_RULE_ECUBE && depth >= tally->max_queue)
        tally->max_queue = depth + 1;
}

static bool loses(const struct pb_mover *mover, uint32_t node, uint64_t message)
{
    for (size_t i = 0; i < mover->deviations; i++)
        if (mover->deviation[i].kind == PB_LOSES && mover->deviation[i].node == node &&
            mover->deviation[i].message == message)
            return true;
    return false;
}

static bool finds_room(struct pb_mover *mover, struct kind kind, uint32_t node, uint32_t destination)
{
    struct pb_state *state = &mover->state;
    unsigned at = 0;
    while (at < mover->rooms && state->room[at].node != node)
        at++;
    if (at == mover->rooms)
        return true;
    struct pb_flow_room *room = &state->room[at];
    const uint64_t wanted = pb_network_wanted(&mover->network, kind.rule, node, destination);
    const unsigned in_all = state->occupancy[node],
                   in_queue = state->queue[queue_of(mover, node, lowest_port(wanted))].depth;
    if ((room->in_all && in_all >= room->in_all) ||
        (room->per_dimension && kind.rule == PB_RULE_ECUBE && in_queue >= room->per_dimension))
        return false;
    const unsigned held = 1 + (room->per_dimension && !room->in_all ? in_queue : in_all);
    if (held > room->fullest)
        room->fullest = held;
    return true;
}

static void note_drop(struct pb_mover *mover, const struct pb_drop *drop)
{
    if (mover->state.stats.dropped++ == 0)
        mover->state.stats.first_drop = *drop;
    mover->drop[mover->drops++] = *drop;
}

/* Puts a message into the queues of a node on its way. */
static ALWAYS_INLINE void enter(struct pb_mover *mover, struct kind kind, struct tally *tally, uint32_t node,
                                uint32_t place, uint32_t destination)
{
    uint64_t wanted = wanted_by(mover, kind, node, destination);
    const uint32_t held = ++mover->state.occupancy[node];

    if (kind.rule == PB_RULE_ECUBE)
        append(mover, kind, tally, node, lowest_port(wanted), place);
    else
        for (; wanted; wanted &= wanted - 1)
            append(mover, kind, tally, node, lowest_port(wanted), place);
    if (held > tally->max_occupancy)
        tally->max_occupancy = held;
}

/* Takes a message that is not the head out of a queue. */
static ALWAYS_INLINE void unlink_inner(struct pb_mover *mover, struct pb_queue *queue, unsigned port,
                                       uint32_t place)
{
    const uint32_t *link = link_of(mover, place, port);
    if (queue->tail == place) {
        queue->tail = link[BEFORE];
    } else {
        link_of(mover, link[BEFORE], port)[NEXT] = link[NEXT];
        link_of(mover, link[NEXT], port)[BEFORE] = link[BEFORE];
    }
}

/* Takes a message out of the queues of a node. */
static ALWAYS_INLINE void leave_all(struct pb_mover *mover, struct kind kind, uint32_t node, uint32_t place,
                                    uint32_t destination)
{
    struct pb_state *state = &mover->state;
    for (uint64_t wanted = wanted_by(mover, kind, node, destination); wanted; wanted &= wanted - 1) {
        const unsigned port = lowest_port(wanted);
        const uint32_t number = queue_of(mover, node, port);
        struct pb_queue *queue = &state->queue[number];
        const uint64_t emptied = --queue->depth == 0;
        if (queue->head == place)
            queue->head = link_of(mover, place, port)[NEXT];
        else
            unlink_inner(mover, queue, port, place);
        state->waiting[number / PB_WORD_BITS] &= ~(emptied << number % PB_WORD_BITS);
    }
}

static ALWAYS_INLINE void free_place(struct pb_state *state, uint32_t place)
{
    state->hot[place].next = state->free;
    state->free = place;
}

static ALWAYS_INLINE void deliver(struct pb_state *state, uint32_t place, uint32_t superframe)
{
    state->stats.delivered++;
    state->stats.delivered_in_first += state->cold[place].release_superframe == superframe;
    free_place(state, place);
}

/* A message that comes over a wire to a node that has a room or loses messages. True: it goes no further. */
static COLD bool stays_out(struct pb_mover *mover, struct kind kind, uint32_t superframe, unsigned phase,
                           uint32_t node, uint32_t place)
{
    struct pb_state *state = &mover->state;
    const uint64_t message = state->cold[place].message;
    const uint32_t destination = state->hot[place].destination;

    if (loses(mover, node, message))
        state->stats.lost++;
    else if (destination == node || finds_room(mover, kind, node, destination))
        return false;
    else
        note_drop(mover, &(struct pb_drop){.message = message,
                                           .superframe = superframe,
                                           .crossings = (uint32_t)(mover->crossings),
                                           .node = (uint16_t)node,
                                           .phase = (uint8_t)phase});
    free_place(state, place);
    return true;
}

static ALWAYS_INLINE void note_crossing(struct pb_mover *mover, uint32_t superframe, unsigned phase,
                                        uint32_t number, struct pb_turn turn, uint32_t place)
{
    const struct pb_place_cold *cold = &mover->state.cold[place];
    const uint16_t destination = mover->state.hot[place].destination;
    mover->crossing[mover->crossings] = (struct pb_crossing){.message = cold->message,
                                                             .superframe = superframe,
                                                             .release_superframe = cold->release_superframe,
                                                             .sequence = cold->sequence,
                                                             .from = turn.from,
                                                             .to = turn.to,
                                                             .source = cold->source,
                                                             .destination = destination,
                                                             .phase = (uint8_t)phase,
                                                             .release_phase = cold->release_phase,
                                                             .port = mover->turns.port[number],
                                                             .last = destination == turn.to};
}

/* Moves the head of one queue across its wire. A receiver never sends in the same phase, so the order in which
 * the senders of a phase are served cannot matter. Returns whether the queue is empty now (ecube). */
static ALWAYS_INLINE bool cross(struct pb_mover *mover, struct kind kind, struct tally *tally,
                                uint32_t superframe, unsigned phase, uint32_t number)
{
    struct pb_state *state = &mover->state;
    const struct pb_turn turn = mover->turns.turn[number];
    struct pb_queue *queue = &state->queue[number];
    const uint32_t place = queue->head;
    const struct pb_place_hot hot = state->hot[place];
    bool emptied = false;

    if (kind.note)
        note_crossing(mover, superframe, phase, number, turn, place);
    mover->crossings++;
    state->occupancy[turn.from]--;
    if (kind.rule == PB_RULE_ECUBE) {
        queue->head = hot.next;
        emptied = --queue->depth == 0;
    } else {
        leave_all(mover, kind, turn.from, place, hot.destination);
    }
    if (__builtin_expect(pb_bit(mover->special, turn.to), false) &&
        stays_out(mover, kind, superframe, phase, turn.to, place))
        return emptied;
    if (hot.destination == turn.to)
        deliver(state, place, superframe);
    else
        enter(mover, kind, tally, turn.to, place, hot.destination);
    return emptied;
}

static ALWAYS_INLINE void run_senders(struct pb_mover *mover, struct kind kind, struct tally *tally,
                                      uint32_t superframe, unsigned phase)
{
    uint64_t *waiting = mover->state.waiting;
    const uint32_t end = mover->turns.first[phase + 1] / PB_WORD_BITS;

    for (uint32_t word = mover->turns.first[phase] / PB_WORD_BITS; word < end; word++) {
        uint64_t emptied = 0;
        for (uint64_t senders = waiting[word]; senders; senders &= senders - 1) {
            const unsigned bit = lowest_port(senders);
            emptied |= (uint64_t)cross(mover, kind, tally, superframe, phase, word * PB_WORD_BITS + bit)
                       << bit;
        }
        waiting[word] &= ~emptied;
    }
}

static void run_phase(struct pb_mover *mover, uint32_t superframe, unsigned phase)
{
    struct pb_mover_stats *stats = &mover->state.stats;
    struct tally tally = {stats->max_queue, stats->max_occupancy};
    const size_t before = mover->crossings;
    const bool cube = mover->network.dims;

#define RUN(rule, cube, note) run_senders(mover, (struct kind){rule, cube, note}, &tally, superframe, phase)
    if (mover->rule == PB_RULE_ECUBE)
        cube ? mover->note_crossings ? RUN(PB_RULE_ECUBE, true, true) : RUN(PB_RULE_ECUBE, true, false)
             : RUN(PB_RULE_ECUBE, false, mover->note_crossings);
    else
        cube ? RUN(PB_RULE_OPPORTUNISTIC, true, mover->note_crossings)
             : RUN(PB_RULE_OPPORTUNISTIC, false, mover->note_crossings);
#undef RUN
    stats->max_queue = tally.max_queue;
    stats->max_occupancy = tally.max_occupancy;
    stats->crossings += mover->crossings - before;
    if (mover->crossings > before)
        stats->superframes = superframe + 1;
}

static uint32_t take_place(struct pb_state *state)
{
    const uint32_t place = state->free;
    if (place == PB_NO_MESSAGE)
        return state->used++;
    state->free = state->hot[place].next;
    return place;
}

static void release(struct pb_mover *mover, struct tally *tally, const struct pb_birth *release)
{
    struct pb_state *state = &mover->state;
    const struct kind kind = {mover->rule, mover->network.dims, false};

    state->stats.released++;
    if (pb_bit(mover->special, release->source) && loses(mover, release->source, release->message)) {
        state->stats.lost++;
        return;
    }
    if (release->source == release->destination) {
        state->stats.delivered++;
        state->stats.delivered_in_first++;
        return;
    }
    if (pb_bit(mover->special, release->source) &&
        !finds_room(mover, kind, release->source, release->destination)) {
        note_drop(mover, &(struct pb_drop){.message = release->message,
                                           .superframe = release->superframe,
                                           .crossings = (uint32_t)mover->crossings,
                                           .node = (uint16_t)release->source,
                                           .phase = (uint8_t)release->phase,
                                           .at_release = true});
        return;
    }
    const uint32_t place = take_place(state);
    state->hot[place].destination = (uint16_t)release->destination;
    state->cold[place] = (struct pb_place_cold){.message = release->message,
                                                .release_superframe = release->superframe,
                                                .sequence = state->entered[release->source]++,
                                                .source = (uint16_t)release->source,
                                                .release_phase = (uint8_t)release->phase};
    enter(mover, kind, tally, release->source, place, release->destination);
}

/* Sets the waiting bits of what is held in a phase to 0; *held: those that were 1. */
static void hold(struct pb_mover *mover, unsigned phase, bool hold_them)
{
    for (size_t i = 0; i < mover->deviations; i++) {
        const struct pb_deviation *deviation = &mover->deviation[i];
        const struct pb_slot slot = pb_network_slot(&mover->network, deviation->node, phase);
        if (deviation->kind != PB_HOLDS || deviation->phase != phase || slot.role != PB_ROLE_SEND)
            continue;
        const uint32_t number = queue_of(mover, deviation->node, slot.port);
        const uint64_t bit = UINT64_C(1) << number % PB_WORD_BITS;
        uint64_t *word = &mover->state.waiting[number / PB_WORD_BITS];
        *word = hold_them || mover->state.queue[number].depth == 0 ? *word & ~bit : *word | bit;
    }
}

int pb_move_superframe(struct pb_mover *mover, uint32_t superframe)
{
    struct pb_mover_stats *stats = &mover->state.stats;
    size_t released = 0;

    mover->crossings = mover->drops = 0;
    for (unsigned phase = 0; phase < mover->network.phases; phase++) {
        const uint32_t first = mover->turns.first[phase], senders = mover->turns.first[phase + 1] - first;
        struct tally tally = {stats->max_queue, stats->max_occupancy};
        if (mover->note_crossings && pb_array_reserve(&mover->crossing, &mover->crossings_max,
                                                      mover->crossings + senders, sizeof *mover->crossing))
            return PB_ERR_MEMORY;
        for (; released < mover->releases && mover->release[released].phase == phase; released++)
            release(mover, &tally, &mover->release[released]);
        stats->max_queue = tally.max_queue;
        stats->max_occupancy = tally.max_occupancy;
        hold(mover, phase, true);
        run_phase(mover, superframe, phase);
        hold(mover, phase, false);
    }
    return PB_OK;
}
