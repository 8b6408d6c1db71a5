/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * History of results: yields and trends against figures worked out by hand, the same by the SQL of sqlite3
 * on the file, records against the results that they were made of, files that cannot be used.
 *
 * evidence: history of results in a file
 *   yield, trend, Cpk and Ppk against figures by hand, SQL and a published capability study; eight writers
 *   at a time, writers killed by `kill -9`, a file at its size limit, bad files, damaged files; never on a
 *   network file system, nor with power cut
 *   also: history.sh
 */
#include "phasebench/history.h"
#include "tests/production/unit/history_fixture.h"
#include "tests/bench/unit/report_fixture.h"
#include "tests/bench/unit/tests.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void append(const char *path, const struct pb_result *result, const char *unit, const char *station)
{
    struct pb_history *history;
    const struct pb_history_labels labels = {.unit = unit, .station = station};
    assert_succeeds(pb_history_open(&history, path, PB_HISTORY_APPEND, HISTORY_TEST_MS, &diag));
    assert_succeeds(pb_history_append(history, result, &labels, &diag));
    pb_history_close(history);
}

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("%.12g, expected %.12g", value, expected);
}

/* ---- records */

TEST(a_record_has_what_the_result_has)
{
    const char *path = history_new_path();
    EACH_FIXTURE(result, i)
    append(path, result, "0042", "line 1");
    size_t count;
    const struct pb_history_run *run = history_runs_of(path, &(struct pb_history_filter){.limit = 0}, &count);
    struct pb_history *history = history_opened(path, PB_HISTORY_READ);
    assert_int_equal(count, FIXTURES);
    for (size_t k = 0; k < count; k++) {
        const struct pb_result *result = fixture_make[run[k].id - 1]();
        struct pb_history_record record = {.run = run[k]};
        uint64_t findings = 0;
        assert_int_equal(pb_history_read(history, &record, NULL), PB_OK);
        assert_string_equal(run[k].scenario, result->scenario);
        assert_string_equal(run[k].reason, result->reason);
        assert_string_equal(run[k].started_utc, result->started_utc);
        assert_int_equal(run[k].verdict, result->verdict);
        assert_int_equal(run[k].seed, result->seed);
        assert_int_equal(run[k].findings, result->findings_total);
        assert_string_equal(run[k].unit, "0042");
        assert_string_equal(run[k].station, "line 1");
        assert_int_equal(record.nodes, result->node_rows);
        assert_string_equal(run[k].node.identity, result->node_rows ? result->node[0].identity : "");
        assert_int_equal(record.figures, result->measurements);
        for (size_t m = 0; m < record.figures; m++) {
            const struct pb_history_figure *figure = &record.figure[m];
            const struct pb_measurement *from = &result->measurement[m];
            assert_string_equal(figure->id, pb_measurement_id(from).text);
            assert_int_equal(figure->n, from->n);
            assert_true(figure->min == from->min && figure->mean == from->mean && figure->max == from->max);
            assert_true(figure->sd == from->sd && figure->u95 == from->u95 && figure->margin == from->margin);
            assert_true(figure->lower == from->lower && figure->upper == from->upper);
            assert_string_equal(figure->judgement, pb_judgement_name(from->judgement));
        }
        for (size_t f = 0; f < record.findings; f++) {
            uint64_t of_kind = 0;
            for (size_t m = 0; m < result->findings; m++)
                of_kind += !strcmp(pb_finding_id(result->finding[m].kind), record.finding[f].kind);
            assert_int_equal(record.finding[f].count, of_kind);
            findings += of_kind;
        }
        assert_int_equal(findings, result->findings);
        pb_history_record_free(&record);
    }
}

TEST(findings_are_counted_by_kind)
{
    const char *path = history_new_path();
    struct pb_result *result = fixture_fail();
    assert_true(result->findings >= 3);
    for (size_t i = 0; i < result->findings; i++)
        result->finding[i].kind = i ? PB_FINDING_LATE : PB_FINDING_MISSING;
    append(path, result, NULL, NULL);
    assert_string_equal(history_sqlite(path, "SELECT group_concat(kind || ' ' || count) FROM finding"),
                        formatted("late_start %zu,missing_frame 1", result->findings - 1));
}

TEST(program_core_and_map_come_from_the_environment)
{
    const char *path = history_new_path();
    struct pb_result *result = fixture_pass();
    size_t count;
    snprintf(result->environment, sizeof result->environment,
             "phasebench=1.2.3; compiler=gcc; core=12 links, 1 lanes, 1 node ports, 48000000 Hz; "
             "map=0x1234abcd; link=5 bytes in");
    append(path, result, NULL, NULL);
    const struct pb_history_run *run = history_runs_of(path, &(struct pb_history_filter){.limit = 0}, &count);
    assert_string_equal(run[0].program, "1.2.3");
    assert_string_equal(run[0].core, "12 links, 1 lanes, 1 node ports, 48000000 Hz");
    assert_string_equal(run[0].map_hash, "0x1234abcd");
}

TEST(the_largest_numbers_are_kept)
{
    const char *path = history_new_path();
    struct pb_result *result = fixture_pass();
    size_t count;
    result->seed = UINT64_MAX;
    result->measurement[0].min = -INT64_MAX;
    result->measurement[0].max = INT64_MAX;
    append(path, result, NULL, NULL);
    struct pb_history_record record = {
        .run = *history_runs_of(path, &(struct pb_history_filter){.limit = 0}, &count)};
    assert_true(record.run.seed == UINT64_MAX);
    assert_int_equal(pb_history_read(history_opened(path, PB_HISTORY_READ), &record, NULL), PB_OK);
    assert_true(record.figure[0].min == -INT64_MAX && record.figure[0].max == INT64_MAX);
    pb_history_record_free(&record);
}

TEST(hostile_texts_become_one_line)
{
    const char *path = history_new_path();
    struct pb_result *result = fixture_fail();
    size_t count;
    fixture_make_hostile(result);
    append(path, result, "a'); DROP TABLE run; --", NULL);
    const struct pb_history_run *run = history_runs_of(path, &(struct pb_history_filter){.limit = 0}, &count);
    assert_int_equal(count, 1);
    assert_string_equal(run[0].unit, "a'); DROP TABLE run; --");
    for (const char *at = run[0].reason; *at; at++)
        assert_true((unsigned char)*at >= ' ');
}

TEST(rows_are_neither_altered_nor_removed)
{
    const char *path = history_new_path();
    append(path, fixture_fail(), "7", NULL);
    const char *const table[] = {"run", "node", "measurement", "finding"};
    for (unsigned i = 0; i < COUNT(table); i++) {
        fixture_contains(history_sqlite(path, formatted("DELETE FROM %s", table[i])), "append-only");
        const char *column = i ? "run" : "id";
        fixture_contains(history_sqlite(path, formatted("UPDATE %s SET %s = 9", table[i], column)),
                         "append-only");
    }
    assert_string_equal(history_sqlite(path, "PRAGMA integrity_check"), "ok");
}

/* ---- filters and attempts */

/* Appends a run of a unit in a scenario. */
static void add(const char *path, const char *utc, const char *scenario, const char *unit,
                const char *station, enum pb_verdict verdict)
{
    struct pb_result *result = fixture_pass();
    snprintf(result->started_utc, sizeof result->started_utc, "%s", utc);
    snprintf(result->scenario, sizeof result->scenario, "%s", scenario);
    result->verdict = verdict;
    append(path, result, unit, station);
}

/* Two scenarios, four units, three stations, three days; the file is not in the order of time. */
static const char *line(void)
{
    const char *path = history_new_path();
    add(path, "2026-11-02T08:00:00Z", "a", "u1", "s1", PB_VERDICT_PASS); /* the second of u1 */
    add(path, "2026-11-01T08:00:00Z", "a", "u1", "s1", PB_VERDICT_FAIL);
    add(path, "2026-11-01T09:00:00Z", "a", "u2", "s1", PB_VERDICT_MARGINAL);
    add(path, "2026-11-01T09:30:00Z", "a", "u3", "s2", PB_VERDICT_INCONCLUSIVE);
    add(path, "2026-11-02T09:00:00Z", "a", "u3", "s2", PB_VERDICT_PASS); /* its first pass */
    add(path, "2026-11-02T10:00:00Z", "a", "u4", "s2", PB_VERDICT_FAIL);
    add(path, "2026-11-02T11:00:00Z", "a", "u4", "s2", PB_VERDICT_FAIL);
    add(path, "2026-11-03T11:00:00Z", "a", "u4", "s2", PB_VERDICT_FAIL);
    add(path, "2026-11-03T12:00:00Z", "b", "u4", "s3", PB_VERDICT_PASS); /* first in another scenario */
    add(path, "2026-11-03T13:00:00Z", "b", NULL, "s3", PB_VERDICT_FAIL); /* of no unit */
    return path;
}

TEST(attempts_count_judged_runs_of_a_unit_in_a_scenario)
{
    size_t count;
    const struct pb_history_run *run =
        history_runs_of(line(), &(struct pb_history_filter){.limit = 0}, &count);
    const uint64_t expected[] = {1, 1, 0, 2, 1, 1, 2, 3, 1, 0};
    assert_int_equal(count, COUNT(expected));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(run[i].attempt, expected[i]);
}

TEST(filters_choose_and_do_not_renumber)
{
    const char *path = line();
    size_t count;
    const struct pb_history_run *run =
        history_runs_of(path, &(struct pb_history_filter){.unit = "u4", .scenario = "a", .limit = 2}, &count);
    assert_int_equal(count, 2);
    assert_int_equal(run[0].attempt, 2);
    assert_int_equal(run[1].attempt, 3);
    history_runs_of(path, &(struct pb_history_filter){.station = "s2"}, &count);
    assert_int_equal(count, 5);
    history_runs_of(path, &(struct pb_history_filter){.since = "2026-11-03"}, &count);
    assert_int_equal(count, 3);
    history_runs_of(path, &(struct pb_history_filter){.since = "2026-11-03T12:00:00Z"}, &count);
    assert_int_equal(count, 2);
    history_runs_of(path, &(struct pb_history_filter){.by_verdict = true, .verdict = PB_VERDICT_MARGINAL},
                    &count);
    assert_int_equal(count, 1);
    history_runs_of(path, &(struct pb_history_filter){.unit = "none"}, &count);
    assert_int_equal(count, 0);
}

static void assert_yield(const struct pb_history_yield *row, const char *scenario, const char *day,
                         size_t units, size_t first, size_t final, size_t retests, const char *worst)
{
    assert_string_equal(row->scenario, scenario);
    assert_string_equal(row->day, day);
    assert_int_equal(row->units, units);
    assert_int_equal(row->first_passed, first);
    assert_int_equal(row->finally_passed, final);
    assert_int_equal(row->retests, retests);
    assert_string_equal(formatted("%s %zu/%zu", row->worst_station, row->worst_passed, row->worst_units),
                        worst);
}

TEST(yields_by_scenario_day_and_station)
{
    size_t count, rows;
    const struct pb_history_run *run =
        history_runs_of(line(), &(struct pb_history_filter){.limit = 0}, &count);
    struct pb_history_yield *row;
    assert_int_equal(pb_history_yield(&row, &rows, run, count, false), PB_OK);
    hand_over(row, free);
    assert_int_equal(rows, 5);
    /* a: u1 fails and passes, u2 is marginal, u3 passes, u4 fails three times; both stations 1 of 2. */
    assert_yield(&row[0], "a", "", 4, 2, 3, 3, "s1 1/2");
    assert_yield(&row[1], "a", "2026-11-01", 2, 1, 2, 1, "s1 1/2");
    assert_yield(&row[2], "a", "2026-11-02", 2, 1, 1, 2, "s2 1/2");
    assert_yield(&row[3], "b", "", 1, 1, 1, 0, "s3 1/1");
    assert_yield(&row[4], "b", "2026-11-03", 1, 1, 1, 0, "s3 1/1");
}

TEST(yields_of_stations_follow_those_of_their_day)
{
    size_t count, rows;
    const struct pb_history_run *run =
        history_runs_of(line(), &(struct pb_history_filter){.scenario = "a"}, &count);
    struct pb_history_yield *row;
    assert_int_equal(pb_history_yield(&row, &rows, run, count, true), PB_OK);
    hand_over(row, free);
    /* s1 tests u1 and u2 on the first day, s2 u3 and u4 on the second. */
    static const struct {
        const char *day, *station;
        size_t units, first, final;
    } expected[] = {{"", NULL, 4, 2, 3},           {"", "s1", 2, 1, 2},
                    {"", "s2", 2, 1, 1},           {"2026-11-01", NULL, 2, 1, 2},
                    {"2026-11-01", "s1", 2, 1, 2}, {"2026-11-02", NULL, 2, 1, 1},
                    {"2026-11-02", "s2", 2, 1, 1}};
    assert_int_equal(rows, COUNT(expected));
    for (size_t i = 0; i < rows; i++) {
        assert_string_equal(row[i].day, expected[i].day);
        assert_string_equal(row[i].station ? row[i].station : "all",
                            expected[i].station ? expected[i].station : "all");
        assert_int_equal(row[i].units, expected[i].units);
        assert_int_equal(row[i].first_passed, expected[i].first);
        assert_int_equal(row[i].finally_passed, expected[i].final);
    }
}

TEST(units_have_their_first_pass_and_their_last_run)
{
    size_t count, units;
    const struct pb_history_run *run =
        history_runs_of(line(), &(struct pb_history_filter){.limit = 0}, &count);
    struct pb_history_unit *unit;
    assert_int_equal(pb_history_units(&unit, &units, run, count), PB_OK);
    hand_over(unit, free);
    const char *const expected[] = {"a u1 fail pass 1", "a u2 marginal marginal 0", "a u3 pass pass 0",
                                    "a u4 fail fail 2", "b u4 pass pass 0"};
    assert_int_equal(units, COUNT(expected));
    for (size_t i = 0; i < units; i++)
        assert_string_equal(formatted("%s %s %s %s %zu", unit[i].first->scenario, unit[i].first->unit,
                                      pb_verdict_name(unit[i].first->verdict),
                                      pb_verdict_name(unit[i].last->verdict), unit[i].retests),
                            expected[i]);
}

TEST(causes_count_runs_and_findings)
{
    const char *path = history_new_path();
    struct pb_result *result = fixture_fail();
    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < result->findings; k++)
            result->finding[k].kind = i && k == 0 ? PB_FINDING_LATE : PB_FINDING_MISSING;
        append(path, result, i ? "u1" : "u2", NULL);
    }
    struct pb_history_cause *cause;
    size_t count;
    assert_int_equal(pb_history_causes(history_opened(path, PB_HISTORY_READ),
                                       &(struct pb_history_filter){.limit = 0}, &cause, &count, NULL),
                     PB_OK);
    hand_over(cause, free);
    assert_int_equal(count, 2);
    assert_string_equal(cause[0].kind, "missing_frame");
    assert_true(cause[0].runs == 3 && cause[0].count == 3 * result->findings - 2);
    assert_string_equal(cause[1].kind, "late_start");
    assert_true(cause[1].runs == 2 && cause[1].count == 2);
    assert_int_equal(pb_history_causes(history_opened(path, PB_HISTORY_READ),
                                       &(struct pb_history_filter){.unit = "u2"}, &cause, &count, NULL),
                     PB_OK);
    hand_over(cause, free);
    assert_int_equal(count, 1);
    assert_true(cause[0].runs == 1 && cause[0].count == result->findings);
}

TEST(the_worst_station_has_the_least_yield_then_the_most_units)
{
    const char *path = history_new_path();
    const char *const utc = "2026-11-01T08:00:00Z";
    add(path, utc, "a", "u1", "s1", PB_VERDICT_PASS);
    add(path, utc, "a", "u2", "s2", PB_VERDICT_FAIL);
    add(path, utc, "a", "u3", "s2", PB_VERDICT_PASS);
    add(path, utc, "a", "u4", "s2", PB_VERDICT_PASS);
    size_t count, rows;
    struct pb_history_yield *row;
    const struct pb_history_run *run = history_runs_of(path, &(struct pb_history_filter){.limit = 0}, &count);
    assert_int_equal(pb_history_yield(&row, &rows, run, count, false), PB_OK);
    assert_yield(hand_over(row, free), "a", "", 4, 3, 3, 0, "s2 2/3");
    add(path, utc, "a", "u5", "s3", PB_VERDICT_FAIL);
    add(path, utc, "a", "u6", "s4", PB_VERDICT_FAIL);
    add(path, utc, "a", "u7", "s4", PB_VERDICT_FAIL);
    run = history_runs_of(path, &(struct pb_history_filter){.limit = 0}, &count);
    assert_int_equal(pb_history_yield(&row, &rows, run, count, false), PB_OK);
    assert_yield(hand_over(row, free), "a", "", 7, 3, 3, 0, "s4 0/2");
}

/* ---- trends */

static struct pb_history_value value(const char *utc, uint64_t n, int64_t mean, int64_t sd, int64_t lower,
                                     int64_t upper)
{
    struct pb_history_value value = {
        .figure = {.n = n, .mean = mean, .sd = sd, .lower = lower, .upper = upper}};
    snprintf(value.run.started_utc, sizeof value.run.started_utc, "%s", utc);
    return value;
}

TEST(trend_of_four_days)
{
    /* Means 10, 13, 12, 17 on days 0, 1, 2, 3. Mean 13, squares 9 + 0 + 1 + 16 = 26, sd sqrt(26 / 3).
     * Slope: x - 1.5 is -1.5, -0.5, 0.5, 1.5; sum of x y -1.5*-3 - 0.5*0 + 0.5*-1 + 1.5*4 = 10; of x x 5; 2.
     * Residuals -3+3, 0+1, -1-1, 4-3: 0, 1, -2, 1, squares 6; error sqrt(6 / 2 / 5).
     * Values: 2 each, sd 1: 4 * 1 + 2 * 26 = 56 squares of 8 values, sd sqrt(56 / 7) = sqrt 8.
     * Limits 1 and 19: Ppk (19 - 13) / (3 sqrt 8), Cpk by the pooled deviation 1: 6 / 3. */
    const struct pb_history_value four[] = {
        value("2026-02-27T12:00:00Z", 2, 10, 1, 1, 19), value("2026-02-28T12:00:00Z", 2, 13, 1, 1, 19),
        value("2026-03-01T12:00:00Z", 2, 12, 1, 1, 19), value("2026-03-02T12:00:00Z", 2, 17, 1, 1, 19)};
    struct pb_history_trend trend;
    pb_history_trend_of(&trend, four, COUNT(four));
    assert_close(trend.mean, 13);
    assert_close(trend.sd, sqrt(26.0 / 3));
    assert_int_equal(trend.n, 8);
    assert_close(trend.value_mean, 13);
    assert_close(trend.value_sd, sqrt(8));
    assert_int_equal(trend.capability, PB_CAPABLE);
    assert_close(trend.ppk, 6 / (3 * sqrt(8)));
    assert_int_equal(trend.within, PB_WITHIN_POOLED);
    assert_close(trend.within_sd, 1);
    assert_close(trend.cpk, 2);
    assert_true(trend.drifts);
    assert_close(trend.slope, 2);
    assert_close(trend.slope_error, sqrt(0.6));
}

/* The same four days at the ends of what an import takes: 4e18 and a few, where a double has steps of 512. */
TEST(trend_of_values_with_digits_in_common)
{
    static const int64_t offset[] = {4000000000000000000 - 20, -4000000000000000000, 9007199254740992};
    for (size_t i = 0; i < COUNT(offset); i++) {
        const int64_t at = offset[i];
        struct pb_history_value four[] = {value("2026-02-27T12:00:00Z", 2, at + 10, 1, at + 1, at + 19),
                                          value("2026-02-28T12:00:00Z", 2, at + 13, 1, at + 1, at + 19),
                                          value("2026-03-01T12:00:00Z", 2, at + 12, 1, at + 1, at + 19),
                                          value("2026-03-02T12:00:00Z", 2, at + 17, 1, at + 1, at + 19)};
        struct pb_history_trend trend;
        pb_history_trend_of(&trend, four, COUNT(four));
        assert_close(trend.sd, sqrt(26.0 / 3));
        assert_close(trend.value_sd, sqrt(8));
        assert_int_equal(trend.capability, PB_CAPABLE);
        assert_close(trend.ppk, 6 / (3 * sqrt(8)));
        assert_close(trend.cpk, 2);
        assert_close(trend.slope, 2);
        assert_close(trend.slope_error, sqrt(0.6));
        for (size_t run = 0; run < COUNT(four); run++) {
            four[run].figure.min = four[run].figure.mean - 1;
            four[run].figure.max = four[run].figure.mean + 1;
        }
        pb_history_trend_of(&trend, four, COUNT(four));
        assert_int_equal(trend.within, PB_WITHIN_RANGES);
        assert_close(trend.within_sd, 2 / 1.128);
        assert_close(trend.cpk, 6 / (3 * 2 / 1.128));
    }
}

TEST(values_weigh_by_their_number)
{
    /* 9 values of mean 10 and one of 20: mean 11; squares 8 * 4 + 9 * 1 + 81 = 122. */
    const struct pb_history_value two[] = {value("2026-11-01T00:00:00Z", 9, 10, 2, PB_ABSENT, 20),
                                           value("2026-11-02T00:00:00Z", 1, 20, 0, PB_ABSENT, 20)};
    struct pb_history_trend trend;
    pb_history_trend_of(&trend, two, COUNT(two));
    assert_close(trend.mean, 15);
    assert_close(trend.value_mean, 11);
    assert_close(trend.value_sd, sqrt(122.0 / 9));
    assert_close(trend.ppk, 9 / (3 * sqrt(122.0 / 9)));
    assert_close(trend.cpk, 9 / (3 * 2.0)); /* the one value has no deviation, and no weight */
    assert_false(trend.drifts);
}

TEST(lower_limit_alone)
{
    const struct pb_history_value two[] = {value("2026-11-01T00:00:00Z", 1, 4, 0, 1, PB_ABSENT),
                                           value("2026-11-02T00:00:00Z", 1, 6, 0, 1, PB_ABSENT)};
    struct pb_history_trend trend;
    pb_history_trend_of(&trend, two, COUNT(two));
    assert_close(trend.ppk, 4 / (3 * sqrt(2)));
    assert_int_equal(trend.cpk_capability, PB_CAPABLE_ALONE);
}

TEST(no_cpk_and_no_drift_where_they_mean_nothing)
{
    const char *const day = "2026-11-01T00:00:00Z";
    const struct pb_history_value one[] = {value(day, 1, 4, 0, 1, 9)},
                                  equal[] = {value(day, 5, 4, 0, 1, 9), value(day, 5, 4, 0, 1, 9),
                                             value(day, 5, 4, 0, 1, 9)},
                                  unlike[] = {value(day, 5, 4, 1, 1, 9), value(day, 5, 4, 1, 1, 8)},
                                  endless[] = {value(day, 5, 4, 1, PB_ABSENT, PB_ABSENT)};
    struct pb_history_trend trend;
    pb_history_trend_of(&trend, one, 0);
    assert_int_equal(trend.capability, PB_CAPABLE_FEW);
    pb_history_trend_of(&trend, one, COUNT(one));
    assert_int_equal(trend.capability, PB_CAPABLE_FEW);
    pb_history_trend_of(&trend, equal, COUNT(equal));
    assert_int_equal(trend.capability, PB_CAPABLE_EQUAL);
    assert_false(trend.drifts);
    pb_history_trend_of(&trend, unlike, COUNT(unlike));
    assert_int_equal(trend.capability, PB_CAPABLE_UNLIKE);
    pb_history_trend_of(&trend, endless, COUNT(endless));
    assert_int_equal(trend.capability, PB_CAPABLE_FREE);
}

/* Twenty subgroups of five, limits 0 and 12. Published: mean 7.08, overall deviation 1.85635681, Cpk 0.93 by
 * the mean range, Ppk 0.88. */
TEST(capability_of_a_published_study)
{
    static const double study[20][5] = {
        {10.9, 10.3, 5.6, 5.1, 8.2}, {10.1, 9, 3.1, 9.3, 7},     {3.6, 7.1, 9, 5.9, 4.3},
        {5.7, 9.9, 7.6, 10.3, 5.6},  {8.3, 4.8, 7.8, 6.2, 5.7},  {9.1, 8.4, 9, 7.1, 7.1},
        {8, 4.7, 6.1, 5.7, 4.2},     {6.6, 8.2, 6.1, 5.6, 7},    {7.4, 4.6, 3.8, 7.7, 10.2},
        {8.4, 6.9, 7.2, 8.9, 7.3},   {7.4, 6.9, 5.7, 6.5, 4.7},  {11, 5.8, 10.9, 6.4, 6.2},
        {5.8, 7.8, 8.2, 8.8, 4.3},   {10.3, 6, 6.9, 7.8, 7},     {7.6, 9, 8.2, 7.8, 7.3},
        {6.7, 7.1, 5.7, 5.2, 7.4},   {7.6, 6.9, 5.6, 12.4, 5.6}, {4.8, 5.4, 4.9, 8.5, 5.6},
        {8.3, 7.4, 5.5, 7.6, 5.6},   {8, 8.4, 5.7, 8.5, 3.6}};
    enum { GROUPS = 20, SIZE = 5 };
    const double scale = 1e9; /* figures are whole numbers */
    struct pb_history_value group[GROUPS];
    struct pb_history_trend trend;
    for (unsigned i = 0; i < GROUPS; i++) {
        double mean = 0, squares = 0, least = study[i][0], most = study[i][0];
        for (unsigned k = 0; k < SIZE; k++) {
            mean += study[i][k] / SIZE;
            least = fmin(least, study[i][k]);
            most = fmax(most, study[i][k]);
        }
        for (unsigned k = 0; k < SIZE; k++)
            squares += pow(study[i][k] - mean, 2);
        group[i] = value(formatted("2026-11-%02u", i + 1), SIZE, llround(mean * scale),
                         llround(sqrt(squares / (SIZE - 1)) * scale), 0, llround(12 * scale));
        group[i].figure.min = llround(least * scale);
        group[i].figure.max = llround(most * scale);
    }
    pb_history_trend_of(&trend, group, GROUPS);
    assert_true(fabs(trend.value_mean / scale - 7.08) < 1e-6);
    assert_true(fabs(trend.value_sd / scale - 1.85635681) < 1e-7);
    assert_int_equal(trend.within, PB_WITHIN_RANGES);
    assert_true(fabs(trend.cpk - 0.93) < 0.005);
    assert_true(fabs(trend.ppk - 0.88) < 0.005);
}

/* Ranges 2 of two values and 6 of five: estimates 2 / 1.128 and 6 / 2.326, weighted by (d2 / d3) squared. */
TEST(ranges_of_unlike_runs_weigh_by_their_certainty)
{
    struct pb_history_value two[] = {value("2026-11-01", 2, 10, 1, 0, 40),
                                     value("2026-11-02", 5, 12, 2, 0, 40)};
    struct pb_history_trend trend;
    two[0].figure.min = 9, two[0].figure.max = 11;
    two[1].figure.min = 9, two[1].figure.max = 15;
    pb_history_trend_of(&trend, two, COUNT(two));
    const double a = pow(1.128 / 0.8525, 2), b = pow(2.326 / 0.8641, 2);
    assert_int_equal(trend.within, PB_WITHIN_RANGES);
    assert_close(trend.within_sd, (a * 2 / 1.128 + b * 6 / 2.326) / (a + b));
}

TEST(ranges_are_of_runs_of_up_to_eight_values)
{
    for (unsigned n = 7; n <= 9; n++) {
        struct pb_history_value one = value("2026-11-01", n, 10, 1, 0, 40);
        struct pb_history_trend trend;
        one.figure.min = 9, one.figure.max = 11;
        pb_history_trend_of(&trend, &one, 1);
        assert_int_equal(trend.within, n <= 8 ? PB_WITHIN_RANGES : PB_WITHIN_POOLED);
    }
}

TEST(equal_values_have_no_deviation)
{
    struct pb_history_value equal[7];
    struct pb_history_trend trend;
    for (unsigned i = 0; i < COUNT(equal); i++)
        equal[i] = value(formatted("2026-11-0%u", i + 1), i + 1, 5000001, 0, 4900000, 6000000);
    pb_history_trend_of(&trend, equal, COUNT(equal));
    assert_int_equal(trend.capability, PB_CAPABLE_EQUAL);
    assert_true(trend.value_sd == 0 && trend.sd == 0 && trend.slope == 0 && trend.slope_error == 0);
}

TEST(trend_equals_that_of_sqlite3)
{
    const char *path = history_new_path();
    for (int i = 0; i < 9; i++) {
        struct pb_result *result = fixture_pass();
        snprintf(result->started_utc, sizeof result->started_utc, "2026-%02d-%02dT%02d:%02d:07Z", 1 + i,
                 28 - i * i % 7, 3 * i % 24, 7 * i % 60);
        for (size_t m = 0; m < result->measurements; m++)
            result->measurement[m].mean += i * i * 37 % 101;
        append(path, result, NULL, NULL);
    }
    const char *id = pb_measurement_id(&fixture_pass()->measurement[0]).text;
    struct pb_history_value *value;
    struct pb_history_trend trend;
    size_t count;
    assert_int_equal(pb_history_values(history_opened(path, PB_HISTORY_READ),
                                       &(struct pb_history_filter){.limit = 0}, id, &value, &count, NULL),
                     PB_OK);
    hand_over(value, free);
    assert_int_equal(count, 9);
    pb_history_trend_of(&trend, value, count);
    double mean, sd, value_mean, value_sd, slope, error;
    const char *text = history_sqlite(
        path,
        formatted(
            "WITH v AS (SELECT julianday(started_utc) - julianday('2026-01-01') AS x, 1.0 * m.mean AS y,"
            " n, 1.0 * sd AS s FROM measurement m JOIN run r ON r.id = m.run WHERE m.id = '%s'),"
            " c AS (SELECT avg(x) AS mx, avg(y) AS my, sum(n * y) / sum(n) AS mv FROM v),"
            " f AS (SELECT sum((x - mx) * (y - my)) / sum((x - mx) * (x - mx)) AS b FROM v, c)"
            " SELECT my, sqrt(sum((y - my) * (y - my)) / (count(*) - 1)), mv,"
            " sqrt(sum((n - 1) * s * s + n * (y - mv) * (y - mv)) / (sum(n) - 1)), b,"
            " sqrt(sum((y - my - b * (x - mx)) * (y - my - b * (x - mx))) / (count(*) - 2)"
            " / sum((x - mx) * (x - mx))) FROM v, c, f",
            id));
    if (sscanf(text, "%lf|%lf|%lf|%lf|%lf|%lf", &mean, &sd, &value_mean, &value_sd, &slope, &error) != 6)
        fail_msg("sqlite3: %s", text);
    assert_close(trend.mean, mean);
    assert_close(trend.sd, sd);
    assert_close(trend.value_mean, value_mean);
    assert_close(trend.value_sd, value_sd);
    assert_true(fabs(trend.slope - slope) < 1e-6 * fabs(slope));
    assert_true(fabs(trend.slope_error - error) < 1e-6 * error);
}

TEST(seconds_of_times)
{
    /* By date -u -d TIME +%s. */
    const struct {
        const char *utc;
        int64_t seconds;
    } table[] = {{"1970-01-01", 0},
                 {"2000-02-29T23:59:59Z", 951868799},
                 {"2000-03-01", 951868800},
                 {"2026-11-24T03:21:18Z", 1795490478},
                 {"2100-03-01", 4107542400}};
    int64_t seconds;
    for (unsigned i = 0; i < COUNT(table); i++) {
        assert_true(pb_history_seconds(table[i].utc, &seconds));
        assert_true(seconds == table[i].seconds);
        assert_string_equal(history_line_of(formatted("date -u -d %s +%%s", table[i].utc)),
                            formatted("%" PRId64, seconds));
    }
    const char *const wrong[] = {
        "",           "2026",       "2026-13-01",           "2026-02-29", "2100-02-29",
        "2026-11-31", "26-11-0001", "2026-11-24T24:00:00Z", "yesterday!", "2026-11-24T03:21:18 "};
    for (unsigned i = 0; i < COUNT(wrong); i++)
        assert_false(pb_history_seconds(wrong[i], &seconds));
}

/* ---- files that cannot be used */

static void refuses(const char *path, enum pb_history_access access, int code, const char *part)
{
    struct pb_history *history;
    struct pb_diag diag = {.text = ""};
    assert_int_equal(pb_history_open(&history, path, access, HISTORY_TEST_MS, &diag), code);
    assert_null(history);
    fixture_contains(diag.text, part);
    fixture_contains(diag.text, path);
    assert_null(strchr(diag.text, '\n'));
}

TEST(other_files_are_refused)
{
    const char *path = history_new_path();
    refuses(path, PB_HISTORY_READ, PB_ERR_IO, "No such file");
    refuses("/tmp", PB_HISTORY_APPEND, PB_ERR_IO, "is a folder");
    refuses("/dev/full", PB_HISTORY_APPEND, PB_ERR_IO, "no regular file");
    refuses("/no/such/folder/x", PB_HISTORY_APPEND, PB_ERR_IO, "No such file");
    file_write_text(path, "");
    refuses(path, PB_HISTORY_READ, PB_ERR_CONFIG, "is empty");
    file_write_text(path,
                       "This is a text, and it is longer than the head of a database of SQLite, which has a "
                       "hundred bytes; so it is no truncated one.\n");
    refuses(path, PB_HISTORY_READ, PB_ERR_CONFIG, "no SQLite database");
    refuses(path, PB_HISTORY_APPEND, PB_ERR_CONFIG, "no SQLite database");
    unlink(path);
    history_sqlite(path, "CREATE TABLE other (x)");
    refuses(path, PB_HISTORY_APPEND, PB_ERR_CONFIG, "another program");
    refuses(path, PB_HISTORY_READ, PB_ERR_CONFIG, "another program");
}

TEST(a_newer_schema_is_refused)
{
    const char *path = history_new_path();
    append(path, fixture_pass(), NULL, NULL);
    assert_string_equal(history_sqlite(path, "PRAGMA user_version"), formatted("%d", PB_HISTORY_SCHEMA));
    history_sqlite(path, "PRAGMA user_version = 3");
    refuses(path, PB_HISTORY_APPEND, PB_ERR_CONFIG, "version 3, this program knows versions up to 2");
    refuses(path, PB_HISTORY_READ, PB_ERR_CONFIG, "version 3");
}

TEST(a_truncated_file_is_refused)
{
    const char *path = history_new_path();
    struct stat status;
    append(path, fixture_fail(), NULL, NULL);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size / 2), 0);
    refuses(path, PB_HISTORY_READ, PB_ERR_CONFIG, "is damaged");
    refuses(path, PB_HISTORY_APPEND, PB_ERR_CONFIG, "is damaged");
    assert_int_equal(truncate(path, 50), 0);
    refuses(path, PB_HISTORY_READ, PB_ERR_CONFIG, "is damaged");
}

/* An index without the entry of a run: the page is sound, and a search by the index would miss the run. */
TEST(an_index_that_lacks_a_run_is_damage)
{
    const char *path = history_new_path();
    struct pb_diag diag = {.text = ""};
    append(path, fixture_pass(), NULL, NULL);
    assert_int_equal(pb_history_verify(history_opened(path, PB_HISTORY_READ), &diag), PB_OK);
    history_sqlite(path, "CREATE INDEX by_reason ON run (reason);"
                         "CREATE TABLE hidden AS SELECT * FROM sqlite_master WHERE name = 'by_reason';"
                         "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'by_reason'");
    append(path, fixture_pass(), NULL, NULL);
    history_sqlite(path, "PRAGMA writable_schema = ON; INSERT INTO sqlite_master SELECT * FROM hidden");
    assert_int_equal(pb_history_verify(history_opened(path, PB_HISTORY_READ), &diag), PB_ERR_CONFIG);
    fixture_contains(diag.text, "missing from index by_reason");
}

/* A process that holds the lock until its input ends. */
static FILE *hold(const char *path)
{
    FILE *holder = popen(formatted("sqlite3 '%s' > '%s.held' 2>&1", path, path), "w");
    assert_non_null(holder);
    fputs("BEGIN EXCLUSIVE; SELECT 'held';\n", holder);
    fflush(holder);
    for (int tries = 0; tries < 200; tries++) {
        if (strcmp(history_line_of(formatted("cat '%s.held'", path)), "held") == 0)
            return holder;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    fail_msg("sqlite3 does not take the lock");
    return holder;
}

TEST(a_lock_is_awaited_and_then_refused)
{
    const char *path = history_new_path();
    append(path, fixture_pass(), NULL, NULL);
    struct pb_history *history = history_opened(path, PB_HISTORY_APPEND);
    FILE *holder = hold(path);
    struct pb_diag diag;
    refuses(path, PB_HISTORY_READ, PB_ERR_IO, "has held its lock for 200 ms");
    assert_int_equal(
        pb_history_append(history, fixture_pass(), &(struct pb_history_labels){.unit = NULL}, &diag),
        PB_ERR_IO);
    fixture_contains(diag.text, "lock");
    pclose(holder);
    unlink(formatted("%s.held", path));
    assert_int_equal(
        pb_history_append(history, fixture_pass(), &(struct pb_history_labels){.unit = NULL}, &diag), PB_OK);
    assert_string_equal(history_sqlite(path, "SELECT count(*) FROM run"), "2");
}
