/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of a scenario as a window: against the movement of the whole list, for readers that read any
 * distance ahead; the numbers of frames; entries that repeat for ever against the same written out.
 */
#include "host/scenario/movement.h"
#include "phasebench/flow.h"
#include "phasebench/random.h"
#include "tests/bench/unit/run_fixture.h"

#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, SUPERFRAMES = 40 };

static struct pb_movement *opened(const struct pb_scenario *scenario)
{
    struct pb_movement *movement;
    assert_succeeds(pb_movement_open(&movement, scenario, &diag));
    return movement;
}

static const struct pb_moved *read_at(struct pb_movement *movement, uint32_t superframe)
{
    const struct pb_moved *moved = NULL;
    assert_succeeds(pb_movement_read(movement, superframe, &moved, &diag));
    assert_int_equal(moved->superframe, superframe);
    return moved;
}

/* ---- sequence numbers */

/* Of each message of the list, by its crossings at the rig. */
static void assert_sequences(const char *traffic, const uint32_t *sequence, size_t count)
{
    bool arrived[64] = {false};
    struct pb_scenario *scenario =
        parse_scenario(formatted("nodes: [{address: 0x2A3}]\ntraffic:\n%s", traffic));
    struct pb_movement *movement = opened(scenario);
    assert_int_equal(scenario->traffic.count, count);
    for (uint32_t superframe = 0; superframe < scenario->superframes; superframe++) {
        const struct pb_moved *moved = read_at(movement, superframe);
        for (size_t i = 0; i < moved->crossings; i++) {
            const struct pb_crossing *crossing = &moved->crossing[i];
            arrived[crossing->message] |= crossing->last;
            assert_int_equal(crossing->sequence, sequence[crossing->message]);
        }
        for (size_t i = 0; i < moved->owns; i++)
            assert_int_equal(moved->own[i].sequence, sequence[moved->own[i].message]);
    }
    for (size_t i = 0; i < count; i++)
        assert_true(arrived[i]);
    pb_movement_close(movement);
}

#define ASSERT_SEQUENCES(traffic, ...)                                                                       \
    assert_sequences(traffic, (const uint32_t[]){__VA_ARGS__},                                               \
                     sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

/* 0x2A3 = 10 1010 0011 sends on dimension 0 in phase 1, on 1 in 3, on 2 in 4, on 11 in 22. Released in phase
 * 0 the order is that; released in phase 4, dimension 2 comes first and 1 last. */
TEST(test_sequences)
{
    ASSERT_SEQUENCES("  - {from: 0x2A3, to: 0x2A2, superframe: 3}\n"
                     "  - {from: 0x2A3, to: 0x2A2, superframe: 1}\n"
                     "  - {from: 0x2A2, to: 0x2A3, superframe: 2}\n"
                     "  - {from: 0x2A3, to: 0x2A2, superframe: 1}\n",
                     2, 0, 0, 1);
    ASSERT_SEQUENCES("  - {from: 0x2A3, to: 0xAA3}\n"
                     "  - {from: 0x2A3, to: 0x2A7}\n"
                     "  - {from: 0x2A3, to: 0x2A1}\n"
                     "  - {from: 0x2A3, to: 0x2A2}\n",
                     3, 2, 1, 0);
    ASSERT_SEQUENCES("  - {from: 0x2A3, to: 0x2A2, superframe: 1, phase: 4}\n"
                     "  - {from: 0x2A3, to: 0xAA3, superframe: 1, phase: 4}\n"
                     "  - {from: 0x2A3, to: 0x2A1, superframe: 1, phase: 4}\n"
                     "  - {from: 0x2A3, to: 0x2A7, superframe: 1, phase: 4}\n",
                     2, 1, 3, 0);
}

/* ---- against the whole list */

struct whole {
    struct pb_crossing *crossing; /* every one of the network */
    size_t crossings, drops;
    uint64_t dropped[MOST];
};

static void note_crossing(void *context, const struct pb_crossing *crossing)
{
    struct whole *whole = context;
    assert_true(whole->crossings < (size_t)MOST * 12);
    whole->crossing[whole->crossings++] = *crossing;
}

static void note_drop(void *context, uint32_t superframe, unsigned phase, uint32_t node, size_t message)
{
    struct whole *whole = context;
    (void)superframe;
    (void)phase;
    (void)node;
    assert_true(whole->drops < MOST);
    whole->dropped[whole->drops++] = message;
}

static unsigned below(uint64_t *random, unsigned limit)
{
    return (unsigned)(pb_splitmix64(random) % limit);
}

static void draw_entry(char *text, size_t size, uint64_t *random, const char *repeat)
{
    static const char *const pattern[] = {"uniform:%u", "perm:%u", "hotspot:%u"};
    const unsigned at = below(random, 3), node = below(random, 8);
    const char *name = formatted(pattern[at], node);
    int length = snprintf(text, size, "  - {%s%s%s, superframe: %u, phase: %u",
                          at || node % 2 ? "pattern: '" : "", at || node % 2 ? name : "from: 3, to: 6",
                          at || node % 2 ? "'" : "", below(random, 4), below(random, 6));
    snprintf(text + length, size - (size_t)length, ", %s}\n", repeat);
}

/* Networks of at least 8 nodes and 6 phases. */
static size_t draw_head(char *text, size_t size, bool opportunistic, bool drops, uint64_t *random)
{
    static const char *const network[] = {"{dims: 3", "{dims: 4", "{family: generalised, radix: [4, 3]"};
    static const char *const kind[] = {"native", "contract"};
    return (size_t)snprintf(text, size,
                            "network: %s, rule: %s}\nlink: {payload: 1 byte}\nlimits: {overflow: %s}\n"
                            "nodes: [{address: %u, kind: %s}, {address: %u}]\n",
                            network[below(random, 3)], opportunistic ? "opportunistic" : "ecube",
                            drops ? "drop" : "refuse", below(random, 4), kind[below(random, 2)],
                            4 + below(random, 4));
}

static bool on_rig(const struct pb_scenario *scenario, uint32_t address)
{
    return scenario->node[0].address == address || scenario->node[1].address == address;
}

/* What the reader at `superframe` sees is that part of the whole. */
static void compare(const struct pb_scenario *scenario, const struct whole *whole,
                    const struct pb_moved *moved, bool file_order)
{
    size_t at = 0, arrivals = 0, lost = 0;
    for (size_t i = 0; i < scenario->traffic.count; i++) {
        const struct pb_message *own = &scenario->traffic.message[i];
        arrivals += own->source == own->destination && own->release_superframe == moved->superframe;
    }
    for (size_t i = 0; i < whole->crossings; i++) {
        struct pb_crossing expected = whole->crossing[i];
        if (expected.superframe != moved->superframe)
            continue;
        if (expected.last) {
            assert_true(arrivals < moved->arrivals);
            const struct pb_arrived *arrival = &moved->arrival[arrivals++];
            assert_int_equal(arrival->message, expected.message);
            assert_int_equal(arrival->source, expected.source);
            assert_int_equal(arrival->destination, expected.destination);
            assert_int_equal(arrival->superframe, expected.superframe);
            assert_int_equal(arrival->phase, expected.phase);
            assert_int_equal(arrival->release_superframe, expected.release_superframe);
            assert_int_equal(arrival->release_phase, expected.release_phase);
        }
        if (!on_rig(scenario, expected.from) && !on_rig(scenario, expected.to))
            continue;
        assert_true(at < moved->crossings);
        if (!file_order)
            expected.sequence = moved->crossing[at].sequence;
        assert_memory_equal(&moved->crossing[at++], &expected, sizeof expected);
    }
    assert_int_equal(at, moved->crossings);
    assert_int_equal(arrivals, moved->arrivals);
    size_t births = 0, owns = 0;
    for (size_t i = 0; i < scenario->traffic.count; i++) {
        const struct pb_message *message = &scenario->traffic.message[i];
        births += message->release_superframe == moved->superframe;
        owns += message->release_superframe == moved->superframe && on_rig(scenario, message->source);
    }
    assert_int_equal(births, moved->births);
    assert_int_equal(owns, moved->owns);
    for (size_t i = 0; i < moved->losts; i++) {
        const struct pb_lost_message *message = &moved->lost[i];
        assert_int_equal(scenario->node[message->node_index].address, message->drop.node);
        assert_int_equal(scenario->traffic.message[message->drop.message].source, message->source);
        assert_int_equal(scenario->traffic.message[message->drop.message].destination, message->destination);
        for (size_t k = 0; k < whole->drops; k++)
            lost += whole->dropped[k] == message->drop.message;
    }
    assert_int_equal(lost, moved->losts);
}

TEST(test_readers_see_the_whole)
{
    uint64_t random = 5;
    size_t dropped = 0;
    struct whole whole = {.crossing = malloc((size_t)MOST * 12 * sizeof *whole.crossing)};
    assert_non_null(whole.crossing);
    for (unsigned run = 0; run < 60; run++) {
        char yaml[1200];
        const bool opportunistic = run % 2, drops = run % 3 == 0;
        size_t length = draw_head(yaml, sizeof yaml, opportunistic, true, &random);
        length +=
            (size_t)snprintf(yaml + length, sizeof yaml - length, "superframes: %u\ntraffic:\n", SUPERFRAMES);
        for (unsigned i = 0; i < 3; i++) {
            draw_entry(yaml + length, sizeof yaml - length, &random,
                       formatted("repeat: %u", 1 + below(&random, 20)));
            length += strlen(yaml + length);
        }
        struct pb_scenario *scenario = parse_scenario(yaml);
        struct pb_flow_room room[2];
        struct pb_flow_stats stats;
        for (unsigned i = 0; i < 2; i++) {
            scenario->node[i].room = drops ? 2 : 0;
            scenario->node[i].room_per_dimension = 0;
            room[i] =
                (struct pb_flow_room){.node = scenario->node[i].address, .in_all = scenario->node[i].room};
        }
        scenario->limits.drop_overflow = drops;
        whole.crossings = whole.drops = 0;
        assert_int_equal(pb_flow_run_bounded(&scenario->network, scenario->rule, &scenario->traffic,
                                             SUPERFRAMES, room, 2, note_crossing, note_drop, &whole, &stats),
                         PB_OK);
        dropped += whole.drops;
        struct pb_movement *movement = opened(scenario);
        uint32_t place[3] = {0};
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(pb_movement_reader(movement), i);
        while (place[0] + place[1] + place[2] < 3 * SUPERFRAMES) {
            const unsigned reader = below(&random, 3);
            if (place[reader] == SUPERFRAMES)
                continue;
            compare(scenario, &whole, read_at(movement, place[reader]), drops || opportunistic);
            pb_movement_pass(movement, reader, ++place[reader]);
        }
        const struct pb_moved *last = read_at(movement, SUPERFRAMES);
        for (unsigned i = 0; i < 2; i++)
            assert_in_range(last->fullest[i], room[i].fullest, drops ? 2 : MOST);
        for (unsigned i = 0; i < 3; i++)
            pb_movement_leave(movement, i);
    }
    assert_true(dropped > 100);
    free(whole.crossing);
}

/* ---- entries that repeat for ever */

/* Messages of both by the order in which they join: the number in one is that in the other. */
static uint64_t twin[1 << 16];

static void compare_twins(const struct pb_moved *finite, const struct pb_moved *endless)
{
    assert_int_equal(finite->births, endless->births);
    for (size_t i = 0; i < finite->births; i++) {
        assert_true(finite->birth[i].message < sizeof twin / sizeof *twin);
        twin[finite->birth[i].message] = endless->birth[i].message;
        assert_int_equal(finite->birth[i].source, endless->birth[i].source);
        assert_int_equal(finite->birth[i].destination, endless->birth[i].destination);
        assert_int_equal(finite->birth[i].phase, endless->birth[i].phase);
    }
    assert_int_equal(finite->crossings, endless->crossings);
    for (size_t i = 0; i < finite->crossings; i++) {
        struct pb_crossing expected = finite->crossing[i];
        expected.message = twin[expected.message];
        assert_memory_equal(&endless->crossing[i], &expected, sizeof expected);
    }
    assert_int_equal(finite->arrivals, endless->arrivals);
    assert_int_equal(finite->owns, endless->owns);
    for (size_t i = 0; i < finite->owns; i++) {
        assert_int_equal(finite->own[i].sequence, endless->own[i].sequence);
        assert_int_equal(finite->own[i].refused, endless->own[i].refused);
    }
    assert_int_equal(finite->losts, endless->losts);
}

TEST(test_for_ever_is_as_long_written_out)
{
    uint64_t random = 17;
    for (unsigned run = 0; run < 60; run++) {
        char yaml[2][1600];
        const unsigned every = 1 + below(&random, 3);
        size_t length[2];
        length[0] = length[1] = draw_head(yaml[0], sizeof yaml[0], run % 2, true, &random);
        memcpy(yaml[1], yaml[0], length[0] + 1);
        for (unsigned k = 0; k < 2; k++)
            length[k] += (size_t)snprintf(yaml[k] + length[k], sizeof yaml[k] - length[k],
                                          "superframes: %u\ntraffic:\n", k ? SUPERFRAMES : SUPERFRAMES + 500);
        for (unsigned i = 0; i < 4; i++) {
            char repeat[40];
            const uint64_t before = random;
            for (unsigned k = 0; k < 2; k++) { /* the same entry, except its end */
                random = before;
                if (k && i % 2)
                    snprintf(repeat, sizeof repeat, "every: %u, repeat: forever", every);
                else
                    snprintf(repeat, sizeof repeat, "every: %u, repeat: %u", every, i % 2 ? SUPERFRAMES : 3);
                draw_entry(yaml[k] + length[k], sizeof yaml[k] - length[k], &random, repeat);
                length[k] += strlen(yaml[k] + length[k]);
            }
        }
        struct pb_scenario *finite = parse_scenario(yaml[0]), *endless = parse_scenario(yaml[1]);
        assert_int_equal(endless->endless_count, 2);
        assert_int_equal(finite->endless_count, 0);
        if (run % 3 == 0)
            for (unsigned i = 0; i < 2; i++)
                finite->node[i].room = endless->node[i].room = 3;
        finite->limits.drop_overflow = endless->limits.drop_overflow = run % 3 == 0;
        struct pb_movement *one = opened(finite), *other = opened(endless);
        for (uint32_t superframe = 0; superframe < SUPERFRAMES; superframe++)
            compare_twins(read_at(one, superframe), read_at(other, superframe));
        assert_true(read_at(other, SUPERFRAMES)->left);
        pb_movement_close(one);
        pb_movement_close(other);
    }
}

/* Numbers continue after those of the list, each once. */
TEST(test_numbers_behind_the_list)
{
    struct pb_scenario *scenario = parse_scenario(
        "superframes: 9\nnodes: [{address: 0x2A3}]\ntraffic:\n"
        "  - {from: 1, to: 2, superframe: 5, repeat: forever}\n  - {from: 3, to: 4, repeat: 7}\n"
        "  - {pattern: complement, every: 4, repeat: forever}\n");
    struct pb_movement *movement = opened(scenario);
    uint64_t next = 7;
    for (uint32_t superframe = 0; superframe < 9; superframe++) {
        const struct pb_moved *moved = read_at(movement, superframe);
        assert_int_equal(moved->births, (superframe >= 5) + (superframe < 7) + 4096 * (superframe % 4 == 0));
        for (size_t i = 0; i < moved->births; i++)
            assert_int_equal(moved->birth[i].message,
                             moved->birth[i].source == 3 && moved->birth[i].destination == 4 ? superframe
                                                                                             : next++);
    }
    pb_movement_close(movement);
}
