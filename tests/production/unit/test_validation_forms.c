/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The forms of a validation: by readers of their formats, by xmllint, and against the struct member by
 * member. Numbers of the drawings are worked out by hand.
 */
#include "tests/bench/unit/form_checks.h"
#include "phasebench/jitter.h"
#include "tests/bench/unit/report_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"
#include "validation_fixture.h"

#include <math.h>
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
        "BENCH NOT READY\nresult       step bench of the bench ended in an error, so nothing is known\n",
        "INCOMPLETE\nresult       interrupted by SIGINT in step lines\nworst        bench_delay 0.0125 us,",
        "INCOMPLETE\nresult       no step passed, so nothing is known about the unit\n"};
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
    json_t *schema = check_load_schema("docs/reference/validation.schema.json");
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
    same_text(object, "run", value->run);
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
    assert_int_equal(json_object_size(object), 19);
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
            same_text(step, "run", validation->step[k].run);
            size_t n;
            json_t *value;
            json_array_foreach(json_object_get(step, "values"), n, value)
                same_value(value, &validation->value[values++]);
        }
        assert_int_equal(values, validation->values);
        assert_int_equal(json_array_size(json_object_get(document, "runs")), validation->kept);
        for (size_t k = 0; k < validation->kept; k++) {
            const json_t *run = json_array_get(json_object_get(document, "runs"), k);
            size_t files = 0;
            same_text(run, "run", validation->files[k].run);
            for (int file = 0; file < PB_RUN_FILES; file++)
                if (validation->files[k].has[file])
                    assert_string_equal(
                        json_string_value(json_array_get(json_object_get(run, "files"), files++)),
                        pb_run_file_name(file));
            assert_int_equal(json_array_size(json_object_get(run, "files")), files);
        }
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
        char *text = rendered(pb_report_validation_junit, validation);
        assert_int_equal(check_run("xmllint --noout -", text), 0);
        if (!hostile && validation->steps) /* else the start is no time */
            check_junit(text);
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
        const char *text = rendered(pb_report_validation_tap, validation);
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

/* Of the tables of links: what does not pass has a sign in addition to its colour, all else has none. */
TEST(html_signs_what_does_not_pass_at_a_glance)
{
    static struct pb_validation *(*const made[])(void) = {validation_go, validation_no_go};
    size_t signed_in_all = 0;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        struct pb_validation *validation = made[i]();
        size_t failed = 0, marginal = 0;
        for (size_t at = 0; at < validation->values; at++) {
            const struct pb_item_value *value = &validation->value[at];
            failed += value->link >= 0 && value->judgement == PB_JUDGED_FAIL;
            marginal += value->link >= 0 && value->judgement == PB_JUDGED_MARGINAL;
        }
        char *html = rendered(pb_report_validation_html, validation);
        char *const glance = strstr(html, "id=\"glance\"");
        assert_non_null(glance);
        *strstr(glance, "of-others") = '\0';
        assert_int_equal(check_count(glance, "<span role=\"img\" aria-label=\"fail\">"), failed);
        assert_int_equal(check_count(glance, "<span role=\"img\" aria-label=\"marginal\">"), marginal);
        signed_in_all += failed;
    }
    assert_int_not_equal(signed_in_all, 0);
}

/* Paper leaves out what is closed: of a go all detail, of a no-go nothing. */
TEST(html_closes_the_detail_of_a_go_alone)
{
    char *html = rendered(pb_report_validation_html, validation_go());
    assert_int_equal(check_count(html, "<details><summary>"), 4);
    fixture_lacks(html, "<details open>");
    html = rendered(pb_report_validation_html, validation_no_go());
    assert_int_equal(check_count(html, "<details open><summary>"), 4);
    fixture_lacks(html, "<details><summary>");
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
        "4 pulses of 83 to 84 ticks, the slowest on pin 8. Run 1 kHz",
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
    assert_int_equal(check_count(html, "<svg class=\"matrix\""), 2); /* 24 links of 52 are used */
    for (size_t i = 0; i < wide->values; i++)
        if (wide->value[i].item == PB_ITEM_BIT_TIME)
            wide->value[i].link += 20;
    assert_int_equal(check_count(rendered(pb_report_validation_html, wide), "<svg class=\"matrix\""), 3);
}

/* ---- links to evidence */

#define RUN_1_KHZ                                                                                            \
    "Run 1 kHz: <a href=\"1%20kHz/report.html\">report</a>, <a href=\"1%20kHz/frames.pcapng\">frames on "    \
    "the links</a>."

/* The rise of link 7, in its table and where the operator is to look; the step that ended in run baud. */
TEST(each_value_that_did_not_pass_leads_to_its_run)
{
    char *html = rendered(pb_report_validation_html, validation_no_go());
    fixture_contains(html, "</dl>\n<p class=\"evidence\">" RUN_1_KHZ "</p>");
    fixture_contains(html, "4 pulses of 83 to 84 ticks, the slowest on pin 8. " RUN_1_KHZ "</td>");
    fixture_contains(html,
                     "<p>the run was interrupted. Run baud: <a href=\"baud/report.html\">report</a>, <a "
                     "href=\"baud/failure.fst\">waveform</a>, <a href=\"baud/frames.pcapng\">");
    fixture_contains(html, "<td colspan=\"11\">Run load: nothing was kept of it; <code>phasebench validate "
                           "--out DIR</code>");
    /* A tolerance that fails, and a marginal bit time, without a run. */
    assert_int_equal(
        check_count(html, "<td colspan=\"11\">The bench measured it on the lines, without a run"), 2);
    /* Two times two files, three of run baud, and the manual; what passed has no link. */
    assert_int_equal(check_count(html, "href="), 2 * 2 + 3 + 1);
    fixture_lacks(rendered(pb_report_validation_html, validation_go()), "href=");
    char *text = rendered(write_text, validation_no_go());
    fixture_contains(text, "  seen       4 pulses of 83 to 84 ticks, the slowest on pin 8\n"
                           "  report     1 kHz/report.html\n");
    fixture_contains(text,
                     "ERROR        tolerance: the run was interrupted\n  report     baud/report.html\n");
    assert_int_equal(check_count(text, "report.html"), 2);
}

TEST(the_name_of_a_run_stays_in_its_folder)
{
    struct pb_validation *validation = validation_no_go();
    snprintf(validation->files[2].run, sizeof validation->files[2].run, "a/b?c#d%%\"<");
    memcpy(validation->step[3].run, validation->files[2].run, sizeof validation->step[3].run);
    fixture_contains(rendered(pb_report_validation_html, validation),
                     "<a href=\"a%2Fb%3Fc%23d%25%22%3C/report.html\">");
}

TEST(the_page_leads_to_the_manual)
{
    fixture_contains(rendered(pb_report_validation_html, validation_no_go()),
                     "<a href=\"../docs/reference/measurements.md\">docs/reference/measurements.md</a> of "
                     "the source");
    fixture_contains(rendered(pb_report_validation_html, validation_go()),
                     "uncertainty: docs/reference/measurements.md of the source");
}

/* ---- plots of runs */

/* A run of 24 phases of 100 us: edges with this jitter, one start a superframe on link 3 with this deviation,
 * and a frame with a bit time of 600 ppm, or -600, in each. */
struct made {
    size_t superframes;
    double edge_sd_ps, start_sd_ps;
    int64_t fast_ps;    /* by which each phase is shorter than 100 us */
    double other_sd_ps; /* of starts on link 5, too; 0: none */
};

static void exhibit(struct pb_validation *validation, const char *step, const struct made *made)
{
    struct pb_jitter_collector *collector = pb_jitter_collect();
    const struct pb_sample_sink sink = pb_jitter_sink(collector);
    const char *json = fixture_rendered(JSON, fixture_pass());
    struct pb_result *result;
    struct pb_jitter *jitter;
    random_state = 5;
    int64_t before_ps = 0;
    assert_succeeds(pb_report_read_json(&result, json, strlen(json), &diag));
    for (size_t k = 0; k < made->superframes * 24; k++) {
        const int64_t now_ps =
            (int64_t)k * (100000000 - made->fast_ps) + llround(made->edge_sd_ps * gaussian());
        if (k)
            sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_CLOCK_PERIOD,
                                                        .phase = k,
                                                        .time_ps = now_ps,
                                                        .value = now_ps - before_ps});
        before_ps = now_ps;
        if (k % 24 != 6)
            continue;
        sink.take(sink.context,
                  &(struct pb_sample){.figure = PB_FIGURE_NODE_START,
                                      .link = 3,
                                      .phase = k,
                                      .time_ps = now_ps,
                                      .value = 5000000 + llround(made->start_sd_ps * gaussian())});
        if (made->other_sd_ps > 0)
            sink.take(sink.context,
                      &(struct pb_sample){.figure = PB_FIGURE_NODE_START,
                                          .link = 5,
                                          .phase = k,
                                          .time_ps = now_ps,
                                          .value = 5000000 + llround(made->other_sd_ps * gaussian())});
        sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_NODE_BIT_TIME,
                                                    .link = 3,
                                                    .phase = k,
                                                    .time_ps = now_ps,
                                                    .value = k / 24 % 2 ? -600000 : 600000});
    }
    assert_int_equal(pb_jitter_compute(&jitter, collector, result, false, PB_JITTER_FIT), PB_OK);
    pb_jitter_collector_free(collector);
    assert_int_equal(pb_validation_exhibit(validation, "send", result, jitter), PB_OK);
    snprintf(validation->exhibit[validation->exhibits - 1].step, sizeof validation->exhibit->step, "%s",
             step);
}

/* Bit times of 600 and -600 ppm between limits of 25,000: the axis goes from -30,000 to 30,000 over 198 units
 * up from 208, so that 600 ppm are 1.98 units from the middle at 109. */
TEST(plots_of_a_run_of_the_node)
{
    static const char *const parts[] = {
        "<h3 class=\"of-run\">Step ports, run send</h3>",
        "<svg class=\"timeline\"",
        "<h3>Starts of the frames of the node</h3>",
        "Histogram of link 3",
        "<p>n 1200 frames of the node. From -600.0 to 600.0 ppm. Dashed: the limits.</p>",
        "<path class=\"limit\" d=\"M64.0 191.5L616.0 191.5\"/><path class=\"limit\" d=\"M64.0 26.5L616.0 "
        "26.5\"/>",
        "r=\"1.5\"/>",
        "<h3>Bathtub of all links</h3>\n<p>n 1200 on link 3.</p>",
        "n 1200 is too small</td>", /* 1e-12 cannot be counted */
    };
    struct pb_validation *validation = validation_go();
    exhibit(validation, "ports", &(struct made){.superframes = 1200, .start_sd_ps = 20000});
    char *html = rendered(pb_report_validation_html, validation);
    check_html(html);
    for (size_t i = 0; i < COUNT(parts); i++)
        fixture_contains(html, parts[i]);
    assert_int_equal(check_count(html, "<circle class=\"dot\""), 1200);
    fixture_contains(html, "cy=\"107.0\" r=\"1.5\"");
    fixture_contains(html, "cy=\"111.0\" r=\"1.5\"");
    assert_int_equal(check_count(html, "<table"), check_count(html, "<caption>"));
}

/* Of bits of 1 us with jitter of 20 and 40 ns, an error ratio of 1e-2 leaves both from 2.054 x 40 ns on to
 * 1 us less as much: that of the worse link. */
TEST(a_bathtub_of_several_links_leaves_what_all_leave)
{
    struct pb_validation *validation = validation_go();
    exhibit(validation, "soak",
            &(struct made){.superframes = 4000, .start_sd_ps = 20000, .other_sd_ps = 40000});
    const char *html = rendered(pb_report_validation_html, validation),
               *row = strstr(html, "<th scope=\"row\">1e-02</th><td>");
    double lower, upper, counted_lower, counted_upper;
    assert_non_null(row);
    fixture_contains(html, "<p>n 4000 on link 3, 4000 on link 5.</p>");
    assert_int_equal(sscanf(row, "<th scope=\"row\">1e-02</th><td>%lf to %lf</td><td>%lf to %lf</td>", &lower,
                            &upper, &counted_lower, &counted_upper),
                     4);
    const double nearest = 2.054 * 40;
    assert_true(fabs(lower - nearest) < 6 && fabs(upper - (1000 - nearest)) < 6);
    assert_true(fabs(counted_lower - nearest) < 6 && fabs(counted_upper - (1000 - nearest)) < 6);
}

/* The limits of starts are those of the limits file, from the end of the head guard of 5 us. */
TEST(starts_have_the_limits_of_the_file)
{
    struct pb_validation *validation = validation_go();
    exhibit(validation, "ports", &(struct made){.superframes = 20});
    char *html = rendered(pb_report_validation_html, validation);
    fixture_lacks(html, "allowed from 4.877 to 5.543");
    validation->limits.limit[PB_ITEM_START] = (struct pb_limit){true, -123000, 543000, 0, ""};
    fixture_contains(rendered(pb_report_validation_html, validation), "allowed from 4.877 to 5.543");
}

/* More frames than dots: the extremes of the parts. The last one begins at 5.76 s of an axis of 6 s, which
 * leaves 576 of 600 parts with a frame. */
TEST(many_frames_are_drawn_by_their_extremes)
{
    struct pb_validation *validation = validation_go();
    exhibit(validation, "soak", &(struct made){.superframes = 2400});
    char *html = rendered(pb_report_validation_html, validation);
    fixture_contains(html, "Drawn: the least and the largest of each of 600 parts of the time.");
    assert_int_equal(check_count(html, "<circle class=\"dot\""), 2 * 576);
    assert_int_equal(check_count(html, "cy=\"107.0\" r=\"1.5\""), 576);
    assert_int_equal(check_count(html, "cy=\"111.0\" r=\"1.5\""), 576);
}

TEST(too_few_frames_are_counted_and_not_drawn)
{
    struct pb_validation *validation = validation_go();
    exhibit(validation, "ports", &(struct made){.superframes = 19, .start_sd_ps = 20000});
    char *html = rendered(pb_report_validation_html, validation);
    fixture_contains(html, "<p>n 19 frames of the node. Too few for a plot.</p>");
    fixture_lacks(html, "<circle class=\"dot\"");
    fixture_contains(html, "<p>No bathtub without a split: fewer than 1000 values: link 3, n 19.</p>");
    fixture_lacks(html, "Bathtub of all links");
}

/* White phase noise of 20 ns: OADEV at 0.1 ms is sqrt(3) 20 ns / 0.1 ms, 3.5e-4. The first tau is 20 ppm
 * below 0.1 ms, where the axis begins. */
TEST(plots_of_a_run_of_the_clock)
{
    struct pb_validation *validation = validation_go();
    exhibit(validation, "clock", &(struct made){.superframes = 50, .edge_sd_ps = 20000, .fast_ps = 2000});
    char *html = rendered(pb_report_validation_html, validation);
    check_html(html);
    fixture_contains(html, "<h3>Time interval error</h3>\n<p>n 1200 edges.</p>\n<svg");
    fixture_contains(html, "<h3>Histogram of period</h3>\n<p>n 1199.</p>\n<svg");
    const char *allan = strstr(html, "aria-label=\"Allan deviation over tau\"");
    assert_non_null(allan);
    const char *end = strstr(allan, "</svg>");
    char *plot = hand_over(strndup(allan, (size_t)(end - allan)), free);
    fixture_contains(plot, ">0.0001</text>");
    fixture_lacks(plot, "x=\"64.0\" y=\"224.0\">1e-05</text>");
    fixture_contains(plot, "<circle class=\"node\" cx=\"64.0\"");
    fixture_lacks(html, "<svg class=\"timeline\"");
    struct pb_validation *exact = validation_go();
    exhibit(exact, "clock", &(struct made){.superframes = 50});
    html = rendered(pb_report_validation_html, exact);
    fixture_contains(html, "<p>n 1200 edges. Each is at its nominal place.</p>");
    fixture_contains(html, "<p>n 1199. All values are the same.</p>");
    fixture_contains(html, "n 1200 edges in a row. No edge is out of its place: all deviations are 0.</p>");
    struct pb_validation *few = validation_go();
    exhibit(few, "clock", &(struct made){.superframes = 0});
    fixture_contains(rendered(pb_report_validation_html, few), "TDMA_CLK: n 0 edges, too few for a plot.");
    fixture_contains(rendered(pb_report_validation_html, validation_go()),
                     "<p>No step that draws its measurements was run.</p>");
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
