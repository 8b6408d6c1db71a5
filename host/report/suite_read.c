/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The JSON form of a suite, read back. Every member that is used must exist, with its type; others are
 * ignored. A case and its result have one name. Figures that are there twice must agree: each form of a
 * merged suite takes its own of them.
 */
#include "phasebench/suite.h"

#include "host/base/exit_code.h"
#include "host/base/json_text.h"
#include "json_fields.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Takes members of one object, and keeps the first that is invalid. */
struct taker {
    const json_t *object;
    const char *wrong; /* NULL: none so far */
};

static const json_t *member(struct taker *taker, const char *key, bool (*fits)(const json_t *))
{
    const json_t *value = json_object_get(taker->object, key);
    if (value && fits(value))
        return value;
    if (!taker->wrong)
        taker->wrong = key;
    return NULL;
}

static bool is_text(const json_t *value)
{
    return json_is_string(value);
}

static bool is_text_or_null(const json_t *value)
{
    return json_is_string(value) || json_is_null(value);
}

static bool is_integer(const json_t *value)
{
    return json_is_integer(value);
}

static bool is_integer_or_null(const json_t *value)
{
    return json_is_integer(value) || json_is_null(value);
}

static bool is_list(const json_t *value)
{
    return json_is_array(value);
}

static void take_text(struct taker *taker, const char *key, bool (*fits)(const json_t *), char *out,
                      size_t size)
{
    const char *text = json_string_value(member(taker, key, fits));
    snprintf(out, size, "%s", text ? text : "");
}

static int64_t take_number(struct taker *taker, const char *key, int64_t least, int64_t most)
{
    const json_t *value = member(taker, key, is_integer);
    const int64_t number = json_integer_value(value);
    if (value && number >= least && number <= most)
        return number;
    if (!taker->wrong)
        taker->wrong = key;
    return least;
}

static bool find_state(enum pb_case_state *state, const char *id)
{
    for (int i = 0; i < PB_CASE_STATES; i++)
        if (!strcmp(id, pb_case_state_id((enum pb_case_state)i))) {
            *state = (enum pb_case_state)i;
            return true;
        }
    return false;
}

static bool find_verdict(enum pb_verdict *verdict, const char *name)
{
    for (int i = PB_VERDICT_PASS; i <= PB_VERDICT_INCONCLUSIVE; i++)
        if (!strcmp(name, pb_verdict_name((enum pb_verdict)i))) {
            *verdict = (enum pb_verdict)i;
            return true;
        }
    return false;
}

static void take_unchecked(struct taker *taker, struct pb_unchecked *unchecked)
{
    const json_t *list = member(taker, "not_checked", is_list);
    for (size_t i = 0; i < json_array_size(list) && unchecked->rows < PB_UNCHECKED_ROWS; i++) {
        const char *what = json_string_value(json_array_get(list, i));
        snprintf(unchecked->row[unchecked->rows].what, sizeof unchecked->row[0].what, "%s", what ? what : "");
        unchecked->row[unchecked->rows++].runs = 1;
    }
}

static void take_case(struct taker *taker, struct pb_case *one)
{
    char word[24];
    take_text(taker, "name", is_text, one->name, sizeof one->name);
    take_text(taker, "path", is_text, one->path, sizeof one->path);
    take_text(taker, "state", is_text, word, sizeof word);
    if (!find_state(&one->state, word) && !taker->wrong)
        taker->wrong = "state";
    take_text(taker, "verdict", is_text, word, sizeof word);
    if (!find_verdict(&one->verdict, word) && !taker->wrong)
        taker->wrong = "verdict";
    take_text(taker, "reason", is_text, one->reason, sizeof one->reason);
    one->exit_code = (int)take_number(taker, "exit_code", 0, 255);
    one->slots = (uint64_t)take_number(taker, "slots_checked", 0, INT64_MAX);
    one->findings = (size_t)take_number(taker, "findings_total", 0, INT64_MAX);
    const json_t *margin = member(taker, "start_margin_ps", is_integer_or_null);
    one->margin_known = json_is_integer(margin);
    one->margin_ps = json_integer_value(margin);
    const json_t *depth = member(taker, "queue_depth", is_integer_or_null);
    one->queue_depth = json_is_integer(depth) ? json_integer_value(depth) : -1;
    one->wall_ns = take_number(taker, "wall_ns", 0, INT64_MAX);
    take_text(taker, "folder", is_text_or_null, one->folder, sizeof one->folder);
    take_text(taker, "rig", is_text_or_null, one->rig, sizeof one->rig);
    one->retries = (unsigned)take_number(taker, "retries", 0, UINT32_MAX);
    take_text(taker, "first_reason", is_text_or_null, one->first_reason, sizeof one->first_reason);
    if (json_object_get(taker->object, "first_run")) /* which an earlier phasebench did not write */
        take_text(taker, "first_run", is_text_or_null, one->first_id, sizeof one->first_id);
    take_unchecked(taker, &one->unchecked);
    const json_t *quarantine = json_object_get(taker->object, "quarantine");
    if (json_is_object(quarantine)) {
        struct taker inner = {.object = quarantine};
        take_text(&inner, "reason", is_text, one->quarantine, sizeof one->quarantine);
        take_text(&inner, "until", is_text, one->until, sizeof one->until);
        taker->wrong = taker->wrong ? taker->wrong : inner.wrong;
    }
}

static void take_rig(struct taker *taker, struct pb_suite_rig *rig)
{
    take_text(taker, "url", is_text, rig->url, sizeof rig->url);
    take_text(taker, "serial", is_text_or_null, rig->serial, sizeof rig->serial);
    rig->cases = (size_t)take_number(taker, "cases", 0, INT64_MAX);
    take_text(taker, "lost", is_text_or_null, rig->lost, sizeof rig->lost);
}

static int wrong_member(const struct taker *taker, const char *list, size_t row, struct pb_diag *diag)
{
    return taker->wrong ? pb_fail(diag, PB_ERR_CONFIG,
                                  "report: suite: %s[%zu].%s is missing or wrong; give a file written by "
                                  "phasebench run --json",
                                  list, row, taker->wrong)
                        : PB_OK;
}

static int take_suite(struct pb_suite *suite, const json_t *object, struct pb_diag *diag)
{
    struct taker taker = {.object = object};
    const json_t *cases = member(&taker, "cases", is_list), *rigs = member(&taker, "rigs", is_list);
    const json_t *shard = json_object_get(object, "shard");
    suite->exit_code = (int)take_number(&taker, "exit_code", 0, 255);
    suite->wall_ns = take_number(&taker, "wall_ns", 0, INT64_MAX);
    suite->jobs = (unsigned)take_number(&taker, "jobs", 1, UINT32_MAX);
    take_text(&taker, "started_utc", is_text, suite->started_utc, sizeof suite->started_utc);
    suite->last_failed = json_is_true(json_object_get(object, "last_failed"));
    if (json_is_object(shard)) {
        struct taker inner = {.object = shard};
        suite->shards = (unsigned)take_number(&inner, "of", 1, PB_SUITE_SHARDS_MAX);
        suite->shard = (unsigned)take_number(&inner, "index", 1, suite->shards);
        take_text(&inner, "suite", is_text, suite->shard_of, sizeof suite->shard_of);
        taker.wrong = taker.wrong ? taker.wrong : inner.wrong;
    }
    if (taker.wrong)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "report: suite.%s is missing or wrong; give a file written by phasebench run --json",
                       taker.wrong);
    suite->one = calloc(json_array_size(cases) + 1, sizeof *suite->one);
    suite->rig = calloc(json_array_size(rigs) + 1, sizeof *suite->rig);
    if (!suite->one || !suite->rig)
        return pb_fail(diag, PB_ERR_MEMORY, "report: no memory for %zu cases", json_array_size(cases));
    int status = PB_OK;
    for (; suite->count < json_array_size(cases) && !status; suite->count++) {
        struct taker inner = {.object = json_array_get(cases, suite->count)};
        take_case(&inner, &suite->one[suite->count]);
        status = wrong_member(&inner, "cases", suite->count, diag);
    }
    for (; suite->rigs < json_array_size(rigs) && !status; suite->rigs++) {
        struct taker inner = {.object = json_array_get(rigs, suite->rigs)};
        take_rig(&inner, &suite->rig[suite->rigs]);
        status = wrong_member(&inner, "rigs", suite->rigs, diag);
    }
    return status;
}

static int take_results(struct pb_suite_document *out, const json_t *list, struct pb_diag *diag)
{
    int status = PB_OK;
    out->result = calloc(out->suite.count + 1, sizeof *out->result);
    if (!out->result)
        return pb_fail(diag, PB_ERR_MEMORY, "report: no memory for %zu results", json_array_size(list));
    size_t at = 0;
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        struct pb_diag inner = {""};
        struct pb_result *result;
        status = pb_json_result(&result, json_array_get(list, i), &inner);
        if (status)
            return pb_fail(diag, status, "run %zu of %zu: %s", i + 1, json_array_size(list), inner.text);
        while (at < out->suite.count && strcmp(out->suite.one[at].name, result->scenario))
            at++;
        if (at == out->suite.count) {
            status = pb_fail(diag, PB_ERR_CONFIG,
                             "report: run %zu is '%.80s', which is no later case of the suite", i + 1,
                             result->scenario);
            pb_result_free(result);
        } else {
            out->result[at++] = result;
        }
    }
    return status;
}

/* ---- figures that are there twice */

#define REMEDY "the file was changed after its run: give it as phasebench wrote it, or run again"

static int differ(struct pb_diag *diag, const char *key, int64_t says, int64_t cases)
{
    return pb_fail(diag, PB_ERR_CONFIG, "report: suite.%s is %" PRId64 ", by its cases %" PRId64 "; " REMEDY,
                   key, says, cases);
}

/* The counts and the verdict of the suite against its cases. */
static int check_totals(const struct pb_suite *suite, const json_t *object, struct pb_diag *diag)
{
    const struct pb_suite_totals totals = pb_suite_count(suite);
    const struct {
        const char *key;
        size_t cases;
    } row[] = {{"scenarios", suite->count},
               {pb_verdict_name(PB_VERDICT_PASS), totals.verdict[PB_VERDICT_PASS]},
               {pb_verdict_name(PB_VERDICT_MARGINAL), totals.verdict[PB_VERDICT_MARGINAL]},
               {pb_verdict_name(PB_VERDICT_FAIL), totals.verdict[PB_VERDICT_FAIL]},
               {pb_verdict_name(PB_VERDICT_INCONCLUSIVE), totals.verdict[PB_VERDICT_INCONCLUSIVE]},
               {"skipped", totals.state[PB_CASE_SKIPPED]},
               {"not_judged", totals.not_judged},
               {"flaky", totals.flaky},
               {"quarantined", totals.excused},
               {"quarantine_passed", totals.healed}};
    struct taker taker = {.object = object};
    char word[24];
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const int64_t says = take_number(&taker, row[i].key, 0, INT64_MAX);
        if (!taker.wrong && says != (int64_t)row[i].cases)
            return differ(diag, row[i].key, says, (int64_t)row[i].cases);
    }
    take_text(&taker, "verdict", is_text, word, sizeof word);
    if (taker.wrong)
        return pb_fail(diag, PB_ERR_CONFIG, "report: suite.%s is missing or wrong; " REMEDY, taker.wrong);
    return strcmp(word, pb_verdict_name(totals.worst))
               ? pb_fail(diag, PB_ERR_CONFIG, "report: suite.verdict is %s, by its cases %s; " REMEDY, word,
                         pb_verdict_name(totals.worst))
               : PB_OK;
}

/* What ends a run, or a suite, whatever the verdict of its node: all that is worse than a failed one. */
static bool is_of_bench(int exit_code)
{
    const int failed = pb_verdict_exit_code(PB_VERDICT_FAIL);
    return exit_code != failed && pb_worse_exit_code(failed, exit_code) == exit_code;
}

/* The bench may make the exit code of a suite worse than that of its cases. */
static int check_exit_code(const struct pb_suite *suite, struct pb_diag *diag)
{
    int worst = 0;
    for (size_t i = 0; i < suite->count; i++)
        if (!pb_case_excused(&suite->one[i]))
            worst = pb_worse_exit_code(worst, suite->one[i].exit_code);
    return suite->exit_code == worst ||
                   (is_of_bench(suite->exit_code) &&
                    pb_worse_exit_code(suite->exit_code, worst) == suite->exit_code)
               ? PB_OK
               : differ(diag, "exit_code", suite->exit_code, worst);
}

/* A case that ran to a result has it, with the same figures; one that did not run has none. */
static int check_case(const struct pb_case *one, const struct pb_result *result, struct pb_diag *diag)
{
    const bool ran = pb_case_ran(one);
    if (!result && ran && one->state != PB_CASE_CRASHED)
        return pb_fail(diag, PB_ERR_CONFIG, "report: case '%.80s' is %s and has no result; " REMEDY,
                       one->name, pb_case_state_id(one->state));
    if (result && !ran)
        return pb_fail(diag, PB_ERR_CONFIG, "report: case '%.80s' is %s and has a result; " REMEDY, one->name,
                       pb_case_state_id(one->state));
    if (result && one->verdict != result->verdict)
        return pb_fail(diag, PB_ERR_CONFIG, "report: case '%.80s' has verdict %s, its result %s; " REMEDY,
                       one->name, pb_verdict_name(one->verdict), pb_verdict_name(result->verdict));
    if (result && one->findings != result->findings_total)
        return pb_fail(diag, PB_ERR_CONFIG, "report: case '%.80s' has %zu findings, its result %zu; " REMEDY,
                       one->name, one->findings, (size_t)result->findings_total);
    if (result && one->slots != result->slots_checked)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "report: case '%.80s' has %" PRIu64 " slots, its result %" PRIu64 "; " REMEDY,
                       one->name, one->slots, (uint64_t)result->slots_checked);
    const int expected = ran ? pb_verdict_exit_code(one->verdict) : 0;
    if (one->exit_code != expected && !is_of_bench(one->exit_code))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "report: case '%.80s' has exit code %d, by its verdict %d; " REMEDY, one->name,
                       one->exit_code, expected);
    return PB_OK;
}

/* What a case says of its retries and its quarantine, against what follows from them. */
static int check_flags(const struct pb_case *one, const json_t *object, struct pb_diag *diag)
{
    const json_t *const quarantine = json_object_get(object, "quarantine");
    const struct {
        const char *key;
        const json_t *says;
        bool is;
    } flag[] = {{"flaky", json_object_get(object, "flaky"), pb_case_flaky(one)},
                {"excused", json_object_get(quarantine, "excused"), pb_case_excused(one)}};
    for (size_t i = 0; i < (*one->quarantine ? 2 : 1); i++)
        if (!json_is_boolean(flag[i].says) || json_is_true(flag[i].says) != flag[i].is)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "report: case '%.80s' has %s %s, by its runs and quarantine %s; " REMEDY,
                           one->name, flag[i].key,
                           !json_is_boolean(flag[i].says) ? "missing"
                           : flag[i].is                   ? "false"
                                                          : "true",
                           flag[i].is ? "true" : "false");
    return !one->retries == !*one->first_reason
               ? PB_OK
               : pb_fail(diag, PB_ERR_CONFIG, "report: case '%.80s' has %u retries, %s first_reason; " REMEDY,
                         one->name, one->retries, one->retries ? "and no" : "but a");
}

static int check_figures(const struct pb_suite_document *document, const json_t *object, struct pb_diag *diag)
{
    int status = PB_OK;
    if (!document->suite.count)
        return pb_fail(diag, PB_ERR_CONFIG, "report: suite.cases is empty; " REMEDY);
    for (size_t i = 0; i < document->suite.count && !status; i++)
        status = check_case(&document->suite.one[i], document->result[i], diag);
    for (size_t i = 0; i < document->suite.count && !status; i++)
        status = check_flags(&document->suite.one[i], json_array_get(json_object_get(object, "cases"), i),
                             diag);
    if (!status)
        status = check_totals(&document->suite, object, diag);
    return status ? status : check_exit_code(&document->suite, diag);
}

/* The document of a run alone is a suite of one. */
static int take_run(struct pb_suite_document *out, const json_t *document, struct pb_diag *diag)
{
    struct pb_suite *suite = &out->suite;
    suite->one = calloc(1, sizeof *suite->one);
    out->result = calloc(1, sizeof(struct pb_result *));
    if (!suite->one || !out->result)
        return pb_fail(diag, PB_ERR_MEMORY, "report: no memory for a case");
    const int status = pb_json_result(&out->result[0], document, diag);
    if (status)
        return status;
    const struct pb_result *result = out->result[0];
    suite->count = suite->jobs = 1;
    snprintf(suite->one->name, sizeof suite->one->name, "%s", result->scenario);
    pb_case_fill(suite->one, result);
    suite->one->state = *result->incomplete ? PB_CASE_INCOMPLETE : PB_CASE_JUDGED;
    suite->one->exit_code = suite->exit_code = pb_verdict_exit_code(result->verdict);
    suite->wall_ns = result->wall_ns;
    snprintf(suite->started_utc, sizeof suite->started_utc, "%s", result->started_utc);
    return PB_OK;
}

int pb_suite_read_json(struct pb_suite_document *out, const char *text, size_t length, struct pb_diag *diag)
{
    json_t *document;
    *out = (struct pb_suite_document){.result = NULL};
    int status = pb_json_document(&document, text, length, diag);
    if (status)
        return status;
    const json_t *suite = json_object_get(document, "suite");
    if (!suite)
        status = take_run(out, document, diag);
    else if (json_integer_value(json_object_get(document, "schema_version")) != PB_RESULT_SCHEMA_VERSION)
        status = pb_fail(diag, PB_ERR_CONFIG,
                         "report: schema_version is not %d; give a file written by this phasebench",
                         PB_RESULT_SCHEMA_VERSION);
    else
        status = take_suite(&out->suite, suite, diag);
    if (suite && !status)
        status = take_results(out, json_object_get(document, "results"), diag);
    if (suite && !status)
        status = check_figures(out, suite, diag);
    json_decref(document);
    if (status)
        pb_suite_document_free(out);
    return status;
}

void pb_suite_document_free(struct pb_suite_document *document)
{
    for (size_t i = 0; document->result && i < document->suite.count; i++)
        pb_result_free(document->result[i]);
    free(document->result);
    free(document->suite.one);
    free(document->suite.rig);
    *document = (struct pb_suite_document){.result = NULL};
}
