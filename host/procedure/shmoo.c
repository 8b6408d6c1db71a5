/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "procedure.h"

#include "suite/workers.h"

#include "host/base/utf8.h"
#include "host/scenario/key_default.h"
#include "host/scenario/quantity.h"
#include "phasebench/run.h"
#include "phasebench/shmoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAYLOAD "link.payload"

enum { COARSE = 4, GRACE_S = 10 };
_Static_assert(PB_SHMOO_JOBS_MAX == WORKERS_MAX, "as many processes at a time");

/* ---- axes */

int pb_shmoo_axis_read(struct pb_shmoo_axis *axis, const char *text, struct pb_diag *diag)
{
    const char *const equals = strchr(text, '='), *const dots = equals ? strstr(equals, "..") : NULL;
    char number[PB_SHMOO_TEXT], *end;
    *axis = (struct pb_shmoo_axis){.placed = false};
    if (!dots || equals == text || strlen(text) >= PB_SHMOO_TEXT)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "'%.80s' is no range of a key; write it as link.baud=200..2000 kbaud", text);
    snprintf(axis->place, sizeof axis->place, "%.*s", (int)(equals - text), text);
    snprintf(number, sizeof number, "%.*s", (int)(dots - equals - 1), equals + 1);
    axis->from = strtod(number, &end);
    bool good = end != number && !*end;
    axis->to = strtod(dots + 2, &end);
    good = good && end != dots + 2 && isfinite(axis->from) && isfinite(axis->to) && axis->from < axis->to;
    while (*end == ' ')
        end++;
    if (!good || strlen(end) >= sizeof axis->unit)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "'%.80s' has no two numbers of which the first is less; write it as "
                       "link.baud=200..2000 kbaud",
                       text);
    snprintf(axis->unit, sizeof axis->unit, "%s", end);
    return PB_OK;
}

/* "1 Mbaud" in kbaud is 1000. False: the text is no number in a unit of the same kind. */
static bool in_unit(const char *text, const char *unit, double *number)
{
    char one[PB_SHMOO_TEXT], *end;
    int64_t value, base;
    snprintf(one, sizeof one, "1 %s", unit);
    for (int kind = PB_QUANTITY_FREQUENCY; kind <= PB_QUANTITY_SIZE; kind++)
        if (!pb_quantity_parse(text, (enum pb_quantity_kind)kind, &value) &&
            !pb_quantity_parse(one, (enum pb_quantity_kind)kind, &base)) {
            *number = (double)value / (double)base;
            return true;
        }
    *number = strtod(text, &end);
    return end != text && !strcmp(end + strspn(end, " "), unit);
}

/* The default of a key, as its row says it or as the scenario made it; false: it has none. */
static bool default_text(const char *place, const struct pb_scenario *scenario,
                         char text[PB_SHMOO_TEXT])
{
    const struct {
        const char *place;
        enum pb_quantity_kind kind;
        int64_t value;
    } made[] = {
        {PAYLOAD, PB_QUANTITY_SIZE, scenario->payload_bytes},
        {"link.head_guard", PB_QUANTITY_TIME, scenario->head_guard_ps},
        {"limits.start_early", PB_QUANTITY_TIME, scenario->limits.start_early_ps},
        {"limits.start_late", PB_QUANTITY_TIME, scenario->limits.start_late_ps},
        {"limits.boot", PB_QUANTITY_TIME, scenario->limits.boot_ps},
        {"clock.jitter", PB_QUANTITY_TIME, scenario->controller.jitter_ps},
        {"clock.sync_skew", PB_QUANTITY_TIME, scenario->controller.sync_skew_ps},
    };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (!strcmp(place, made[i].place))
            return pb_quantity_format(text, PB_SHMOO_TEXT, made[i].kind, made[i].value);
    const char *const initial = pb_key_default(place);
    if (initial)
        snprintf(text, PB_SHMOO_TEXT, "%s", initial);
    return initial;
}

/* Takes the operating point of an axis in the unit of the axis. */
static void place(struct pb_shmoo_axis *axis, const struct pb_shmoo_options *options)
{
    char value[PB_SHMOO_TEXT];
    if ((options->texts->count && pb_scenario_written(options->texts, axis->place, value, sizeof value)) ||
        default_text(axis->place, options->scenario, value))
        axis->placed = in_unit(value, axis->unit, &axis->point);
}

int pb_shmoo_check_axis(const struct pb_shmoo_options *options, unsigned axis, struct pb_diag *diag)
{
    char value[PB_SHMOO_TEXT];
    for (unsigned i = 0; i <= options->steps; i++) {
        struct pb_scenario *scenario;
        pb_shmoo_axis_value(&options->axis[axis], options->steps, i, value);
        const struct pb_scenario_setting setting = {options->axis[axis].place, value};
        if (!pb_scenario_parse_settings(&scenario, options->texts, &setting, 1, diag)) {
            pb_scenario_free(scenario);
            return PB_OK;
        }
    }
    return PB_ERR_CONFIG;
}

static bool holds_frame(const struct pb_shmoo_options *options)
{
    char written[PB_SHMOO_TEXT];
    const bool varied =
        !strcmp(options->axis[0].place, PAYLOAD) || !strcmp(options->axis[1].place, PAYLOAD);
    return !varied && !pb_scenario_written(options->texts, PAYLOAD, written, sizeof written);
}

/* ---- the points */

static void take(struct pb_shmoo_point *point, const struct pb_result *result)
{
    static const enum pb_shmoo_state state[] = {
        [PB_VERDICT_PASS] = PB_SHMOO_PASS,
        [PB_VERDICT_MARGINAL] = PB_SHMOO_MARGINAL,
        [PB_VERDICT_FAIL] = PB_SHMOO_FAIL,
        [PB_VERDICT_INCONCLUSIVE] = PB_SHMOO_INCONCLUSIVE,
    };
    point->state = state[result->verdict];
    pb_utf8_shorten(point->reason, sizeof point->reason, "%s", result->reason);
    point->margin_known = pb_measurement_margin(result, PB_FIGURE_NODE_START, &point->margin_ps);
}

struct round {
    struct pb_shmoo *shmoo;
    const struct pb_procedure *procedure;
    const struct pb_shmoo_options *options;
    unsigned *number; /* owned; of the points that are to run */
    size_t count;
};

static int run_scenario(struct pb_result **result, const struct pb_scenario *scenario,
                        const struct pb_procedure *procedure)
{
    struct pb_diag diag = {.text = ""};
    struct pb_run_options run = {.timeout_s = procedure_timeout_s(procedure, scenario),
                                 .stop = procedure->stop};
    int code = procedure_begin(procedure, &run.rig_url, scenario, run.timeout_s, &diag);
    if (!code)
        code = pb_run(result, scenario, &run, &diag);
    else
        pb_run_none(result, scenario, &run, diag.text);
    procedure_end(procedure);
    return code;
}

static void play_point(struct round *round, size_t task)
{
    const struct pb_shmoo *shmoo = round->shmoo;
    const struct pb_shmoo_options *options = round->options;
    const unsigned number = round->number[task], points = shmoo->steps + 1;
    struct pb_shmoo_point *point = &shmoo->point[number];
    char value[2][PB_SHMOO_TEXT], payload[PB_SHMOO_TEXT];
    struct pb_scenario *scenario;
    struct pb_result *result = NULL;
    struct pb_diag diag;
    if (number == points * points)
        for (unsigned axis = 0; axis < 2; axis++)
            pb_shmoo_value(&shmoo->axis[axis], shmoo->axis[axis].point, value[axis]);
    else {
        pb_shmoo_axis_value(&shmoo->axis[0], shmoo->steps, number % points, value[0]);
        pb_shmoo_axis_value(&shmoo->axis[1], shmoo->steps, number / points, value[1]);
    }
    snprintf(payload, sizeof payload, "%u bytes", shmoo->scenario->payload_bytes);
    const struct pb_scenario_setting setting[] = {
        {shmoo->axis[0].place, value[0]}, {shmoo->axis[1].place, value[1]}, {PAYLOAD, payload}};
    point->ran = true;
    if (pb_scenario_parse_settings(&scenario, options->texts, setting, shmoo->holds_frame ? 3 : 2, &diag)) {
        pb_utf8_shorten(point->reason, sizeof point->reason, "%s", diag.text);
        point->state = PB_SHMOO_REFUSED;
        return;
    }
    if (options->superframes)
        scenario->superframes = options->superframes;
    int code = options->seed ? pb_scenario_set_seed(scenario, *options->seed, &diag) : PB_OK;
    if (!code)
        code = run_scenario(&result, scenario, round->procedure);
    if (result)
        take(point, result);
    if (code == PB_ERR_CONFIG)
        point->state = PB_SHMOO_REFUSED;
    else if (point->state == PB_SHMOO_UNKNOWN)
        point->state = PB_SHMOO_INCONCLUSIVE;
    if (code && result)
        pb_utf8_shorten(point->reason, sizeof point->reason, "%s", result->incomplete);
    pb_result_free(result);
    pb_scenario_free(scenario);
}

/* failure: why its process did not end: "did not end"; NULL: it did. */
static void note_end(struct round *round, size_t task, const char *failure)
{
    struct pb_shmoo *shmoo = round->shmoo;
    struct pb_shmoo_point *point = &shmoo->point[round->number[task]];
    const struct pb_shmoo_observer *observer = &round->options->observer;
    shmoo->runs++;
    if (point->state == PB_SHMOO_UNKNOWN && !procedure_stopped(round->procedure)) {
        point->state = PB_SHMOO_INCONCLUSIVE;
        snprintf(point->reason, sizeof point->reason, "the process of the run %s",
                 failure ? failure : "ended without a result");
    }
    if (observer->point)
        observer->point(observer->context, shmoo, shmoo->runs);
}

/* ---- several at a time, each in a process of its own */

static void work(void *context, size_t task, unsigned slot)
{
    (void)slot;
    /* The reason is in the point; what each process of a node says would hide all else. */
    FILE *silent = freopen("/dev/null", "w", stderr);
    play_point(context, task);
    if (silent)
        fclose(silent);
}

static enum workers_next ended(void *context, const struct workers_end *end)
{
    note_end(context, end->task, end->hung ? "did not end" : end->fork_error ? "could not be started" : NULL);
    return WORKERS_GO_ON;
}

static int play(struct round *round, struct pb_diag *diag)
{
    const struct workers workers = {.jobs = round->options->jobs,
                                    .tasks = round->count,
                                    .limit_s = procedure_timeout_s(round->procedure, round->shmoo->scenario) +
                                               GRACE_S,
                                    .stop = round->procedure->stop,
                                    .work = work,
                                    .ended = ended,
                                    .context = round};
    if (workers.jobs)
        return round->count ? workers_run(&workers, diag) : PB_OK;
    for (size_t task = 0; task < round->count && !procedure_stopped(round->procedure); task++) {
        play_point(round, task);
        note_end(round, task, NULL);
    }
    return PB_OK;
}

/* ---- where to look */

static void want(struct round *round, unsigned x, unsigned y)
{
    const unsigned number = y * (round->shmoo->steps + 1) + x;
    for (size_t i = 0; i < round->count; i++)
        if (round->number[i] == number)
            return;
    if (round->shmoo->point[number].state == PB_SHMOO_UNKNOWN)
        round->number[round->count++] = number;
}

static bool corners_agree(const struct pb_shmoo *shmoo, unsigned x, unsigned y, unsigned size)
{
    const enum pb_shmoo_state state = pb_shmoo_at(shmoo, x, y)->state;
    return pb_shmoo_at(shmoo, x + size, y)->state == state &&
           pb_shmoo_at(shmoo, x, y + size)->state == state &&
           pb_shmoo_at(shmoo, x + size, y + size)->state == state;
}

static void fill(struct pb_shmoo *shmoo, unsigned x, unsigned y, unsigned size)
{
    const struct pb_shmoo_point *corner = pb_shmoo_at(shmoo, x, y);
    for (unsigned row = y; row <= y + size; row++)
        for (unsigned column = x; column <= x + size; column++)
            if (pb_shmoo_at(shmoo, column, row)->state == PB_SHMOO_UNKNOWN)
                pb_shmoo_at(shmoo, column, row)->state = corner->state;
}

/* Requests the points of a cell at half its size. The cell shares points with neighbouring cells that were
 * filled; points that were only assumed to be equal run now. */
static void divide(struct round *round, unsigned x, unsigned y, unsigned half)
{
    for (unsigned row = 0; row <= 2; row++)
        for (unsigned column = 0; column <= 2; column++) {
            struct pb_shmoo_point *point = pb_shmoo_at(round->shmoo, x + column * half, y + row * half);
            if (!point->ran)
                point->state = PB_SHMOO_UNKNOWN;
            want(round, x + column * half, y + row * half);
        }
}

static unsigned coarse_of(const struct pb_shmoo *shmoo, bool full)
{
    unsigned size = full ? 1 : COARSE;
    while (shmoo->steps % size)
        size /= 2;
    return size;
}

static int search(struct pb_shmoo *shmoo, struct round *round, struct pb_diag *diag)
{
    const unsigned steps = shmoo->steps;
    unsigned size = coarse_of(shmoo, round->options->full);
    for (unsigned y = 0; y <= steps; y += size)
        for (unsigned x = 0; x <= steps; x += size)
            want(round, x, y);
    unsigned x, y;
    if (pb_shmoo_operates_at(shmoo, &x, &y)) {
        want(round, x, y);
        round->number[round->count++] = (steps + 1) * (steps + 1);
    }
    int code = play(round, diag);
    for (; !code && !procedure_stopped(round->procedure) && size > 1; size /= 2) {
        round->count = 0;
        for (unsigned y = 0; y < steps; y += size)
            for (unsigned x = 0; x < steps; x += size)
                if (corners_agree(shmoo, x, y, size))
                    fill(shmoo, x, y, size);
        for (unsigned y = 0; y < steps; y += size)
            for (unsigned x = 0; x < steps; x += size)
                if (!corners_agree(shmoo, x, y, size))
                    divide(round, x, y, size / 2);
        code = play(round, diag);
    }
    return code;
}

/* Of the grid, and the operating point after them. */
static size_t points_of(const struct pb_shmoo *shmoo)
{
    return (size_t)(shmoo->steps + 1) * (shmoo->steps + 1) + 1;
}

int pb_shmoo_run(struct pb_shmoo *shmoo, const struct pb_procedure *procedure,
                 const struct pb_shmoo_options *options, struct pb_diag *diag)
{
    *shmoo = (struct pb_shmoo){.scenario = options->scenario,
                               .axis = {options->axis[0], options->axis[1]},
                               .steps = options->steps,
                               .holds_frame = holds_frame(options)};
    place(&shmoo->axis[0], options);
    place(&shmoo->axis[1], options);
    const size_t points = points_of(shmoo);
    struct round round = {.shmoo = shmoo,
                          .procedure = procedure,
                          .options = options,
                          .number = calloc(points, sizeof *round.number)};
    void *shared =
        mmap(NULL, points * sizeof *shmoo->point, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!round.number || shared == MAP_FAILED) {
        free(round.number);
        if (shared != MAP_FAILED)
            munmap(shared, points * sizeof *shmoo->point);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu points; give fewer steps", points);
    }
    shmoo->point = shared;
    int code = search(shmoo, &round, diag);
    free(round.number);
    if (!code && procedure_stopped(procedure))
        code = pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted after %u runs", shmoo->runs);
    shmoo->stopped = code != PB_OK;
    return code;
}

void pb_shmoo_free(struct pb_shmoo *shmoo)
{
    if (shmoo->point)
        munmap(shmoo->point, points_of(shmoo) * sizeof *shmoo->point);
    shmoo->point = NULL;
}
