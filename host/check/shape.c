/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/shape.h"

#include <math.h>
#include <stdlib.h>

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

/* Returns the start edge of the byte of edge i; a start edge counts to the byte before it. */
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
    shape.limit_ps = shape.apart_ps < 0 ? -pb_edge_early_ps(llround(view->bit_ps), bits)
                                        : pb_edge_late_ps(llround(view->bit_ps), bits);
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

/* ---- the bit time within the bytes */

enum {
    BYTES_MAX = PB_FRAME_MAX,
    LINE_EDGES_MIN = 3,  /* least number of edges of a byte that shows whether they are on a straight line */
    ALONE_EDGES_MIN = 4, /* least number that shows it even if one edge is displaced */
    SPARE_EDGES_MIN = 4  /* edges of all bytes more than unknowns */
};
#define SPREAD_BITS (1.0 / 32)

/* The measured edges of a byte except its start edge, and the sums of a straight line through them. */
struct byte_line {
    unsigned at;           /* in the frame */
    unsigned first, count; /* in struct lines */
    double bit, ps, rises; /* means */
    double squares;        /* of the bits, about their mean */
    double by_ps, by_rise; /* slopes of instants and of rises over the bits */
};
struct lines {
    struct point {
        double bit, ps, rise, grain;
    } point[PB_SHAPE_BITS * BYTES_MAX];
    struct byte_line byte[BYTES_MAX];
    unsigned bytes;
    double rise_ps, rise_u95; /* common delay of all rises against the falls */
    double grain;
    double own; /* largest distance of an edge from its line, beyond the grain of the stamps */
};

static void draw_line(const struct lines *lines, struct byte_line *byte)
{
    const struct point *point = &lines->point[byte->first];
    for (unsigned i = 0; i < byte->count; i++) {
        byte->bit += point[i].bit / byte->count;
        byte->ps += point[i].ps / byte->count;
        byte->rises += point[i].rise / byte->count;
    }
    for (unsigned i = 0; i < byte->count; i++) {
        const double bit = point[i].bit - byte->bit;
        byte->squares += bit * bit;
        byte->by_ps += bit * (point[i].ps - byte->ps);
        byte->by_rise += bit * (point[i].rise - byte->rises);
    }
    byte->by_ps /= byte->squares;
    byte->by_rise /= byte->squares;
}

/* Returns the number of edges in bytes that have enough of them. */
static unsigned take_edges(struct lines *lines, const struct pb_shape_view *view)
{
    unsigned points = 0;
    for (unsigned i = 0; i < view->frame->count;) {
        const unsigned at = view->frame->bit[i] / PB_SHAPE_BITS;
        struct byte_line byte = {.at = at, .first = points};
        for (; i < view->frame->count && view->frame->bit[i] / PB_SHAPE_BITS == at; i++) {
            const unsigned bit = view->frame->bit[i] % PB_SHAPE_BITS;
            const struct pb_wave_edge *edge = edge_of(view, i);
            if (!bit || edge->laid)
                continue;
            lines->point[points + byte.count++] = (struct point){
                .bit = bit,
                .ps = (double)(edge->ps - edge_of(view, 0)->ps) - view->frame->bit[i] * view->bit_ps,
                .rise = edge->high,
                .grain = (double)edge->u95_ps};
        }
        if (byte.count < LINE_EDGES_MIN)
            continue;
        points += byte.count;
        draw_line(lines, &byte);
        lines->byte[lines->bytes++] = byte;
    }
    return points;
}

/* Distance of an instant, or of a rise, from the line of its byte. */
static double beside_ps(const struct byte_line *byte, const struct point *point)
{
    return point->ps - byte->ps - byte->by_ps * (point->bit - byte->bit);
}

static double beside_rise(const struct byte_line *byte, const struct point *point)
{
    return point->rise - byte->rises - byte->by_rise * (point->bit - byte->bit);
}

/* By least squares with a line for each byte, and one lateness for all rises. */
static void find_lateness(struct lines *lines)
{
    double products = 0, squares = 0, farthest = 0;
    for (unsigned b = 0; b < lines->bytes; b++)
        for (unsigned i = 0; i < lines->byte[b].count; i++) {
            const struct point *point = &lines->point[lines->byte[b].first + i];
            const double rise = beside_rise(&lines->byte[b], point);
            products += rise * beside_ps(&lines->byte[b], point);
            squares += rise * rise;
            lines->grain = fmax(lines->grain, point->grain);
        }
    lines->rise_ps = squares > 1e-9 ? products / squares : 0;
    for (unsigned b = 0; b < lines->bytes; b++)
        for (unsigned i = 0; i < lines->byte[b].count; i++) {
            const struct point *point = &lines->point[lines->byte[b].first + i];
            farthest = fmax(farthest, fabs(beside_ps(&lines->byte[b], point) -
                                           lines->rise_ps * beside_rise(&lines->byte[b], point)));
        }
    lines->own = fmax(farthest - lines->grain, 0);
    /* Rounding spreads an instant like a rectangle. */
    lines->rise_u95 = squares > 1e-9 ? 2 * (lines->grain / sqrt(12) + lines->own) / sqrt(squares) : 0;
}

static double slope_of(const struct lines *lines, const struct byte_line *byte)
{
    return byte->by_ps - lines->rise_ps * byte->by_rise;
}

/* Worst case: every edge is rounded by half a grain in the direction that matters, and is as far from its
 * place as the farthest edge. */
static double slope_u95(const struct lines *lines, const struct byte_line *byte)
{
    double u95 = fabs(byte->by_rise) * lines->rise_u95;
    for (unsigned i = 0; i < byte->count; i++) {
        const struct point *point = &lines->point[byte->first + i];
        u95 += fabs(point->bit - byte->bit) / byte->squares * (point->grain / 2 + lines->own);
    }
    return u95;
}

bool pb_shape_bits(const struct pb_shape_view *view, struct pb_shape_bits *bits)
{
    struct lines lines = {.bytes = 0};
    const unsigned points = take_edges(&lines, view);
    if (points < 2 * lines.bytes + 1 + SPARE_EDGES_MIN)
        return false;
    find_lateness(&lines);
    if (lines.own > SPREAD_BITS * view->bit_ps)
        return false;
    double squares = 0, slopes = 0, farthest = -INFINITY;
    *bits = (struct pb_shape_bits){.byte = 0};
    for (unsigned b = 0; b < lines.bytes; b++) {
        const struct byte_line *byte = &lines.byte[b];
        const double slope = slope_of(&lines, byte), known = slope_u95(&lines, byte);
        squares += byte->squares;
        slopes += byte->squares * slope;
        if (byte->count < ALONE_EDGES_MIN || fabs(slope) - known <= farthest)
            continue;
        farthest = fabs(slope) - known;
        bits->byte_stretch = slope / view->bit_ps;
        bits->byte_u95 = known / view->bit_ps;
        bits->byte = byte->at;
    }
    bits->stretch = slopes / squares / view->bit_ps;
    /* Bytes that are alike may be rounded alike: their number does not count. */
    bits->u95 = 2 * (lines.grain / sqrt(12) / sqrt(squares / lines.bytes) + lines.own / sqrt(squares)) /
                view->bit_ps;
    return true;
}
