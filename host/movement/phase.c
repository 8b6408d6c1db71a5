/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Moves the messages of a phase. Bitmaps name the senders; other nodes are not visited. Under load it is
 * random whether a queue is or becomes empty. So no code below branches on it: the head of an empty queue is
 * read and written, but never used.
 */
#include "box.h"
#include "host/base/room.h"

#define COLD __attribute__((noinline, cold))

/* Of one phase, so that the counters can be kept in registers. */
struct tally {
    uint32_t max_queue, max_occupancy;
    size_t crossings; /* of the superframe; with PB_NOTE_OF_ROOMS those that are kept */
    uint64_t passed;  /* crossings, all of them */
};

/* Constant in each function that runs a phase, so that each has code of its own. */
struct kind {
    enum pb_rule rule;
    bool cube;   /* a binary cube: port d corrects bit d */
    bool leaves; /* in this phase wires lead to other parts: in a cube all */
    enum pb_note note;
};

/* Of dimension order in a cube, the lowest alone counts. */
static PB_ALWAYS_INLINE uint64_t wanted_by(const struct pb_mover *mover, struct kind kind, uint32_t node,
                                        uint32_t destination)
{
    return kind.cube ? node ^ destination : pb_network_wanted(&mover->network, kind.rule, node, destination);
}

static PB_ALWAYS_INLINE void append(struct pb_mover *mover, struct kind kind, struct tally *tally,
                                    uint32_t node, unsigned port, uint32_t place)
{
    struct pb_state *state = &mover->state;
    const uint32_t number = pb_queue_of(&mover->turns, kind.cube, node, port);
    struct pb_queue *queue = &state->queue[number];
    const uint32_t depth = queue->depth++;

    *(depth ? &state->hot[queue->tail].next : &queue->head) = place;
    queue->tail = place;
    state->waiting[number / PB_WORD_BITS] |= UINT64_C(1) << number % PB_WORD_BITS;
    if (depth >= tally->max_queue)
        tally->max_queue = depth + 1;
}

static bool finds_room(struct pb_mover *mover, struct kind kind, uint32_t node, uint32_t destination)
{
    struct pb_state *state = &mover->state;
    struct pb_flow_room *room = &state->room[mover->room_at[node]];
    const uint64_t wanted = pb_network_wanted(&mover->network, kind.rule, mover->base + node, destination);
    const unsigned in_all = state->occupancy[node], in_queue = depth_at(mover, node, lowest_port(wanted));
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

/* Puts a message into a node on its way. */
static PB_ALWAYS_INLINE void enter(struct pb_mover *mover, struct kind kind, struct tally *tally,
                                   uint32_t node, uint32_t place, uint64_t want)
{
    struct pb_state *state = &mover->state;
    const uint32_t held = state->occupancy[node]++;

    if (held >= tally->max_occupancy)
        tally->max_occupancy = held + 1;
    if (kind.rule == PB_RULE_ECUBE) {
        append(mover, kind, tally, node, lowest_port(want), place);
        return;
    }
    state->wanted[node] |= want;
    state->active[node / PB_WORD_BITS] |= UINT64_C(1) << node % PB_WORD_BITS;
    if (__builtin_expect(held >= PB_BOX || state->deep[node], false)) {
        enter_deep(mover, node, want, place);
    } else {
        state->box[node].want[held / 4] |= want << held % 4 * PB_BOX_PORTS;
        state->box[node].place[held] = place;
    }
}

static PB_ALWAYS_INLINE void deliver(struct pb_state *state, uint32_t place, uint32_t superframe)
{
    state->stats.delivered++;
    state->stats.delivered_in_first += state->cold[place].release_superframe == superframe;
    pb_free_place(state, place);
}

/* A message that comes over a wire to a node that has a room. True: it goes no further. */
static COLD bool stays_out(struct pb_mover *mover, struct kind kind, uint32_t superframe, unsigned phase,
                           size_t crossings, uint32_t node, uint32_t place)
{
    struct pb_state *state = &mover->state;
    const uint32_t destination = state->cold[place].destination;

    if (destination == mover->base + node || finds_room(mover, kind, node, destination))
        return false;
    note_drop(mover, &(struct pb_drop){.message = state->cold[place].message,
                                       .superframe = superframe,
                                       .crossings = (uint32_t)crossings,
                                       .node = mover->base + node,
                                       .release_superframe = state->cold[place].release_superframe,
                                       .release_phase = state->cold[place].release_phase,
                                       .phase = (uint8_t)phase});
    pb_free_place(state, place);
    return true;
}

static PB_ALWAYS_INLINE void note_crossing(struct pb_mover *mover, size_t crossings, uint32_t superframe,
                                        unsigned phase, unsigned port, struct pb_turn turn, uint32_t place)
{
    const struct pb_place_cold *cold = &mover->state.cold[place];
    mover->crossing[crossings] = (struct pb_crossing){.message = cold->message,
                                                      .superframe = superframe,
                                                      .release_superframe = cold->release_superframe,
                                                      .sequence = cold->sequence,
                                                      .from = mover->base + turn.from,
                                                      .to = turn.to,
                                                      .source = cold->source,
                                                      .destination = cold->destination,
                                                      .phase = (uint8_t)phase,
                                                      .release_phase = cold->release_phase,
                                                      .port = (uint8_t)port,
                                                      .last = cold->destination == turn.to};
}

/* Hands a message to the part of the node that it comes to; there is room for it in the list. */
static PB_ALWAYS_INLINE void hand_over(struct pb_mover *mover, uint32_t to, uint32_t place)
{
    unsigned part = 0;

    if (mover->turns.cube)
        part = to >> __builtin_ctz(mover->nodes);
    else
        while (to >= mover->part.first[part + 1])
            part++;
    struct pb_transfers *const out = &mover->out[mover->out_now][part];
    out->at[out->count++] = (struct pb_transfer){mover->state.cold[place], to};
    mover->went++;
    pb_free_place(&mover->state, place);
}

/* Moves one message across a wire. A receiver never sends in the same phase, so the order in which the
 * senders of a phase are served cannot matter. of_room: of the wire. Returns whether the queue is empty now
 * (ecube). */
static PB_ALWAYS_INLINE bool cross(struct pb_mover *mover, struct kind kind, struct tally *tally,
                                uint32_t superframe, unsigned phase, uint32_t number, bool of_room)
{
    struct pb_state *state = &mover->state;
    const struct pb_turn turn = pb_turn_of(&mover->turns, kind.cube, phase, number);
    const unsigned port = pb_port_of(&mover->turns, kind.cube, phase, number);
    uint64_t want;
    uint32_t place;
    bool emptied = false;

    if (kind.rule == PB_RULE_ECUBE) {
        struct pb_queue *queue = &state->queue[number];
        place = queue->head;
        const struct pb_place_hot hot = state->hot[place];
        queue->head = hot.next;
        emptied = --queue->depth == 0;
        want = hot.destination == turn.to ? 0 : wanted_by(mover, kind, turn.to, hot.destination);
    } else {
        place = leave(mover, turn.from, port, &want);
        want = kind.cube ? want & ~(UINT64_C(1) << port)
                         : wanted_by(mover, kind, turn.to, state->cold[place].destination);
    }
    state->occupancy[turn.from]--;
    if (kind.note == PB_NOTE_ALL || (kind.note == PB_NOTE_OF_ROOMS && (of_room || !want)))
        note_crossing(mover, tally->crossings, superframe, phase, port, turn, place);
    tally->crossings += kind.note != PB_NOTE_OF_ROOMS || of_room || !want;
    const uint32_t node = turn.to - mover->base;
    if (kind.leaves && (kind.cube || node >= mover->nodes)) {
        hand_over(mover, turn.to, place);
        return emptied;
    }
    if (__builtin_expect(pb_bit(mover->has_room, node), false) &&
        stays_out(mover, kind, superframe, phase, tally->crossings, node, place))
        return emptied;
    if (want)
        enter(mover, kind, tally, node, place, want);
    else
        deliver(state, place, superframe);
    return emptied;
}

/* Nodes that have no message any more are not active: before a superframe is early enough. */
static void rest_idle_nodes(struct pb_mover *mover)
{
    for (uint32_t first = 0; first < mover->nodes; first += PB_WORD_BITS) {
        uint64_t *active = &mover->state.active[first / PB_WORD_BITS];
        for (uint64_t left = *active; left; left &= left - 1)
            if (!mover->state.wanted[first + lowest_port(left)])
                *active &= ~(left & -left);
    }
}

/* Whether a sender of 64 queues may hold a message. */
static PB_ALWAYS_INLINE bool is_active(const struct pb_mover *mover, struct pb_span span)
{
    uint64_t any = 0;
    for (unsigned word = span.first; word <= span.last; word++)
        any |= mover->state.active[word];
    return any;
}

/* Of the 64 queues from this one on: those with a message. In a cube, the nodes that send in a phase send on
 * one port. */
static PB_ALWAYS_INLINE uint64_t senders_of(const struct pb_mover *mover, struct kind kind, unsigned phase,
                                         uint32_t first, uint32_t end)
{
    const struct pb_turns *turns = &mover->turns;
    uint64_t senders = 0;

    if (kind.rule == PB_RULE_ECUBE)
        return mover->state.waiting[first / PB_WORD_BITS];
    end = end < first + PB_WORD_BITS ? end : first + PB_WORD_BITS;
    if (!is_active(mover, pb_span_of(turns, kind.cube, phase, first, end)))
        return 0;
#pragma GCC unroll 8
    for (uint32_t number = end; number-- > first;)
        senders = senders << 1 | (mover->state.wanted[pb_turn_of(turns, kind.cube, phase, number).from] >>
                                      pb_port_of(turns, kind.cube, phase, number) &
                                  1);
    return senders;
}

static PB_ALWAYS_INLINE void run_phase(struct pb_mover *mover, struct kind kind, uint32_t superframe,
                                    unsigned phase)
{
    struct pb_mover_stats *stats = &mover->state.stats;
    struct tally tally = {stats->max_queue, stats->max_occupancy, mover->crossings, 0};
    const uint32_t end = mover->turns.end[phase];
    uint32_t *const load = mover->load;

    for (uint32_t first = mover->turns.first[phase]; first < end; first += PB_WORD_BITS) {
        const uint64_t of_room = mover->of_room[first / PB_WORD_BITS];
        uint64_t emptied = 0, senders = senders_of(mover, kind, phase, first, end);
        if (!senders)
            continue;
        tally.passed += (uint64_t)__builtin_popcountll(senders);
        for (; senders; senders &= senders - 1) {
            const unsigned bit = lowest_port(senders);
            if (load)
                load[first + bit]++;
            emptied |=
                (uint64_t)cross(mover, kind, &tally, superframe, phase, first + bit, of_room >> bit & 1)
                << bit;
        }
        if (kind.rule == PB_RULE_ECUBE)
            mover->state.waiting[first / PB_WORD_BITS] &= ~emptied;
    }
    stats->max_queue = tally.max_queue;
    stats->max_occupancy = tally.max_occupancy;
    stats->crossings += tally.passed;
    if (tally.passed)
        stats->superframes = superframe + 1;
    mover->crossings = tally.crossings;
}

#define RUN(name, rule, cube, leaves, note)                                                                  \
    static __attribute__((noinline)) void name(struct pb_mover *mover, uint32_t superframe, unsigned phase)  \
    {                                                                                                        \
        run_phase(mover, (struct kind){rule, cube, leaves, note}, superframe, phase);                        \
    }
#define RUNS(name, rule, cube, leaves)                                                                       \
    RUN(name, rule, cube, leaves, PB_NOTE_NONE)                                                              \
    RUN(name##_noted, rule, cube, leaves, PB_NOTE_ALL)                                                       \
    RUN(name##_of_rooms, rule, cube, leaves, PB_NOTE_OF_ROOMS)
RUNS(run_ecube, PB_RULE_ECUBE, false, false)
RUNS(run_ecube_leaves, PB_RULE_ECUBE, false, true)
RUNS(run_ecube_cube, PB_RULE_ECUBE, true, false)
RUNS(run_ecube_cube_leaves, PB_RULE_ECUBE, true, true)
RUNS(run_any, PB_RULE_OPPORTUNISTIC, false, false)
RUNS(run_any_leaves, PB_RULE_OPPORTUNISTIC, false, true)
RUNS(run_any_cube, PB_RULE_OPPORTUNISTIC, true, false)
RUNS(run_any_cube_leaves, PB_RULE_OPPORTUNISTIC, true, true)
#undef RUNS
#undef RUN

/* [rule][cube][leaves][note] */
#define RUNS(name) {name, name##_noted, name##_of_rooms}
static void (*const runs[PB_RULES][2][2][PB_NOTES])(struct pb_mover *mover, uint32_t superframe,
                                                    unsigned phase) = {
    {{RUNS(run_ecube), RUNS(run_ecube_leaves)}, {RUNS(run_ecube_cube), RUNS(run_ecube_cube_leaves)}},
    {{RUNS(run_any), RUNS(run_any_leaves)}, {RUNS(run_any_cube), RUNS(run_any_cube_leaves)}},
};
#undef RUNS

static uint32_t take_place(struct pb_state *state)
{
    const uint32_t place = state->free;
    if (place == PB_NO_MESSAGE)
        return state->used++;
    state->free = state->hot[place].next;
    return place;
}

/* Of a mover, where no phase runs. */
static struct kind kind_of(const struct pb_mover *mover)
{
    return (struct kind){mover->rule, mover->turns.cube, false, PB_NOTE_NONE};
}

static void put(struct pb_mover *mover, struct tally *tally, uint32_t node,
                const struct pb_place_cold *message)
{
    const struct kind kind = kind_of(mover);
    const uint32_t place = take_place(&mover->state);

    mover->state.hot[place].destination = message->destination;
    mover->state.cold[place] = *message;
    enter(mover, kind, tally, node, place,
          pb_network_wanted(&mover->network, mover->rule, mover->base + node, message->destination));
}

static void release(struct pb_mover *mover, struct tally *tally, const struct pb_birth *release)
{
    struct pb_state *state = &mover->state;
    const struct kind kind = kind_of(mover);
    const uint32_t node = release->source - mover->base;

    state->stats.released++;
    if (release->source == release->destination) {
        state->stats.delivered++;
        state->stats.delivered_in_first++;
        return;
    }
    if (pb_bit(mover->has_room, node) && !finds_room(mover, kind, node, release->destination)) {
        note_drop(mover, &(struct pb_drop){.message = release->message,
                                           .superframe = release->superframe,
                                           .crossings = (uint32_t)mover->crossings,
                                           .node = release->source,
                                           .release_superframe = release->superframe,
                                           .release_phase = (uint8_t)release->phase,
                                           .phase = (uint8_t)release->phase,
                                           .at_release = true});
        return;
    }
    put(mover, tally, node,
        &(struct pb_place_cold){.message = release->message,
                                .release_superframe = release->superframe,
                                .sequence = state->entered[node]++,
                                .source = release->source,
                                .destination = release->destination,
                                .release_phase = (uint8_t)release->phase});
}

void pb_enter_anew(struct pb_mover *mover, uint32_t node, const struct pb_place_cold *message)
{
    struct tally tally = {0};
    put(mover, &tally, node, message);
}

/* Room in the lists for all that leaves in a phase: in a cube to one part, else to any. */
static int reserve_out(struct pb_mover *mover, unsigned phase)
{
    const uint32_t senders = mover->turns.end[phase] - mover->turns.first[phase];
    const unsigned peer = mover->turns.cube ? (mover->base ^ UINT32_C(1) << phase / 2) / mover->nodes : 0;

    for (unsigned i = 0; i < mover->part.parts; i++) {
        struct pb_transfers *const out = &mover->out[mover->out_now][i];
        if (i != mover->part.own && (!mover->turns.cube || i == peer) &&
            pb_make_room(&out->at, &out->most, senders, sizeof *out->at))
            return PB_ERR_MEMORY;
    }
    return PB_OK;
}

static void exchange(struct pb_mover *mover)
{
    for (unsigned i = 0; i < mover->part.parts; i++) {
        const struct pb_transfers *const out = &mover->out[mover->out_now][i];
        mover->over[i] = (struct pb_handed){out->at, out->count * sizeof *out->at};
    }
    mover->part.exchange(mover->part.context, mover->over, mover->got);
    mover->out_now ^= 1;
    for (unsigned i = 0; i < mover->part.parts; i++)
        mover->out[mover->out_now][i].count = 0;
}

static void receive(struct pb_mover *mover, struct tally *tally, uint32_t superframe, unsigned phase,
                    const struct pb_transfer *transfer)
{
    const struct kind kind = kind_of(mover);
    const uint32_t place = take_place(&mover->state), node = transfer->to - mover->base,
                   destination = transfer->cold.destination;

    mover->came++;
    mover->state.hot[place].destination = destination;
    mover->state.cold[place] = transfer->cold;
    if (pb_bit(mover->has_room, node) && stays_out(mover, kind, superframe, phase, 0, node, place))
        return;
    if (destination == transfer->to)
        deliver(&mover->state, place, superframe);
    else
        enter(mover, kind, tally, node, place,
              pb_network_wanted(&mover->network, mover->rule, transfer->to, destination));
}

/* What came from other parts in this phase. pending: releases that are still to come, which have places. */
static int receive_all(struct pb_mover *mover, uint32_t superframe, unsigned phase, size_t pending)
{
    struct pb_mover_stats *stats = &mover->state.stats;
    struct tally tally = {stats->max_queue, stats->max_occupancy, 0, 0};
    size_t count = pending;

    for (unsigned i = 0; i < mover->part.parts; i++)
        count += mover->got[i].count / sizeof(struct pb_transfer);
    if (pb_state_reserve(&mover->state, mover, count))
        return PB_ERR_MEMORY;
    for (unsigned i = 0; i < mover->part.parts; i++) {
        const struct pb_transfer *const transfer = mover->got[i].bytes;
        for (size_t k = 0; k < mover->got[i].count / sizeof *transfer; k++)
            receive(mover, &tally, superframe, phase, &transfer[k]);
    }
    stats->max_queue = tally.max_queue;
    stats->max_occupancy = tally.max_occupancy;
    return PB_OK;
}

static int move_phase(struct pb_mover *mover, uint32_t superframe, unsigned phase, size_t *released)
{
    struct pb_mover_stats *stats = &mover->state.stats;
    const uint32_t senders = mover->turns.end[phase] - mover->turns.first[phase];
    const bool leaves = mover->turns.leaves[phase];
    struct tally tally = {stats->max_queue, stats->max_occupancy, mover->crossings, 0};

    if ((mover->note && pb_make_room(&mover->crossing, &mover->crossings_max, mover->crossings + senders,
                                     sizeof *mover->crossing)) ||
        (leaves && reserve_out(mover, phase)))
        return PB_ERR_MEMORY;
    for (; *released < mover->releases && mover->release[*released].phase == phase; ++*released)
        release(mover, &tally, &mover->release[*released]);
    stats->max_queue = tally.max_queue;
    stats->max_occupancy = tally.max_occupancy;
    runs[mover->rule][mover->turns.cube][leaves][mover->note](mover, superframe, phase);
    return PB_OK;
}

int pb_move_superframe(struct pb_mover *mover, uint32_t superframe, int code)
{
    size_t released = 0;

    mover->crossings = mover->drops = 0;
    if (mover->rule != PB_RULE_ECUBE)
        rest_idle_nodes(mover);
    for (unsigned phase = 0; phase < mover->network.phases; phase++) {
        if (code == PB_OK)
            code = move_phase(mover, superframe, phase, &released);
        if (!mover->turns.leaves[phase])
            continue;
        exchange(mover);
        if (code == PB_OK)
            code = receive_all(mover, superframe, phase, mover->releases - released);
    }
    return code;
}
