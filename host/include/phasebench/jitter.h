/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Jitter of TDMA_CLK and of the responses of nodes, from the samples of one run. docs/use/jitter.md has the
 * definitions and their sources. Times are in ps, as double.
 */
#ifndef PHASEBENCH_JITTER_H
#define PHASEBENCH_JITTER_H

#include "phasebench/api.h"
#include "phasebench/calibration.h"
#include "phasebench/error.h"
#include "phasebench/measurement.h"
#include "phasebench/stability.h"
#include "phasebench/statistics.h"

#include <stdint.h>
#include <stdio.h>

PB_API_BEGIN

struct pb_result;
struct pb_stamps;
struct pb_tdc_watch;

/* With t[k] the edge of phase k and T the reference period. X(name, id, text). A response is the start of a
 * node's frame after the edge that the node saw. */
#define PB_JITTER_LIST(X)                                                                                    \
    X(PERIOD, "period", "period t[k+1] - t[k]")                                                              \
    X(CYCLE, "cycle_to_cycle", "cycle to cycle t[k+2] - 2 t[k+1] + t[k]")                                    \
    X(N_PERIOD, "n_period", "superframe t[k+n] - t[k]")                                                      \
    X(TIE, "tie", "time interval error t[k] - t[0] - k T")                                                   \
    X(RESPONSE, "response", "start of a node's frame after the phase edge")                                  \
    X(SYNC_RISE, "sync_rise", "rise of TDMA_SYNC after the nearest edge of TDMA_CLK")                        \
    X(SYNC_FALL, "sync_fall", "fall of TDMA_SYNC after the nearest edge of TDMA_CLK")                        \
    X(SYNC_PERIOD, "sync_period", "period of the rises of TDMA_SYNC")                                        \
    X(SYNC_CYCLE, "sync_cycle_to_cycle", "cycle to cycle of the rises of TDMA_SYNC")                         \
    X(SYNC_TIE, "sync_tie", "time interval error of a rise of TDMA_SYNC")

enum pb_jitter_quantity {
#define PB_JITTER_ENUM(name, id, text) PB_JITTER_##name,
    PB_JITTER_LIST(PB_JITTER_ENUM)
#undef PB_JITTER_ENUM
        PB_JITTER_QUANTITIES
};
const char *pb_jitter_id(enum pb_jitter_quantity quantity);
const char *pb_jitter_text(enum pb_jitter_quantity quantity);

/* T: the configured period, or the period of the straight line that fits all edges best. The fit removes
 * offset and rate from the TIE. */
enum pb_jitter_reference { PB_JITTER_FIT, PB_JITTER_NOMINAL };

/* The ends of a bit at which it can be sampled with at most this error ratio; see pb_bathtub_window. */
#define PB_JITTER_WINDOWS 6
struct pb_jitter_window {
    double ratio;
    struct pb_interval model;   /* by the split: an extrapolation */
    struct pb_interval counted; /* of the values themselves */
    bool is_counted;            /* n is large enough */
};

#define PB_JITTER_SD_LEAST 3 /* least number of values for a deviation */
struct pb_jitter_row {
    enum pb_jitter_quantity quantity;
    int link, node, dimension;   /* of a response; -1. Of starts as edges: link */
    int phase;                   /* of the superframe in which the node sends on that link; -1 */
    int from, to;                /* digits of sender and receiver there: its direction; -1: unknown */
    struct pb_distribution raw;  /* as stamped */
    double span_ps;              /* of a TIE: from the first edge to the last */
    double step_ps;              /* of the stamps; 0: exact. Fine: sqrt(12) deviations of a single shot */
    double reference_step_ps;    /* of a response: of the stamp of the edge it counts from; 0: exact */
    bool fine;                   /* its edges are those of the time-to-digital converter */
    bool swept;                  /* the stamps dither: their error has no favourite value */
    double mean_ps, mean_u95_ps; /* without the mean error of the stamps; U95 by scatter and step alone */
    double scatter_ps, place_ps; /* of the mean: deviation by jitter; largest change by rounding */
    struct pb_expanded expanded; /* of mean_ps, ps, with the contributions that no n reduces */
    double sd_ps;                /* without the deviation that the step adds; INFINITY: too few values */
    bool sd_is_bound;            /* the step hides the deviation: sd_ps is an upper bound, 95 % or more */
    struct pb_interval sd95; /* contains the deviation without the step, 95 % or more; upper end INFINITY: too
                                few values */
    double late_ps;              /* a value may exceed its stamped value by at most this */
    struct pb_split split;
    double bit_ps; /* 0: no bathtub, as there is no split, or no response */
    struct pb_jitter_window window[PB_JITTER_WINDOWS]; /* ratio falls */
    double *value; /* owned: raw.n values, ascending */
};

/* Deviations at tau = averaged x the phase period; the share of the overlapping terms. */
#define PB_JITTER_TAUS 40
struct pb_jitter_stability {
    size_t averaged, terms;
    double tau_s, oadev, mdev, tdev_ps, mtie_ps;
    enum pb_noise noise; /* by the slope of MDEV about this tau */
    struct pb_interval oadev95; /* without the step of the stamps */
};

/* Edges with an uncertainty budget; the budget is that of a single edge, before any mean. */
enum pb_jitter_edge {
    PB_JITTER_CLOCK_RISE,
    PB_JITTER_LINK_FALL,
    PB_JITTER_LINK_RISE,
    PB_JITTER_FINE_EDGE, /* an edge that the converter observes; only if fine.used */
    PB_JITTER_EDGES
};
#define PB_JITTER_PARTS 10
struct pb_jitter_part {
    char name[40];
    bool normal;          /* else a rectangle */
    bool averages;        /* the scatter of the values shows it, and a mean reduces it */
    double size_ps, u_ps; /* half-width or deviation; standard uncertainty */
};
struct pb_jitter_budget {
    struct pb_jitter_part part[PB_JITTER_PARTS];
    unsigned parts; /* 0: the edge is exact */
    struct pb_expanded sum;
};

/* The rate of an equal part of the run. */
#define PB_JITTER_BLOCKS 20
struct pb_jitter_block {
    double time_s; /* of its middle, from the first edge */
    uint64_t edges;
    double rate_ppm, rate_u95_ppm;
};

/* Deviations of the TIE over tau. */
struct pb_jitter_stable {
    struct pb_jitter_stability at[PB_JITTER_TAUS];
    unsigned taus;  /* 0: too few edges without a gap */
    uint64_t edges; /* the longest stretch without a missing edge */
};

/* The starts of the frames of a node on a link, as edges, one a superframe; rows of period, cycle to cycle
 * and TIE have that link. */
struct pb_jitter_starts {
    int link;
    uint64_t missing; /* superframes without a start, between the first and the last */
    double period_ps; /* reference; a superframe */
    double rate_ppm, rate_u95_ppm;
    struct pb_jitter_stable stable;
};

/* The bit time of one frame of a node, over all its edges. */
struct pb_jitter_bit_time {
    int link;
    double time_s, ppm; /* of its phase, from the first of all such frames; deviation, longer above 0 */
};

/* The edges that the time-to-digital converter observed: rises of TDMA_CLK, or falls of a link. Its unknown
 * delay is chosen so that all of these edges agree with their stamps. */
struct pb_jitter_fine {
    bool used;
    int link;                   /* -1: TDMA_CLK */
    uint64_t edges, without;    /* edges with a place of the converter; edges without one, which are left
                                   out */
    double rms_ps, widest_ps;   /* of a single shot, by the widths of the bins; the widest bin */
    double table_ps;            /* deviation of the edge of a bin in the table, the worst */
    double ratio, ratio_end;    /* of the delays to those in the table, before and after the run */
    double drift_ps,
        place_ps; /* half-widths: change of the delays, and remaining uncertainty of the delay of the pin */
};

#define PB_JITTER_LINKS 64
#define PB_JITTER_ROWS (9 + 4 * PB_JITTER_LINKS)
#define PB_JITTER_SOURCE_SIZE 160
struct pb_jitter {
    char source[PB_JITTER_SOURCE_SIZE]; /* file, form and channel of the stamps; "": a run */
    enum pb_jitter_reference reference;
    bool follows;                  /* TDMA_CLK is that of another controller */
    double tick_ps;                /* of the core that stamped; 0: unknown */
    double nominal_ps, period_ps;  /* configured period, and T */
    double rate_ppm, rate_u95_ppm; /* of the fitted line, faster above 0; U95 by the scatter of the edges */
    char calibration[PB_CALIBRATION_LINE_SIZE]; /* calibration that corrects the rate; "": not corrected */
    uint64_t edges, missing;       /* of TDMA_CLK; missing between the first and the last */
    uint64_t left_out;             /* samples beyond PB_JITTER_SAMPLES_MAX of a series */
    unsigned n;                    /* of the n-period: the phases of a superframe */
    struct pb_jitter_row row[PB_JITTER_ROWS];
    unsigned rows;
    struct pb_jitter_stable stable; /* of TDMA_CLK */
    struct pb_jitter_starts starts[PB_JITTER_LINKS];
    unsigned start_links;
    double *tie_ps;              /* owned: of each edge, in order */
    struct pb_jitter_bit_time *bit_time; /* owned: link by link, in order */
    size_t bit_times;
    double skew_ps;              /* between the links: largest less smallest mean response */
    struct pb_expanded skew;     /* its uncertainty, ps */
    unsigned skew_links;         /* with responses; below 2: no skew */
    struct pb_jitter_block block[PB_JITTER_BLOCKS];
    unsigned blocks;
    bool has_drift;                       /* there are enough blocks */
    double drift_ppm_s, drift_u95_ppm_s;  /* of the line through the blocks; significant above its U95 */
    char board[24];                       /* the source of the budgets; "": simulated core */
    struct pb_jitter_fine fine;
    double oscillator_ppm;                /* of the bench, half-width; 0: simulated core */
    struct pb_expanded absolute_rate;     /* of rate_ppm with the oscillator of the bench, ppm */
    struct pb_jitter_budget budget[PB_JITTER_EDGES];
};

/* "tdma_clk_rise", "link_fall", "link_rise", "converter" */
const char *pb_jitter_edge_id(enum pb_jitter_edge edge);
/* Describes in one sentence what the converter observed; returns line. */
#define PB_JITTER_FINE_LINE 240
const char *pb_jitter_fine_line(const struct pb_jitter *jitter, char line[PB_JITTER_FINE_LINE]);
/* Number of kinds of edge that have a budget. */
static inline int pb_jitter_edges(const struct pb_jitter *jitter)
{
    return *jitter->source     ? PB_JITTER_CLOCK_RISE + 1
           : jitter->fine.used ? PB_JITTER_EDGES
                               : PB_JITTER_FINE_EDGE;
}
const char *pb_jitter_edge_text(const struct pb_jitter *jitter, enum pb_jitter_edge edge);
/* True if the clock and the stamps of this row are locked to each other, so that the stamps do not dither. */
static inline bool pb_jitter_is_locked(const struct pb_jitter_row *row)
{
    return row->step_ps > 0 && !row->swept;
}
static inline bool pb_jitter_drifts(const struct pb_jitter *jitter)
{
    return jitter->has_drift && (jitter->drift_ppm_s > jitter->drift_u95_ppm_s ||
                                 -jitter->drift_ppm_s > jitter->drift_u95_ppm_s);
}

#define PB_JITTER_SAMPLES_MAX (UINT64_C(1) << 22)

/* Collects the samples of a run. */
struct pb_jitter_collector;
struct pb_jitter_collector *pb_jitter_collect(void); /* NULL: memory ran out */
struct pb_sample_sink pb_jitter_sink(struct pb_jitter_collector *collector);
void pb_jitter_collector_free(struct pb_jitter_collector *collector);

/* Before the run: makes the collector keep the edges that the converter observes at this pin (a link, or
 * PB_TDC_CLOCK). */
void pb_jitter_keep_fine(struct pb_jitter_collector *collector, unsigned pin);
/* After the run, before any other function: replaces the stamps of the samples by these edges. result: of the
 * run. PB_ERR_CONFIG: stamps and converter disagree, so the table of the converter is invalid; PB_ERR_LINK:
 * no edge was observed. */
int pb_jitter_refine(struct pb_jitter_collector *collector, const struct pb_tdc_watch *watch,
                     const struct pb_result *result, struct pb_diag *diag);

/* Every sample as CSV: figure, link, phase, time_ps, value_ps, step_ps. PB_OK, or PB_ERR_IO. */
int pb_jitter_csv(FILE *stream, const struct pb_jitter_collector *collector);

/* Computes all figures. result: of the run that gave the samples. follows: its scenario has an external
 * clock. PB_OK with *out, to be released with pb_jitter_free; PB_ERR_MEMORY with NULL. */
int pb_jitter_compute(struct pb_jitter **out, const struct pb_jitter_collector *collector,
                      const struct pb_result *result, bool follows, enum pb_jitter_reference reference);
/* The same figures of the stamps of one signal as edges of a clock: n of the n-period, 0: none;
 * nominal_ps: configured period, 0: the mean one. A distance of several median periods is a gap.
 * PB_ERR_CONFIG with *diag: fewer than 3 stamps, or two that are less than half a median period apart.
 * PB_ERR_MEMORY. */
int pb_jitter_of_stamps(struct pb_jitter **out, const struct pb_stamps *stamps, const char *path, unsigned n,
                        double nominal_ps, enum pb_jitter_reference reference, struct pb_diag *diag);
/* Corrects the rate by the calibration of the core, and notes it; NULL: no effect. */
void pb_jitter_calibrate(struct pb_jitter *jitter, const struct pb_calibration *calibration);
void pb_jitter_free(struct pb_jitter *jitter);

PB_API_END

#endif
