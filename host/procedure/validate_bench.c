/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps on the core only, with the node held in reset: measurements of the bench itself and of the lines.
 */
#include "validate_steps.h"

#include "selftest_steps.h"

#include "phasebench/random.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    ROUNDS = 16,         /* of delays, each on every link */
    LEAST_DELAY_US = 5,  /* after the phase edge */
    DELAY_SPREAD_US = 4, /* uniform above it */
};

/* ---- a rig for one step */

static int open_bench(struct selftest *test, struct validator *validator)
{
    const struct pb_procedure *procedure = validator->procedure;
    struct pb_diag diag = {.text = ""};
    *test = (struct selftest){.scenario = validator->scenario, .stop = procedure->stop};
    int code = procedure_begin(procedure, &test->rig_url, validator->scenario, 0, &diag);
    if (!code)
        code = selftest_identify(test, &diag);
    if (code)
        return validate_because(validator, code, "%s", diag.text);
    snprintf(validator->validation->core, sizeof validator->validation->core, "%.159s", diag.text);
    return PB_OK;
}

static void close_bench(struct selftest *test, const struct validator *validator)
{
    selftest_close(test);
    procedure_end(validator->procedure);
}

/* ---- bench */

struct series {
    unsigned n;
    double sum, squares;
};

static void take(struct series *series, double value)
{
    series->n++;
    series->sum += value;
    series->squares += value * value;
}

static double mean_of(const struct series *series)
{
    return series->sum / series->n;
}

static double deviation_of(const struct series *series)
{
    const double variance = (series->squares - series->sum * mean_of(series)) / (series->n - 1);
    return variance > 0 ? sqrt(variance) : 0;
}

/* The delays are drawn at random, in whole ticks. The measured ones must have their mean and deviation. */
static int measure_delays(struct validator *validator, struct selftest *test)
{
    const struct pb_device_info *info = pb_device_info(test->device);
    const double tick_ps = 1e12 / info->clock_hz;
    const uint32_t least = info->clock_hz / 1000000 * LEAST_DELAY_US,
                   spread = info->clock_hz / 1000000 * DELAY_SPREAD_US;
    struct series set = {0}, seen = {0}, error = {0};
    uint64_t state = validator->scenario->seed;
    struct pb_diag diag;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t offset[PB_REG_LINK_COUNT];
        double measured[PB_REG_LINK_COUNT];
        for (unsigned link = 0; link < info->links; link++)
            offset[link] = least + (uint32_t)(pb_splitmix64(&state) % (spread + 1));
        const int code = selftest_delays(test, offset, measured, &diag);
        if (code)
            return validate_because(validator, code, "%s", diag.text);
        for (unsigned link = 0; link < info->links; link++)
            if (measured[link] >= 0) {
                take(&set, offset[link]);
                take(&seen, measured[link]);
                take(&error, measured[link] - offset[link]);
            }
        validate_progress(validator, (round + 1.0) / ROUNDS);
    }
    struct pb_item_value value =
        validate_value(PB_ITEM_BENCH_DELAY, (int64_t)lround(mean_of(&error) * tick_ps), error.n);
    value.sd = (int64_t)lround(deviation_of(&error) * tick_ps);
    value.u95 =
        (int64_t)lround(tick_ps / 2); /* delay and stamp are whole ticks of one clock: nothing dithers */
    int code = validate_add(validator, value, "%s", "");
    if (code)
        return code;
    value = validate_value(PB_ITEM_BENCH_JITTER,
                           (int64_t)lround((deviation_of(&seen) - deviation_of(&set)) * tick_ps), seen.n);
    value.u95 = (int64_t)lround(tick_ps / 2);
    return validate_add(validator, value, "%s", "");
}

int validate_step_bench(struct validator *validator)
{
    static int (*const climb[])(struct selftest *, struct pb_diag *) = {selftest_registers, selftest_clock};
    struct selftest test;
    struct pb_diag diag;
    int code = open_bench(&test, validator);
    for (size_t i = 0; i < sizeof climb / sizeof climb[0] && !code; i++)
        if ((code = climb[i](&test, &diag)) != 0)
            validate_because(validator, code, "%s", diag.text);
    if (!code && !test.external)
        code = measure_delays(validator, &test);
    close_bench(&test, validator);
    /* A value beyond its limit is no fault of the node. */
    const struct pb_validation *validation = validator->validation;
    const struct pb_step *step = &validation->step[validation->steps - 1];
    if (!code && pb_validation_state(validation, step) == PB_STEP_FAIL)
        code = validate_because(validator, PB_ERR_LINK,
                                "the bench does not measure its own delays within its limits");
    return code;
}

/* ---- lines */

static int add_count(struct validator *validator, enum pb_item item, unsigned link, unsigned count,
                     uint64_t n, const char *note)
{
    struct pb_item_value value = validate_value(item, count, n);
    value.node = 0;
    value.link = (int)link;
    value.port = (int)link;
    if (count)
        snprintf(value.note, sizeof value.note, "link %u %s", link, note);
    return validate_add(validator, value, "link%u", link);
}

static int add_short(struct validator *validator, unsigned link, uint64_t followers)
{
    char note[160] = "";
    unsigned count = 0;
    int length = 0;
    for (unsigned other = 0; other < 64; other++)
        if (followers >> other & 1 && count++ < 12)
            length += snprintf(note + length, sizeof note - (size_t)length, "%s%u",
                               count > 1 ? ", " : "moves link ", other);
    if (count)
        snprintf(note + length, sizeof note - (size_t)length, "; look for a short between them");
    return add_count(validator, PB_ITEM_LINE_SHORT, link, count, SELFTEST_PULLS, note);
}

static int add_rise(struct validator *validator, unsigned link, const struct selftest_pulls *pulls)
{
    struct pb_item_value value = validate_value(PB_ITEM_LINE_RISE, pulls->max_ps, pulls->rises);
    if (!pulls->rises)
        return PB_OK;
    value.node = 0;
    value.link = (int)link;
    value.port = (int)link;
    value.min = pulls->min_ps;
    value.mean = pulls->mean_ps;
    value.u95 = pulls->step_ps;
    snprintf(value.note, sizeof value.note, "link %u rises late: its pull-up is weak, or its load is large",
             link);
    return validate_add(validator, value, "link%u", link);
}

static int pull_line(struct validator *validator, struct selftest *test, unsigned link)
{
    struct selftest_pulls pulls;
    struct pb_diag diag;
    int code = selftest_pull(test, link, &pulls, &diag);
    if (code)
        return validate_because(validator, code, "link %u: %s", link, diag.text);
    code = add_count(validator, PB_ITEM_LINE_LOW, link, pulls.low_before || pulls.low_after, 2,
                     "is low though nothing pulls it; look for a missing pull-up, a short, or a node that "
                     "pulls in reset");
    if (!code)
        code = add_count(validator, PB_ITEM_LINE_HELD, link, SELFTEST_PULLS - pulls.falls, SELFTEST_PULLS,
                         "does not follow the pull of the bench; look for an open wire or a driver");
    if (!code)
        code = add_count(validator, PB_ITEM_LINE_BREAKS, link, pulls.breaks, SELFTEST_PULLS,
                         "does not stay low while the bench pulls it; another side drives it");
    if (!code)
        code = add_short(validator, link, pulls.followers);
    return code ? code : add_rise(validator, link, &pulls);
}

int validate_step_lines(struct validator *validator)
{
    const unsigned ports = validator->scenario->network.ports;
    struct selftest test;
    struct pb_diag diag;
    int code = open_bench(&test, validator);
    for (unsigned link = 0; link < ports && !code; link++) {
        code = pull_line(validator, &test, link);
        validate_progress(validator, (link + 1.0) / ports);
    }
    const int released = test.device ? selftest_release_lines(&test, &diag) : PB_OK;
    if (released && !code)
        code = validate_because(validator, released, "%s", diag.text);
    close_bench(&test, validator);
    return code;
}
