/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/gauge.h"
#include "phasebench/statistics.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST 1e140 /* sums of its squares, and of those of its inverse, are finite and not 0 */

/* Means of a balanced design, of the values less the first one: digits that all of them share are no loss. */
struct means {
    long double all;
    long double *part, *appraiser, *cell; /* owned; a cell is a part with an appraiser */
    unsigned *trials;                     /* owned; of each cell */
    long double first, size, nothing; /* size: of the largest value; nothing: the most that rounding makes of
                                         an effect that is none */
};

static void free_means(struct means *means)
{
    free(means->part);
    free(means->appraiser);
    free(means->cell);
    free(means->trials);
}

/* ---- what a diagnostic calls them */

#define NAME_SIZE 48 /* 4 of them, and a sentence, are a diagnostic */

static const char *name_of(char name[NAME_SIZE], const char *const *names, size_t number)
{
    if (names)
        snprintf(name, NAME_SIZE, "'%.40s'", names[number]);
    else
        snprintf(name, NAME_SIZE, "%zu", number + 1);
    return name;
}

static const char *part_name(char name[NAME_SIZE], const struct pb_gauge_names *names, size_t number)
{
    return name_of(name, names ? names->part : NULL, number);
}

static const char *appraiser_name(char name[NAME_SIZE], const struct pb_gauge_names *names, size_t number)
{
    return name_of(name, names ? names->appraiser : NULL, number);
}

/* ---- the design */

/* Of more cells than values one of the first count + 1 is without a value. */
static int report_missing(const struct pb_gauge *gauge, const struct pb_gauge_value *value, size_t count,
                          const struct pb_gauge_names *names, struct pb_diag *diag)
{
    char part[NAME_SIZE], appraiser[NAME_SIZE];
    bool *const found = calloc(count + 1, sizeof *found);
    size_t cell = 0;
    if (!found)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the study");
    for (size_t i = 0; i < count; i++) {
        const size_t its = (size_t)value[i].part * gauge->appraisers + value[i].appraiser;
        if (its <= count)
            found[its] = true;
    }
    while (found[cell])
        cell++;
    free(found);
    return pb_fail(diag, PB_ERR_CONFIG,
                   "part %s has no value of appraiser %s; each appraiser measures each part 2 times or more",
                   part_name(part, names, cell / gauge->appraisers),
                   appraiser_name(appraiser, names, cell % gauge->appraisers));
}

static int count_places(struct pb_gauge *gauge, const struct pb_gauge_value *value, size_t count,
                        const struct pb_gauge_names *names, struct pb_diag *diag)
{
    long double least = INFINITY, most = -INFINITY;
    char part[NAME_SIZE], appraiser[NAME_SIZE];
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(value[i].value))
            return pb_fail(diag, PB_ERR_CONFIG, "a value of part %s by appraiser %s is not a number",
                           part_name(part, names, value[i].part),
                           appraiser_name(appraiser, names, value[i].appraiser));
        least = fminl(least, value[i].value);
        most = fmaxl(most, value[i].value);
        gauge->parts = value[i].part >= gauge->parts ? value[i].part + 1 : gauge->parts;
        gauge->appraisers =
            value[i].appraiser >= gauge->appraisers ? value[i].appraiser + 1 : gauge->appraisers;
    }
    if (!count)
        return pb_fail(diag, PB_ERR_CONFIG, "no values; a study needs 2 parts or more");
    if (gauge->parts < 2)
        return pb_fail(diag, PB_ERR_CONFIG, "all values are of part %s; a study needs 2 parts or more",
                       part_name(part, names, 0));
    if ((size_t)gauge->parts * gauge->appraisers > count)
        return report_missing(gauge, value, count, names, diag);
    if (least == most)
        return pb_fail(diag, PB_ERR_CONFIG, "all values are equal; a study needs parts that differ");
    if (fmaxl(fabsl(least), fabsl(most)) > LARGEST || most - least < 1 / LARGEST)
        return pb_fail(diag, PB_ERR_CONFIG,
                      "squares of the values leave the range of numbers; give values below 1e140 that differ "
                      "by more than 1e-140, in another unit");
    return PB_OK;
}

static int check_balance(struct pb_gauge *gauge, const struct means *means,
                         const struct pb_gauge_names *names, struct pb_diag *diag)
{
    const size_t cells = (size_t)gauge->parts * gauge->appraisers, o = gauge->appraisers;
    size_t few = 0, many = 0;
    char name[4][NAME_SIZE];
    for (size_t cell = 0; cell < cells; cell++) {
        few = means->trials[cell] < means->trials[few] ? cell : few;
        many = means->trials[cell] > means->trials[many] ? cell : many;
    }
    gauge->trials = means->trials[0];
    if (means->trials[few] != means->trials[many])
        return pb_fail(diag, PB_ERR_CONFIG,
                       "part %s has %u value%s of appraiser %s, and part %s has %u of appraiser %s; each "
                       "needs the same number, 2 or more",
                       part_name(name[0], names, few / o), means->trials[few],
                       means->trials[few] == 1 ? "" : "s", appraiser_name(name[1], names, few % o),
                       part_name(name[2], names, many / o), means->trials[many],
                       appraiser_name(name[3], names, many % o));
    return gauge->trials >= 2 ? PB_OK
                              : pb_fail(diag, PB_ERR_CONFIG,
                                        "each part has 1 value of each appraiser; a study needs 2 or more");
}

static int average(struct means *means, struct pb_gauge *gauge, const struct pb_gauge_value *value,
                   size_t count, const struct pb_gauge_names *names, struct pb_diag *diag)
{
    const size_t cells = (size_t)gauge->parts * gauge->appraisers;
    *means = (struct means){.part = calloc(gauge->parts, sizeof *means->part),
                            .appraiser = calloc(gauge->appraisers, sizeof *means->appraiser),
                            .cell = calloc(cells, sizeof *means->cell),
                            .trials = calloc(cells, sizeof *means->trials)};
    if (!means->part || !means->appraiser || !means->cell || !means->trials)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the study");
    for (size_t i = 0; i < count; i++)
        means->trials[(size_t)value[i].part * gauge->appraisers + value[i].appraiser]++;
    const int code = check_balance(gauge, means, names, diag);
    if (code)
        return code;
    const long double p = gauge->parts, o = gauge->appraisers, r = gauge->trials;
    long double range = 0;
    means->first = value[0].value;
    for (size_t i = 0; i < count; i++) {
        const long double its = value[i].value - means->first;
        means->all += its / (long double)count;
        means->part[value[i].part] += its / (o * r);
        means->appraiser[value[i].appraiser] += its / (p * r);
        means->cell[(size_t)value[i].part * gauge->appraisers + value[i].appraiser] += its / r;
        means->size = fmaxl(means->size, fabsl(value[i].value));
        range = fmaxl(range, fabsl(its));
    }
    /* An effect is a sum of four means: of values that were rounded, and of as many additions. */
    means->nothing = 4 * LDBL_EPSILON * (means->size + range * (long double)count);
    return PB_OK;
}

static double square(const struct means *means, long double effect)
{
    return fabsl(effect) > means->nothing ? (double)(effect * effect) : 0;
}

static void add_row(struct pb_gauge *gauge, enum pb_gauge_source source, double squares, double freedom)
{
    gauge->row[source] = (struct pb_gauge_row){squares, freedom, freedom > 0 ? squares / freedom : 0};
}

static void analyse(struct pb_gauge *gauge, const struct means *means, const struct pb_gauge_value *value,
                    size_t count)
{
    const double p = gauge->parts, o = gauge->appraisers, r = gauge->trials;
    double parts = 0, appraisers = 0, interaction = 0, error = 0;
    for (unsigned i = 0; i < gauge->parts; i++)
        parts += o * r * square(means, means->part[i] - means->all);
    for (unsigned k = 0; k < gauge->appraisers; k++)
        appraisers += p * r * square(means, means->appraiser[k] - means->all);
    for (unsigned i = 0; i < gauge->parts; i++)
        for (unsigned k = 0; k < gauge->appraisers; k++)
            interaction += r * square(means, means->cell[(size_t)i * gauge->appraisers + k] -
                                                 means->part[i] - means->appraiser[k] + means->all);
    for (size_t i = 0; i < count; i++)
        error += square(means,
                        value[i].value - means->first -
                            means->cell[(size_t)value[i].part * gauge->appraisers + value[i].appraiser]);
    add_row(gauge, PB_GAUGE_PART, parts, p - 1);
    add_row(gauge, PB_GAUGE_APPRAISER, o > 1 ? appraisers : 0, o - 1);
    add_row(gauge, PB_GAUGE_INTERACTION, o > 1 ? interaction : 0, (p - 1) * (o - 1));
    add_row(gauge, PB_GAUGE_ERROR, error, p * o * (r - 1));
}

/* Of digits that numbers of this size do not hold, the figures would be those of the rounding: it is at most
 * a thousandth of each effect. */
static int check_digits(const struct pb_gauge *gauge, const struct means *means, size_t count,
                        struct pb_diag *diag)
{
    for (int i = 0; i < PB_GAUGE_SOURCES; i++) {
        const double effect = sqrt(gauge->row[i].squares / (double)count);
        if (effect > 0 && effect < 1000 * LDBL_EPSILON * means->size)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "values of %.3Lg with an effect of %.3g (%s) have more digits than are computed "
                           "with; round them, or subtract one number from all",
                           means->size, effect, pb_gauge_source_name(i));
    }
    return PB_OK;
}

static double positive(double variance)
{
    return variance > 0 ? variance : 0;
}

static void components(struct pb_gauge *gauge)
{
    const struct pb_gauge_row *row = gauge->row;
    const double p = gauge->parts, o = gauge->appraisers, r = gauge->trials;
    const struct pb_gauge_row *both = &row[PB_GAUGE_INTERACTION], *error = &row[PB_GAUGE_ERROR];
    gauge->p_interaction = 1;
    if (both->freedom > 0 && error->mean_square > 0) {
        gauge->f_interaction = both->mean_square / error->mean_square;
        gauge->p_interaction = pb_f_tail(gauge->f_interaction, both->freedom, error->freedom);
    } else if (both->mean_square > 0) {
        gauge->p_interaction = 0;
    }
    gauge->pooled = gauge->p_interaction > PB_GAUGE_POOL_P;
    const double pooled = (both->squares + error->squares) / (both->freedom + error->freedom),
                 repeats = gauge->pooled ? pooled : error->mean_square,
                 together = gauge->pooled ? repeats : both->mean_square,
                 interaction = gauge->pooled ? 0 : positive((together - repeats) / r),
                 appraiser = o > 1 ? positive((row[PB_GAUGE_APPRAISER].mean_square - together) / (p * r)) : 0,
                 part = positive((row[PB_GAUGE_PART].mean_square - together) / (o * r));
    gauge->repeatability = sqrt(repeats);
    gauge->reproducibility = sqrt(appraiser + interaction);
    gauge->study = sqrt(repeats + appraiser + interaction);
    gauge->parts_deviation = sqrt(part);
    gauge->total = sqrt(repeats + appraiser + interaction + part);
}

static void judge(struct pb_gauge *gauge, double tolerance)
{
    gauge->study_percent = gauge->total > 0 ? 100 * gauge->study / gauge->total : 0;
    gauge->contribution_percent = gauge->study_percent * gauge->study_percent / 100;
    gauge->tolerance_percent = tolerance > 0 ? 600 * gauge->study / tolerance : 0;
    gauge->categories = sqrt(2) * gauge->parts_deviation / gauge->study;
    const double worst = fmax(gauge->study_percent, gauge->tolerance_percent);
    gauge->verdict = worst > 30 ? PB_GAUGE_POOR : worst >= 10 ? PB_GAUGE_CONDITIONAL : PB_GAUGE_GOOD;
    if (gauge->verdict == PB_GAUGE_GOOD && !(gauge->categories >= 5))
        gauge->verdict = PB_GAUGE_CONDITIONAL;
}

int pb_gauge_evaluate(struct pb_gauge *out, const struct pb_gauge_value *value, size_t count,
                      double tolerance, const struct pb_gauge_names *names, struct pb_diag *diag)
{
    struct means means = {.part = NULL};
    *out = (struct pb_gauge){.parts = 0};
    int code = count_places(out, value, count, names, diag);
    if (!code)
        code = average(&means, out, value, count, names, diag);
    if (!code) {
        analyse(out, &means, value, count);
        code = check_digits(out, &means, count, diag);
    }
    if (!code) {
        components(out);
        judge(out, tolerance);
    }
    free_means(&means);
    return code;
}

const char *pb_gauge_verdict_text(enum pb_gauge_verdict verdict)
{
    static const char *const text[] = {"acceptable", "acceptable for some uses", "not acceptable"};
    return (unsigned)verdict < sizeof text / sizeof *text ? text[verdict] : "";
}

const char *pb_gauge_source_name(int source)
{
    static const char *const name[PB_GAUGE_SOURCES] = {"part", "appraiser", "interaction", "error"};
    return name[source];
}
