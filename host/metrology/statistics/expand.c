/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sum of uncertain contributions. The density of all normal ones is exact; each rectangle is a moving
 * mean over it.
 */
#include "phasebench/statistics.h"

#include <math.h>

enum { CELLS = 2000, HALVINGS = 40 };

#define CONFIDENCE 0.95
#define NORMAL_REACH 7 /* deviations: 3e-12 is beyond */

struct density {
    double cell;                /* width */
    double at[2 * CELLS + 1];   /* from -CELLS cells to CELLS */
    double upto[2 * CELLS + 2]; /* the integral, to the left side of each cell */
};

static void accumulate(struct density *density)
{
    density->upto[0] = 0;
    for (int i = 0; i <= 2 * CELLS; i++)
        density->upto[i + 1] = density->upto[i] + density->at[i];
}

/* x: in cells from the middle. */
static double integral(const struct density *density, double x)
{
    const double at = x + CELLS + 0.5;
    if (at <= 0)
        return 0;
    if (at >= 2 * CELLS + 1)
        return density->upto[2 * CELLS + 1];
    const int cell = (int)at;
    return density->upto[cell] + density->at[cell] * (at - cell);
}

static void begin(struct density *density, double sd)
{
    const double sd_cells = sd / density->cell;
    for (int x = -CELLS; x <= CELLS; x++)
        density->at[x + CELLS] =
            sd > 0 ? pb_normal_cdf((x + 0.5) / sd_cells) - pb_normal_cdf((x - 0.5) / sd_cells) : x == 0;
    accumulate(density);
}

static void widen(struct density *density, double half_cells)
{
    for (int x = -CELLS; x <= CELLS; x++)
        density->at[x + CELLS] =
            (integral(density, x + half_cells) - integral(density, x - half_cells)) / (2 * half_cells);
    accumulate(density);
}

static double half_width(const struct density *density)
{
    double low = 0, high = CELLS;
    for (unsigned i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (integral(density, middle) - integral(density, -middle) <
            CONFIDENCE * density->upto[2 * CELLS + 1])
            low = middle;
        else
            high = middle;
    }
    return high * density->cell;
}

void pb_expand(struct pb_expanded *out, const struct pb_contribution *part, unsigned parts)
{
    struct density density;
    double reach = 0, normal = 0, variance = 0;
    *out = (struct pb_expanded){.u = 0};
    for (unsigned i = 0; i < parts; i++) {
        const double square = part[i].size * part[i].size;
        normal += part[i].normal ? square : 0;
        variance += part[i].normal ? square : square / 3;
        reach += part[i].normal ? 0 : part[i].size;
    }
    if (!(variance > 0))
        return;
    density.cell = (reach + NORMAL_REACH * sqrt(normal)) / (CELLS - 1);
    /* A rectangle narrower than a cell has no shape that the cells could show. */
    for (unsigned i = 0; i < parts; i++)
        if (!part[i].normal && part[i].size <= density.cell)
            normal += part[i].size * part[i].size / 3;
    begin(&density, sqrt(normal));
    for (unsigned i = 0; i < parts; i++)
        if (!part[i].normal && part[i].size > density.cell)
            widen(&density, part[i].size / density.cell);
    *out = (struct pb_expanded){.u = sqrt(variance), .u95 = half_width(&density)};
    out->k = out->u95 / out->u;
}
