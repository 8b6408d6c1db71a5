/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Quantities with a unit ("10 kHz", "1.5 us"), read and written exactly in integers.
 */
#ifndef PB_QUANTITY_H
#define PB_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

enum pb_quantity_kind {
    PB_QUANTITY_NONE,      /* of an option that is no quantity; has no units */
    PB_QUANTITY_FREQUENCY, /* base unit millihertz: Hz kHz MHz */
    PB_QUANTITY_BAUD,      /* base unit baud: baud kbaud Mbaud */
    PB_QUANTITY_TIME,      /* base unit picosecond: s ms us ns ps */
    PB_QUANTITY_RATIO,     /* base unit ppm */
    PB_QUANTITY_SIZE,      /* base unit byte: byte bytes */
    PB_QUANTITY_SPAN,      /* base unit second: s m h d */
    PB_QUANTITY_OFFSET     /* base unit 0.001 ppb: ppm ppb */
};

enum pb_quantity_fault {
    PB_QUANTITY_OK,
    PB_QUANTITY_NO_NUMBER, /* does not start with a decimal number */
    PB_QUANTITY_NO_UNIT,
    PB_QUANTITY_WRONG_UNIT,
    PB_QUANTITY_WRONG_NUMBER, /* ends with one of the units, and what is before that is no number */
    PB_QUANTITY_TOO_FINE, /* not a whole number of base units */
    PB_QUANTITY_TOO_LARGE /* does not fit an int64_t of base units */
};

/* Reads [-]digits[.digits] unit, with blanks allowed before the unit and at both ends. *value holds base
 * units and is written only for PB_QUANTITY_OK. No exponent: the file should read as a data sheet does. */
enum pb_quantity_fault pb_quantity_parse(const char *text, enum pb_quantity_kind kind, int64_t *value);

/* Writes the value with the largest unit that keeps it at 1 or more, of a span also whole, without trailing
 * zeros: 9523809 mHz gives "9.523809 kHz". Returns out, which needs 32 bytes. */
char *pb_quantity_format(char *out, size_t size, enum pb_quantity_kind kind, int64_t value);

/* For sentences: the accepted units ("Hz, kHz or MHz"), an example ("10 kHz"), and the finest step ("0.001
 * Hz"). */
const char *pb_quantity_units(enum pb_quantity_kind kind);
const char *pb_quantity_example(enum pb_quantity_kind kind);
const char *pb_quantity_step(enum pb_quantity_kind kind);

#endif
