/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cal_file.h"

#include "cli.h"
#include "host/scenario/text_file.h"
#include "host/usb/chips.h"

#include "phasebench/rig.h"
#include "rtl/proto/gen/pb_regs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_SIZE = 64, FUTURE_DAYS = 1 };

/* ---- which board */

/* The only chip, or the one of this serial number, product string or port. */
static void find_chip(char board[NAME_SIZE], const char *name)
{
    struct pb_chips chips;
    unsigned found = 0;
    pb_chips_find(&chips);
    for (unsigned i = 0; i < chips.count; i++) {
        const struct pb_chip *chip = &chips.chip[i];
        if (*name && strcmp(name, chip->serial) && strcmp(name, chip->name) && strcmp(name, chip->port))
            continue;
        if (!found++)
            snprintf(board, NAME_SIZE, "%.63s", pb_chip_label(chip));
    }
    if (found != 1)
        snprintf(board, NAME_SIZE, "%.63s", *name ? name : "ftdi");
}

void cal_board(char board[64], const char *url)
{
    char own[NAME_SIZE];
    *board = '\0';
    const struct pb_rig_target rig = pb_rig_target_of(url);
    if (rig.replays)
        return;
    snprintf(own, sizeof own, "%.*s", (int)strcspn(rig.place, "?"), rig.place);
    if (rig.kind == PB_RIG_FTDI)
        find_chip(board, own);
    else
        snprintf(board, NAME_SIZE, "%.*s%s%.40s", (int)strcspn(rig.url, ":"), rig.url, *own ? "-" : "", own);
}

void cal_name(char name[CAL_NAME_SIZE], const char *board, uint32_t map_hash)
{
    snprintf(name, CAL_NAME_SIZE, "cal-%s-%08X.json", board, map_hash);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            *at = '_';
}

int cal_path(char path[OUTPUT_PATH_SIZE], const char *board, uint32_t map_hash)
{
    char folder[OUTPUT_PATH_SIZE], name[CAL_NAME_SIZE];
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        snprintf(folder, sizeof folder, "%.*s/phasebench", OUTPUT_PATH_SIZE - 32, state);
    else if (home && *home)
        snprintf(folder, sizeof folder, "%.*s/.local/state/phasebench", OUTPUT_PATH_SIZE - 32, home);
    else
        return cli_fail(CLI_BENCH_FAILED,
                        "cal: neither XDG_STATE_HOME nor HOME is set; give the file with --file");
    cal_name(name, board, map_hash);
    return output_path(path, folder, name) ? CLI_PASS : CLI_BENCH_FAILED;
}

/* ---- which calibration */

/* Says why it must not be used; false: it may. */
static bool is_unfit(char why[400], const struct pb_calibration *calibration,
                     const struct cal_options *options, const char *board)
{
    const double days = pb_calibration_age_days(calibration, time(NULL));
    if (strcmp(calibration->board, board))
        snprintf(why, 400, "is of board %s, the rig is %s; calibrate it with 'phasebench cal'",
                 calibration->board, board);
    else if (calibration->map_hash != PB_MAP_HASH)
        snprintf(why, 400, "is of a core with map hash 0x%08X, this program's is 0x%08X; calibrate it again",
                 calibration->map_hash, PB_MAP_HASH);
    else if (days > options->max_age_days)
        snprintf(why, 400, "is %.0f days old (%s), %u are the limit; calibrate again, or give --max-age",
                 days, calibration->date_utc, options->max_age_days);
    else if (days < -FUTURE_DAYS)
        snprintf(why, 400, "is from the future (%s); set the clock of this computer", calibration->date_utc);
    else
        return false;
    return true;
}

int cal_take(struct pb_calibration *calibration, bool *used, const struct cal_options *options,
             const char *url)
{
    char board[64], own[OUTPUT_PATH_SIZE], why[400] = "";
    char *text = NULL;
    size_t length;
    struct pb_diag diag;
    const char *path = options->path;
    *used = false;
    if (path && !strcmp(path, CAL_NONE))
        return CLI_PASS;
    if (!path && (pb_rig_target_of(url).replays || pb_rig_target_of(url).simulates))
        return CLI_PASS;
    cal_board(board, url);
    if (path && !*board)
        return cli_fail(CLI_USAGE, "--cal: a recording does not say which board it is of; leave --cal out");
    if (!path) {
        if (cal_path(own, board, PB_MAP_HASH) != CLI_PASS || access(own, F_OK))
            return CLI_PASS;
        path = own;
    }
    int code = pb_text_read(&text, &length, path, &diag);
    const bool there = !code;
    if (!code)
        code = pb_calibration_read(calibration, text, length, &diag);
    free(text);
    const bool unfit = !code && is_unfit(why, calibration, options, board);
    *used = !code && !unfit;
    if (*used)
        return CLI_PASS;
    return cli_fail(options->path ? CLI_BAD_SCENARIO : CLI_PASS, "--cal: %s%s%s%s", there ? path : "",
                    there ? (code ? ": " : " ") : "", code ? diag.text : why,
                    options->path ? "" : "; rates are not corrected");
}

int cal_check(const struct cal_options *options, const char *url)
{
    struct pb_calibration calibration;
    bool used;
    return cal_take(&calibration, &used, options, url);
}
