/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loads, or windows, of a sweep from their text. */
#include "sweep.h"

#include "host/base/form.h"
#include "phasebench/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DECIMALS 6
#define SCALE 1000000
enum { POINTS_MAX = 1000, WINDOW_MAX = 10000 };

/* A, or A:B:STEP, in millionths; most: of A and B. */
static int read_range(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t range[3],
                      struct pb_diag *diag)
{
    char low[PB_FORM_FIXED_SIZE], high[PB_FORM_FIXED_SIZE];
    const char *part = text;
    unsigned parts = 0;
    bool good = true;

    for (bool more = true; more && good; parts++) {
        const size_t length = strcspn(part, ":");
        good = parts < 3 && pb_parse_decimal(part, length, DECIMALS, &range[parts]);
        more = part[length] == ':';
        part += length + more;
    }
    if (!good || (parts != 1 && parts != 3))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "--%s is '%s'; give a number, or A:B:STEP, with at most %d decimals", name, text,
                       DECIMALS);
    if (parts == 1) {
        range[1] = range[0];
        range[2] = SCALE;
    }
    if (range[0] < least || range[1] > most)
        return pb_fail(diag, PB_ERR_ARGUMENT, "--%s is '%s'; give %s..%s", name, text,
                       pb_form_fixed(low, (int64_t)least, DECIMALS),
                       pb_form_fixed(high, (int64_t)most, DECIMALS));
    if (range[2] == 0 || range[1] < range[0])
        return pb_fail(diag, PB_ERR_ARGUMENT, "--%s is '%s'; A:B:STEP has A at most B, and STEP above 0",
                       name, text);
    if ((range[1] - range[0]) / range[2] >= POINTS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "--%s is '%s', which is more than %d values; take a larger step", name, text,
                       POINTS_MAX);
    return PB_OK;
}

int pb_machine_sweep_points(struct pb_machine_sweep *sweep, const char *load, const char *window,
                            struct pb_diag *diag)
{
    const uint64_t ports = sweep->network->ports;
    uint64_t range[3] = {0, 0, 1};
    int code = PB_OK;

    if (pb_machine_sweep_once(sweep))
        ;
    else if (window)
        code = read_range("window", window, SCALE, (uint64_t)WINDOW_MAX * SCALE, range, diag);
    else
        code = read_range("load", load ? load : "0.5", 1, ports * SCALE, range, diag);
    if (!code && window && (range[0] % SCALE || range[2] % SCALE))
        code = pb_fail(diag, PB_ERR_ARGUMENT, "--window is '%s'; give whole numbers", window);
    if (code)
        return code;
    const unsigned points = (unsigned)((range[1] - range[0]) / range[2]) + 1;
    sweep->point = calloc(points, sizeof *sweep->point);
    if (!sweep->point)
        return pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for %u results; give fewer loads", points);
    sweep->points = points;
    for (unsigned i = 0; i < points; i++) {
        const uint64_t value = range[0] + i * range[2];
        sweep->point[i].load = window ? 0 : (double)value / SCALE;
        sweep->point[i].window = window ? (unsigned)(value / SCALE) : 0;
    }
    return PB_OK;
}
