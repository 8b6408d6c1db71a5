/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The state of an operator's station: which ends of a validation are a go, what is shown meanwhile, the last
 * units, the yield. Expected: docs/use/station.md.
 *
 * evidence: operator's station
 *   decisions, access and the server under abuse with a stand-in for the validation; with phasebench itself
 *   a Stop at once after Start, and a station killed by `kill -9` in each step, on simulated rigs; the page
 *   driven in Chromium 156 on Linux, light and dark, tablet and phone size; with no bar-code reader and on
 *   no tablet yet
 *   also: test_station_event, test_station_access, station.sh, make browser-check
 */
#include "host/production/station/records.h"
#include "host/production/station/serial.h"
#include "host/production/station/state_json.h"
#include "tests/production/unit/history_fixture.h"
#include "tests/bench/unit/tests.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define S INT64_C(1000000000)

static struct station_state shown;

static void feed(const char *line)
{
    struct station_event event;
    if (!station_event_read(&event, line, strlen(line)))
        fail_msg("garbled: %s", line);
    station_state_event(&shown, &event, 1 * S);
}

static const struct station_record unit = {.id = "TM-1-20261124T120000Z",
                                           .serial = "TM-1",
                                           .operator_name = "ann",
                                           .started_utc = "2026-11-24T12:00:00Z"};

/* Two steps, both passed, up to the event "end". */
static void begin(void)
{
    station_state_clear(&shown);
    assert_true(station_state_start(&shown, &unit, 0));
    feed("{\"event\":\"begin\",\"serial\":\"TM-1\",\"steps\":[{\"id\":\"bench\",\"purpose\":\"p\"},{\"id\":"
         "\"ports\"}]}");
    feed("{\"event\":\"step\",\"index\":0,\"state\":\"running\"}");
    feed("{\"event\":\"step\",\"index\":0,\"state\":\"pass\",\"reason\":\"\"}");
    feed("{\"event\":\"step\",\"index\":1,\"state\":\"pass\"}");
}

/* Ends, and gives the outcome. */
static const char *ends(int exit_code, const char *said)
{
    struct station_end end = {.exit_code = exit_code, .signal = exit_code < 0 ? SIGSEGV : 0};
    snprintf(end.said, sizeof end.said, "%s", said);
    station_state_end(&shown, &end);
    assert_int_equal(shown.phase, STATION_ENDED);
    return pb_go_name(shown.run.go);
}

static const char *says_and_ends(const char *go, int exit_code)
{
    begin();
    feed(formatted("{\"event\":\"end\",\"go\":\"%s\",\"look\":\"L\",\"worst\":\"W\"}", go));
    return ends(exit_code, "");
}

TEST(outcome_needs_its_exit_code)
{
    static const struct {
        const char *go;
        int exit_code;
    } right[] = {{"go", 0}, {"go, marginal", 0}, {"no-go", 1}, {"bench not ready", 4}, {"incomplete", 5}};
    static const int codes[] = {-1, 0, 1, 2, 3, 4, 5, 77, 124, 127, 130, 139};
    for (size_t i = 0; i < COUNT(right); i++)
        for (size_t j = 0; j < COUNT(codes); j++) {
            const bool agrees = codes[j] == right[i].exit_code;
            assert_string_equal(says_and_ends(right[i].go, codes[j]), agrees ? right[i].go : "incomplete");
            if (agrees)
                assert_string_equal(shown.run.look, "L");
        }
}

TEST(a_go_with_a_step_that_did_not_pass_is_incomplete)
{
    static const struct {
        const char *state, *outcome;
    } cases[] = {{"pass", "go"},         {"marginal", "go"},      {"skipped", "go"},
                 {"fail", "incomplete"}, {"error", "incomplete"}, {"running", "incomplete"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin();
        feed(formatted("{\"event\":\"step\",\"index\":1,\"state\":\"%s\"}", cases[i].state));
        feed("{\"event\":\"end\",\"go\":\"go\"}");
        assert_string_equal(ends(0, ""), cases[i].outcome);
    }
    /* A step that was never reported. */
    station_state_clear(&shown);
    station_state_start(&shown, &unit, 0);
    feed("{\"event\":\"begin\",\"serial\":\"TM-1\",\"steps\":[{\"id\":\"bench\"}]}");
    feed("{\"event\":\"end\",\"go\":\"go\"}");
    assert_string_equal(ends(0, ""), "incomplete");
    assert_non_null(strstr(shown.run.look, "step bench pending"));
    /* No step at all. */
    station_state_clear(&shown);
    station_state_start(&shown, &unit, 0);
    feed("{\"event\":\"end\",\"go\":\"go\"}");
    assert_string_equal(ends(0, ""), "incomplete");
    /* A bad unit needs no such thing. */
    begin();
    feed("{\"event\":\"step\",\"index\":1,\"state\":\"fail\"}");
    feed("{\"event\":\"end\",\"go\":\"no-go\"}");
    assert_string_equal(ends(1, ""), "no-go");
}

/* As of a full disk: the same test again would end so again. */
TEST(the_process_says_why_its_exit_code_contradicts)
{
    char much[STATION_REASON_SIZE];
    begin();
    feed("{\"event\":\"step\",\"index\":1,\"state\":\"pass\"}");
    feed("{\"event\":\"end\",\"go\":\"go\"}");
    assert_string_equal(ends(4, "cannot write 'TM-1/x': No space left on device"), "incomplete");
    assert_string_equal(shown.run.look, "the validation said 'go' and ended with exit code 4: cannot write "
                                        "'TM-1/x': No space left on device");
    begin();
    feed("{\"event\":\"end\",\"go\":\"no-go\"}");
    assert_string_equal(ends(4, ""), "incomplete");
    assert_string_equal(shown.run.look,
                        "the validation said 'no-go' and ended with exit code 4; test the unit again");
    /* A long line is cut between two characters. */
    for (size_t cut = 0; cut < 2; cut++) {
        memset(much, 'x', sizeof much);
        for (size_t i = cut; i + 2 < sizeof much; i += 2)
            memcpy(much + i, "\303\244", 2);
        much[sizeof much - 2] = '\0';
        begin();
        feed("{\"event\":\"end\",\"go\":\"no-go\"}");
        assert_string_equal(ends(4, much), "incomplete");
        const unsigned char *const last =
            (const unsigned char *)shown.run.look + strlen(shown.run.look) - 1;
        assert_true(*last == 0244 && last[-1] == 0303);
    }
}

TEST(another_unit_or_a_broken_order_of_events_is_incomplete)
{
    static const char *const wrong[] = {
        "{\"event\":\"begin\",\"serial\":\"TM-1\",\"steps\":[{\"id\":\"bench\"},{\"id\":\"ports\"}]}",
        "{\"event\":\"step\",\"index\":2,\"state\":\"pass\"}",
        "{\"event\":\"value\",\"index\":31,\"name\":\"n\",\"judgement\":\"pass\"}",
        "{\"event\":\"end\",\"go\":\"no-go\"}",
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        begin();
        feed(wrong[i]);
        feed("{\"event\":\"end\",\"go\":\"go\"}");
        assert_string_equal(ends(0, ""), "incomplete");
    }
    station_state_clear(&shown);
    station_state_start(&shown, &unit, 0);
    feed("{\"event\":\"begin\",\"serial\":\"TM-2\",\"steps\":[{\"id\":\"bench\"}]}");
    feed("{\"event\":\"step\",\"index\":0,\"state\":\"pass\"}");
    feed("{\"event\":\"end\",\"go\":\"go\"}");
    assert_string_equal(ends(0, ""), "incomplete");
    assert_non_null(strstr(shown.run.look, "TM-2"));
}

TEST(without_an_outcome_the_end_is_explained)
{
    begin();
    assert_string_equal(ends(-1, ""), "incomplete");
    assert_non_null(strstr(shown.run.look, "signal 11"));
    begin();
    assert_string_equal(ends(0, ""), "incomplete");
    assert_non_null(strstr(shown.run.look, "exit code 0 and no outcome"));
    begin();
    assert_string_equal(ends(2, "unknown option"), "incomplete");
    assert_string_equal(shown.run.look, "unknown option");
    begin();
    assert_string_equal(ends(4, "no board"), "bench not ready");
    assert_string_equal(shown.run.look, "no board");
    begin(); /* it had said its outcome when it was interrupted: no contradiction */
    station_state_stop(&shown);
    feed("{\"event\":\"end\",\"go\":\"incomplete\"}");
    assert_string_equal(ends(130, ""), "incomplete");
    assert_string_equal(shown.run.look, "stopped; test the unit again");
    begin();
    station_state_stop(&shown);
    assert_string_equal(ends(130, ""), "incomplete");
    assert_non_null(strstr(shown.run.look, "stopped"));
    begin();
    station_state_stop(&shown);
    feed("{\"event\":\"end\",\"go\":\"go\"}");
    const struct station_end killed = {.exit_code = -1, .signal = SIGKILL, .killed = true};
    station_state_end(&shown, &killed);
    assert_int_equal(shown.run.go, PB_GO_INCOMPLETE);
    assert_non_null(strstr(shown.run.look, "killed; check the bench"));
}

TEST(a_lost_wrapper_names_the_supply_before_anything_else)
{
    begin();
    station_state_stop(&shown);
    feed("{\"event\":\"begin\",\"serial\":\"other\",\"steps\":[{\"id\":\"bench\"}]}");
    struct station_end lost = {.exit_code = -1, .signal = SIGKILL, .killed = true, .wrapper_lost = true};
    station_state_end(&shown, &lost);
    assert_int_equal(shown.run.go, PB_GO_INCOMPLETE);
    assert_non_null(strstr(shown.run.look, "did not stop in time: the supply may be on; switch it off by"));
    begin();
    lost.killed = false;
    station_state_end(&shown, &lost);
    assert_non_null(strstr(shown.run.look, "ended the wrapper of the validation: the supply may be on"));
}

TEST(a_step_that_was_running_ends_in_error)
{
    begin();
    feed("{\"event\":\"step\",\"index\":1,\"state\":\"running\"}");
    ends(-1, "");
    assert_int_equal(shown.step[0].state, STATION_STEP_PASS);
    assert_int_equal(shown.step[1].state, STATION_STEP_ERROR);
}

TEST(one_validation_at_a_time)
{
    begin();
    const uint64_t version = shown.version;
    assert_false(station_state_start(&shown, &unit, 0));
    assert_int_equal(shown.version, version);
    assert_int_equal(shown.steps, 2);
    ends(1, "");
    assert_true(station_state_start(&shown, &unit, 0));
    assert_int_equal(shown.steps, 0);
    assert_string_equal(shown.worst, "");
}

TEST(without_a_validation_nothing_changes)
{
    station_state_clear(&shown);
    const struct station_state before = shown;
    feed("{\"event\":\"end\",\"go\":\"go\"}");
    station_state_garbled(&shown);
    station_state_tick(&shown, 1000 * S);
    assert_false(station_state_stop(&shown));
    station_state_end(&shown, &(struct station_end){.exit_code = 0});
    assert_memory_equal(&before, &shown, sizeof before);
}

TEST(each_change_has_a_version)
{
    begin();
    uint64_t version = shown.version;
    feed("{\"event\":\"progress\",\"index\":1,\"share\":0.5,\"left_s\":3}");
    assert_true(shown.version > version);
    version = shown.version;
    station_state_garbled(&shown);
    assert_true(shown.version > version);
    version = shown.version;
    assert_true(station_state_stop(&shown) && station_state_stop(&shown));
    assert_int_equal(shown.version, version + 1);
}

TEST(silence_shows_after_20_s_and_ends_with_an_event)
{
    begin(); /* received at 1 s */
    station_state_tick(&shown, 20 * S);
    assert_int_equal(shown.silent_s, 0);
    station_state_tick(&shown, 21 * S);
    assert_int_equal(shown.silent_s, 20);
    const uint64_t version = shown.version;
    station_state_tick(&shown, 21 * S + S / 2);
    assert_int_equal(shown.version, version);
    station_state_tick(&shown, 22 * S);
    assert_int_equal(shown.silent_s, 21);
    assert_int_equal(shown.version, version + 1);
    station_state_garbled(&shown); /* a garbled line is no news */
    assert_int_equal(shown.silent_s, 21);
    feed("{\"event\":\"progress\",\"index\":1,\"share\":0.5}");
    assert_int_equal(shown.silent_s, 0);
}

TEST(values_that_did_not_pass_are_kept_up_to_four)
{
    begin();
    for (int i = 0; i < 7; i++)
        feed(formatted(
            "{\"event\":\"value\",\"index\":0,\"name\":\"v%d\",\"text\":\"%d\",\"judgement\":\"%s\"}", i, i,
            i == 1   ? "pass"
            : i == 2 ? "not judged"
            : i == 3 ? "marginal"
                     : "fail"));
    assert_int_equal(shown.step[0].values, 7);
    assert_int_equal(shown.step[0].not_passed, 5);
    assert_string_equal(shown.step[0].odd[0].name, "v0");
    assert_string_equal(shown.step[0].odd[1].name, "v3");
    assert_string_equal(shown.step[0].odd[3].name, "v5");
    assert_string_equal(shown.step[0].last.name, "v6");
    assert_string_equal(shown.step[1].id, "ports");
}

TEST(the_last_20_units_are_kept_the_newest_first)
{
    station_state_clear(&shown);
    for (int i = 0; i < 25; i++) {
        struct station_record one = unit;
        snprintf(one.serial, sizeof one.serial, "%d", i);
        station_state_start(&shown, &one, 0);
        ends(1, "");
    }
    assert_int_equal(shown.lasts, 20);
    assert_string_equal(shown.last[0].serial, "24");
    assert_string_equal(shown.last[19].serial, "5");
}

/* ---- yield: counted by hand */

static struct station_yield yield_of(const char *const row[][3], size_t rows)
{
    static const char letter[] = "gmnbi"; /* as enum pb_go */
    struct station_record *record = hand_over(calloc(rows + 1, sizeof *record), free);
    struct station_yield yield;
    for (size_t i = 0; i < rows; i++) {
        snprintf(record[i].serial, sizeof record[i].serial, "%s", row[i][0]);
        snprintf(record[i].started_utc, sizeof record[i].started_utc, "2026-11-24T12:00:%sZ", row[i][1]);
        record[i].go = (enum pb_go)(strchr(letter, *row[i][2]) - letter);
    }
    assert_int_equal(station_yield_of(&yield, record, rows), 0);
    return yield;
}

static void assert_yield(struct station_yield yield, unsigned units, unsigned first, unsigned final)
{
    assert_int_equal(yield.units, units);
    assert_int_equal(yield.first_passed, first);
    assert_int_equal(yield.finally_passed, final);
}

TEST(yield_counts_units_by_their_first_and_last_judged_validation)
{
    assert_yield(yield_of(NULL, 0), 0, 0, 0);
    /* A passes, B fails then passes, C passes marginally then fails, D was never judged. */
    static const char *const rows[][3] = {{"C", "09", "n"}, {"A", "01", "g"}, {"B", "02", "n"},
                                          {"C", "03", "m"}, {"D", "04", "b"}, {"B", "05", "g"},
                                          {"D", "06", "i"}};
    assert_yield(yield_of(rows, COUNT(rows)), 3, 2, 2);
    /* A bench error before the first judged one does not count. */
    static const char *const late[][3] = {{"A", "01", "b"}, {"A", "02", "g"}, {"A", "03", "i"}};
    assert_yield(yield_of(late, COUNT(late)), 1, 1, 1);
    /* Within one second the order of the list counts. */
    static const char *const same[][3] = {{"A", "01", "n"}, {"A", "01", "g"}};
    assert_yield(yield_of(same, COUNT(same)), 1, 0, 1);
}

/* ---- JSON */

TEST(json_has_what_the_page_needs_and_no_outcome_before_the_end)
{
    const struct station_info info = {.name = "b \"3\"", .profile = "quick", .rig = "sim:"};
    begin();
    feed("{\"event\":\"value\",\"index\":1,\"name\":\"n\",\"text\":\"1\",\"judgement\":\"fail\"}");
    for (int ended = 0; ended < 2; ended++) {
        char *text = hand_over(station_state_json(&shown, &info, 5 * S), free);
        json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(object);
        const json_t *run = json_object_get(object, "run");
        assert_string_equal(json_string_value(json_object_get(object, "phase")), ended ? "ended" : "running");
        assert_int_equal(json_object_get(run, "go") != NULL, ended);
        assert_int_equal(json_array_size(json_object_get(run, "steps")), 2);
        assert_int_equal(json_integer_value(json_object_get(run, "elapsed_s")), 5);
        assert_string_equal(json_string_value(json_object_get(run, "report")), "");
        assert_int_equal(json_array_size(json_object_get(object, "last")), ended);
        json_decref(object);
        ends(1, "");
    }
    station_state_clear(&shown);
    char *text = hand_over(station_state_json(&shown, &info, 0), free);
    assert_non_null(strstr(text, "\"run\":null"));
}

/* ---- serial numbers, operators, folders */

TEST(serial_numbers_are_refused_that_cannot_be_folders)
{
    struct pb_diag diag;
    char longest[66];
    memset(longest, 'x', 65);
    longest[65] = '\0';
    static const char *const good[] = {"1", "TM-0042", "a.b_c:d/e+f-g", "/x", "_", "a..b"};
    static const char *const bad[] = {"",     ".",        "..", ".x",  "-x", "a b", "a\n", "a\\b",
                                      "a%2f", "\303\244", "a*", "a;b", "$x", "\"",  "'"};
    for (size_t i = 0; i < COUNT(good); i++)
        assert_int_equal(station_serial_check(good[i], NULL, &diag), 0);
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(station_serial_check(bad[i], NULL, &diag), PB_ERR_ARGUMENT);
        assert_null(strpbrk(diag.text, "\n\r"));
    }
    assert_int_equal(station_serial_check(longest, NULL, &diag), PB_ERR_ARGUMENT);
    assert_int_equal(station_serial_check(longest + 1, NULL, &diag), 0);
}

TEST(a_pattern_matches_the_whole_serial_number)
{
    struct pb_diag diag;
    regex_t form;
    assert_int_equal(station_form_compile(&form, "TM-[0-9]{4}|X", &diag), 0);
    assert_int_equal(station_serial_check("TM-0042", &form, &diag), 0);
    assert_int_equal(station_serial_check("X", &form, &diag), 0);
    assert_int_equal(station_serial_check("TM-00421", &form, &diag), PB_ERR_ARGUMENT);
    assert_int_equal(station_serial_check("aTM-0042", &form, &diag), PB_ERR_ARGUMENT);
    assert_int_equal(station_serial_check("aX", &form, &diag), PB_ERR_ARGUMENT);
    regfree(&form);
    assert_int_equal(station_form_compile(&form, "TM-[0-9", &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "TM-[0-9"));
}

TEST(operators_are_printable)
{
    struct pb_diag diag;
    char longest[66];
    memset(longest, 'x', 65);
    longest[65] = '\0';
    assert_int_equal(station_operator_check("Jos\303\251 M.", &diag), 0);
    static const char *const bad[] = {"", " x", "-x", "a\tb", "a\nb", "\377", "\033[1m"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(station_operator_check(bad[i], &diag), PB_ERR_ARGUMENT);
    assert_int_equal(station_operator_check(longest, &diag), PB_ERR_ARGUMENT);
    assert_int_equal(station_operator_check(longest + 1, &diag), 0);
}

TEST(folders_are_serial_number_and_time)
{
    char id[STATION_ID_SIZE];
    assert_string_equal(station_id(id, "a/b:c", "2026-11-24T03:21:18Z", 1), "a_b:c-20261124T032118Z");
    assert_string_equal(station_id(id, "x", "2026-11-24T03:21:18Z", 2), "x-20261124T032118Z-2");
    char longest[65];
    memset(longest, 'x', 64);
    longest[64] = '\0';
    assert_int_equal(strlen(station_id(id, longest, "2026-11-24T03:21:18Z", 100)), 64 + 17 + 4);
}

/* ---- units of the history */

/* A unit that was tested by two scenarios, first with the first verdict. */
static enum pb_go listed(const char *first, const char *second)
{
    const struct pb_history_run otherwise = {.verdict = PB_VERDICT_PASS};
    const char *const path = history_new_path();
    const char *const text = formatted("started_utc,measurement,value,unit,station,scenario,verdict\n"
                                       "2026-11-01T10:00:00Z,a,1,TM-2,bench-1,one,%s\n"
                                       "2026-11-01T11:00:00Z,a,1,TM-2,bench-1,two,%s\n",
                                       first, second);
    struct station_records records;
    struct pb_imported imported;
    assert_succeeds(pb_history_import(history_opened(path, PB_HISTORY_APPEND), "a.csv", text, strlen(text),
                                      &otherwise, NULL, &imported, &diag));
    station_state_clear(&shown);
    assert_succeeds(station_records_open(&records, new_folder(), path, "bench-1", &diag));
    assert_succeeds(station_records_show(&records, &shown, &diag));
    station_records_close(&records);
    assert_int_equal(shown.lasts, 1);
    return shown.last[0].go;
}

TEST(the_worst_run_of_a_unit_is_listed)
{
    static const char *const verdict[] = {"pass", "marginal", "inconclusive", "fail"};
    static const enum pb_go go[] = {PB_GO, PB_GO_MARGINAL, PB_GO_INCOMPLETE, PB_NO_GO};
    for (unsigned first = 0; first < COUNT(verdict); first++)
        for (unsigned second = 0; second < COUNT(verdict); second++)
            assert_int_equal(listed(verdict[first], verdict[second]), go[first > second ? first : second]);
}
