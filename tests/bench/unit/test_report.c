/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reports against their formats' own rules: the XML by xmllint, TAP by prove, the rest by small readers that
 * share nothing with the writers.
 */
#include "host/base/utf8.h"
#include "host/report/render.h"
#include "form_checks.h"
#include "report_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(test_names)
{
    assert_string_equal(pb_verdict_name(PB_VERDICT_INCONCLUSIVE), "inconclusive");
    assert_int_equal(pb_verdict_exit_code(PB_VERDICT_PASS), 0);
    assert_int_equal(pb_verdict_exit_code(PB_VERDICT_MARGINAL), 0);
    assert_int_equal(pb_verdict_exit_code(PB_VERDICT_FAIL), 1);
    assert_int_equal(pb_verdict_exit_code(PB_VERDICT_INCONCLUSIVE), 5);
    assert_string_equal(pb_finding_id(PB_FINDING_OVERRUN), "guard_violation");
    assert_string_equal(pb_finding_text(PB_FINDING_LOSS),
                        "the capture lost events, so absence proves nothing");
    assert_string_equal(pb_finding_id(PB_FINDING_KINDS), "unknown");
    pb_result_free(NULL);
}

TEST(test_numbers)
{
    assert_string_equal(pb_us(5120499).text, "5.120");
    assert_string_equal(pb_us(5120500).text, "5.121");
    assert_string_equal(pb_us(-1500).text, "-0.002");
    assert_string_equal(pb_us(-1).text, "0.000");
    assert_string_equal(pb_us(INT64_MIN).text, "-9223372036854.776");
    assert_string_equal(pb_duration(19200000000).text, "19.2 ms");
    assert_string_equal(pb_duration(1500000000000).text, "1.5 s");
    assert_string_equal(pb_duration(83333).text, "83.333 ns");
    assert_string_equal(pb_duration(100000000).text, "100 us");
    assert_string_equal(pb_duration(0).text, "0 ns");
    assert_string_equal(pb_frequency(10000000).text, "10 k");
    assert_string_equal(pb_frequency(115200000).text, "115.2 k");
    assert_string_equal(pb_frequency(12000000000).text, "12 M");
    assert_string_equal(pb_frequency(1500).text, "1.5 ");
    assert_string_equal(pb_frequency(50).text, "0.05 ");
    assert_string_equal(pb_ppm(100001200, 100000000).text, "+12.0");
    assert_string_equal(pb_ppm(1, 0).text, "0.0");
    const struct pb_network large = pb_network_cube(12), small = pb_network_cube(3);
    assert_string_equal(pb_address(0x2A3, &large).text, "0x2A3");
    assert_string_equal(pb_address(1, &small).text, "0x1");
    assert_string_equal(pb_bit_place(10).text, "10 (byte 1, start bit)");
    assert_string_equal(pb_bit_place(18).text, "18 (byte 1, data bit 7)");
    assert_string_equal(pb_bit_place(19).text, "19 (byte 1, stop bit)");
}

TEST(test_text)
{
    static const char *const facts[] = {
        "FAIL         the node sent a wrong frame in superframe 3",
        "bit complement through 0x2A3 (host/scenarios/complement.yaml)",
        "12 dimensions, ecube, 24 phases of 100.000 us (10 kHz)",
        "guard 10.000 us",
        "link load holds: no directed link is wanted twice in a superframe",
        "4096, 172 through the rig; delivered 4095, late 1",
        "19.2 ms simulated in 1.23 s",
        "min 100.000 mean 100.000 max 100.000",
        "allowed 5.000 to",
        "     6    6         8     5.065     5.611     9.090",
        /* Of link 6 the largest start, 9.0904 us, against 5.250 us; 87 frames of the node in the fixture. */
        "  node_start              87      -3.8404 us      0.0679 us  fail      link 6\n",
        "link 0   0x2A2 - 0x2A3   B x . . .",
        "link 4   0x2A3 - 0x2B3   . . . . . . . . _ B . .",
        "FIRST DIVERGENCE\n  what       wrong_bytes: the frame on the line is not the expected one",
        "superframe 3, phase 1 (dimension 0, high to low), link 0, 8.3 ms",
        "14 (byte 1, data bit 3)",
        "  expected   A3 02 5C 11 9E 00 41 7A 3D\n",
        "  seen       A3 0A 5C 11 9E 00 41 7A 3D\n",
        "out/complement-sf3-ph1.fst",
        "and 3 more of 9",
    };
    char *text = fixture_rendered(TEXT, fixture_fail());
    assert_memory_equal(text, "FAIL ", 5);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        fixture_contains(text, facts[i]);
    static const char command[] = "phasebench run host/scenarios/complement.yaml --rig sim: --node native "
                                  "--seed 18446744073709551615\n";
    assert_string_equal(text + strlen(text) - strlen(command), command);
    fixture_lacks(text, "\033");
    check_width(text, 80);
}

TEST(test_text_variants)
{
    static const char *const word[] = {"PASS ", "FAIL ", "INCONCLUSIVE ", "MARGINAL ", "PASS "};
    EACH_FIXTURE(result, i)
    {
        char *text = fixture_rendered(TEXT, result);
        assert_memory_equal(text, word[i], strlen(word[i]));
        check_width(text, 80);
        }
    struct pb_result *result = fixture_overload();
    char *text = fixture_rendered(TEXT, result);
    fixture_contains(text, "link load does not hold: ");
    fixture_contains(text, "largest load 32 on 0x03F -> 0x01F");
    fixture_contains(text, "FIRST MARGINAL FINDING");
    fixture_contains(text, "rest         reacts: messages lost on the rig 12, of them taken out of the rest");
    fixture_contains(text, "of the network 9; longest delay 7 superframes");
    text = fixture_rendered(HTML, result);
    fixture_contains(text, "Taken out of the rest");
    fixture_contains(text, "of them; 7 superframes at most");
    /* Two transmissions in one phase of a line: the picture shows the worse. */
    for (size_t i = 1; i < result->hops; i++) {
        if (result->hop[i].superframe == 3 && result->hop[i].phase == 23) {
            result->hop[i - 1].phase = 23;
            result->hop[i].correct = false;
        }
    }
    text = fixture_rendered(TEXT, result);
    fixture_contains(text, "link 11  0x2A3 - 0xAA3   . . . . . . . . . . . . . . . . . . . . . . . x\n");
    fixture_make_hostile(result);
    text = fixture_rendered(TEXT, result);
    fixture_lacks(text, "\033");
    fixture_lacks(text, "\x01");
    fixture_lacks(text, "\xff");
    fixture_lacks(text, "\xe2\x80\xae");

    FILE *stream = open_text();
    const struct pb_report_style style = {true, 40};
    assert_int_equal(pb_report_text(stream, result, &style), PB_OK);
    text = close_text(stream);
    assert_memory_equal(text, "\033[1;33mMARGINAL", 15);
    fixture_lacks(text, "0x2A2 - 0x2A3"); /* no room for the timeline */
}

static char *all_in_one(int (*write)(FILE *, const struct pb_result *const *, size_t), bool hostile)
{
    struct pb_result *result[FIXTURES];
    for (size_t i = 0; i < FIXTURES; i++) {
        result[i] = fixture_make[i]();
        if (hostile)
            fixture_make_hostile(result[i]);
    }
    FILE *stream = open_text();
    assert_int_equal(write(stream, (const struct pb_result *const *)result, FIXTURES), PB_OK);
    return close_text(stream);
}

TEST(test_junit)
{
    char *text = all_in_one(pb_report_junit, false);
    assert_int_equal(check_count(text, "<testsuite "), 1);
    assert_int_equal(check_count(text, "<testcase "), 5);
    fixture_contains(text, "tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"0\" time=\"6.172\"");
    assert_int_equal(check_count(text, "<failure type=\"wrong_bytes\" message=\"the node sent"), 1);
    assert_int_equal(check_count(text, "<error type=\"events_lost\""), 1);
    fixture_contains(text, "[[PROPERTY|seed=18446744073709551615]]");
    fixture_contains(text, "[[PROPERTY|hypothesis: link load=does not hold: largest load 32");
    fixture_contains(text, "core=0x50424831");
}

TEST(test_junit_well_formed)
{
    if (!check_installed("xmllint")) {
        print_message("SKIP junit_well_formed: xmllint is not installed (apt-get install libxml2-utils)\n");
        skip();
    }
    for (int hostile = 0; hostile < 2; hostile++) {
        assert_int_equal(check_run("xmllint --noout -", all_in_one(pb_report_junit, hostile)), 0);
    }
    EACH_FIXTURE(result, i)
    {
        check_junit(fixture_rendered(JUNIT, result));
    }
    assert_int_not_equal(check_run("xmllint --noout - 2>/dev/null", "<a>\x01</a>"), 0);
    FILE *stream = open_text();
    assert_int_equal(pb_report_junit(stream, NULL, 0), PB_OK);
    const char *empty = close_text(stream);
    assert_int_equal(check_run("xmllint --noout -", empty), 0);
    fixture_contains(empty, "tests=\"0\"");
}

TEST(junit_value_with_brackets_stays_on_its_line)
{
    struct pb_result *result = fixture_overload();
    snprintf(result->nodes, sizeof result->nodes, "a]]b]");
    snprintf(result->command, sizeof result->command, "]]]");
    char *text = fixture_rendered(JUNIT, result);
    fixture_contains(text, "[[PROPERTY|nodes=a] ]b] ]]\n");
    fixture_contains(text, "[[PROPERTY|command=] ] ] ]]\n");
}

TEST(test_tap)
{
    for (int hostile = 0; hostile < 2; hostile++) {
        char *text = all_in_one(pb_report_tap, hostile);
        bool ok[FIXTURES];
        check_tap(text, FIXTURES, ok);
        assert_true(ok[0] && !ok[1] && !ok[2] && ok[3] && ok[4]);
        if (!hostile) {
            assert_int_equal(check_count(text, "\n  ---\n"), 5); /* a pass that leaves something open, too */
            fixture_contains(text, "  not_checked:\n    - what: \"node 0x2A2: its address and dimensions\"");
            fixture_contains(text, "  message: \"the node sent a wrong frame in superframe 3");
            fixture_contains(text, "      expected: \"A3 02 5C");
        }
    }
}

TEST(test_tap_with_prove)
{
    if (!check_installed("prove")) {
        print_message("SKIP tap_with_prove: prove is not installed (apt-get install perl)\n");
        skip();
    }
    char *text = all_in_one(pb_report_tap, true);
    assert_int_not_equal(check_run("prove --exec cat /dev/stdin >/dev/null 2>&1", text),
                         0); /* two points fail */
    struct pb_result *result = fixture_overload();
    fixture_make_hostile(result);
    assert_int_equal(check_run("prove --exec cat /dev/stdin >/dev/null 2>&1", fixture_rendered(TAP, result)),
                     0);
}

TEST(test_html)
{
    EACH_FIXTURE(result, i)
    {
        char *html = fixture_rendered(HTML, result);
        check_html(html);
        fixture_contains(html, "<html lang=\"en\">");
        fixture_contains(html, "<meta charset=\"utf-8\">");
        fixture_contains(html, "prefers-color-scheme:dark");
        fixture_contains(html, "@media print");
        fixture_contains(html, "default-src 'none'");
        fixture_contains(html, "<caption>");
        fixture_contains(html, "18446744073709551615");
        assert_int_equal(check_count(html, "<table"), check_count(html, "<caption>"));
        fixture_make_hostile(result);
        html = fixture_rendered(HTML, result);
        check_html(html);
        fixture_contains(html, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;\xef\xbf\xbd");
    }
    char *html = fixture_rendered(HTML, fixture_fail());
    fixture_contains(html, "A3 <mark>02</mark> 5C 11 9E 00 41 7A 3D");
    fixture_contains(html, "A3 <mark>0A</mark> 5C 11 9E 00 41 7A 3D");
    fixture_contains(html, "Superframe 3, drawn to scale");
    fixture_contains(html, "of edges on lines 41.666\302\240ns, uncertainty");
    /* Phase 1 starts one phase width (40) right of the names (152); the guard is 5 of 100 us. */
    fixture_contains(html, "<rect class=\"guard\" x=\"192.00\" y=\"58\" width=\"2.00\"");
    assert_int_equal(check_count(html, "class=\"node wrong\" x=\"1\" y=\"1\""), 1); /* the legend */
    assert_int_equal(check_count(html, "class=\"node wrong\""), 3);                 /* and two bars */
}

TEST(test_html_leaves_rows_out)
{
    struct pb_result *result = fixture_pass();
    const size_t many = 2500, had = result->hops;
    result->hop = realloc(result->hop, many * sizeof *result->hop);
    for (size_t i = had; i < many; i++)
        result->hop[i] = result->hop[had - 1];
    result->hops = result->hops_total = many;
    char *html = fixture_rendered(HTML, result);
    fixture_contains(html, "2000 of 2500 transmissions");
    fixture_contains(html, "500 further rows are left out");
}

/* 5000 transmissions of the first superframes, then 500 from the finding in superframe 3000 on. */
TEST(test_timeline_says_what_it_lacks)
{
    struct pb_result *result = fixture_pass();
    const struct pb_hop_row one = result->hop[0];
    const size_t many = 5500;
    result->hop = realloc(result->hop, many * sizeof *result->hop);
    for (size_t i = 0; i < many; i++) {
        const unsigned phase = i < 5000 ? (unsigned)i : 3000 * 24 + (unsigned)i - 5000;
        result->hop[i] = one;
        result->hop[i].superframe = phase / 24;
        result->hop[i].phase = phase % 24;
    }
    result->hops = result->hops_total = many;
    char *html = fixture_rendered(HTML, result);
    fixture_lacks(html, "The page holds the first");
    fixture_lacks(html, "\"gap\"");
    result->hops_total = 100000;
    html = fixture_rendered(HTML, result);
    fixture_contains(html, "The page holds the first 5000 of 100000 transmissions, "
                           "and 500 from superframe 3000 on.");
    /* The 5000th is in phase 7 of superframe 208, as 4999 = 208 * 24 + 7; the last in phase 19 of 3020. */
    fixture_contains(html, "\"gap\":[5000,72000]");
    fixture_contains(html, "\"held\":72500,");
    result->hops = 5000;
    html = fixture_rendered(HTML, result);
    fixture_contains(html, "\"bound\":\"The page holds the first 5000 of 100000 transmissions.\"");
    fixture_contains(html, "\"held\":5000,");
}

TEST(test_nothing_seen)
{
    struct pb_result *result = new_result(pb_network_cube(1));
    result->verdict = PB_VERDICT_INCONCLUSIVE;
    for (int form = 0; form < FORMS; form++)
        fixture_rendered((enum form)form, result);
}

/* Each node has a row in the page, and a line in the text; what could not be checked about it is listed. */
TEST(test_nodes)
{
    struct pb_result *result = fixture_pass();
    char *html = fixture_rendered(HTML, result), *text = fixture_rendered(TEXT, result);
    fixture_contains(html, "<th scope=\"row\" class=\"one mono\">0x2A3</th><td>native</td>"
                           "<td class=\"n\">8</td><td class=\"n\">77</td><td class=\"n\">79</td>");
    fixture_contains(html, "? none</span>");
    fixture_contains(html, "<li>node 0x2A2: its transmissions</li>");
    fixture_contains(text, "0x2A3 sent 8, forwarded 77, received 79, 2 of them for itself");
    fixture_contains(text, "not read");
    fixture_contains(text, "not checked  node 0x2A2: its address and dimensions");
}

/* The axis shows both limits with their labels, wherever they lie: on it, beyond one end each, beyond the
 * same end. The bins of the fixture go from 4.9 to 5.4 us. */
TEST(test_axis_holds_its_limits)
{
    static const struct {
        int64_t min_ps, max_ps;
        const char *labels[2];
        unsigned breaks; /* of one axis */
    } row[] = {
        {5000000, 5250000, {">from 5.000</text>", ">to 5.250</text>"}, 0},
        {1000000, 5250000, {">from 1.000</text>", ">to 5.250</text>"}, 1},
        {1000000, 56000000, {">from 1.000</text>", ">to 56.000</text>"}, 2},
        {1000000, 2000000, {">from 1.000 to 2.000</text>", ">from 1.000 to 2.000</text>"}, 2},
        {50000000, 56000000, {">from 50.000 to 56.000</text>", ">from 50.000 to 56.000</text>"}, 2},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct pb_result *result = fixture_pass();
        result->start_min_ps = row[i].min_ps;
        result->start_max_ps = row[i].max_ps;
        char *html = fixture_rendered(HTML, result);
        const unsigned axes = 1 + check_count(html, "aria-label=\"Histogram of link");
        assert_true(axes > 1);
        fixture_contains(html, row[i].labels[0]);
        fixture_contains(html, row[i].labels[1]);
        assert_int_equal(check_count(html, "class=\"limit\""), 2 * axes);
        assert_int_equal(check_count(html, "class=\"break\""), row[i].breaks * axes);
    }
}

/* A result may state no limits for the starts, and may come without histograms. */
TEST(test_starts_without_limits)
{
    struct pb_result *result = fixture_fail();
    char *html = fixture_rendered(HTML, result), *text = fixture_rendered(TEXT, result);
    fixture_contains(html, "; allowed from ");
    fixture_contains(html, "The tallest bar represents ");
    fixture_contains(text, "; allowed ");

    result->start_min_ps = result->start_max_ps = 0;
    result->histogram[1].bin[5] = 1;
    result->histogram[1].bin[6] = 1000000; /* next to it the other one would be too low to be seen */
    html = fixture_rendered(HTML, result);
    text = fixture_rendered(TEXT, result);
    fixture_lacks(html, "; allowed from ");
    fixture_lacks(html, "class=\"bar-bad\"");
    fixture_contains(html, "height=\"1.50\"/>");
    fixture_contains(html, "The tallest bar represents 1000000.");
    fixture_lacks(text, "; allowed ");
    fixture_contains(text, "from the phase edge; U95");

    memset(result->histogram, 0, sizeof result->histogram);
    html = fixture_rendered(HTML, result);
    fixture_contains(html, "From the phase edge to the first start bit");
    fixture_lacks(html, "aria-label=\"Histogram of link");
    fixture_lacks(html, "The tallest bar");
}

TEST(test_full_disk)
{
    if (access("/dev/full", W_OK)) {
        print_message("SKIP full_disk: /dev/full is not there\n");
        skip();
    }
    struct pb_result *result = fixture_fail();
    for (int form = 0; form < FORMS; form++) {
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        assert_int_equal(fixture_write(full, (enum form)form, result), PB_ERR_IO);
        fclose(full);
    }
}

/* A verdict by bytes names what it does not rest on, and why; with edges there is nothing to
 * say. */
TEST(test_what_bytes_leave_open)
{
    static const enum form form[] = {TEXT, JSON, HTML};
    for (size_t i = 0; i < sizeof form / sizeof form[0]; i++) {
        struct pb_result *result = fixture_pass();
        char *with_edges = fixture_rendered(form[i], result);
        snprintf(result->capture, sizeof result->capture, "bytes");
        snprintf(result->capture_reason, sizeof result->capture_reason, "too much for a snail");
        char *text = fixture_rendered(form[i], result);
        fixture_contains(text, "too much for a snail");
        fixture_contains(text, "pulses shorter than a bit");
        fixture_lacks(with_edges, "pulses shorter than a bit");
    }
}
