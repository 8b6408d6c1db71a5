/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "mover.h"
#include "host/base/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Number of releases requested at a time. */
enum { RELEASES_AT_ONCE = 4096 };

static void set_bit(uint64_t *set, uint32_t bit)
{
    set[bit / PB_WORD_BITS] |= UINT64_C(1) << bit % PB_WORD_BITS;
}

static int mark_rooms(struct pb_mover *mover, const struct pb_mover_options *options)
{
    const struct pb_turns *turns = &mover->turns;
    uint64_t *const rooms = calloc(mover->network.nodes / PB_WORD_BITS + 1, sizeof *rooms);

    mover->any_room = rooms;
    mover->has_room = calloc(mover->nodes / PB_WORD_BITS + 1, sizeof *mover->has_room);
    mover->of_room = calloc(turns->queues / PB_WORD_BITS + 1, sizeof *mover->of_room);
    mover->room_at = calloc(mover->rooms ? mover->nodes : 1, sizeof *mover->room_at);
    if (!rooms || !mover->has_room || !mover->of_room || !mover->room_at)
        return PB_ERR_MEMORY;
    for (unsigned i = 0; i < options->rooms; i++)
        set_bit(rooms, options->room[i].node);
    for (unsigned i = 0; i < mover->rooms; i++) {
        const uint32_t node = mover->state.room[i].node - mover->base;
        set_bit(mover->has_room, node);
        mover->room_at[node] = i;
    }
    for (unsigned phase = 0; options->rooms && phase < mover->network.phases; phase++)
        for (uint32_t queue = turns->first[phase]; queue < turns->end[phase]; queue++) {
            const struct pb_turn turn = pb_turn_of(turns, turns->cube, phase, queue);
            if (pb_bit(rooms, mover->base + turn.from) || pb_bit(rooms, turn.to))
                set_bit(mover->of_room, queue);
        }
    return PB_OK;
}

static int make_part(struct pb_mover *mover)
{
    const unsigned parts = mover->part.parts;

    if (!mover->part.exchange)
        return PB_OK;
    mover->out[0] = calloc(parts, sizeof *mover->out[0]);
    mover->out[1] = calloc(parts, sizeof *mover->out[1]);
    mover->over = calloc(parts, sizeof *mover->over);
    mover->got = calloc(parts, sizeof *mover->got);
    return mover->out[0] && mover->out[1] && mover->over && mover->got ? PB_OK : PB_ERR_MEMORY;
}

int pb_mover_create(struct pb_mover **out, const struct pb_mover_options *options,
                    struct pb_releases *releases)
{
    const uint32_t all[] = {0, options->network->nodes};
    const struct pb_mover_part whole = {.first = all, .parts = 1};
    const struct pb_mover_part *const part = options->part ? options->part : &whole;
    struct pb_mover *mover = *out = calloc(1, sizeof *mover);

    if (!mover)
        return PB_ERR_MEMORY;
    mover->network = *options->network;
    mover->rule = options->rule;
    mover->links = options->rule == PB_RULE_ECUBE ? 0 : 2 * options->network->ports;
    mover->part = *part;
    mover->base = part->first[part->own];
    mover->nodes = part->first[part->own + 1] - mover->base;
    for (unsigned i = 0; i < options->rooms; i++)
        mover->rooms += options->room[i].node - mover->base < mover->nodes;
    mover->note = !options->crossings ? PB_NOTE_NONE : options->of_rooms ? PB_NOTE_OF_ROOMS : PB_NOTE_ALL;
    mover->source = releases;
    if (pb_turns_make(&mover->turns, options->network, part) || make_part(mover) ||
        pb_state_make(&mover->state, mover, options->room) || mark_rooms(mover, options) ||
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
    free(mover->any_room);
    free(mover->has_room);
    free(mover->of_room);
    free(mover->room_at);
    free(mover->load);
    free(mover->release);
    free(mover->crossing);
    free(mover->drop);
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned other = 0; mover->out[i] && other < mover->part.parts; other++)
            free(mover->out[i][other].at);
        free(mover->out[i]);
    }
    free(mover->over);
    free(mover->got);
    free(mover);
}

uint64_t pb_mover_superframe(const struct pb_mover *mover)
{
    return mover->superframe;
}

bool pb_mover_left(const struct pb_mover *mover)
{
    uint32_t superframe;
    return pb_in_flight(mover) > 0 || mover->source->next(mover->source, &superframe);
}

void pb_mover_skip(struct pb_mover *mover, uint32_t limit)
{
    uint32_t next;

    if (pb_in_flight(mover) || limit <= mover->superframe)
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
    if (release->source - mover->base >= mover->nodes || release->destination >= network->nodes)
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
    if (mover->part.exchange || (code == PB_OK && (mover->releases || pb_in_flight(mover))))
        code = pb_move_superframe(mover, (uint32_t)mover->superframe, code);
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

void pb_mover_add_stats(struct pb_mover_stats *sum, const struct pb_mover_stats *part)
{
    uint64_t *const total[] = {&sum->released, &sum->delivered, &sum->dropped,
                               &sum->lost,     &sum->crossings, &sum->delivered_in_first};
    const uint64_t of_part[] = {part->released, part->delivered, part->dropped,
                                part->lost,     part->crossings, part->delivered_in_first};
    uint32_t *const most[] = {&sum->superframes, &sum->max_queue, &sum->max_occupancy};
    const uint32_t of_part_most[] = {part->superframes, part->max_queue, part->max_occupancy};

    for (size_t i = 0; i < sizeof total / sizeof total[0]; i++)
        *total[i] += of_part[i];
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++)
        *most[i] = of_part_most[i] > *most[i] ? of_part_most[i] : *most[i];
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
    for (uint32_t node = 0; node < mover->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++)
            load[(size_t)node * network->ports + port] =
                mover->load[pb_queue_of(&mover->turns, mover->turns.cube, node, port)];
}
