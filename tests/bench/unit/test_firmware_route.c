/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Routing rules against brute force, and the queues against a list that is searched from its beginning.
 */
#include "firmware/app/queue.h"
#include "firmware/app/route.h"
#include "tests/bench/unit/network_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

/* Dimensions in which a neighbour is nearer to the destination, distances found by breadth-first search. */
static void distances(unsigned dims, unsigned to, unsigned *distance)
{
    unsigned queue[64], head = 0, tail = 0;
    memset(distance, 0xFF, 64 * sizeof *distance);
    distance[to] = 0;
    queue[tail++] = to;
    while (head < tail) {
        const unsigned at = queue[head++];
        for (unsigned d = 0; d < dims; d++) {
            const unsigned next = (at / (1u << d)) % 2 ? at - (1u << d) : at + (1u << d);
            if (distance[next] == ~0u) {
                distance[next] = distance[at] + 1;
                queue[tail++] = next;
            }
        }
    }
}

TEST(wants_against_distance)
{
    for (unsigned dims = 1; dims <= 6; dims++) {
        const struct route_network network = route_cube((uint8_t)dims);
        for (unsigned to = 0; to < 1u << dims; to++) {
            unsigned distance[64];
            distances(dims, to, distance);
            for (unsigned from = 0; from < 1u << dims; from++) {
                unsigned nearer = 0, lowest = 0;
                for (unsigned d = dims; d-- > 0;) {
                    const unsigned next = (from / (1u << d)) % 2 ? from - (1u << d) : from + (1u << d);
                    if (distance[next] < distance[from]) {
                        nearer += 1u << d;
                        lowest = 1u << d;
                    }
                }
                const uint16_t ways = network.ways(&network, (uint16_t)from, (uint16_t)to);
                assert_int_equal(route_ecube.pick(ways), lowest);
                assert_int_equal(route_opportunistic.pick(ways), nearer);
            }
        }
    }
    assert_true(route_ecube.one_port);
    assert_false(route_opportunistic.one_port);
}

/* The corrected example of the node page: 0x2A3 to 0x91C crosses ten links, in these phases. */
TEST(worked_example)
{
    static const uint16_t nodes[] = {0x2A3, 0x2A2, 0x2A0, 0x2A4, 0x2AC, 0x2BC,
                                     0x29C, 0x21C, 0x31C, 0x11C, 0x91C};
    static const uint8_t phases[] = {1, 3, 4, 6, 8, 11, 15, 16, 19, 22};
    const struct route_network cube = route_cube(12);
    for (unsigned i = 0; i < 10; i++) {
        const uint16_t wants = route_ecube.pick(cube.ways(&cube, nodes[i], 0x91C));
        const uint8_t port = route_lowest(wants);
        assert_int_equal(nodes[i] ^ wants, nodes[i + 1]);
        assert_int_equal(cube.neighbour(&cube, nodes[i], port), nodes[i + 1]);
        assert_int_equal(cube.turn(&cube, nodes[i], phases[i]), ROUTE_SENDS | port);
        assert_int_equal(cube.turn(&cube, nodes[i + 1], phases[i]), port);
    }
    assert_int_equal(cube.ways(&cube, 0x91C, 0x91C), 0);
}

/* Against the definition: whom a node sends to in each phase, on which port, and by which way. */
TEST(generalised_against_definition)
{
    for (size_t index = 0; index < SMALL_COMPLETE; index++) {
        const struct defined defined = small(index);
        uint8_t radix[6];
        for (unsigned i = 0; i < defined.digits; i++)
            radix[i] = (uint8_t)defined.radix[i];
        const struct route_network network = route_generalised(radix, (uint8_t)defined.digits);
        assert_int_equal(network.nodes, defined.nodes);
        assert_int_equal(network.phases, defined.phases);
        for (uint16_t own = 0; own < defined.nodes; own++) {
            unsigned ports = 0; /* that sent, as a mask */
            for (uint8_t phase = 0; phase < defined.phases; phase++) {
                const uint32_t to = defined.sends_to[phase][own];
                uint32_t from = NOBODY;
                for (uint32_t other = 0; other < defined.nodes; other++)
                    if (defined.sends_to[phase][other] == own)
                        from = other;
                const uint8_t turn = network.turn(&network, own, phase), port = turn & (uint8_t)~ROUTE_SENDS;
                if (to == NOBODY && from == NOBODY) {
                    assert_int_equal(turn, ROUTE_IDLE);
                    continue;
                }
                assert_true(port < network.ports);
                assert_int_equal(network.neighbour(&network, own, port), to == NOBODY ? from : to);
                assert_int_equal(turn, to == NOBODY ? port : port | ROUTE_SENDS);
                ports |= to == NOBODY ? 0 : 1u << port;
            }
            assert_int_equal(ports, (1u << network.ports) - 1);
            for (uint16_t to = 0; to < defined.nodes; to++)
                for (uint8_t port = 0; port < network.ports; port++) {
                    const uint16_t next = network.neighbour(&network, own, port),
                                   ways = network.ways(&network, own, to);
                    assert_int_equal(ways >> port & 1,
                                     wants_wire(&defined, PB_RULE_OPPORTUNISTIC, own, next, to));
                    assert_int_equal(route_ecube.pick(ways) >> port & 1,
                                     wants_wire(&defined, PB_RULE_ECUBE, own, next, to));
                }
        }
    }
}

static struct frame numbered(uint16_t number)
{
    struct frame frame = {.destination = number};
    frame.payload[0] = (uint8_t)~number;
    return frame;
}

TEST(dimension_queues_are_fifo)
{
    static struct queues queues;
    queue_init(&queues);
    for (uint16_t i = 0; i < QUEUE_POOL; i++) {
        const struct frame frame = numbered(i);
        assert_int_not_equal(queue_put(&queues, i % 3, (uint16_t)(1u << i % 3), &frame, 1), QUEUE_NONE);
    }
    const struct frame surplus = numbered(999);
    assert_int_equal(queue_put(&queues, 7, 1u << 7, &surplus, 1), QUEUE_NONE);
    assert_int_equal(queues.stored, QUEUE_POOL);
    assert_int_equal(queues.depth[0], 14); /* 0, 3 .. 39 */
    for (uint8_t d = 0; d < 3; d++) {
        for (uint16_t expected = d; expected < QUEUE_POOL; expected += 3) {
            const uint8_t entry = queue_oldest(&queues, d);
            assert_int_not_equal(entry, QUEUE_NONE);
            assert_int_equal(queues.entry[entry].frame.destination, expected);
            assert_int_equal(queues.entry[entry].frame.payload[0], (uint8_t)~expected);
            queue_remove(&queues, d, entry);
        }
        assert_int_equal(queue_oldest(&queues, d), QUEUE_NONE);
    }
    assert_int_equal(queues.stored, 0);
    assert_int_equal(queue_oldest(&queues, 7), QUEUE_NONE);
}

/* Random puts and takes with several requested dimensions, compared with an array in order of arrival. */
TEST(any_queue_takes_the_oldest)
{
    static struct queues queues;
    struct {
        uint16_t wants, number;
    } list[QUEUE_POOL];
    unsigned length = 0, taken = 0, full = 0;
    random_state = 12345;

    queue_init(&queues);
    for (uint16_t step = 0; step < 20000; step++) {
        const unsigned draw = below(UINT16_MAX + 1);
        if (draw % 16 < 8) {
            const uint16_t wants = (uint16_t)(1u << draw / 16 % 12 | 1u << draw / 256 % 12);
            const struct frame frame = numbered(step);
            const uint8_t entry = queue_put(&queues, QUEUE_ANY, wants, &frame, 1);
            assert_int_equal(entry == QUEUE_NONE, length == QUEUE_POOL);
            full += length == QUEUE_POOL;
            if (length < QUEUE_POOL) {
                list[length].wants = wants;
                list[length++].number = step;
            }
        } else {
            const uint8_t d = (uint8_t)(draw / 16 % 12);
            const uint8_t entry = queue_oldest(&queues, d);
            unsigned i = 0;
            while (i < length && !(list[i].wants & (1u << d)))
                i++;
            assert_int_equal(entry == QUEUE_NONE, i == length);
            if (i < length) {
                assert_int_equal(queues.entry[entry].frame.destination, list[i].number);
                queue_remove(&queues, d, entry);
                memmove(list + i, list + i + 1, (--length - i) * sizeof *list);
                taken++;
            }
        }
        assert_int_equal(queues.stored, length);
    }
    assert_true(taken > 1000 && full > 100);
}
