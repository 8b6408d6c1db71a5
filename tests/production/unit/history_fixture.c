/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/production/unit/history_fixture.h"

#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *history_new_path(void)
{
    return formatted("%s/history.db", new_folder());
}

static void close_history(void *history)
{
    pb_history_close(history);
}

struct pb_history *history_opened(const char *path, enum pb_history_access access)
{
    struct pb_history *history;
    assert_succeeds(pb_history_open(&history, path, access, HISTORY_TEST_MS, &diag));
    return hand_over(history, close_history);
}

const char *history_line_of(const char *command)
{
    char *line = calloc(1, 512);
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    hand_over(line, free);
    if (!fgets(line, 512, stream))
        *line = '\0';
    pclose(stream);
    line[strcspn(line, "\n")] = '\0';
    return line;
}

const char *history_sqlite(const char *path, const char *sql)
{
    return history_line_of(formatted("sqlite3 '%s' \"%s\" 2>&1", path, sql));
}

struct pb_history_run *history_runs_of(const char *path, const struct pb_history_filter *filter,
                                       size_t *count)
{
    struct pb_history_run *run;
    assert_succeeds(pb_history_runs(history_opened(path, PB_HISTORY_READ), filter, &run, count, &diag));
    return run ? hand_over(run, free) : NULL;
}
