/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "quantity.h"

#include "phasebench/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNITS_MAX 5
#define DIGITS "0123456789"
#define BLANKS " \t"

struct unit {
    const char *name;
    unsigned decimals; /* the unit is ten to this power base units */
};

/* Units in descending size; a second name of the same size comes later, so that formatting finds the first.
 */
static const struct {
    struct unit unit[UNITS_MAX];
    const char *units, *example, *step;
} kinds[] = {
    [PB_QUANTITY_FREQUENCY] = {{{"MHz", 9}, {"kHz", 6}, {"Hz", 3}}, "Hz, kHz or MHz", "10 kHz", "0.001 Hz"},
    [PB_QUANTITY_BAUD] = {{{"Mbaud", 6}, {"kbaud", 3}, {"baud", 0}},
                          "baud, kbaud or Mbaud",
                          "1 Mbaud",
                          "1 baud"},
    [PB_QUANTITY_TIME] = {{{"s", 12}, {"ms", 9}, {"us", 6}, {"ns", 3}, {"ps", 0}},
                          "s, ms, us, ns or ps",
                          "10 us",
                          "1 ps"},
    [PB_QUANTITY_RATIO] = {{{"ppm", 0}}, "ppm", "50 ppm", "1 ppm"},
    [PB_QUANTITY_SIZE] = {{{"bytes", 0}, {"byte", 0}}, "byte or bytes", "6 bytes", "1 byte"},
};

static const struct unit *find_unit(const char *text, enum pb_quantity_kind kind)
{
    size_t length = strcspn(text, BLANKS);
    if (text[length + strspn(text + length, BLANKS)])
        return NULL;
    for (size_t i = 0; i < UNITS_MAX && kinds[kind].unit[i].name; i++) {
        const struct unit *unit = &kinds[kind].unit[i];
        if (strlen(unit->name) == length && strncmp(unit->name, text, length) == 0)
            return unit;
    }
    return NULL;
}

enum pb_quantity_fault pb_quantity_parse(const char *text, enum pb_quantity_kind kind, int64_t *value)
{
    text += strspn(text, BLANKS);
    bool negative = *text == '-';
    text += negative;
    size_t length = strspn(text, DIGITS), decimals = 0;
    if (length == 0)
        return PB_QUANTITY_NO_NUMBER;
    if (text[length] == '.') {
        decimals = strspn(text + length + 1, DIGITS);
        if (decimals == 0)
            return PB_QUANTITY_NO_NUMBER;
        length += 1 + decimals;
    }
    const char *name = text + length + strspn(text + length, BLANKS);
    if (!*name)
        return PB_QUANTITY_NO_UNIT;
    const struct unit *unit = find_unit(name, kind);
    if (!unit)
        return PB_QUANTITY_WRONG_UNIT;

    while (decimals && text[length - 1] == '0') {
        length--;
        decimals--;
    }
    if (decimals > unit->decimals)
        return PB_QUANTITY_TOO_FINE;
    uint64_t magnitude;
    if (!pb_parse_decimal(text, length, unit->decimals, &magnitude) || magnitude > INT64_MAX)
        return PB_QUANTITY_TOO_LARGE;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return PB_QUANTITY_OK;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent--)
        power *= 10;
    return power;
}

char *pb_quantity_format(char *out, size_t size, enum pb_quantity_kind kind, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const struct unit *unit = &kinds[kind].unit[0];
    for (size_t i = 1; i < UNITS_MAX && kinds[kind].unit[i].name; i++)
        if (magnitude < power_of_ten(unit->decimals))
            unit = &kinds[kind].unit[i];

    if (kind == PB_QUANTITY_SIZE && magnitude == 1)
        unit = &kinds[kind].unit[1];

    uint64_t one = power_of_ten(unit->decimals), rest = magnitude % one;
    char fraction[24] = "."; /* decimals without trailing zeros */
    size_t length = 1;
    for (uint64_t place = one; rest; rest %= place) {
        place /= 10;
        fraction[length++] = (char)('0' + rest / place);
    }
    snprintf(out, size, "%s%" PRIu64 "%.*s %s", value < 0 ? "-" : "", magnitude / one,
             length > 1 ? (int)length : 0, fraction, unit->name);
    return out;
}

const char *pb_quantity_units(enum pb_quantity_kind kind)
{
    return kinds[kind].units;
}

const char *pb_quantity_example(enum pb_quantity_kind kind)
{
    return kinds[kind].example;
}

const char *pb_quantity_step(enum pb_quantity_kind kind)
{
    return kinds[kind].step;
}
