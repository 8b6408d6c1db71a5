/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table of stamps: one column; or channel and stamp, of which one channel is taken; or a stamp and the
 * levels of channels, as logic analysers export them. The unit is in the name of the column.
 */
#include "host/base/table.h"
#include "stamps.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    double ps;
} unit[] = {{"s", 1e12},           {"sec", 1e12}, {"seconds", 1e12},    {"ms", 1e9},
            {"milliseconds", 1e9}, {"us", 1e6},   {"\302\265s", 1e6},   {"\316\274s", 1e6},
            {"microseconds", 1e6}, {"ns", 1e3},   {"nanoseconds", 1e3}, {"ps", 1},
            {"picoseconds", 1}};

/* Of "time_ns", "Time [s]", "t (us)": the last word; 0: it is no unit. "Ms" and "Ps" are mega- and
 * petaseconds, while a name may be in capitals. */
static double unit_of(const char *name)
{
    char word[16];
    size_t end = strlen(name), begin;
    while (end && !isalpha((unsigned char)name[end - 1]))
        end--;
    for (begin = end; begin && (isalpha((unsigned char)name[begin - 1]) || (name[begin - 1] & 0x80));)
        begin--;
    if (end - begin >= sizeof word)
        return 0;
    memcpy(word, name + begin, end - begin);
    word[end - begin] = '\0';
    if (isupper((unsigned char)word[0]) && islower((unsigned char)word[1]) && !word[2])
        return 0;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (!strcasecmp(unit[i].name, word))
            return unit[i].ps;
    return 0;
}

/* The short name of a unit of --time-unit. */
static const char *name_of_unit(double ps)
{
    size_t i = 0;
    while (i + 1 < sizeof unit / sizeof unit[0] && fabs(unit[i].ps / ps - 1) > 1e-9)
        i++;
    return unit[i].name;
}

struct columns {
    int time, channel, level; /* -1: none */
    double unit_ps;
};

static bool is_level(const char *cell)
{
    return !strcmp(cell, "0") || !strcmp(cell, "1");
}

static bool has_levels(const struct pb_table *table, int column)
{
    bool levels = pb_table_rows(table) > 0;
    for (size_t row = 0; row < pb_table_rows(table) && levels; row++)
        levels = is_level(pb_table_cell(table, row, column));
    return levels;
}

/* Rates the similarity of a column to stamps. A signal may be called S. */
static int likeness(const struct pb_table *table, int column)
{
    const char *const name = pb_table_name(table, column);
    const bool called = !strncasecmp(name, "time", 4) || !strncasecmp(name, "stamp", 5);
    if (!(unit_of(name) > 0))
        return called ? 2 : 0;
    return called ? 4 : has_levels(table, column) ? 1 : 3;
}

/* The stamps: a column called time or stamp, or with a unit, or the only one. */
static int find_time(struct columns *columns, const struct pb_table *table)
{
    int most = 0;
    columns->time = pb_table_columns(table) == 1 ? 0 : -1;
    for (int i = 0; i < pb_table_columns(table) && most < 4; i++) {
        const int its = likeness(table, i);
        if (its > most) {
            most = its;
            columns->time = i;
        }
    }
    return columns->time;
}

/* The only column of levels, if there is one. */
static int choose_level(struct columns *columns, const struct pb_table *table,
                        const struct stamps_source *source, struct pb_diag *diag)
{
    const char *const wanted = source->choice->channel;
    char names[STAMPS_NAMES] = "";
    unsigned found = 0;
    int other = -1; /* of no levels: the samples of an oscilloscope, or levels written otherwise */
    for (int i = 0; i < pb_table_columns(table); i++) {
        if (i == columns->time)
            continue;
        if (!has_levels(table, i)) {
            other = i;
            continue;
        }
        columns->level = i;
        pb_stamps_name(names, pb_table_name(table, i));
        found++;
    }
    if (!found && other >= 0 && !wanted)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s:%u: column '%.40s' has no levels 0 and 1, so a row may be a sample and no edge; "
                       "give --channel '%.40s' if each row is an edge, or write levels 0 and 1",
                       source->path, pb_table_names_line(table), pb_table_name(table, other),
                       pb_table_name(table, columns->time));
    if (found && wanted)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s:%u: column '%.40s' has the instants of all levels; choose one of %s by --channel",
                       source->path, pb_table_names_line(table), wanted, names);
    return found > 1
               ? pb_fail(diag, PB_ERR_CONFIG, "%s: several columns of levels; choose one of %s by --channel",
                         source->path, names)
               : PB_OK;
}

static int find_columns(struct columns *columns, const struct pb_table *table,
                        const struct stamps_source *source, struct pb_diag *diag)
{
    const char *const wanted = source->choice->channel;
    *columns = (struct columns){-1, pb_table_column(table, "channel"), -1, source->choice->unit_ps};
    const int named = wanted ? pb_table_column(table, wanted) : -1;
    if (find_time(columns, table) < 0)
        return pb_fail(diag, PB_ERR_CONFIG, "%s:%u: no column of stamps; call it time_s, time_ns or time_ps",
                       source->path, pb_table_names_line(table));
    const char *const name = pb_table_name(table, columns->time);
    const double its_ps = unit_of(name);
    if (its_ps > 0 && columns->unit_ps > 0 && fabs(its_ps / columns->unit_ps - 1) > 1e-9)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s:%u: column '%.40s' has its unit in its name, and --time-unit is '%s'; leave that "
                       "out, or rename the column",
                       source->path, pb_table_names_line(table), name, name_of_unit(columns->unit_ps));
    if (!(columns->unit_ps > 0))
        columns->unit_ps = its_ps;
    if (!(columns->unit_ps > 0))
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "%s:%u: column '%.40s' has no unit; give --time-unit s, ms, us, ns or ps, or call it time_ns",
            source->path, pb_table_names_line(table), name);
    if (named >= 0 && named != columns->time)
        columns->level = named;
    else if (named < 0 && wanted && columns->channel < 0)
        return pb_table_need(table, wanted, &columns->level, diag);
    else if (columns->channel < 0)
        return choose_level(columns, table, source, diag);
    return PB_OK;
}

/* Without a name the only channel that there is. */
static int choose_channel(struct pb_stamps *stamps, const struct pb_table *table,
                          const struct columns *columns, const struct stamps_source *source,
                          struct pb_diag *diag)
{
    const char *wanted = source->choice->channel;
    char names[STAMPS_NAMES] = "";
    bool found = false, several = false;
    for (size_t row = 0; row < pb_table_rows(table); row++) {
        const char *const cell = pb_table_cell(table, row, columns->channel);
        wanted = wanted ? wanted : cell;
        found |= !strcmp(cell, wanted);
        several |= !source->choice->channel && strcmp(cell, wanted) != 0;
        if (!row || strcmp(cell, pb_table_cell(table, row - 1, columns->channel)) != 0)
            pb_stamps_name(names, cell);
    }
    if (several || (wanted && !found))
        return pb_fail(diag, PB_ERR_CONFIG, "%s: %s; choose one of %s by --channel", source->path,
                       several ? "several channels" : "no such channel", names);
    snprintf(stamps->channel, sizeof stamps->channel, "%s", wanted ? wanted : "");
    return PB_OK;
}

/* In the rows of a channel a column of two values says which rows are falls: levels, or words in turn. */
static bool tells_edges(const struct pb_table *table, const struct columns *columns, int column,
                        const char *channel, const char *value[2])
{
    const char *before = NULL;
    bool in_turn = true;
    size_t rows = 0;
    value[0] = value[1] = NULL;
    for (size_t row = 0; row < pb_table_rows(table); row++) {
        const char *const cell = pb_table_cell(table, row, column);
        if (strcmp(pb_table_cell(table, row, columns->channel), channel) != 0)
            continue;
        if (!value[0])
            value[0] = cell;
        else if (!value[1] && strcmp(cell, value[0]) != 0)
            value[1] = cell;
        if (strcmp(cell, value[0]) != 0 && (!value[1] || strcmp(cell, value[1]) != 0))
            return false;
        in_turn &= !before || strcmp(cell, before) != 0;
        before = cell;
        rows++;
    }
    return value[1] && rows > 2 && (in_turn || (is_level(value[0]) && is_level(value[1])));
}

/* Falls that count as rises give a clock of twice the rate. */
static int check_edges(const struct pb_table *table, const struct columns *columns, const char *channel,
                       const struct stamps_source *source, struct pb_diag *diag)
{
    const char *value[2];
    for (int i = 0; i < pb_table_columns(table); i++)
        if (i != columns->time && i != columns->channel &&
            tells_edges(table, columns, i, channel, value))
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s:%u: column '%.40s' is '%.20s' and '%.20s' in the rows of channel '%.40s', so "
                           "not each is a rise; keep one of them, or give each channel a column of levels",
                           source->path, pb_table_names_line(table), pb_table_name(table, i), value[0],
                           value[1], channel);
    return PB_OK;
}

/* ---- the step of the stamps, by their digits
 *
 * A number with a fixed count of digits is coarser the larger it is, so a file of such stamps has the step of
 * its largest one. A format with padding ("%.6f", "%.5e") writes the last digit of each number, so its place
 * is the step. A format without it ("%.6g") drops zeros at the end: "1.5" may stand for 1.50000. There the
 * number with most digits shows how many each one has. */

/* Of the numbers taken so far; all zero: none. Places are powers of ten. */
struct digits {
    bool any, padded; /* padded: a number ends with zeros that only its format explains */
    int most;         /* digits of the number with most of them */
    int largest;      /* place of the first digit of the largest number */
    int coarsest;     /* place of the last digit of the number whose last digit is the coarsest */
};

/* A number in the form of pb_table_number. A zero has no digits, and counts for nothing. */
static void digits_take(struct digits *digits, const char *number)
{
    const char *const exponent = strpbrk(number, "eE");
    const char *const end = exponent ? exponent : number + strlen(number);
    int count = 0, after = 0;
    bool fraction = false;
    for (const char *at = number; at < end; at++) {
        if (*at == '.' || *at == ',')
            fraction = true;
        else if (*at >= '0' && *at <= '9') {
            count += count || *at != '0';
            after += fraction;
        }
    }
    if (!count)
        return;
    const int last = (exponent ? (int)strtol(exponent + 1, NULL, 10) : 0) - after, first = last + count - 1;
    /* Formats without padding write 2 as "2.0", too. */
    digits->padded |= after > 1 && end[-1] == '0';
    digits->most = count > digits->most ? count : digits->most;
    digits->largest = !digits->any || first > digits->largest ? first : digits->largest;
    digits->coarsest = !digits->any || last > digits->coarsest ? last : digits->coarsest;
    digits->any = true;
}

/* The step of the coarsest of these numbers; 0: none was taken. */
static double digits_step(const struct digits *digits)
{
    if (!digits->any)
        return 0;
    return pow(10, digits->padded ? digits->coarsest : digits->largest + 1 - digits->most);
}

/* ---- rows */

static int take_row(struct stamps_edges *edges, const struct pb_table *table, size_t row,
                    const struct columns *columns, struct digits *digits, struct pb_diag *diag)
{
    long double number;
    if (columns->level < 0 && columns->channel >= 0 &&
        strcmp(pb_table_cell(table, row, columns->channel), edges->stamps->channel) != 0)
        return PB_OK;
    edges->line = pb_table_line(table, row);
    const int code = pb_table_number(table, row, columns->time, &number, diag);
    if (code)
        return code;
    digits_take(digits, pb_table_cell(table, row, columns->time));
    number *= (long double)columns->unit_ps;
    if (fabsl(number) > STAMPS_LARGEST_PS)
        return pb_table_refuse(table, row, columns->time, diag, "a stamp beyond 46 days",
                               "subtract the first");
    if (columns->level < 0)
        return pb_stamps_add(edges, llroundl(number), diag);
    const char *const level = pb_table_cell(table, row, columns->level);
    if (!is_level(level))
        return pb_table_refuse(table, row, columns->level, diag, "no level", "give 0 or 1");
    return pb_stamps_level(edges, *level == '1', llroundl(number), diag);
}

static int64_t common(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t common_step(const struct pb_stamps *stamps)
{
    int64_t step_ps = 0;
    for (size_t i = 1; i < stamps->count; i++)
        step_ps = common(step_ps, stamps->time_ps[i] - stamps->time_ps[i - 1]);
    return step_ps;
}

/* Rounds all stamps as the coarsest ones are: no bound of a deviation holds for stamps of several steps. */
static int coarsen(struct stamps_edges *edges, int64_t step_ps, struct pb_diag *diag)
{
    struct pb_stamps *const stamps = edges->stamps;
    for (size_t i = 0; i < stamps->count; i++) {
        const int64_t up = stamps->time_ps[i] + step_ps / 2, part = up % step_ps;
        stamps->time_ps[i] = up - (part < 0 ? part + step_ps : part);
        if (i && stamps->time_ps[i] <= stamps->time_ps[i - 1])
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s: stamps %zu and %zu are one at the step of the largest stamp, %.3f ns; "
                           "write more digits, or subtract the first stamp from all",
                           edges->path, i, i + 1, (double)step_ps / 1e3);
    }
    return PB_OK;
}

static int take_all(struct stamps_edges *edges, const struct pb_table *table,
                    const struct stamps_source *source, struct pb_diag *diag)
{
    struct columns columns;
    struct digits digits = {.any = false};
    struct pb_stamps *const stamps = edges->stamps;
    int code = find_columns(&columns, table, source, diag);
    if (!code && columns.level < 0 && columns.channel >= 0)
        code = choose_channel(stamps, table, &columns, source, diag);
    if (!code && columns.level < 0 && columns.channel >= 0)
        code = check_edges(table, &columns, stamps->channel, source, diag);
    else if (!code)
        snprintf(stamps->channel, sizeof stamps->channel, "%s",
                 pb_table_name(table, columns.level < 0 ? columns.time : columns.level));
    for (size_t row = 0; !code && row < pb_table_rows(table); row++)
        code = take_row(edges, table, row, &columns, &digits, diag);
    if (code)
        return code;
    const int64_t common_ps = common_step(stamps),
                  digits_ps = llround(digits_step(&digits) * columns.unit_ps);
    const bool coarser = digits_ps > common_ps && !(source->choice->step_ps > 0);
    stamps->step_ps = (double)(coarser ? digits_ps : common_ps);
    return coarser ? coarsen(edges, digits_ps, diag) : PB_OK;
}

/* Each row may be channel and stamp, or one number with a decimal comma. */
static int check_comma(const struct pb_table *table, const struct stamps_source *source, struct pb_diag *diag)
{
    if (pb_table_columns(table) != 2 || pb_table_separator(table) != ',' || source->choice->channel)
        return PB_OK;
    for (size_t row = 0; row < pb_table_rows(table); row++) {
        const char *const left = pb_table_cell(table, row, 0), *const right = pb_table_cell(table, row, 1);
        const char *const whole = left + strspn(left, "+-");
        if (whole[strspn(whole, "0123456789")] || right[strspn(right, "0123456789eE+-")] ||
            strchr("+-eE", *right))
            return PB_OK;
    }
    return pb_fail(diag, PB_ERR_CONFIG,
                   "%s:%u: '%.40s,%.40s' may be one stamp or channel and stamp; write decimal points, or "
                   "name the columns in the first line, as channel,time_s, or give --channel",
                   source->path, pb_table_line(table, 0), pb_table_cell(table, 0, 0),
                   pb_table_cell(table, 0, 1));
}

/* A first line without names becomes a row. */
static int name_columns(struct pb_table *table, const struct stamps_source *source, struct pb_diag *diag)
{
    static const char *const names[] = {"channel", "time"};
    const int columns = pb_table_columns(table);
    if (columns > 2 || !pb_table_is_number(pb_table_name(table, columns - 1)))
        return PB_OK;
    const int code = pb_table_name_columns(table, names + 2 - columns, diag);
    return code ? code : check_comma(table, source, diag);
}

int pb_stamps_from_table(struct stamps_edges *edges, const struct stamps_source *source, struct pb_diag *diag)
{
    struct pb_table *table;
    int code = pb_table_read(&table, source->path, source->text, source->length, diag);
    if (!code)
        code = name_columns(table, source, diag);
    if (!code)
        code = take_all(edges, table, source, diag);
    pb_table_free(table);
    return code;
}
