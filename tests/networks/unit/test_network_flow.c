/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Movement, bounds, losses and look-ahead on networks of every family, against the naive movement.
 */
#include "tests/bench/unit/naive_movement.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>

#define MESSAGES_MAX NAIVE_MESSAGES_MAX

TEST(movement_equals_the_naive_simulation)
{
    static struct record actual;
    uint64_t random = 21;

    for (unsigned run = 0; run < 8 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        struct naive naive = {
            .defined = &defined, .rule = (enum pb_rule)(run / SMALL_NETWORKS % 2), .traffic = &traffic};
        struct pb_flow_stats stats;

        simulate_naively(&naive, NAIVE_SUPERFRAMES);
        actual.count = 0;
        assert_int_equal(pb_flow_run(&network, naive.rule, &traffic, 0, note, &actual, &stats), 0);
        assert_same_crossings(&network, &actual, &naive.record);
        for (size_t i = 0; i < traffic.count; i++)
            assert_int_equal(naive.at[i], traffic.message[i].destination);
        assert_int_equal(stats.delivered, traffic.count);
        assert_int_equal(stats.crossings, naive.record.count);
        assert_int_equal(stats.max_queue, naive.max_queue);
        assert_int_equal(stats.max_occupancy, naive.max_occupancy);
        pb_traffic_free(&traffic);
    }
}

/* The directed wires of a dimension-order path. */
static size_t path_of(const struct defined *defined, const struct pb_message *message, uint32_t (*path)[2])
{
    size_t hops = 0;
    for (uint32_t at = message->source; at != message->destination; at = path[hops++][1]) {
        path[hops][0] = at;
        path[hops][1] = next_node(defined, at, message->destination);
    }
    return hops;
}

static bool share_a_wire(const struct defined *defined, const struct pb_message *a,
                         const struct pb_message *b)
{
    uint32_t path[2][DEFINED_HOPS_MAX][2];
    const size_t hops = path_of(defined, a, path[0]), others = path_of(defined, b, path[1]);
    for (size_t i = 0; i < hops; i++)
        for (size_t j = 0; j < others; j++)
            if (path[0][i][0] == path[1][j][0] && path[0][i][1] == path[1][j][1])
                return true;
    return false;
}

/* Superframes of a message that has the network to itself. */
static unsigned alone(const struct defined *defined, const struct pb_message *message)
{
    unsigned now = 0;
    for (uint32_t at = message->source; at != message->destination; now++)
        if (defined->sends_to[now % defined->phases][at] == next_node(defined, at, message->destination))
            at = defined->sends_to[now % defined->phases][at];
    return (now + defined->phases - 1) / defined->phases;
}

TEST(no_message_takes_longer_than_the_bound)
{
    uint64_t random = 23;

    for (unsigned run = 0; run < 8 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        struct naive naive = {.defined = &defined, .rule = PB_RULE_ECUBE, .traffic = &traffic};
        struct pb_flow_bound bound;
        uint32_t largest = 0, load = 0, slowest = 0;

        simulate_naively(&naive, NAIVE_SUPERFRAMES);
        for (size_t i = 0; i < traffic.count; i++) {
            const struct pb_message *message = &traffic.message[i];
            if (message->source == message->destination)
                continue;
            uint32_t own = alone(&defined, message);
            for (size_t j = 0; j < traffic.count; j++)
                own += j != i && share_a_wire(&defined, message, &traffic.message[j]);
            const uint64_t start = message->release_superframe + (message->release_phase > 0);
            assert_true(naive.done_at[i] <= (start + own) * defined.phases);
            largest = own > largest ? own : largest;
            slowest = alone(&defined, message) > slowest ? alone(&defined, message) : slowest;
        }
        uint32_t path[DEFINED_HOPS_MAX][2], other[DEFINED_HOPS_MAX][2];
        for (size_t i = 0; i < traffic.count; i++)
            for (size_t hop = path_of(&defined, &traffic.message[i], path); hop-- > 0;) {
                uint32_t wanted = 0;
                for (size_t j = 0; j < traffic.count; j++)
                    for (size_t at = path_of(&defined, &traffic.message[j], other); at-- > 0;)
                        wanted += other[at][0] == path[hop][0] && other[at][1] == path[hop][1];
                load = wanted > load ? wanted : load;
            }
        assert_int_equal(pb_flow_analyse(&network, &traffic, &bound), 0);
        assert_int_equal(bound.bound_superframes, largest);
        assert_int_equal(bound.max_link_load, load);
        assert_true(bound.max_link_load <= bound.fifo_superframes);
        assert_true(bound.fifo_superframes <= bound.bound_superframes);
        if (bound.max_link_load)
            assert_true(bound.max_link_load > 1 || bound.fifo_superframes == slowest);
        pb_traffic_free(&traffic);
    }
}

/* ---- losses: nodes with registers, every message checked in every phase */

enum place { NOT_THERE, HELD, LATCHED };

static size_t lose_naively(const struct defined *defined, enum pb_buffer buffer,
                           const struct pb_traffic *traffic)
{
    uint32_t at[MESSAGES_MAX];
    enum place place[MESSAGES_MAX] = {NOT_THERE};
    uint32_t latched_from[MESSAGES_MAX] = {0};
    uint32_t path[DEFINED_HOPS_MAX][2], other[DEFINED_HOPS_MAX][2];
    size_t lost = 0;

#define NEXT_OF(i, of)                                                                                       \
    (path_of(defined, &(struct pb_message){at[i], traffic->message[i].destination, 0, 0}, of), of[0][1])
    for (unsigned step = 0; step <= defined->phases; step++) {
        size_t entering[MESSAGES_MAX], entered = 0;
        if (step == 0) {
            for (size_t i = 0; i < traffic->count; i++) {
                at[i] = traffic->message[i].source;
                if (at[i] != traffic->message[i].destination)
                    entering[entered++] = i;
            }
        } else {
            const unsigned phase = step - 1;
            for (size_t i = 0; i < traffic->count; i++) {
                const uint32_t from = at[i];
                if (place[i] != HELD || defined->sends_to[phase][from] != NEXT_OF(i, path))
                    continue;
                at[i] = path[0][1];
                place[i] = NOT_THERE;
                if (at[i] == traffic->message[i].destination)
                    continue;
                if (buffer == PB_BUFFER_REGISTER_AND_LATCH) {
                    place[i] = LATCHED;
                    latched_from[i] = from;
                } else {
                    entering[entered++] = i;
                }
            }
            /* Both phases of a wire are over when its larger end has sent. */
            for (size_t i = 0; i < traffic->count; i++)
                if (place[i] == LATCHED &&
                    (defined->sends_to[phase][at[i]] == latched_from[i] ||
                     (defined->sends_to[phase][latched_from[i]] == at[i] && latched_from[i] > at[i])))
                    entering[entered++] = i;
        }
        for (size_t k = 0; k < entered; k++) {
            const size_t i = entering[k];
            const uint32_t next = NEXT_OF(i, path);
            bool room = true;
            for (size_t j = 0; j < traffic->count; j++)
                if (place[j] == HELD && at[j] == at[i] &&
                    (buffer != PB_BUFFER_REGISTER_PER_DIMENSION || NEXT_OF(j, other) == next))
                    room = false;
            place[i] = room ? HELD : NOT_THERE;
            lost += !room;
        }
    }
#undef NEXT_OF
    return lost;
}

TEST(losses_equal_the_naive_ones)
{
    uint64_t random = 29;

    for (unsigned run = 0; run < 6 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, true, &random);
        for (int buffer = PB_BUFFER_REGISTER; buffer <= PB_BUFFER_REGISTER_PER_DIMENSION; buffer++) {
            size_t lost;
            assert_int_equal(pb_flow_lost(&network, (enum pb_buffer)buffer, &traffic, &lost), 0);
            assert_int_equal(lost, lose_naively(&defined, (enum pb_buffer)buffer, &traffic));
        }
        pb_traffic_free(&traffic);
    }
}

/* ---- look-ahead: what a node receives in superframe 0 is the same without the messages it holds at its
 * start */

static size_t received(const struct pb_network *network, enum pb_rule rule, const struct pb_traffic *traffic,
                       uint32_t node, uint32_t (*seen)[3])
{
    static struct record record;
    struct pb_flow_stats stats;
    size_t count = 0;

    record.count = 0;
    assert_int_equal(pb_flow_run(network, rule, traffic, 1, note, &record, &stats), 0);
    for (size_t i = 0; i < record.count; i++)
        if (record.crossing[i].to == node) {
            const struct pb_message *message = &traffic->message[record.crossing[i].message];
            seen[count][0] = record.crossing[i].phase;
            seen[count][1] = message->source;
            seen[count++][2] = message->destination;
        }
    return count;
}

TEST(inputs_of_a_superframe_do_not_depend_on_its_outputs)
{
    uint64_t random = 31;

    for (unsigned run = 0; run < 8 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        const enum pb_rule rule = (enum pb_rule)(run / SMALL_NETWORKS % 2);
        struct pb_traffic traffic = random_traffic(&defined, true, &random);

        assert_true(network.look_ahead);
        for (uint32_t node = 0; node < defined.nodes; node++) {
            uint32_t with[MESSAGES_MAX][3], without[MESSAGES_MAX][3];
            struct pb_traffic others = {0};
            for (size_t i = 0; i < traffic.count; i++)
                if (traffic.message[i].source != node)
                    assert_int_equal(pb_traffic_add(&others, &traffic.message[i]), 0);
            const size_t count = received(&network, rule, &traffic, node, with);
            assert_int_equal(received(&network, rule, &others, node, without), count);
            assert_memory_equal(with, without, count * sizeof *with);
            pb_traffic_free(&others);
        }
        pb_traffic_free(&traffic);
    }
}

/* ---- the 4x4x3 network under permutations */

TEST(forty_eight_nodes_carry_permutations)
{
    static const unsigned radix[] = {4, 4, 3};
    const struct defined defined = define(radix, 3);
    const struct pb_network network = built(&defined);
    static struct record actual;

    for (unsigned seed = 1; seed <= 20; seed++) {
        char pattern[20];
        struct pb_traffic traffic;
        struct pb_flow_bound bound;
        struct pb_flow_stats stats;
        bool arrived[48] = {false};
        size_t hops = 0;

        assert_true(snprintf(pattern, sizeof pattern, "perm:%u", seed) > 0);
        assert_int_equal(pb_traffic_generate(&traffic, &network, pattern, NULL), 0);
        struct naive naive = {.defined = &defined, .rule = PB_RULE_ECUBE, .traffic = &traffic};
        simulate_naively(&naive, 48);
        actual.count = 0;
        assert_int_equal(pb_flow_run(&network, PB_RULE_ECUBE, &traffic, 0, note, &actual, &stats), 0);
        assert_same_crossings(&network, &actual, &naive.record);
        for (size_t i = 0; i < traffic.count; i++) {
            uint32_t path[6][2];
            hops += path_of(&defined, &traffic.message[i], path);
            assert_false(arrived[traffic.message[i].destination]);
            arrived[traffic.message[i].destination] = true;
        }
        assert_int_equal(stats.delivered, 48);
        assert_int_equal(stats.crossings, hops);
        assert_int_equal(pb_flow_analyse(&network, &traffic, &bound), 0);
        assert_int_equal(stats.superframes, bound.fifo_superframes);
        assert_true(bound.fifo_superframes <= bound.bound_superframes);
        pb_traffic_free(&traffic);
    }
}

/* Every node sends to the one whose digits are each one more: no two messages want one directed wire. */
TEST(a_shift_of_all_digits_takes_one_superframe)
{
    static const unsigned radix[] = {4, 4, 3};
    const struct defined defined = define(radix, 3);
    const struct pb_network network = built(&defined);
    struct pb_traffic traffic = {0};
    struct pb_flow_bound bound;

    for (uint32_t node = 0; node < 48; node++) {
        uint32_t to = node;
        for (unsigned digit = 0; digit < 3; digit++)
            to = with_digit(&defined, to, digit,
                            (digit_by_division(&defined, node, digit) + 1) % radix[digit]);
        assert_int_equal(pb_traffic_add(&traffic, &(struct pb_message){node, to, 0, 0}), 0);
    }
    assert_int_equal(pb_flow_analyse(&network, &traffic, &bound), 0);
    assert_int_equal(bound.max_link_load, 1);
    assert_int_equal(bound.bound_superframes, 1);
    assert_int_equal(bound.fifo_superframes, 1);
    pb_traffic_free(&traffic);
}

TEST(sixty_five_thousand_nodes_fit)
{
    struct pb_network network;
    struct pb_traffic traffic;
    struct pb_flow_stats stats;
    static const unsigned radix[] = {16, 16, 16, 16};

    assert_int_equal(pb_network_generalised(&network, radix, 4, NULL), 0);
    assert_int_equal(pb_traffic_generate(&traffic, &network, "complement", NULL), 0);
    for (int rule = 0; rule < PB_RULES; rule++) {
        assert_int_equal(pb_flow_run(&network, (enum pb_rule)rule, &traffic, 0, NULL, NULL, &stats), 0);
        assert_int_equal(stats.delivered, 65536);
        assert_int_equal(stats.crossings, 4 * 65536); /* each digit d becomes 15 - d, never d itself */
        assert_int_equal(stats.superframes, 1);
    }
    pb_traffic_free(&traffic);
}
