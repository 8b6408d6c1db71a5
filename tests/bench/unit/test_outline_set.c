/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A scenario with settings equals one in which the same values are written.
 */
#include "host/scenario/outline_set.h"
#include "phasebench/scenario.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

static const char *const base = "name: x\ncube: {dims: 3}\nsuperframes: 2\nlink:\n  baud: 500 kbaud\nnodes:\n"
                                "  - {address: 5}\n  - {address: 1, clock_error: 3 ppm}\ntraffic:\n"
                                "  - {pattern: complement}\n";

static struct pb_scenario *with(const char *place, const char *value, struct pb_diag *diag)
{
    struct pb_scenario_texts texts = {0};
    struct pb_scenario *scenario = NULL;
    const struct pb_scenario_setting setting = {place, value};
    assert_int_equal(pb_scenario_texts_add(&texts, "x.yaml", base, strlen(base)), PB_OK);
    const int code = pb_scenario_parse_settings(&scenario, &texts, &setting, place ? 1 : 0, diag);
    assert_true(code ? !scenario : scenario != NULL);
    pb_scenario_texts_free(&texts);
    return scenario;
}

TEST(values)
{
    struct pb_diag diag;
    struct pb_scenario *plain = with(NULL, NULL, &diag), *baud = with("link.baud", "1 Mbaud", &diag),
                       *added = with("link.phase_rate", "5 kHz", &diag),
                       *item = with("nodes[1].clock_error", "-7 ppm", &diag),
                       *section = with("limits.start_late", "2 us", &diag);
    assert_int_equal(plain->baud_hz, 500000);
    assert_int_equal(baud->baud_hz, 1000000);
    assert_int_equal(baud->phase_rate_mhz, plain->phase_rate_mhz);
    assert_int_equal(added->phase_rate_mhz, 5000000);
    assert_int_equal(added->baud_hz, 500000);
    assert_true(item->node[1].clock_error_ppm == -7 && item->node[0].clock_error_ppm == 0);
    assert_non_null(section);
    pb_scenario_free(plain);
    pb_scenario_free(baud);
    pb_scenario_free(added);
    pb_scenario_free(item);
    pb_scenario_free(section);
}

/* The same values, written in place of those of the file. */
TEST(lists_and_mappings)
{
    static const char *const written =
        "name: x\ncube: {dims: 3}\nsuperframes: 2\nlink: {payload: 1 byte}\nnodes:\n"
        "  - {address: 5}\n  - {address: 1, clock_error: 3 ppm}\ntraffic:\n"
        "  - {from: 5, to: 2, superframe: 1}\n  - {from: 1, to: 3}\n";
    struct pb_scenario_texts texts = {0};
    const struct pb_scenario_setting setting[] = {
        {"traffic", "[{from: 5, to: 2, superframe: 1}, {from: 1, to: 3}]"},
        {"link", "{payload: 1 byte}"},
        {"faults", "[]"},
        {"traffic[1].phase", "1"},
    };
    struct pb_scenario *set, *plain;
    assert_int_equal(pb_scenario_texts_add(&texts, "x.yaml", base, strlen(base)), PB_OK);
    assert_succeeds(pb_scenario_parse(&plain, "x.yaml", written, strlen(written), &diag));
    assert_succeeds(pb_scenario_parse_settings(&set, &texts, setting, COUNT(setting), &diag));
    assert_int_equal(set->traffic.count, plain->traffic.count);
    for (size_t i = 0; i < plain->traffic.count; i++) {
        const struct pb_message *message = &set->traffic.message[i], *expected = &plain->traffic.message[i];
        assert_int_equal(message->source, expected->source);
        assert_int_equal(message->destination, expected->destination);
        assert_int_equal(message->release_superframe, expected->release_superframe);
    }
    assert_int_equal(set->traffic.message[1].release_phase, 1);
    assert_int_equal(set->baud_hz, plain->baud_hz);
    assert_int_equal(set->payload_bytes, 1);
    assert_int_equal(set->node[1].clock_error_ppm, 3);
    pb_scenario_free(set);
    pb_scenario_free(plain);
    pb_scenario_texts_free(&texts);
}

TEST(refusals)
{
    const struct {
        const char *place, *word;
    } wrong[] = {
        {"", "is no place"},
        {".", "is no place"},
        {"link.", "is no place"},
        {"link..baud", "is no place"},
        {"nodes[x].address", "is no place"},
        {"nodes[1", "is no place"},
        {"nodes[]", "is no place"},
        {"nodes[9].address", "no such item"},
        {"nodes[18446744073709551616].address", "no such item"},
        {"cube[0]", "no such item"},
        {"link.baud.rate", "a value has no keys"},
        {"link", "a list or a mapping"},
        {"nodes", "a list or a mapping"},
        {"nodes[0]", "a list or a mapping"},
        {"link.bauds", "unknown key 'bauds'"},
        {"link.baud", "baud"},
    };
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        struct pb_diag diag = {""};
        assert_null(with(wrong[i].place, "apples", &diag));
        if (!strstr(diag.text, wrong[i].word) || strchr(diag.text, '\n'))
            fail_msg("%s: %s", wrong[i].place, diag.text);
    }
}

TEST(written)
{
    struct pb_scenario_texts texts = {0};
    char value[12];
    assert_int_equal(pb_scenario_texts_add(&texts, "x.yaml", base, strlen(base)), PB_OK);
    assert_true(pb_scenario_written(&texts, "link.baud", value, sizeof value));
    assert_string_equal(value, "500 kbaud");
    assert_true(pb_scenario_written(&texts, "nodes[1].clock_error", value, sizeof value));
    assert_string_equal(value, "3 ppm");
    assert_false(pb_scenario_written(&texts, "nodes[0].clock_error", value, sizeof value));
    assert_false(pb_scenario_written(&texts, "link", value, sizeof value));
    assert_false(pb_scenario_written(&texts, "link.baud", value, 9));
    assert_true(pb_scenario_written(&texts, "link.baud", value, 10));
    pb_scenario_texts_free(&texts);
}
