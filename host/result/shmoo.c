/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A map of two parameters: the values of its points, its operating point and the margins of that.
 */
#include "phasebench/shmoo.h"

#include <math.h>

double pb_shmoo_axis_number(const struct pb_shmoo_axis *axis, unsigned steps, unsigned i)
{
    return axis->from + (axis->to - axis->from) * i / steps;
}

void pb_shmoo_value(const struct pb_shmoo_axis *axis, double number, char text[PB_SHMOO_TEXT])
{
    snprintf(text, PB_SHMOO_TEXT, "%.7g%s%s", number, *axis->unit ? " " : "", axis->unit);
}

void pb_shmoo_axis_value(const struct pb_shmoo_axis *axis, unsigned steps, unsigned i,
                         char text[PB_SHMOO_TEXT])
{
    pb_shmoo_value(axis, pb_shmoo_axis_number(axis, steps, i), text);
}

/* The place of the operating point on an axis. */
static bool nearest(const struct pb_shmoo *shmoo, unsigned axis, unsigned *at)
{
    const struct pb_shmoo_axis *of = &shmoo->axis[axis];
    if (!of->placed || of->point < of->from || of->point > of->to)
        return false;
    *at = (unsigned)lround((of->point - of->from) / (of->to - of->from) * shmoo->steps);
    return true;
}

bool pb_shmoo_operates_at(const struct pb_shmoo *shmoo, unsigned *x, unsigned *y)
{
    return nearest(shmoo, 0, x) && nearest(shmoo, 1, y);
}

enum pb_shmoo_state pb_shmoo_operating(const struct pb_shmoo *shmoo)
{
    unsigned x, y;
    if (!pb_shmoo_operates_at(shmoo, &x, &y))
        return PB_SHMOO_UNKNOWN;
    /* It comes after the last point of the grid. */
    return pb_shmoo_at(shmoo, shmoo->steps, shmoo->steps)[1].state;
}

static bool passes(const struct pb_shmoo *shmoo, unsigned axis, unsigned along, unsigned across)
{
    return pb_shmoo_at(shmoo, axis ? across : along, axis ? along : across)->state == PB_SHMOO_PASS;
}

bool pb_shmoo_margin(const struct pb_shmoo *shmoo, unsigned axis, struct pb_shmoo_margin *margin)
{
    const struct pb_shmoo_axis *of = &shmoo->axis[axis];
    unsigned across;
    *margin = (struct pb_shmoo_margin){.below_found = false};
    if (shmoo->stopped || !nearest(shmoo, axis, &across) || !nearest(shmoo, !axis, &across))
        return false;
    margin->below = of->point - of->from;
    margin->above = of->to - of->point;
    for (unsigned i = 0; i <= shmoo->steps; i++) {
        const double apart = pb_shmoo_axis_number(of, shmoo->steps, i) - of->point;
        if (passes(shmoo, axis, i, across))
            continue;
        if (apart < 0) { /* the last one downwards is the nearest */
            margin->below_found = true;
            margin->below = -apart;
        }
        if (apart > 0 && !margin->above_found) {
            margin->above_found = true;
            margin->above = apart;
        }
    }
    if (pb_shmoo_operating(shmoo) != PB_SHMOO_PASS)
        *margin = (struct pb_shmoo_margin){.below_found = true, .above_found = true};
    return true;
}

const char *pb_shmoo_state_name(enum pb_shmoo_state state)
{
    static const char *const name[] = {"not run", "pass", "marginal", "fail", "inconclusive", "refused"};
    return name[state];
}

char pb_shmoo_sign(const struct pb_shmoo_point *point)
{
    return (point->ran ? " +mX?-" : " .:x~_")[point->state];
}
