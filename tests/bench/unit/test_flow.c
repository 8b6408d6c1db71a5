/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Movement, loads and bound in a cube against the naive movement.
 */
#include "tests/bench/unit/flow_fixture.h"
#include "tests/bench/unit/naive_movement.h"
#include "phasebench/random.h"

#define PHASES(dims) (2 * (dims))

static struct defined defined_cube(unsigned dims)
{
    return define((const unsigned[]){2, 2, 2, 2}, dims);
}

TEST(movement_equals_the_naive_simulation)
{
    static struct record actual;
    uint64_t random = 5;

    for (unsigned run = 0; run < 600; run++) {
        const unsigned dims = 1 + run % 4;
        const struct defined defined = defined_cube(dims);
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        struct naive naive = {
            .defined = &defined, .rule = (enum pb_rule)(run / 4 % 2), .traffic = &traffic};
        struct pb_flow_stats stats;
        size_t in_first = 0;

        /* Long enough, as the loop below asserts: no message is left on its way. */
        actual.count = 0;
        simulate_naively(&naive, NAIVE_SUPERFRAMES);
        assert_int_equal(pb_flow_run(CUBE(dims), naive.rule, &traffic, 0, note, &actual, &stats), 0);
        assert_same_crossings(CUBE(dims), &actual, &naive.record);

        for (size_t i = 0; i < traffic.count; i++) {
            assert_int_equal(naive.at[i], traffic.message[i].destination);
            uint32_t end = (traffic.message[i].release_superframe + 1) * PHASES(dims);
            in_first += naive.done_at[i] <= end;
        }
        const size_t crossings = naive.record.count;
        assert_int_equal(stats.messages, traffic.count);
        assert_int_equal(stats.delivered, traffic.count);
        assert_int_equal(stats.crossings, crossings);
        assert_int_equal(stats.superframes,
                         crossings ? naive.record.crossing[crossings - 1].superframe + 1 : 0);
        assert_int_equal(stats.max_occupancy, naive.max_occupancy);
        assert_int_equal(stats.max_queue, naive.max_queue);
        assert_int_equal(stats.delivered_in_first, in_first);
        pb_traffic_free(&traffic);
    }
}

/* Do the e-cube paths of two messages have a directed link in common? */
static bool share_a_link(unsigned dims, const struct pb_message *a, const struct pb_message *b)
{
    for (unsigned d = 0; d < dims; d++) {
        uint32_t below = (1u << d) - 1;
        uint32_t a_from = (a->destination & below) | (a->source & ~below);
        uint32_t b_from = (b->destination & below) | (b->source & ~below);
        if (a_from == b_from && ((a->source ^ a->destination) >> d & 1) &&
            ((b->source ^ b->destination) >> d & 1))
            return true;
    }
    return false;
}

static uint32_t count_sharers(unsigned dims, const struct pb_traffic *traffic, size_t of)
{
    uint32_t sharers = 0;
    for (size_t i = 0; i < traffic->count; i++)
        sharers += i != of && share_a_link(dims, &traffic->message[i], &traffic->message[of]);
    return sharers;
}

TEST(bound_counts_distinct_sharers_and_holds)
{
    uint64_t random = 9;

    for (unsigned run = 0; run < 600; run++) {
        unsigned dims = 1 + run % 4, phases = PHASES(dims);
        const struct defined defined = defined_cube(dims);
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        struct pb_flow_bound bound = analysed(dims, &traffic);
        struct naive naive = {.defined = &defined, .rule = PB_RULE_ECUBE, .traffic = &traffic};
        uint32_t expected = 0;

        simulate_naively(&naive, NAIVE_SUPERFRAMES);
        for (size_t i = 0; i < traffic.count; i++) {
            const struct pb_message *message = &traffic.message[i];
            if (message->source == message->destination)
                continue;
            uint32_t own = 1 + count_sharers(dims, &traffic, i);
            uint32_t first_start = message->release_superframe + (message->release_phase > 0);
            assert_true(naive.done_at[i] <= (first_start + own) * phases);
            expected = own > expected ? own : expected;
        }
        assert_int_equal(bound.bound_superframes, expected);
        assert_int_equal(bound.max_link_load, max_load(dims, &traffic));
        assert_true(bound.max_link_load <= bound.fifo_superframes);
        assert_true(bound.fifo_superframes <= bound.bound_superframes);
        pb_traffic_free(&traffic);
    }
}

TEST(loads_count_every_crossing)
{
    uint64_t random = 13;

    const struct defined defined = defined_cube(4);
    for (unsigned run = 0; run < 100; run++) {
        static struct record record;
        struct pb_traffic traffic = random_traffic(&defined, false, &random);
        uint32_t load[64], seen[64] = {0};
        struct pb_flow_stats stats;

        record.count = 0;
        pb_flow_loads(CUBE(4), &traffic, load);
        assert_int_equal(pb_flow_run(CUBE(4), PB_RULE_ECUBE, &traffic, 0, note, &record, &stats), 0);
        for (size_t i = 0; i < record.count; i++)
            seen[record.crossing[i].from * 4 + record.crossing[i].port]++;
        assert_memory_equal(load, seen, sizeof load);
        pb_traffic_free(&traffic);
    }
}

TEST(lone_messages_take_their_route)
{
    static struct record record;
    uint64_t random = 17;

    for (unsigned run = 0; run < 200; run++) {
        enum pb_rule rule = (enum pb_rule)(run % 2);
        struct pb_message message = {.source = (uint32_t)(pb_splitmix64(&random) % 4096),
                                     .destination = (uint32_t)(pb_splitmix64(&random) % 4096),
                                     .release_superframe = 1000000,
                                     .release_phase = (unsigned)(pb_splitmix64(&random) % 24)};
        struct pb_traffic traffic = {0};
        struct pb_flow_stats stats;
        struct pb_route route;

        assert_int_equal(pb_traffic_add(&traffic, &message), 0);
        record.count = 0;
        assert_int_equal(pb_flow_run(CUBE(12), rule, &traffic, 0, note, &record, &stats), 0);
        pb_route_lone(&route, CUBE(12), rule, message.source, message.destination, message.release_phase);
        assert_int_equal(record.count, route.hops);
        for (unsigned i = 0; i < route.hops; i++) {
            assert_int_equal(record.crossing[i].superframe, 1000000 + route.hop[i].superframe);
            assert_int_equal(record.crossing[i].phase, route.hop[i].phase);
            assert_int_equal(record.crossing[i].from, route.hop[i].from);
            assert_int_equal(record.crossing[i].to, route.hop[i].to);
        }
        pb_traffic_free(&traffic);
    }
}

/* ---- edges ---- */

TEST(nothing_to_move)
{
    struct pb_traffic none = {0}, at_home = {0};
    struct pb_flow_stats stats;
    struct pb_flow_bound bound = analysed(12, &none);

    assert_int_equal(bound.messages, 0);
    assert_int_equal(bound.fifo_superframes, 0);
    assert_int_equal(bound.bound_superframes, 0);

    assert_int_equal(pb_traffic_add(&at_home, &(struct pb_message){5, 5, 9, 3}), 0);
    bound = analysed(12, &at_home);
    assert_int_equal(bound.messages, 1);
    assert_int_equal(bound.max_link_load, 0);
    assert_int_equal(bound.fifo_superframes, 0);
    assert_int_equal(bound.max_occupancy, 0);
    assert_int_equal(bound.lost_single_register, 0);
    assert_int_equal(pb_flow_run(CUBE(12), PB_RULE_ECUBE, &at_home, 0, NULL, NULL, &stats), 0);
    assert_int_equal(stats.delivered, 1);
    assert_int_equal(stats.delivered_in_first, 1);
    assert_int_equal(stats.superframes, 0);
    pb_traffic_free(&at_home);
}

TEST(analysis_takes_the_list_as_a_batch)
{
    struct pb_traffic traffic = made(6, "bitrev");
    struct pb_flow_bound batch = analysed(6, &traffic);

    for (size_t i = 0; i < traffic.count; i++)
        traffic.message[i].release_superframe = (uint32_t)i;
    struct pb_flow_bound spread = analysed(6, &traffic);
    assert_int_equal(spread.fifo_superframes, batch.fifo_superframes);
    assert_int_equal(spread.max_queue, batch.max_queue);
    assert_int_equal(spread.bound_superframes, batch.bound_superframes);
    pb_traffic_free(&traffic);
}

TEST(a_limit_cuts_the_run)
{
    struct pb_traffic traffic = made(12, "bitrev");
    struct pb_flow_stats stats;

    assert_int_equal(pb_flow_run(CUBE(12), PB_RULE_ECUBE, &traffic, 31, NULL, NULL, &stats), 0);
    assert_int_equal(stats.superframes, 31);
    assert_true(stats.delivered < stats.messages);
    assert_int_equal(pb_flow_run(CUBE(12), PB_RULE_ECUBE, &traffic, 32, NULL, NULL, &stats), 0);
    assert_int_equal(stats.delivered, stats.messages);
    pb_traffic_free(&traffic);
}

TEST(a_second_message_of_a_source_is_lost_at_injection)
{
    struct pb_flow_bound bound = analysed_pairs(2, (const uint32_t[][2]){{0, 1}, {0, 2}, {0, 3}}, 3);

    assert_int_equal(bound.lost_single_register, 2);
    assert_int_equal(bound.lost_register_and_latch, 2);
    assert_int_equal(bound.lost_register_per_dimension, 1);
}

TEST(sixteen_dimensions_fit)
{
    struct pb_traffic traffic = made(16, "complement");
    struct pb_flow_bound bound = analysed(16, &traffic);

    assert_int_equal(bound.messages, 65536);
    assert_int_equal(bound.max_link_load, 1);
    assert_int_equal(bound.fifo_superframes, 1);
    assert_int_equal(bound.opportunistic_superframes, 1);
    pb_traffic_free(&traffic);
}
