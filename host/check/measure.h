/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Collects the measured values of the check, and makes the list of measurements of them.
 */
#ifndef PHASEBENCH_MEASURE_H
#define PHASEBENCH_MEASURE_H

#include "phasebench/result.h"

/* A value with the limits that hold for it, in the unit of its figure. */
struct pb_reading {
    int64_t value, u95;
    int64_t lower, upper; /* PB_ABSENT: none */
    enum pb_judgement judgement;
    bool placed; /* it is a sample, with these (struct pb_sample): */
    uint64_t phase;
    int64_t time_ps, step_ps;
};

/* How values are spread, in memory that does not grow with their number: cells of the width of a decade,
 * which widen by ten when the values leave them. */
#define PB_SPREAD_CELLS 512
#define PB_SPREAD_DISTINCT 512
struct pb_spread {
    int64_t cell_ps; /* width; cell i begins at i cell_ps and has the place i modulo their number */
    int64_t first, last;          /* cells in use */
    uint32_t cell[PB_SPREAD_CELLS];
    int64_t value[PB_SPREAD_DISTINCT]; /* the first distinct values, in the order in which they came */
    unsigned values;
    uint16_t place[2 * PB_SPREAD_DISTINCT]; /* of them, plus 1, by a hash of the value; 0: free */
};

/* All zero before the first value. */
struct pb_samples {
    uint64_t count;
    int64_t first, min, max;
    __int128 sum, squares; /* of the distances from the first one; exact */
    double vast_squares;   /* in place of them once they would overflow; below 0: not yet */
    int64_t u95, lower, upper, margin;
    enum pb_judgement judgement;
};
struct pb_measure {
    struct pb_samples sample[PB_FIGURES * PB_RISE_LINKS];
    struct pb_spread *start[PB_RISE_LINKS]; /* owned; of a node's starts */
    bool incomplete;                        /* memory ran out */
    int64_t step_ps[PB_RISE_LINKS];         /* of the stamps of a node's starts, the largest */
    bool from_stamps;                       /* phase edges are stamped: those of another controller */
    struct pb_sample_sink samples;
};

/* Distance of a value to the nearest of its limits, below 0 beyond it; PB_ABSENT without a limit. */
int64_t pb_reading_margin(const struct pb_reading *reading);
/* Decides by PB_DECISION_U95. */
enum pb_judgement pb_decide_u95(int64_t margin, int64_t u95);
/* Decides by PB_DECISION_LIMIT. */
enum pb_judgement pb_decide_limit(int64_t margin);

/* Place of a figure in `sample`, by link or node; 0 for a figure of the run. Findings keep it to the end. */
static inline int pb_measure_key(enum pb_figure figure, unsigned at)
{
    return (int)(figure * PB_RISE_LINKS + at);
}

/* Adds a value. Returns its key, for the finding that is about it. */
int pb_measure_take(struct pb_measure *measure, enum pb_figure figure, unsigned at,
                    const struct pb_reading *reading);
/* Hands on an edge that the time-to-digital converter observed; time_ps as of struct pb_sample. */
void pb_measure_take_fine(const struct pb_measure *measure, bool rises, int64_t time_ps);
/* Writes measurements and histograms (one axis for all links) into the result, and turns the keys of its
 * findings into places in that list. ports: links of a node. PB_ERR_MEMORY: values were lost for lack of
 * memory. */
int pb_measure_finish(const struct pb_measure *measure, struct pb_result *result, unsigned ports);
void pb_measure_free(struct pb_measure *measure);

#endif
