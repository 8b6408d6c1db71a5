/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The board that a calibration is of: its name, that of its file, and whether a calibration may be used for
 * it (docs/use/cal.md).
 */
#ifndef PB_CAL_BOARD_H
#define PB_CAL_BOARD_H

#include "phasebench/calibration.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the name of a rig's board in a calibration: the serial number of its chip, else the part of the URL
 * that names it; "" for a recording. */
#define PB_CAL_BOARD_SIZE 64
void pb_cal_board(char board[PB_CAL_BOARD_SIZE], const char *url);
/* The name of the file of a board. */
#define PB_CAL_NAME_SIZE 96
void pb_cal_name(char name[PB_CAL_NAME_SIZE], const char *board, uint32_t map_hash);
/* Its folder, below $XDG_STATE_HOME or $HOME; false: neither is set. */
bool pb_cal_folder(char *folder, size_t size);

/* Says why a calibration must not be used for a board; false: it may. */
#define PB_CAL_WHY_SIZE 400
bool pb_cal_is_unfit(char why[PB_CAL_WHY_SIZE], const struct pb_calibration *calibration, const char *board,
                     unsigned max_age_days);

#endif
