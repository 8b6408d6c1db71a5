/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/wave.h"

#include <stdlib.h>

enum {
    ORIGINS_MAX = 24,    /* falling edges that are tried as the start of a frame */
    SHORT_EDGES_MIN = 4, /* edges in common that chance does not make */
    SHORT_LAG_TICKS = 8, /* from one line of a short that the bench makes to the other */
    RISE_SPREAD_TICKS = 3,
    FALLS_MIN = 8 /* this many show how far a sender's edges are from its bit boundaries */
};

#define LATE_TICKS_MIN 1.5 /* the least delay beyond the uncertainty of one tick */

void pb_frame_edges(struct pb_frame_edges *edges, const uint8_t *bytes, unsigned count)
{
    bool high = true;
    edges->count = 0;
    for (unsigned i = 0; i < 10 * count; i++) {
        const unsigned at = i % 10;
        const bool now = at == 9 || (at > 0 && (bytes[i / 10] >> (at - 1) & 1));
        if (now != high)
            edges->bit[edges->count++] = (uint16_t)i;
        high = now;
    }
}

static int64_t tick_of(int64_t origin_tick, int64_t bit_q16, unsigned bit)
{
    return origin_tick + ((bit * bit_q16 + 0x8000) >> 16);
}

static bool near(int64_t left, int64_t right)
{
    return llabs(left - right) <= PB_WAVE_TOLERANCE_TICKS;
}

/* ---- a frame laid over a wave */

static struct pb_fit lay(const struct pb_wave *wave, const struct pb_frame_edges *frame, int64_t origin_tick,
                         int64_t bit_q16)
{
    struct pb_fit fit = {.origin_tick = origin_tick, .bit_q16 = bit_q16};
    unsigned next = 0;
    for (unsigned i = 0; i < wave->count;) {
        const struct pb_wave_edge *edge = &wave->edge[i];
        const int64_t wanted = next < frame->count ? tick_of(origin_tick, bit_q16, frame->bit[next]) : 0;
        if (next < frame->count && edge->high == (next & 1) && near(edge->tick, wanted)) {
            fit.matched++;
            next++;
            i++;
        } else if (next < frame->count && wanted + PB_WAVE_TOLERANCE_TICKS < edge->tick) {
            fit.missing++;
            next++;
        } else {
            fit.surplus_tick = fit.surplus++ ? fit.surplus_tick : edge->tick;
            i++;
        }
    }
    fit.missing += frame->count - next;
    return fit;
}

static void keep_better(struct pb_fit *best, struct pb_fit fit)
{
    if (fit.matched > best->matched)
        *best = fit;
}

struct pb_fit pb_wave_fit(const struct pb_wave *wave, const struct pb_frame_edges *frame,
                          int64_t nominal_tick, int64_t bit_q16)
{
    struct pb_fit best = lay(wave, frame, nominal_tick, bit_q16);
    const unsigned most = frame->count < wave->count ? frame->count : wave->count;
    const unsigned last_bit = frame->count ? frame->bit[frame->count - 1] : 0;
    unsigned origins = 0, last = wave->count;
    while (last > 0 && !wave->edge[last - 1].high)
        last--;
    for (unsigned i = 0; i < wave->count && origins < ORIGINS_MAX && best.matched < most; i++) {
        if (wave->edge[i].high)
            continue;
        const int64_t origin = wave->edge[i].tick;
        origins++;
        keep_better(&best, lay(wave, frame, origin, bit_q16));
        if (!last || !last_bit || wave->edge[last - 1].tick <= origin)
            continue;
        const int64_t measured_q16 = ((wave->edge[last - 1].tick - origin) * 65536 + last_bit / 2) / last_bit;
        if (measured_q16 >= bit_q16 / 2 && measured_q16 <= 2 * bit_q16)
            keep_better(&best, lay(wave, frame, origin, measured_q16));
    }
    return best;
}

/* ---- rising late */

struct rises {
    unsigned next; /* edge of the frame */
    struct point {
        unsigned bit;
        int64_t tick;
    } fall[PB_WAVE_EDGES_MAX], rise[PB_WAVE_EDGES_MAX]; /* measured ones */
    unsigned falls, count;
    bool laid;         /* there are falls that were not */
    int64_t swallowed; /* longest high run that a late rise left nothing of */
};

/* The last rise of the frame before this one of the line; false: there is none. */
static bool take_rise(struct rises *rises, const struct pb_wave_edge *edge,
                      const struct pb_frame_edges *frame, int64_t origin_tick, int64_t bit_q16)
{
    unsigned rise = rises->next | 1;
    while (rise + 2 < frame->count &&
           tick_of(origin_tick, bit_q16, frame->bit[rise + 2]) <= edge->tick + PB_WAVE_TOLERANCE_TICKS) {
        const int64_t run = tick_of(origin_tick, bit_q16, frame->bit[rise + 1]) -
                            tick_of(origin_tick, bit_q16, frame->bit[rise]);
        rises->swallowed = run > rises->swallowed ? run : rises->swallowed;
        rise += 2;
    }
    if (rise >= frame->count)
        return false;
    if (!edge->laid)
        rises->rise[rises->count++] = (struct point){frame->bit[rise], edge->tick};
    rises->next = rise + 1;
    return true;
}

/* Pairs every edge of the line with one of the frame; false when a fall is not where the frame has one. */
static bool pair_edges(struct rises *rises, const struct pb_wave *wave, const struct pb_frame_edges *frame,
                       int64_t origin_tick, int64_t bit_q16)
{
    const int64_t allowed = PB_WAVE_TOLERANCE_TICKS + (bit_q16 >> 19); /* an eighth of a bit */
    rises->next = rises->falls = rises->count = 0;
    rises->swallowed = 0;
    rises->laid = false;
    for (unsigned i = 0; i < wave->count; i++) {
        const struct pb_wave_edge *edge = &wave->edge[i];
        if (edge->high) {
            if (!take_rise(rises, edge, frame, origin_tick, bit_q16))
                return false;
            continue;
        }
        if (rises->next >= frame->count || rises->next & 1 ||
            llabs(edge->tick - tick_of(origin_tick, bit_q16, frame->bit[rises->next])) > allowed)
            return false;
        rises->laid |= edge->laid;
        if (!edge->laid)
            rises->fall[rises->falls++] = (struct point){frame->bit[rises->next], edge->tick};
        rises->next++;
    }
    return rises->next == frame->count && rises->falls >= 2;
}

struct straight {
    double origin, bit; /* ticks */
};

static double beside(const struct straight *line, const struct point *point)
{
    return (double)point->tick - line->origin - point->bit * line->bit;
}

static struct straight fit_falls(const struct rises *rises)
{
    double n = rises->falls, x = 0, y = 0, xx = 0, xy = 0;
    const int64_t base = rises->fall[0].tick;
    for (unsigned i = 0; i < rises->falls; i++) {
        const double bit = rises->fall[i].bit, tick = (double)(rises->fall[i].tick - base);
        x += bit;
        y += tick;
        xx += bit * bit;
        xy += bit * tick;
    }
    struct straight line;
    line.bit = (n * xy - x * y) / (n * xx - x * x);
    line.origin = (double)base + (y - line.bit * x) / n;
    return line;
}

static bool all_late(const struct rises *rises, double bit_ticks, bool exact, double *delay)
{
    const struct straight line = fit_falls(rises);
    double first = 0, latest = 0, least = 0, most = 0, sum = 0;
    unsigned late = 0;
    for (unsigned i = 0; i < rises->falls; i++) {
        const double at = beside(&line, &rises->fall[i]);
        first = at < first ? at : first;
        latest = at > latest ? at : latest;
    }
    double beyond = latest + LATE_TICKS_MIN;
    if (exact)
        beyond += rises->falls < FALLS_MIN;
    else if ((rises->falls < FALLS_MIN || rises->laid) && beyond < bit_ticks * 3 / 16)
        beyond = bit_ticks * 3 / 16;
    for (unsigned i = 0; i < rises->count; i++) {
        const double at = beside(&line, &rises->rise[i]);
        if (at < beyond) {
            /* late, in time, late again: no pull-up does that */
            if (late || at < first - PB_WAVE_TOLERANCE_TICKS)
                return false;
            continue;
        }
        least = !late || at < least ? at : least;
        most = !late || at > most ? at : most;
        sum += at;
        late++;
    }
    *delay = late ? sum / late : 0;
    return late >= 2 && most - least <= RISE_SPREAD_TICKS + latest - first &&
           (double)rises->swallowed <= most + PB_WAVE_TOLERANCE_TICKS;
}

bool pb_wave_rises_late(const struct pb_wave *wave, const struct pb_frame_edges *frame, int64_t bit_q16,
                        bool exact, int64_t *delay_q16)
{
    if (wave->low_first || !wave->count || wave->edge[0].high || frame->count < 4)
        return false;
    unsigned fall = wave->count;
    while (wave->edge[fall - 1].high)
        fall--;
    const int64_t origin = wave->edge[0].tick, span = wave->edge[fall - 1].tick - origin;
    const unsigned last_bit = frame->bit[frame->count - 2];
    const int64_t measured_q16 = (span * 65536 + last_bit / 2) / last_bit;
    struct rises rises;
    for (unsigned measured = 0; measured < 2; measured++) {
        double delay;
        if (measured && (measured_q16 < bit_q16 - bit_q16 / 16 || measured_q16 > bit_q16 + bit_q16 / 16))
            break;
        if (!pair_edges(&rises, wave, frame, origin, measured ? measured_q16 : bit_q16) ||
            !all_late(&rises, (double)bit_q16 / 65536, exact, &delay))
            continue;
        *delay_q16 = (int64_t)(delay * 65536 + 0.5);
        return true;
    }
    return false;
}

/* ---- low where it should be high */

bool pb_wave_low_throughout(const struct pb_wave *wave, int64_t from_tick, int64_t to_tick)
{
    bool high = !wave->low_first;
    for (unsigned i = 0; i < wave->count && wave->edge[i].tick < to_tick; i++) {
        if (high && wave->edge[i].tick > from_tick)
            return false;
        high = wave->edge[i].high;
    }
    return !high;
}

bool pb_wave_covers(const struct pb_wave *wave, const struct pb_frame_edges *frame, const struct pb_fit *fit)
{
    for (unsigned i = 0; i + 1 < frame->count; i += 2) {
        const int64_t from = tick_of(fit->origin_tick, fit->bit_q16, frame->bit[i]) + PB_WAVE_TOLERANCE_TICKS,
                      to = tick_of(fit->origin_tick, fit->bit_q16, frame->bit[i + 1]) -
                           PB_WAVE_TOLERANCE_TICKS;
        if (!pb_wave_low_throughout(wave, from, to))
            return false;
    }
    return true;
}

bool pb_wave_off_grid(const struct pb_wave *wave, const struct pb_fit *fit)
{
    const int64_t allowed = fit->bit_q16 / 8 + PB_WAVE_TOLERANCE_TICKS * 65536;
    for (unsigned i = 0; i < wave->count; i++) {
        int64_t apart = (wave->edge[i].tick - fit->origin_tick) * 65536 % fit->bit_q16;
        apart = llabs(apart);
        if (apart > allowed && fit->bit_q16 - apart > allowed)
            return true;
    }
    return false;
}

/* ---- two lines */

/* Edges of `wave` between two ticks, and how many of them `other` has as well, `lag` later. */
static unsigned in_common(const struct pb_wave *wave, const struct pb_wave *other, int64_t lag,
                          int64_t from_tick, int64_t to_tick, unsigned *all)
{
    unsigned common = 0, k = 0;
    *all = 0;
    for (unsigned i = 0; i < wave->count; i++) {
        const struct pb_wave_edge *edge = &wave->edge[i];
        const int64_t tick = edge->tick + lag;
        if (edge->tick < from_tick || edge->tick > to_tick)
            continue;
        ++*all;
        while (k < other->count && other->edge[k].tick < tick - PB_WAVE_TOLERANCE_TICKS)
            k++;
        for (unsigned n = k; n < other->count && other->edge[n].tick <= tick + PB_WAVE_TOLERANCE_TICKS; n++)
            if (other->edge[n].high == edge->high) {
                common++;
                break;
            }
    }
    return common;
}

bool pb_wave_follows(const struct pb_wave *wave, const struct pb_wave *other)
{
    if (wave->count < SHORT_EDGES_MIN || other->count < SHORT_EDGES_MIN)
        return false;
    for (int64_t lag = -SHORT_LAG_TICKS; lag <= SHORT_LAG_TICKS; lag += PB_WAVE_TOLERANCE_TICKS) {
        unsigned all, back;
        const unsigned common = in_common(wave, other, lag, INT64_MIN, INT64_MAX, &all);
        if (common < SHORT_EDGES_MIN || all - common > 2)
            continue;
        const unsigned returned =
            in_common(other, wave, -lag, wave->edge[0].tick + lag - PB_WAVE_TOLERANCE_TICKS,
                      wave->edge[wave->count - 1].tick + lag + PB_WAVE_TOLERANCE_TICKS, &back);
        if (back - returned <= 2)
            return true;
    }
    return false;
}

struct pb_lows pb_wave_lows(const struct pb_wave *wave, int64_t end_tick)
{
    struct pb_lows lows = {0};
    bool low = wave->low_first;
    int64_t from = 0;
    for (unsigned i = 0; i <= wave->count; i++) {
        const bool end = i == wave->count;
        if (end ? !low : !wave->edge[i].high) {
            if (!end && !low)
                from = wave->edge[i].tick;
            low = !end;
            continue;
        }
        if (!low && !end)
            from = wave->edge[i].tick; /* rose twice: the fall between was not seen */
        const int64_t to = end ? end_tick : wave->edge[i].tick, length = to - from;
        lows.count++;
        lows.last = length;
        lows.last_tick = from;
        if (length > lows.longest) {
            lows.longest = length;
            lows.longest_tick = from;
        }
        low = false;
    }
    return lows;
}
