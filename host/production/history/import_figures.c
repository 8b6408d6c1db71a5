/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measurements of a run that is imported: values, or sums of values, with limits and a judgement.
 */
#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_MOST INT64_C(1000000000000) /* of a row: the sums of n of a history stay exact */

static void gather(struct import_gathered *gathered, long double value)
{
    const long double away = value - gathered->mean;
    gathered->min = gathered->n ? fminl(gathered->min, value) : value;
    gathered->max = gathered->n ? fmaxl(gathered->max, value) : value;
    gathered->n += 1;
    gathered->mean += away / gathered->n;
    gathered->squares += away * (value - gathered->mean);
}

static int read_judgement(const struct import_sheet *sheet, size_t row, int *judgement)
{
    const char *const cell = import_cell(sheet, row, sheet->column[JUDGEMENT]);
    *judgement = IMPORT_BY_MARGIN;
    for (int known = PB_NOT_JUDGED; known <= PB_JUDGED_FAIL && *cell; known++)
        if (!strcmp(cell, pb_judgement_name(known)))
            *judgement = known;
    return *cell && *judgement == IMPORT_BY_MARGIN
               ? import_refuse(sheet, row, sheet->column[JUDGEMENT], "an unknown judgement",
                               "known are 'not judged', pass, marginal and fail")
               : PB_OK;
}

/* One of the last digit of a cell, in the unit that is stored. */
static long double digit_of(const struct import_sheet *sheet, size_t row, enum column column, int power)
{
    const char *const cell = import_cell(sheet, row, sheet->column[column]);
    const char *const point = strpbrk(cell, ".,"), *const exponent = strpbrk(cell, "eE");
    const long shift = exponent ? strtol(exponent + 1, NULL, 10) : 0;
    return powl(10, (long double)(power + shift) -
                        (point ? (long double)strspn(point + 1, "0123456789") : 0));
}

/* Refuses a cell that is not from least to most, in words that name both. */
static int refuse_statistic(const struct import_sheet *sheet, size_t row, enum column column,
                            const struct import_gathered *one, long double least, long double most)
{
    const long double unit = powl(10, one->scale->power);
    const char *const name = column == MEAN ? "mean" : "deviation";
    char what[120], remedy[120];
    snprintf(what, sizeof what, "a %s that %.0Lf values from %.10Lg to %.10Lg%s cannot have", name, one->n,
             one->min / unit, one->max / unit, column == MEAN ? "" : " with this mean");
    snprintf(remedy, sizeof remedy, "%s is from %.10Lg to %.10Lg; correct the row, or give one value in each",
             column == MEAN ? "theirs" : "theirs, of n - 1,", least / unit, most / unit);
    return import_refuse(sheet, row, sheet->column[column], what, remedy);
}

/* Of n values one is min and one is max, so their mean m is from min + range / n to max - range / n. The sum
 * of the squares of their distances from m is least when all others are equal, range^2 / 2 + 2 e^2 n / (n -
 * 2), and at most n (range^2 / 4 - e^2), when they are at the ends; e is the distance of m from the middle.
 * Rounding is allowed: half of the last digit of mean and sd, and half of the least last digit of the others
 * for each of them. An sd of 0 is taken to have the digits of the others, and then the range is taken as it
 * is. An empty one is not compared. */
static int check_statistics(const struct import_sheet *sheet, size_t row, const struct import_gathered *one,
                            long double sd)
{
    const long double n = one->n, range = one->max - one->min;
    const int power = one->scale->power;
    if (n < 2)
        return range > 0 || sd > 0 ? import_refuse(sheet, row, sheet->column[N],
                                                   "one value with a range or a deviation",
                                                   "give its n, or min = mean = max and no sd")
                                   : PB_OK;
    const long double mean_digit = digit_of(sheet, row, MEAN, power),
                      digit = fminl(mean_digit, fminl(digit_of(sheet, row, MIN, power),
                                                      digit_of(sheet, row, MAX, power)));
    const long double allowed = (mean_digit + digit) / 2 * (1 + 1e-9L), middle = (one->min + one->max) / 2;
    const long double away = fmaxl(fabsl(one->mean - middle) - allowed, 0);
    if (away > range * (n - 2) / n / 2)
        return refuse_statistic(sheet, row, MEAN, one, one->min + range / n, one->max - range / n);
    if (!*import_cell(sheet, row, sheet->column[SD]))
        return PB_OK;
    const long double rounded = sd > 0 ? digit_of(sheet, row, SD, power) : digit,
                      spread = sd > 0 ? digit : 0, narrow = fmaxl(range - spread, 0), wide = range + spread;
    const long double skew = n > 2 ? 2 * away * away * n / (n - 2) : 0,
                      least = sqrtl((narrow * narrow / 2 + skew) / (n - 1)),
                      most = sqrtl(fmaxl(wide * wide / 4 - away * away, 0) * n / (n - 1));
    return sd < (least - rounded / 2) * (1 - 1e-9L) || sd > (most + rounded / 2) * (1 + 1e-9L)
               ? refuse_statistic(sheet, row, SD, one, least, most)
               : PB_OK;
}

static int read_sums(const struct import_sheet *sheet, size_t row, struct import_gathered *gathered)
{
    const struct {
        enum column column;
        long double *to;
    } need[] = {{MIN, &gathered->min}, {MEAN, &gathered->mean}, {MAX, &gathered->max}};
    int64_t n = 0;
    long double sd = 0;
    int code = import_whole(sheet, row, N, 1, INT64_MAX, &n);
    if (!code && n > N_MOST)
        code = import_refuse(sheet, row, sheet->column[N], "more than 1000000000000 values",
                             "divide them into several runs");
    for (size_t i = 0; i < sizeof need / sizeof need[0] && !code; i++) {
        if (!*import_cell(sheet, row, sheet->column[need[i].column]))
            return import_refuse(sheet, row, sheet->column[N], "a row with n that lacks its min, mean or max",
                                 "give them, or one value in a row");
        code = import_scaled(sheet, row, need[i].column, gathered->scale, need[i].to);
    }
    if (!code)
        code = import_scaled(sheet, row, SD, gathered->scale, &sd);
    gathered->n = (long double)n;
    if (!code && (gathered->min > gathered->mean || gathered->mean > gathered->max))
        code = import_refuse(sheet, row, sheet->column[MEAN], "a mean outside min and max",
                             "correct the row");
    if (!code && sd < 0)
        code = import_refuse(sheet, row, sheet->column[SD], "a deviation below 0", "correct the row");
    if (!code)
        code = check_statistics(sheet, row, gathered, sd);
    gathered->squares = sd * sd * (n > 1 ? (long double)(n - 1) : 1);
    return code;
}

static bool same(long double a, long double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

/* What each row of a measurement has. */
static int read_limits(const struct import_sheet *sheet, size_t row, struct import_gathered *one)
{
    const struct {
        enum column column;
        long double *to;
    } limit[] = {{LOWER, &one->lower}, {UPPER, &one->upper}, {U95, &one->u95}, {MARGIN, &one->margin}};
    int code = import_find_scale(sheet, row, &one->scale);
    for (size_t i = 0; i < sizeof limit / sizeof limit[0] && !code; i++)
        code = import_scaled(sheet, row, limit[i].column, one->scale, limit[i].to);
    if (!code && one->lower > one->upper)
        code = import_refuse(sheet, row, sheet->column[LOWER], "a lower limit above the upper one",
                             "correct the limits");
    if (!code && one->u95 < 0)
        code = import_refuse(sheet, row, sheet->column[U95], "an uncertainty below 0", "correct it");
    return code ? code : read_judgement(sheet, row, &one->judgement);
}

/* The further rows of a measurement. */
static int join(const struct import_sheet *sheet, size_t row, const struct import_gathered *before,
                const struct import_gathered *one)
{
    const int column = sheet->column[MEASUREMENT];
    if (one->summed || before->summed)
        return import_refuse(sheet, row, column, "a measurement that its run has already",
                             "give each run a number of its own in column 'run'");
    if (before->scale != one->scale || !same(before->lower, one->lower) || !same(before->upper, one->upper) ||
        before->u95 != one->u95)
        return import_refuse(sheet, row, column,
                             "a value with another unit or other limits or u95 than the one before it,",
                             "give a run the same ones");
    return PB_OK;
}

/* Judges a row by its values and limits; its own cells must not contradict them. A guard band may fail a
 * value that is within the limits by less than u95, and u95 may excuse a value beyond them. The judgements of
 * an export are kept: the limits of a run may differ between its values. */
static int judge(const struct import_sheet *sheet, struct import_gathered *one)
{
    const long double given = one->margin, margin = fminl(one->min - one->lower, one->upper - one->max);
    const bool known = !isnan(margin), has_judgement = one->judgement >= PB_NOT_JUDGED;
    const int judgement = !known ? PB_NOT_JUDGED : margin < 0 ? PB_JUDGED_FAIL : PB_JUDGED_PASS;
    const bool stands = import_is_export(sheet, one->row);
    if (!stands && !isnan(given) && given != margin)
        return import_refuse(sheet, one->row, sheet->column[MARGIN],
                             "another margin than that of the values and limits",
                             "correct it, or leave it empty");
    if (isnan(given))
        one->margin = margin;
    if (!stands && has_judgement && known &&
        (one->judgement <= PB_JUDGED_PASS   ? margin < 0
         : one->judgement == PB_JUDGED_FAIL ? margin >= 0 && margin >= one->u95
                                            : margin < -one->u95))
        return import_refuse(sheet, one->row, sheet->column[JUDGEMENT],
                             "another judgement than that of the values and limits",
                             "correct it, or leave it empty");
    if (!has_judgement)
        one->judgement = isnan(given) || !stands ? judgement : given < 0 ? PB_JUDGED_FAIL : PB_JUDGED_PASS;
    return PB_OK;
}

static void add_value(struct import_gathered *all, const struct import_gathered *one, long double value)
{
    gather(all, value);
    all->margin = fminl(all->margin, one->margin);
    if (one->judgement > all->judgement) {
        all->judgement = one->judgement;
        all->row = one->row;
    }
}

int import_take_row(const struct import_sheet *sheet, size_t row, struct import_gathered *gathered,
                    size_t *count)
{
    const char *const id = import_cell(sheet, row, sheet->column[MEASUREMENT]);
    struct import_gathered one = {.id = id, .row = row, .lower = NAN, .upper = NAN, .margin = NAN};
    long double value = 0;
    size_t at = 0;
    one.summed = *import_cell(sheet, row, sheet->column[N]);
    const bool single = *import_cell(sheet, row, sheet->column[VALUE]);
    if (!*id && !single && !one.summed)
        return PB_OK; /* a run without any */
    if (!*id)
        return import_refuse(sheet, row, sheet->column[MEASUREMENT], "no name", "name what was measured");
    if (strlen(id) >= sizeof((struct pb_history_figure *)0)->id)
        return import_refuse(sheet, row, sheet->column[MEASUREMENT], "a name of more than 63 bytes",
                             "shorten it");
    int code = read_limits(sheet, row, &one);
    if (code)
        return code;
    if (one.summed == single)
        return import_refuse(sheet, row, sheet->column[MEASUREMENT],
                             "a measurement that needs either a value, or n, min, mean, max and sd,",
                             "fill in the column 'value', or the others");
    while (at < *count && strcmp(gathered[at].id, id) != 0)
        at++;
    code = at < *count ? join(sheet, row, &gathered[at], &one) : PB_OK;
    if (code)
        return code;
    if (at == IMPORT_FIGURES_MAX)
        return import_refuse(sheet, row, sheet->column[MEASUREMENT], "more than 4096 measurements of one run",
                             "give each run a number of its own in column 'run'");
    code = one.summed ? read_sums(sheet, row, &one) : import_scaled(sheet, row, VALUE, one.scale, &value);
    if (!code && !one.summed)
        gather(&one, value);
    if (!code)
        code = judge(sheet, &one);
    if (code)
        return code;
    if (at == *count)
        gathered[(*count)++] = one;
    else
        add_value(&gathered[at], &one, value);
    return PB_OK;
}

static int64_t limit_of(long double limit)
{
    return isnan(limit) ? PB_ABSENT : llroundl(limit);
}

void import_finish(struct pb_history_figure *figure, const struct import_gathered *gathered)
{
    *figure = (struct pb_history_figure){
        .n = (uint64_t)gathered->n,
        .min = llroundl(gathered->min),
        .mean = llroundl(gathered->mean),
        .max = llroundl(gathered->max),
        .sd = llroundl(sqrtl(gathered->squares / (gathered->n > 1 ? gathered->n - 1 : 1))),
        .u95 = llroundl(gathered->u95),
        .lower = limit_of(gathered->lower),
        .upper = limit_of(gathered->upper),
        .margin = limit_of(gathered->margin),
    };
    snprintf(figure->id, sizeof figure->id, "%s", gathered->id);
    snprintf(figure->unit, sizeof figure->unit, "%s", gathered->scale->stored);
    snprintf(figure->judgement, sizeof figure->judgement, "%s", pb_judgement_name(gathered->judgement));
}
