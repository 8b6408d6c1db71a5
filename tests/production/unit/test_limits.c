/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Limits of a validation: what a file may hold, and each rule of decision at its boundaries, after
 * ILAC-G8:09/2019, 4.2. Run from the top of the tree.
 *
 * evidence: limits and reports of a validation
 *   every rule of decision about its boundaries; each form by a reader of its format, with hostile texts,
 *   full disks and a lack of memory; plots against samples made by a formula; every link of a page leads to
 *   a file; the page was looked at in Chromium alone, light, dark, on paper and narrow
 *   also: test_validation_forms, validate.sh, make fuzz
 */
#include "host/cli/default_limits.c"
#include "phasebench/validation.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "title: t\nversion: 1\ndecision: simple\n" /* three lines */
#define LIMITS "limits: {lost: {unit: count, max: 0}}\n"
#define FULL HEAD LIMITS

static struct pb_limit_set read(const char *text)
{
    struct pb_limit_set limits;
    assert_succeeds(pb_limits_parse(&limits, "l.yaml", text, strlen(text), &diag));
    return limits;
}

/* ---- what is taken */

TEST(a_file_has_title_version_rule_and_check_value)
{
    struct pb_limit_set limits = read(FULL);
    assert_string_equal(limits.title, "t");
    assert_string_equal(limits.version, "1");
    assert_int_equal(limits.rule, PB_ACCEPT_SIMPLE);
    assert_int_equal(limits.crc32, 0x1E5864AD); /* by Python's binascii.crc32 */
    for (int item = 0; item < PB_ITEMS; item++)
        assert_int_equal(limits.limit[item].given, item == PB_ITEM_LOST);
    limits = read("{limits: {tail: {unit: us, min: 1}}, decision: guarded, version: 2026-01 b, "
                  "title: 'a: b'}");
    assert_string_equal(limits.title, "a: b");
    assert_string_equal(limits.version, "2026-01 b");
    assert_int_equal(limits.rule, PB_ACCEPT_GUARDED);
    limits =
        read("title: \xc2\xb5\ndecision: non_binary\nversion: x\nlimits:\n  lost: {unit: count, max: 0}");
    assert_string_equal(limits.title, "\xc2\xb5");
    assert_int_equal(limits.rule, PB_ACCEPT_NON_BINARY);
}

/* The longest title has 80 bytes, version 32, rationale 239. */
TEST(texts_up_to_their_greatest_length_are_kept)
{
    const struct pb_limit_set limits =
        read(formatted("title: %080d\nversion: %032d\ndecision: simple\nlimits:\n"
                       "  lost: {unit: count, max: 0, rationale: %0239d}\n",
                       7, 8, 9));
    assert_string_equal(limits.title, formatted("%080d", 7));
    assert_string_equal(limits.version, formatted("%032d", 8));
    assert_string_equal(limits.limit[PB_ITEM_LOST].rationale, formatted("%0239d", 9));
}

/* A decimal number of each unit is exact in the base unit of its item. */
TEST(numbers_are_exact_in_base_units)
{
    static const struct {
        enum pb_item item;
        const char *unit, *number;
        int64_t base;
    } row[] = {
        {PB_ITEM_LINE_RISE, "ps", "319531", 319531},
        {PB_ITEM_LINE_RISE, "ps", "319531.000", 319531},
        {PB_ITEM_LINE_RISE, "ns", "319.531", 319531},
        {PB_ITEM_LINE_RISE, "ns", "-83.4", -83400},
        {PB_ITEM_LINE_RISE, "us", "0.319531", 319531},
        {PB_ITEM_LINE_RISE, "us", "-0.000001", -1},
        {PB_ITEM_LINE_RISE, "\302\265s", "1.5", 1500000},
        {PB_ITEM_LINE_RISE, "\316\274s", "1.5", 1500000},
        {PB_ITEM_LINE_RISE, "ms", "1.5", 1500000000},
        {PB_ITEM_LINE_RISE, "s", "0.1", 100000000000},
        {PB_ITEM_LINE_RISE, "s", "1000.000000000001", 1000000000000001},
        {PB_ITEM_LINE_RISE, "s", "9000", 9000000000000000},
        {PB_ITEM_LINE_RISE, "s", "-9000", -9000000000000000},
        {PB_ITEM_BIT_TIME, "ppb", "-25", -25},
        {PB_ITEM_BIT_TIME, "ppm", "0.001", 1},
        {PB_ITEM_BIT_TIME, "'%'", "2.5", 25000000},
        {PB_ITEM_BIT_TIME, "'%'", "0.0000001", 1},
        {PB_ITEM_TOLERANCE_FAST, "ppm", "15000", 15000},
        {PB_ITEM_TOLERANCE_FAST, "'%'", "1.5", 15000},
        {PB_ITEM_TOLERANCE_FAST, "'%'", "0.0001", 1},
        {PB_ITEM_CLOCK_CEILING, "Hz", "0.001", 1},
        {PB_ITEM_CLOCK_CEILING, "kHz", "10", 10000000},
        {PB_ITEM_CLOCK_CEILING, "kHz", "32.768001", 32768001},
        {PB_ITEM_LATENCY, "phases", "24", 24},
        {PB_ITEM_LOST, "count", "0", 0},
        {PB_ITEM_LOST, "count", "-0", 0},
        {PB_ITEM_LOST, "count", "007", 7},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct pb_limit_set limits =
            read(formatted(HEAD "limits:\n  %s: {unit: %s, min: %s}\n", pb_item_id((int)row[i].item),
                           row[i].unit, row[i].number));
        const struct pb_limit *limit = &limits.limit[row[i].item];
        assert_true(limit->given);
        assert_true(limit->lower == row[i].base);
        assert_true(limit->upper == PB_ABSENT);
        assert_true(limit->band == 0);
        assert_string_equal(limit->rationale, "");
    }
}

TEST(a_row_has_limits_band_and_reason)
{
    const struct pb_limit_set limits = read(
        HEAD
        "limits:\n  start: {unit: ns, min: -100, max: 1000, marginal: 0.5, rationale: \"T1: \\\"x\\\"\"}\n"
        "  lost:\n    unit: count\n    max: 3\n    rationale: >\n      two\n      lines\n");
    const struct pb_limit *start = &limits.limit[PB_ITEM_START], *lost = &limits.limit[PB_ITEM_LOST];
    assert_true(start->lower == -100000 && start->upper == 1000000 && start->band == 500);
    assert_string_equal(start->rationale, "T1: \"x\"");
    assert_true(lost->lower == PB_ABSENT && lost->upper == 3 && lost->band == 0);
    assert_string_equal(lost->rationale, "two lines\n");
    /* Equal limits are a value that is required exactly. */
    const struct pb_limit_set exact = read(HEAD "limits: {firmware: {unit: count, min: 3, max: 3}}");
    assert_true(exact.limit[PB_ITEM_FIRMWARE].lower == 3 && exact.limit[PB_ITEM_FIRMWARE].upper == 3);
}

/* ---- what is refused */

#define ROW(text) HEAD "limits:\n  line_rise: " text "\n"

static const struct {
    const char *text;
    unsigned line;
    const char *word[3]; /* value, limit, remedy */
} refused[] = {
    {"", 1, {"is empty", "title, version, decision and limits", ""}},
    {"\n\n# a comment\n", 1, {"is empty", "", ""}},
    {"- title\n", 1, {"no mapping", "title, version, decision", ""}},
    {"limits\n", 1, {"no mapping", "", ""}},
    {"version: 1\ndecision: simple\n" LIMITS, 1, {"key 'title' is missing", "", ""}},
    {"title: t\ndecision: simple\n" LIMITS, 1, {"key 'version' is missing", "", ""}},
    {"title: t\nversion: 1\n" LIMITS, 1, {"key 'decision' is missing", "", ""}},
    {HEAD, 1, {"key 'limits' is missing", "", ""}},
    {FULL "author: x\n",
     5,
     {"unknown key 'author' in a limits file", "title, version, decision, limits", ""}},
    {FULL "title: u\n", 5, {"'title'", "already set in line 1", "remove one"}},
    {"title: ''\n", 1, {"title is no line", "1 to 80 bytes", "shorten it"}},
    {"title: [a]\n", 1, {"title is no line", "", ""}},
    {"title: \"a\\nb\"\n", 1, {"title is no line", "", ""}},
    {"title: "
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     1,
     {"title is no line", "1 to 80 bytes", ""}},
    {"title: t\nversion: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     2,
     {"version is no line", "1 to 32 bytes", ""}},
    {"title: t\ndecision: strict\n", 2, {"decision is 'strict'", "simple, guarded or non_binary", "choose"}},
    {"title: t\ndecision: {simple: 1}\n", 2, {"decision is 'a list or a mapping'", "", ""}},
    {HEAD "limits: {}\n", 4, {"limits has no row", "no value would be judged", "write one for each item"}},
    {HEAD "limits:\n  line_rise:\n", 5, {"the limit of line_rise is no mapping", "", "write it as"}},
    {HEAD "limits:\n", 4, {"limits is no mapping", "", "a row for each item"}},
    {HEAD "limits: []\n", 4, {"limits is no mapping", "", "a row for each item"}},
    {HEAD "limits: none\n", 4, {"limits is no mapping", "", ""}},
    {HEAD "limits:\n  lost: {unit: count, max: 0}\n  line_rice: {unit: ns, max: 1}\n",
     6,
     {"unknown item 'line_rice'", "did you mean 'line_rise'", "docs/use/validate.md"}},
    {HEAD "limits:\n  lost: {unit: count, max: 0}\n  lost: {unit: count, max: 0}\n",
     6,
     {"'lost'", "already set in line 5", "remove one"}},
    {ROW("5 ns"), 5, {"the limit of line_rise is no mapping", "ps, ns, us, ms or s", "write it as"}},
    {ROW("[1, 2]"), 5, {"the limit of line_rise is no mapping", "", ""}},
    {ROW("{max: 1}"), 5, {"no unit", "ps, ns, us, ms or s", "write one of them"}},
    {ROW("{}"), 5, {"no unit", "", ""}},
    {ROW("{unit: ns}"), 5, {"no min or max", "", "leave the row out"}},
    {ROW("{unit: ns, marginal: 1}"), 5, {"no min or max", "", ""}},
    {ROW("{unit: ppm, max: 1}"), 5, {"unit of line_rise is 'ppm'", "ps, ns, us, ms or s", ""}},
    {HEAD "limits:\n  bit_time:\n    max: 1\n    unit: ns\n",
     7,
     {"unit of bit_time is 'ns'", "ppb, ppm or %", ""}},
    {HEAD "limits:\n  clock_ceiling: {unit: MHz, min: 1}\n", 5, {"is 'MHz'", "measured in Hz or kHz", ""}},
    {HEAD "limits:\n  lost: {unit: '', max: 1}\n", 5, {"unit of lost is ''", "measured in count", ""}},
    {ROW("{unit: ns, max: 1, mx: 2}"),
     5,
     {"unknown key 'mx' in the limit of line_rise", "did you mean 'max'",
      "unit, min, max, marginal, rationale"}},
    {ROW("{unit: ns, max: 1, max: 2}"), 5, {"'max'", "already set", "remove one"}},
    {ROW("{unit: ns, max: [1]}"), 5, {"max of line_rise is a list or a mapping", "", "write one value"}},
    {ROW("{unit: [ns], max: 1}"), 5, {"unit of line_rise is a list", "", ""}},
    {HEAD "limits:\n  line_rise:\n    unit: ns\n    max: 1\n    min: 2\n",
     5,
     {"min of line_rise is 2", "above its max of 1", "exchange them"}},
    {ROW("{unit: ns, max: 1, marginal: -1}"), 5, {"marginal of line_rise is -1", "0 or more", ""}},
    {ROW("{unit: ps, max: 0.5}"),
     5,
     {"max of line_rise is '0.5'", "at most 0 digits", "write a decimal number"}},
    {ROW("{unit: ns, max: 0.0005}"), 5, {"'0.0005'", "at most 9000000000000 ns", "at most 3 digits"}},
    {ROW("{unit: s, max: 1000.0000000000005}"), 5, {"", "at most 9000 s", "at most 12 digits"}},
    {ROW("{unit: ps, max: 9000000000000001}"), 5, {"'9000000000000001'", "at most 9000000000000000 ps", ""}},
    {ROW("{unit: s, max: 9000.000000000001}"), 5, {"", "at most 9000 s", ""}},
    {ROW("{unit: ps, min: -9000000000000001}"), 5, {"min of line_rise is '-9000000000000001'", "", ""}},
    {ROW("{unit: s, max: 99999999999999999999999999999999999999999999999999}"),
     5,
     {"at most 9000 s", "", ""}},
    {ROW("{unit: ns, max: 1e3}"), 5, {"'1e3'", "", ""}},
    {ROW("{unit: ns, max: +1}"), 5, {"'+1'", "", ""}},
    {ROW("{unit: ns, max: '- 1'}"), 5, {"'- 1'", "", ""}},
    {ROW("{unit: ns, max: --1}"), 5, {"'--1'", "", ""}},
    {ROW("{unit: ns, max: 0x10}"), 5, {"'0x10'", "", ""}},
    {ROW("{unit: ns, max: nan}"), 5, {"'nan'", "", ""}},
    {ROW("{unit: ns, max: 1.2.3}"), 5, {"'1.2.3'", "", ""}},
    {ROW("{unit: ns, max: '1,5'}"), 5, {"'1,5'", "", ""}},
    {ROW("{unit: ns, max: }"), 5, {"max of line_rise is ''", "", ""}},
    {ROW("{unit: ns, max: '-'}"), 5, {"'-'", "", ""}},
    {ROW("{unit: ns, max: 12 ns}"), 5, {"'12 ns'", "", ""}},
    {ROW("{unit: ns, max: 1, marginal: wide}"), 5, {"marginal of line_rise is 'wide'", "", ""}},
    /* of the outline of YAML */
    {HEAD "limits:\n  lost: &a {unit: count, max: 0}\n",
     5,
     {"anchor '&a'", "no anchors", "write the value out"}},
    {HEAD "limits: *a\n", 4, {"alias '*a'", "", ""}},
    {HEAD "limits: !!map {}\n", 4, {"tag", "no tags", "remove it"}},
    {FULL "---\na: 1\n", 5, {"second document", "a file holds one", "split it"}},
    {HEAD "limits: {lost: {unit: [[[[[[[[1]]]]]]]]}}\n", 4, {"nested deeper than 8", "needs 4 at most", ""}},
    {HEAD "limits: [\n", 5, {"not valid YAML", "", "check indentation"}},
    {HEAD "\tlimits: 1\n", 4, {"a tab in column 1", "", "blanks"}},
    {"title: t\nversion: \xff\n", 2, {"not UTF-8", "byte 18", "save the file as UTF-8"}},
    {"title: \xc3\n", 1, {"not UTF-8", "", ""}},
    {"title: a\x01z\n", 1, {"control", "", ""}},
};

TEST(every_error_has_its_line_value_limit_and_remedy)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct pb_limit_set limits;
        struct pb_diag diag = {""};
        const char *where = formatted("l.yaml:%u: ", refused[i].line);
        const int code = pb_limits_parse(&limits, "l.yaml", refused[i].text, strlen(refused[i].text), &diag);
        if (code != PB_ERR_CONFIG)
            fail_msg("%d is returned for:\n%s", code, refused[i].text);
        if (strncmp(diag.text, where, strlen(where)))
            fail_msg("not line %u: %s", refused[i].line, diag.text);
        for (size_t k = 0; k < COUNT(refused[i].word); k++)
            if (!strstr(diag.text, refused[i].word[k]))
                fail_msg("'%s' is missing: %s", refused[i].word[k], diag.text);
        if (strchr(diag.text, '\n') || diag.text[strlen(diag.text) - 1] == '.')
            fail_msg("no line without a full stop: %s", diag.text);
    }
}

TEST(a_long_rationale_is_refused_not_cut)
{
    struct pb_limit_set limits;
    struct pb_diag diag = {""};
    const char *text = formatted(ROW("{unit: ns, max: 1, rationale: %0240d}"), 1);
    assert_int_equal(pb_limits_parse(&limits, "l.yaml", text, strlen(text), &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text, "l.yaml:5: rationale of line_rise has 240 bytes; at most 239 are kept");
}

/* The reader takes a length: nothing after it counts, and a zero byte is no end. */
TEST(the_length_ends_the_file)
{
    struct pb_limit_set limits;
    struct pb_diag diag = {""};
    static const char text[] = FULL "garbage: [";
    assert_int_equal(pb_limits_parse(&limits, "l.yaml", text, strlen(FULL), &diag), PB_OK);
    static const char zero[] = "title: a\0b\n";
    assert_int_equal(pb_limits_parse(&limits, "l.yaml", zero, sizeof zero - 1, &diag), PB_ERR_CONFIG);
}

/* ---- decision */

/* Limits 0 to 100. A value passes, is marginal, or fails: from which value on, counted from below. */
TEST(each_rule_decides_at_its_boundaries)
{
    static const struct {
        enum pb_acceptance rule;
        int64_t u95, band;
        int64_t marginal, pass; /* the least of each; above 50 the same from the other limit */
    } row[] = {
        /* simple: pass from the limit on; U95 does not count */
        {PB_ACCEPT_SIMPLE, 0, 0, 0, 0},
        {PB_ACCEPT_SIMPLE, 10, 0, 0, 0},
        {PB_ACCEPT_SIMPLE, 10, 5, 0, 5},
        /* guarded, w = U: fail up to limit + U */
        {PB_ACCEPT_GUARDED, 0, 0, 0, 0},
        {PB_ACCEPT_GUARDED, 10, 0, 10, 10},
        {PB_ACCEPT_GUARDED, 10, 5, 10, 15},
        /* non-binary, w = U: fail below limit - U, marginal to limit + U */
        {PB_ACCEPT_NON_BINARY, 0, 0, 0, 0},
        {PB_ACCEPT_NON_BINARY, 10, 0, -10, 10},
        {PB_ACCEPT_NON_BINARY, 10, 5, -10, 15},
        {PB_ACCEPT_NON_BINARY, 0, 5, 0, 5},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_limit_set limits = {.rule = row[i].rule};
        limits.limit[PB_ITEM_START] =
            (struct pb_limit){.given = true, .lower = 0, .upper = 100, .band = row[i].band};
        for (int64_t value = -20; value <= 120; value++) {
            const int64_t from_below = value <= 50 ? value : 100 - value;
            struct pb_item_value judged = {.item = PB_ITEM_START, .value = value, .u95 = row[i].u95};
            pb_item_judge(&judged, &limits);
            const enum pb_judgement wanted = from_below >= row[i].pass       ? PB_JUDGED_PASS
                                             : from_below >= row[i].marginal ? PB_JUDGED_MARGINAL
                                                                             : PB_JUDGED_FAIL;
            if (judged.judgement != wanted)
                fail_msg("row %zu, %lld: %s", i, (long long)value, pb_judgement_name(judged.judgement));
            assert_true(judged.margin == from_below && judged.lower == 0 && judged.upper == 100);
        }
    }
}

TEST(one_limit_leaves_the_other_side_open)
{
    struct pb_limit_set limits = {.rule = PB_ACCEPT_NON_BINARY};
    struct pb_item_value value = {.item = PB_ITEM_TAIL, .u95 = 10};
    limits.limit[PB_ITEM_TAIL] = (struct pb_limit){.given = true, .lower = -5, .upper = PB_ABSENT};
    static const struct {
        int64_t value;
        enum pb_judgement judgement;
    } row[] = {{-16, PB_JUDGED_FAIL}, {-15, PB_JUDGED_MARGINAL}, {4, PB_JUDGED_MARGINAL}, {5, PB_JUDGED_PASS},
               {9000000000000000, PB_JUDGED_PASS}};
    for (size_t i = 0; i < COUNT(row); i++) {
        value.value = row[i].value;
        pb_item_judge(&value, &limits);
        assert_int_equal(value.judgement, row[i].judgement);
        assert_true(value.margin == row[i].value + 5 && value.upper == PB_ABSENT);
        /* Mirrored: an upper limit of 5. */
        limits.limit[PB_ITEM_LATENCY] = (struct pb_limit){.given = true, .lower = PB_ABSENT, .upper = 5};
        struct pb_item_value mirrored = {.item = PB_ITEM_LATENCY, .u95 = 10, .value = -row[i].value};
        pb_item_judge(&mirrored, &limits);
        assert_int_equal(mirrored.judgement, row[i].judgement);
        assert_true(mirrored.margin == row[i].value + 5 && mirrored.lower == PB_ABSENT);
    }
}

TEST(a_value_without_a_limit_is_not_judged)
{
    const struct pb_limit_set limits = {.rule = PB_ACCEPT_GUARDED};
    struct pb_item_value value = {.item = PB_ITEM_LOST, .value = 7, .lower = 1, .margin = 2,
                                  .judgement = PB_JUDGED_FAIL};
    pb_item_judge(&value, &limits);
    assert_int_equal(value.judgement, PB_NOT_JUDGED);
    assert_true(value.lower == PB_ABSENT && value.upper == PB_ABSENT && value.margin == PB_ABSENT);
}

/* A node may report any number as its version. */
TEST(extreme_values_have_a_margin)
{
    static const int64_t extreme[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX};
    struct pb_limit_set limits = {.rule = PB_ACCEPT_NON_BINARY};
    limits.limit[PB_ITEM_FIRMWARE] =
        (struct pb_limit){.given = true, .lower = 1, .upper = 9000000000000000};
    for (size_t i = 0; i < COUNT(extreme); i++) {
        struct pb_item_value value = {.item = PB_ITEM_FIRMWARE, .value = extreme[i]};
        pb_item_judge(&value, &limits);
        assert_int_equal(value.judgement, PB_JUDGED_FAIL);
        assert_true(value.margin < -9000000000000000 && value.margin != PB_ABSENT);
    }
}

/* ---- the whole */

/* Values of items without a row are no reason for a go. */
TEST(a_validation_that_judged_nothing_is_incomplete)
{
    struct pb_item_value value[2] = {{.item = PB_ITEM_LOST, .value = 7}, {.item = PB_ITEM_TAIL, .value = 7}};
    struct pb_validation validation = {.steps = 1, .value = value, .values = 2};
    char text[PB_UNJUDGED_SIZE];
    validation.step[0].state = PB_STEP_PASS;
    snprintf(validation.limits.title, sizeof validation.limits.title, "mine");
    assert_int_equal(pb_validation_go(&validation), PB_GO_INCOMPLETE);
    pb_validation_unjudged(&validation, text);
    assert_non_null(strstr(text, "in the limits 'mine', so nothing was judged"));
    value[1].judgement = PB_JUDGED_PASS;
    assert_int_equal(pb_validation_go(&validation), PB_GO);
    assert_string_equal(pb_validation_unjudged(&validation, text), "");
    validation.step[0].state = PB_STEP_FAIL;
    value[1].judgement = PB_NOT_JUDGED;
    assert_int_equal(pb_validation_go(&validation), PB_NO_GO);
}

static enum pb_go go_of(size_t steps, const enum pb_step_state *state, const char *incomplete)
{
    struct pb_validation *validation = hand_over(calloc(1, sizeof *validation), free);
    validation->steps = (unsigned)steps;
    for (size_t i = 0; i < steps; i++)
        validation->step[i].state = state[i];
    snprintf(validation->step[0].id, sizeof validation->step[0].id, "bench");
    snprintf(validation->incomplete, sizeof validation->incomplete, "%s", incomplete);
    return pb_validation_go(validation);
}
#define GO(incomplete, ...)                                                                                  \
    go_of(COUNT(((enum pb_step_state[]){__VA_ARGS__})), (enum pb_step_state[]){__VA_ARGS__}, incomplete)

TEST(go_needs_a_step_that_passed_and_none_that_did_not)
{
    const enum pb_step_state pass = PB_STEP_PASS, marginal = PB_STEP_MARGINAL, failed = PB_STEP_FAIL,
                             error = PB_STEP_ERROR, skipped = PB_STEP_SKIPPED;
    assert_int_equal(GO("", pass, skipped), PB_GO);
    assert_int_equal(GO("", pass, marginal), PB_GO_MARGINAL);
    assert_int_equal(GO("", marginal), PB_GO_MARGINAL);
    assert_int_equal(GO("", pass, marginal, error, failed), PB_NO_GO);
    assert_int_equal(GO("stopped", pass, failed), PB_NO_GO);
    assert_int_equal(GO("stopped", pass), PB_GO_INCOMPLETE);
    assert_int_equal(GO("", pass, error), PB_GO_INCOMPLETE);
    assert_int_equal(GO("", error, skipped), PB_GO_NOT_READY);
    assert_int_equal(GO("stopped", error, skipped), PB_GO_INCOMPLETE);
    assert_int_equal(GO("", skipped, skipped), PB_GO_INCOMPLETE);
    assert_int_equal(go_of(0, NULL, ""), PB_GO_INCOMPLETE);
}

TEST(a_step_is_as_good_as_its_worst_value)
{
    struct pb_validation *validation = hand_over(calloc(1, sizeof *validation), free);
    static const int64_t value[] = {50, 95, 50, 120};
    static const enum pb_step_state wanted[] = {PB_STEP_PASS, PB_STEP_MARGINAL, PB_STEP_MARGINAL,
                                                PB_STEP_FAIL};
    validation->limits.rule = PB_ACCEPT_NON_BINARY;
    validation->limits.limit[PB_ITEM_START] = (struct pb_limit){.given = true, .lower = 0, .upper = 100};
    validation->steps = 1;
    assert_int_equal(pb_validation_state(validation, &validation->step[0]), PB_STEP_PASS);
    assert_null(pb_step_worst(validation, &validation->step[0]));
    for (size_t i = 0; i < COUNT(value); i++) {
        const struct pb_item_value one = {.item = PB_ITEM_START, .value = value[i], .u95 = 10};
        assert_int_equal(pb_validation_add(validation, &one), PB_OK);
        assert_int_equal(pb_validation_state(validation, &validation->step[0]), wanted[i]);
        assert_true(pb_step_worst(validation, &validation->step[0])->value == (i % 2 ? value[i]
                                                                               : i   ? 95
                                                                                     : 50));
    }
    pb_validation_clear(validation);
}

/* 24 phases of 24 are what the schedule gives a message in a 12-cube, and version 7 is the only one allowed,
 * or the least one, which says no more of the node: the worst margin is that of the start, which the node
 * decides. A latency beyond its bound is the worst. */
TEST(margins_that_theory_fixes_are_not_ranked)
{
    struct pb_validation *validation = hand_over(calloc(1, sizeof *validation), free);
    static const struct pb_item_value value[] = {{.item = PB_ITEM_FIRMWARE, .value = 7},
                                                 {.item = PB_ITEM_LATENCY, .value = 24},
                                                 {.item = PB_ITEM_FIRMWARE, .value = 7},
                                                 {.item = PB_ITEM_START, .value = 20},
                                                 {.item = PB_ITEM_LATENCY, .value = 25}};
    validation->limits.limit[PB_ITEM_FIRMWARE] = (struct pb_limit){.given = true, .lower = 7, .upper = 7};
    validation->limits.limit[PB_ITEM_LATENCY] =
        (struct pb_limit){.given = true, .lower = PB_ABSENT, .upper = 24};
    validation->limits.limit[PB_ITEM_START] = (struct pb_limit){.given = true, .lower = 0, .upper = 100};
    validation->steps = 1;
    for (size_t i = 0; i < COUNT(value); i++) {
        if (i == 2)
            validation->limits.limit[PB_ITEM_FIRMWARE].upper = PB_ABSENT;
        assert_int_equal(pb_validation_add(validation, &value[i]), PB_OK);
        const struct pb_item_value *worst = pb_validation_worst(validation);
        if (i < 3)
            assert_null(worst);
        else
            assert_int_equal(worst->value, i == 3 ? 20 : 25);
    }
    pb_validation_clear(validation);
}

/* ---- the limits of this program */

TEST(the_default_limits_have_every_item_with_a_reason)
{
    struct pb_limit_set limits, built_in;
    size_t length;
    const char *text = file_read("host/production/limits/default.yaml", &length);
    assert_succeeds(pb_limits_parse(&limits, "host/production/limits/default.yaml", text, length, &diag));
    for (int item = 0; item < PB_ITEMS; item++) {
        if (!limits.limit[item].given)
            fail_msg("host/production/limits/default.yaml has no row for %s", pb_item_id(item));
        if (strlen(limits.limit[item].rationale) < 20)
            fail_msg("host/production/limits/default.yaml has no rationale for %s", pb_item_id(item));
    }
    assert_succeeds(cli_default_limits(&built_in, &diag));
    assert_int_equal(built_in.crc32, limits.crc32);
    assert_int_equal(limits.rule, PB_ACCEPT_NON_BINARY);
}

/* Of the analysis: 409/1280 of a bit of 1 us, a bound of 2n phases at n = 12, a phase of 100 us at 10 kHz,
 * 2.9957/n at n = 2,996, a tick of 83.333 ns at 12 MHz. */
TEST(the_default_limits_are_those_of_the_analysis)
{
    struct pb_limit_set limits;
    assert_succeeds(cli_default_limits(&limits, &diag));
    const struct pb_limit *limit = limits.limit;
    assert_true(limit[PB_ITEM_LINE_RISE].upper == 409 * 1000000 / 1280);
    assert_true(limit[PB_ITEM_BIT_TIME].lower == -25000000 && limit[PB_ITEM_BIT_TIME].upper == 25000000);
    assert_true(limit[PB_ITEM_TOLERANCE_FAST].lower == 25000 && limit[PB_ITEM_TOLERANCE_SLOW].lower == 25000);
    for (int item = 0; item < PB_ITEMS; item++)
        assert_true(limit[item].band == 0); /* marginal is what lies within U95 of a limit */
    assert_true(limit[PB_ITEM_LATENCY].upper == 2 * 12);
    assert_true(limit[PB_ITEM_PHASE_LEAST].upper == 100000000);
    assert_true(limit[PB_ITEM_CLOCK_CEILING].lower == 10000000);
    assert_true(limit[PB_ITEM_START].lower == -100000 && limit[PB_ITEM_START].upper == 1000000);
    assert_in_range(limit[PB_ITEM_RECEIVE_ERRORS].upper, 2995700000 / 2996, 1000000);
    assert_in_range(limit[PB_ITEM_BENCH_DELAY].upper, 1000000000 / 12000, 1010000000 / 12000);
    assert_true(limit[PB_ITEM_BENCH_DELAY].lower == -limit[PB_ITEM_BENCH_DELAY].upper);
    /* Half a tick is the uncertainty of both; a value of 0 passes. */
    for (int item = PB_ITEM_BENCH_DELAY; item <= PB_ITEM_BENCH_JITTER; item++) {
        struct pb_item_value value = {.item = (enum pb_item)item, .u95 = 41667};
        pb_item_judge(&value, &limits);
        assert_int_equal(value.judgement, PB_JUDGED_PASS);
    }
}
