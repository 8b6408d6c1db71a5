/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A format with padding ("%.6f", "%.5e") writes the last digit of each number, so its place is the step. A
 * format without it ("%.6g") drops zeros at the end: "1.5" may stand for 1.50000. There the number with most
 * digits shows how many each one has.
 */
#include "digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void stamps_digits_take(struct stamps_digits *digits, const char *number)
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

double stamps_digits_step(const struct stamps_digits *digits)
{
    if (!digits->any)
        return 0;
    return pow(10, digits->padded ? digits->coarsest : digits->largest + 1 - digits->most);
}
