/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The limits file: title, version, decision, and a row of limits for each item.
 */
#include "host/base/utf8.h"
#include "host/scenario/entries.h"
#include "host/base/nearest_word.h"

#include "phasebench/number.h"
#include "phasebench/validation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define LARGEST UINT64_C(9000000000000000) /* below 2^53: exact for every reader of the reports */

struct reading {
    struct pb_limit_set *limits;
    const struct pb_outline *outline;
    struct pb_entries file;
};

#define REFUSE(reading, entry, ...) pb_entry_refuse(&(reading)->file, entry, __VA_ARGS__)

/* ---- units */

struct unit {
    enum pb_unit base;
    const char *name;
    unsigned decimals; /* the unit is 10^decimals base units */
};

static const struct unit units[] = {
    {PB_UNIT_PS, "ps", 0},     {PB_UNIT_PS, "ns", 3},  {PB_UNIT_PS, "us", 6},        {PB_UNIT_PS, "ms", 9},
    {PB_UNIT_PS, "s", 12},     {PB_UNIT_PPB, "ppb", 0}, {PB_UNIT_PPB, "ppm", 3},      {PB_UNIT_PPB, "%", 7},
    {PB_UNIT_PPM, "ppm", 0},   {PB_UNIT_PPM, "%", 4},  {PB_UNIT_MHZ, "Hz", 3},       {PB_UNIT_MHZ, "kHz", 6},
    {PB_UNIT_COUNT, "count", 0}, {PB_UNIT_PHASES, "phases", 0},
};
#define UNITS (sizeof units / sizeof units[0])

static const struct unit *find_unit(enum pb_unit base, const char *name)
{
    if (pb_utf8_is_us(name))
        name = "us";
    for (size_t i = 0; i < UNITS; i++)
        if (units[i].base == base && !strcmp(units[i].name, name))
            return &units[i];
    return NULL;
}

/* "ps, ns, us, ms or s" */
static const char *unit_names(enum pb_unit base, char text[64])
{
    size_t length = 0, left = 0;
    for (size_t i = 0; i < UNITS; i++)
        left += units[i].base == base;
    *text = '\0';
    for (size_t i = 0; i < UNITS; i++)
        if (units[i].base == base) {
            length += (size_t)snprintf(text + length, 64 - length, "%s%s", units[i].name,
                                       left == 1   ? ""
                                       : left == 2 ? " or "
                                                   : ", ");
            left--;
        }
    return text;
}

/* [-]digits[.digits] of this unit, exactly a number of base units up to LARGEST; false: it is not. */
static bool read_number(const char *text, const struct unit *unit, int64_t *value)
{
    const bool negative = *text == '-';
    uint64_t magnitude;
    if (!pb_parse_decimal(text + negative, strlen(text + negative), unit->decimals, &magnitude) ||
        magnitude > LARGEST)
        return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* ---- rows */

struct row_text {
    const struct pb_outline_entry *unit, *min, *max, *marginal, *rationale;
};

static int sort_keys(const struct reading *reading, size_t row, const char *item, struct row_text *text)
{
    enum { UNIT, MIN, MAX, MARGINAL, RATIONALE, KEYS };
    static const char *const key[KEYS] = {"unit", "min", "max", "marginal", "rationale"};
    const struct pb_outline_entry *given[KEYS] = {NULL};
    char what[80];
    snprintf(what, sizeof what, "the limit of %s", item);
    for (size_t i = row + 1; i < reading->outline->count; i++) {
        const struct pb_outline_entry *entry = &reading->outline->entry[i];
        if (entry->parent != row)
            continue;
        const size_t k = pb_entry_key(&reading->file, entry, what, key, KEYS);
        if (k == KEYS)
            return PB_ERR_CONFIG;
        if (entry->kind != PB_OUTLINE_SCALAR)
            return REFUSE(reading, entry, "%s of %s is a list or a mapping; write one value", entry->key,
                          item);
        given[k] = entry;
    }
    *text = (struct row_text){given[UNIT], given[MIN], given[MAX], given[MARGINAL], given[RATIONALE]};
    return PB_OK;
}

static int read_value(const struct reading *reading, const struct pb_outline_entry *entry, const char *item,
                      const struct unit *unit, int64_t *value)
{
    uint64_t largest = LARGEST;
    if (!entry || read_number(entry->text, unit, value))
        return PB_OK;
    for (unsigned i = 0; i < unit->decimals; i++)
        largest /= 10;
    return REFUSE(reading, entry,
                  "%s of %s is '%.40s'; write a decimal number of at most %" PRIu64
                  " %s, with at most %u digits after the point",
                  entry->key, item, entry->text, largest, unit->name, unit->decimals);
}

static int read_row(const struct reading *reading, size_t row, enum pb_item item)
{
    const struct pb_outline_entry *top = &reading->outline->entry[row];
    const char *id = pb_item_id((int)item);
    struct pb_limit *limit = &reading->limits->limit[item];
    struct row_text text = {.unit = NULL};
    char names[64];
    if (top->kind != PB_OUTLINE_MAPPING)
        return REFUSE(reading, top, "the limit of %s is no mapping; write it as {unit: %s, max: 1}", id,
                      unit_names(pb_item_unit(item), names));
    int code = sort_keys(reading, row, id, &text);
    if (code)
        return code;
    if (!text.unit)
        return REFUSE(reading, top, "the limit of %s has no unit; it is measured in %s, write one of them",
                      id, unit_names(pb_item_unit(item), names));
    if (!text.min && !text.max)
        return REFUSE(reading, top, "the limit of %s has no min or max; give one, or leave the row out", id);
    const struct unit *unit = find_unit(pb_item_unit(item), text.unit->text);
    if (!unit)
        return REFUSE(reading, text.unit, "unit of %s is '%.20s'; it is measured in %s", id, text.unit->text,
                      unit_names(pb_item_unit(item), names));
    *limit = (struct pb_limit){.given = true, .lower = PB_ABSENT, .upper = PB_ABSENT};
    code = read_value(reading, text.min, id, unit, &limit->lower);
    if (!code)
        code = read_value(reading, text.max, id, unit, &limit->upper);
    if (!code)
        code = read_value(reading, text.marginal, id, unit, &limit->band);
    if (code)
        return code;
    if (text.min && text.max && limit->lower > limit->upper)
        return REFUSE(reading, top, "min of %s is %.24s, above its max of %.24s; exchange them", id,
                      text.min->text, text.max->text);
    if (limit->band < 0)
        return REFUSE(reading, text.marginal, "marginal of %s is %.24s; it is a width, 0 or more", id,
                      text.marginal->text);
    if (text.rationale && text.rationale->length >= sizeof limit->rationale)
        return REFUSE(reading, text.rationale, "rationale of %s has %zu bytes; at most %zu are kept", id,
                      text.rationale->length, sizeof limit->rationale - 1);
    if (text.rationale)
        snprintf(limit->rationale, sizeof limit->rationale, "%s", text.rationale->text);
    return PB_OK;
}

static int read_rows(const struct reading *reading, size_t rows)
{
    static const char *id[PB_ITEMS];
    const struct pb_outline *outline = reading->outline;
    bool any = false;
    if (outline->entry[rows].kind != PB_OUTLINE_MAPPING)
        return REFUSE(reading, &outline->entry[rows], "limits is no mapping; write a row for each item");
    for (int i = 0; i < PB_ITEMS; i++)
        id[i] = pb_item_id(i);
    for (size_t i = rows + 1; i < outline->count; i++) {
        const struct pb_outline_entry *entry = &outline->entry[i];
        int item = 0;
        char hint[PB_HINT_SIZE];
        if (entry->parent != rows)
            continue;
        while (item < PB_ITEMS && strcmp(id[item], entry->key))
            item++;
        if (item == PB_ITEMS)
            return REFUSE(reading, entry,
                          "unknown item '%.40s'%s docs/use/validate.md lists all", entry->key,
                          pb_hint(hint, "", entry->key, id, PB_ITEMS, "."));
        const int code = read_row(reading, i, (enum pb_item)item);
        if (code)
            return code;
        any = true;
    }
    return any ? PB_OK
               : REFUSE(reading, &outline->entry[rows],
                        "limits has no row, so no value would be judged; write one for each item, as "
                        "'line_rise: {unit: ns, max: 320}', or leave --limits out for the default ones");
}

/* ---- the top */

static int read_line(const struct reading *reading, const struct pb_outline_entry *entry, char *out,
                     size_t size)
{
    if (entry->kind != PB_OUTLINE_SCALAR || !entry->length || entry->length >= size ||
        strpbrk(entry->text, "\n\r\t"))
        return REFUSE(reading, entry, "%s is no line of 1 to %zu bytes; shorten it", entry->key, size - 1);
    memcpy(out, entry->text, entry->length + 1);
    return PB_OK;
}

static int read_rule(const struct reading *reading, const struct pb_outline_entry *entry)
{
    for (int rule = 0; rule <= PB_ACCEPT_NON_BINARY; rule++)
        if (entry->kind == PB_OUTLINE_SCALAR &&
            !strcmp(entry->text, pb_acceptance_name((enum pb_acceptance)rule))) {
            reading->limits->rule = (enum pb_acceptance)rule;
            return PB_OK;
        }
    return REFUSE(reading, entry, "decision is '%.40s'; choose simple, guarded or non_binary",
                  entry->kind == PB_OUTLINE_SCALAR ? entry->text : "a list or a mapping");
}

static int read_top(const struct reading *reading)
{
    static const char *const need[] = {"title", "version", "decision", "limits"};
    bool seen[4] = {false};
    const struct pb_outline *outline = reading->outline;
    if (outline->entry[0].kind != PB_OUTLINE_MAPPING)
        return REFUSE(reading, &outline->entry[0],
                      "no mapping; a limits file has title, version, decision and "
                      "limits");
    for (size_t i = 1; i < outline->count; i++) {
        const struct pb_outline_entry *entry = &outline->entry[i];
        if (entry->parent)
            continue;
        const size_t key = pb_entry_key(&reading->file, entry, "a limits file", need, 4);
        if (key == 4)
            return PB_ERR_CONFIG;
        seen[key] = true;
        const int code =
            key == 0   ? read_line(reading, entry, reading->limits->title, sizeof reading->limits->title)
            : key == 1 ? read_line(reading, entry, reading->limits->version, sizeof reading->limits->version)
            : key == 2 ? read_rule(reading, entry)
                       : read_rows(reading, i);
        if (code)
            return code;
    }
    for (size_t key = 0; key < 4; key++)
        if (!seen[key])
            return REFUSE(reading, &outline->entry[0], "key '%s' is missing; a limits file states it",
                          need[key]);
    return PB_OK;
}

int pb_limits_parse(struct pb_limit_set *limits, const char *path, const char *text, size_t length,
                    struct pb_diag *diag)
{
    struct pb_outline outline;
    const struct reading reading = {limits, &outline, {&outline, path, diag}};
    *limits =
        (struct pb_limit_set){.crc32 = (uint32_t)crc32(0, (const unsigned char *)text, (unsigned)length)};
    int code = pb_outline_read(&outline, path, text, length, diag);
    if (!code && !outline.count)
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "%s:1: is empty; a limits file has title, version, decision and limits", path);
    if (!code)
        code = read_top(&reading);
    pb_outline_free(&outline);
    return code;
}
