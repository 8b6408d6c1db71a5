/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of histories share. Paths, lists and texts are handed over.
 */
#ifndef PB_TESTS_HISTORY_FIXTURE_H
#define PB_TESTS_HISTORY_FIXTURE_H

#include "phasebench/history.h"

enum { HISTORY_TEST_MS = 200 }; /* patience */

/* The path of a file that is not there. */
const char *history_new_path(void);
/* The opened history; it is closed when the test ends. */
struct pb_history *history_opened(const char *path, enum pb_history_access access);
/* The first line of what the command prints. */
const char *history_line_of(const char *command);
/* The first line that sqlite3 prints of a statement. */
const char *history_sqlite(const char *path, const char *sql);
/* The runs of a filter; NULL if there is none. */
struct pb_history_run *history_runs_of(const char *path, const struct pb_history_filter *filter,
                                       size_t *count);

#endif
