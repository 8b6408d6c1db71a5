/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Traffic patterns, the text format, and the numbers in both.
 */
#include "phasebench/number.h"
#include "phasebench/random.h"
#include "phasebench/traffic.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

/* The binary cube as an argument; it lives as long as the block. */
#define CUBE(dims) ((const struct pb_network[]){pb_network_cube(dims)})

static struct pb_traffic made(unsigned dims, const char *pattern)
{
    struct pb_traffic traffic;
    struct pb_diag diag = {""};
    assert_int_equal(pb_traffic_generate(&traffic, CUBE(dims), pattern, &diag), 0);
    assert_string_equal(diag.text, "");
    return traffic;
}

static void check_refused(unsigned dims, const char *pattern, const char *word)
{
    struct pb_traffic traffic;
    struct pb_diag diag;
    assert_int_equal(pb_traffic_generate(&traffic, CUBE(dims), pattern, &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, word));
    assert_null(strchr(diag.text, '\n'));
    assert_null(traffic.message);
    assert_int_equal(traffic.count, 0);
}

/* First outputs for seed 1234567, as published with the reference implementation's test vectors. */
TEST(splitmix64_is_the_published_one)
{
    uint64_t seed = 1234567;

    assert_true(pb_splitmix64(&seed) == UINT64_C(6457827717110365317));
    assert_true(pb_splitmix64(&seed) == UINT64_C(3203168211198807973));
    assert_true(pb_splitmix64(&seed) == UINT64_C(9817491932198370423));
    assert_true(pb_splitmix64(&seed) == UINT64_C(4593380528125082431));
    assert_true(pb_splitmix64(&seed) == UINT64_C(16408922859458223821));
}

static void check_destinations(unsigned dims, const char *pattern, const uint32_t *expected)
{
    struct pb_traffic traffic = made(dims, pattern);
    assert_int_equal(traffic.count, 1u << dims);
    for (uint32_t i = 0; i < 1u << dims; i++) {
        assert_int_equal(traffic.message[i].source, i);
        assert_int_equal(traffic.message[i].destination, expected[i]);
        assert_int_equal(traffic.message[i].release_superframe, 0);
        assert_int_equal(traffic.message[i].release_phase, 0);
    }
    pb_traffic_free(&traffic);
}

TEST(named_patterns)
{
    check_destinations(3, "xor:5", (const uint32_t[]){5, 4, 7, 6, 1, 0, 3, 2});
    check_destinations(3, "xor:0x5", (const uint32_t[]){5, 4, 7, 6, 1, 0, 3, 2});
    check_destinations(3, "complement", (const uint32_t[]){7, 6, 5, 4, 3, 2, 1, 0});
    check_destinations(3, "bitrev", (const uint32_t[]){0, 4, 2, 6, 1, 5, 3, 7});
    check_destinations(3, "shuffle", (const uint32_t[]){0, 2, 4, 6, 1, 3, 5, 7});
    check_destinations(4, "transpose",
                       (const uint32_t[]){0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
    check_destinations(2, "hotspot:2", (const uint32_t[]){2, 2, 2, 2});
    check_destinations(1, "shuffle", (const uint32_t[]){0, 1});
}

/* perm and uniform written out once more, from their definitions. */
TEST(seeded_patterns)
{
    uint32_t expected[64];
    uint64_t random = 7;

    for (uint32_t i = 0; i < 64; i++)
        expected[i] = i;
    for (uint32_t i = 63; i >= 1; i--) {
        uint32_t j = (uint32_t)(pb_splitmix64(&random) % (i + 1)), kept = expected[i];
        expected[i] = expected[j];
        expected[j] = kept;
    }
    check_destinations(6, "perm:7", expected);

    random = 7;
    for (uint32_t i = 0; i < 64; i++)
        expected[i] = (uint32_t)(pb_splitmix64(&random) % 64);
    check_destinations(6, "uniform:7", expected);
}

TEST(permutations_are_permutations)
{
    for (unsigned dims = 1; dims <= 12; dims++) {
        struct pb_traffic traffic = made(dims, "perm:0xFFFFFFFFFFFFFFFF");
        unsigned char *reached = calloc(1, traffic.count);
        assert_non_null(reached);
        for (size_t i = 0; i < traffic.count; i++)
            reached[traffic.message[i].destination]++;
        for (size_t i = 0; i < traffic.count; i++)
            assert_int_equal(reached[i], 1);
        free(reached);
        pb_traffic_free(&traffic);
    }
}

TEST(total_exchange_is_every_pair)
{
    struct pb_traffic traffic = made(3, "total");
    size_t next = 0;

    assert_int_equal(traffic.count, 56);
    for (uint32_t source = 0; source < 8; source++) {
        for (uint32_t destination = 0; destination < 8; destination++) {
            if (source == destination)
                continue;
            assert_int_equal(traffic.message[next].source, source);
            assert_int_equal(traffic.message[next].destination, destination);
            next++;
        }
    }
    pb_traffic_free(&traffic);
}

TEST(wrong_patterns_are_refused)
{
    check_refused(12, "bogus", "bitrev");
    check_refused(12, "", "bitrev");
    check_refused(12, "file:x", "unknown");
    check_refused(12, "bitrevs", "unknown");
    check_refused(12, "xor", "xor:0x0");
    check_refused(12, "xor:", "xor");
    check_refused(12, "xor:0x1000", "0xFFF");
    check_refused(12, "xor:-1", "-1");
    check_refused(12, "xor: 1", "xor");
    check_refused(12, "hotspot:4096", "0xFFF");
    check_refused(12, "perm:18446744073709551616", "2^64");
    check_refused(12, "complement:3", "no value");
    check_refused(11, "transpose", "even");
    check_refused(11, "total", "10");
}

static int parse(struct pb_traffic *traffic, const char *text, struct pb_diag *diag)
{
    return pb_traffic_parse_text(traffic, CUBE(4), "list.txt", text, strlen(text), diag);
}

TEST(text_is_read)
{
    static const char text[] = "# from to\n\n1 2\r\n\t0xF   0x0a # the last two\n3 3";
    static const uint32_t expected[][2] = {{1, 2}, {15, 10}, {3, 3}};
    struct pb_traffic traffic;

    assert_succeeds(parse(&traffic, text, &diag));
    assert_int_equal(traffic.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(traffic.message[i].source, expected[i][0]);
        assert_int_equal(traffic.message[i].destination, expected[i][1]);
    }
    pb_traffic_free(&traffic);

    assert_succeeds(parse(&traffic, "# nothing\n", &diag));
    assert_int_equal(traffic.count, 0);
    pb_traffic_free(&traffic);
    assert_succeeds(pb_traffic_parse_text(&traffic, CUBE(4), "empty", NULL, 0, &diag));
    assert_int_equal(traffic.count, 0);
}

TEST(wrong_text_is_refused_with_its_line)
{
    static const struct {
        const char *text, *where, *word;
    } cases[] = {
        {"1\n", "list.txt:1:", "destination is missing"},
        {"1 2\n3\n", "list.txt:2:", "destination is missing"},
        {"1 2\n\n# x\n1 2 3\n", "list.txt:4:", "'3'"},
        {"1 16\n", "list.txt:1:", "0..15"},
        {"0x10 1\n", "list.txt:1:", "source '0x10'"},
        {"-1 1\n", "list.txt:1:", "source '-1'"},
        {"1 x\n", "list.txt:1:", "destination 'x'"},
        {"1 2\n1 \x80\n", "list.txt:2:", "0x80"},
        {"1 2\n\x7F"
         "ELF\n",
         "list.txt:2:", "binary"},
        {"1 99999999999999999999999999999999999999999999999999999999999999\n", "list.txt:1:", "999'"},
    };
    static const char with_nul[] = "1 2\n3\0 4\n";
    struct pb_traffic traffic;
    struct pb_diag diag;

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(parse(&traffic, cases[i].text, &diag), PB_ERR_CONFIG);
        assert_non_null(strstr(diag.text, cases[i].where));
        assert_non_null(strstr(diag.text, cases[i].word));
        assert_null(traffic.message);
    }
    assert_int_equal(pb_traffic_parse_text(&traffic, CUBE(4), "n", with_nul, sizeof with_nul - 1, &diag),
                     PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "n:2: byte 0x00"));
}

TEST(lists_grow)
{
    struct pb_traffic traffic = made(3, "bitrev");

    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(pb_traffic_add(&traffic, &(struct pb_message){i, i + 1, i, 2}), 0);
    assert_int_equal(traffic.count, 1008);
    assert_int_equal(traffic.message[1].destination, 4);
    assert_int_equal(traffic.message[1007].destination, 1000);
    assert_int_equal(traffic.message[1007].release_superframe, 999);
    pb_traffic_free(&traffic);
    assert_null(traffic.message);
    pb_traffic_free(&traffic);
    pb_traffic_free(NULL);
}

TEST(numbers)
{
    static const char *const wrong[] = {"",
                                        " 1",
                                        "1 ",
                                        "+1",
                                        "-1",
                                        "0x",
                                        "0xG",
                                        "1e3",
                                        "1.",
                                        "A",
                                        "18446744073709551616",
                                        "0x10000000000000000"};
    uint64_t value = 77;

    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(pb_parse_number(wrong[i], strlen(wrong[i]), &value));
    assert_int_equal(value, 77);
    assert_true(pb_parse_number("18446744073709551615", 20, &value));
    assert_true(value == UINT64_MAX);
    assert_true(pb_parse_number("0XfF", 4, &value));
    assert_int_equal(value, 255);
    assert_true(pb_parse_number("010", 3, &value));
    assert_int_equal(value, 10);
    assert_true(pb_parse_number("123", 2, &value));
    assert_int_equal(value, 12);
}

TEST(decimals)
{
    static const char *const wrong[] = {
        "", ".", "1.2.3", "-1", "1e3", "0x1", "1.2345", " 1", "18446744073709552"};
    uint64_t value = 77;

    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(pb_parse_decimal(wrong[i], strlen(wrong[i]), 3, &value));
    assert_int_equal(value, 77);
    assert_true(pb_parse_decimal("10000", 5, 3, &value));
    assert_int_equal(value, 10000000);
    assert_true(pb_parse_decimal("0.1", 3, 3, &value));
    assert_int_equal(value, 100);
    assert_true(pb_parse_decimal(".5", 2, 3, &value));
    assert_int_equal(value, 500);
    assert_true(pb_parse_decimal("7.", 2, 3, &value));
    assert_int_equal(value, 7000);
    assert_true(pb_parse_decimal("1.234000", 8, 3, &value));
    assert_int_equal(value, 1234);
    assert_true(pb_parse_decimal("18446744073709551.615", 21, 3, &value));
    assert_true(value == UINT64_MAX);
}
