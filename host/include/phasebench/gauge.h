/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Gauge study: how much of the spread of measured values is the measuring system's. Analysis of variance of a
 * balanced crossed design, in which each of some appraisers (operators, stations) measures each of some parts
 * the same number of times: AIAG, Measurement Systems Analysis, 4th edition, chapter III.B. Pure.
 */
#ifndef PHASEBENCH_GAUGE_H
#define PHASEBENCH_GAUGE_H

#include "phasebench/api.h"
#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

PB_API_BEGIN

/* Places are numbers from 0. */
struct pb_gauge_value {
    unsigned part, appraiser;
    long double value; /* digits that all values share take none from the others */
};

/* How diagnostics call the parts and appraisers, by their numbers. Borrowed. */
struct pb_gauge_names {
    const char *const *part, *const *appraiser;
};

enum pb_gauge_source {
    PB_GAUGE_PART,
    PB_GAUGE_APPRAISER,
    PB_GAUGE_INTERACTION,
    PB_GAUGE_ERROR, /* of the repeats */
    PB_GAUGE_SOURCES
};

struct pb_gauge_row {
    double squares, freedom, mean_square; /* of the sum of squares */
};

enum pb_gauge_verdict { PB_GAUGE_GOOD, PB_GAUGE_CONDITIONAL, PB_GAUGE_POOR };

/* Deviations are in the unit of the values. An interaction with p above PB_GAUGE_POOL_P is no effect of its
 * own: it is pooled into the error. A negative component of the variance counts as 0. */
#define PB_GAUGE_POOL_P 0.25
struct pb_gauge {
    unsigned parts, appraisers, trials;
    struct pb_gauge_row row[PB_GAUGE_SOURCES]; /* before pooling; all 0 without a second appraiser for
                                                  APPRAISER and INTERACTION */
    double f_interaction, p_interaction;       /* 1 if there is none */
    bool pooled;
    double repeatability, reproducibility; /* EV, AV with the interaction */
    double study;                          /* GRR: both */
    double parts_deviation, total;         /* PV, TV */
    double study_percent;                  /* 100 GRR / TV */
    double contribution_percent;           /* 100 GRR^2 / TV^2 */
    double tolerance_percent;              /* 600 GRR / tolerance; 0 without a tolerance */
    double categories;             /* sqrt(2) PV / GRR; its whole part is the number of distinct categories;
                                      infinite without a spread of the measuring system */
    enum pb_gauge_verdict verdict; /* by the larger of both percentages: below 10, to 30, above; and
                                      conditional at best with fewer than 5 categories */
};

/* tolerance: width of the tolerance, or 0: none. names: NULL: numbers from 1. PB_ERR_CONFIG with a sentence
 * in *diag: fewer than 2 parts or trials, a combination missing or with another number of trials, a value
 * that is not finite, values that are all equal, or whose squares are no numbers: above 1e140, or within
 * 1e-140; or that differ in more digits than are computed with. PB_ERR_MEMORY. */
int pb_gauge_evaluate(struct pb_gauge *out, const struct pb_gauge_value *value, size_t count,
                      double tolerance, const struct pb_gauge_names *names, struct pb_diag *diag);
const char *pb_gauge_verdict_text(enum pb_gauge_verdict verdict);
const char *pb_gauge_source_name(int source); /* "part", "appraiser", "interaction", "error" */

#define PB_GAUGE_PARTS_MAX 200
#define PB_GAUGE_LABEL_SIZE 64

/* Names by the numbers of a value. */
struct pb_gauge_labels {
    char text[PB_GAUGE_PARTS_MAX][PB_GAUGE_LABEL_SIZE]; /* clean, for a message or a page */
    const char *name[PB_GAUGE_PARTS_MAX];               /* text */
    unsigned count;
};

/* The values of a study from a CSV file: a line of column names, then a line for each value. Columns other
 * than part, appraiser and value are ignored; parts and appraisers are numbered as they first come, and keep
 * their names. */
struct pb_gauge_file {
    struct pb_gauge_value *value; /* owned */
    size_t count;
    struct pb_gauge_labels *part, *appraiser; /* owned */
    struct pb_gauge_names names;              /* of these */
};
/* Reads the text of a file of this path. PB_ERR_CONFIG with the line, or PB_ERR_MEMORY; *file is then
 * empty. */
int pb_gauge_file_read(struct pb_gauge_file *file, const char *path, const char *text, size_t length,
                       struct pb_diag *diag);
void pb_gauge_file_free(struct pb_gauge_file *file);

/* Forms: text, JSON, and a page with verdict, figures, and each part by each appraiser as a plot and as a
 * table. tolerance as above; path: of the study, as the title. They return 0, PB_ERR_IO or PB_ERR_MEMORY, and
 * do not close the stream. */
int pb_report_gauge_text(FILE *stream, const struct pb_gauge *gauge, double tolerance);
int pb_report_gauge_json(FILE *stream, const struct pb_gauge *gauge);
int pb_report_gauge_html(FILE *stream, const char *path, const struct pb_gauge_file *file,
                         const struct pb_gauge *gauge, double tolerance);

/* A sheet for a study, to be filled in: each trial of each appraiser takes the parts in an order of its own,
 * by the seed, so that no appraiser remembers a value. At most PB_GAUGE_PARTS_MAX parts and 26 appraisers. */
struct pb_gauge_plan {
    unsigned parts, appraisers, trials;
    uint64_t seed;
};
int pb_report_gauge_plan(FILE *stream, const struct pb_gauge_plan *plan);

PB_API_END

#endif
