/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/shape.h"

#include <math.h>
#include <stdlib.h>

/* In 1/1280 of a bit: 16ths, of which the receiver's clock takes an 80th for each bit. */
enum { GRAIN = 1280, LATE = 553, EARLY = 486, PER_BIT = 16 };

int64_t pb_shape_late_ps(int64_t bit_ps, unsigned boundary)
{
    return bit_ps * (LATE - PER_BIT * (int64_t)boundary) / GRAIN;
}

int64_t pb_shape_early_ps(int64_t bit_ps, unsigned boundary)
{
    return bit_ps * (EARLY - PER_BIT * (int64_t)boundary) / GRAIN;
}

bool pb_shape_pair(struct pb_shape_view *view)
{
    const struct pb_wave *wave = view->wave;
    view->first = wave->low_first && wave->count && wave->edge[0].high;
    if (wave->count < view->first || wave->count - view->first != view->frame->count)
        return false;
    for (unsigned i = 0; i < view->frame->count; i++)
        if (wave->edge[view->first + i].high != (i & 1))
            return false;
    return view->frame->count > 0;
}

static const struct pb_wave_edge *edge_of(const struct pb_shape_view *view, unsigned i)
{
    return &view->wave->edge[view->first + i];
}

static double released_ps(const struct pb_shape_view *view, unsigned i)
{
    const struct pb_wave_edge *edge = edge_of(view, i);
    return (double)(edge->ps - (edge->high ? view->rise_ps : 0));
}

/* The start edge of the byte that edge i belongs to; a start edge belongs to the byte before it. */
static unsigned start_of(const struct pb_shape_view *view, unsigned i)
{
    const unsigned bit = view->frame->bit[i], start = (bit - 1) / PB_SHAPE_BITS * PB_SHAPE_BITS;
    while (view->frame->bit[i] > start)
        i--;
    return i;
}

static struct pb_shape shape_of(const struct pb_shape_view *view, unsigned i, unsigned start)
{
    const unsigned bits = view->frame->bit[i] - view->frame->bit[start];
    const struct pb_wave_edge *edge = edge_of(view, i), *from = edge_of(view, start);
    const double stretch = view->stretch_bytes && bits == PB_SHAPE_BITS ? 0 : view->stretch;
    const double apart =
        released_ps(view, i) - released_ps(view, start) - bits * view->bit_ps * (1 + stretch);
    struct pb_shape shape = {
        .byte = view->frame->bit[start] / PB_SHAPE_BITS,
        .boundary = bits,
        .high = edge->high,
        .ps = edge->ps,
        .apart_ps = llround(apart),
        .u95_ps = edge->u95_ps > from->u95_ps ? edge->u95_ps : from->u95_ps,
    };
    shape.limit_ps = shape.apart_ps < 0 ? -pb_shape_early_ps(llround(view->bit_ps), bits)
                                        : pb_shape_late_ps(llround(view->bit_ps), bits);
    shape.beyond_ps = llabs(shape.apart_ps) - llabs(shape.limit_ps);
    return shape;
}

static int64_t weight(const struct pb_shape *shape, bool by_limit)
{
    return (by_limit ? shape->beyond_ps : llabs(shape->apart_ps)) - shape->u95_ps;
}

static bool find(const struct pb_shape_view *view, struct pb_shape *worst, bool by_limit)
{
    bool any = false;
    for (unsigned i = 1; i < view->frame->count; i++) {
        const unsigned start = start_of(view, i);
        if (edge_of(view, i)->laid || edge_of(view, start)->laid)
            continue;
        const struct pb_shape shape = shape_of(view, i, start);
        /* Of those beyond by the same, the first. */
        if (!any || weight(&shape, by_limit) > weight(worst, by_limit))
            *worst = shape;
        any = true;
    }
    return any;
}

bool pb_shape_worst(const struct pb_shape_view *view, struct pb_shape *worst)
{
    return find(view, worst, true);
}

bool pb_shape_farthest(const struct pb_shape_view *view, struct pb_shape *worst)
{
    return find(view, worst, false);
}

bool pb_shape_stretch(const struct pb_shape_view *view, double *stretch, double *u95)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, grain = 0, least = 0, most = 0;
    for (unsigned i = 0; i < view->frame->count; i++) {
        const double bit = view->frame->bit[i], ps = released_ps(view, i) - released_ps(view, 0);
        if (edge_of(view, i)->laid)
            continue;
        grain = fmax(grain, (double)edge_of(view, i)->u95_ps);
        least = n > 0 ? least : bit;
        most = bit;
        n++;
        x += bit;
        y += ps - bit * view->bit_ps;
        xx += bit * bit;
        xy += bit * (ps - bit * view->bit_ps);
    }
    if (n < 3 || most - least < PB_SHAPE_BITS)
        return false;
    *stretch = (n * xy - x * y) / (n * xx - x * x) / view->bit_ps;
    *u95 = grain / (most - least) / view->bit_ps;
    return true;
}

bool pb_shape_byte_stretch(const struct pb_shape_view *view, double *stretch)
{
    double xy = 0, xx = 0;
    for (unsigned i = 1; i < view->frame->count; i++) {
        const unsigned start = start_of(view, i);
        const double bits = view->frame->bit[i] - view->frame->bit[start];
        if (edge_of(view, i)->laid || bits == PB_SHAPE_BITS)
            continue;
        xy += bits * (released_ps(view, i) - released_ps(view, start) - bits * view->bit_ps);
        xx += bits * bits;
    }
    *stretch = xx > 0 ? xy / xx / view->bit_ps : 0;
    return xx > 0;
}
