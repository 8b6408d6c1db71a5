/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Storage of calibrations, and the choice of the one that a run uses (docs/use/cal.md). Functions that return
 * an exit code have reported the error.
 */
#ifndef PHASEBENCH_CLI_CAL_FILE_H
#define PHASEBENCH_CLI_CAL_FILE_H

#include "output.h"

#include "phasebench/calibration.h"

#include <stdbool.h>

#define CAL_MAX_AGE_DAYS 365
#define CAL_NONE "none"

struct cal_options {
    const char *path; /* --cal; NULL: that of the board, if there is one */
    unsigned max_age_days;
};

/* The file of a board in $XDG_STATE_HOME/phasebench. */
int cal_path(char path[OUTPUT_PATH_SIZE], const char *board, uint32_t map_hash);

/* Reads the calibration for a rig. *used: there is one. A file of --cal that is invalid, stale or of another
 * board is refused. The board's own file is in such a case left out, with a message. Simulated rigs and
 * recordings have no file of their own. */
int cal_take(struct pb_calibration *calibration, bool *used, const struct cal_options *options,
             const char *url);

/* Whether cal_take would refuse it. */
int cal_check(const struct cal_options *options, const char *url);

#endif
