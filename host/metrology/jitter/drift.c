/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rate of equal parts of a run, and the straight line through them. The line's uncertainty is the larger
 * of two: that which the rates bring along, and that which their distances from the line show.
 */
#include "host/metrology/jitter/parts.h"

#include <math.h>

enum {
    BLOCK_LEAST = 50, /* edges of a block */
    BLOCKS_LEAST = 4  /* for a drift */
};

#define PS_PER_S 1e12

/* The first edge, from `from` on, in a place not before this one. */
static size_t edge_at(const struct train *train, size_t from, long double place)
{
    while (from < train->count && pb_train_place(train, from) < place)
        from++;
    return from;
}

static void cut(struct pb_jitter *jitter, const struct train *train)
{
    const size_t most = train->count / BLOCK_LEAST;
    const unsigned blocks = most < PB_JITTER_BLOCKS ? (unsigned)most : PB_JITTER_BLOCKS;
    const long double places = pb_train_place(train, train->count - 1) + 1;
    size_t from = 0;
    for (unsigned k = 0; k < blocks; k++) {
        const size_t to = edge_at(train, from, places * (k + 1) / blocks);
        const struct train part = {
            .edge = &train->edge[from], .count = to - from, .step_ps = train->step_ps, .fine = train->fine};
        if (part.count >= BLOCK_LEAST / 2) {
            const struct line line = pb_train_fit(&part);
            const struct rate rate = pb_train_rate(&part, &line, jitter->nominal_ps);
            jitter->block[jitter->blocks++] = (struct pb_jitter_block){
                .time_s = (double)(pb_train_time(train, from) + pb_train_time(train, to - 1)) / 2 / PS_PER_S,
                .edges = part.count,
                .rate_ppm = rate.ppm,
                .rate_u95_ppm = rate.u95_ppm};
        }
        from = to;
    }
}

void pb_jitter_drift(struct pb_jitter *jitter, const struct train *train)
{
    double time = 0, rate = 0, spread = 0, slope = 0, squares = 0, brought = 0;
    cut(jitter, train);
    if (jitter->blocks < BLOCKS_LEAST)
        return;
    const double n = jitter->blocks;
    for (unsigned k = 0; k < jitter->blocks; k++) {
        time += jitter->block[k].time_s / n;
        rate += jitter->block[k].rate_ppm / n;
    }
    for (unsigned k = 0; k < jitter->blocks; k++) {
        const double apart = jitter->block[k].time_s - time;
        spread += apart * apart;
        slope += apart * (jitter->block[k].rate_ppm - rate);
        brought += apart * apart * jitter->block[k].rate_u95_ppm * jitter->block[k].rate_u95_ppm;
    }
    slope /= spread;
    for (unsigned k = 0; k < jitter->blocks; k++) {
        const double apart =
            jitter->block[k].rate_ppm - rate - slope * (jitter->block[k].time_s - time);
        squares += apart * apart;
    }
    jitter->has_drift = true;
    jitter->drift_ppm_s = slope;
    jitter->drift_u95_ppm_s =
        fmax(sqrt(brought) / spread, pb_student_factor(CONFIDENCE, n - 2) * sqrt(squares / (n - 2) / spread));
}
