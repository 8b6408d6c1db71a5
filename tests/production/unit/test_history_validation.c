/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Validations in a history, against the validations that they were made of, and yields by station.
 */
#include "phasebench/validation.h"
#include "tests/production/unit/history_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

static void release(void *validation)
{
    pb_validation_clear(validation);
    free(validation);
}

/* Three steps with two values; the limits of START are 0 to 1000 ps. */
static struct pb_validation *make(enum pb_step_state first, enum pb_step_state second, int64_t start_ps)
{
    struct pb_validation *validation = calloc(1, sizeof *validation);
    hand_over(validation, release);
    *validation = (struct pb_validation){
        .unit = "0042",
        .station = "bench-1",
        .scenario = "board",
        .rig = "ftdi:PB1",
        .profile = "full",
        .nodes = "0x1 +I node=x",
        .core = "12 links, 1 lanes, 48000000 Hz, map 0x1234abcd, icestick",
        .started_utc = "2026-11-24T03:21:18Z",
        .program = "1.2.3",
        .seed = UINT64_MAX,
        .limits = {.version = "2026-10", .crc32 = 0xDEADBEEF, .rule = PB_ACCEPT_SIMPLE},
        .step = {{.id = "bench", .state = first, .reason = "first reason"},
                 {.id = "slots", .state = second, .reason = "second reason"}},
        .steps = 1};
    validation->limits.limit[PB_ITEM_START] =
        (struct pb_limit){.given = true, .lower = 0, .upper = 1000};
    struct pb_item_value value = {.item = PB_ITEM_BENCH_DELAY, .n = 9, .value = 5, .mean = 5, .min = 1,
                                  .max = 7, .sd = 2, .u95 = 3, .name = "bench_delay"};
    assert_int_equal(pb_validation_add(validation, &value), PB_OK);
    validation->steps = 2;
    validation->step[1].first = 1;
    value = (struct pb_item_value){.item = PB_ITEM_START, .n = 40, .value = start_ps, .min = start_ps - 20,
                                   .mean = start_ps - 10, .max = start_ps, .sd = 4, .name = "start/link3"};
    assert_int_equal(pb_validation_add(validation, &value), PB_OK);
    value = (struct pb_item_value){.item = PB_ITEM_SEND_ERRORS, .n = 1000000, .value = 3, .min = 3, .mean = 3,
                                   .max = 3, .name = "send_errors/1 kHz"};
    assert_int_equal(pb_validation_add(validation, &value), PB_OK);
    return validation;
}

static void append(const char *path, const struct pb_validation *validation)
{
    struct pb_history *history;
    assert_succeeds(pb_history_open(&history, path, PB_HISTORY_APPEND, HISTORY_TEST_MS, &diag));
    const struct pb_history_labels labels = {.operator_name = "ann"};
    assert_succeeds(pb_history_append_validation(history, validation, &labels, &diag));
    pb_history_close(history);
}

static const struct pb_history_filter all = {.limit = 0};

static struct pb_history_run run_of(const struct pb_validation *validation)
{
    const char *path = history_new_path();
    size_t count;
    append(path, validation);
    const struct pb_history_run *run = history_runs_of(path, &all, &count);
    assert_int_equal(count, 1);
    return run[0];
}

TEST(a_validation_is_a_run_of_its_profile)
{
    const struct pb_history_run run = run_of(make(PB_STEP_PASS, PB_STEP_PASS, 500));
    assert_string_equal(run.scenario, "validate/full");
    assert_string_equal(run.unit, "0042");
    assert_string_equal(run.station, "bench-1");
    assert_string_equal(run.operator_name, "ann");
    assert_string_equal(run.rig, "ftdi:PB1");
    assert_string_equal(run.started_utc, "2026-11-24T03:21:18Z");
    assert_string_equal(run.program, "1.2.3");
    assert_string_equal(run.core, "12 links, 1 lanes, 48000000 Hz, map 0x1234abcd, icestick");
    assert_string_equal(run.map_hash, "0x1234abcd");
    assert_string_equal(run.environment,
                        "phasebench=1.2.3; core=12 links, 1 lanes, 48000000 Hz, map 0x1234abcd, "
                        "icestick; scenario=board");
    assert_string_equal(run.limits_version, "2026-10");
    assert_true(run.limits_crc32 == 0xDEADBEEF && run.seed == UINT64_MAX && run.findings == 0);
    assert_string_equal(run.node.identity, "0x1 +I node=x");
    assert_int_equal(run.attempt, 1);
    assert_string_equal(run.reason, "go: 2 steps");
}

TEST(a_decision_becomes_a_verdict_and_its_step_the_reason)
{
    static const struct {
        enum pb_step_state first, second;
        enum pb_verdict verdict;
        const char *reason;
    } table[] = {{PB_STEP_PASS, PB_STEP_PASS, PB_VERDICT_PASS, "go: 2 steps"},
                 {PB_STEP_PASS, PB_STEP_MARGINAL, PB_VERDICT_MARGINAL, "step slots: second reason"},
                 {PB_STEP_MARGINAL, PB_STEP_FAIL, PB_VERDICT_FAIL, "step slots: second reason"},
                 {PB_STEP_ERROR, PB_STEP_SKIPPED, PB_VERDICT_INCONCLUSIVE, "step bench: first reason"},
                 {PB_STEP_PASS, PB_STEP_ERROR, PB_VERDICT_INCONCLUSIVE, "step slots: second reason"}};
    for (unsigned i = 0; i < COUNT(table); i++) {
        const struct pb_history_run run = run_of(make(table[i].first, table[i].second, 500));
        assert_int_equal(run.verdict, table[i].verdict);
        assert_string_equal(run.reason, table[i].reason);
    }
    struct pb_validation *ended = make(PB_STEP_PASS, PB_STEP_SKIPPED, 500);
    snprintf(ended->incomplete, sizeof ended->incomplete, "interrupted");
    const struct pb_history_run run = run_of(ended);
    assert_int_equal(run.verdict, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(run.attempt, 0);
    assert_string_equal(run.reason, "interrupted");
    assert_string_equal(run.incomplete, "interrupted");
}

TEST(the_values_are_measurements)
{
    const char *path = history_new_path();
    size_t count;
    append(path, make(PB_STEP_PASS, PB_STEP_FAIL, 1200));
    struct pb_history_record record = {.run = *history_runs_of(path, &all, &count)};
    assert_int_equal(pb_history_read(history_opened(path, PB_HISTORY_READ), &record, NULL), PB_OK);
    assert_int_equal(record.figures, 3);
    const struct pb_history_figure *figure = record.figure;
    assert_string_equal(figure[0].id, "bench_delay");
    assert_true(figure[0].n == 9 && figure[0].min == 1 && figure[0].mean == 5 && figure[0].max == 7);
    assert_true(figure[0].sd == 2 && figure[0].u95 == 3 && figure[0].lower == PB_ABSENT);
    assert_string_equal(figure[0].judgement, pb_judgement_name(PB_NOT_JUDGED));
    assert_string_equal(figure[1].id, "start/link3");
    assert_string_equal(figure[1].unit, "ps");
    assert_true(figure[1].n == 40 && figure[1].lower == 0 && figure[1].upper == 1000);
    assert_true(figure[1].margin == -200 && figure[1].mean == 1190);
    assert_string_equal(figure[1].judgement, "fail");
    assert_string_equal(figure[2].id, "send_errors/1 kHz");
    assert_string_equal(figure[2].unit, "ppb");
    assert_true(figure[2].n == 1 && figure[2].mean == 3); /* one ratio of a million bits */
    assert_int_equal(record.findings, 1);
    assert_string_equal(record.finding[0].kind, "step/slots");
    assert_int_equal(record.finding[0].count, 1);
    assert_int_equal(record.run.findings, 1);
    pb_history_record_free(&record);
}

TEST(the_longest_name_of_a_value_is_kept)
{
    struct pb_validation *validation = make(PB_STEP_PASS, PB_STEP_PASS, 500);
    const char *path = history_new_path();
    size_t count;
    for (size_t i = 1; i < validation->values; i++) { /* unlike only in the last byte */
        memset(validation->value[i].name, 'x', sizeof validation->value[i].name);
        validation->value[i].name[sizeof validation->value[i].name - 2] = (char)('a' + i);
        validation->value[i].name[sizeof validation->value[i].name - 1] = '\0';
    }
    append(path, validation);
    struct pb_history_record record = {.run = *history_runs_of(path, &all, &count)};
    assert_int_equal(pb_history_read(history_opened(path, PB_HISTORY_READ), &record, NULL), PB_OK);
    for (size_t i = 1; i < record.figures; i++)
        assert_string_equal(record.figure[i].id, validation->value[i].name);
    pb_history_record_free(&record);
}

TEST(firmware_files_are_kept_of_a_validation)
{
    const struct pb_history_node image[] = {{.address = 1, .kind = "elf", .image_bytes = 7, .image_crc32 = 9},
                                            {.address = 2, .kind = "elf", .image_bytes = -1}};
    const struct pb_history_labels labels = {.unit = "7", .image = image, .images = COUNT(image)};
    const char *path = history_new_path();
    size_t count;
    assert_int_equal(pb_history_append_validation(history_opened(path, PB_HISTORY_APPEND),
                                                  make(PB_STEP_PASS, PB_STEP_PASS, 500), &labels, NULL),
                     PB_OK);
    const struct pb_history_run *run = history_runs_of(path, &all, &count);
    assert_string_equal(run->unit, "7");
    assert_true(run->node.image_bytes == 7 && run->node.image_crc32 == 9 && run->node.address == 1);
    assert_string_equal(run->node.identity, "0x1 +I node=x");
    assert_string_equal(history_sqlite(path, "SELECT count(*) FROM node"), "2");
}

TEST(first_pass_and_retest_are_those_of_a_profile)
{
    const char *path = history_new_path();
    size_t count;
    struct pb_validation *validation = make(PB_STEP_PASS, PB_STEP_FAIL, 1200);
    append(path, validation);
    snprintf(validation->started_utc, sizeof validation->started_utc, "2026-11-24T03:22:00Z");
    append(path, validation);
    snprintf(validation->profile, sizeof validation->profile, "quick");
    append(path, validation);
    const struct pb_history_run *run = history_runs_of(path, &all, &count);
    assert_int_equal(count, 3);
    assert_int_equal(run[0].attempt, 1);
    assert_int_equal(run[1].attempt, run[1].scenario[9] == 'f' ? 2 : 1);
    assert_int_equal(run[2].attempt, run[2].scenario[9] == 'f' ? 2 : 1);
    struct pb_history_cause *cause;
    assert_int_equal(
        pb_history_causes(history_opened(path, PB_HISTORY_READ), &all, &cause, &count, NULL), PB_OK);
    hand_over(cause, free);
    assert_int_equal(count, 1);
    assert_string_equal(cause->kind, "step/slots");
    assert_true(cause->runs == 3 && cause->count == 3);
}
