/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Movers of some nodes each, which move together: against the naive movement of all nodes.
 *
 * evidence: the movement of a network in parts
 *   simulated: each crossing, drop and total is that of the naive movement, for parts of any size
 */
#include "tests/bench/unit/naive_movement.h"

#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 6, RUNS = 400 };

/* Meets in turns, as pb_exchange_fn says; nothing else of the mover is used. */
struct together {
    pthread_barrier_t meeting;
    struct pb_handed handed[2][PARTS_MAX][PARTS_MAX]; /* [turn][from][to] */
    unsigned parts;
};

struct member {
    struct together *together;
    unsigned own, turn;
    struct pb_mover *mover;
    struct pb_traffic list;
    struct pb_releases *releases;
    size_t original[NAIVE_MESSAGES_MAX]; /* of each of its messages */
    unsigned superframes;
    struct pb_crossing crossing[NAIVE_CROSSINGS_MAX];
    struct pb_drop drop[NAIVE_MESSAGES_MAX];
    size_t crossings, drops;
    int code;
};

static void meet(void *context, const struct pb_handed *over, struct pb_handed *got)
{
    struct member *member = context;
    struct together *together = member->together;

    memcpy(together->handed[member->turn][member->own], over, together->parts * sizeof *over);
    pthread_barrier_wait(&together->meeting);
    for (unsigned i = 0; i < together->parts; i++)
        got[i] = together->handed[member->turn][i][member->own];
    member->turn ^= 1;
}

static void *move(void *context)
{
    struct member *member = context;

    for (unsigned i = 0; i < member->superframes; i++) {
        size_t crossings, drops;
        const int code = pb_mover_step(member->mover, NULL);
        member->code = code ? code : member->code;
        const struct pb_crossing *crossing = pb_mover_crossings(member->mover, &crossings);
        const struct pb_drop *drop = pb_mover_drops(member->mover, &drops);
        for (size_t k = 0; k < crossings && member->crossings < NAIVE_CROSSINGS_MAX; k++)
            member->crossing[member->crossings++] = crossing[k];
        for (size_t k = 0; k < drops && member->drops < NAIVE_MESSAGES_MAX; k++)
            member->drop[member->drops++] = drop[k];
    }
    return NULL;
}

static int in_time(const void *left, const void *right)
{
    const struct pb_crossing *a = left, *b = right;
    if (a->superframe != b->superframe)
        return a->superframe < b->superframe ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

/* Numbers 0 to nodes, ascending, at random places. */
static void cut(uint32_t *first, unsigned parts, uint32_t nodes, bool equal, uint64_t *random)
{
    bool cut_at[DEFINED_NODES_MAX + 1] = {false};
    unsigned count = 1;

    first[0] = 0;
    for (unsigned i = 1; i < parts; i++) {
        uint32_t at = nodes * i / parts;
        while (!equal && cut_at[at = 1 + (uint32_t)(pb_splitmix64(random) % (nodes - 1))])
            ;
        cut_at[at] = true;
    }
    for (uint32_t node = 1; node < nodes; node++)
        if (cut_at[node])
            first[count++] = node;
    first[count] = nodes;
    assert_int_equal(count, parts);
}

static void make_member(struct member *member, const struct naive *naive, const struct pb_network *network,
                        const uint32_t *first)
{
    const uint32_t begin = first[member->own], end = first[member->own + 1];
    struct pb_traffic *const list = &member->list;

    for (size_t i = 0; i < naive->traffic->count; i++)
        if (naive->traffic->message[i].source >= begin && naive->traffic->message[i].source < end) {
            member->original[list->count] = i;
            assert_int_equal(pb_traffic_add(list, &naive->traffic->message[i]), PB_OK);
        }
    assert_int_equal(pb_releases_list(&member->releases, network, list), PB_OK);
    const struct pb_mover_part part = {first, member->together->parts, member->own, meet, member};
    const bool room = naive->room.in_all || naive->room.per_dimension;
    assert_int_equal(pb_mover_create(&member->mover,
                                     &(struct pb_mover_options){.network = network,
                                                                .rule = naive->rule,
                                                                .room = &naive->room,
                                                                .rooms = room,
                                                                .crossings = true,
                                                                .loads = true,
                                                                .part = &part},
                                     member->releases),
                     PB_OK);
}

/* The number of a message of a list is its place there. */
static void number(struct member *member, const struct naive *naive, const uint32_t *first,
                   struct member *all)
{
    for (size_t i = 0; i < member->crossings; i++) {
        unsigned of = 0;
        while (member->crossing[i].source >= first[of + 1])
            of++;
        member->crossing[i].message = all[of].original[member->crossing[i].message];
    }
    for (size_t i = 0; i < member->drops; i++) {
        size_t found = naive->drops;
        for (size_t k = 0; k < naive->drops && found == naive->drops; k++)
            for (unsigned of = 0; of < member->together->parts; of++)
                if (all[of].original[member->drop[i].message] == naive->dropped[k] &&
                    naive->traffic->message[naive->dropped[k]].source >= first[of] &&
                    naive->traffic->message[naive->dropped[k]].source < first[of + 1] &&
                    naive->traffic->message[naive->dropped[k]].release_superframe ==
                        member->drop[i].release_superframe &&
                    naive->traffic->message[naive->dropped[k]].release_phase == member->drop[i].release_phase)
                    found = k;
        assert_true(found < naive->drops);
        assert_int_equal(member->drop[i].node, naive->room.node);
    }
}

static void compare(const struct naive *naive, const struct pb_network *network, const uint32_t *first,
                    struct member *member, unsigned parts)
{
    static struct record record;
    struct pb_mover_stats stats = {0};
    size_t drops = 0, in_first = 0;

    for (size_t i = 0; i < naive->traffic->count; i++) {
        const struct pb_message *const m = &naive->traffic->message[i];
        bool dropped = false;
        for (size_t k = 0; k < naive->drops; k++)
            dropped |= naive->dropped[k] == i;
        in_first += !dropped && naive->done_at[i] <= (m->release_superframe + 1) * network->phases;
    }
    record.count = 0;
    for (unsigned i = 0; i < parts; i++) {
        assert_int_equal(member[i].code, PB_OK);
        number(&member[i], naive, first, member);
        for (size_t k = 0; k < member[i].crossings; k++)
            note(&record, &member[i].crossing[k]);
        drops += member[i].drops;
        pb_mover_add_stats(&stats, pb_mover_stats(member[i].mover));
    }
    qsort(record.crossing, record.count, sizeof *record.crossing, in_time);
    assert_same_crossings(network, &record, &naive->record);
    assert_int_equal(drops, naive->drops);
    assert_int_equal(stats.dropped, naive->drops);
    assert_int_equal(stats.released, naive->traffic->count);
    assert_int_equal(stats.delivered, naive->delivered);
    assert_int_equal(stats.delivered_in_first, in_first);
    assert_int_equal(stats.crossings, naive->record.count);
    assert_int_equal(stats.max_queue, naive->max_queue);
    assert_int_equal(stats.max_occupancy, naive->max_occupancy);
}

static unsigned draw(uint64_t *random, uint32_t limit)
{
    return (unsigned)(pb_splitmix64(random) % limit);
}

TEST(parts_of_any_size_move_as_the_naive_movement)
{
    static struct member member[PARTS_MAX];
    static struct naive naive;
    uint64_t random = 41;
    unsigned dropped = 0;

    for (unsigned run = 0; run < RUNS; run++) {
        /* Cubes, of which equal parts are cubes again; others have tables. */
        const unsigned binary[] = {2, 2, 2, 2, 2};
        const bool cube = run % 3 == 2;
        const struct defined defined =
            cube ? define(binary, 1 + run / 3 % 5) : small(run / 3 % SMALL_NETWORKS);
        const struct pb_network network = cube ? pb_network_cube(defined.digits) : built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, draw(&random, 3) == 0, &random);
        const unsigned most = network.nodes < PARTS_MAX ? network.nodes : PARTS_MAX,
                       parts = 2 + draw(&random, most - 1);
        struct together together = {.parts = parts};
        uint32_t first[PARTS_MAX + 1];
        pthread_t thread[PARTS_MAX];

        memset(&naive, 0, sizeof naive);
        naive.defined = &defined;
        naive.rule = (enum pb_rule)draw(&random, 2);
        naive.traffic = &traffic;
        naive.room.node = draw(&random, network.nodes);
        const unsigned room = draw(&random, 4);
        naive.room.in_all = room == 1 ? 1 + draw(&random, 3) : 0;
        naive.room.per_dimension = room == 2;
        simulate_naively(&naive, NAIVE_SUPERFRAMES);
        cut(first, parts, network.nodes, draw(&random, 2), &random);
        assert_int_equal(pthread_barrier_init(&together.meeting, NULL, parts), 0);
        memset(member, 0, sizeof member);
        for (unsigned i = 0; i < parts; i++) {
            member[i].together = &together;
            member[i].own = i;
            member[i].superframes = NAIVE_SUPERFRAMES;
            make_member(&member[i], &naive, &network, first);
        }
        for (unsigned i = 0; i < parts; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, move, &member[i]), 0);
        for (unsigned i = 0; i < parts; i++)
            pthread_join(thread[i], NULL);
        compare(&naive, &network, first, member, parts);
        dropped += naive.drops > 0;
        for (unsigned i = 0; i < parts; i++) {
            pb_mover_free(member[i].mover);
            pb_releases_free(member[i].releases);
            pb_traffic_free(&member[i].list);
        }
        pthread_barrier_destroy(&together.meeting);
        pb_traffic_free(&traffic);
    }
    assert_true(dropped > RUNS / 20);
}
