/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs on their way to a server that is not there, their spool, and files of schema version 1. What a server
 * does is tested by tests/production/cli/history_server.sh.
 *
 * evidence: history on a PostgreSQL server, with a spool
 *   eight stations at once, stations killed by `kill -9`, a server stopped in the middle of writes,
 *   hanging, or losing its last answer: every run is stored once; each table is that of a file with the
 *   same runs; on one computer, never over a network
 *   also: history_server.sh
 */
#include "tests/production/unit/history_fixture.h"
#include "tests/bench/unit/report_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing listens on port 1. */
static const char nowhere[] = "postgresql://ann:secret@localhost:1/hall";
static const char nowhere_name[] = "postgresql://localhost:1/hall";
static const struct pb_history_filter all = {.limit = 0};

static int keep(const char *place, const char *spool, struct pb_history_kept *kept, struct pb_diag *diag)
{
    const struct pb_history_target target = {.place = place, .spool = spool, .patience_ms = HISTORY_TEST_MS};
    return pb_history_keep(&target, fixture_pass(), &(struct pb_history_labels){.unit = "0042"}, kept, diag);
}

/* ---- version 1 */

static const char *version_1(void)
{
    const char *path = history_new_path();
    const char *made = "sqlite3 '%s' < tests/production/unit/history_version_1.sql 2>&1";
    assert_string_equal(history_line_of(formatted(made, path)), "");
    return path;
}

TEST(a_file_of_version_1_is_read_as_it_is)
{
    const char *path = version_1();
    struct pb_history_value *value;
    size_t count;
    const struct pb_history_run *run = history_runs_of(path, &all, &count);
    assert_int_equal(count, 2);
    assert_true(run[0].seed == UINT64_MAX && run[0].attempt == 1 && run[1].attempt == 2);
    assert_string_equal(run[0].node.identity, "+I node=native");
    assert_true(run[0].node.image_crc32 == 0xDEADBEEF && run[1].node.image_bytes == -1);
    assert_string_equal(run[0].key, "");
    assert_string_equal(run[0].environment, "");
    assert_true(run[0].limits_crc32 == PB_ABSENT);
    assert_int_equal(pb_history_values(history_opened(path, PB_HISTORY_READ), &all, "node_start/link0",
                                       &value, &count, NULL),
                     PB_OK);
    assert_int_equal(count, 2);
    assert_true(value[1].figure.mean == 11 && value[0].figure.margin == -1);
    free(value);
    assert_string_equal(history_sqlite(path, "PRAGMA user_version"), "1");
}

TEST(a_file_of_version_1_becomes_one_of_version_2_when_a_run_is_appended)
{
    const char *path = version_1();
    struct pb_history_kept kept;
    size_t count;
    assert_int_equal(keep(path, NULL, &kept, NULL), PB_OK);
    assert_string_equal(history_sqlite(path, "PRAGMA user_version"), "2");
    history_runs_of(path, &all, &count);
    assert_int_equal(count, 3);
    assert_string_equal(history_sqlite(path, "SELECT reason FROM run WHERE id = 1"), "late");
    assert_string_equal(history_sqlite(path, "SELECT count(DISTINCT key), min(length(key)), max(length(key)),"
                                             " sum(key GLOB '*[^0-9a-f]*') FROM run"),
                        "3|32|32|0");
    fixture_contains(history_sqlite(path, "UPDATE run SET key = 'x'"), "append-only");
    fixture_contains(history_sqlite(path, "DELETE FROM measurement"), "append-only");
    assert_string_equal(history_sqlite(path, "SELECT count(*) FROM measurement WHERE run = 1"), "1");
}

/* ---- keys */

TEST(the_same_key_is_stored_once)
{
    const char *path = history_new_path();
    struct pb_history_kept kept;
    assert_int_equal(keep(path, NULL, &kept, NULL), PB_OK);
    assert_false(kept.spooled || kept.code || kept.delivered || kept.waiting);
    assert_int_equal(keep(path, NULL, &kept, NULL), PB_OK);
    assert_string_equal(history_sqlite(path, "SELECT count(DISTINCT key) FROM run"), "2");
    fixture_contains(history_sqlite(path,
                                    "INSERT INTO run SELECT 9, started_utc, scenario, seed, rig, verdict,"
                                    " reason, incomplete, unit, station, operator, program, core,"
                                    " map_hash, findings, key, environment, limits_version,"
                                    " limits_crc32 FROM run WHERE id = 1"),
                     "UNIQUE constraint failed: run.key");
}

/* ---- the spool */

TEST(a_run_waits_while_its_server_cannot_be_reached)
{
    const char *spool = history_new_path();
    struct pb_history_kept kept;
    struct pb_diag diag;
    size_t count;
    for (size_t i = 1; i <= 3; i++) {
        assert_int_equal(keep(nowhere, spool, &kept, &diag), PB_OK);
        assert_true(kept.spooled);
        assert_int_equal(kept.code, PB_ERR_IO);
        assert_int_equal(kept.waiting, i);
        assert_string_equal(kept.spool, spool);
        fixture_contains(kept.cause.text, nowhere_name);
        fixture_contains(kept.cause.text, "cannot be reached");
        fixture_lacks(kept.cause.text, "secret");
    }
    const struct pb_history_run *run = history_runs_of(spool, &all, &count);
    assert_int_equal(count, 3);
    assert_string_equal(run[2].unit, "0042");
    assert_int_equal(strlen(run[2].key), PB_HISTORY_KEY_SIZE - 1);
    const struct pb_history_target target = {
        .place = nowhere, .spool = spool, .patience_ms = HISTORY_TEST_MS};
    assert_int_equal(pb_history_deliver(&target, &kept, &diag), PB_ERR_IO);
    assert_int_equal(kept.delivered, 0);
    assert_string_equal(history_sqlite(spool, "SELECT count(*) FROM run"), "3");
}

TEST(before_the_runs_the_spool_is_made)
{
    const char *spool = history_new_path();
    struct pb_history_kept kept;
    struct pb_history_target target = {.place = nowhere, .spool = spool, .patience_ms = HISTORY_TEST_MS};
    assert_succeeds(pb_history_try(&target, &kept, &diag));
    assert_true(kept.spooled);
    assert_int_equal(kept.code, PB_ERR_IO);
    assert_string_equal(history_sqlite(spool, "SELECT destination FROM spool"), nowhere_name);
    target.offline = true;
    assert_succeeds(
        pb_history_keep(&target, fixture_pass(), &(struct pb_history_labels){.unit = "7"}, &kept, &diag));
    assert_true(kept.spooled && kept.code == PB_OK && kept.waiting == 1);
    target.place = history_new_path();
    target.offline = false;
    assert_succeeds(pb_history_try(&target, &kept, &diag));
    assert_false(kept.spooled);
}

static void refuses_spool(const char *spool, int code, const char *part)
{
    struct pb_history_kept kept;
    struct pb_diag diag = {.text = ""};
    const struct pb_history_target target = {
        .place = nowhere, .spool = spool, .patience_ms = HISTORY_TEST_MS};
    assert_int_equal(pb_history_try(&target, &kept, &diag), code);
    fixture_contains(diag.text, part);
    assert_null(strchr(diag.text, '\n'));
    assert_int_equal(keep(nowhere, spool, &kept, &diag), code);
    fixture_contains(diag.text, part);
    assert_false(kept.spooled);
}

TEST(other_files_are_no_spool)
{
    const char *path = history_new_path();
    struct pb_history_kept kept;
    struct pb_history *history;
    struct pb_diag diag;
    struct stat status;
    assert_int_equal(keep(path, NULL, &kept, &diag), PB_OK);
    refuses_spool(path, PB_ERR_CONFIG, "is a history; give another file");
    refuses_spool(version_1(), PB_ERR_CONFIG, "is a history; give another file");
    const char *spool = history_new_path();
    assert_int_equal(keep("postgres://localhost:1/other", spool, &kept, &diag), PB_OK);
    refuses_spool(spool, PB_ERR_CONFIG,
                  "is the spool of 'postgresql://localhost:1/other'; give another file");
    assert_int_equal(pb_history_open(&history, spool, PB_HISTORY_APPEND, HISTORY_TEST_MS, &diag),
                     PB_ERR_CONFIG);
    fixture_contains(diag.text, "is the spool of");
    spool = history_new_path();
    assert_int_equal(keep(nowhere, spool, &kept, &diag), PB_OK);
    history_sqlite(spool, "PRAGMA user_version = 3");
    refuses_spool(spool, PB_ERR_CONFIG, "has schema version 3, this program knows versions up to 2");
    history_sqlite(spool, "PRAGMA user_version = 2");
    assert_int_equal(stat(spool, &status), 0);
    assert_int_equal(truncate(spool, status.st_size / 2), 0);
    refuses_spool(spool, PB_ERR_CONFIG, "is damaged");
    file_write_text(spool, "This is a text, and it is longer than the head of a database of SQLite, which "
                              "has a hundred bytes; so it is no truncated one.\n");
    refuses_spool(spool, PB_ERR_CONFIG, "no SQLite database");
    refuses_spool("/no/such/folder/spool", PB_ERR_IO, "No such file");
    refuses_spool("/tmp", PB_ERR_IO, "is a folder");
    char *endless = calloc(1, PB_HISTORY_PATH_SIZE + 1);
    memset(endless, 'x', PB_HISTORY_PATH_SIZE);
    refuses_spool(hand_over(endless, free), PB_ERR_CONFIG, "give a shorter one");
}

TEST(the_usual_spool_is_in_the_folder_of_the_state)
{
    const char *folder = new_folder();
    struct pb_history_kept kept;
    struct pb_diag diag;
    setenv("XDG_STATE_HOME", formatted("%s/a", folder), 1);
    setenv("HOME", formatted("%s/b", folder), 1);
    assert_int_equal(keep(nowhere, NULL, &kept, &diag), PB_OK);
    /* gzip of the name ends with the CRC-32 of its length and it: tail -c 8 | od -tx4. */
    const char *sum = history_line_of(formatted(
        "printf %%s '%s' | gzip -c | tail -c 8 | head -c 4 | od -An -tx4 | tr -d ' '", nowhere_name));
    assert_string_equal(kept.spool,
                        formatted("%s/a/phasebench/spool-localhost_1_hall-%s.db", folder, sum));
    assert_int_equal(keep("postgres://bob@localhost:1/hall", NULL, &kept, &diag), PB_OK);
    assert_int_equal(kept.waiting, 2); /* the same server */
    unsetenv("XDG_STATE_HOME");
    assert_int_equal(keep(nowhere, NULL, &kept, &diag), PB_OK);
    fixture_contains(kept.spool, formatted("%s/b/.local/state/phasebench/spool-localhost_1_hall-", folder));
    assert_int_equal(kept.waiting, 1);
    setenv("XDG_STATE_HOME", "relative", 1); /* the specification: to be ignored */
    assert_int_equal(keep(nowhere, NULL, &kept, &diag), PB_OK);
    assert_int_equal(kept.waiting, 2);
    unsetenv("HOME");
    assert_int_equal(keep(nowhere, NULL, &kept, &diag), PB_ERR_CONFIG);
    fixture_contains(diag.text, "give the file by --spool");
}

/* ---- URLs */

TEST(no_message_has_a_password)
{
    static const char *const url[] = {
        "postgresql://ann:sec/ret@localhost:1/hall",      "postgresql://ann:12/secret@localhost/hall",
        "postgresql://ann:sec@ret@localhost:1/hall",      "postgresql://ann:secret@localhost:port/hall",
        "postgresql://ann:secret@[::1/hall",              "postgresql://ann:secret@localhost:1/hall?secret",
        "postgresql://ann:secret@localhost:1/hall?secret=1", "postgresql://ann:sec%ret@localhost:1/hall",
        "postgresql://localhost:1/ann:sec@ret",           "postgresql://localhost:1/password=sec"};
    struct pb_history_kept kept;
    for (unsigned i = 0; i < COUNT(url); i++) {
        struct pb_history *history;
        struct pb_diag diag = {.text = ""};
        assert_true(pb_history_is_url(url[i]));
        assert_int_equal(pb_history_open(&history, url[i], PB_HISTORY_READ, HISTORY_TEST_MS, &diag),
                         PB_ERR_CONFIG);
        assert_null(history);
        fixture_contains(diag.text, "the URL cannot be read; give postgresql://USER@HOST:PORT/DATABASE");
        fixture_lacks(diag.text, "sec");
        assert_int_equal(keep(url[i], "/tmp/never", &kept, &diag), PB_ERR_CONFIG);
    }
    assert_false(pb_history_is_url("postgresql.db"));
    assert_false(pb_history_is_url("://hall"));
    assert_false(pb_history_is_url("line/db://"));
}
