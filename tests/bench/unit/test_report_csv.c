/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The CSV form, read by a parser that is written here from the grammar of RFC 4180.
 */
#include "form_checks.h"
#include "report_fixture.h"

#include "phasebench/suite.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 17 };
enum column {
    SCENARIO,
    SUPERFRAME,
    PHASE,
    DIMENSION,
    LINK,
    FROM,
    TO,
    SENDER,
    MESSAGE,
    SOURCE,
    DESTINATION,
    SEEN,
    CORRECT,
    START,
    END,
    BYTE_COUNT,
    BYTES
};

static char *rendered(const struct pb_result *result)
{
    FILE *stream = open_text();
    assert_int_equal(pb_report_csv(stream, result), PB_OK);
    return close_text(stream);
}

TEST(every_transmission_is_one_record)
{
    static char field[COLUMNS][CHECK_FIELD];
    EACH_FIXTURE(result, i)
    {
        char *text = rendered(result), wanted[64];
        const char *at = check_record(text, COLUMNS, field);
        assert_string_equal(field[SCENARIO], "scenario");
        assert_string_equal(field[START], "start_ps");
        assert_string_equal(field[BYTES], "bytes");
        for (size_t k = 0; k < result->hops; k++) {
            const struct pb_hop_row *hop = &result->hop[k];
            at = check_record(at, COLUMNS, field);
            assert_string_equal(field[SCENARIO], result->scenario);
            assert_int_equal(strtoul(field[SUPERFRAME], NULL, 10), hop->superframe);
            assert_int_equal(strtoul(field[PHASE], NULL, 10), hop->phase);
            assert_int_equal(strtoul(field[FROM], NULL, 16), hop->from);
            assert_int_equal(strtoul(field[TO], NULL, 16), hop->to);
            assert_string_equal(field[SENDER], hop->sender == PB_SENDER_NODE ? "node" : "bench");
            assert_string_equal(field[SEEN], hop->seen ? "1" : "0");
            assert_string_equal(field[CORRECT], hop->correct ? "1" : "0");
            snprintf(wanted, sizeof wanted, "%lld", (long long)hop->start_ps);
            assert_string_equal(field[START], hop->seen ? wanted : "");
            assert_int_equal(strtoul(field[BYTE_COUNT], NULL, 10), hop->byte_count);
            assert_int_equal(strlen(field[BYTES]), hop->byte_count ? 3 * hop->byte_count - 1 : 0);
        }
        assert_string_equal(at, "");
    }
}

/* Each of these needs quotes, or none, by the grammar. */
TEST(names_from_outside_stay_one_field)
{
    static const char *const names[] = {"plain", "a,b",  "say \"no\"", "\"",      ",",
                                        "\"\"",  "=1+1", "",           " spaced "};
    static char field[COLUMNS][CHECK_FIELD];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct pb_result *result = fixture_pass();
        snprintf(result->scenario, sizeof result->scenario, "%s", names[i]);
        check_record(check_record(rendered(result), COLUMNS, field), COLUMNS, field);
        /* What a spreadsheet would compute has an apostrophe before it. */
        assert_string_equal(field[SCENARIO] + (*names[i] == '='), names[i]);
        assert_true((*field[SCENARIO] == '\'') == (*names[i] == '='));
    }
}

TEST(hostile_names_break_no_record)
{
    static char field[COLUMNS][CHECK_FIELD];
    EACH_FIXTURE(result, i)
    {
        fixture_make_hostile(result);
        const char *at = rendered(result);
        for (size_t k = 0; k <= result->hops; k++)
            at = check_record(at, COLUMNS, field);
        assert_string_equal(at, "");
    }
}
