/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A measurement over time. Cpk: NIST/SEMATECH e-Handbook of Statistical Methods, 6.1.6. Slope and its
 * standard error: ordinary least squares, the same, 4.4.3.1.
 */
#include "phasebench/history.h"

#include <math.h>
#include <string.h>

enum { DAY_S = 86400 };

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

/* Of the runs, from the first one on, so that equal values have no deviation. */
static double distance(const struct pb_history_value *value, size_t run)
{
    return (double)value[run].figure.mean - (double)value[0].figure.mean;
}

static void take_runs(struct pb_history_trend *out, const struct pb_history_value *value)
{
    double squares = 0;
    out->mean = (double)value[0].figure.mean;
    for (size_t i = 0; i < out->runs; i++)
        out->mean += distance(value, i) / (double)out->runs;
    for (size_t i = 0; i < out->runs; i++)
        squares += pow((double)value[i].figure.mean - out->mean, 2);
    out->sd = out->runs > 1 ? sqrt(squares / (double)(out->runs - 1)) : 0;
}

/* All values as one sample: the squares within the runs and between them. */
static void take_values(struct pb_history_trend *out, const struct pb_history_value *value)
{
    double squares = 0;
    for (size_t i = 0; i < out->runs; i++)
        out->n += value[i].figure.n;
    out->value_mean = (double)value[0].figure.mean;
    for (size_t i = 0; i < out->runs; i++)
        out->value_mean += distance(value, i) * ((double)value[i].figure.n / (double)out->n);
    for (size_t i = 0; i < out->runs; i++) {
        const struct pb_history_figure *figure = &value[i].figure;
        squares += ((double)figure->n - 1) * pow((double)figure->sd, 2) +
                   (double)figure->n * pow((double)figure->mean - out->value_mean, 2);
    }
    out->value_sd = out->n > 1 ? sqrt(squares / (double)(out->n - 1)) : 0;
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

static enum pb_history_capability judge(struct pb_history_trend *out, const struct pb_history_value *value)
{
    if (!find_limits(out, value))
        return PB_CAPABLE_UNLIKE;
    if (out->lower == PB_ABSENT && out->upper == PB_ABSENT)
        return PB_CAPABLE_FREE;
    if (out->n < 2)
        return PB_CAPABLE_FEW;
    if (out->value_sd <= 0)
        return PB_CAPABLE_EQUAL;
    const double below = out->lower == PB_ABSENT ? INFINITY : out->value_mean - (double)out->lower;
    const double above = out->upper == PB_ABSENT ? INFINITY : (double)out->upper - out->value_mean;
    out->cpk = fmin(below, above) / (3 * out->value_sd);
    return PB_CAPABLE;
}

static void fit(struct pb_history_trend *out, const struct pb_history_value *value)
{
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
        xy += x * ((double)value[i].figure.mean - out->mean);
    }
    if (xx <= 0)
        return;
    out->slope = xy / xx;
    for (size_t i = 0; i < out->runs; i++) {
        pb_history_seconds(value[i].run.started_utc, &at_s);
        const double x = (double)(at_s - first_s) / DAY_S - middle;
        squares += pow((double)value[i].figure.mean - out->mean - out->slope * x, 2);
    }
    out->slope_error = sqrt(squares / (double)(out->runs - 2) / xx);
    out->drifts = true;
}

void pb_history_trend_of(struct pb_history_trend *out, const struct pb_history_value *value, size_t count)
{
    *out = (struct pb_history_trend){
        .runs = count, .capability = PB_CAPABLE_FEW, .lower = PB_ABSENT, .upper = PB_ABSENT};
    if (!count)
        return;
    take_runs(out, value);
    take_values(out, value);
    out->capability = judge(out, value);
    fit(out, value);
}
