/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tdc_table.h"

#include "phasebench/rig.h"

#include <string.h>

int tdc_name_board(char name[PB_TDC_NAME], const char *url, struct pb_diag *diag)
{
    const struct pb_rig_target rig = pb_rig_target_of(url);
    const size_t length = strcspn(url, "?");
    if (length >= PB_TDC_NAME || (rig.kind == PB_RIG_FTDI && (!*rig.place || *rig.place == '?')))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "rig '%.80s': a table belongs to one board, named in at most %d characters; give its "
                       "serial number, as in ftdi:SERIAL",
                       url, PB_TDC_NAME - 1);
    memcpy(name, url, length);
    name[length] = '\0';
    return PB_OK;
}

int tdc_read(struct pb_tdc_table *table, const char *path, const char *url, struct pb_diag *diag)
{
    char board[PB_TDC_NAME];
    const bool recorded = pb_rig_target_of(url).replays;
    const int code = recorded ? PB_OK : tdc_name_board(board, url, diag);
    return code ? code : pb_tdc_read(table, path, recorded ? NULL : board, diag);
}
