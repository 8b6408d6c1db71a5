/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * First-pass and final yield. Pure.
 */
#include "phasebench/error.h"
#include "phasebench/history.h"

#include <stdlib.h>
#include <string.h>

enum { DAY_LENGTH = 10 };

static bool passed(const struct pb_history_run *run)
{
    return run->verdict == PB_VERDICT_PASS || run->verdict == PB_VERDICT_MARGINAL;
}

/* By scenario and unit; of one unit by attempt. */
static int by_unit(const void *left, const void *right)
{
    const struct pb_history_run *a = *(const struct pb_history_run *const *)left,
                                *b = *(const struct pb_history_run *const *)right;
    const int scenario = strcmp(a->scenario, b->scenario), unit = strcmp(a->unit, b->unit);
    return scenario ? scenario : unit ? unit : (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

/* By scenario, day of the first pass and station. */
static int by_day(const void *left, const void *right)
{
    const struct pb_history_run *a = ((const struct pb_history_unit *)left)->first,
                                *b = ((const struct pb_history_unit *)right)->first;
    const int scenario = strcmp(a->scenario, b->scenario),
              day = strncmp(a->started_utc, b->started_utc, DAY_LENGTH);
    return scenario ? scenario : day ? day : strcmp(a->station, b->station);
}

static int by_station(const void *left, const void *right)
{
    return strcmp(((const struct pb_history_unit *)left)->first->station,
                  ((const struct pb_history_unit *)right)->first->station);
}

/* The units whose first pass is among the runs. */
static size_t find_units(struct pb_history_unit *unit, const struct pb_history_run **sorted, size_t runs)
{
    size_t units = 0;
    for (size_t i = 0; i < runs; i++) {
        const struct pb_history_run *run = sorted[i];
        struct pb_history_unit *open = units ? &unit[units - 1] : NULL;
        if (run->attempt == 1)
            unit[units++] = (struct pb_history_unit){.first = run, .last = run};
        else if (open && !strcmp(open->first->scenario, run->scenario) &&
                 !strcmp(open->first->unit, run->unit)) {
            open->last = run;
            open->retests++;
        }
    }
    return units;
}

/* The units of one station follow each other. */
static void find_worst(struct pb_history_yield *row, const struct pb_history_unit *unit, size_t units)
{
    for (size_t i = 0, end; i < units; i = end) {
        size_t good = 0;
        for (end = i; end < units && !strcmp(unit[end].first->station, unit[i].first->station); end++)
            good += passed(unit[end].first);
        const size_t here = good * row->worst_units, worst = row->worst_passed * (end - i);
        if (!row->worst_station || here < worst || (here == worst && end - i > row->worst_units)) {
            row->worst_station = unit[i].first->station;
            row->worst_units = end - i;
            row->worst_passed = good;
        }
    }
}

/* day, station: those of the first unit; else of all days, or of all stations. */
static struct pb_history_yield count(const struct pb_history_unit *unit, size_t units, bool day, bool station)
{
    struct pb_history_yield row = {.scenario = unit[0].first->scenario,
                                   .station = station ? unit[0].first->station : NULL,
                                   .units = units};
    if (day)
        memcpy(row.day, unit[0].first->started_utc, DAY_LENGTH);
    for (size_t i = 0; i < units; i++) {
        row.first_passed += passed(unit[i].first);
        row.finally_passed += passed(unit[i].last);
        row.retests += unit[i].retests;
    }
    find_worst(&row, unit, units);
    return row;
}

/* Returns the number of units from the first on that have its scenario, and its day. */
static size_t alike(const struct pb_history_unit *unit, size_t units, bool of_day)
{
    size_t length = 1;
    while (length < units && !strcmp(unit[length].first->scenario, unit[0].first->scenario) &&
           (!of_day || !strncmp(unit[length].first->started_utc, unit[0].first->started_utc, DAY_LENGTH)))
        length++;
    return length;
}

/* The row of some units, whose stations follow each other, and if wanted the rows of the stations. */
static size_t add_rows(struct pb_history_yield *row, const struct pb_history_unit *unit, size_t units,
                       bool day, bool stations)
{
    size_t rows = 0;
    row[rows++] = count(unit, units, day, false);
    for (size_t i = 0, here; i < units && stations; i += here) {
        for (here = 1; i + here < units; here++)
            if (strcmp(unit[i + here].first->station, unit[i].first->station) != 0)
                break;
        row[rows++] = count(&unit[i], here, day, true);
    }
    return rows;
}

static size_t make_rows(struct pb_history_yield *row, struct pb_history_unit *unit, size_t units,
                        bool stations)
{
    size_t rows = 0;
    qsort(unit, units, sizeof *unit, by_day);
    for (size_t i = 0, length; i < units; i += length) {
        length = alike(&unit[i], units - i, false);
        qsort(&unit[i], length, sizeof *unit, by_station);
        rows += add_rows(&row[rows], &unit[i], length, false, stations);
        qsort(&unit[i], length, sizeof *unit, by_day);
        for (size_t j = 0, of_day; j < length; j += of_day) {
            of_day = alike(&unit[i + j], length - j, true);
            rows += add_rows(&row[rows], &unit[i + j], of_day, true, stations);
        }
    }
    return rows;
}

int pb_history_units(struct pb_history_unit **out, size_t *units, const struct pb_history_run *run,
                     size_t runs)
{
    size_t judged = 0;
    const struct pb_history_run **sorted = malloc((runs + 1) * sizeof *sorted);
    *units = 0;
    *out = malloc((runs + 1) * sizeof **out);
    if (!sorted || !*out) {
        free(sorted);
        free(*out);
        *out = NULL;
        return PB_ERR_MEMORY;
    }
    for (size_t i = 0; i < runs; i++)
        if (run[i].attempt)
            sorted[judged++] = &run[i];
    qsort(sorted, judged, sizeof *sorted, by_unit);
    *units = find_units(*out, sorted, judged);
    free(sorted);
    return PB_OK;
}

int pb_history_yield(struct pb_history_yield **out, size_t *rows, const struct pb_history_run *run,
                     size_t runs, bool stations)
{
    struct pb_history_unit *unit;
    size_t units;
    *rows = 0;
    *out = malloc((4 * runs + 1) * sizeof **out); /* a unit has at most four rows of its own */
    if (!*out || pb_history_units(&unit, &units, run, runs)) {
        free(*out);
        *out = NULL;
        return PB_ERR_MEMORY;
    }
    *rows = make_rows(*out, unit, units, stations);
    free(unit);
    return PB_OK;
}
