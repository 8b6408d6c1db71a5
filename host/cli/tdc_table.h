/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of a rig's time-to-digital converter.
 */
#ifndef PHASEBENCH_CLI_TDC_TABLE_H
#define PHASEBENCH_CLI_TDC_TABLE_H

#include "phasebench/tdc.h"

#define TDC_RIG_DEFAULT "sim:?tdc=typ"

/* The rig without its options: a board is known by its serial number. PB_ERR_ARGUMENT: it is not named. */
int tdc_name_board(char name[PB_TDC_NAME], const char *url, struct pb_diag *diag);
/* Reads the table of a rig; of a recording, that of any. As pb_tdc_read. */
int tdc_read(struct pb_tdc_table *table, const char *path, const char *url, struct pb_diag *diag);

#endif
