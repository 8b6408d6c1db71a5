/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text from outside, in errors and in every form of a result: no control character, no mark that turns text
 * around, no broken UTF-8, and never a second line. What is forbidden is written here from Unicode (general
 * category Cc, Zl, Zp; property Bidi_Control); the C library's iconv decodes.
 */
#include "host/base/utf8.h"
#include "tests/bench/unit/report_fixture.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_forbidden(uint32_t code)
{
    static const uint32_t range[][2] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},
                                        {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};
    for (size_t i = 0; i < COUNT(range); i++)
        if (code >= range[i][0] && code <= range[i][1])
            return true;
    return false;
}

/* Lines of a clean text; -1: it is not clean. */
static int lines_of(const char *text)
{
    const size_t size = strlen(text);
    uint32_t *code = malloc(4 * size + 4);
    char *in = (char *)text, *out = (char *)code; /* iconv writes to neither */
    size_t in_left = size, out_left = 4 * size + 4;
    iconv_t decoder = iconv_open("UTF-32LE", "UTF-8");
    int lines = iconv(decoder, &in, &in_left, &out, &out_left) == 0 ? 0 : -1;
    const size_t count = size + 1 - out_left / 4;
    iconv_close(decoder);
    for (size_t i = 0; lines >= 0 && i < count; i++) {
        if (code[i] == '\n')
            lines++;
        else if (is_forbidden(code[i]))
            lines = -1;
    }
    free(code);
    return lines;
}

/* Bytes at random, many of them parts of what is forbidden. */
static void make_text(char *text, size_t length)
{
    static const char *const part[] = {
        "\n",           "\r",           "\t",       "\033[2J",      "\177",     "\302\233",
        "\342\200\256", "\342\201\246", "\330\234", "\342\200\250", "\303\274", "\360\237\230\200",
        "\355\240\200", "\300\212",     "a"};
    size_t at = 0;
    while (at < length) {
        const char *piece = part[below(COUNT(part))];
        if (below(2) || strlen(piece) > length - at)
            text[at++] = (char)(1 + below(255));
        else
            for (; *piece; piece++)
                text[at++] = *piece;
    }
    text[length] = '\0';
}

TEST(any_text_becomes_one_clean_line)
{
    for (unsigned i = 0; i < 20000; i++) {
        char text[200], clean[200];
        struct pb_diag diag;
        make_text(text, 1 + below(sizeof text - 1));
        pb_utf8_clean(clean, 1 + below(sizeof clean - 1), text);
        assert_int_equal(lines_of(clean), 0);
        pb_fail(&diag, PB_ERR_IO, "%s: %s", text, text);
        assert_int_equal(lines_of(diag.text), 0);
    }
}

TEST(what_is_forbidden_is_replaced)
{
    for (uint32_t code = 1; code < 0x3000; code++) {
        char text[5] = "", clean[8];
        pb_utf8_put(text, code);
        pb_utf8_clean(clean, sizeof clean, text);
        if (code == '\t' || code == '\n' || code == '\r')
            assert_string_equal(clean, " ");
        else if (is_forbidden(code))
            assert_string_equal(clean, "\357\277\275");
        else
            assert_string_equal(clean, text);
    }
}

static void set_texts(struct pb_result *result, const char *text)
{
    char *const field[] = {result->scenario, result->scenario_path, result->rig,         result->nodes,
                           result->command,  result->codec,         result->started_utc, result->reason,
                           result->bound,    result->incomplete,    result->trace_path,
                           result->steps_path};
    const size_t size[] = {sizeof result->scenario,    sizeof result->scenario_path, sizeof result->rig,
                           sizeof result->nodes,       sizeof result->command,       sizeof result->codec,
                           sizeof result->started_utc, sizeof result->reason,        sizeof result->bound,
                           sizeof result->incomplete,  sizeof result->trace_path,
                           sizeof result->steps_path};
    for (size_t i = 0; i < COUNT(field); i++)
        snprintf(field[i], size[i], "%s", text);
    snprintf(result->capture, sizeof result->capture, "bytes"); /* shows the reason */
    snprintf(result->capture_reason, sizeof result->capture_reason, "%s", text);
    snprintf(result->environment, sizeof result->environment, "%.40s=%s", text, text);
    for (unsigned i = 0; i < result->hypotheses; i++) {
        struct pb_hypothesis *hypothesis = &result->hypothesis[i];
        snprintf(hypothesis->name, sizeof hypothesis->name, "%s", text);
        snprintf(hypothesis->condition, sizeof hypothesis->condition, "%s", text);
        snprintf(hypothesis->detail, sizeof hypothesis->detail, "%s", text);
    }
    for (size_t i = 0; i < result->findings; i++) {
        snprintf(result->finding[i].expected, sizeof result->finding[i].expected, "%s", text);
        snprintf(result->finding[i].seen, sizeof result->finding[i].seen, "%s", text);
    }
}

/* The same number of lines as with a plain text of the same width. */
TEST(a_text_without_room_ends_behind_a_word)
{
    static const struct {
        size_t size;
        const char *text, *wanted;
    } row[] = {
        {24, "nothing to send here", "nothing to send here"},
        {21, "nothing to send here", "nothing to send here"},
        {20, "nothing to send here", "nothing to send ..."},
        {19, "nothing to send here", "nothing to ..."},
        {19, "nothing, to, send, here", "nothing, to ..."},
        {12, "abcdefghijklmnop", "abcdefg ..."},
        {12, "abcdef\303\274\303\274\303\274", "abcdef ..."},
        {12, "a bcdefghijklmnop", "a bcdef ..."},
        {8, "abcdefghijklmnop", "abc ..."},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char out[32];
        pb_utf8_shorten(out, row[i].size, "%s", row[i].text);
        assert_string_equal(out, row[i].wanted);
    }
}

TEST(no_form_lets_it_pass)
{
    static const char forged[] = "x\npass  forged\r\nok 2 - forged\n\033[2J\302\2331m\342\200\256\177\377",
                      plain[] = "x pass  forged  ok 2 - forged .[2J.1m...";
    for (size_t f = 0; f < FIXTURES; f++)
        for (enum form form = TEXT; form < FORMS; form++) {
            struct pb_result *result = fixture_make[f]();
            set_texts(result, plain);
            char *expected = fixture_rendered(form, result);
            set_texts(result, forged);
            char *seen = fixture_rendered(form, result);
            assert_true(lines_of(seen) >= 3);
            assert_null(strstr(seen, "\npass  forged"));
            assert_null(strstr(seen, "\nok 2 - forged"));
            if (form != TEXT) /* which wraps lines */
                assert_int_equal(lines_of(seen), lines_of(expected));
        }
}
