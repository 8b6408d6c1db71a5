/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "mover.h"
#include "host/base/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Number of releases requested at a time. */
enum { RELEASES_AT_ONCE = 4096 };

static int mark_rooms(struct pb_mover *mover)
{
    const struct pb_turns *turns = &mover->turns;
    mover->has_room = calloc(mover->network.nodes / PB_WORD_BITS + 1, sizeof *mover->has_room);
    mover->of_room = calloc(turns->queues / PB_WORD_BITS + 1, sizeof *mover->of_room);
    mover->room_at = calloc(mover->rooms ? mover->network.nodes : 1, sizeof *mover->room_at);
    if (!mover->has_room || !mover->of_room || !mover->room_at)
        return PB_ERR_MEMORY;
    for (unsigned i = 0; i < mover->rooms; i++) {
        const uint32_t node = mover->state.room[i].node;
        mover->has_room[node / PB_WORD_BITS] |= UINT64_C(1) << node % PB_WORD_BITS;
        mover->room_at[node] = i;
    }
    for (unsigned phase = 0; mover->rooms && phase < mover->network.phases; phase++)
        for (uint32_t queue = turns->first[phase]; queue < turns->end[phase]; queue++) {
            const struct pb_turn turn = pb_turn_of(turns, mover->network.dims, phase, queue);
            if (pb_bit(mover->has_room, turn.from) || pb_bit(mover->has_room, turn.to))
                mover->of_room[queue / PB_WORD_BITS] |= UINT64_C(1) << queue % PB_WORD_BITS;
        }
    return PB_OK;
}

int pb_mover_create(struct pb_mover **out, const struct pb_mover_options *options,
                    struct pb_releases *releases)
{
    struct pb_mover *mover = *out = calloc(1, sizeof *mover);

    if (!mover)
        return PB_ERR_MEMORY;
    mover->network = *options->network;
    mover->rule = options->rule;
    mover->links = options->rule == PB_RULE_ECUBE ? 0 : 2 * options->network->ports;
    mover->rooms = options->rooms;
    mover->note = !options->crossings ? PB_NOTE_NONE : options->of_rooms ? PB_NOTE_OF_ROOMS : PB_NOTE_ALL;
    mover->source = releases;
    if (pb_turns_make(&mover->turns, options->network) ||
        pb_state_make(&mover->state, mover, options->room) || mark_rooms(mover) ||
        (options->loads && !(mover->load = calloc(mover->turns.queues, sizeof *mover->load)))) {
        pb_mover_free(mover);
        *out = NULL;
        return PB_ERR_MEMORY;
    }
    return PB_OK;
}

void pb_mover_free(struct pb_mover *mover)
{
    if (!mover)
        return;
    pb_turns_free(&mover->turns);
    pb_state_free(&mover->state);
    free(mover->has_room);
    free(mover->of_room);
    free(mover->room_at);
    free(mover->load);
    free(mover->release);
    free(mover->crossing);
    free(mover->drop);
    free(mover);
}

uint64_t pb_mover_superframe(const struct pb_mover *mover)
{
    return mover->superframe;
}

static bool is_any_in_flight(const struct pb_mover *mover)
{
    const struct pb_mover_stats *stats = &mover->state.stats;
    return stats->released > stats->delivered + stats->dropped + stats->lost;
}

bool pb_mover_left(const struct pb_mover *mover)
{
    uint32_t superframe;
    return is_any_in_flight(mover) || mover->source->next(mover->source, &superframe);
}

void pb_mover_skip(struct pb_mover *mover, uint32_t limit)
{
    uint32_t next;

    if (is_any_in_flight(mover) || limit <= mover->superframe)
        return;
    if (!mover->source->next(mover->source, &next) || next > limit)
        next = limit;
    if (next > mover->superframe)
        mover->superframe = next;
}

static int check_release(const struct pb_mover *mover, size_t at, struct pb_diag *diag)
{
    const struct pb_birth *release = &mover->release[at];
    const struct pb_network *network = &mover->network;
    char size[PB_NETWORK_TEXT_SIZE];

    if (release->superframe != mover->superframe || (at && release->phase < mover->release[at - 1].phase))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "movement: message %" PRIu64 " is released in superframe %" PRIu32
                       ", phase %u; releases are due from superframe %" PRIu64
                       ", phase %u on; give them in ascending order",
                       release->message, release->superframe, release->phase, mover->superframe,
                       at ? mover->release[at - 1].phase : 0);
    if (release->phase >= network->phases)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "movement: message %" PRIu64 " is released in phase %u; the last one is %u; lower it",
                       release->message, release->phase, network->phases - 1);
    if (release->source >= network->nodes || release->destination >= network->nodes)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "movement: message %" PRIu64 " goes from 0x%" PRIX32 " to 0x%" PRIX32
                       "; with %s addresses end at 0x%" PRIX32 "; lower them",
                       release->message, release->source, release->destination,
                       pb_network_text(network, size), network->nodes - 1);
    return PB_OK;
}

static int take_releases(struct pb_mover *mover, struct pb_diag *diag)
{
    size_t count = 1;

    mover->releases = 0;
    while (count) {
        if (pb_make_room(&mover->release, &mover->releases_max, mover->releases + RELEASES_AT_ONCE,
                             sizeof *mover->release))
            return PB_ERR_MEMORY;
        const int code =
            mover->source->take(mover->source, (uint32_t)mover->superframe, mover->release + mover->releases,
                                mover->releases_max - mover->releases, &count);
        if (code)
            return code;
        for (size_t i = 0; i < count; i++) {
            const int refused = check_release(mover, mover->releases++, diag);
            if (refused)
                return refused;
        }
    }
    return PB_OK;
}

/* Of one superframe: every release, and what each node with a room receives. */
static int reserve(struct pb_mover *mover)
{
    return pb_state_reserve(&mover->state, mover, mover->releases) ||
                   pb_make_room(&mover->drop, &mover->drops_max,
                                    mover->releases + (size_t)mover->rooms * mover->network.phases,
                                    sizeof *mover->drop)
               ? PB_ERR_MEMORY
               : PB_OK;
}

int pb_mover_step(struct pb_mover *mover, struct pb_diag *diag)
{
    if (mover->superframe >= UINT32_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "movement: superframe %" PRIu64 " is beyond the last one, %" PRIu32 "; start anew",
                       mover->superframe, UINT32_MAX - 1);
    int code = take_releases(mover, diag);
    if (code == PB_OK)
        code = reserve(mover);
    mover->crossings = mover->drops = 0;
    if (code == PB_OK && (mover->releases || is_any_in_flight(mover)))
        code = pb_move_superframe(mover, (uint32_t)mover->superframe);
    mover->superframe++;
    if (code == PB_ERR_MEMORY)
        return pb_fail(diag, code,
                       "movement: no memory for %" PRIu64 " messages in superframe %" PRIu64 "; send less",
                       mover->state.stats.released + mover->releases, mover->superframe - 1);
    return code;
}

const struct pb_crossing *pb_mover_crossings(const struct pb_mover *mover, size_t *count)
{
    *count = mover->note ? mover->crossings : 0;
    return mover->crossing;
}

const struct pb_drop *pb_mover_drops(const struct pb_mover *mover, size_t *count)
{
    *count = mover->drops;
    return mover->drop;
}

const struct pb_mover_stats *pb_mover_stats(const struct pb_mover *mover)
{
    return &mover->state.stats;
}

const struct pb_flow_room *pb_mover_rooms(const struct pb_mover *mover)
{
    return mover->state.room;
}

const uint32_t *pb_mover_occupancy(const struct pb_mover *mover)
{
    return mover->state.occupancy;
}

void pb_mover_loads(const struct pb_mover *mover, uint32_t *load)
{
    const struct pb_network *network = &mover->network;
    for (uint32_t node = 0; node < network->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++)
            load[(size_t)node * network->ports + port] =
                mover->load[pb_queue_of(&mover->turns, network->dims, node, port)];
}
