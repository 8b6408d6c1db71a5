/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cal_file.h"

#include "cli.h"
#include "host/metrology/cal/board.h"
#include "host/scenario/text_file.h"

#include "phasebench/rig.h"
#include "rtl/proto/gen/pb_regs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- which calibration */

int cal_path(char path[OUTPUT_PATH_SIZE], const char *board, uint32_t map_hash)
{
    char folder[OUTPUT_PATH_SIZE], name[PB_CAL_NAME_SIZE];
    if (!pb_cal_folder(folder, sizeof folder))
        return cli_fail(CLI_BENCH_FAILED,
                        "cal: neither XDG_STATE_HOME nor HOME is set; give the file with --file");
    pb_cal_name(name, board, map_hash);
    return output_path(path, folder, name) ? CLI_PASS : CLI_BENCH_FAILED;
}

int cal_take(struct pb_calibration *calibration, bool *used, const struct cal_options *options,
             const char *url)
{
    char board[PB_CAL_BOARD_SIZE], own[OUTPUT_PATH_SIZE], why[PB_CAL_WHY_SIZE] = "";
    char *text = NULL;
    size_t length;
    struct pb_diag diag;
    const char *path = options->path;
    *used = false;
    if (path && !strcmp(path, CAL_NONE))
        return CLI_PASS;
    if (!path && (pb_rig_target_of(url).replays || pb_rig_target_of(url).simulates))
        return CLI_PASS;
    pb_cal_board(board, url);
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
    const bool unfit = !code && pb_cal_is_unfit(why, calibration, board, options->max_age_days);
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
