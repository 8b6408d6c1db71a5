/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Progress of a run on stderr: bar, superframes, rate, time left, in one line that is cleared at the end.
 * Shown only when stderr is a terminal that can clear a line.
 */
#ifndef PHASEBENCH_PROGRESS_H
#define PHASEBENCH_PROGRESS_H

#include "phasebench/run.h"

struct progress {
    const char *label; /* borrowed */
    bool shown;        /* wanted at all */
    bool drawn;        /* something is on the line */
    int64_t begun_ns, drawn_ns;
};

void progress_begin(struct progress *progress, const char *label, bool quiet);
/* For struct pb_run_options; redraws at most 5 times a second, first after a fifth of a second. */
void progress_update(void *progress, const struct pb_run_progress *state);
void progress_end(struct progress *progress);

#endif
