/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "validation_fixture.h"

#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

#define SET(field, ...) snprintf(field, sizeof(field), __VA_ARGS__)

static void release(void *thing)
{
    struct pb_validation *validation = thing;
    pb_validation_clear(validation);
    free(validation);
}

static void limit(struct pb_validation *validation, enum pb_item item, int64_t lower, int64_t upper,
                  int64_t band)
{
    struct pb_limit *limit = &validation->limits.limit[item];
    *limit = (struct pb_limit){true, lower, upper, band, ""};
    SET(limit->rationale, "the reason of %s", pb_item_id((int)item));
}

static struct pb_validation *begin(void)
{
    struct pb_validation *validation = calloc(1, sizeof *validation);
    assert_non_null(validation);
    hand_over(validation, release);
    SET(validation->unit, "A17-0042");
    SET(validation->station, "bench 3");
    SET(validation->operator_name, "J. Doe");
    SET(validation->scenario, "node 0x2A3 of a 12-cube");
    SET(validation->scenario_path, "host/scenarios/machine-16.yaml");
    SET(validation->rig, "ftdi:PB0001");
    SET(validation->profile, "quick");
    SET(validation->command, "phasebench validate machine-16 --rig ftdi:PB0001 --profile quick --seed "
                             "18446744073709551615");
    SET(validation->nodes, "0x2A3 native fw=1");
    SET(validation->core, "icebreaker, 24 MHz, 12 links, map 1f2e3d4c");
    SET(validation->started_utc, "2026-01-15T09:30:00Z");
    SET(validation->program, "0.1.0");
    SET(validation->limits_path, "host/production/limits/default.yaml");
    SET(validation->limits.title, "Limits of the tests");
    SET(validation->limits.version, "7");
    validation->seed = UINT64_MAX;
    validation->limits.crc32 = 0x0BADCAFE;
    validation->limits.rule = PB_ACCEPT_NON_BINARY;
    validation->wall_ns = 12345678901;
    limit(validation, PB_ITEM_BENCH_DELAY, -83400, 83400, 0);
    limit(validation, PB_ITEM_LINE_LOW, PB_ABSENT, 0, 0);
    limit(validation, PB_ITEM_LINE_RISE, PB_ABSENT, 319531, 69531);
    limit(validation, PB_ITEM_BIT_TIME, -25000000, 25000000, 5000000);
    limit(validation, PB_ITEM_TOLERANCE_FAST, 15000, PB_ABSENT, 10000);
    limit(validation, PB_ITEM_LATENCY, PB_ABSENT, 24, 0);
    return validation;
}

static struct pb_step *step(struct pb_validation *validation, const char *id, const char *purpose,
                            enum pb_step_state state, const char *reason)
{
    struct pb_step *step = &validation->step[validation->steps++];
    *step = (struct pb_step){.state = state, .wall_ns = 1250000000, .first = validation->values};
    SET(step->id, "%s", id);
    SET(step->purpose, "%s", purpose);
    SET(step->reason, "%s", reason);
    return step;
}

static struct pb_item_value *add(struct pb_validation *validation, enum pb_item item, int link, int64_t value,
                                 int64_t u95)
{
    struct pb_item_value one = {.item = item, .node = 0, .link = link, .port = link, .n = 96, .value = value,
                                .min = value, .mean = value, .max = value, .u95 = u95};
    if (link < 0)
        SET(one.name, "%s", pb_item_id((int)item));
    else
        SET(one.name, "%s/link%d", pb_item_id((int)item), link);
    assert_int_equal(pb_validation_add(validation, &one), PB_OK);
    return &validation->value[validation->values - 1];
}

static void bench_step(struct pb_validation *validation)
{
    step(validation, "bench", "the bench measures itself over its loop-back", PB_STEP_PASS, "");
    struct pb_item_value *delay = add(validation, PB_ITEM_BENCH_DELAY, -1, 12500, 24100);
    delay->node = -1;
    delay->min = -8000;
    delay->max = 36000;
    delay->sd = 11000;
    add(validation, PB_ITEM_FIRMWARE, -1, 1, 0); /* has no limit here */
}

/* Rises of 100 to 166 ns; that of link 7 is `odd`. */
static void line_values(struct pb_validation *validation, int64_t odd)
{
    for (int link = 0; link < 12; link++) {
        struct pb_item_value *rise =
            add(validation, PB_ITEM_LINE_RISE, link, link == 7 ? odd : 100000 + 6000 * link, 7000);
        rise->n = 4;
        if (rise->judgement > PB_JUDGED_PASS)
            SET(rise->note, "4 pulses of 83 to 84 ticks, the slowest on pin 8");
        add(validation, PB_ITEM_LINE_LOW, link, 0, 0);
    }
}

/* The files of a run, by the bits of enum pb_run_file. */
static void keep(struct pb_validation *validation, const char *run, unsigned files)
{
    struct pb_run_files kept = {.run = ""};
    SET(kept.run, "%s", run);
    for (int file = 0; file < PB_RUN_FILES; file++)
        kept.has[file] = files >> file & 1;
    assert_int_equal(pb_validation_keep(validation, &kept), PB_OK);
}

struct pb_validation *validation_go(void)
{
    struct pb_validation *validation = begin();
    bench_step(validation);
    step(validation, "lines", "each line follows its own pull and no other", PB_STEP_PASS, "");
    line_values(validation, 130000);
    step(validation, "timing", "frames lie in their slots", PB_STEP_PASS, "");
    for (int link = 0; link < 12; link++)
        add(validation, PB_ITEM_BIT_TIME, link, 1000000 * (link - 6), 40000);
    step(validation, "tolerance", "frames that are fast or slow are received", PB_STEP_SKIPPED,
         "profile quick leaves it out");
    step(validation, "ceiling", "the highest phase rate", PB_STEP_SKIPPED, "profile quick leaves it out");
    return validation;
}

/* 319.5 ns with U95 of 7 ns: within U95 of the limit. */
struct pb_validation *validation_marginal(void)
{
    struct pb_validation *validation = begin();
    bench_step(validation);
    step(validation, "lines", "each line follows its own pull and no other", PB_STEP_MARGINAL,
         "the rise of link 7 is as near to its limit as its uncertainty");
    line_values(validation, 319500);
    return validation;
}

struct pb_validation *validation_no_go(void)
{
    struct pb_validation *validation = begin();
    bench_step(validation);
    step(validation, "lines", "each line follows its own pull and no other", PB_STEP_FAIL,
         "the rise of link 7 is beyond its limit");
    line_values(validation, 340000);
    step(validation, "timing", "frames lie in their slots", PB_STEP_MARGINAL,
         "the bit time of link 3 is near its limit");
    for (int link = 0; link < 12; link++)
        add(validation, PB_ITEM_BIT_TIME, link, link == 3 ? 22000000 : 1000000 * (link - 6), 40000);
    step(validation, "tolerance", "frames that are fast or slow are received", PB_STEP_ERROR,
         "the run was interrupted");
    add(validation, PB_ITEM_TOLERANCE_FAST, 0, 45000, 1000);
    add(validation, PB_ITEM_TOLERANCE_FAST, 1, 2000, 1000);
    step(validation, "latency", "a lone message arrives in time", PB_STEP_SKIPPED,
         "it rests on step lines, which failed");
    step(validation, "load", "messages under load", PB_STEP_FAIL, "2 messages were too late");
    add(validation, PB_ITEM_LATENCY, -1, 26, 0);
    /* Of run "1 kHz" report and frames were kept, of "baud" all, of "load" none; tolerances have no run. */
    for (size_t i = 0; i < validation->values; i++) {
        struct pb_item_value *value = &validation->value[i];
        if (value->item == PB_ITEM_LINE_RISE || value->item == PB_ITEM_LINE_LOW)
            SET(value->run, "1 kHz");
        if (value->item == PB_ITEM_LATENCY)
            SET(value->run, "load");
    }
    SET(validation->step[3].run, "baud");
    keep(validation, "1 kHz", 1u << PB_RUN_FILE_REPORT);
    keep(validation, "1 kHz", 1u << PB_RUN_FILE_REPORT | 1u << PB_RUN_FILE_FRAMES); /* run again */
    keep(validation, "baud", (1u << PB_RUN_FILES) - 1);
    SET(validation->measurements, "../docs/reference/measurements.md");
    return validation;
}

struct pb_validation *validation_not_ready(void)
{
    struct pb_validation *validation = begin();
    step(validation, "bench", "the bench measures itself over its loop-back", PB_STEP_ERROR,
         "no loop-back from pin 1 to pin 2");
    step(validation, "lines", "each line follows its own pull and no other", PB_STEP_SKIPPED,
         "it rests on step bench");
    return validation;
}

struct pb_validation *validation_incomplete(void)
{
    struct pb_validation *validation = begin();
    bench_step(validation);
    SET(validation->incomplete, "interrupted by SIGINT in step lines");
    return validation;
}

static struct pb_validation *validation_empty(void)
{
    struct pb_validation *validation = calloc(1, sizeof *validation);
    assert_non_null(validation);
    return hand_over(validation, release);
}

struct pb_validation *(*const validation_make[VALIDATIONS])(void) = {
    validation_go,        validation_marginal,   validation_no_go,
    validation_not_ready, validation_incomplete, validation_empty};

static void spoil(char *text, size_t size, bool whole)
{
    static const char hostile[] = "</script><script>alert(\"1\")</script>&'\x01\x1b[31m\xff\xc3]]>--> # \\ "
                                  "\xe2\x80\xae\xc2\xb5\n,";
    const size_t length = sizeof hostile - 1;
    for (size_t i = 0; i + 1 < size; i++)
        text[i] = whole || i < length ? hostile[i % length] : '\0';
    text[size - 1] = '\0';
}

#define SPOIL(field) spoil(field, sizeof(field), long_texts)

void validation_make_hostile(struct pb_validation *validation, bool long_texts)
{
    SPOIL(validation->unit);
    SPOIL(validation->station);
    SPOIL(validation->operator_name);
    SPOIL(validation->scenario);
    SPOIL(validation->scenario_path);
    SPOIL(validation->rig);
    SPOIL(validation->profile);
    SPOIL(validation->command);
    SPOIL(validation->nodes);
    SPOIL(validation->core);
    SPOIL(validation->started_utc);
    SPOIL(validation->program);
    SPOIL(validation->limits_path);
    SPOIL(validation->limits.title);
    SPOIL(validation->limits.version);
    SPOIL(validation->incomplete);
    for (size_t i = 0; i < validation->kept; i++)
        SPOIL(validation->files[i].run);
    for (size_t i = 0; i < PB_ITEMS; i++)
        SPOIL(validation->limits.limit[i].rationale);
    for (unsigned i = 0; i < validation->steps; i++) {
        SPOIL(validation->step[i].id);
        SPOIL(validation->step[i].purpose);
        SPOIL(validation->step[i].reason);
        SPOIL(validation->step[i].run);
    }
    for (size_t i = 0; i < validation->values; i++) {
        SPOIL(validation->value[i].name);
        SPOIL(validation->value[i].note);
        SPOIL(validation->value[i].run);
    }
}
