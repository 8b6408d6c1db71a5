/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Totals of a suite, and its JSON form.
 */
#include "phasebench/suite.h"

#include "host/base/utf8.h"
#include "json_fields.h"
#include "render.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

static const struct {
    const char *id, *words;
} states[] = {
#define STATE_ENTRY(name, id, words) {id, words},
    PB_CASE_STATE_LIST(STATE_ENTRY)
#undef STATE_ENTRY
};

bool pb_case_ran(const struct pb_case *one)
{
    return one->state != PB_CASE_NOT_RUN && one->state != PB_CASE_SKIPPED;
}

const char *pb_case_state_id(enum pb_case_state state)
{
    return states[state].id;
}

bool pb_case_passed(const struct pb_case *one)
{
    return one->state == PB_CASE_JUDGED && one->exit_code == 0;
}

bool pb_case_flaky(const struct pb_case *one)
{
    return one->retries && pb_case_passed(one);
}

/* A failure of the bench, or a signal, is not what a quarantine is for. */
bool pb_case_excused(const struct pb_case *one)
{
    enum { NODE_FAILED = 1, INCONCLUSIVE = 5, TIMEOUT = 124 };
    return *one->quarantine && pb_case_ran(one) &&
           (one->exit_code == NODE_FAILED || one->exit_code == INCONCLUSIVE || one->exit_code == TIMEOUT);
}

const char *pb_case_note(const struct pb_case *one, char text[PB_CASE_NOTE_SIZE])
{
    *text = '\0';
    if (pb_case_excused(one))
        snprintf(text, PB_CASE_NOTE_SIZE, "in quarantine until %s: %s", one->until, one->quarantine);
    else if (*one->quarantine && pb_case_passed(one))
        snprintf(text, PB_CASE_NOTE_SIZE, "passed in quarantine (until %s: %s); take it off the list",
                 one->until, one->quarantine);
    else if (pb_case_flaky(one))
        snprintf(text, PB_CASE_NOTE_SIZE, "passed in run %u; run 1: %s", one->retries + 1, one->first_reason);
    return text;
}

const char *pb_case_word(const struct pb_case *one)
{
    if (pb_case_excused(one))
        return "quarantined";
    if (pb_case_flaky(one))
        return "flaky";
    return one->state == PB_CASE_JUDGED || one->verdict == PB_VERDICT_FAIL ? pb_verdict_name(one->verdict)
                                                                           : states[one->state].words;
}

static bool is_judged(const struct pb_case *one)
{
    return one->state == PB_CASE_JUDGED || (one->state == PB_CASE_INCOMPLETE && one->slots);
}

struct pb_suite_totals pb_suite_count(const struct pb_suite *suite)
{
    static const unsigned rank[] = {[PB_VERDICT_PASS] = 0,
                                    [PB_VERDICT_MARGINAL] = 1,
                                    [PB_VERDICT_INCONCLUSIVE] = 2,
                                    [PB_VERDICT_FAIL] = 3};
    struct pb_suite_totals totals = {.worst = PB_VERDICT_PASS};
    for (size_t i = 0; i < suite->count; i++) {
        const struct pb_case *one = &suite->one[i];
        totals.state[one->state]++;
        totals.flaky += pb_case_flaky(one);
        totals.healed += *one->quarantine && pb_case_passed(one);
        totals.excused += pb_case_excused(one);
        if (one->state == PB_CASE_SKIPPED || pb_case_excused(one))
            continue;
        if (rank[one->verdict] > rank[totals.worst])
            totals.worst = one->verdict;
        if (!is_judged(one)) {
            totals.not_judged++;
            continue;
        }
        totals.judged++;
        pb_unchecked_add(&totals.unchecked, &one->unchecked);
        totals.verdict[one->verdict]++;
    }
    return totals;
}

static int64_t queue_depth(const struct pb_result *result)
{
    int64_t most = -1;
    for (size_t i = 0; i < result->measurements; i++)
        if (result->measurement[i].figure == PB_FIGURE_NODE_QUEUE_DEPTH && result->measurement[i].max > most)
            most = result->measurement[i].max;
    return most;
}

void pb_case_fill(struct pb_case *one, const struct pb_result *result)
{
    snprintf(one->path, sizeof one->path, "%s", result->scenario_path);
    snprintf(one->reason, sizeof one->reason, "%s", result->reason);
    const char *slash = strrchr(result->trace_path, '/');
    snprintf(one->trace, sizeof one->trace, "%s", slash ? slash + 1 : "");
    one->verdict = result->verdict;
    one->slots = result->slots_checked;
    one->findings = result->findings_total;
    one->wall_ns = result->wall_ns;
    one->margin_known = pb_measurement_margin(result, PB_FIGURE_NODE_START, &one->margin_ps);
    one->queue_depth = queue_depth(result);
    one->unchecked = (struct pb_unchecked){.rows = 0};
    pb_unchecked_take(&one->unchecked, result);
}

/* ---- JSON */

static json_t *clean_text(const char *text, size_t size)
{
    char copy[512];
    pb_utf8_clean(copy, size < sizeof copy ? size : sizeof copy, text);
    return json_string(copy);
}

static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* Writes an object on one line; takes the reference. */
static int put_line(FILE *stream, json_t *object, bool good)
{
    const int failed = good ? json_dumpf(object, stream, 0) : -1;
    json_decref(object);
    return !good || (failed && !ferror(stream)) ? PB_ERR_MEMORY : PB_OK;
}

static json_t *text_or_null(const char *text, size_t size)
{
    return *text ? clean_text(text, size) : json_null();
}

static json_t *quarantine_of(const struct pb_case *one)
{
    return *one->quarantine
               ? json_pack("{s:o, s:o, s:b}", "reason", clean_text(one->quarantine, sizeof one->quarantine),
                           "until", clean_text(one->until, sizeof one->until), "excused",
                           pb_case_excused(one))
               : json_null();
}

/* The subjects that one case did not check, or all, with the number of cases. */
static json_t *unchecked_of(const struct pb_unchecked *unchecked, bool counted)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < unchecked->rows && list; i++) {
        json_t *what = clean_text(unchecked->row[i].what, sizeof unchecked->row[i].what);
        if (counted)
            what = json_pack("{s:o, s:I}", "what", what, "cases", (json_int_t)unchecked->row[i].runs);
        if (json_array_append_new(list, what)) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static int put_case(FILE *stream, const struct pb_case *one)
{
    json_t *object = json_object();
    const bool good =
        object && set(object, "name", clean_text(one->name, sizeof one->name)) &&
        set(object, "path", clean_text(one->path, sizeof one->path)) &&
        set(object, "state", json_string(states[one->state].id)) &&
        set(object, "verdict", json_string(pb_verdict_name(one->verdict))) &&
        set(object, "reason", clean_text(one->reason, sizeof one->reason)) &&
        set(object, "exit_code", json_integer(one->exit_code)) &&
        set(object, "slots_checked", json_integer((json_int_t)one->slots)) &&
        set(object, "findings_total", json_integer((json_int_t)one->findings)) &&
        set(object, "start_margin_ps", one->margin_known ? json_integer(one->margin_ps) : json_null()) &&
        set(object, "queue_depth",
            pb_case_ran(one) && one->queue_depth >= 0 ? json_integer(one->queue_depth) : json_null()) &&
        set(object, "wall_ns", json_integer(one->wall_ns)) &&
        set(object, "folder",
            *one->folder && pb_case_ran(one) ? clean_text(one->folder, sizeof one->folder)
                                                          : json_null()) &&
        set(object, "rig", text_or_null(one->rig, sizeof one->rig)) &&
        set(object, "retries", json_integer(one->retries)) &&
        set(object, "flaky", json_boolean(pb_case_flaky(one))) &&
        set(object, "first_run", text_or_null(one->first_id, sizeof one->first_id)) &&
        set(object, "first_reason", text_or_null(one->first_reason, sizeof one->first_reason)) &&
        set(object, "quarantine", quarantine_of(one)) &&
        set(object, "not_checked", unchecked_of(&one->unchecked, false));
    return put_line(stream, object, good);
}

static int put_rig(FILE *stream, const struct pb_suite_rig *rig)
{
    json_t *object = json_object();
    const bool good = object && set(object, "url", clean_text(rig->url, sizeof rig->url)) &&
                      set(object, "serial", text_or_null(rig->serial, sizeof rig->serial)) &&
                      set(object, "cases", json_integer((json_int_t)rig->cases)) &&
                      set(object, "lost", text_or_null(rig->lost, sizeof rig->lost));
    return put_line(stream, object, good);
}

int pb_suite_json_begin(FILE *stream, const struct pb_suite *suite)
{
    const struct pb_suite_totals totals = pb_suite_count(suite);
    int status = PB_OK;
    fprintf(stream,
            "{\n\"schema_version\": %d,\n\"suite\": {\n  \"verdict\": \"%s\",\n  \"exit_code\": %d,\n"
            "  \"started_utc\": \"%s\",\n  \"wall_ns\": %" PRId64 ",\n  \"jobs\": %u,\n  \"scenarios\": %zu",
            PB_RESULT_SCHEMA_VERSION, pb_verdict_name(totals.worst), suite->exit_code, suite->started_utc,
            suite->wall_ns, suite->jobs, suite->count);
    for (int i = PB_VERDICT_PASS; i <= PB_VERDICT_INCONCLUSIVE; i++)
        fprintf(stream, ",\n  \"%s\": %zu", pb_verdict_name((enum pb_verdict)i), totals.verdict[i]);
    fprintf(stream,
            ",\n  \"skipped\": %zu,\n  \"not_judged\": %zu,\n  \"flaky\": %zu,\n  \"quarantined\": %zu,\n  "
            "\"quarantine_passed\": %zu,\n  \"shard\": ",
            totals.state[PB_CASE_SKIPPED], totals.not_judged, totals.flaky, totals.excused, totals.healed);
    if (suite->shards)
        fprintf(stream, "{\"index\": %u, \"of\": %u, \"suite\": \"%s\"}", suite->shard, suite->shards,
                suite->shard_of);
    else
        fputs("null", stream);
    fprintf(stream, ",\n  \"last_failed\": %s", suite->last_failed ? "true" : "false");
    fputs(",\n  \"rigs\": [", stream);
    for (size_t i = 0; i < suite->rigs && !status; i++) {
        fputs(i ? ",\n    " : "\n    ", stream);
        status = put_rig(stream, &suite->rig[i]);
    }
    fputs("],\n  \"not_checked\": ", stream);
    json_t *unchecked = unchecked_of(&totals.unchecked, true);
    if (!unchecked || json_dumpf(unchecked, stream, 0))
        status = PB_ERR_MEMORY;
    json_decref(unchecked);
    fputs(",\n  \"cases\": [", stream);
    for (size_t i = 0; i < suite->count && !status; i++) {
        fputs(i ? ",\n    " : "\n    ", stream);
        status = put_case(stream, &suite->one[i]);
    }
    fputs("\n  ]\n},\n\"results\": [\n", stream);
    const int written = pb_stream_status(stream);
    return status ? status : written;
}

int pb_suite_json_end(FILE *stream)
{
    fputs("]\n}\n", stream);
    return pb_stream_status(stream);
}
