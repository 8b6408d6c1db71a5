/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What `phasebench history` prints, in three forms. Each function returns an exit code, after the error has
 * been reported.
 */
#ifndef PHASEBENCH_CLI_HISTORY_FORMS_H
#define PHASEBENCH_CLI_HISTORY_FORMS_H

#include "phasebench/history.h"

enum history_form { HISTORY_TEXT, HISTORY_JSON, HISTORY_CSV };

int history_print_runs(enum history_form form, const struct pb_history_run *run, size_t runs);
/* One unit: its firmware and reasons, too; JSON and CSV are those of the runs. */
int history_print_unit(const char *unit, const struct pb_history_run *run, size_t runs);
int history_print_yield(enum history_form form, const struct pb_history_yield *row, size_t rows);
/* At least one value. */
int history_print_figure(enum history_form form, const struct pb_history_value *value, size_t values);
/* All that is stored of these runs, read one by one. CSV: a row for each measurement. */
int history_export(enum history_form form, struct pb_history *history, const struct pb_history_run *run,
                   size_t runs);

#endif
