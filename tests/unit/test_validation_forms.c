/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The forms of a validation: by readers of their formats, by xmllint, and against the struct member by
 * member. Numbers of the drawings are worked out by hand.
 */
#include "form_checks.h"
#include "report_fixture.h"
#include "tests/unit/tests.h"
#include "validation_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_text(FILE *stream, const struct pb_validation *validation)
{
    const struct pb_report_style style = {false, 80};
    return pb_report_validation_text(stream, validation, &style);
}

typedef int write_fn(FILE *stream, const struct pb_validation *validation);
static write_fn *const forms_all[] = {write_text,
                                      pb_report_validation_json,
                                      pb_report_validation_csv,
                                      pb_report_validation_junit,
                                      pb_report_validation_tap,
                                      pb_report_validation_html};

static char *rendered(write_fn *write, const struct pb_validation *validation)
{
    FILE *stream = open_text();
    assert_int_equal(write(stream, validation), PB_OK);
    return close_text(stream);
}

/* Each validation as it is, with hostile texts, and with as much of them as there is room. */
#define EACH_TEXT(validation, i, hostile)                                                                    \
    for (int hostile = 0; hostile < 3; hostile++)                                                            \
    EACH_VALIDATION(validation, i)

static void spoil(struct pb_validation *validation, int hostile)
{
    if (hostile)
        validation_make_hostile(validation, hostile == 2);
}

/* ---- text */

TEST(text_begins_with_go_or_no_go)
{
    static const char *const first[VALIDATIONS] = {
        "GO\nresult       3 steps passed; 2 skipped\nworst        line_rise/link11 0.1660 us,",
        "GO, MARGINAL\nresult       2 steps passed, 1 of them marginal: lines\nlook at      step lines (each",
        "NO-GO\nresult       2 of 6 steps failed: lines and load; 1 skipped\nlook at      step lines (each",
        "BENCH NOT READY\nresult       step bench of the bench ended in an error, so nothing is known of\n",
        "INCOMPLETE\nresult       interrupted by SIGINT in step lines\nworst        bench_delay 0.0125 us,",
        "INCOMPLETE\nresult       no step passed, so nothing is known of the unit\n"};
    EACH_VALIDATION(validation, i)
    {
        const char *text = rendered(write_text, validation);
        assert_memory_equal(text, first[i], strlen(first[i]));
    }
}

TEST(text_has_what_an_operator_needs_in_80_columns)
{
    static const char *const facts[] = {
        "line_rise/link7: 4 pulses of 83 to 84 ticks, the slowest on pin 8\n",
        "worst        tolerance_fast/link1 0.20 %, at least 1.50 %, margin -1.30 %, U95",
        "unit         A17-0042\nstation      bench 3\noperator     J. Doe\n",
        "profile\n             quick\n",
        "limits       Limits of the tests, version 7, crc32 0BADCAFE",
        "decision     non_binary: pass within the limits by U95, fail beyond them by U95,",
        "  pass      bench             bench_delay: 0.0125 us, margin 0.0709 us\n"
        "            the bench measures itself over its loop-back; 1.25 s\n",
        "  skipped   latency           -\n            a lone message arrives in time\n",
        "FAILED       lines: the rise of link 7 is beyond its limit\n"
        "  value      line_rise/link7 0.3400 us, at most 0.3195 us, margin -0.0205 us,\n"
        "             U95 0.0070 us\n"
        "  seen       4 pulses of 83 to 84 ticks, the slowest on pin 8\n",
        "  value      latency 26 phases, at most 24 phases, margin -2 phases\n",
        "ERROR        tolerance: the run was interrupted\n",
        "MARGINAL     timing: the bit time of link 3 is near its limit\n"
        "  value      bit_time/link3 22000.000 ppm, from -25000.000 ppm to 25000.000 ppm,\n",
        "SKIPPED      latency: it rests on step lines, which failed\n",
    };
    static const char command[] = "\nphasebench validate machine-16 --rig ftdi:PB0001 --profile quick --seed "
                                  "18446744073709551615\n";
    char *text = rendered(write_text, validation_no_go());
    for (size_t i = 0; i < COUNT(facts); i++)
        fixture_contains(text, facts[i]);
    assert_string_equal(text + strlen(text) - strlen(command), command);
    EACH_VALIDATION(validation, i)
    {
        if (validation->steps) {
            char *lines = rendered(write_text, validation);
            check_width(lines, 80);
        }
    }
}

TEST(text_shows_no_more_than_12_values_of_a_step)
{
    struct pb_validation *validation = validation_no_go();
    validation->limits.limit[PB_ITEM_LINE_RISE].upper = 1000;
    for (size_t i = 0; i < validation->values; i++)
        pb_item_judge(&validation->value[i], &validation->limits);
    char *text = rendered(write_text, validation);
    assert_int_equal(check_count(text, "  value      line_rise"), 12);
    fixture_lacks(text, "values more");
    /* Now those of the low lines, too: 24. */
    validation->limits.limit[PB_ITEM_LINE_LOW].upper = -1;
    for (size_t i = 0; i < validation->values; i++)
        pb_item_judge(&validation->value[i], &validation->limits);
    text = rendered(write_text, validation);
    fixture_contains(text, "  and 12 values more\n");
}

TEST(text_has_colours_on_demand_and_no_hostile_byte)
{
    EACH_TEXT(validation, i, hostile)
    {
        spoil(validation, hostile);
        char *text = rendered(write_text, validation);
        fixture_lacks(text, "\033");
        fixture_lacks(text, "\x01");
        fixture_lacks(text, "\xff");
        fixture_lacks(text, "\xe2\x80\xae");
    }
    FILE *stream = open_text();
    const struct pb_report_style style = {true, 80};
    assert_int_equal(pb_report_validation_text(stream, validation_marginal(), &style), PB_OK);
    const char *text = close_text(stream);
    assert_memory_equal(text, "\033[1;33mGO, MARGINAL\033[0m\n", 24);
}

/* ---- JSON */

static json_t *document_of(const struct pb_validation *validation)
{
    json_error_t error;
    json_t *document = json_loads(rendered(pb_report_validation_json, validation), JSON_REJECT_DUPLICATES,
                                  &error);
    if (!document)
        fail_msg("line %d: %s", error.line, error.text);
    return document;
}

TEST(json_follows_its_schema)
{
    json_t *schema = check_load_schema("docs/validation.schema.json");
    EACH_TEXT(validation, i, hostile)
    {
        spoil(validation, hostile);
        json_t *document = document_of(validation);
        check_schema(schema, schema, document, "document");
        json_decref(document);
    }
    /* Every unit and state that the program knows is one of the schema. */
    const json_t *units = json_object_get(json_object_get(json_object_get(schema, "$defs"), "unit"), "enum");
    assert_int_equal(json_array_size(units), PB_UNIT_MHZ + 1);
    for (size_t unit = 0; unit < json_array_size(units); unit++)
        assert_string_equal(json_string_value(json_array_get(units, unit)),
                            pb_unit_name((enum pb_unit)unit));
    const json_t *go = json_object_get(json_object_get(json_object_get(schema, "properties"), "go"), "enum");
    assert_int_equal(json_array_size(go), PB_GO_INCOMPLETE + 1);
    for (size_t i = 0; i < json_array_size(go); i++)
        assert_string_equal(json_string_value(json_array_get(go, i)), pb_go_name((enum pb_go)i));
    json_decref(schema);
}

static void same_text(const json_t *object, const char *key, const char *text)
{
    assert_string_equal(json_string_value(json_object_get(object, key)), text);
}

static void same_number(const json_t *object, const char *key, int64_t number)
{
    const json_t *value = json_object_get(object, key);
    if (number == PB_ABSENT)
        assert_true(json_is_null(value));
    else
        assert_true(json_is_integer(value) && json_integer_value(value) == number);
}

static void same_value(const json_t *object, const struct pb_item_value *value)
{
    same_text(object, "name", value->name);
    same_text(object, "item", pb_item_id((int)value->item));
    same_text(object, "unit", pb_unit_name(pb_item_unit(value->item)));
    same_text(object, "judgement", pb_judgement_name(value->judgement));
    same_text(object, "note", value->note);
    same_number(object, "node", value->node < 0 ? PB_ABSENT : value->node);
    same_number(object, "link", value->link < 0 ? PB_ABSENT : value->link);
    same_number(object, "port", value->port < 0 ? PB_ABSENT : value->port);
    same_number(object, "n", (int64_t)value->n);
    same_number(object, "value", value->value);
    same_number(object, "min", value->min);
    same_number(object, "mean", value->mean);
    same_number(object, "max", value->max);
    same_number(object, "sd", value->sd);
    same_number(object, "u95", value->u95);
    same_number(object, "lower", value->lower);
    same_number(object, "upper", value->upper);
    same_number(object, "margin", value->margin);
    assert_int_equal(json_object_size(object), 18);
}

static void same_limits(const json_t *object, const struct pb_validation *validation)
{
    const struct pb_limit_set *limits = &validation->limits;
    const json_t *items = json_object_get(object, "items");
    size_t at = 0;
    same_text(object, "path", validation->limits_path);
    same_text(object, "title", limits->title);
    same_text(object, "version", limits->version);
    same_text(object, "decision", pb_acceptance_name(limits->rule));
    same_number(object, "crc32", limits->crc32);
    for (int item = 0; item < PB_ITEMS; item++) {
        if (!limits->limit[item].given)
            continue;
        const json_t *row = json_array_get(items, at++);
        same_text(row, "item", pb_item_id(item));
        same_text(row, "unit", pb_unit_name(pb_item_unit((enum pb_item)item)));
        same_text(row, "rationale", limits->limit[item].rationale);
        same_number(row, "lower", limits->limit[item].lower);
        same_number(row, "upper", limits->limit[item].upper);
        same_number(row, "marginal", limits->limit[item].band);
    }
    assert_int_equal(json_array_size(items), at);
}

TEST(json_has_every_member)
{
    EACH_VALIDATION(validation, i)
    {
        json_t *document = document_of(validation);
        const json_t *steps = json_object_get(document, "steps");
        size_t values = 0;
        same_text(document, "go", pb_go_name(pb_validation_go(validation)));
        same_text(document, "unit", validation->unit);
        same_text(document, "station", validation->station);
        same_text(document, "operator", validation->operator_name);
        same_text(document, "scenario", validation->scenario);
        same_text(document, "scenario_path", validation->scenario_path);
        same_text(document, "profile", validation->profile);
        same_text(document, "rig", validation->rig);
        same_text(document, "core", validation->core);
        same_text(document, "nodes", validation->nodes);
        same_text(document, "program", validation->program);
        same_text(document, "command", validation->command);
        same_text(document, "seed", validation->seed ? "18446744073709551615" : "0");
        same_text(document, "started_utc", validation->started_utc);
        same_text(document, "incomplete", validation->incomplete);
        same_number(document, "wall_ns", validation->wall_ns);
        same_limits(json_object_get(document, "limits"), validation);
        assert_int_equal(json_array_size(steps), validation->steps);
        for (unsigned k = 0; k < validation->steps; k++) {
            const json_t *step = json_array_get(steps, k);
            same_text(step, "id", validation->step[k].id);
            same_text(step, "purpose", validation->step[k].purpose);
            same_text(step, "state", pb_step_state_name(validation->step[k].state));
            same_text(step, "reason", validation->step[k].reason);
            same_number(step, "wall_ns", validation->step[k].wall_ns);
            size_t n;
            json_t *value;
            json_array_foreach(json_object_get(step, "values"), n, value)
                same_value(value, &validation->value[values++]);
        }
        assert_int_equal(values, validation->values);
        json_decref(document);
    }
}

TEST(json_names_where_to_look)
{
    json_t *document = document_of(validation_no_go());
    same_text(document, "worst", "tolerance_fast/link1");
    same_text(document, "look_at", "lines");
    same_text(document, "summary", "2 of 6 steps failed: lines and load; 1 skipped");
    json_decref(document);
    document = document_of(validation_not_ready());
    assert_true(json_is_null(json_object_get(document, "worst")));
    same_text(document, "look_at", "bench");
    json_decref(document);
}

/* ---- CSV */

enum { COLUMNS = 21 };

TEST(csv_has_a_record_for_each_value)
{
    static const char *const name[COLUMNS] = {"unit_under_test",
                                              "step",
                                              "state",
                                              "name",
                                              "item",
                                              "node",
                                              "link",
                                              "port",
                                              "n",
                                              "unit",
                                              "value",
                                              "min",
                                              "mean",
                                              "max",
                                              "sd",
                                              "u95",
                                              "lower",
                                              "upper",
                                              "margin",
                                              "judgement",
                                              "note"};
    static char field[COLUMNS][CHECK_FIELD];
    EACH_TEXT(validation, i, hostile)
    {
        spoil(validation, hostile);
        const char *at = check_record(rendered(pb_report_validation_csv, validation), COLUMNS, field);
        for (int column = 0; column < COLUMNS; column++)
            assert_string_equal(field[column], name[column]);
        for (unsigned k = 0; k < validation->steps; k++) {
            const struct pb_step *step = &validation->step[k];
            for (size_t n = step->first; n < step->first + step->count; n++) {
                const struct pb_item_value *value = &validation->value[n];
                const int64_t number[] = {value->value, value->min, value->mean,  value->max,   value->sd,
                                          value->u95,   value->lower, value->upper, value->margin};
                at = check_record(at, COLUMNS, field);
                if (!hostile) {
                    assert_string_equal(field[0], validation->unit);
                    assert_string_equal(field[1], step->id);
                    assert_string_equal(field[3], value->name);
                    assert_string_equal(field[20], value->note);
                }
                assert_string_equal(field[2], pb_step_state_name(step->state));
                assert_string_equal(field[4], pb_item_id((int)value->item));
                assert_string_equal(field[6], value->link < 0 ? "" : formatted("%d", value->link));
                assert_string_equal(field[9], pb_unit_name(pb_item_unit(value->item)));
                for (size_t c = 0; c < COUNT(number); c++)
                    assert_string_equal(field[10 + c], number[c] == PB_ABSENT
                                                           ? ""
                                                           : formatted("%lld", (long long)number[c]));
                assert_string_equal(field[19], pb_judgement_name(value->judgement));
            }
        }
        assert_string_equal(at, "");
    }
}

/* ---- JUnit and TAP */

TEST(junit_has_a_case_for_each_step)
{
    char *text = rendered(pb_report_validation_junit, validation_no_go());
    fixture_contains(text, "tests=\"6\" failures=\"2\" errors=\"1\" skipped=\"1\" time=\"12.345\"");
    assert_int_equal(check_count(text, "<testcase classname=\"phasebench.validate\" "), 6);
    fixture_contains(text,
                     "<failure type=\"line_rise\" message=\"the rise of link 7 is beyond its limit\">fail\n"
                     "fail: line_rise/link7 0.3400 us, at most 0.3195 us, margin -0.0205 us, U95 0.0070 us; "
                     "4 pulses");
    fixture_contains(text, "<error type=\"error\" message=\"the run was interrupted\">error\n");
    fixture_contains(text, "<skipped message=\"it rests on step lines, which failed\"/>\n");
    fixture_contains(text, "<system-out>marginal\nmarginal: bit_time/link3 22000.000 ppm,");
    fixture_contains(text, "<property name=\"go\" value=\"no-go\"/>");
    fixture_contains(text, "<property name=\"seed\" value=\"18446744073709551615\"/>");
    fixture_contains(text, "value=\"Limits of the tests, version 7, crc32 0BADCAFE\"");
    assert_int_equal(check_count(text, "line_low/link"), 12);
}

TEST(junit_is_well_formed_and_follows_its_schema)
{
    if (!check_installed("xmllint")) {
        print_message("SKIP junit: xmllint is not installed (apt-get install libxml2-utils)\n");
        skip();
    }
    EACH_TEXT(validation, i, hostile)
    {
        spoil(validation, hostile);
        const bool timed = !hostile && validation->steps; /* else the start is no time */
        assert_int_equal(check_run(timed ? "xmllint --noout --schema tests/cli/junit.xsd - 2>/dev/null"
                                         : "xmllint --noout -",
                                   rendered(pb_report_validation_junit, validation)),
                         0);
    }
}

TEST(tap_has_a_point_for_each_step)
{
    EACH_TEXT(validation, i, hostile)
    {
        spoil(validation, hostile);
        bool ok[PB_STEPS_MAX];
        char *text = rendered(pb_report_validation_tap, validation);
        check_tap(text, validation->steps, ok);
        for (unsigned k = 0; k < validation->steps; k++) {
            const enum pb_step_state state = validation->step[k].state;
            assert_int_equal(ok[k], state != PB_STEP_FAIL && state != PB_STEP_ERROR);
        }
        assert_int_equal(check_count(text, "\n    - name: \""), validation->values);
    }
    char *text = rendered(pb_report_validation_tap, validation_no_go());
    fixture_contains(text,
                     "\nok 5 - latency: a lone message arrives in time # SKIP it rests on step lines, which "
                     "failed\n");
    fixture_contains(text, "  message: \"the rise of link 7 is beyond its limit\"\n  severity: \"fail\"\n");
    fixture_contains(text, "    - name: \"line_rise/link7\"\n      judgement: \"fail\"\n"
                           "      value: \"0.3400 us\"\n      limits: \"at most 0.3195 us\"\n"
                           "      margin: \"-0.0205 us\"\n      u95: \"0.0070 us\"\n      n: 4\n"
                           "      note: \"4 pulses of 83 to 84 ticks, the slowest on pin 8\"\n");
    fixture_contains(text, "\n# go: no-go\n");
}

TEST(tap_is_read_by_prove)
{
    if (!check_installed("prove")) {
        print_message("SKIP tap: prove is not installed (apt-get install perl)\n");
        skip();
    }
    EACH_VALIDATION(validation, i)
    {
        const enum pb_go go = pb_validation_go(validation);
        validation_make_hostile(validation, false);
        if (!validation->steps)
            continue;
        /* Test::Harness before 3.45 refuses the number 14; the syntax used here is the same in version 13. */
        const char *text = fixture_replaced(rendered(pb_report_validation_tap, validation), "TAP version 14",
                                            "TAP version 13");
        const bool passes = check_run("prove --exec cat /dev/stdin >/dev/null 2>&1", text) == 0;
        assert_int_equal(passes, go == PB_GO || go == PB_GO_MARGINAL || go == PB_GO_INCOMPLETE);
    }
}

/* ---- HTML */

TEST(html_is_one_sound_file)
{
    EACH_TEXT(validation, i, hostile)
    {
        spoil(validation, hostile);
        char *html = rendered(pb_report_validation_html, validation);
        check_html(html);
        fixture_contains(html, "<html lang=\"en\">");
        fixture_contains(html, "prefers-color-scheme:dark");
        fixture_contains(html, "@media print");
        fixture_contains(html, "@page{");
        fixture_contains(html, "default-src 'none'");
        assert_int_equal(check_count(html, "<table"), check_count(html, "<caption>"));
        if (hostile == 1)
            fixture_contains(
                html,
                "&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;\xef\xbf\xbd");
    }
}

TEST(html_says_what_it_rests_on)
{
    static const char *const facts[] = {
        "<div class=\"verdict fail\"><b>\342\234\225 No-go</b><p>2 of 6 steps failed: lines and load; 1 "
        "skipped.</p>",
        "<dt>Worst margin</dt><dd>tolerance_fast/link1 0.20 %, at least 1.50 %, margin -1.30 %, U95 0.10 "
        "%</dd>",
        "<dt>Look at</dt><dd>step lines (each line follows its own pull and no other): line_rise/link7: 4 "
        "pulses",
        "<dt>Seed</dt><dd>18446744073709551615</dd>",
        "Limits of the tests, version 7, crc32 <code>0BADCAFE</code>",
        "ILAC-G8:09/2019, 4.2.3",
        "the reason of line_rise",
        "<dd>0x2A3 native fw=1</dd>",
        "<pre><code>phasebench validate machine-16 --rig ftdi:PB0001",
        "4 pulses of 83 to 84 ticks, the slowest on pin 8</td></tr>",
    };
    char *html = rendered(pb_report_validation_html, validation_no_go());
    for (size_t i = 0; i < COUNT(facts); i++)
        fixture_contains(html, facts[i]);
    struct pb_validation *validation = validation_go();
    validation->limits.rule = PB_ACCEPT_SIMPLE;
    fixture_contains(rendered(pb_report_validation_html, validation), "ILAC-G8:09/2019, 4.2.1");
    validation->limits.rule = PB_ACCEPT_GUARDED;
    fixture_contains(rendered(pb_report_validation_html, validation), "ILAC-G8:09/2019, 4.2.2");
}

/* bench_delay is 12,500 ps with U95 of 24,100 between -83,400 and 83,400: the bar goes from -166,800 to
 * 166,800 over 304 units from 8 on, so a unit is 1,097.37 ps. */
TEST(bars_have_value_limits_band_and_uncertainty_at_their_places)
{
    static const char *const parts[] = {
        "<line class=\"bound\" x1=\"84.0\"",                      /* 8 + 83,400 / 1,097.37 */
        "<line class=\"bound\" x1=\"236.0\"",                     /* 8 + 250,200 / 1,097.37 */
        "<rect class=\"unsure-zone\" x=\"62.0\" y=\"4\" width=\"43.9\"",  /* 48,200 wide, about the limit */
        "<rect class=\"unsure-zone\" x=\"214.0\" y=\"4\" width=\"43.9\"", /* from 59,300 on */
        "<rect class=\"zone\" x=\"106.0\" y=\"4\" width=\"108.1\"",       /* 118,600 wide */
        "<path class=\"span\" d=\"M149.4 7v8m0 -4H193.4m0 -4v8\"/>",      /* -11,600 to 36,600 */
        "<circle class=\"spot\" cx=\"171.4\"",
    };
    char *html = rendered(pb_report_validation_html, validation_go());
    for (size_t i = 0; i < COUNT(parts); i++)
        fixture_contains(html, parts[i]);
    /* As many as values with a limit: all but the firmware; each with the shape of its judgement. */
    struct pb_validation *validation = validation_no_go();
    html = rendered(pb_report_validation_html, validation);
    assert_int_equal(check_count(html, "<svg class=\"limitbar\""), validation->values - 1);
    /* A rise and the latency are crosses, the tolerance is below 0.75 % and so an arrow; one bit time is
     * marginal. The legend has one of each. */
    assert_int_equal(check_count(html, "<path class=\"cross\""), 2 + 1);
    assert_int_equal(check_count(html, "l6 6l-6 6l-6 -6z"), 1 + 1);
}

/* A pass needs 24,100 under both rules with a guard band; only the non-binary one has a zone beyond. */
TEST(bars_follow_the_decision_rule)
{
    struct pb_validation *validation = validation_incomplete();
    validation->limits.rule = PB_ACCEPT_GUARDED;
    char *html = rendered(pb_report_validation_html, validation);
    fixture_contains(html, "<rect class=\"zone\" x=\"106.0\" y=\"4\" width=\"108.1\"");
    fixture_lacks(html, "<rect class=\"unsure-zone\" x=\"62.0\"");
    validation->limits.rule = PB_ACCEPT_SIMPLE;
    html = rendered(pb_report_validation_html, validation);
    fixture_contains(html, "<rect class=\"zone\" x=\"84.0\" y=\"4\" width=\"152.0\"");
    /* A value far beyond the bar is an arrow at its end. */
    validation->value[0].value = 1000000;
    html = rendered(pb_report_validation_html, validation);
    fixture_contains(html, "<path class=\"spot\" d=\"M308.0 5l10 6l-10 6z\"/>");
}

TEST(matrix_and_plots_have_every_link)
{
    char *html = rendered(pb_report_validation_html, validation_no_go());
    /* line_low, line_rise and bit_time of 12 links, tolerance_fast of 2. */
    assert_int_equal(check_count(html, "<rect class=\"cell "), 38);
    assert_int_equal(check_count(html, "<rect class=\"cell fail\""), 2);
    assert_int_equal(check_count(html, "<rect class=\"cell marginal\""), 1);
    /* line_rise of link 7 is in the second row and the eighth column of cells of 22. */
    fixture_contains(html, "<rect class=\"cell fail\" x=\"295\" y=\"43\"");
    /* Plots of line_rise, bit_time and tolerance_fast; counts have none. */
    assert_int_equal(check_count(html, "<svg class=\"chart\""), 3);
    assert_int_equal(check_count(html, "<circle class=\"node\""), 26);
    fixture_lacks(rendered(pb_report_validation_html, validation_not_ready()), "<svg class=\"matrix\"");
    /* A second rise of link 7, which passes, does not hide the first. */
    struct pb_validation *twice = validation_no_go();
    for (size_t i = 0; i < twice->values; i++)
        if (twice->value[i].item == PB_ITEM_LINE_RISE && twice->value[i].link == 8)
            twice->value[i].link = 7;
    html = rendered(pb_report_validation_html, twice);
    assert_int_equal(check_count(html, "<rect class=\"cell "), 37);
    assert_int_equal(check_count(html, "<rect class=\"cell fail\""), 2);
    struct pb_validation *wide = validation_no_go();
    for (size_t i = 0; i < wide->values; i++)
        if (wide->value[i].item == PB_ITEM_LINE_RISE)
            wide->value[i].link += 40;
    html = rendered(pb_report_validation_html, wide);
    assert_int_equal(check_count(html, "<svg class=\"matrix\""), 1); /* 24 links of 52 are used */
    for (size_t i = 0; i < wide->values; i++)
        if (wide->value[i].item == PB_ITEM_BIT_TIME)
            wide->value[i].link += 20;
    assert_int_equal(check_count(rendered(pb_report_validation_html, wide), "<svg class=\"matrix\""), 2);
}

/* ---- streams that fail */

TEST(a_full_disk_is_told)
{
    if (access("/dev/full", W_OK)) {
        print_message("SKIP full_disk: /dev/full is not there\n");
        skip();
    }
    for (size_t form = 0; form < COUNT(forms_all); form++) {
        EACH_VALIDATION(validation, i)
        {
            FILE *full = fopen("/dev/full", "w");
            assert_non_null(full);
            assert_int_equal(forms_all[form](full, validation), PB_ERR_IO);
            fclose(full);
        }
    }
}

/* A place that takes all bytes but the last, or a part of them. */
TEST(what_is_cut_off_is_told)
{
    const struct pb_validation *validation = validation_no_go();
    for (size_t form = 0; form < COUNT(forms_all); form++) {
        const size_t length = strlen(rendered(forms_all[form], validation));
        const size_t size[] = {1, length / 3, length / 2, length - 1};
        char *place = hand_over(malloc(length + 1), free);
        for (size_t i = 0; i < COUNT(size); i++) {
            FILE *stream = fmemopen(place, size[i], "w");
            assert_non_null(stream);
            assert_int_equal(forms_all[form](stream, validation), PB_ERR_IO);
            fclose(stream);
        }
        FILE *stream = fmemopen(place, length + 1, "w");
        assert_int_equal(forms_all[form](stream, validation), PB_OK);
        fclose(stream);
    }
}
