/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where calibrations are kept, and which one a run takes (docs/cal.md). Functions that return an exit
 * code have reported the error.
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

/* What a calibration calls the board of a rig: the serial number of its chip, else of the URL what tells
 * it apart; "" for a recording. */
void cal_board(char board[64], const char *url);
/* The name of the file of a board. */
#define CAL_NAME_SIZE 96
void cal_name(char name[CAL_NAME_SIZE], const char *board, uint32_t map_hash);
/* This file in $XDG_STATE_HOME/phasebench. */
int cal_path(char path[OUTPUT_PATH_SIZE], const char *board, uint32_t map_hash);

/* Reads the calibration for a rig. *used: there is one. A file of --cal that is wrong, stale or of
 * another board is refused; the board's own is then left out with a line. Simulated rigs and recordings
 * have none of their own. */
int cal_take(struct pb_calibration *calibration, bool *used, const struct cal_options *options,
             const char *url);

/* Whether cal_take would refuse it. */
int cal_check(const struct cal_options *options, const char *url);

#endif
