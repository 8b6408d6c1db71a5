/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What ended a node, as a recording keeps it: each kind, the longest texts, texts of any characters, and what
 * is no such note. */
#include "host/rig/node_state.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

static void assert_kept(const struct pb_node_trouble *trouble)
{
    char text[PB_RECORDING_NODE_TEXT];
    struct pb_node_trouble read;
    assert_int_equal(pb_trouble_write(text, trouble), PB_OK);
    assert_int_equal(pb_trouble_read(&read, text), PB_OK);
    assert_int_equal(read.kind, trouble->kind);
    assert_int_equal(read.clocked, trouble->clocked);
    assert_int_equal(read.superframe, trouble->superframe);
    assert_int_equal(read.phase, trouble->phase);
    assert_int_equal(read.in_phase_ps, trouble->in_phase_ps);
    assert_int_equal(read.edge_ps, trouble->edge_ps);
    assert_int_equal(read.first_ps, trouble->first_ps);
    assert_string_equal(read.name, trouble->name);
    assert_string_equal(read.text, trouble->text);
    assert_string_equal(read.output, trouble->output);
    assert_string_equal(read.document, trouble->document);
}

static void fill(char *text, size_t size, const char *with)
{
    const size_t step = strlen(with);
    *text = '\0';
    for (size_t at = 0; at + step < size; at += step)
        snprintf(text + at, size - at, "%s", with);
}

TEST(test_each_kind_is_kept)
{
    for (int kind = PB_TROUBLE_DIED; kind <= PB_TROUBLE_GAP; kind++) {
        struct pb_node_trouble trouble = {.kind = (enum pb_trouble_kind)kind,
                                          .name = "node.elf",
                                          .clocked = kind % 2,
                                          .superframe = UINT32_MAX,
                                          .phase = 63,
                                          .in_phase_ps = INT64_C(123456789012),
                                          .edge_ps = INT64_MAX,
                                          .first_ps = -1,
                                          .text = "exited with code 3",
                                          .document = "docs/reference/rp2040.md"};
        assert_kept(&trouble);
    }
}

/* Each character of the longest takes six in JSON. */
TEST(test_the_longest_texts_are_kept)
{
    static const char *const with[] = {"\x01", "\"", "\\", "\n", "ab", "\xC3\xA9", "\xF0\x9F\x94\xA7"};
    for (size_t i = 0; i < COUNT(with); i++) {
        struct pb_node_trouble trouble = {.kind = PB_TROUBLE_DIED};
        fill(trouble.name, sizeof trouble.name, with[i]);
        fill(trouble.text, sizeof trouble.text, with[i]);
        fill(trouble.output, sizeof trouble.output, with[i]);
        fill(trouble.document, sizeof trouble.document, with[i]);
        assert_kept(&trouble);
    }
}

TEST(test_none_is_no_text)
{
    char text[PB_RECORDING_NODE_TEXT] = "x";
    struct pb_node_trouble trouble = {.kind = PB_TROUBLE_NONE}, read = {.kind = PB_TROUBLE_HUNG};
    assert_int_equal(pb_trouble_write(text, &trouble), PB_OK);
    assert_string_equal(text, "");
    assert_int_equal(pb_trouble_read(&read, text), PB_OK);
    assert_int_equal(read.kind, PB_TROUBLE_NONE);
}

TEST(test_other_texts_are_damage)
{
    static const char *const text[] = {
        "{", "[]", "{}", "null", "{\"kind\":\"died\"}",
        "{\"kind\":\"slept\",\"name\":\"\",\"clocked\":true,\"superframe\":0,\"phase\":0,\"in_phase_ps\":0,"
        "\"edge_ps\":0,\"first_ps\":0,\"text\":\"\",\"output\":\"\",\"document\":\"\"}",
        "{\"kind\":\"died\",\"name\":1,\"clocked\":true,\"superframe\":0,\"phase\":0,\"in_phase_ps\":0,"
        "\"edge_ps\":0,\"first_ps\":0,\"text\":\"\",\"output\":\"\",\"document\":\"\"}"};
    for (size_t i = 0; i < COUNT(text); i++) {
        struct pb_node_trouble read;
        assert_int_equal(pb_trouble_read(&read, text[i]), PB_ERR_CONFIG);
        assert_int_equal(read.kind, PB_TROUBLE_NONE);
    }
}
