/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Comparison of results: uncertainties of changes worked out by hand, pairs of several runs, and what the
 * reader of several results refuses.
 */
#include "phasebench/compare.h"
#include "phasebench/suite.h"
#include "report_fixture.h"
#include "tests/bench/unit/tests.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A result with this one measurement; the caller releases it. */
static struct pb_result *with_one(const struct pb_measurement *row)
{
    struct pb_result *result = new_result(pb_network_cube(12));
    result->measurement = malloc(sizeof *row);
    result->measurement[result->measurements++] = *row;
    return result;
}

static struct pb_comparison *only_pair(struct pb_compare_set *set, struct pb_result *a, struct pb_result *b)
{
    assert_int_equal(pb_compare(set, &a, 1, &b, 1), PB_OK);
    assert_int_equal(set->pairs, 1);
    return &set->pair[0];
}

/* U95 of 300 and 400 make 500, for a margin. For a mean of 100 values with a deviation of 2000 on one side
 * there come 1.96 * 2000 / 10 = 392 on top: the root of 500^2 + 392^2 is 635.3. */
TEST(test_uncertainty_of_a_change)
{
    static const struct {
        int64_t change;
        bool mean_significant, margin_significant, worse;
    } row[] = {
        {0, false, false, false},    {500, false, false, false}, {501, false, true, false},
        {-500, false, false, false}, {-501, false, true, true},  {635, false, true, false},
        {636, true, true, false},    {-635, false, true, true},  {-636, true, true, true},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct pb_measurement before = {.figure = PB_FIGURE_NODE_START,
                                              .link = 3,
                                              .n = 100,
                                              .mean = 7000,
                                              .sd = 2000,
                                              .u95 = 300,
                                              .lower = 0,
                                              .upper = PB_ABSENT,
                                              .margin = 9000,
                                              .judgement = PB_JUDGED_PASS};
        struct pb_measurement after = before;
        after.sd = 0;
        after.u95 = 400;
        after.mean += row[i].change;
        after.margin += row[i].change;
        struct pb_result *a = with_one(&before), *b = with_one(&after);
        struct pb_compare_set set;
        const struct pb_comparison *pair = only_pair(&set, a, b);
        assert_int_equal(pair->changes, 2);
        const struct pb_change *mean = &pair->change[0], *margin = &pair->change[1];
        assert_true(!mean->of_margin && margin->of_margin);
        assert_true(fabs(mean->u95 - 635.34) < 0.01);
        assert_true(fabs(margin->u95 - 500) < 1e-9);
        assert_true(mean->change == (double)row[i].change && margin->change == (double)row[i].change);
        assert_int_equal(mean->significant, row[i].mean_significant);
        assert_int_equal(margin->significant, row[i].margin_significant);
        assert_int_equal(margin->worse, row[i].worse);
        assert_false(mean->worse);
        assert_int_equal(pb_compare_is_worse(&set), row[i].worse);
        pb_compare_free(&set);
    }
}

/* Without a margin on both sides there is none to compare. */
TEST(test_margins_that_are_absent)
{
    const struct pb_measurement judged = {.figure = PB_FIGURE_ARRIVAL, .link = -1, .n = 1, .margin = 3};
    struct pb_measurement other = judged;
    other.margin = PB_ABSENT;
    struct pb_result *a = with_one(&judged), *b = with_one(&other);
    struct pb_compare_set set;
    assert_int_equal(only_pair(&set, a, b)->changes, 1);
    pb_compare_free(&set);
    assert_int_equal(only_pair(&set, b, a)->changes, 1);
    pb_compare_free(&set);
}

/* A verdict that becomes worse counts, of the run and of a measurement; one that gets better, or was not
 * given before, does not. */
TEST(test_verdicts)
{
    static const enum pb_verdict order[] = {PB_VERDICT_PASS, PB_VERDICT_MARGINAL, PB_VERDICT_INCONCLUSIVE,
                                            PB_VERDICT_FAIL};
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            struct pb_measurement row = {
                .figure = PB_FIGURE_CLOCK_TIE, .link = -1, .n = 1, .margin = PB_ABSENT};
            struct pb_result *a = with_one(&row), *b = with_one(&row);
            struct pb_compare_set set;
            a->verdict = order[from];
            b->verdict = order[to];
            assert_int_equal(only_pair(&set, a, b)->verdict_worse, to > from);
            assert_int_equal(pb_compare_is_worse(&set), to > from);
            pb_compare_free(&set);
            a->verdict = b->verdict = PB_VERDICT_PASS;
            a->measurement[0].judgement = (enum pb_judgement)from; /* not judged, pass, marginal, fail */
            b->measurement[0].judgement = (enum pb_judgement)to;
            const struct pb_comparison *pair = only_pair(&set, a, b);
            assert_int_equal(pair->judgements_worse, from > 0 && to > from);
            assert_int_equal(pb_compare_is_worse(&set), from > 0 && to > from);
            pb_compare_free(&set);
        }
}

/* Each fixture with itself: all in both, nothing changed, no setting differs; and both forms can be made. */
TEST(test_nothing_changes)
{
    EACH_FIXTURE(result, i)
    {
        struct pb_compare_set set;
        const struct pb_comparison *pair = only_pair(&set, result, result);
        assert_int_equal(pair->common, result->measurements);
        assert_true(!pair->significant && !pair->judgements_worse && !pair->only_a && !pair->only_b);
        assert_false(pair->settings_differ);
        assert_false(pb_compare_is_worse(&set));
        pb_compare_free(&set);
    }
}

static char *written(const struct pb_compare_set *set, bool json, bool all)
{
    const struct pb_report_style style = {false, 80};
    FILE *stream = open_text();
    assert_int_equal(json ? pb_compare_json(stream, set) : pb_compare_text(stream, set, all, &style), PB_OK);
    return close_text(stream);
}

/* The late frame of the failing fixture is 3.8 us beyond the limit on link 6, and settings were changed. The
 * margin there before: starts are 60 to 200 ns after 5 us, the limit 5.25 us. */
TEST(test_forms)
{
    struct pb_result *a = fixture_pass(), *b = fixture_fail();
    b->baud_hz = 2000000;
    b->measurement[0].figure = PB_FIGURE_NODE_END; /* not in A, and what was is not in B */
    struct pb_compare_set set;
    const struct pb_comparison *pair = only_pair(&set, a, b);
    assert_true(pair->settings_differ && pair->verdict_worse);
    assert_true(pair->only_a == 1 && pair->only_b == 1);
    char *text = written(&set, false, false), *whole = written(&set, false, true),
         *json = written(&set, true, false);
    fixture_contains(text, "! verdict    pass, now fail: the node sent a wrong frame");
    fixture_contains(text, "baud_hz: 1000000, now 2000000");
    fixture_contains(text, "! judgement  node_start/link6: marginal, now fail");
    fixture_contains(text, "! node_start/link6       margin");
    fixture_contains(text, "only in A    node_start/link0");
    fixture_contains(text, "only in B    node_end/link0");
    fixture_contains(text, "changed by no more than their U95; --all shows them");
    fixture_lacks(text, "line_rise/link1 ");
    fixture_contains(whole, "  line_rise/link1        margin    0.1945    0.1945   +0.0000   0.0589 us\n");
    fixture_lacks(whole, "--all");
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_true(json_is_true(json_object_get(root, "worse")));
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    assert_int_equal(json_array_size(json_object_get(run, "changes")), pair->changes);
    size_t i, found = 0;
    json_t *change;
    json_array_foreach(json_object_get(run, "changes"), i, change)
    {
        if (strcmp(json_string_value(json_object_get(change, "id")), "node_start/link6") ||
            strcmp(json_string_value(json_object_get(change, "of")), "margin"))
            continue;
        found++;
        /* 67900 on each side: times the root of 2, 96025. */
        assert_int_equal(json_integer_value(json_object_get(change, "u95")), 96025);
        assert_int_equal(json_integer_value(json_object_get(change, "change")),
                         json_integer_value(json_object_get(change, "b")) -
                             json_integer_value(json_object_get(change, "a")));
        assert_true(json_is_true(json_object_get(change, "worse")));
    }
    assert_int_equal(found, 1);
    const json_t *setting = json_array_get(json_object_get(run, "settings"), 0);
    assert_string_equal(json_string_value(json_object_get(setting, "key")), "baud_hz");
    assert_int_equal(json_integer_value(json_object_get(setting, "b")), 2000000);
    json_decref(root);
    pb_compare_free(&set);
}

/* A suite of three runs, two of them of one scenario, against its first two and another one. */
TEST(test_suites)
{
    struct pb_result *run[] = {fixture_pass(), fixture_overload(), fixture_pass()},
                     *other[] = {fixture_overload(), fixture_pass(), fixture_faults()};
    snprintf(other[2]->scenario, sizeof other[2]->scenario, "another");
    struct pb_compare_set set;
    assert_int_equal(pb_compare(&set, run, 3, other, 3), PB_OK);
    assert_int_equal(set.pairs, 2);
    assert_ptr_equal(set.pair[0].a, run[0]);
    assert_ptr_equal(set.pair[0].b, other[1]);
    assert_ptr_equal(set.pair[1].b, other[0]);
    assert_true(set.only_as == 1 && set.only_a[0] == run[2]);
    assert_true(set.only_bs == 1 && set.only_b[0] == other[2]);
    char *text = written(&set, false, false);
    fixture_contains(text, "only in A    run of bit complement through 0x2A3");
    fixture_contains(text, "only in B    run of another");
    pb_compare_free(&set);
    /* One run with itself in a suite of others: paired by its scenario; with another's suite: not at all. */
    assert_int_equal(pb_compare(&set, run, 1, other, 3), PB_OK);
    assert_true(set.pairs == 1 && set.pair[0].b == other[1]);
    pb_compare_free(&set);
    assert_int_equal(pb_compare(&set, other + 2, 1, run, 3), PB_OK);
    assert_int_equal(set.pairs, 0);
    pb_compare_free(&set);
}

TEST(test_reader_of_several)
{
    struct pb_result *run[] = {fixture_pass(), fixture_fail()}, **read;
    size_t count;
    struct pb_diag diag = {""};
    FILE *stream = open_text();
    struct pb_case one[2] = {0};
    const struct pb_suite suite = {.one = one, .count = 2, .jobs = 1};
    for (size_t i = 0; i < 2; i++)
        pb_case_fill(&one[i], run[i]);
    assert_int_equal(pb_suite_json_begin(stream, &suite), PB_OK);
    for (size_t i = 0; i < 2; i++) {
        fputs(i ? ",\n" : "", stream);
        assert_int_equal(pb_report_json(stream, run[i]), PB_OK);
    }
    assert_int_equal(pb_suite_json_end(stream), PB_OK);
    const char *text = close_text(stream);
    assert_int_equal(pb_report_read_json_all(&read, &count, text, strlen(text), &diag), PB_OK);
    assert_int_equal(count, 2);
    assert_string_equal(read[1]->reason, run[1]->reason);
    pb_report_free_all(read, count);
    char *spoilt = fixture_replaced(text, "\"id\": \"wrong_bytes\"", "\"id\": \"bytes\"");
    assert_int_equal(pb_report_read_json_all(&read, &count, spoilt, strlen(spoilt), &diag), PB_ERR_CONFIG);
    assert_true(!read && !count);
    assert_memory_equal(diag.text, "run 2 of 2: report: findings[0].id is not one", 44);
    assert_int_equal(pb_report_read_json_all(&read, &count, "{\"results\": []}", 15, &diag), PB_ERR_CONFIG);
    fixture_contains(diag.text, "results is empty");
    assert_int_equal(pb_report_read_json_all(&read, &count, "{\"results\": [3]}", 16, &diag), PB_ERR_CONFIG);
    assert_int_equal(pb_report_read_json_all(&read, &count, "{", 1, &diag), PB_ERR_CONFIG);
}

/* The text of a change of every figure, of each unit. */
TEST(test_every_unit)
{
    static const struct {
        enum pb_unit unit;
        const char *change;
    } shown[] = {
        {PB_UNIT_PS, "+0.0030"},       {PB_UNIT_PPB, "+3.000"},    {PB_UNIT_PHASES, "+3000.0"},
        {PB_UNIT_PPM, "+0.30"},        {PB_UNIT_BYTES, "+3000.0"}, {PB_UNIT_INSTRUCTIONS, "+3000.0"},
        {PB_UNIT_MESSAGES, "+3000.0"},
    };
    static const char *const name[] = {"us", "ppm", "phases", "%", "bytes", "instructions", "messages"};
    for (int figure = 0; figure < PB_FIGURES; figure++) {
        const struct pb_measurement before = {
            .figure = (enum pb_figure)figure,
            .link = pb_figure_place((enum pb_figure)figure) == PB_OF_LINK ? 3 : -1,
            .n = 1,
            .mean = 7000,
            .lower = PB_ABSENT,
            .upper = PB_ABSENT,
            .margin = PB_ABSENT};
        struct pb_measurement after = before;
        struct pb_compare_set set;
        size_t i = 0;
        after.mean += 3000;
        struct pb_result *a = with_one(&before), *b = with_one(&after);
        assert_int_equal(pb_compare(&set, &a, 1, &b, 1), PB_OK);
        FILE *stream = open_text();
        const struct pb_report_style style = {.columns = 80};
        assert_int_equal(pb_compare_text(stream, &set, true, &style), PB_OK);
        char *text = close_text(stream);
        while (i < COUNT(shown) && shown[i].unit != pb_figure_unit((enum pb_figure)figure))
            i++;
        assert_true(i < COUNT(shown));
        char *line = strstr(text, " mean ");
        assert_non_null(line);
        *strchr(line, '\n') = '\0';
        const size_t length = strlen(name[i]);
        if (!strstr(line, shown[i].change) || strcmp(line + strlen(line) - length, name[i]))
            fail_msg("%s: '%s'", pb_figure_id(figure), line);
        pb_compare_free(&set);
    }
}
