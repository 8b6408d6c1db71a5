/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The step of numbers by their digits. A number with a fixed count of digits is coarser the larger it is, so
 * a file of such stamps has the step of its largest one. Private to host/metrology/stamps.
 */
#ifndef PHASEBENCH_STAMPS_DIGITS_H
#define PHASEBENCH_STAMPS_DIGITS_H

#include <stdbool.h>

/* Of the numbers taken so far; all zero: none. Places are powers of ten. */
struct stamps_digits {
    bool any, padded; /* padded: a number ends with zeros that only its format explains */
    int most;         /* digits of the number with most of them */
    int largest;      /* place of the first digit of the largest number */
    int coarsest;     /* place of the last digit of the number whose last digit is the coarsest */
};

/* A number in the form of pb_table_number. A zero has no digits, and counts for nothing. */
void stamps_digits_take(struct stamps_digits *digits, const char *number);
/* The step of the coarsest of these numbers; 0: none was taken. */
double stamps_digits_step(const struct stamps_digits *digits);

#endif
