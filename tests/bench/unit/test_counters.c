/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The answer to T, word by word: each counter of docs/node.md once, 1 to 8 hexadecimal digits.
 */
#include "host/check/counters.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

/* docs/node.md, "Counters" */
static const char *const keys[] = {
    "edges",        "superframes",       "alignment_errors", "missed_edges",       "extra_edges",
    "rx_frames",    "rx_crc_errors",     "rx_length_errors", "rx_mark_errors",     "rx_framing_errors",
    "rx_cut",       "rx_bad_destinations", "delivered",      "forwarded",          "own_messages",
    "tx_frames",    "tx_cut",            "late_starts",      "queue_drops",        "max_queue",
    "max_stored",   "console_lines",     "console_errors",
};

/* "+T" and every counter as 1A, except one key, which `in_place` follows (NULL: it is left out). */
static const char *answer_with(const char *key, const char *in_place)
{
    static char text[1024];
    size_t at = (size_t)snprintf(text, sizeof text, "+T");
    for (size_t i = 0; i < COUNT(keys); i++)
        if (strcmp(keys[i], key) != 0)
            at += (size_t)snprintf(text + at, sizeof text - at, " %s=1A", keys[i]);
        else if (in_place)
            at += (size_t)snprintf(text + at, sizeof text - at, " %s%s", key, in_place);
    return text;
}

static int64_t value_of(const char *answer, const char *key)
{
    int64_t counter[PB_COUNTERS];
    pb_counters_read(counter, answer);
    for (int i = 0; i < PB_COUNTERS; i++)
        if (!strcmp(pb_counter_key(i), key))
            return counter[i];
    return -2;
}

TEST(test_every_counter_of_the_page_is_owed)
{
    assert_int_equal(PB_COUNTERS, COUNT(keys));
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct pb_answer_flaw flaw[PB_COUNTERS_FLAWS];
        assert_int_equal(pb_counters_flaws(flaw, answer_with(keys[i], "=1a")), 0);
        assert_int_equal(value_of(answer_with(keys[i], "=1a"), keys[i]), 26);
        assert_int_equal(pb_counters_flaws(flaw, answer_with(keys[i], NULL)), 1);
        assert_non_null(strstr(flaw[0].expected, "every counter"));
        assert_non_null(strstr(flaw[0].seen, keys[i]));
        assert_int_equal(value_of(answer_with(keys[i], NULL), keys[i]), -1);
    }
}

TEST(test_a_number_is_well_formed)
{
    static const struct {
        const char *in_place, *seen; /* seen NULL: sound */
        int64_t value;
    } row[] = {
        {"=0", NULL, 0},
        {"=00000000", NULL, 0},
        {"=FFFFFFFF", NULL, 0xFFFFFFFF},
        {"=deadBEEF", NULL, 0xDEADBEEF},
        {"=2 delivery=ZZ", NULL, 2}, /* another key */
        {"=2 =", "=", 2},
        {"=000000000", "delivered=000000000", -1},
        {"=123456789", "delivered=123456789", -1},
        {"=ZZ", "delivered=ZZ", -1},
        {"=0x2", "delivered=0x2", -1},
        {"=-2", "delivered=-2", -1},
        {"=2,", "delivered=2,", -1},
        {"=\t2", "delivered=?2", -1},
        {"=", "without a value", -1},
        {"=2 delivered=2", "twice or more, first 2", -1},
        {"=2 delivered=3", "twice or more, first 2", -1},
        {"=2 delivered=", "twice or more, first 2", -1},
        {"=2 other", "other", 2}, /* no pair */
        {"=2 =3", "=3", 2},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_answer_flaw flaw[PB_COUNTERS_FLAWS];
        const char *answer = answer_with("delivered", row[i].in_place);
        assert_int_equal(pb_counters_flaws(flaw, answer), row[i].seen ? 1 : 0);
        assert_int_equal(value_of(answer, "delivered"), row[i].value);
        if (row[i].seen)
            assert_non_null(strstr(flaw[0].seen, row[i].seen));
    }
}

TEST(test_the_head_of_the_answer)
{
    static const struct {
        const char *answer;
        unsigned flaws; /* all 23 are missing: one */
    } row[] = {
        {"+T", 1}, {"-unknown", 2}, {"+Tedges=1", 2}, {" +T", 2}, {"+Z", 2}, {"+T edges=1", 1},
        {"+T edges=1 edges=1", 2},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_answer_flaw flaw[PB_COUNTERS_FLAWS];
        assert_int_equal(pb_counters_flaws(flaw, row[i].answer), row[i].flaws);
    }
}

TEST(test_what_a_node_says_stays_printable_and_short)
{
    char answer[600] = "+T edges=";
    struct pb_answer_flaw flaw[PB_COUNTERS_FLAWS];
    memset(answer + strlen(answer), '\033', 500);
    assert_int_equal(pb_counters_flaws(flaw, answer), 2);
    assert_null(strchr(flaw[0].seen, '\033'));
    assert_non_null(strstr(flaw[0].seen, "..."));
    assert_non_null(strstr(flaw[1].seen, "22 missing: superframes, alignment_errors"));
    assert_non_null(strstr(flaw[1].seen, ", ..."));
}
