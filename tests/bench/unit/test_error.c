/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Error codes and diagnostics.
 */
#include "phasebench/error.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

TEST(test_codes)
{
    assert_string_equal(pb_error_text(PB_OK), "success");
    assert_string_equal(pb_error_text(PB_ERR_CONFIG), "bad scenario or configuration");
    assert_string_equal(pb_error_text(1), "unknown error");
    assert_int_equal(pb_error_exit_code(PB_OK), 0);
    assert_int_equal(pb_error_exit_code(PB_ERR_ARGUMENT), 2);
    assert_int_equal(pb_error_exit_code(PB_ERR_CONFIG), 3);
    assert_int_equal(pb_error_exit_code(PB_ERR_LINK), 4);
    assert_int_equal(pb_error_exit_code(PB_ERR_NODE), 1);
    assert_int_equal(pb_error_exit_code(PB_ERR_TIMEOUT), 124);
    assert_int_equal(pb_error_exit_code(PB_ERR_INTERRUPTED), 130);
    assert_int_equal(pb_error_exit_code(-1000), 4);

    /* The others blame the bench, except a recording that ends too early, which leaves all open. */
    static const int bench[] = {PB_ERR_MEMORY, PB_ERR_IO, PB_ERR_LINK, PB_ERR_MAP, PB_ERR_UNSUPPORTED};
    for (size_t i = 0; i < sizeof bench / sizeof bench[0]; i++)
        assert_int_equal(pb_error_exit_code(bench[i]), 4);
    assert_int_equal(pb_error_exit_code(PB_ERR_ENDED), 5);

    /* No two codes read alike. */
    for (int code = PB_ERR_ENDED; code <= PB_OK; code++) {
        assert_string_not_equal(pb_error_text(code), "unknown error");
        for (int other = PB_ERR_ENDED; other < code; other++)
            assert_string_not_equal(pb_error_text(code), pb_error_text(other));
    }
}

TEST(test_sentence)
{
    struct pb_diag diag;
    assert_int_equal(pb_fail(&diag, PB_ERR_IO, "%s is %d", "x", 7), PB_ERR_IO);
    assert_string_equal(diag.text, "x is 7");
    assert_int_equal(pb_fail(NULL, PB_ERR_IO, "%s", "x"), PB_ERR_IO);
}

TEST(test_sentence_is_one_line)
{
    struct pb_diag diag;
    pb_fail(&diag, PB_ERR_IO, "'%s'", "a\nb\r\033[2J\177c \303\274");
    assert_string_equal(diag.text, "'a b \357\277\275[2J\357\277\275c \303\274'");
}

TEST(test_long_sentence_is_cut)
{
    struct pb_diag diag;
    char text[1000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    pb_fail(&diag, PB_ERR_IO, "%s", text);
    assert_int_equal(strlen(diag.text), sizeof diag.text - 1);
}

TEST(test_long_path_is_cut_in_its_middle)
{
    struct pb_diag diag;
    for (size_t length = 250; length < 4096; length += 13) {
        char path[4096];
        memset(path, length % 2 ? 'd' : '\303', length);
        for (size_t i = 1; !(length % 2) && i < length; i += 2)
            path[i] = '\251'; /* of two bytes each */
        strcpy(path + length - 12, "/board.yaml");
        pb_fail(&diag, PB_ERR_CONFIG, "%s:17: nodes[0].address: is 9; 0 to 7 are possible", path);
        const char *end = strstr(diag.text, "/board.yaml:17: nodes[0].address: is 9; 0 to 7 are possible");
        assert_non_null(end);
        assert_int_equal(strlen(end), strlen("/board.yaml:17: nodes[0].address: is 9; 0 to 7 are possible"));
        assert_true(strlen(diag.text) < sizeof diag.text && strlen(diag.text) > 250);
        assert_int_equal(strstr(diag.text, "...") != NULL, length + 49 >= sizeof diag.text);
        assert_null(strstr(diag.text, "\357\277\275")); /* no character was cut */
    }
}

TEST(test_long_list_is_cut_between_words)
{
    struct pb_diag diag;
    char text[1000] = "";
    for (size_t i = 0; i < 150; i++)
        strcat(text, "words ");
    pb_fail(&diag, PB_ERR_IO, "%s", text);
    assert_true(strlen(diag.text) < sizeof diag.text);
    assert_string_equal(diag.text + strlen(diag.text) - 16, "ords words words ..." + 4);
}
