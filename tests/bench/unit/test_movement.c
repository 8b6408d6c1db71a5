/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The stepped movement and its sources of releases: against the naive movement, whole lists and one another.
 */
#include "tests/bench/unit/naive_movement.h"

#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pb_releases *list_of(const struct pb_network *network, const struct pb_traffic *traffic)
{
    struct pb_releases *list;
    assert_int_equal(pb_releases_list(&list, network, traffic), PB_OK);
    return list;
}

static struct pb_mover *created(const struct pb_mover_options *options, struct pb_releases *releases)
{
    struct pb_mover *mover;
    assert_int_equal(pb_mover_create(&mover, options, releases), PB_OK);
    return mover;
}

static void step(struct pb_mover *mover)
{
    assert_succeeds(pb_mover_step(mover, &diag));
}

static void append_crossings(struct record *record, const struct pb_mover *mover)
{
    size_t count;
    const struct pb_crossing *crossing = pb_mover_crossings(mover, &count);
    for (size_t i = 0; i < count; i++)
        note(record, &crossing[i]);
}

/* ---- the mover between two steps */

struct waiting {
    uint32_t at[NAIVE_MESSAGES_MAX]; /* NOWHERE: not in flight */
    unsigned seen[NAIVE_MESSAGES_MAX];
};

static void see(void *context, uint32_t node, const struct pb_crossing *message)
{
    struct waiting *waiting = context;
    waiting->seen[message->message]++;
    assert_int_equal(waiting->at[message->message], node);
}

TEST(what_waits_where_and_what_links_carried_is_what_the_crossings_say)
{
    uint64_t random = 17;
    unsigned full = 0;

    for (unsigned run = 0; run < 12 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, run % 2, &random);
        static uint32_t load[DEFINED_NODES_MAX * PB_NETWORK_PORTS_MAX],
            carried[DEFINED_NODES_MAX * PB_NETWORK_PORTS_MAX];
        struct pb_releases *releases;
        struct pb_mover *mover;
        struct waiting waiting;

        for (size_t i = 0; i < NAIVE_MESSAGES_MAX; i++)
            waiting.at[i] = NOWHERE;
        memset(carried, 0, sizeof carried);
        assert_int_equal(pb_releases_list(&releases, &network, &traffic), PB_OK);
        assert_int_equal(
            pb_mover_create(&mover,
                            &(struct pb_mover_options){.network = &network,
                                                       .rule = (enum pb_rule)(run / SMALL_NETWORKS % 2),
                                                       .crossings = true,
                                                       .loads = true},
                            releases),
            PB_OK);
        for (uint32_t superframe = 0; pb_mover_left(mover); superframe++) {
            size_t count;
            assert_int_equal(pb_mover_step(mover, NULL), PB_OK);
            for (size_t i = 0; i < traffic.count; i++)
                if (traffic.message[i].release_superframe == superframe)
                    waiting.at[i] = traffic.message[i].source;
            const struct pb_crossing *crossing = pb_mover_crossings(mover, &count);
            for (size_t i = 0; i < count; i++) {
                waiting.at[crossing[i].message] = crossing[i].to;
                carried[crossing[i].from * network.ports + crossing[i].port]++;
            }
            memset(waiting.seen, 0, sizeof waiting.seen);
            pb_mover_waiting(mover, see, &waiting);
            static uint32_t held[DEFINED_NODES_MAX];
            memset(held, 0, sizeof held);
            for (size_t i = 0; i < traffic.count; i++) {
                const bool in_flight =
                    waiting.at[i] != NOWHERE && waiting.at[i] != traffic.message[i].destination;
                assert_int_equal(waiting.seen[i], in_flight);
                if (in_flight)
                    held[waiting.at[i]]++;
            }
            for (uint32_t node = 0; node < network.nodes; node++) {
                assert_int_equal(pb_mover_occupancy(mover)[node], held[node]);
                full += held[node] > 8;
            }
            pb_mover_loads(mover, load);
            assert_memory_equal(load, carried, network.nodes * network.ports * sizeof *load);
        }
        pb_mover_free(mover);
        pb_releases_free(releases);
        pb_traffic_free(&traffic);
    }
    assert_true(full > 50); /* more than a box holds */
}

/* A room in every node gives each the bound that the naive movement gives to one of them: with a room that
 * never fills elsewhere, the same messages are dropped. */
TEST(many_rooms_drop_as_the_one_that_is_small)
{
    uint64_t random = 23;
    unsigned drops = 0;

    for (unsigned run = 0; run < 8 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, true, &random);
        struct pb_flow_room room[DEFINED_NODES_MAX];
        struct pb_flow_stats stats;
        const uint32_t small_one = (uint32_t)(pb_splitmix64(&random) % network.nodes);
        struct naive naive = {.defined = &defined,
                              .rule = (enum pb_rule)(run / SMALL_NETWORKS % 2),
                              .traffic = &traffic,
                              .room = {.node = small_one, .in_all = 1 + run % 3}};

        /* In descending order of the node: the order of the options is free. */
        for (uint32_t i = 0; i < network.nodes; i++) {
            const uint32_t node = network.nodes - 1 - i;
            room[i] = (struct pb_flow_room){.node = node, .in_all = node == small_one ? 1 + run % 3 : 1000};
        }
        simulate_naively(&naive, NAIVE_SUPERFRAMES);
        assert_int_equal(pb_flow_run_bounded(&network, naive.rule, &traffic, 0, room, network.nodes, NULL,
                                             NULL, NULL, &stats),
                         PB_OK);
        assert_int_equal(stats.dropped, naive.drops);
        assert_int_equal(stats.delivered, naive.delivered);
        drops += (unsigned)naive.drops;
        pb_traffic_free(&traffic);
    }
    assert_true(drops > 100);
}

/* ---- messages taken out */

/* Before every second superframe messages are taken out at random: released or not, in flight or arrived. */
TEST(removed_messages_equal_the_naive_ones)
{
    static struct record actual;
    static struct naive_removal all[8 * NAIVE_SUPERFRAMES];
    uint64_t random = 43, removed = 0, deepest = 0;

    for (unsigned run = 0; run < 24 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        struct naive naive = {.defined = &defined,
                              .rule = (enum pb_rule)(run / SMALL_NETWORKS % 2),
                              .traffic = &traffic,
                              .removal = all};
        struct pb_releases *releases = list_of(&network, &traffic);
        struct pb_mover *mover = created(
            &(struct pb_mover_options){.network = &network, .rule = naive.rule, .crossings = true}, releases);
        actual.count = 0;
        for (uint32_t superframe = 0; pb_mover_left(mover); superframe++) {
            for (unsigned i = 0; superframe % 2 && i < 1 + run % 8; i++) {
                const size_t message = pb_splitmix64(&random) % traffic.count;
                uint32_t node = NOWHERE, again;
                const bool waits = pb_mover_find(mover, message, &node);
                const uint64_t lost = pb_mover_stats(mover)->lost;
                all[naive.removals++] = (struct naive_removal){superframe, message};
                assert_true(node == NOWHERE || node < defined.nodes);
                assert_int_equal(pb_mover_remove(mover, message), waits);
                assert_int_equal(pb_mover_stats(mover)->lost, lost + waits);
                assert_false(pb_mover_find(mover, message, &again));
                assert_false(pb_mover_remove(mover, message));
            }
            step(mover);
            append_crossings(&actual, mover);
        }
        simulate_naively(&naive, NAIVE_SUPERFRAMES + 40);
        assert_same_crossings(&network, &actual, &naive.record);
        const struct pb_mover_stats *stats = pb_mover_stats(mover);
        assert_int_equal(stats->lost, naive.lost);
        assert_int_equal(stats->delivered, naive.delivered);
        removed += naive.lost;
        if (naive.rule == PB_RULE_OPPORTUNISTIC && stats->max_occupancy > deepest)
            deepest = stats->max_occupancy;
        pb_mover_free(mover);
        pb_releases_free(releases);
        pb_traffic_free(&traffic);
    }
    assert_true(removed > 500 && deepest > 9); /* a box holds 8 */
}

/* ---- sources of releases */

/* The list that a scenario makes of such an entry: repetition by repetition, a seeded pattern with SEED + i.
 */
static void add_repetitions(struct pb_traffic *list, const struct pb_network *network, const char *name,
                            uint64_t seed, const struct pb_repeat *how)
{
    for (uint64_t i = 0; i < how->times; i++) {
        struct pb_traffic one;
        char pattern[40];
        snprintf(pattern, sizeof pattern, seed ? "%s:%" PRIu64 : "%s", name, seed + i);
        assert_int_equal(pb_traffic_generate(&one, network, pattern, NULL), PB_OK);
        for (size_t k = 0; k < one.count; k++) {
            struct pb_message message = one.message[k];
            message.release_superframe += (uint32_t)(how->superframe + i * how->every);
            message.release_phase = how->phase;
            assert_int_equal(pb_traffic_add(list, &message), PB_OK);
        }
        pb_traffic_free(&one);
    }
}

/* Both give the same, asked for as many at a time as they like. */
static void assert_same_releases(struct pb_releases *actual, struct pb_releases *expected, size_t room)
{
    uint32_t superframe = 0, due;
    size_t total = 0;

    while (expected->next(expected, &superframe)) {
        size_t count = 1, wanted;
        assert_true(actual->next(actual, &due));
        assert_int_equal(due, superframe);
        while (count) {
            struct pb_birth birth[64], one;
            assert_int_equal(actual->take(actual, superframe, birth, room, &count), PB_OK);
            assert_true(count <= room);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(expected->take(expected, superframe, &one, 1, &wanted), PB_OK);
                assert_int_equal(wanted, 1);
                assert_int_equal(birth[i].message, one.message);
                assert_int_equal(birth[i].source, one.source);
                assert_int_equal(birth[i].destination, one.destination);
                assert_int_equal(birth[i].superframe, superframe);
                assert_int_equal(birth[i].phase, one.phase);
                total++;
            }
        }
        struct pb_birth none;
        assert_int_equal(expected->take(expected, superframe, &none, 1, &wanted), PB_OK);
        assert_int_equal(wanted, 0);
    }
    assert_false(actual->next(actual, &due));
    assert_true(total);
}

static const struct {
    const char *name;
    uint64_t seed; /* 0: not seeded, or the value is in the name */
    struct pb_repeat how;
} repeats[] = {
    {"complement", 0, {0, 0, 1, 4, 0}},
    {"uniform", 9, {2, 3, 1, 9, 0}},
    {"uniform", 9, {0, 0, 5, 4, 0}},
    {"perm", 4, {7, 5, 2, 6, 0}},
    {"xors", UINT64_MAX - 1, {0, 1, 3, 2, 0}},
    {"hotspot:3", 0, {1, 1, 1, 3, 0}},
    {"pairs:5", 0, {0, 2, 1, 9, 0}},
    {"pairs:5", 0, {3, 0, 2, 5, 0}},
    {"pairs:0", 0, {1, 0, 9, 3, 0}},
    {"total", 0, {4, 7, 2, 3, 0}},
    {"bitrev", 0, {UINT32_MAX - 2, 0, 1, 2, 0}},
};

TEST(a_repeated_pattern_equals_its_list)
{
    const struct pb_network network = pb_network_cube(4);

    for (size_t i = 0; i < COUNT(repeats); i++)
        for (size_t room = 1; room <= 64; room *= 8) {
            struct pb_traffic traffic = {0};
            struct pb_releases *repeat, *list;
            add_repetitions(&traffic, &network, repeats[i].name, repeats[i].seed, &repeats[i].how);
            assert_int_equal(pb_releases_repeat(&repeat, &network,
                                                formatted(repeats[i].seed ? "%s:%" PRIu64 : "%s",
                                                          repeats[i].name, repeats[i].seed),
                                                &repeats[i].how, NULL),
                             PB_OK);
            list = list_of(&network, &traffic);
            assert_same_releases(repeat, list, room);
            pb_releases_free(repeat);
            pb_releases_free(list);
            pb_traffic_free(&traffic);
        }
}

/* All entries of the table at once, as one list and as sources of their own. */
TEST(joined_sources_equal_one_list)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_traffic traffic = {0};
    struct pb_releases *part[COUNT(repeats)], *joined, *list;

    for (size_t i = 0; i < COUNT(repeats); i++) {
        struct pb_repeat how = repeats[i].how;
        how.first_message = traffic.count;
        add_repetitions(&traffic, &network, repeats[i].name, repeats[i].seed, &how);
        assert_int_equal(pb_releases_repeat(&part[i], &network,
                                            formatted(repeats[i].seed ? "%s:%" PRIu64 : "%s", repeats[i].name,
                                                      repeats[i].seed),
                                            &how, NULL),
                         PB_OK);
    }
    assert_int_equal(pb_releases_join(&joined, part, COUNT(part)), PB_OK);
    list = list_of(&network, &traffic);
    assert_same_releases(joined, list, 8);
    pb_releases_free(joined);
    pb_releases_free(list);
    pb_traffic_free(&traffic);
}

/* The first superframes of a pattern without end, against a list of as many. */
TEST(a_pattern_without_end_goes_on)
{
    enum { TIMES = 40 };
    const struct pb_network network = pb_network_cube(5);
    struct pb_repeat how = {.every = 1, .times = TIMES};

    for (int rule = 0; rule < PB_RULES; rule++) {
        struct pb_traffic traffic = {0};
        struct pb_releases *source[2];
        struct pb_mover *mover[2];
        uint32_t superframe;
        how.times = TIMES;
        add_repetitions(&traffic, &network, "uniform", 3, &how);
        source[0] = list_of(&network, &traffic);
        how.times = 0;
        assert_int_equal(pb_releases_repeat(&source[1], &network, "uniform:3", &how, NULL), PB_OK);
        for (unsigned i = 0; i < 2; i++)
            mover[i] = created(&(struct pb_mover_options){.network = &network,
                                                          .rule = (enum pb_rule)rule,
                                                          .crossings = true},
                               source[i]);
        for (unsigned i = 0; i < TIMES; i++) {
            size_t count[2];
            const struct pb_crossing *crossing[2];
            for (unsigned k = 0; k < 2; k++) {
                step(mover[k]);
                crossing[k] = pb_mover_crossings(mover[k], &count[k]);
            }
            assert_int_equal(count[0], count[1]);
            assert_true(count[0] > 32);
            assert_memory_equal(crossing[0], crossing[1], count[0] * sizeof *crossing[0]);
        }
        assert_true(pb_mover_left(mover[1]));
        assert_true(source[1]->next(source[1], &superframe));
        assert_int_equal(superframe, TIMES);
        assert_false(source[0]->next(source[0], &superframe));
        for (unsigned i = 0; i < 2; i++) {
            pb_mover_free(mover[i]);
            pb_releases_free(source[i]);
        }
        pb_traffic_free(&traffic);
    }
}

/* Of those that a mover keeps: the number before the `end`th that come from or go to a room, or are last. */
static size_t touching(struct pb_crossing *kept, const struct pb_crossing *crossing, size_t end,
                       const struct pb_flow_room room[2])
{
    size_t count = 0;
    for (size_t i = 0; i < end; i++)
        if (crossing[i].last || crossing[i].from == room[0].node || crossing[i].to == room[0].node ||
            crossing[i].from == room[1].node || crossing[i].to == room[1].node)
            kept[count++] = crossing[i];
    return count;
}

/* A mover that keeps the crossings of its rooms alone moves and drops as one that keeps all. */
TEST(crossings_of_rooms_are_a_part_of_all)
{
    static struct pb_crossing wanted[NAIVE_CROSSINGS_MAX];
    uint64_t random = 43, kept = 0, left_out = 0, dropped = 0;

    for (unsigned run = 0; run < 8 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        const struct pb_flow_room room[2] = {{.node = run % defined.nodes, .in_all = 1 + run % 3},
                                             {.node = (run + 1) % defined.nodes}};
        struct pb_releases *releases[2];
        struct pb_mover *mover[2];
        for (unsigned k = 0; k < 2; k++) {
            releases[k] = list_of(&network, &traffic);
            mover[k] = created(&(struct pb_mover_options){.network = &network,
                                                          .rule = (enum pb_rule)(run / SMALL_NETWORKS % 2),
                                                          .room = room,
                                                          .rooms = 2,
                                                          .crossings = true,
                                                          .of_rooms = k},
                               releases[k]);
        }
        while (pb_mover_left(mover[0])) {
            const struct pb_crossing *crossing[2];
            const struct pb_drop *drop[2];
            size_t count[2], drops[2];
            for (unsigned k = 0; k < 2; k++) {
                step(mover[k]);
                crossing[k] = pb_mover_crossings(mover[k], &count[k]);
                drop[k] = pb_mover_drops(mover[k], &drops[k]);
            }
            assert_in_range(count[0], 0, COUNT(wanted));
            assert_int_equal(count[1], touching(wanted, crossing[0], count[0], room));
            for (size_t i = 0; i < count[1]; i++)
                assert_memory_equal(&crossing[1][i], &wanted[i], sizeof wanted[i]);
            assert_int_equal(drops[1], drops[0]);
            for (size_t i = 0; i < drops[0]; i++) {
                assert_int_equal(drop[1][i].message, drop[0][i].message);
                assert_int_equal(drop[1][i].crossings,
                                 touching(wanted, crossing[0], drop[0][i].crossings, room));
                if (!drop[1][i].at_release)
                    assert_int_equal(crossing[1][drop[1][i].crossings - 1].message, drop[1][i].message);
            }
            assert_int_equal(pb_mover_stats(mover[1])->crossings, pb_mover_stats(mover[0])->crossings);
            assert_int_equal(pb_mover_stats(mover[1])->superframes, pb_mover_stats(mover[0])->superframes);
            kept += count[1];
            left_out += count[0] - count[1];
            dropped += drops[0];
        }
        assert_false(pb_mover_left(mover[1]));
        for (unsigned k = 0; k < 2; k++) {
            pb_mover_free(mover[k]);
            pb_releases_free(releases[k]);
        }
        pb_traffic_free(&traffic);
    }
    assert_true(kept > 3000 && left_out > 1000 && dropped > 100);
}

/* ---- a mover that goes on in another one */

/* Frees the mover; returns a new one with what it was. */
static struct pb_mover *carried_over(struct pb_mover *mover, const struct pb_mover_options *options,
                                     struct pb_releases *releases)
{
    struct pb_mover *const next = created(options, releases);
    uint8_t *bytes;
    size_t count;

    assert_int_equal(pb_mover_save(mover, &bytes, &count), PB_OK);
    pb_mover_free(mover);
    assert_int_equal(pb_mover_load(next, bytes, count), PB_OK);
    free(bytes);
    return next;
}

static void assert_same_state(const struct pb_network *network, struct pb_mover *const mover[2])
{
    static uint32_t load[2][DEFINED_NODES_MAX * PB_NETWORK_PORTS_MAX];
    struct pb_mover_stats stats[2];

    for (unsigned k = 0; k < 2; k++) {
        pb_mover_loads(mover[k], load[k]);
        stats[k] = *pb_mover_stats(mover[k]);
    }
    assert_memory_equal(load[0], load[1], (size_t)network->nodes * network->ports * sizeof load[0][0]);
    assert_memory_equal(pb_mover_occupancy(mover[0]), pb_mover_occupancy(mover[1]),
                        network->nodes * sizeof(uint32_t));
    assert_int_equal(stats[0].released, stats[1].released);
    assert_int_equal(stats[0].delivered, stats[1].delivered);
    assert_int_equal(stats[0].dropped, stats[1].dropped);
    assert_int_equal(stats[0].delivered_in_first, stats[1].delivered_in_first);
    assert_int_equal(stats[0].crossings, stats[1].crossings);
    assert_int_equal(stats[0].superframes, stats[1].superframes);
    assert_int_equal(stats[0].max_queue, stats[1].max_queue);
    assert_int_equal(stats[0].max_occupancy, stats[1].max_occupancy);
    assert_int_equal(stats[0].first_drop.message, stats[1].first_drop.message);
    assert_int_equal(stats[0].first_drop.superframe, stats[1].first_drop.superframe);
    assert_int_equal(pb_mover_rooms(mover[0])->fullest, pb_mover_rooms(mover[1])->fullest);
}

/* Boxes and deep nodes among them: up to a hundred messages from one node. */
TEST(a_mover_that_is_carried_over_after_each_superframe_moves_as_one)
{
    uint64_t random = 59, most = 0;

    for (unsigned run = 0; run < 12 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, run % 2, &random);
        const struct pb_flow_room room = {.node = run % defined.nodes, .in_all = 1 + run % 5};
        const struct pb_mover_options options = {.network = &network,
                                                 .rule = (enum pb_rule)(run / SMALL_NETWORKS % 2),
                                                 .room = &room,
                                                 .rooms = 1,
                                                 .crossings = true,
                                                 .loads = true};
        struct pb_releases *releases[2];
        struct pb_mover *mover[2];

        if (run % 4 == 3) /* all of them from one node */
            for (size_t i = 0; i < traffic.count; i++)
                traffic.message[i].source = (run + 1) % defined.nodes;
        for (unsigned k = 0; k < 2; k++) {
            releases[k] = list_of(&network, &traffic);
            mover[k] = created(&options, releases[k]);
        }
        while (pb_mover_left(mover[0])) {
            const struct pb_crossing *crossing[2];
            size_t count[2], drops[2];
            mover[1] = carried_over(mover[1], &options, releases[1]);
            for (unsigned k = 0; k < 2; k++) {
                step(mover[k]);
                crossing[k] = pb_mover_crossings(mover[k], &count[k]);
                pb_mover_drops(mover[k], &drops[k]);
            }
            assert_int_equal(count[0], count[1]);
            assert_memory_equal(crossing[0], crossing[1], count[0] * sizeof *crossing[0]);
            assert_int_equal(drops[0], drops[1]);
            assert_same_state(&network, mover);
            assert_int_equal(pb_mover_left(mover[1]), pb_mover_left(mover[0]));
        }
        most =
            pb_mover_stats(mover[0])->max_occupancy > most ? pb_mover_stats(mover[0])->max_occupancy : most;
        for (unsigned k = 0; k < 2; k++) {
            pb_mover_free(mover[k]);
            pb_releases_free(releases[k]);
        }
        pb_traffic_free(&traffic);
    }
    assert_true(most > 16);
}

/* Whether they are taken; what is taken moves on. */
static bool takes(const struct pb_mover_options *options, const struct pb_network *network,
                  const uint8_t *bytes, size_t count)
{
    const struct pb_traffic none = {0};
    struct pb_releases *const releases = list_of(network, &none);
    struct pb_mover *const mover = created(options, releases);
    const int code = pb_mover_load(mover, bytes, count);

    assert_true(code == PB_OK || code == PB_ERR_CONFIG);
    for (unsigned i = 0; i < 3 && code == PB_OK; i++)
        pb_mover_step(mover, NULL);
    pb_mover_free(mover);
    pb_releases_free(releases);
    return code == PB_OK;
}

TEST(bytes_of_no_mover_are_refused_or_harmless)
{
    const struct pb_network network = pb_network_cube(3);
    uint8_t *bytes;
    size_t count;

    for (int rule = 0; rule < PB_RULES; rule++) {
        const struct pb_mover_options options = {
            .network = &network, .rule = (enum pb_rule)rule, .crossings = true, .loads = true};
        struct pb_traffic traffic = {0};
        for (uint32_t i = 0; i < 30; i++)
            assert_int_equal(
                pb_traffic_add(&traffic, &(struct pb_message){.source = i / 12, .destination = 7 - i % 4}),
                PB_OK);
        struct pb_releases *const releases = list_of(&network, &traffic);
        struct pb_mover *const mover = created(&options, releases);
        step(mover);
        assert_int_equal(pb_mover_save(mover, &bytes, &count), PB_OK);
        pb_mover_free(mover);
        pb_releases_free(releases);
        pb_traffic_free(&traffic);
        assert_true(takes(&options, &network, bytes, count));
        for (size_t length = 0; length < count; length++)
            assert_false(takes(&options, &network, bytes, length));
        for (size_t i = 0; i < count; i++) {
            bytes[i] ^= 0xFF;
            takes(&options, &network, bytes, count);
            bytes[i] ^= 0xFF;
        }
        free(bytes);
    }
}

/* ---- errors and ends */

struct bad_source {
    struct pb_releases base;
    struct pb_birth birth[2];
    size_t given;
    int code;
};

static int take_bad(struct pb_releases *releases, uint32_t superframe, struct pb_birth *birth, size_t room,
                    size_t *count)
{
    struct bad_source *bad = (struct bad_source *)releases;
    (void)room;
    *count = 0;
    if (bad->code)
        return bad->code;
    if (superframe == 1)
        for (; bad->given < 2; bad->given++)
            birth[(*count)++] = bad->birth[bad->given];
    return PB_OK;
}

static bool next_bad(const struct pb_releases *releases, uint32_t *superframe)
{
    *superframe = 1;
    return ((const struct bad_source *)releases)->given < 2;
}

TEST(bad_releases_are_refused)
{
    const struct pb_network network = pb_network_cube(4);
    static const struct {
        struct pb_birth birth[2];
        int code;
        const char *text;
    } cases[] = {
        {{{5, 0, 1, 0, 0}},
         0,
         "message 5 is released in superframe 0, phase 0; releases are due from superframe 1, "
         "phase 0 on"},
        {{{5, 0, 1, 2, 0}}, 0, "message 5 is released in superframe 2, phase 0"},
        {{{5, 0, 1, 1, 3}, {6, 0, 1, 1, 2}},
         0,
         "message 6 is released in superframe 1, phase 2; releases are due from "
         "superframe 1, phase 3 on"},
        {{{5, 0, 1, 1, 8}}, 0, "message 5 is released in phase 8; the last one is 7"},
        {{{5, 16, 1, 1, 0}}, 0, "message 5 goes from 0x10 to 0x1; with 4 dimensions addresses end at 0xF"},
        {{{5, 0, 16, 1, 0}}, 0, "message 5 goes from 0x0 to 0x10"},
        {{{5, 0, 1, 1, 0}}, PB_ERR_IO, ""},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bad_source bad = {.base = {take_bad, next_bad, NULL}};
        struct pb_diag diag = {""};
        memcpy(bad.birth, cases[i].birth, sizeof bad.birth);
        struct pb_mover *mover = created(&(struct pb_mover_options){.network = &network}, &bad.base);
        pb_mover_skip(mover, 9);
        assert_int_equal(pb_mover_superframe(mover), 1);
        bad.code = cases[i].code;
        assert_int_equal(pb_mover_step(mover, &diag), bad.code ? bad.code : PB_ERR_ARGUMENT);
        if (!strstr(diag.text, cases[i].text))
            fail_msg("%s", diag.text);
        pb_mover_free(mover);
    }
}

TEST(superframes_end_at_32_bits)
{
    const struct pb_network network = pb_network_cube(2);
    struct pb_message message = {0, 3, UINT32_MAX - 1, 3};
    const struct pb_traffic traffic = {.message = &message, .count = 1};
    struct pb_releases *releases = list_of(&network, &traffic);
    struct pb_mover *mover = created(&(struct pb_mover_options){.network = &network}, releases);
    struct pb_diag diag;

    step(mover);
    pb_mover_skip(mover, 0);
    assert_int_equal(pb_mover_superframe(mover), 1);
    pb_mover_skip(mover, 1000);
    assert_int_equal(pb_mover_superframe(mover), 1000);
    pb_mover_skip(mover, UINT32_MAX);
    assert_int_equal(pb_mover_superframe(mover), UINT32_MAX - 1);
    step(mover);
    assert_true(pb_mover_left(mover)); /* its first hop would be in the next one */
    assert_int_equal(pb_mover_step(mover, &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "superframe 4294967295 is beyond the last one"));
    pb_mover_free(mover);
    pb_releases_free(releases);
    pb_releases_free(NULL);
    pb_mover_free(NULL);
}

TEST(unknown_patterns_are_refused)
{
    const struct pb_network network = pb_network_cube(3);
    struct pb_releases *releases;
    struct pb_diag diag;

    assert_int_equal(
        pb_releases_repeat(&releases, &network, "tornado", &(struct pb_repeat){.every = 1}, &diag),
        PB_ERR_ARGUMENT);
    assert_null(releases);
    assert_non_null(strstr(diag.text, "unknown traffic 'tornado'"));
}
