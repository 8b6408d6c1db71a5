/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What faults make of the bytes of a frame, over many seeds. Check values by division of the polynomial,
 * apart from the plan's; a receiver that compares some bits of its check value is a mask.
 */
#include "host/plan/frame.h"
#include "host/plan/spoil.h"
#include "tests/bench/unit/check_values.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

static bool is_starc(const struct pb_scenario *s)
{
    return s->codec == PB_CODEC_STARC;
}

/* The bits in which the check value is not that of the bytes before it. */
static unsigned wrong_check(const struct pb_scenario *s, const uint8_t *bytes, unsigned count)
{
    return is_starc(s) ? (unsigned)(bytes[count - 2] << 8 | bytes[count - 1]) ^
                             crc16(bytes + 1, count - 3)
                       : bytes[count - 1] ^ crc8(bytes, count - 1);
}

/* The correct frame of a fault, and the corrupted one. */
struct spoilt {
    uint8_t right[PB_FRAME_MAX], bytes[128];
    unsigned right_count, count;
};

static struct spoilt spoil(const struct pb_scenario *s, unsigned fault)
{
    struct spoilt frame;
    frame.right_count = frame.count = pb_frame(s, 100 + fault, s->node[0].address, fault, frame.right);
    memcpy(frame.bytes, frame.right, frame.count);
    pb_spoil(s, &s->fault[fault], frame.bytes, &frame.count);
    return frame;
}

/* The wrong bits of a frame, as numbers; returns how many. */
static unsigned wrong_bits(const struct spoilt *frame, unsigned bit[8 * PB_FRAME_MAX])
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 8 * frame->count; i++)
        if ((frame->bytes[i / 8] ^ frame->right[i / 8]) >> i % 8 & 1)
            bit[bits++] = i;
    return bits;
}

#define NODE "superframes: 60\nnodes: [{address: 5}]\ntraffic: [{pattern: complement, repeat: forever}]\n"
#define FAULTS(entry) "faults:\n  - {" entry ", node: 5, phase: 0, superframe: 2, "
#define ON_THREE(entry, repeat)                                                                              \
    FAULTS(entry) "repeat: " repeat "}\n  - {" entry ", node: 5, phase: 3, superframe: 3, repeat: " repeat   \
                  "}\n  - {" entry ", node: 5, phase: 4, superframe: 2, repeat: " repeat "}\n"

enum { SEEDS = 200 };

/* Nine repetitions on three links, as in a short run. */
TEST(few_repetitions_show_a_receiver_that_compares_few_bits)
{
    static const unsigned mask[] = {0x01, 0x02, 0x08, 0x20, 0x80, 0x0F, 0x2B, 0x55};
    struct pb_scenario *s = parse_scenario("cube: {dims: 3}\n" NODE ON_THREE("kind: wrong_bytes", "3"));
    assert_int_equal(s->fault_count, 9);
    for (s->seed = 0; s->seed < SEEDS; s->seed++) {
        bool taken[8] = {false};
        unsigned checks = 0;
        for (unsigned i = 0; i < 9; i++) {
            const struct spoilt frame = spoil(s, i);
            const unsigned wrong = wrong_check(s, frame.bytes, frame.count);
            assert_int_not_equal(wrong, 0);
            for (unsigned k = 0; k < 8; k++)
                taken[k] |= !(wrong & mask[k]);
            if (!(frame.bytes[8] == frame.right[8]) && !memcmp(frame.bytes, frame.right, 8))
                checks |= frame.bytes[8] ^ frame.right[8];
        }
        for (unsigned k = 0; k < 8; k++)
            assert_true(taken[k]);
        assert_true(__builtin_popcount(checks) >= 6);
    }
}

/* As many as `phasebench regress` has in a cube of 3 dimensions: 1 + 8 + 73 / 3, of StarC 1 + 16 + 91 / 3. */
TEST(many_repetitions_have_each_bit_alone_and_the_check_on_each_link)
{
    static const char *const yaml[] = {
        "cube: {dims: 3}\n" NODE ON_THREE("kind: wrong_bytes", "34"),
        "cube: {dims: 3}\nlink: {codec: starc, payload: 6 bytes, phase_rate: 5 kHz}\n" NODE ON_THREE(
            "kind: wrong_bytes", "48")};
    for (unsigned which = 0; which < 2; which++) {
        struct pb_scenario *s = parse_scenario(yaml[which]);
        const unsigned check_bits = is_starc(s) ? 16 : 8, first = is_starc(s) ? 8 : 0,
                       end = 8 * s->frame_bytes;
        for (s->seed = 0; s->seed < SEEDS / 10; s->seed++) {
            bool alone[3][8 * PB_FRAME_MAX] = {{false}};
            unsigned several = 0;
            for (unsigned i = 0; i < s->fault_count; i++) {
                const struct spoilt frame = spoil(s, i);
                unsigned bit[8 * PB_FRAME_MAX];
                const unsigned bits = wrong_bits(&frame, bit);
                assert_true(bits >= 1 && bits <= 3); /* four zeros may be a second sender's */
                assert_true(bit[0] >= first);
                assert_int_not_equal(wrong_check(s, frame.bytes, frame.count), 0);
                if (bits == 1)
                    alone[s->fault[i].dimension][bit[0]] = true;
                several += bits > 1;
            }
            for (unsigned bit = first; bit < end; bit++) {
                const unsigned links = alone[0][bit] + alone[1][bit] + alone[2][bit];
                assert_true(links >= (bit >= end - check_bits ? 3u : 1u));
            }
            assert_true(several >= 3);
        }
    }
}

TEST(the_seed_decides)
{
    struct pb_scenario *s = parse_scenario("cube: {dims: 3}\n" NODE ON_THREE("kind: wrong_bytes", "3"));
    unsigned others = 0;
    for (s->seed = 1; s->seed < 20; s->seed++) {
        const struct spoilt one = spoil(s, 4), again = spoil(s, 4);
        assert_memory_equal(one.bytes, again.bytes, one.count);
        unsigned here[8 * PB_FRAME_MAX], there[8 * PB_FRAME_MAX];
        wrong_bits(&one, here);
        s->seed++;
        const struct spoilt other = spoil(s, 4);
        wrong_bits(&other, there);
        others += here[0] != there[0];
    }
    assert_true(others >= 5);
}

TEST(each_address_bit_beyond_the_cube_comes_alone)
{
    static const char *const yaml[] = {
        "cube: {dims: 3}\n" NODE FAULTS("kind: outside_address") "repeat: 12}\n",
        "cube: {dims: 3}\nlink: {codec: starc}\n" NODE FAULTS("kind: outside_address") "repeat: 16}\n"};
    for (unsigned which = 0; which < 2; which++) {
        struct pb_scenario *s = parse_scenario(yaml[which]);
        const unsigned beyond = is_starc(s) ? 13 : 9;
        for (s->seed = 0; s->seed < SEEDS; s->seed++) {
            uint32_t alone = 0;
            for (unsigned i = 0; i < s->fault_count; i++) {
                const struct spoilt frame = spoil(s, i);
                const uint32_t is = pb_frame_destination(s, frame.bytes),
                               was = pb_frame_destination(s, frame.right);
                assert_int_equal(is & 7, was);
                assert_true(is > 7);
                assert_int_equal(wrong_check(s, frame.bytes, frame.count), 0);
                if (i >= beyond)
                    continue;
                alone |= is >> 3;
                assert_int_equal(__builtin_popcount(is >> 3), 1);
            }
            assert_int_equal(alone, (1u << beyond) - 1);
        }
    }
}

TEST(lengths_are_others_and_of_each_bit)
{
    struct pb_scenario *s = parse_scenario("cube: {dims: 3}\nlink: {codec: starc}\n" NODE FAULTS(
        "kind: wrong_length") "repeat: 12}\n");
    for (s->seed = 0; s->seed < SEEDS; s->seed++) {
        unsigned bits = 0;
        for (unsigned i = 0; i < s->fault_count; i++) {
            const struct spoilt frame = spoil(s, i);
            const unsigned other = frame.bytes[2] ^ frame.right[2];
            assert_int_not_equal(other, 0);
            assert_int_equal(wrong_check(s, frame.bytes, frame.count), 0);
            bits |= __builtin_popcount(other) == 1 ? other : 0;
        }
        assert_true(__builtin_popcount(bits) >= 7); /* one that only lowers may be passed over */
    }
}

TEST(babble_has_every_style_and_is_no_frame)
{
    struct pb_scenario *s =
        parse_scenario("cube: {dims: 3}\nsuperframes: 20\nnodes: [{address: 5}]\ntraffic: "
                       "[{from: 5, to: 4}]\n" FAULTS("kind: babble") "repeat: 6}\n");
    for (s->seed = 0; s->seed < SEEDS; s->seed++) {
        unsigned again = 0, framed = 0;
        for (unsigned i = 0; i < s->fault_count; i++) {
            const struct spoilt frame = spoil(s, i);
            bool same = true;
            assert_int_equal(frame.count, 9);
            for (unsigned k = 1; k < 8; k++)
                same &= frame.bytes[k] == frame.bytes[0];
            assert_int_not_equal(wrong_check(s, frame.bytes, frame.count), 0);
            again += same;
            framed += wrong_check(s, frame.bytes, frame.count) == 1 && frame.bytes[0] == 5;
        }
        assert_true(again >= 4); /* 00, FF, 55, AA */
        assert_true(framed >= 1);
    }
}

TEST(auto_has_each_number_of_bytes)
{
    static const struct {
        const char *link, *kind;
        unsigned most;
    } one[] = {{"payload: 6 bytes", "short_frame", 6},
               {"payload: 4 bytes", "long_frame", 2},
               {"payload: 6 bytes", "framing", 9}};
    for (unsigned i = 0; i < sizeof one / sizeof one[0]; i++)
        for (unsigned seed = 1; seed <= 20; seed++) {
            unsigned seen = 0;
            struct pb_scenario *s = parse_scenario(formatted(
                "seed: %u\ncube: {dims: 3}\nlink: {%s}\n" NODE
                "faults: [{kind: %s, node: 5, phase: 0, superframe: 2, bytes: auto, repeat: 9}]\n",
                seed, one[i].link, one[i].kind));
            for (unsigned k = 0; k < s->fault_count; k++)
                seen |= 1u << s->fault[k].bytes;
            assert_int_equal(seen, (2u << one[i].most) - 2);
        }
}
