/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * TDMA_SYNC: the distance of its changes from the edges of TDMA_CLK, and its rises as edges, one a
 * superframe.
 */
#include "host/metrology/jitter/parts.h"

#include <math.h>
#include <stdlib.h>

/* How even the places of the changes are within a step. */
static double uneven_changes(const struct pb_jitter *jitter, const struct jitter_series *series)
{
    struct jitter_sample *edge = malloc(series->count * sizeof *edge);
    double uneven = 1;
    if (edge) {
        const struct train train = pb_train_of_superframes(series, jitter->n, jitter->tick_ps, edge);
        if (train.count >= 2) {
            const struct line line = pb_train_fit(&train);
            uneven = pb_grid_of_train(&train, &line).uneven;
        }
    }
    free(edge);
    return uneven;
}

/* Both edges are stamped. If their places within a step are swept, the mean has no error. One controller
 * makes both edges, so the errors of their stamps depend on each other; they only add to the deviation. */
static int add_changes(struct pb_jitter *jitter, enum pb_jitter_quantity quantity,
                       const struct jitter_series *series)
{
    const double step_ps = pb_exact_step_ps(series, jitter->tick_ps), uneven = uneven_changes(jitter, series);
    double *value = malloc(series->count * sizeof *value);
    if (!value)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < series->count; i++)
        value[i] = (double)series->sample[i].value_ps;
    struct pb_jitter_row *row =
        pb_row_add(jitter, quantity, value, series->count, step_ps, step_ps > 0 && 2 * uneven < 1);
    row->reference_step_ps = row->late_ps = step_ps;
    pb_row_deviation(row, ROUNDED_PAIR, uneven, 0);
    row->sd_is_bound = step_ps > 0;
    row->sd_ps = row->sd_is_bound ? row->sd95.upper : row->sd_ps;
    pb_row_mean(row, 0, row->raw.sd / sqrt((double)row->raw.n), fmin(2 * uneven, 1) * step_ps);
    return PB_OK;
}

static int add_rises(struct pb_jitter *jitter, const struct jitter_series *series)
{
    static const enum pb_jitter_quantity of_sync[] = {[PB_JITTER_PERIOD] = PB_JITTER_SYNC_PERIOD,
                                                      [PB_JITTER_CYCLE] = PB_JITTER_SYNC_CYCLE,
                                                      [PB_JITTER_TIE] = PB_JITTER_SYNC_TIE};
    struct jitter_sample *edge = malloc(series->count * sizeof *edge);
    if (!edge)
        return PB_ERR_MEMORY;
    const struct train train = pb_train_of_superframes(series, jitter->n, jitter->tick_ps, edge);
    const unsigned first_row = jitter->rows;
    int code = PB_OK;
    if (train.count >= 2) {
        const struct line line = pb_train_fit(&train),
                          ordered = {.start_ps = 0,
                                     .period_ps = (long double)jitter->nominal_ps * jitter->n};
        const bool fitted = jitter->reference == PB_JITTER_FIT;
        double *tie_ps = pb_train_ties(&train, fitted ? &line : &ordered);
        code = tie_ps ? pb_rows_of_train(jitter, &train, 0, &line, tie_ps, fitted) : PB_ERR_MEMORY;
        free(tie_ps);
    }
    for (unsigned i = first_row; i < jitter->rows; i++)
        jitter->row[i].quantity = of_sync[jitter->row[i].quantity];
    free(edge);
    return code;
}

int pb_rows_of_sync(struct pb_jitter *jitter, const struct pb_jitter_collector *collector)
{
    int code = PB_OK;
    if (collector->sync_rise.count)
        code = add_changes(jitter, PB_JITTER_SYNC_RISE, &collector->sync_rise);
    if (!code && collector->sync_fall.count)
        code = add_changes(jitter, PB_JITTER_SYNC_FALL, &collector->sync_fall);
    if (!code && collector->sync_rise.count)
        code = add_rises(jitter, &collector->sync_rise);
    return code;
}
