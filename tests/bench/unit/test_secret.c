/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Passwords in texts, and places of histories. Expected values: RFC 3986, and the parts that libpq 15
 * documents for URLs and connection strings, by hand.
 */
#include "host/base/secret.h"
#include "phasebench/history.h"
#include "tests/bench/unit/report_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

TEST(passwords_are_hidden_and_all_else_stays)
{
    static const struct {
        const char *text, *hidden;
    } row[] = {
        {"run --history postgresql://ann:secret@hall/boards --quiet",
         "run --history postgresql://ann:...@hall/boards --quiet"},
        {"--history=postgres://ann:sec:ret@[::1]:5432/boards",
         "--history=postgres://ann:...@[::1]:5432/boards"},
        {"'POSTGRESQL://ann:sec@ret@hall'", "'POSTGRESQL://ann:...@hall'"},
        {"two postgres://a:secret@h/x, postgres://b:secret@h/y",
         "two postgres://a:...@h/x, postgres://b:...@h/y"},
        {"cut 'postgresql://ann:secre'", "cut 'postgresql://ann:...'"},
        {"postgresql://h/d?user=ann&password=secret&port=1", "postgresql://h/d?user=ann&password=...&port=1"},
        {"postgresql://h/d?password=sec%20ret", "postgresql://h/d?password=..."},
        {"host=h PASSWORD = 'sec' port=1", "host=h PASSWORD = '...' port=1"},
        {"PGPASSWORD=secret sslpassword=secret", "PGPASSWORD=... sslpassword=..."},
        {"postgresql://hall:5432/boards", "postgresql://hall:5432/boards"},
        {"postgresql://a,b:1,2/boards", "postgresql://a,b:1,2/boards"},
        {"postgresql://[::1]:5432/boards", "postgresql://[::1]:5432/boards"},
        {"postgresql://USER@HOST:PORT/DATABASE", "postgresql://USER@HOST:PORT/DATABASE"},
        {"http://127.0.0.1:8080/?token=1", "http://127.0.0.1:8080/?token=1"},
        {"--rig ftdi:FT1?mode=fifo --node so:./a.so", "--rig ftdi:FT1?mode=fifo --node so:./a.so"},
        {"", ""},
    };
    for (unsigned i = 0; i < COUNT(row); i++) {
        char text[128];
        snprintf(text, sizeof text, "%s", row[i].text);
        pb_hide_passwords(text);
        assert_string_equal(text, row[i].hidden);
    }
}

TEST(a_place_is_a_path_or_the_url_of_a_server)
{
    static const char *const place[] = {"line.db",
                                        "/srv/a:b=c@d.db",
                                        "./host=x",
                                        "../file:x",
                                        "sqlite:line.db",
                                        "sqlite:/srv/line.db",
                                        "sqlite:host=x",
                                        "dir/line 2.db",
                                        "dir/a:b",
                                        "line@2.db",
                                        "postgres://hall",
                                        "postgresql://ann@hall:1/boards",
                                        "postgresql://[::1]:65535/boards",
                                        "postgresql://ann@[fe80::1%25eth0]/boards",
                                        "postgresql://a:1,[::2]:2/boards",
                                        "postgresql://a:,b/boards",
                                        "postgresql:///boards?host=/run/postgresql"};
    for (unsigned i = 0; i < COUNT(place); i++) {
        struct pb_diag diag = {.text = ""};
        assert_int_equal(pb_history_check_place(place[i], &diag), PB_OK);
        assert_string_equal(diag.text, "");
    }
}

TEST(another_form_is_refused_with_the_right_one)
{
    static const struct {
        const char *place, *value, *cause;
    } row[] = {
        {"host=hall password=secret", "'host=...'", "is a connection string"},
        {" dbname = boards", "'dbname =...'", "is a connection string"},
        {"user='a b' password='sec ret'", "'user=...'", "is a connection string"},
        {"service=boards", "'service=...'", "is a connection string"},
        {"password=secret", "'password=...'", "is a connection string"},
        {"Server=hall;Pwd=secret", "'Server=...'", "is a connection string"},
        {"secret hostaddr=1", "'hostaddr=...'", "is a connection string"},
        {"postgres:/x", "'postgres:...'", "lacks // after its scheme; give postgresql://"},
        {"postgresql:x", "'postgresql:...'", "lacks // after its scheme; give postgresql://"},
        {"POSTGRES://ann:secret@hall/boards", "'POSTGRES:...'", "capital letters; give postgresql://"},
        {"Postgresql://ann:secret@hall/boards", "'Postgresql:...'", "capital letters; give postgresql://"},
        {"mysql://ann:secret@hall/boards", "'mysql:...'", "is no form of a place"},
        {"http://hall/boards", "'http:...'", "is no form of a place"},
        {"jdbc:postgresql://hall/boards?password=secret", "'jdbc:...'", "is no form of a place"},
        {"file:line.db?mode=ro", "'file:...'", "is no form of a place"},
        {":memory:", "':...'", "is no form of a place"},
        {"SQLITE:line.db", "'SQLITE:...'", "is no form of a place"},
        {"ann:secret@hall/boards", "'ann:...'", "is no form of a place"},
        {"hall:5432/boards", "'hall:...'", "is no form of a place"},
        {"postgres//ann:secret@hall/boards", "'postgres//ann:...'", "is no form of a place"},
        {"//ann:secret@hall/boards", "'//ann:...'", "is no form of a place"},
        {"sqlite:", "'sqlite:...'", "names no file; give sqlite:PATH"},
        {"sqlite:///line.db", "'sqlite:...'", "is no URL; give sqlite:PATH"},
        {"", "''", "names nothing; give a path"},
        {"postgresql://ann:secret@hall:0/boards", "'postgresql://hall:0/boards'", "port 0 is out of range"},
        {"postgresql://[::1]:65536/boards", "'postgresql://[::1]:65536/boards'", "65536 is out of range"},
        {"postgresql://a:1,b:99999/boards", "'postgresql://a,b:1,99999/boards'", "1,99999 is out of range"},
        {"postgresql://hall:5x/boards", "'postgresql://...'", "the URL cannot be read; give postgresql://"},
        {"postgresql://::1:5432/boards", "'postgresql://...'", "an IPv6 address in brackets"},
        {"postgresql://[::1/boards", "'postgresql://...'", "an IPv6 address in brackets"},
        {"postgresql://ann:sec/ret@hall/boards", "'postgresql://...'", "special characters as %HH"},
        {"postgresql://ann:sec ret@hall/boards", "'postgresql://...'", "a blank, a quote or another"},
        {"postgresql://ann:'sec@hall/boards", "'postgresql://...'", "a blank, a quote or another"},
        {"postgresql://ann:\"sec@hall/boards", "'postgresql://...'", "a blank, a quote or another"},
        {"postgresql://ann:s\303\251sec@hall/boards", "'postgresql://...'", "a blank, a quote or another"},
        {"postgresql://hall/boards?password=sec ret", "'postgresql://...'", "a blank, a quote or another"},
        {"postgresql://hall/boards?pass%77ord=sec", "'postgresql://...'", "name of a parameter"},
        {"postgresql://hall/boards?user=ann&%70assword=sec", "'postgresql://...'", "name of a parameter"},
        {"postgresql:///host=hall%20password=secret", "'postgresql://...'", "the URL cannot be read"},
    };
    for (unsigned i = 0; i < COUNT(row); i++) {
        struct pb_history *history;
        struct pb_diag diag = {.text = ""};
        assert_int_equal(pb_history_check_place(row[i].place, &diag), PB_ERR_CONFIG);
        fixture_contains(diag.text, row[i].value);
        fixture_contains(diag.text, row[i].cause);
        fixture_contains(diag.text, "; give ");
        fixture_lacks(diag.text, "sec");
        assert_int_equal(pb_history_open(&history, row[i].place, PB_HISTORY_APPEND, 2000, &diag),
                         PB_ERR_CONFIG);
        assert_null(history);
    }
}
