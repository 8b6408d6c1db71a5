/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A measurement over time. Cpk and Ppk: NIST/SEMATECH e-Handbook of Statistical Methods, 6.1.6, with the
 * deviation within subgroups and the overall one. Slope and its standard error: ordinary least squares, the
 * same, 4.4.3.1.
 */
#include "phasebench/history.h"

#include <math.h>
#include <string.h>

enum { DAY_S = 86400 };

/* Mean and deviation of the range of n normal values, in units of their deviation: d2 and d3 of control
 * charts. Beyond 8 values the range loses too much of what the values say. */
enum { RANGE_VALUES = 8 };
static const struct {
    double mean, sd;
} normal_range[RANGE_VALUES + 1] = {[2] = {1.128, 0.8525}, {1.693, 0.8884}, {2.059, 0.8798}, {2.326, 0.8641},
                                    {2.534, 0.8480},       {2.704, 0.8332}, {2.847, 0.8198}};

/* Days from 1970-01-01 to a date of the Gregorian calendar: years begin in March, so that a leap day ends
 * one. */
static int64_t days_to(int year, int month, int day)
{
    const int64_t years = month > 2 ? year : year - 1, era = years / 400, of_era = years - era * 400;
    const int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool is_date(int year, int month, int day)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return year >= 1970 && month >= 1 && month <= 12 && day >= 1 &&
           day <= length[month - 1] + (month == 2 && leap);
}

bool pb_history_seconds(const char *utc, int64_t *seconds)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    int part[6] = {0};
    size_t parts = 0, length = strlen(utc);
    if (length != 10 && length != sizeof form - 1)
        return false;
    for (size_t i = 0; i < length; i++) {
        const bool digit = utc[i] >= '0' && utc[i] <= '9';
        if (form[i] == 'd' ? !digit : utc[i] != form[i])
            return false;
        if (digit)
            part[parts] = 10 * part[parts] + utc[i] - '0';
        else
            parts++;
    }
    if (!is_date(part[0], part[1], part[2]) || part[3] > 23 || part[4] > 59 || part[5] > 60)
        return false;
    *seconds = days_to(part[0], part[1], part[2]) * DAY_S + part[3] * 3600 + part[4] * 60 + part[5];
    return true;
}

/* The digits that both have in common are no loss. */
static double apart(int64_t number, int64_t other)
{
    return (double)((long double)number - (long double)other);
}

/* Of the runs, from the first one on, so that equal values have no deviation. */
static double distance(const struct pb_history_value *value, size_t run)
{
    return apart(value[run].figure.mean, value[0].figure.mean);
}

static double mean_distance(const struct pb_history_value *value, size_t runs)
{
    double mean = 0;
    for (size_t i = 0; i < runs; i++)
        mean += distance(value, i) / (double)runs;
    return mean;
}

/* The same, weighted by the numbers of values. */
static double value_distance(const struct pb_history_value *value, size_t runs, uint64_t n)
{
    double mean = 0;
    for (size_t i = 0; i < runs; i++)
        mean += distance(value, i) * ((double)value[i].figure.n / (double)n);
    return mean;
}

static void take_runs(struct pb_history_trend *out, const struct pb_history_value *value)
{
    const double mean = mean_distance(value, out->runs);
    double squares = 0;
    out->mean = (double)value[0].figure.mean + mean;
    for (size_t i = 0; i < out->runs; i++)
        squares += pow(distance(value, i) - mean, 2);
    out->sd = out->runs > 1 ? sqrt(squares / (double)(out->runs - 1)) : 0;
}

/* All values as one sample: the squares within the runs and between them. */
static void take_values(struct pb_history_trend *out, const struct pb_history_value *value)
{
    double squares = 0;
    for (size_t i = 0; i < out->runs; i++)
        out->n += value[i].figure.n;
    const double mean = value_distance(value, out->runs, out->n);
    out->value_mean = (double)value[0].figure.mean + mean;
    for (size_t i = 0; i < out->runs; i++) {
        const struct pb_history_figure *figure = &value[i].figure;
        squares += ((double)figure->n - 1) * pow((double)figure->sd, 2) +
                   (double)figure->n * pow(distance(value, i) - mean, 2);
    }
    out->value_sd = out->n > 1 ? sqrt(squares / (double)(out->n - 1)) : 0;
}

/* A record may lack its extremes. */
static bool has_range(const struct pb_history_figure *figure)
{
    return figure->n < 2 || (figure->n <= RANGE_VALUES && (figure->max > figure->min || figure->sd == 0));
}

/* Each run estimates by its range; their mean is weighted by the inverse variances. */
static double within_by_ranges(const struct pb_history_value *value, size_t runs)
{
    double weights = 0, sum = 0;
    for (size_t i = 0; i < runs; i++) {
        const struct pb_history_figure *figure = &value[i].figure;
        if (figure->n < 2)
            continue;
        const double mean = normal_range[figure->n].mean, weight = pow(mean / normal_range[figure->n].sd, 2);
        weights += weight;
        sum += weight * apart(figure->max, figure->min) / mean;
    }
    return sum / weights;
}

static double within_pooled(const struct pb_history_value *value, size_t runs)
{
    double squares = 0, freedom = 0;
    for (size_t i = 0; i < runs; i++) {
        const double free_values = value[i].figure.n ? (double)value[i].figure.n - 1 : 0;
        squares += free_values * pow((double)value[i].figure.sd, 2);
        freedom += free_values;
    }
    return sqrt(squares / freedom);
}

/* False: no run has two values. */
static bool take_within(struct pb_history_trend *out, const struct pb_history_value *value)
{
    bool pairs = false, ranges = true;
    for (size_t i = 0; i < out->runs; i++) {
        pairs |= value[i].figure.n > 1;
        ranges &= has_range(&value[i].figure);
    }
    out->within = ranges ? PB_WITHIN_RANGES : PB_WITHIN_POOLED;
    if (pairs)
        out->within_sd = ranges ? within_by_ranges(value, out->runs) : within_pooled(value, out->runs);
    return pairs;
}

static bool find_limits(struct pb_history_trend *out, const struct pb_history_value *value)
{
    out->lower = value[0].figure.lower;
    out->upper = value[0].figure.upper;
    for (size_t i = 1; i < out->runs; i++)
        if (value[i].figure.lower != out->lower || value[i].figure.upper != out->upper) {
            out->lower = out->upper = PB_ABSENT;
            return false;
        }
    return true;
}

/* What both indices need. */
static enum pb_history_capability judge(struct pb_history_trend *out, const struct pb_history_value *value)
{
    if (!find_limits(out, value))
        return PB_CAPABLE_UNLIKE;
    if (out->lower == PB_ABSENT && out->upper == PB_ABSENT)
        return PB_CAPABLE_FREE;
    return out->n < 2 ? PB_CAPABLE_FEW : PB_CAPABLE;
}

static double capability(const struct pb_history_trend *trend, const struct pb_history_value *value,
                         double sd)
{
    const int64_t first = value[0].figure.mean;
    const double mean = value_distance(value, trend->runs, trend->n),
                 below = trend->lower == PB_ABSENT ? INFINITY : mean + apart(first, trend->lower),
                 above = trend->upper == PB_ABSENT ? INFINITY : apart(trend->upper, first) - mean;
    return fmin(below, above) / (3 * sd);
}

static void take_capability(struct pb_history_trend *out, const struct pb_history_value *value)
{
    const bool pairs = take_within(out, value);
    out->capability = out->cpk_capability = judge(out, value);
    if (out->capability != PB_CAPABLE)
        return;
    if (out->value_sd > 0)
        out->ppk = capability(out, value, out->value_sd);
    else
        out->capability = PB_CAPABLE_EQUAL;
    if (out->within_sd > 0)
        out->cpk = capability(out, value, out->within_sd);
    else
        out->cpk_capability = pairs ? PB_CAPABLE_EQUAL : PB_CAPABLE_ALONE;
}

static void fit(struct pb_history_trend *out, const struct pb_history_value *value)
{
    const double mean = mean_distance(value, out->runs);
    double middle = 0, xx = 0, xy = 0, squares = 0;
    int64_t first_s, at_s;
    if (out->runs < 3 || !pb_history_seconds(value[0].run.started_utc, &first_s))
        return;
    for (size_t i = 0; i < out->runs; i++) {
        if (!pb_history_seconds(value[i].run.started_utc, &at_s))
            return;
        middle += (double)(at_s - first_s) / DAY_S / (double)out->runs;
    }
    for (size_t i = 0; i < out->runs; i++) {
        pb_history_seconds(value[i].run.started_utc, &at_s);
        const double x = (double)(at_s - first_s) / DAY_S - middle;
        xx += x * x;
        xy += x * (distance(value, i) - mean);
    }
    if (xx <= 0)
        return;
    out->slope = xy / xx;
    for (size_t i = 0; i < out->runs; i++) {
        pb_history_seconds(value[i].run.started_utc, &at_s);
        const double x = (double)(at_s - first_s) / DAY_S - middle;
        squares += pow(distance(value, i) - mean - out->slope * x, 2);
    }
    out->slope_error = sqrt(squares / (double)(out->runs - 2) / xx);
    out->drifts = true;
}

void pb_history_trend_of(struct pb_history_trend *out, const struct pb_history_value *value, size_t count)
{
    *out = (struct pb_history_trend){
        .runs = count,
        .capability = PB_CAPABLE_FEW,
        .cpk_capability = PB_CAPABLE_FEW,
        .lower = PB_ABSENT,
        .upper = PB_ABSENT,
    };
    if (!count)
        return;
    take_runs(out, value);
    take_values(out, value);
    take_capability(out, value);
    fit(out, value);
}
