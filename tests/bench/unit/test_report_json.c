/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The JSON form against its published schema (by a checker written here), there and back, and what the reader
 * must refuse. Run from the top of the tree.
 */
#include "host/base/utf8.h"
#include "form_checks.h"
#include "report_fixture.h"

#include "phasebench/suite.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Cases from the Unicode Standard, table 3-7: what is well formed and what is not. */
TEST(test_utf8)
{
    static const struct {
        const char *in, *out;
    } example[] = {
        {"a\xc2\xb5\xe2\x82\xac\xf0\x9f\x98\x80", "a\xc2\xb5\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
        {"\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* overlong */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"x\xe2\x82", "x\xef\xbf\xbd\xef\xbf\xbd"}, /* cut */
        {"\xff", "\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof example / sizeof example[0]; i++) {
        char out[64];
        pb_utf8_clean(out, sizeof out, example[i].in);
        assert_string_equal(out, example[i].out);
    }
    char small[4];
    pb_utf8_clean(small, sizeof small, "ab\xe2\x82\xac");
    assert_string_equal(small, "ab");
}

static void check_json(const json_t *schema, const struct pb_result *result)
{
    char *text = fixture_rendered(JSON, result);
    json_error_t error;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("line %d: %s", error.line, error.text);
    check_schema(schema, schema, document, "document");
    json_decref(document);
}

TEST(test_json_follows_schema)
{
    json_t *schema = check_load_schema("docs/reference/result.schema.json");
    EACH_FIXTURE(result, i)
    {
        check_json(schema, result);
        fixture_make_hostile(result);
        check_json(schema, result);
    }
    json_t *ids = json_object_get(
        json_object_get(
            json_object_get(json_object_get(json_object_get(schema, "$defs"), "finding"), "properties"),
            "id"),
        "enum");
    assert_int_equal(json_array_size(ids), PB_FINDING_KINDS);
    for (size_t i = 0; i < PB_FINDING_KINDS; i++)
        assert_string_equal(json_string_value(json_array_get(ids, i)),
                            pb_finding_id((enum pb_finding_kind)i));
    json_decref(schema);
}

/* A suite of the fixtures, with hostile text in every second one, and one scenario that was not run. */
TEST(test_suite_follows_schema)
{
    struct pb_case one[FIXTURES + 1] = {{.name = ""}};
    const struct pb_suite suite = {.one = one,
                                   .count = FIXTURES + 1,
                                   .jobs = 2,
                                   .exit_code = 130,
                                   .started_utc = "2026-01-01T00:00:00Z"};
    FILE *stream = open_text();
    EACH_FIXTURE(result, i)
    {
        if (i % 2)
            fixture_make_hostile(result);
        pb_case_fill(&one[i], result);
        one[i].state = PB_CASE_JUDGED;
        assert_int_equal(fputs(i ? ",\n" : "", stream) < 0, false);
        assert_int_equal(pb_report_json(stream, result), PB_OK);
    }
    const char *bodies = close_text(stream);
    one[FIXTURES].verdict = PB_VERDICT_INCONCLUSIVE;
    stream = open_text();
    assert_int_equal(pb_suite_json_begin(stream, &suite), PB_OK);
    fputs(bodies, stream);
    assert_int_equal(pb_suite_json_end(stream), PB_OK);
    const char *text = close_text(stream);
    json_error_t error;
    json_t *schema = check_load_schema("docs/reference/result.schema.json"),
           *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("line %d: %s", error.line, error.text);
    check_schema(schema, schema, document, "suite");
    assert_int_equal(json_array_size(json_object_get(document, "results")), FIXTURES);
    /* Of the fixtures three pass, or pass with a marginal start, one fails and one is inconclusive. */
    const json_t *totals = json_object_get(document, "suite");
    assert_string_equal(json_string_value(json_object_get(totals, "verdict")), "fail");
    assert_int_equal(json_integer_value(json_object_get(totals, "pass")) +
                         json_integer_value(json_object_get(totals, "marginal")),
                     3);
    assert_int_equal(json_integer_value(json_object_get(totals, "fail")), 1);
    assert_int_equal(json_integer_value(json_object_get(totals, "inconclusive")), 1);
    assert_int_equal(json_integer_value(json_object_get(totals, "not_judged")), 1);
    json_decref(document);
    json_decref(schema);
}

/* A suite as text: the fixtures, with a case in quarantine, one that was run again, one skipped and one not
 * run. */
static const char *written(const struct pb_suite *suite, struct pb_result *const *result)
{
    FILE *stream = open_text();
    bool any = false;
    assert_int_equal(pb_suite_json_begin(stream, suite), PB_OK);
    for (size_t i = 0; i < suite->count; i++) {
        if (!result[i])
            continue;
        fputs(any ? ",\n" : "", stream);
        assert_int_equal(pb_report_json(stream, result[i]), PB_OK);
        any = true;
    }
    assert_int_equal(pb_suite_json_end(stream), PB_OK);
    return close_text(stream);
}

static const char *suite_text(void)
{
    static struct pb_case one[FIXTURES + 2];
    static struct pb_suite_rig rig[2] = {{.url = "ftdi:A", .serial = "7", .cases = 3},
                                         {.url = "ftdi:B", .lost = "unplugged"}};
    static struct pb_result *result[FIXTURES + 2];
    const struct pb_suite suite = {.one = one,
                                   .count = FIXTURES + 2,
                                   .jobs = 2,
                                   .exit_code = 5, /* the case that fails is in quarantine */
                                   .wall_ns = 123456789,
                                   .started_utc = "2026-01-01T00:00:00Z",
                                   .shard = 2,
                                   .shards = 3,
                                   .shard_of = "0123abcd",
                                   .rig = rig,
                                   .rigs = 2};
    EACH_FIXTURE(each, i)
    {
        result[i] = each;
        pb_case_fill(&one[i], each);
        snprintf(one[i].name, sizeof one[i].name, "%s", each->scenario);
        snprintf(one[i].folder, sizeof one[i].folder, "folder-%zu", (size_t)i);
        one[i].state = PB_CASE_JUDGED;
        one[i].exit_code = pb_verdict_exit_code(each->verdict);
    }
    snprintf(one[1].quarantine, sizeof one[1].quarantine, "ticket 12");
    snprintf(one[1].until, sizeof one[1].until, "2999-12-31");
    one[2].retries = 2;
    snprintf(one[2].first_reason, sizeof one[2].first_reason, "late");
    one[FIXTURES] = (struct pb_case){.name = "skipped", .state = PB_CASE_SKIPPED, .reason = "not its codec"};
    one[FIXTURES + 1] = (struct pb_case){
        .name = "left", .verdict = PB_VERDICT_INCONCLUSIVE, .state = PB_CASE_NOT_RUN, .queue_depth = -1};
    return written(&suite, result);
}

TEST(suite_is_read_back)
{
    const char *text = suite_text();
    struct pb_suite_document document;
    assert_succeeds(pb_suite_read_json(&document, text, strlen(text), &diag));
    assert_int_equal(document.suite.count, FIXTURES + 2);
    assert_int_equal(document.suite.shard, 2);
    assert_int_equal(document.suite.shards, 3);
    assert_null(document.result[FIXTURES]);
    assert_string_equal(written(&document.suite, document.result), text);
    pb_suite_document_free(&document);
    pb_suite_document_free(&document);
}

TEST(run_alone_is_a_suite_of_one)
{
    struct pb_suite_document document;
    const char *text = fixture_rendered(JSON, fixture_fail());
    assert_succeeds(pb_suite_read_json(&document, text, strlen(text), &diag));
    assert_int_equal(document.suite.count, 1);
    assert_int_equal(document.suite.exit_code, 1);
    assert_int_equal(document.suite.shards, 0);
    assert_string_equal(document.suite.one->name, document.result[0]->scenario);
    pb_suite_document_free(&document);
}

TEST(wrong_suites_are_refused)
{
    static const struct {
        const char *part, *by, *says;
    } wrong[] = {{"\"jobs\": 2", "\"jobs\": 0", "suite.jobs"},
                 {"\"cases\": [", "\"casus\": [", "suite.cases"},
                 {"\"state\": \"judged\"", "\"state\": \"jugded\"", "cases[0].state"},
                 {"\"until\": \"2999-12-31\"", "\"until\": 7", "cases[1].until"},
                 {"\"of\": 3", "\"of\": 1", "index"},
                 {"\"state\": \"skipped\"", "\"state\": null", "cases[5].state"},
                 {"\"url\": \"ftdi:B\"", "\"url\": null", "rigs[1].url"},
                 {"\"name\": \"skipped\"", "\"name\": null", "cases[5].name"},
                 {"\"schema_version\": 5", "\"schema_version\": 4", "schema_version"},
                 {"\"cases\": [\n", "\"cases\": [], \"former\": [\n", "no later case"},
                 {"\"scenarios\": 7", "\"scenarios\": 8", "suite.scenarios is 8, by its cases 7"},
                 {"\"name\": \"bit complement through 0x2A3\"", "\"name\": \"another\"", "no later case"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct pb_suite_document document;
        struct pb_diag diag = {""};
        const char *text = fixture_replaced(suite_text(), wrong[i].part, wrong[i].by);
        assert_int_equal(pb_suite_read_json(&document, text, strlen(text), &diag), PB_ERR_CONFIG);
        if (!strstr(diag.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].by, diag.text);
        assert_null(document.result);
    }
}

/* Cut anywhere, or with one byte changed: read or refused, never more. */
TEST(mutated_suites_do_no_harm)
{
    char *text = strdup(suite_text());
    const size_t length = strlen(text), step = length / 400 + 1;
    struct pb_suite_document document;
    struct pb_diag diag;
    assert_non_null(text);
    for (size_t at = 0; at < length; at += step) {
        if (!pb_suite_read_json(&document, text, at, &diag))
            pb_suite_document_free(&document);
        const char before = text[at];
        text[at] = before == '1' ? '-' : '1';
        if (!pb_suite_read_json(&document, text, length, &diag))
            pb_suite_document_free(&document);
        text[at] = before;
    }
    free(text);
}

static struct pb_result *read_back(const char *text)
{
    struct pb_result *result;
    assert_succeeds(pb_report_read_json(&result, text, strlen(text), &diag));
    return hand_over_result(result);
}

static void assert_same(const struct pb_result *left, const struct pb_result *right)
{
    struct pb_result *copy[2] = {malloc(sizeof *left), malloc(sizeof *left)};
    memcpy(copy[0], left, sizeof *left);
    memcpy(copy[1], right, sizeof *right);
    for (int i = 0; i < 2; i++) {
        copy[i]->finding = NULL;
        copy[i]->fault = NULL;
        copy[i]->hop = NULL;
        copy[i]->measurement = NULL;
    }
    assert_memory_equal(copy[0], copy[1], sizeof *left);
    free(copy[0]);
    free(copy[1]);
    assert_memory_equal(left->hop, right->hop, left->hops * sizeof *left->hop);
    assert_memory_equal(left->measurement, right->measurement,
                        left->measurements * sizeof *left->measurement);
    if (left->faults)
        assert_memory_equal(left->fault, right->fault, left->faults * sizeof *left->fault);
    for (size_t i = 0; i < left->findings; i++) {
        const struct pb_finding *a = &left->finding[i], *b = &right->finding[i];
        assert_true(a->kind == b->kind && a->marginal == b->marginal && a->time_ps == b->time_ps);
        assert_true(a->superframe == b->superframe && a->phase == b->phase && a->link == b->link);
        assert_true(a->dimension == b->dimension && a->bit == b->bit && a->fault == b->fault &&
                    a->sender == b->sender && a->measurement == b->measurement);
        assert_string_equal(a->expected, b->expected);
        assert_string_equal(a->seen, b->seen);
    }
}

TEST(test_json_round_trip)
{
    for (int hostile = 0; hostile < 2; hostile++) {
        EACH_FIXTURE(result, i)
        {
            if (hostile)
                fixture_make_hostile(result);
            char *first = fixture_rendered(JSON, result);
            struct pb_result *again = read_back(first);
            assert_string_equal(first, fixture_rendered(JSON, again));
            if (!hostile)
                assert_same(result, again);
        }
    }
}

static void assert_refused(const char *text, size_t length, const char *word)
{
    struct pb_diag diag = {""};
    struct pb_result *result = (struct pb_result *)&diag;
    assert_int_equal(pb_report_read_json(&result, text, length, &diag), PB_ERR_CONFIG);
    assert_null(result);
    fixture_contains(diag.text, word);
    fixture_lacks(diag.text, "\n");
}

TEST(test_json_refusals)
{
    static const struct {
        const char *part, *by, *word;
    } wrong[] = {
        {"\"schema_version\": 5", "\"schema_version\": 3", "schema_version 3"},
        {"\"schema_version\": 5", "\"version\": 4", "schema_version is missing"},
        {"\"verdict\": \"fail\"", "\"verdict\": \"great\"", "verdict"},
        {"\"seed\": \"18446744073709551615\"", "\"seed\": \"18446744073709551616\"", "seed"},
        {"\"seed\": \"18446744073709551615\"", "\"seed\": \"-1\"", "seed"},
        {"\"dims\": 12", "\"dims\": 17", "settings.dims"},
        {"\"dims\": 12", "\"dims\": 11", "settings.dims"},
        {"\"network\": \"cube:12\"", "\"network\": \"cube:17\"", "settings.network"},
        {"\"network\": \"cube:12\"", "\"network\": \"mesh:12\"", "settings.network"},
        {"\"codec\": \"slot\"", "\"codec\": \"slotslot\"", "settings.codec"},
        {"\"messages\": 4096", "\"messages\": -1", "counts.messages"},
        {"\"messages\": 4096", "\"messages\": 4096.5", "counts.messages"},
        {"\"superframes\": 8", "\"superframes\": 4294967296", "settings.superframes"},
        {"\"measurements\": [", "\"measurements\": 3, \"x\": [", "measurements"},
        {"\"id\": \"node_start/link0\"", "\"id\": \"node_start/link1\"", "measurements[0].id"},
        {"\"figure\": \"node_start\"", "\"figure\": \"clock_tie\"", "measurements[0].link"},
        {"\"figure\": \"node_start\"", "\"figure\": \"weight\"", "measurements[0].figure"},
        {"\"unit\": \"ps\"", "\"unit\": \"us\"", "measurements[0].unit"},
        {"\"quantity\": \"time\"", "\"quantity\": \"mass\"", "measurements[0].quantity"},
        {"\"decision\": \"u95\"", "\"decision\": \"mood\"", "measurements[0].decision"},
        {"\"n\": ", "\"n\": 0, \"m\": ", "measurements[0].n"},
        {"\"measurement\": \"node_start/link6\"", "\"measurement\": \"node_start/link63\"",
         "findings[2].measurement"},
        {"\"id\": \"missing_frame\"", "\"id\": \"\"", "findings[1].id"},
        {"\"marginal\": false", "\"marginal\": 0", "findings[0].marginal"},
        {"\"bytes\": \"", "\"bytes\": \"0", "hops[0].bytes"},
        {"\"bins\": [0, ", "\"bins\": [", "lines[0].starts.bins"},
        {"\"bins\": [0, ", "\"bins\": [-1, ", "lines[0].starts.bins"},
        {"\"link\": 1, \"source\"", "\"link\": 2, \"source\"", "lines[1].link"},
        {"\"hops\": [", "\"hops\": 1, \"h\": [", "hops"},
        {"\"kernel\": \"", "\"kernel\": 1, \"k\": \"", "environment"},
        {"\"holds\": true", "\"holds\": true, \"holds\": true", "not JSON"},
    };
    char *text = fixture_rendered(JSON, fixture_fail());
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *changed = fixture_replaced(text, wrong[i].part, wrong[i].by);
        assert_refused(changed, strlen(changed), wrong[i].word);
    }
    assert_refused("", 0, "not JSON");
    assert_refused("[]", 2, "schema_version");
    for (size_t length = 1; length + 2 < strlen(text); length += 331)
        assert_refused(text, length, "not JSON");
    read_back(fixture_replaced(text, "\"rig\":", "\"later_addition\": {}, \"rig\":"));
}

static void refuses(json_t *root, const char *what)
{
    char *text = json_dumps(root, 0);
    struct pb_result *result;
    assert_non_null(text);
    if (pb_report_read_json(&result, text, strlen(text), NULL) != PB_ERR_CONFIG)
        fail_msg("%s is taken", what);
    free(text);
}

/* Puts 0.5, which no member of the schema may be, in place of each value within, and takes each member away.
 */
static unsigned spoil(json_t *root, json_t *within, bool optional)
{
    unsigned spoilt = 0;
    for (size_t left = json_object_size(within); left; left--) {
        /* Put back it is the last, so each comes to be the first. */
        char *key = strdup(json_object_iter_key(json_object_iter(within)));
        json_t *value = json_incref(json_object_get(within, key));
        json_object_set_new(within, key, json_real(0.5));
        refuses(root, key);
        json_object_del(within, key);
        if (!optional)
            refuses(root, key);
        json_object_set(within, key, value);
        spoilt += 1 + spoil(root, value, !strcmp(key, "environment"));
        json_decref(value);
        free(key);
    }
    const size_t count = json_array_size(within);
    for (size_t i = 0; i<count; i += count> 1 ? count - 1 : 1) { /* of a list its ends */
        json_t *value = json_incref(json_array_get(within, i));
        json_array_set_new(within, i, json_real(0.5));
        refuses(root, "an entry of a list");
        json_array_set(within, i, value);
        spoilt += 1 + spoil(root, value, false);
        json_decref(value);
    }
    return spoilt;
}

TEST(test_no_member_may_be_missing_or_of_another_type)
{
    char *text = fixture_rendered(JSON, fixture_fail());
    json_t *root = json_loads(text, 0, NULL);
    read_back(text);
    assert_in_range(spoil(root, root, false), 150, 1000);
    char *again = json_dumps(root, 0);
    read_back(again);
    json_decref(root);
    free(again);
}

/* Whatever the reader lets through, every form must survive. */
TEST(test_mutated_json)
{
    struct pb_result *result = fixture_fail();
    result->hops = 6;
    char *text = fixture_rendered(JSON, result);
    size_t length = strlen(text), accepted = 0;
    random_state = 1;
    FILE *sink = fopen("/dev/null", "w");
    assert_non_null(sink);
    for (int round = 0; round < 1500; round++) {
        size_t at = below((unsigned)length);
        char kept = text[at];
        text[at] = isdigit((unsigned char)kept) ? '9' : (char)(kept ^ (char)(1 << below(7)));
        struct pb_result *read;
        if (!pb_report_read_json(&read, text, length, NULL)) {
            accepted++;
            for (int form = 0; form < FORMS; form++)
                assert_int_equal(fixture_write(sink, (enum form)form, read), PB_OK);
            pb_result_free(read);
        }
        text[at] = kept;
    }
    assert_true(accepted > 100);
    fclose(sink);
}
