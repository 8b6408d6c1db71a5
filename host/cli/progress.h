/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Progress of a run, or of other counted work, on stderr: bar, count, rate, time left, in one line that is
 * cleared at the end. Shown only if stderr is a terminal that can clear a line.
 */
#ifndef PHASEBENCH_PROGRESS_H
#define PHASEBENCH_PROGRESS_H

#include "phasebench/run.h"

#include <stdint.h>

#define PROGRESS_REDRAW_NS INT64_C(200000000) /* from one drawing of a line on a terminal to the next */
enum { PROGRESS_BAR_CELLS = 24 };

/* Draws a line on stderr, a terminal, in place of the last one; and removes it, if it is drawn. */
void progress_draw(const char *line);
void progress_clear(bool *drawn);

/* "####....", by the share that is done, 0 to 1. */
void progress_bar(char bar[PROGRESS_BAR_CELLS + 1], double share);

struct progress {
    const char *label; /* borrowed */
    bool shown;        /* enabled */
    bool drawn;        /* the line is not empty */
    int64_t begun_ns, drawn_ns;
    bool judged, failed; /* progress_judge was called; the verdict that it got is fail */
    size_t findings;
};

void progress_begin(struct progress *progress, const char *label, bool quiet);
/* For struct pb_run_options; redraws at most 5 times per second, first after 200 ms. */
void progress_update(void *progress, const struct pb_run_progress *state);
/* The same of any things, of which `all` are to do; unit: their name, in the plural. */
void progress_count(struct progress *progress, const char *unit, uint64_t done, uint64_t all);
void progress_judge(struct progress *progress, const struct pb_result *so_far);
void progress_end(struct progress *progress);

#endif
