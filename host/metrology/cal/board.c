/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include "host/usb/chips.h"
#include "phasebench/rig.h"
#include "rtl/proto/gen/pb_regs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FUTURE_DAYS = 1 };

/* The only chip, or the one of this serial number, product string or port. */
static void find_chip(char board[PB_CAL_BOARD_SIZE], const char *name)
{
    struct pb_chips chips;
    unsigned found = 0;
    pb_chips_find(&chips);
    for (unsigned i = 0; i < chips.count; i++) {
        const struct pb_chip *chip = &chips.chip[i];
        if (*name && strcmp(name, chip->serial) && strcmp(name, chip->name) && strcmp(name, chip->port))
            continue;
        if (!found++)
            snprintf(board, PB_CAL_BOARD_SIZE, "%.63s", pb_chip_label(chip));
    }
    if (found != 1)
        snprintf(board, PB_CAL_BOARD_SIZE, "%.63s", *name ? name : "ftdi");
}

void pb_cal_board(char board[PB_CAL_BOARD_SIZE], const char *url)
{
    char own[PB_CAL_BOARD_SIZE];
    *board = '\0';
    const struct pb_rig_target rig = pb_rig_target_of(url);
    if (rig.replays)
        return;
    snprintf(own, sizeof own, "%.*s", (int)strcspn(rig.place, "?"), rig.place);
    if (rig.kind == PB_RIG_FTDI)
        find_chip(board, own);
    else
        snprintf(board, PB_CAL_BOARD_SIZE, "%.*s%s%.40s", (int)strcspn(rig.url, ":"), rig.url,
                 *own ? "-" : "", own);
}

void pb_cal_name(char name[PB_CAL_NAME_SIZE], const char *board, uint32_t map_hash)
{
    snprintf(name, PB_CAL_NAME_SIZE, "cal-%s-%08X.json", board, map_hash);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            *at = '_';
}

bool pb_cal_folder(char *folder, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        snprintf(folder, size, "%.*s/phasebench", (int)size - 32, state);
    else if (home && *home)
        snprintf(folder, size, "%.*s/.local/state/phasebench", (int)size - 32, home);
    else
        return false;
    return true;
}

bool pb_cal_is_unfit(char why[PB_CAL_WHY_SIZE], const struct pb_calibration *calibration, const char *board,
                     unsigned max_age_days)
{
    const double days = pb_calibration_age_days(calibration, time(NULL));
    if (strcmp(calibration->board, board))
        snprintf(why, PB_CAL_WHY_SIZE, "is of board %s, the rig is %s; calibrate it with 'phasebench cal'",
                 calibration->board, board);
    else if (calibration->map_hash != PB_MAP_HASH)
        snprintf(why, PB_CAL_WHY_SIZE,
                 "is of a core with map hash 0x%08X, this program's is 0x%08X; calibrate it again",
                 calibration->map_hash, PB_MAP_HASH);
    else if (days > max_age_days)
        snprintf(why, PB_CAL_WHY_SIZE,
                 "is %.0f days old (%s), %u are the limit; calibrate again, or give --max-age", days,
                 calibration->date_utc, max_age_days);
    else if (days < -FUTURE_DAYS)
        snprintf(why, PB_CAL_WHY_SIZE, "is from the future (%s); set the clock of this computer",
                 calibration->date_utc);
    else
        return false;
    return true;
}
