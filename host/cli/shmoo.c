/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "shmoo.h"

#include "cli.h"
#include "workers.h"

#include "host/base/utf8.h"
#include "host/scenario/key_default.h"
#include "host/scenario/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { COARSE = 4, GRACE_S = 10 };

/* ---- axes */

int shmoo_axis_read(struct shmoo_axis *axis, const char *option, const char *text)
{
    const char *const equals = strchr(text, '='), *const dots = equals ? strstr(equals, "..") : NULL;
    char number[SHMOO_TEXT], *end;
    *axis = (struct shmoo_axis){.placed = false};
    if (!dots || equals == text || strlen(text) >= SHMOO_TEXT)
        return cli_fail(CLI_USAGE, "%s: '%.80s' is no range of a key; write it as link.baud=200..2000 kbaud",
                        option, text);
    snprintf(axis->place, sizeof axis->place, "%.*s", (int)(equals - text), text);
    snprintf(number, sizeof number, "%.*s", (int)(dots - equals - 1), equals + 1);
    axis->from = strtod(number, &end);
    bool good = end != number && !*end;
    axis->to = strtod(dots + 2, &end);
    good = good && end != dots + 2 && isfinite(axis->from) && isfinite(axis->to) && axis->from < axis->to;
    while (*end == ' ')
        end++;
    if (!good || strlen(end) >= sizeof axis->unit)
        return cli_fail(CLI_USAGE,
                        "%s: '%.80s' has no two numbers of which the first is less; write it as "
                        "link.baud=200..2000 kbaud",
                        option, text);
    snprintf(axis->unit, sizeof axis->unit, "%s", end);
    return CLI_PASS;
}

double shmoo_axis_number(const struct shmoo_axis *axis, unsigned steps, unsigned i)
{
    return axis->from + (axis->to - axis->from) * i / steps;
}

static void write_value(const struct shmoo_axis *axis, double number, char text[SHMOO_TEXT])
{
    snprintf(text, SHMOO_TEXT, "%.7g%s%s", number, *axis->unit ? " " : "", axis->unit);
}

void shmoo_axis_value(const struct shmoo_axis *axis, unsigned steps, unsigned i, char text[SHMOO_TEXT])
{
    write_value(axis, shmoo_axis_number(axis, steps, i), text);
}

/* "1 Mbaud" in kbaud is 1000. False: the text is no number in a unit of the same kind. */
static bool in_unit(const char *text, const char *unit, double *number)
{
    char one[SHMOO_TEXT], *end;
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
static bool default_text(const char *place, const struct pb_scenario *scenario, char text[SHMOO_TEXT])
{
    const struct {
        const char *place;
        enum pb_quantity_kind kind;
        int64_t value;
    } made[] = {
        {SHMOO_PAYLOAD, PB_QUANTITY_SIZE, scenario->payload_bytes},
        {"link.head_guard", PB_QUANTITY_TIME, scenario->head_guard_ps},
        {"limits.start_early", PB_QUANTITY_TIME, scenario->limits.start_early_ps},
        {"limits.start_late", PB_QUANTITY_TIME, scenario->limits.start_late_ps},
        {"limits.boot", PB_QUANTITY_TIME, scenario->limits.boot_ps},
        {"clock.jitter", PB_QUANTITY_TIME, scenario->controller.jitter_ps},
        {"clock.sync_skew", PB_QUANTITY_TIME, scenario->controller.sync_skew_ps},
    };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (!strcmp(place, made[i].place))
            return pb_quantity_format(text, SHMOO_TEXT, made[i].kind, made[i].value);
    const char *const initial = pb_key_default(place);
    if (initial)
        snprintf(text, SHMOO_TEXT, "%s", initial);
    return initial;
}

void shmoo_axis_place(struct shmoo_axis *axis, const struct source *source)
{
    char value[SHMOO_TEXT];
    if ((source->texts.count && pb_scenario_written(&source->texts, axis->place, value, sizeof value)) ||
        default_text(axis->place, source->scenario, value))
        axis->placed = in_unit(value, axis->unit, &axis->point);
}

bool shmoo_holds_frame(const struct shmoo *shmoo, char text[SHMOO_TEXT])
{
    char written[SHMOO_TEXT];
    const bool varied =
        !strcmp(shmoo->axis[0].place, SHMOO_PAYLOAD) || !strcmp(shmoo->axis[1].place, SHMOO_PAYLOAD);
    snprintf(text, SHMOO_TEXT, "%u bytes", shmoo->source->scenario->payload_bytes);
    return !varied && !pb_scenario_written(&shmoo->source->texts, SHMOO_PAYLOAD, written, sizeof written);
}

/* ---- the points */

static void take(struct shmoo_point *point, const struct pb_result *result)
{
    static const enum shmoo_state state[] = {
        [PB_VERDICT_PASS] = SHMOO_PASS,
        [PB_VERDICT_MARGINAL] = SHMOO_MARGINAL,
        [PB_VERDICT_FAIL] = SHMOO_FAIL,
        [PB_VERDICT_INCONCLUSIVE] = SHMOO_INCONCLUSIVE,
    };
    point->state = state[result->verdict];
    pb_utf8_shorten(point->reason, sizeof point->reason, "%s", result->reason);
    point->margin_known = pb_measurement_margin(result, PB_FIGURE_NODE_START, &point->margin_ps);
}

/* The tasks of a round: numbers of points. */
struct round {
    struct shmoo *shmoo;
    unsigned *number; /* owned */
    size_t count;
    int exit_code;
};

static int begin(void *context, size_t task, unsigned slot)
{
    (void)context;
    (void)task;
    (void)slot;
    return CLI_PASS;
}

static void run_point(void *context, size_t task, unsigned slot)
{
    const struct round *round = context;
    const struct shmoo *shmoo = round->shmoo;
    const unsigned number = round->number[task], points = shmoo->steps + 1;
    struct shmoo_point *point = &shmoo->point[number];
    char value[2][SHMOO_TEXT];
    struct pb_scenario_texts texts = shmoo->source->texts;
    struct pb_scenario *scenario;
    struct pb_result *result;
    struct pb_diag diag;
    (void)slot;
    if (number == points * points)
        for (unsigned axis = 0; axis < 2; axis++)
            write_value(&shmoo->axis[axis], shmoo->axis[axis].point, value[axis]);
    else {
        shmoo_axis_value(&shmoo->axis[0], shmoo->steps, number % points, value[0]);
        shmoo_axis_value(&shmoo->axis[1], shmoo->steps, number / points, value[1]);
    }
    char payload[SHMOO_TEXT];
    const bool held = shmoo_holds_frame(shmoo, payload);
    const struct pb_scenario_setting setting[] = {{shmoo->axis[0].place, value[0]},
                                                  {shmoo->axis[1].place, value[1]},
                                                  {SHMOO_PAYLOAD, payload}};
    point->ran = true;
    if (pb_scenario_parse_settings(&scenario, &texts, setting, held ? 3 : 2, &diag)) {
        pb_utf8_shorten(point->reason, sizeof point->reason, "%s", diag.text);
        point->state = SHMOO_REFUSED;
        return;
    }
    const struct source_overrides *overrides = &shmoo->source->overrides;
    if (overrides->superframes)
        scenario->superframes = overrides->superframes;
    if (overrides->seed_given)
        scenario->seed = overrides->seed;
    /* The reason is in the point; a line of each refused one would hide all else. */
    FILE *silent = freopen("/dev/null", "w", stderr);
    const int exit_code = runner_run(&result, scenario, shmoo->runner);
    if (result)
        take(point, result);
    if (exit_code == CLI_BAD_SCENARIO)
        point->state = SHMOO_REFUSED;
    else if (point->state == SHMOO_UNKNOWN)
        point->state = SHMOO_INCONCLUSIVE;
    if (exit_code != CLI_PASS && result)
        pb_utf8_shorten(point->reason, sizeof point->reason, "%s", result->incomplete);
    if (silent)
        fclose(silent);
    pb_result_free(result);
    pb_scenario_free(scenario);
}

static enum workers_next ended(void *context, const struct workers_end *end)
{
    struct round *round = context;
    struct shmoo_point *point = &round->shmoo->point[round->number[end->task]];
    round->shmoo->runs++;
    if (point->state != SHMOO_UNKNOWN || runner_stopped())
        return WORKERS_GO_ON;
    point->state = SHMOO_INCONCLUSIVE;
    snprintf(point->reason, sizeof point->reason, "the process of the run %s",
             end->hung         ? "did not end"
             : end->fork_error ? "could not be started"
                               : "ended without a result");
    return WORKERS_GO_ON;
}

static void look(void *context, const size_t *busy)
{
    (void)busy;
    const struct round *round = context;
    if (cli_terminal(stderr) && !round->shmoo->runner->quiet)
        fprintf(stderr, "\r%u points run ", round->shmoo->runs);
}

static void before_line(void *context)
{
    (void)context;
}

static int play(struct round *round)
{
    struct shmoo *shmoo = round->shmoo;
    const struct workers workers = {
        .jobs = shmoo->jobs,
        .tasks = round->count,
        .limit_s = runner_timeout_s(shmoo->runner, shmoo->source->scenario) + GRACE_S,
        .begin = begin,
        .work = run_point,
        .ended = ended,
        .look = look,
        .before_line = before_line,
        .context = round,
    };
    return round->count ? workers_run(&workers) : CLI_PASS;
}

/* ---- where to look */

/* The place of the operating point on an axis. */
static bool nearest(const struct shmoo *shmoo, unsigned axis, unsigned *at)
{
    const struct shmoo_axis *of = &shmoo->axis[axis];
    if (!of->placed || of->point < of->from || of->point > of->to)
        return false;
    *at = (unsigned)lround((of->point - of->from) / (of->to - of->from) * shmoo->steps);
    return true;
}

bool shmoo_operates_at(const struct shmoo *shmoo, unsigned *x, unsigned *y)
{
    return nearest(shmoo, 0, x) && nearest(shmoo, 1, y);
}

static void want(struct round *round, unsigned x, unsigned y)
{
    const unsigned number = y * (round->shmoo->steps + 1) + x;
    for (size_t i = 0; i < round->count; i++)
        if (round->number[i] == number)
            return;
    if (round->shmoo->point[number].state == SHMOO_UNKNOWN)
        round->number[round->count++] = number;
}

static bool corners_agree(const struct shmoo *shmoo, unsigned x, unsigned y, unsigned size)
{
    const enum shmoo_state state = shmoo_at(shmoo, x, y)->state;
    return shmoo_at(shmoo, x + size, y)->state == state && shmoo_at(shmoo, x, y + size)->state == state &&
           shmoo_at(shmoo, x + size, y + size)->state == state;
}

static void fill(struct shmoo *shmoo, unsigned x, unsigned y, unsigned size)
{
    const struct shmoo_point *corner = shmoo_at(shmoo, x, y);
    for (unsigned row = y; row <= y + size; row++)
        for (unsigned column = x; column <= x + size; column++)
            if (shmoo_at(shmoo, column, row)->state == SHMOO_UNKNOWN)
                shmoo_at(shmoo, column, row)->state = corner->state;
}

/* Requests the points of a cell at half its size. The cell shares points with neighbouring cells that were
 * filled; points that were only assumed to be equal run now. */
static void divide(struct round *round, unsigned x, unsigned y, unsigned half)
{
    for (unsigned row = 0; row <= 2; row++)
        for (unsigned column = 0; column <= 2; column++) {
            struct shmoo_point *point = shmoo_at(round->shmoo, x + column * half, y + row * half);
            if (!point->ran)
                point->state = SHMOO_UNKNOWN;
            want(round, x + column * half, y + row * half);
        }
}

static unsigned coarse_of(const struct shmoo *shmoo)
{
    unsigned size = shmoo->full ? 1 : COARSE;
    while (shmoo->steps % size)
        size /= 2;
    return size;
}

static int search(struct shmoo *shmoo, struct round *round)
{
    const unsigned steps = shmoo->steps;
    unsigned size = coarse_of(shmoo);
    for (unsigned y = 0; y <= steps; y += size)
        for (unsigned x = 0; x <= steps; x += size)
            want(round, x, y);
    unsigned x, y;
    if (shmoo_operates_at(shmoo, &x, &y)) {
        want(round, x, y);
        round->number[round->count++] = (steps + 1) * (steps + 1);
    }
    int exit_code = play(round);
    for (; exit_code == CLI_PASS && !runner_stopped() && size > 1; size /= 2) {
        round->count = 0;
        for (unsigned y = 0; y < steps; y += size)
            for (unsigned x = 0; x < steps; x += size)
                if (corners_agree(shmoo, x, y, size))
                    fill(shmoo, x, y, size);
        for (unsigned y = 0; y < steps; y += size)
            for (unsigned x = 0; x < steps; x += size)
                if (!corners_agree(shmoo, x, y, size))
                    divide(round, x, y, size / 2);
        exit_code = play(round);
    }
    return exit_code;
}

/* Of the grid, and the operating point after them. */
static size_t points_of(const struct shmoo *shmoo)
{
    return (size_t)(shmoo->steps + 1) * (shmoo->steps + 1) + 1;
}

int shmoo_run(struct shmoo *shmoo)
{
    const size_t points = points_of(shmoo);
    struct round round = {.shmoo = shmoo, .number = calloc(points, sizeof *round.number)};
    void *shared =
        mmap(NULL, points * sizeof *shmoo->point, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!round.number || shared == MAP_FAILED) {
        free(round.number);
        if (shared != MAP_FAILED)
            munmap(shared, points * sizeof *shmoo->point);
        return cli_fail(CLI_BENCH_FAILED, "no memory for %zu points; give fewer --steps", points);
    }
    shmoo->point = shared;
    int exit_code = search(shmoo, &round);
    free(round.number);
    if (cli_terminal(stderr) && !shmoo->runner->quiet)
        fputs("\r                    \r", stderr);
    if (exit_code == CLI_PASS && runner_stopped())
        exit_code = CLI_INTERRUPTED;
    shmoo->stopped = exit_code != CLI_PASS;
    return exit_code;
}

void shmoo_free(struct shmoo *shmoo)
{
    if (shmoo->point)
        munmap(shmoo->point, points_of(shmoo) * sizeof *shmoo->point);
    shmoo->point = NULL;
}

/* ---- the operating point */

enum shmoo_state shmoo_operating(const struct shmoo *shmoo)
{
    unsigned x, y;
    return shmoo_operates_at(shmoo, &x, &y) ? shmoo->point[points_of(shmoo) - 1].state : SHMOO_UNKNOWN;
}

static bool passes(const struct shmoo *shmoo, unsigned axis, unsigned along, unsigned across)
{
    return shmoo_at(shmoo, axis ? across : along, axis ? along : across)->state == SHMOO_PASS;
}

bool shmoo_margin(const struct shmoo *shmoo, unsigned axis, struct shmoo_margin *margin)
{
    const struct shmoo_axis *of = &shmoo->axis[axis];
    unsigned across;
    *margin = (struct shmoo_margin){.below_found = false};
    if (!nearest(shmoo, axis, &across) || !nearest(shmoo, !axis, &across))
        return false;
    margin->below = of->point - of->from;
    margin->above = of->to - of->point;
    for (unsigned i = 0; i <= shmoo->steps; i++) {
        const double apart = shmoo_axis_number(of, shmoo->steps, i) - of->point;
        if (passes(shmoo, axis, i, across))
            continue;
        if (apart < 0) { /* the last one downwards is the nearest */
            margin->below_found = true;
            margin->below = -apart;
        }
        if (apart > 0 && !margin->above_found) {
            margin->above_found = true;
            margin->above = apart;
        }
    }
    if (shmoo_operating(shmoo) != SHMOO_PASS)
        *margin = (struct shmoo_margin){.below_found = true, .above_found = true};
    return true;
}

const char *shmoo_state_name(enum shmoo_state state)
{
    static const char *const name[] = {"not run", "pass", "marginal", "fail", "inconclusive", "refused"};
    return name[state];
}

char shmoo_sign(const struct shmoo_point *point)
{
    return (point->ran ? " +mX?-" : " .:x~_")[point->state];
}
