/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads, bounds, losses and superframes against published results and exhaustive counts.
 */
#include "tests/bench/unit/flow_fixture.h"

#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <inttypes.h>

/* ---- published results ---- */

TEST(the_table_at_twelve_dimensions)
{
    static const struct {
        const char *pattern;
        unsigned load, fifo, bound, queue, occupancy;
        size_t lost_register, lost_latch, lost_per_dimension;
        unsigned opportunistic;
    } rows[] = {
        {"xor:0xFFF", 1, 1, 1, 1, 2, 4094, 0, 0, 1},
        {"complement", 1, 1, 1, 1, 2, 4094, 0, 0, 1},
        {"shuffle", 1, 1, 1, 1, 3, 4077, 4072, 0, 1},
        {"bitrev", 32, 32, 32, 17, 17, 3968, 3968, 3648, 3},
        {"transpose", 32, 32, 48, 17, 17, 3968, 3968, 3648, 4},
        {"perm:1", 5, 5, 9, 4, 6, 3288, 2920, 1775, 3},
        {"uniform:1", 6, 6, 11, 4, 6, 3317, 2958, 2007, 4},
        {"hotspot:0", 2048, 2048, 2048, 1025, 1025, 4083, 4083, 4083, 467},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pb_traffic traffic = made(12, rows[i].pattern);
        struct pb_flow_bound bound = analysed(12, &traffic);
        assert_int_equal(bound.messages, 4096);
        assert_int_equal(bound.max_link_load, rows[i].load);
        assert_int_equal(bound.fifo_superframes, rows[i].fifo);
        assert_int_equal(bound.bound_superframes, rows[i].bound);
        assert_int_equal(bound.max_queue, rows[i].queue);
        assert_int_equal(bound.max_occupancy, rows[i].occupancy);
        assert_int_equal(bound.lost_single_register, rows[i].lost_register);
        assert_int_equal(bound.lost_register_and_latch, rows[i].lost_latch);
        assert_int_equal(bound.lost_register_per_dimension, rows[i].lost_per_dimension);
        assert_int_equal(bound.opportunistic_superframes, rows[i].opportunistic);
        pb_traffic_free(&traffic);
    }
}

TEST(one_to_all_at_twelve_dimensions)
{
    struct pb_traffic traffic = {0};

    for (uint32_t destination = 1; destination < 4096; destination++)
        add(&traffic, 0, destination);
    struct pb_flow_bound bound = analysed(12, &traffic);
    assert_int_equal(bound.max_link_load, 2048);
    assert_int_equal(bound.fifo_superframes, 2048);
    assert_int_equal(bound.bound_superframes, 2048);
    assert_int_equal(bound.max_queue, 2048);
    assert_int_equal(bound.max_occupancy, 4095);
    assert_int_equal(bound.opportunistic_superframes, 343);
    pb_traffic_free(&traffic);
}

TEST(smallest_pair_that_shares_a_link)
{
    struct pb_flow_bound bound = analysed_pairs(3, (const uint32_t[][2]){{0, 2}, {1, 6}}, 2);

    assert_int_equal(bound.max_link_load, 2);
    assert_int_equal(bound.fifo_superframes, 2);
    assert_int_equal(bound.bound_superframes, 2);
}

TEST(single_register_is_overrun_in_a_square)
{
    struct pb_flow_bound bound = analysed_pairs(2, (const uint32_t[][2]){{0, 3}, {1, 0}}, 2);

    assert_int_equal(bound.max_link_load, 1);
    assert_int_equal(bound.fifo_superframes, 1);
    assert_int_equal(bound.lost_single_register, 1);
    assert_int_equal(bound.lost_register_and_latch, 0);
}

TEST(fifo_can_need_more_than_the_load)
{
    struct pb_flow_bound bound = analysed_pairs(3, (const uint32_t[][2]){{0, 2}, {0, 6}, {3, 2}, {3, 6}}, 4);

    assert_int_equal(bound.max_link_load, 2);
    assert_int_equal(bound.fifo_superframes, 3);
    assert_in_range(bound.bound_superframes, 3, 4);
}

TEST(bit_permutation_with_37_superframes)
{
    static const unsigned from_bit[] = {8, 9, 10, 7, 5, 11, 3, 4, 1, 0, 2, 6};
    struct pb_traffic traffic = {0};

    for (uint32_t source = 0; source < 4096; source++) {
        uint32_t destination = 0;
        for (unsigned bit = 0; bit < 12; bit++)
            destination |= ((source >> from_bit[bit]) & 1) << bit;
        add(&traffic, source, destination);
    }
    struct pb_flow_bound bound = analysed(12, &traffic);
    assert_int_equal(bound.max_link_load, 32);
    assert_int_equal(bound.fifo_superframes, 37);
    assert_in_range(bound.bound_superframes, 37, 63);
    pb_traffic_free(&traffic);
}

TEST(total_exchange_takes_three_quarters)
{
    static const unsigned dims[] = {2, 3, 4, 5, 8};

    for (unsigned i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        struct pb_traffic traffic = made(dims[i], "total");
        struct pb_flow_stats stats;
        assert_int_equal(pb_flow_run(CUBE(dims[i]), PB_RULE_ECUBE, &traffic, 0, NULL, NULL, &stats), 0);
        assert_int_equal(stats.superframes, 3 * (1u << (dims[i] - 2)) - 1);
        /* Each of the N(N-1) messages crosses n/2 links on average: N^2 n/2 hops. */
        assert_int_equal(stats.crossings, (uint64_t)dims[i] << (2 * dims[i] - 1));
        pb_traffic_free(&traffic);
    }
}

TEST(total_exchange_in_pairs_of_shifts_is_contention_free)
{
    for (uint32_t mask = 0; mask < 16; mask++) {
        struct pb_traffic traffic = {0};
        for (uint32_t source = 0; source < 32; source++) {
            add(&traffic, source, source ^ mask);
            add(&traffic, source, source ^ mask ^ 31);
        }
        struct pb_flow_bound bound = analysed(5, &traffic);
        assert_int_equal(bound.max_link_load, 1);
        assert_int_equal(bound.fifo_superframes, 1);
        assert_in_range(bound.max_occupancy, 1, 3);
        pb_traffic_free(&traffic);
    }
}

TEST(xor_shifts_are_contention_free)
{
    for (unsigned dims = 1; dims <= 6; dims++) {
        for (uint32_t mask = 1; mask < 1u << dims; mask++) {
            struct pb_traffic traffic = {0};
            for (uint32_t source = 0; source < 1u << dims; source++)
                add(&traffic, source, source ^ mask);
            struct pb_flow_bound bound = analysed(dims, &traffic);
            assert_int_equal(bound.max_link_load, 1);
            assert_int_equal(bound.fifo_superframes, 1);
            assert_int_equal(bound.bound_superframes, 1);
            /* Only shifts along one dimension survive without a latch. */
            assert_int_equal(bound.lost_single_register == 0, (mask & (mask - 1)) == 0);
            assert_int_equal(bound.lost_register_and_latch, 0);
            pb_traffic_free(&traffic);
        }
    }
}

/* Injective, and no two destinations further apart than their sources: routable in one superframe with a
 * latch. */
TEST(semi_contractions_are_contention_free)
{
    uint64_t random = 3;

    for (unsigned run = 0; run < 500; run++) {
        unsigned dims = 2 + (unsigned)(pb_splitmix64(&random) % 6);
        uint32_t nodes = 1u << dims;
        uint32_t source = (uint32_t)(pb_splitmix64(&random) % nodes);
        uint32_t destination = (uint32_t)(pb_splitmix64(&random) % (source + 1));
        struct pb_traffic traffic = {0};
        while (source < nodes && destination < nodes) {
            add(&traffic, source, destination);
            uint32_t step = 1 + (uint32_t)(pb_splitmix64(&random) % 4);
            source += step;
            destination += 1 + (uint32_t)(pb_splitmix64(&random) % step);
        }
        struct pb_flow_bound bound = analysed(dims, &traffic);
        assert_true(bound.max_link_load <= 1);
        assert_true(bound.fifo_superframes <= 1);
        assert_int_equal(bound.lost_register_and_latch, 0);
        pb_traffic_free(&traffic);
    }
}

/* ---- exhaustive counts ---- */

struct census {
    unsigned dims;
    struct pb_traffic traffic;
    unsigned total, free;
    bool run; /* also move the messages */
};

static void count_one(struct census *census)
{
    bool is_free = max_load(census->dims, &census->traffic) <= 1;
    census->total++;
    census->free += is_free;
    if (census->run) {
        struct pb_flow_bound bound = analysed(census->dims, &census->traffic);
        assert_int_equal(bound.max_link_load <= 1, is_free);
        assert_int_equal(bound.fifo_superframes <= 1, is_free);
        assert_true(bound.max_link_load <= bound.fifo_superframes);
        assert_true(bound.fifo_superframes <= bound.bound_superframes);
    }
}

/* All injective maps from the nodes from `source` on to the nodes not in `used`; partial ones leave sources
 * out. */
static void enumerate(struct census *census, uint32_t source, uint32_t used, bool partial)
{
    if (source == (1u << census->dims)) {
        count_one(census);
        return;
    }
    if (partial)
        enumerate(census, source + 1, used, partial);
    for (uint32_t destination = 0; destination < (1u << census->dims); destination++) {
        if (used >> destination & 1)
            continue;
        add(&census->traffic, source, destination);
        enumerate(census, source + 1, used | 1u << destination, partial);
        census->traffic.count--;
    }
}

static void check_census(unsigned dims, bool partial, bool run, unsigned free, unsigned total)
{
    struct census census = {.dims = dims, .run = run};
    enumerate(&census, 0, 0, partial);
    assert_int_equal(census.free, free);
    assert_int_equal(census.total, total);
    pb_traffic_free(&census.traffic);
}

TEST(permutations_that_fit_one_superframe)
{
    check_census(1, false, true, 2, 2);
    check_census(2, false, true, 24, 24);
    check_census(3, false, true, 30528, 40320);
}

TEST(partial_permutations_that_fit_one_superframe)
{
    check_census(1, true, true, 7, 7);
    check_census(2, true, true, 209, 209);
    check_census(3, true, false, 1244385, 1441729);
}

TEST(permutations_stay_within_their_bound)
{
    static const uint32_t limit[] = {[3] = 2 + 1 - 1, [4] = 3, [5] = 4 + 2 - 1, [6] = 7};
    uint64_t random = 11;

    for (unsigned dims = 3; dims <= 6; dims++) {
        for (unsigned run = 0; run < 300; run++) {
            struct pb_traffic traffic = made(dims, formatted("perm:%" PRIu64, pb_splitmix64(&random)));
            assert_true(analysed(dims, &traffic).bound_superframes <= limit[dims]);
            pb_traffic_free(&traffic);
        }
    }
}
