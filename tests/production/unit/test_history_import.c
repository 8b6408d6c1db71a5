/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows of other programs in a history: units, judgements before any rounding, tables with a mistake.
 */
#include "tests/production/unit/history_fixture.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <string.h>

static int import_into(struct pb_history *history, const char *text, struct pb_imported *imported,
                       struct pb_diag *diag)
{
    static const struct pb_history_run otherwise = {.scenario = "imported", .verdict = PB_VERDICT_PASS};
    return pb_history_import(history, "a.csv", text, strlen(text), &otherwise, NULL, imported, diag);
}

/* The path of a history of these rows. */
static const char *imported(const char *text)
{
    const char *path = history_new_path();
    struct pb_history *history = history_opened(path, PB_HISTORY_APPEND);
    struct pb_imported counted;
    assert_succeeds(import_into(history, text, &counted, &diag));
    return path;
}

/* The table is refused, at this line and column. */
static void assert_refused(const char *text, unsigned line, const char *column, const char *part)
{
    struct pb_imported counted;
    struct pb_diag diag = {.text = ""};
    const char *const at = formatted("a.csv:%u: ", line), *const in = formatted("in column '%s'", column);
    assert_int_equal(import_into(NULL, text, &counted, &diag), PB_ERR_CONFIG);
    if (strncmp(diag.text, at, strlen(at)) != 0 || !strstr(diag.text, in) || !strstr(diag.text, part))
        fail_msg("'%s' instead of %s ... %s ... %s", diag.text, at, part, in);
}

#define DAY "2026-11-01,"

/* ---- cells of the run */

TEST(rows_of_a_run_agree_in_each_of_its_cells)
{
    static const char *const cell[][3] = {
        {"verdict", "pass", "fail"},   {"seed", "7", "8"},           {"program", "1.0", "1.1"},
        {"rig", "a", "b"},             {"core", "a", "b"},           {"map_hash", "0x1", "0x2"},
        {"reason", "a", "b"},          {"node", "a", "b"},           {"identity", "a", "b"},
        {"limits_version", "1", "2"},  {"findings", "1", "2"},       {"image_bytes", "1", "2"},
        {"image_crc32", "1", "2"},     {"limits_crc32", "1", "2"},
    };
    for (unsigned i = 0; i < COUNT(cell); i++) {
        const char *head = formatted("started_utc,measurement,value,%s\n" DAY "a,1,%s\n",
                                     cell[i][0], cell[i][1]);
        assert_refused(formatted("%s" DAY "b,1,\n" DAY "b,2,%s\n", head, cell[i][2]), 4, cell[i][0],
                       "than in line 2, of the same run");
        imported(formatted("%s" DAY "b,1,\n" DAY "c,1,%s\n", head, cell[i][1]));
    }
    assert_refused("started_utc,measurement,value,seed\n" DAY "a,1,\n" DAY "b,1,7\n", 3, "seed",
                   "than in line 2, of the same run");
}

TEST(each_row_has_known_words_and_numbers)
{
    static const char *const wrong[][2] = {
        {"verdict", "good"}, {"seed", "x"}, {"findings", "-1"}, {"image_crc32", "4294967296"}};
    for (unsigned i = 0; i < COUNT(wrong); i++)
        assert_refused(formatted("started_utc,measurement,value,%s\n" DAY "a,1,\n" DAY "b,1,%s\n",
                                 wrong[i][0], wrong[i][1]),
                       3, wrong[i][0], wrong[i][1]);
}

/* ---- units */

TEST(all_numbers_are_scaled_with_the_unit)
{
    static const struct {
        const char *unit, *stored, *one;
    } scale[] = {{"ps", "ps", "1"},          {"ns", "ps", "1000"},          {"us", "ps", "1000000"},
                 {"ms", "ps", "1000000000"}, {"s", "ps", "1000000000000"},  {"ppb", "ppb", "1"},
                 {"ppm", "ppm", "1"},        {"mHz", "mHz", "1"},           {"Hz", "mHz", "1000"},
                 {"phases", "phases", "1"},  {"messages", "messages", "1"}, {"count", "count", "1"}};
    for (unsigned i = 0; i < COUNT(scale); i++) {
        const char *path = imported(
            formatted("started_utc,measurement,measurement_unit,n,min,mean,max,sd,u95,lower,upper,margin\n"
                      DAY "a,%s,3,5,6,8,2,1,1,9,1\n",
                      scale[i].unit));
        assert_string_equal(
            history_sqlite(path, formatted("SELECT unit, n, min / %1$s, mean / %1$s, max / %1$s, sd / %1$s, "
                                           "u95 / %1$s, lower / %1$s, upper / %1$s, margin / %1$s, "
                                           "(min + mean + max + sd + u95 + lower + upper + margin) %% %1$s "
                                           "FROM measurement",
                                           scale[i].one)),
            formatted("%s|3|5|6|8|2|1|1|9|1|0", scale[i].stored));
    }
}

TEST(decimals_are_exact)
{
    static const char *const exact[][3] = {{"ns", "0.001", "1"},
                                           {"us", "123456789.123456", "123456789123456"},
                                           {"s", "-1.5e-9", "-1500"},
                                           {"s", "4e6", "4000000000000000000"},
                                           {"ps", "12e3", "12000"},
                                           {"ps", "1.500e1", "15"},
                                           {"ps", "1.0000000000000000000000000000000000000000", "1"},
                                           {"ps", "0e99999999999999999999", "0"},
                                           {"Hz", "0.001", "1"}};
    static const char *const between[][2] = {{"ps", "0.4"},     {"ns", "0.0004"},
                                             {"ppm", "0.4"},    {"ppb", "1e-9"},
                                             {"mHz", "0.5"},    {"count", "1.5"},
                                             {"Hz", "0.0001"},  {"ps", "1000000000000000000.3"},
                                             {"ps", "12345e-1"}};
    for (unsigned i = 0; i < COUNT(exact); i++)
        assert_string_equal(
            history_sqlite(imported(formatted("started_utc,measurement,measurement_unit,value\n"
                                              DAY "a,%s,%s\n", exact[i][0], exact[i][1])),
                           "SELECT min FROM measurement"),
            exact[i][2]);
    for (unsigned i = 0; i < COUNT(between); i++) {
        static const char *const column[] = {"value", "lower", "upper", "u95", "margin"};
        for (unsigned k = 0; k < COUNT(column); k++) {
            const char *cells[COUNT(column)] = {"1", "", "", "", ""};
            cells[k] = between[i][1];
            assert_refused(
                formatted("started_utc,measurement,measurement_unit,value,lower,upper,u95,margin\n" DAY
                          "a,%s,%s,%s,%s,%s,%s\n",
                          between[i][0], cells[0], cells[1], cells[2], cells[3], cells[4]),
                2, column[k], "no whole number of the step, 1 ");
        }
    }
    assert_refused("started_utc,measurement,measurement_unit,value,upper\n" DAY "a,ppm,0.4,0.3\n", 2, "upper",
                   "'0.3'; give the measurement in ppb, or round it");
    assert_refused("started_utc,measurement,n,min,mean,max,sd\n" DAY "a,2,1,1.5,2,1\n", 2, "mean", "1 ps");
    assert_refused("started_utc,measurement,n,min,mean,max,sd\n" DAY "a,2,1,1,2,0.4\n", 2, "sd", "1 ps");
}

/* ---- judgements */

TEST(the_worst_value_judges)
{
    static const char *const judged[][2] = {
        {"a,5,,,,,1,9,,\n", "pass|4|pass"},
        {"a,9,,,,,1,9,,\n", "pass|0|pass"},
        {"a,10,,,,,1,9,,\n", "fail|-1|fail"},
        {"a,0,,,,,1,9,,\n", "fail|-1|fail"},
        {"a,5,,,,,1,9,,\n" DAY "a,10,,,,,1,9,,\n" DAY "a,6,,,,,1,9,,\n", "fail|-1|fail"},
        {"a,,3,0,5,8,1,9,,\n", "fail|-1|fail"},
        {"a,,3,2,5,12,1,9,,\n", "fail|-3|fail"},
        {"a,5,,,,,1,9,4,marginal\n" DAY "a,6,,,,,1,9,,\n", "marginal|3|marginal"},
    };
    for (unsigned i = 0; i < COUNT(judged); i++)
        assert_string_equal(
            history_sqlite(imported(formatted("started_utc,measurement,value,n,min,mean,max,lower,upper,"
                                              "margin,judgement\n" DAY "%s",
                                              judged[i][0])),
                           "SELECT judgement, margin, verdict FROM measurement JOIN run ON run.id = run"),
            judged[i][1]);
}

TEST(what_contradicts_values_and_limits_is_refused)
{
    static const struct {
        const char *row, *column;
    } wrong[] = {{"5,,,,,9,1,,,,", "lower"},
                 {"10,,,,,1,9,,,pass,", "judgement"},
                 {"10,,,,,1,9,,,not judged,", "judgement"},
                 {"10,,,,,1,9,,,marginal,", "judgement"},
                 {"5,,,,,1,9,,,fail,", "judgement"},
                 {"5,,,,,1,9,4,,fail,", "judgement"},
                 {"12,,,,,1,9,2,,marginal,", "judgement"},
                 {",3,0,5,8,1,9,,,pass,", "judgement"},
                 {",3,2,5,12,1,9,,3,,", "margin"},
                 {"5,,,,,1,9,,5,,", "margin"},
                 {"5,,,,,,,,5,,", "margin"},
                 {"5,,,,,1,9,-1,,,", "u95"},
                 {"10,,,,,1,9,,,,pass", "verdict"},
                 {"10,,,,,1,9,,,,marginal", "verdict"},
                 {"10,,,,,,,,,fail,pass", "verdict"}};
    static const char *const right[] = {"5,,,,,1,9,5,,fail,", "10,,,,,1,9,2,,marginal,",
                                        "5,,,,,1,9,,4,pass,fail",
                                        "10,,,,,1,9,,-1,fail,inconclusive",
                                        "5,,,,,,,,,fail,fail"};
    static const char head[] =
        "started_utc,measurement,value,n,min,mean,max,lower,upper,u95,margin,judgement,verdict\n" DAY "a,";
    for (unsigned i = 0; i < COUNT(wrong); i++)
        assert_refused(formatted("%s%s\n", head, wrong[i].row), 2, wrong[i].column, "");
    for (unsigned i = 0; i < COUNT(right); i++)
        imported(formatted("%s%s\n", head, right[i]));
}

/* The limits of a run of phasebench may differ between its values, and a fault may explain a failed one. */
TEST(the_rows_of_an_export_stand)
{
    const char *path = imported(
        "started_utc,measurement,n,min,mean,max,lower,upper,margin,judgement,verdict,key\n" DAY
        "a,2,3,6,10,9,,1,pass,pass,0123456789abcdef0123456789abcdef\n" DAY
        "b,2,3,6,10,9,,-6,fail,pass,0123456789abcdef0123456789abcdef\n");
    assert_string_equal(history_sqlite(path, "SELECT verdict, group_concat(judgement || margin) FROM run "
                                             "JOIN measurement ON run.id = run"),
                        "pass|pass1,fail-6");
    assert_refused("started_utc,measurement,value,lower,judgement,key\n" DAY "a,1,9,pass,of_another\n", 2,
                   "judgement", "'pass'");
}

TEST(sums_are_possible_ones)
{
    static const char head[] = "started_utc,measurement,n,min,mean,max,sd\n" DAY "a,";
    assert_refused(formatted("%s2,1,5,4,1\n", head), 2, "mean", "outside min and max");
    assert_refused(formatted("%s2,5,4,6,1\n", head), 2, "mean", "outside min and max");
    assert_refused(formatted("%s2,1,2,4,-1\n", head), 2, "sd", "below 0");
}

/* Two values have the mean of both; of three from 1 to 4 one is in between. */
TEST(means_are_those_that_values_can_have)
{
    static const char head[] = "started_utc,measurement,measurement_unit,n,min,mean,max,sd\n" DAY "a,";
    static const char *const wrong[][3] = {
        {"us,2,1.000,1.600,2.000,", "mean", "a mean that 2 values from 1 to 2 cannot have"},
        {"us,2,1.000,1.600,2.000,", "mean", "'1.600'; theirs is from 1.5 to 1.5; "},
        {"us,3,1.000,1.900,4.000,", "mean", "from 2 to 3"},
        {"us,3,1.000,3.100,4.000,", "mean", "from 2 to 3"},
        {"us,9,1.000,1.000,1.900,", "mean", "from 1.1 to 1.8"},
        {"count,50,0,0,100,", "mean", "from 2 to 98"},
        /* Ten of them with this mean: at most one is at 10, all others at 0. */
        {"us,10,0.000,1.000,10.000,5.000", "sd", "with this mean cannot have"},
        {"us,10,0.000,1.000,10.000,3.100", "sd", "from 3.16175"},
    };
    static const char *const right[] = {"us,2,1.000,1.500,2.000,",   "us,3,1.000,2.000,4.000,1.732",
                                        "us,3,1.000,3.000,4.000,",   "us,2,1.0,1.6,2.1,",
                                        "count,50,0,2,100,",         "us,10,0.000,1.000,10.000,3.162",
                                        "us,2,1,1.5,2,"};
    for (unsigned i = 0; i < COUNT(wrong); i++)
        assert_refused(formatted("%s%s\n", head, wrong[i][0]), 2, wrong[i][1], wrong[i][2]);
    for (unsigned i = 0; i < COUNT(right); i++)
        imported(formatted("%s%s\n", head, right[i]));
}

/* Values in whole ps, written in ns with up to three digits: no rounding makes them impossible. An sd that is
 * rounded to 0 is left out, as it says that all values are one. */
TEST(statistics_of_values_are_taken)
{
    static char text[1 << 17];
    static const char head[] = "started_utc,run,measurement,measurement_unit,n,min,mean,max,sd\n";
    int used = snprintf(text, sizeof text, "%s", head);
    uint32_t seed = 1;
    for (unsigned run = 0; run < 1500; run++) {
        const unsigned n = 2 + run % 7, most = 1 + run % 23, digits = run % 4, step = run % 5 ? 137 : 1;
        double sum = 0, squares = 0, least = 1e9, largest = 0;
        for (unsigned i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            const unsigned random = seed >> 16;
            const double ns = (run % 2 && i ? random % 2 * most : random % (most + 1)) * step / 1e3;
            sum += ns;
            squares += ns * ns;
            least = fmin(least, ns);
            largest = fmax(largest, ns);
        }
        const double sd = sqrt(fmax((squares - sum * sum / n) / (n - 1), 0));
        const int count = sd < 0.5 * pow(10, -(double)digits) ? 0 : 1;
        used += snprintf(text + used, sizeof text - (size_t)used, DAY "%u,a,ns,%u,%.*f,%.*f,%.*f,", run, n,
                         digits, least, digits, sum / n, digits, largest);
        used += snprintf(text + used, sizeof text - (size_t)used, count ? "%.*f\n" : "\n", digits, sd);
    }
    imported(text);
}

/* Of n values the deviation is from range / sqrt(2 (n - 1)) to range / 2 sqrt(n / (n - 1)): the values 1, 2,
 * 3 have 1; 1, 1, 3, 3 and 1, 2, 2, 3 have 1.155 and 0.816. */
TEST(deviations_are_those_that_values_can_have)
{
    static const char head[] = "started_utc,measurement,measurement_unit,n,min,mean,max,sd\n" DAY "a,";
    static const struct {
        const char *row, *column;
    } wrong[] = {{"ps,5,1,2,3,100", "sd"},      {"ps,5,1,2,3,3", "sd"},
                 {"ps,5,1,2,3,0", "sd"},        {"ps,1,1,2,3,", "n"},
                 {"ps,2,1,1,2,0", "sd"},        {"us,4,1.000,2.000,3.000,0.815", "sd"},
                 {"us,4,1.000,2.000,3.000,1.157", "sd"}, {"us,2,1.000,1.001,1.002,0", "sd"},
                 {"us,2,1.000,1.500,2.000,0.500", "sd"}, {"s,3,1e-6,2e-6,3e-6,2.1e-6", "sd"},
                 {"ps,1,1,2,3,0", "n"},         {"ps,1,2,2,2,1", "n"},
                 {"ps,1000000000001,1,1,1,0", "n"},      {"ps,9223372036854775807,1,1,1,0", "n"}};
    static const char *const right[] = {
        "ps,5,1,2,3,1", "ps,5,1,2,3,",                    "ps,1,2,2,2,0",           "ps,1,2,2,2,",
        "ps,1000000000000,1,1,1,0",        "ps,1000000,1,1,3,0",     "us,4,1.000,2.000,3.000,1.155",
        "us,4,1.000,2.000,3.000,0.816",    "us,4,1,2,3,0.816",       "us,2,1.000,1.001,1.001,0.001",
        "us,2,1.000,1.500,2.000,0.707",    "us,2,1.0,1.5,2.0,0.7",   "s,3,1e-6,2e-6,3e-6,1e-6",
        "ps,2,5000000,5000100,5000200,141"};
    for (unsigned i = 0; i < COUNT(wrong); i++)
        assert_refused(formatted("%s%s\n", head, wrong[i].row), 2, wrong[i].column, "");
    for (unsigned i = 0; i < COUNT(right); i++)
        imported(formatted("%s%s\n", head, right[i]));
}

/* ---- the history */

/* The check value of a run is part of the format: all columns as text, NULL as the byte FF, each ended by
 * 0. */
TEST(the_check_value_of_a_run_stays)
{
    assert_string_equal(history_sqlite(imported("started_utc,measurement,value,key\n" DAY "a,1,k\n"),
                                       "SELECT crc32 FROM seal"),
                        "2695136368");
}

TEST(an_import_says_what_it_added)
{
    struct pb_history *history = history_opened(history_new_path(), PB_HISTORY_APPEND);
    struct pb_imported counted;
    static const char rows[] = "started_utc,measurement,value\n" DAY "a,1\n2026-11-02,a,1\n";
    assert_succeeds(import_into(NULL, rows, &counted, &diag));
    assert_true(counted.runs == 2 && counted.added == 0);
    assert_succeeds(import_into(history, rows, &counted, &diag));
    assert_true(counted.runs == 2 && counted.added == 2);
    assert_succeeds(import_into(history, rows, &counted, &diag));
    assert_true(counted.runs == 2 && counted.added == 0);
    assert_succeeds(import_into(history, formatted("%s2026-11-03,a,1\n", rows), &counted, &diag));
    assert_true(counted.runs == 3 && counted.added == 1);
}

/* ---- runs that the history has with other rows */

static struct pb_imported added(struct pb_history *history, const char *text)
{
    struct pb_imported counted;
    assert_succeeds(import_into(history, text, &counted, &diag));
    return counted;
}

#define NAMED "started_utc,run,unit,measurement,value,upper\n"
#define KEYED "started_utc,key,unit,measurement,value,upper,verdict\n"
#define LABELS "started_utc,unit,measurement,value,upper\n"

TEST(a_run_with_other_rows_than_in_the_history_is_refused)
{
    static const struct {
        const char *before, *then;
        unsigned line;       /* that is refused; 0: none */
        const char *in, *why; /* column; difference */
        size_t added;
    } row[] = {
        {NAMED DAY "1,U,a,5,\n", NAMED DAY "1,U,a,5,\n" DAY "1,U,a,7,\n", 2, "run", "'a' has n 2", 0},
        {NAMED DAY "1,U,a,5,\n", NAMED DAY "1,U,a,5,\n" DAY "1,U,b,5,\n", 2, "run", "'b' is not", 0},
        {NAMED DAY "1,U,a,5,\n", NAMED DAY "2,U,a,5,\n" DAY "1,U,a,6,\n", 3, "run", "mean 6, there 5", 0},
        {NAMED DAY "1,U,a,5,\n", NAMED DAY "1,U,a,5,9\n", 2, "run", "'a' has other limits", 0},
        {NAMED DAY "1,U,a,5,\n", NAMED DAY "2,U,a,6,\n" DAY "1,V,a,6,\n", 0, NULL, NULL, 2},
        /* The same rows next to another column. */
        {NAMED DAY "1,U,a,5,\n", "note," NAMED "x," DAY "1,U,a,5,\n", 0, NULL, NULL, 0},
        /* Fewer rows than the history has. */
        {NAMED DAY "1,U,a,5,\n" DAY "1,U,b,5,\n", NAMED DAY "1,U,a,5,\n", 0, NULL, NULL, 0},
        {KEYED DAY "k,U,a,5,,\n", KEYED DAY "k,U,a,5,,\n" DAY "k,U,a,7,,\n", 2, "key", "'a' has n 2", 0},
        {KEYED DAY "k,U,a,5,,\n", KEYED DAY "k,V,a,5,,\n", 2, "key", "unit 'V', there 'U'", 0},
        {KEYED DAY "k,U,a,5,,\n", KEYED DAY "k,U,a,5,,fail\n", 2, "key", "verdict 'fail', there 'pass'", 0},
        {KEYED DAY "k,U,a,5,,\n", KEYED DAY "k,U,a,5,,\n" DAY "kk,U,a,7,,\n", 0, NULL, NULL, 1},
        /* Labels may be those of two runs, but not of one and what it has become. */
        {LABELS DAY "U,a,5,\n", LABELS DAY "U,a,5,\n" DAY "U,a,7,\n", 2, "started_utc", "'a' has n 2", 0},
        {LABELS DAY "U,a,5,\n", LABELS DAY "U,a,5,\n" DAY "U,b,7,\n", 2, "started_utc", "'b' is not", 0},
        {LABELS DAY "U,a,5,\n", LABELS DAY "U,a,6,\n", 0, NULL, NULL, 1},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_history *history = history_opened(history_new_path(), PB_HISTORY_APPEND);
        struct pb_imported counted;
        struct pb_diag diag = {""};
        added(history, row[i].before);
        const int code = import_into(history, row[i].then, &counted, &diag);
        if (code != (row[i].line ? PB_ERR_CONFIG : PB_OK) || counted.added != row[i].added)
            fail_msg("%zu: %zu added, '%s'", i, counted.added, diag.text);
        const char *const at =
            formatted("a.csv:%u: a run that the history has with other rows (", row[i].line);
        if (row[i].line && (strncmp(diag.text, at, strlen(at)) != 0 || !strstr(diag.text, row[i].why) ||
                            !strstr(diag.text, formatted("in column '%s'", row[i].in))))
            fail_msg("%zu: '%s'", i, diag.text);
    }
}

TEST(an_import_that_is_refused_adds_no_run)
{
    const char *const path = history_new_path();
    struct pb_history *history = history_opened(path, PB_HISTORY_APPEND);
    struct pb_imported counted;
    struct pb_diag diag = {""};
    added(history, NAMED DAY "3,U,a,5,\n");
    assert_int_equal(import_into(history, NAMED DAY "1,U,a,5,\n" DAY "2,U,a,5,\n" DAY "3,U,a,6,\n", &counted,
                                 &diag),
                     PB_ERR_CONFIG);
    assert_int_equal(counted.added, 0);
    assert_string_equal(history_sqlite(path, "SELECT count(*) FROM run"), "1");
    /* The transaction is over, the next one is another. */
    assert_int_equal(added(history, NAMED DAY "1,U,a,5,\n").added, 1);
    assert_string_equal(history_sqlite(path, "SELECT count(*) FROM run, seal WHERE seal.run = run.id"), "2");
}
