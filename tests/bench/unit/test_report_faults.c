/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Injected faults in every form of the report: kind, place, receipt, what they were found as and after how
 * long, and that what they explain is not shown as the reason of a verdict. */
#include "phasebench/fault.h"
#include "report_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

static void expect_in(enum form form, const struct pb_result *result, const char *const *part, size_t count)
{
    static const char wrap[] = "\n             "; /* the terminal breaks lines at blanks */
    char *text = fixture_rendered(form, result);
    for (char *at; form == TEXT && (at = strstr(text, wrap));) {
        *at = ' ';
        memmove(at + 1, at + sizeof wrap - 1, strlen(at + sizeof wrap - 1) + 1);
    }
    for (size_t i = 0; i < count; i++)
        fixture_contains(text, part[i]);
}

#define EXPECT_IN(form, result, ...)                                                                         \
    expect_in(form, result, (const char *const[]){__VA_ARGS__},                                              \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void lacks(enum form form, const struct pb_result *result, const char *part)
{
    fixture_lacks(fixture_rendered(form, result), part);
}

TEST(test_text)
{
    struct pb_result *result = fixture_faults();
    EXPECT_IN(TEXT, result,
              "\nINJECTED FAULTS\n  0          stuck_low: superframe 3, phase 8, link 4; began at 9 ms,",
              "lasted 120 us; found as line_stuck after 12.5 us; explains",
              "  1          short: superframe 4, phase 1, links 0 and 7;", "found as line_short after 5 us;",
              "  2          jitter: superframe 5, phase 0, clock; began at 13 ms, no end;",
              "explains 1 finding\n", "0 lost; 7 alarms",
              "5.042 us peak to peak, sd 1.44 us, mean 2.48 us over 192",
              "findings, all explained by injected faults\n  fault 0    line_stuck:",
              "  fault 2    clock_jitter:", "superframe   3: N node sent");
    lacks(TEXT, result, "DIVERGENCE");
    lacks(TEXT, result, "\n  fail ");
    /* One finding that no fault explains is the reason, though an explained one comes first. */
    result->finding[1].fault = -1;
    EXPECT_IN(TEXT, result, "FIRST DIVERGENCE\n  what       clock_jitter:", "  fault 0    line_stuck:");
}

TEST(test_not_found_and_no_receipt)
{
    struct pb_result *result = fixture_faults();
    result->fault[0].detected = false; /* only what else it explains */
    result->fault[0].found_as = PB_FINDING_GLITCH;
    result->fault[1].detected = result->fault[1].began = result->fault[1].ended = false;
    result->fault[1].found_as = PB_FINDING_KINDS;
    for (int form = 0; form < FORMS; form++) {
        if (form != JSON)
            EXPECT_IN((enum form)form, result, "not found as what it is, only as glitch", "no receipt");
    }
    EXPECT_IN(JSON, result, "\"detected\": false, \"detected_ps\": 9012500000, \"found_as\": \"glitch\"",
              "\"began\": false, \"ended\": false", "\"found_as\": null");
}

TEST(test_machine_forms)
{
    struct pb_result *result = fixture_faults();
    EXPECT_IN(JSON, result, "\"faults\": [\n    {\"kind\": \"stuck_low\", \"link\": 4, \"other_link\": null",
              "{\"kind\": \"short\", \"link\": 0, \"other_link\": 7, \"superframe\": 4, \"phase\": 1, "
              "\"began\": true",
              "\"start_ps\": 9000000000, \"length_ps\": 120000000, \"detected\": true, \"detected_ps\": "
              "9012500000, "
              "\"found_as\": \"line_stuck\", \"unsought\": false, \"explains\": 2}",
              "{\"kind\": \"jitter\", \"link\": null", "\"alarms\": 7", "\"fault\": 0, \"sender\": \"bench\"",
              "\"fault\": 2, \"sender\": null",
              "\"n\": 192, \"min\": -41667, \"mean\": 2480000, \"max\": 5000000, \"sd\": 1440000, "
              "\"lower\": -83334, \"upper\": 83334, \"u95\": 0, \"margin\": -4916666, "
              "\"judgement\": \"fail\"",
              "\"measurement\": \"clock_tie\"}", "\"measurement\": null}");
    EXPECT_IN(JUNIT, result,
              "[[PROPERTY|fault 0: stuck_low=superframe 3, phase 8, link 4; began at 9 ms, lasted 120 us; "
              "found as line_stuck after 12.5 us]]",
              "[[PROPERTY|alarms=7]]", "[[PROPERTY|tie_sd_ps=1440000]]",
              "line_stuck: superframe 3, phase 8, link 4, dimension 4, explained by fault 0; expected",
              "<system-out>pass:");
    EXPECT_IN(
        TAP, result, "ok 1 - ",
        "  faults:\n    - kind: \"stuck_low\"\n      place: \"superframe 3, phase 8, link 4\"\n",
        "      receipt: \"began at 13 ms, no end\"\n      found: \"found as clock_jitter after 100 us\"\n",
        "  alarms: 7\n", "      fault: 0\n");
    lacks(TAP, result, "not ok");
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

TEST(test_html)
{
    struct pb_result *result = fixture_faults();
    EXPECT_IN(HTML, result, "<h2 id=\"faults\">Injected faults</h2>", "<th scope=\"row\">stuck_low</th>",
              "superframe 4, phase 1, links 0 and 7", "began at 13 ms, no end",
              "found as line_short after 5 us", "\342\227\207 fault 0",
              "time interval error of an edge of TDMA_CLK\">clock_tie</th><td class=\"n\">192</td>"
              "<td class=\"n one\">-4.9167\302\240us</td>",
              "values and links, values under injected faults included", "it holds the first injected fault",
              "injected fault 0: stuck_low, found as line_stuck after 12.5 us");
    lacks(HTML, result, "First divergence");
    lacks(HTML, result, "\342\234\225 fails");
    /* Legend and link 4 of superframe 3; the others begin in other superframes. */
    char *html = fixture_rendered(HTML, result);
    assert_int_equal(count_of(html, "class=\"fault\""), 2);
    assert_int_equal(count_of(html, "<path class=\"known\""), 1 + 2);
    /* A short has two lines, a clock fault one frame over all of them. */
    result->fault[0].superframe = 2;
    result->fault[1].superframe = result->fault[2].superframe = 2;
    result->fault[0].superframe = 2;
    html = fixture_rendered(HTML, result);
    assert_int_equal(count_of(html, "class=\"fault\""), 1 + 1 + 2 + 1);
    result = fixture_pass();
    lacks(HTML, result, "Injected faults");
    lacks(TEXT, result, "INJECTED FAULTS");
}

TEST(test_refusals)
{
    static const struct {
        const char *part, *by, *word;
    } wrong[] = {
        {"\"kind\": \"stuck_low\"", "\"kind\": \"stuck\"", "faults[0].kind"},
        {"\"found_as\": \"line_stuck\"", "\"found_as\": \"sticky\"", "faults[0].found_as"},
        {"\"found_as\": \"line_stuck\"", "\"found_by\": null", "faults[0].found_as is missing"},
        {"\"sender\": \"bench\"", "\"sender\": \"host\"", "findings[0].sender"},
        {"\"other_link\": 7", "\"other_link\": -2", "faults[1].other_link"},
        {"\"explains\": 2", "\"explains\": -1", "faults[0].explains"},
        {"\"faults\": [", "\"faults\": null, \"f\": [", "faults"},
        {"\"alarms\": 7", "\"alarms\": \"7\"", "counts.alarms"},
    };
    struct pb_result *result = fixture_faults(), *read;
    char *text = fixture_rendered(JSON, result);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct pb_diag diag = {""};
        char *changed = fixture_replaced(text, wrong[i].part, wrong[i].by);
        assert_int_equal(pb_report_read_json(&read, changed, strlen(changed), &diag), PB_ERR_CONFIG);
        fixture_contains(diag.text, wrong[i].word);
    }
}

/* A document may name a fault that its list does not have, and a kind whose number nothing has. */
TEST(test_loose_ends)
{
    struct pb_result *result = fixture_faults();
    result->finding[0].fault = 99;
    result->fault[0].kind = 15;
    result->fault[1].kind = UINT32_MAX;
    result->fault[2].link = INT32_MAX;
    for (int form = 0; form < FORMS; form++)
        fixture_rendered((enum form)form, result);
}
