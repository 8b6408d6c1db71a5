/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calibration of a time-to-digital converter by code density. Edges that are not locked to the clock of the
 * core are uniformly distributed over a tick. So the share of the edges with a code is the share of the tick
 * that the code covers. Rises and falls pass the chain at different rates: each has a table of its own. Pure,
 * except the functions of a table's file.
 *
 * A place is the time from an edge to the clock edge that captured it, less the delay of the pin, its
 * multiplexer and the first tap. That delay is unknown but constant, and may differ for rises and falls.
 */
#ifndef PHASEBENCH_TDC_H
#define PHASEBENCH_TDC_H

#include "phasebench/api.h"
#include "phasebench/error.h"
#include "phasebench/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

enum {
    PB_TDC_CODES = 512,      /* of register TDC_SHAPE, one more than taps at most */
    PB_TDC_HITS_MIN = 10000, /* of rises, and of falls: worst edge of a bin 0.5 % of a tick */
    PB_TDC_CLOCK = 63,       /* as a pin: TDMA_CLK */
    PB_TDC_NAME = 64         /* bytes of a board's or a bitstream's name */
};
#define PB_TDC_HITS_MAX 1000000000u

/* The counts. Index of side: 0 falls, 1 rises. Index of hits: number of taps that the edge has passed. */
struct pb_tdc_table {
    char board[PB_TDC_NAME], bitstream[PB_TDC_NAME];
    int64_t made_s; /* seconds since 1970, UTC */
    unsigned taps;
    uint32_t clock_hz;
    double oscillator_hz; /* edges of the oscillator a second when the table was made */
    struct pb_tdc_side {
        uint32_t hits[PB_TDC_CODES];
        uint32_t bubbles; /* of these hits */
    } side[2];
};

/* The side of the edge of a TDC event. */
static inline bool pb_tdc_rises(const struct pb_event *event)
{
    return PB_GET(PB_EVENT_TDC_LEVEL, event->value);
}
void pb_tdc_count(struct pb_tdc_table *table, const struct pb_event *event);

/* Figures of one side of a table. */
struct pb_tdc_figures {
    uint64_t hits;
    unsigned first, last, empty; /* codes with a hit, and codes without between them */
    double mean_ps, widest_ps;   /* of the bins with a hit */
    double rms_ps;               /* of a place: sqrt(sum w^3 / (12 sum w)), which a mean width would hide */
    double edge_sd_ps;           /* of a bin's edge, the worst: tick / (2 sqrt hits) */
    double bubble_share;
};
void pb_tdc_figures(struct pb_tdc_figures *figures, const struct pb_tdc_table *table, bool rises);

/* PB_ERR_CONFIG: too few hits; the last tap was reached, so that the chain is shorter than a tick; a bin of
 * more than an eighth of the tick, as of an oscillator locked to the clock; bubbles at one edge in four. */
int pb_tdc_check(const struct pb_tdc_table *table, struct pb_diag *diag);

/* Places of the codes. Delays and the oscillator depend on voltage and temperature alike. So the places of a
 * table are scaled by the ratio of the rate in the table to the current rate. */
struct pb_tdc_scale {
    unsigned taps;
    double ratio; /* current delays / delays of the table */
    double place_ps[2][PB_TDC_CODES];
};
/* A larger change of the ratio needs a new table, because the parts of a delay do not all scale alike. Their
 * difference was not measured: a tenth of the change is assumed, at most 0.2 % of a tick. */
#define PB_TDC_RATIO_MAX 0.02
#define PB_TDC_UNLIKE 0.1
/* oscillator_hz: the current rate. PB_ERR_CONFIG: the ratio differs from 1 by more than PB_TDC_RATIO_MAX; or
 * as pb_tdc_check. */
int pb_tdc_scale(struct pb_tdc_scale *scale, const struct pb_tdc_table *table, double oscillator_hz,
                 struct pb_diag *diag);
/* Time from the edge of a TDC event to the tick of its stamp. */
double pb_tdc_place_ps(const struct pb_tdc_scale *scale, const struct pb_event *event);
/* The instant of the edge of a TDC event, in ps since the reset of the core. */
double pb_tdc_instant_ps(const struct pb_tdc_scale *scale, const struct pb_event *event, uint32_t clock_hz);

/* The file of a table, JSON. PB_ERR_IO, PB_ERR_MEMORY; of reading also PB_ERR_CONFIG: no table of the
 * converter, one with a key twice, one of another board, or one that was made more than a day from now. */
int pb_tdc_write(const struct pb_tdc_table *table, const char *path, struct pb_diag *diag);
int pb_tdc_parse(struct pb_tdc_table *table, const char *json, size_t length, struct pb_diag *diag);
/* board NULL: accepts a table of any board. */
int pb_tdc_read(struct pb_tdc_table *table, const char *path, const char *board, struct pb_diag *diag);
/* PB_ERR_CONFIG: the table is of another bitstream. */
int pb_tdc_check_bitstream(const struct pb_tdc_table *table, const char *bitstream, struct pb_diag *diag);

PB_API_END

#endif
