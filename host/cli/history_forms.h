/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The three output forms of `phasebench history`. Each function returns 0, or -1 with errno.
 */
#ifndef PHASEBENCH_CLI_HISTORY_FORMS_H
#define PHASEBENCH_CLI_HISTORY_FORMS_H

#include "phasebench/history.h"

#include <stdio.h>

enum history_form { HISTORY_TEXT, HISTORY_JSON, HISTORY_CSV };

int history_write_runs(FILE *out, enum history_form form, const struct pb_history_run *run, size_t runs);
/* One unit: its firmware and reasons, too; JSON and CSV are those of the runs. */
int history_write_unit(FILE *out, const char *unit, const struct pb_history_run *run, size_t runs);
int history_write_yield(FILE *out, enum history_form form, const struct pb_history_yield *row, size_t rows);
/* At least one value. */
int history_write_figure(FILE *out, enum history_form form, const struct pb_history_value *value,
                         size_t values);
/* All that is stored of these runs, read one by one. CSV: a row for each measurement. Returns PB_OK or the
 * code of *diag. */
int history_export(FILE *out, enum history_form form, struct pb_history *history,
                   const struct pb_history_run *run, size_t runs, struct pb_diag *diag);

#endif
