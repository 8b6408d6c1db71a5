/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calibration of a core's oscillator: measures its rate against a reference, keeps it in a file, and corrects
 * absolute rates with it. docs/use/cal.md has the method and its sources. Offsets are parts in 10^9;
 * positive: the core runs fast.
 */
#ifndef PHASEBENCH_CALIBRATION_H
#define PHASEBENCH_CALIBRATION_H

#include "phasebench/api.h"
#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

PB_API_BEGIN

#define PB_CALIBRATION_PPB_MAX 1e7 /* 1 %; a larger offset is refused */
#define PB_CALIBRATION_TEXT_SIZE 128

struct pb_calibration {
    char board[64];     /* serial number of its chip, else the part of the rig's URL that names it */
    uint32_t map_hash;  /* MAP_HASH of its core */
    uint32_t clock_hz;  /* nominal clock of its core */
    double offset_ppb;  /* measured rate / nominal rate - 1 */
    double u95_ppb;     /* expanded uncertainty, 95 %; > 0 */
    char reference[PB_CALIBRATION_TEXT_SIZE]; /* "TDMA_CLK, 10000 Hz" */
    char date_utc[32];  /* ISO 8601, of the end of the measurement */
    double span_s;      /* of the measurement, by the reference */
    uint64_t samples;
    char note[PB_CALIBRATION_TEXT_SIZE]; /* by the operator, such as the temperature; "": none */
};

/* Corrects a rate that was measured by the core, with its U95 (may be NULL): (1 + rate) (1 + offset) - 1.
 * calibration NULL: no effect. No other code applies a calibration to a value. */
void pb_calibrate_rate_ppm(const struct pb_calibration *calibration, double *rate_ppm, double *u95_ppm);

/* "core +12344.403 ppb, U95 0.699 ppb, 2026-11-24T12:00:00Z", for reports; returns text. */
#define PB_CALIBRATION_LINE_SIZE 112
const char *pb_calibration_line(const struct pb_calibration *calibration,
                                char text[PB_CALIBRATION_LINE_SIZE]);

/* Age in days at `now`; negative: its date is later than `now`. */
double pb_calibration_age_days(const struct pb_calibration *calibration, time_t now);

/* Writes one JSON object. Returns 0, PB_ERR_MEMORY or PB_ERR_IO. */
int pb_calibration_write(FILE *stream, const struct pb_calibration *calibration);
/* Reads what pb_calibration_write wrote. Returns 0, PB_ERR_CONFIG (the diagnostic names what is missing or
 * invalid) or PB_ERR_MEMORY. */
int pb_calibration_read(struct pb_calibration *out, const char *text, size_t length, struct pb_diag *diag);

/* ---- measurement */

/* Contributions to an uncertainty, each as U95, combined by the root of the sum of squares. */
struct pb_calibration_fit {
    double offset_ppb, u95_ppb;
    double
        scatter_ppb; /* of the slope of the line, from the residuals, widened when they follow each other */
    double step_ppb;      /* of the stamps; 0: the residuals sweep a step */
    double path_ppb;      /* of the latency between host and core; 0 for edges */
    double reference_ppb; /* of the reference, as given */
    double residual_ps;   /* standard deviation about the line */
    double span_s;
    size_t samples, missing; /* used; edges that did not come between the first and the last */
    bool enveloped;          /* the next two are valid: no constant rate outside them fits the reads */
    double least_ppb, most_ppb;
};

/* Fits a straight line through the edges of a reference of `hz`, each numbered by its distance from the edge
 * before it. tick: time of each edge in ticks of the core, to half a tick if the core reports half ticks.
 * step_ticks: step of the stamps, 0.5 or 1. PB_ERR_CONFIG: fewer than PB_CALIBRATION_EDGES_MIN edges, or
 * another rate (the diagnostic has the rate of most edges). */
#define PB_CALIBRATION_EDGES_MIN 8
struct pb_calibration_edges {
    const double *tick; /* ascending */
    size_t count;
    double hz, step_ticks, reference_u95_ppb;
    uint32_t clock_hz;
};
int pb_calibration_fit_edges(struct pb_calibration_fit *fit, const struct pb_calibration_edges *edges,
                             struct pb_diag *diag);

/* Fits a line through reads of the core's counter. The host reads its own clock before the request and after
 * the reply, so the counter had this value at an instant between them. The reads are divided into up to 64
 * stretches; the fit uses the shortest read of each. PB_ERR_CONFIG: fewer than 16 reads, or no time
 * passed. */
struct pb_calibration_host_read {
    int64_t before_ns, after_ns;
    uint64_t tick;
};
struct pb_calibration_reads {
    const struct pb_calibration_host_read *read; /* in order of time */
    size_t count;
    double reference_u95_ppb;
    uint32_t clock_hz;
};
int pb_calibration_fit_reads(struct pb_calibration_fit *fit, const struct pb_calibration_reads *reads,
                             struct pb_diag *diag);

PB_API_END

#endif
