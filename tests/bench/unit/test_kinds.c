/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of node: every key of every kind is taken or refused as the table says, its limits are those of
 * its model, and the documents list it.
 *
 * evidence: kinds of node
 *   each key, codec, rule, baud rate and defect of each kind is accepted or refused as its entry defines
 */
#include "bench/registry/makers.h"
#include "phasebench/error.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

/* A valid value of each key, with what else the key needs. */
static const char *const value[PB_NODE_KEYS] = {
    [PB_NODE_KEY_DEFECT] = "defect: late_start",
    [PB_NODE_KEY_DEFECT_AMOUNT] = "defect_amount: 1 us, defect: late_start",
    [PB_NODE_KEY_DEFECT_FROM] = "defect_from: 1, defect: late_start",
    [PB_NODE_KEY_DEFECT_EVERY] = "defect_every: 2, defect: late_start",
    [PB_NODE_KEY_DEFECT_PORT] = "defect_port: 1, defect: late_start",
    [PB_NODE_KEY_DEFECT_AFTER] = "defect_after: sync, defect: late_start",
    [PB_NODE_KEY_FREEDOM] = "freedom: resends_first",
    [PB_NODE_KEY_CLOCK_ERROR] = "clock_error: 1 ppm",
    [PB_NODE_KEY_IRQ_LATENCY] = "irq_latency: 1 us",
    [PB_NODE_KEY_IRQ_JITTER] = "irq_jitter: 1 us",
    [PB_NODE_KEY_ANSWER_LIMIT] = "answer_limit: 1 s",
    [PB_NODE_KEY_FOLDER] = "folder: /",
    [PB_NODE_KEY_ROOM] = "room: 64",
    [PB_NODE_KEY_FLASH_MISS] = "flash_miss: 20",
};

static int read(const char *link, const char *kind, const char *key, struct pb_diag *diag)
{
    struct pb_scenario *scenario;
    char yaml[400];
    const int length =
        snprintf(yaml, sizeof yaml, "%snodes: [{address: 1, kind: %s%s%s%s}]\ntraffic: [{from: 1, to: 2}]\n",
                 link, kind, pb_node_kind_of(kind)->argument ? ":x" : "", *key ? ", " : "", key);
    const int code = pb_scenario_parse(&scenario, "t.yaml", yaml, (size_t)length, diag);
    pb_scenario_free(scenario);
    return code;
}

TEST(a_kind_takes_its_keys_and_refuses_all_others)
{
    unsigned count, refused = 0, taken = 0;
    const struct pb_node_kind *kind = pb_node_kinds(&count);
    assert_true(count >= 4);
    for (unsigned k = 0; k < count; k++)
        for (unsigned key = 0; key < PB_NODE_KEYS; key++) {
            struct pb_diag diag = {""};
            const int code = read("", kind[k].name, value[key], &diag);
            const bool takes = kind[k].keys >> key & 1;
            if ((code == PB_OK) != takes)
                fail_msg("kind %s, %s: %s", kind[k].name, value[key], diag.text);
            taken += takes;
            refused += !takes;
            if (takes)
                continue;
            /* The diagnostic names a kind that takes the key, if any does. */
            assert_int_equal(code, PB_ERR_CONFIG);
            assert_non_null(strstr(diag.text, "does not take it; remove the key or use kind "));
            assert_non_null(strstr(diag.text, key == PB_NODE_KEY_FLASH_MISS     ? "elf"
                                              : key >= PB_NODE_KEY_ANSWER_LIMIT ? "exec"
                                                                                : "contract"));
        }
    /* docs/reference/scenario.md: firmware has none of the keys from defect_from to freedom, logic no
     * interrupts either, a process no defect; a process alone has an answer_limit; a process and an image
     * have a folder; only what is not part of phasebench has a room, a board nothing else; an image alone has
     * flash_miss. */
    assert_int_equal(taken, 5 + 3 + 10 + 6 + 6 + 4 + 1);
    assert_int_equal(refused, 9 + 11 + 4 + 8 + 8 + 10 + 13);
}

/* A model refuses by itself what is beyond the limits of its kind, and takes what is within. */
TEST(the_limits_of_a_kind_are_those_of_its_model)
{
    static const enum pb_node_codec node_codec[] = {[PB_CODEC_SLOT] = PB_NODE_CODEC_SLOT,
                                                    [PB_CODEC_STARC] = PB_NODE_CODEC_STARC,
                                                    [PB_CODEC_BARE] = PB_NODE_CODEC_BARE};
    unsigned count;
    const struct pb_node_kind *kind = pb_node_kinds(&count);
    const struct pb_node_setting sound = {.defect = "none"};
    for (unsigned k = 0; k < count; k++) {
        if (!kind[k].model || kind[k].argument) /* a process has its own: test_process_node */
            continue;
        for (unsigned codec = 0; codec < 3; codec++)
            for (unsigned rule = 0; rule < 2; rule++)
                for (unsigned rate = 0; rate < 6; rate++) {
                    struct pb_node_config config = {
                        .address = 1,
                        PB_NODE_CUBE(3),
                        .codec = node_codec[codec],
                        .rule = rule ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE,
                        .payload_bytes = 4,
                        .phase_rate_mhz = 10000000,
                        .baud_hz = 1000000,
                        .console_baud_hz = 460800,
                        .head_guard_ps = 5000000,
                        .tail_guard_ps = 5000000,
                        .seed = 1,
                    };
                    if (rate == 1 || rate == 2)
                        config.baud_hz = (uint32_t)kind[k].link.most_hz + (rate == 2);
                    if (rate == 3 || rate == 4)
                        config.console_baud_hz = (uint32_t)kind[k].console.most_hz + (rate == 4);
                    if (rate == 5)
                        config.radix[0] = 3;
                    const bool fits = (kind[k].codecs >> codec & 1) &&
                                      (kind[k].rules >> (rule ? PB_RULE_OPPORTUNISTIC : PB_RULE_ECUBE) & 1) &&
                                      rate != 2 && rate != 4 && (rate != 5 || kind[k].any_radix);
                    struct pb_node *node = NULL;
                    struct pb_diag diag = {""};
                    const int code = pb_node_make(&node, &kind[k], &config, &sound, &diag);
                    if ((code == PB_OK) != fits)
                        fail_msg("kind %s, codec %u, rule %u, rates %u: %s", kind[k].name, codec, rule, rate,
                                 diag.text);
                    assert_int_equal(code, fits ? PB_OK : PB_ERR_CONFIG);
                    if (fits)
                        pb_node_destroy(node);
                }
    }
}

/* Every defect of every kind can be asked for, and its model is made with it. */
TEST(every_defect_of_a_kind_can_be_made)
{
    unsigned count;
    const struct pb_node_kind *kind = pb_node_kinds(&count);
    const struct pb_node_config config = {.address = 1,
                                          PB_NODE_CUBE(3),
                                          .payload_bytes = 4,
                                          .phase_rate_mhz = 10000000,
                                          .baud_hz = 1000000,
                                          .console_baud_hz = 460800,
                                          .head_guard_ps = 5000000,
                                          .tail_guard_ps = 5000000};
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < kind[k].defects; i++) {
            const struct pb_defect_info *info = &kind[k].defect[i];
            char key[100];
            struct pb_diag diag = {""};
            const bool spare = info->needs & PB_NEEDS_SPARE_LINK;
            snprintf(key, sizeof key, "defect: %s", info->name);
            if (read(spare ? "cube: {dims: 3}\n" : "", kind[k].name, key, &diag))
                fail_msg("kind %s: %s", kind[k].name, diag.text);
            struct pb_node *node = NULL;
            const struct pb_node_setting setting = {.defect = info->name};
            if (pb_node_make(&node, &kind[k], &config, &setting, &diag))
                fail_msg("kind %s, %s: %s", kind[k].name, info->name, diag.text);
            pb_node_destroy(node);
        }
}

TEST(the_documents_list_the_kinds)
{
    unsigned count;
    const struct pb_node_kind *kind = pb_node_kinds(&count);
    const char *const text = file_read("docs/reference/scenario.md", NULL);
    static const char *const key[] = {
#define KEY(id, name) #name,
        PB_NODE_KEY_LIST(KEY)
#undef KEY
    };
    for (unsigned k = 0; k < count; k++) {
        char row[1000], room[64], keys[200] = "", codecs[64] = "", rules[64] = "";
        for (unsigned i = 0; i < PB_NODE_KEYS; i++)
            if (kind[k].keys >> i & 1)
                snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s`%s`", *keys ? ", " : "",
                         key[i]);
        for (unsigned i = 0; i < 2; i++) {
            if (kind[k].codecs >> i & 1)
                snprintf(codecs + strlen(codecs), sizeof codecs - strlen(codecs), "%s`%s`",
                         *codecs ? ", " : "", pb_codec_name((enum pb_codec)i));
            if (kind[k].rules >> i & 1)
                snprintf(rules + strlen(rules), sizeof rules - strlen(rules), "%s`%s`", *rules ? ", " : "",
                         pb_rule_name((enum pb_rule)i));
        }
        if (kind[k].room)
            snprintf(room, sizeof room, "%u in all", kind[k].room);
        else
            snprintf(room, sizeof room, "%u for each dimension", kind[k].room_per_dimension);
        snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s | %s, %s | %lld, %lld | %s |\n", kind[k].name,
                 kind[k].text, *keys ? keys : "none", kind[k].any_radix ? "`cube`, `generalised`" : "`cube`",
                 codecs, rules, (long long)kind[k].link.most_hz, (long long)kind[k].console.most_hz, room);
        if (!strstr(text, row))
            fail_msg("docs/reference/scenario.md does not have the row%s", row);
    }
    for (unsigned i = 0; i < PB_PIN_DEFECTS; i++) {
        char row[200];
        snprintf(row, sizeof row, "\n| `%s` | %s", pb_pin_defects[i].name, pb_pin_defects[i].text);
        if (!strstr(text, row))
            fail_msg("docs/reference/scenario.md does not have the row%s", row);
    }
}
