/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "json_fields.h"
#include "phasebench/compare.h"
#include "render.h"
#include "terminal.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define ROWS_SHORT 24 /* a table of up to this many rows is shown completely */

/* ---- text */

/* A mean of whole numbers is none. */
static struct pb_number shown(enum pb_unit unit, double value, bool sign)
{
    const struct pb_unit_shown as = pb_unit_shown(unit);
    struct pb_number number;
    snprintf(number.text, sizeof number.text, sign ? "%+.*f" : "%.*f", as.decimals ? as.decimals : 1,
             value / as.scale);
    return number;
}

static void text_row(FILE *stream, const struct pb_change *change)
{
    const enum pb_unit unit = pb_figure_unit(change->a->figure);
    const int64_t a = change->of_margin ? change->a->margin : change->a->mean,
                  b = change->of_margin ? change->b->margin : change->b->mean;
    fprintf(stream, "%c %-22s %-6s %9s %9s %9s %8s %s\n",
            change->worse         ? '!'
            : change->significant ? '*'
                                  : ' ',
            pb_measurement_id(change->a).text, change->of_margin ? "margin" : "mean",
            shown(unit, (double)a, false).text, shown(unit, (double)b, false).text,
            shown(unit, change->change, true).text, shown(unit, change->u95, false).text,
            pb_unit_shown(unit).name);
}

static void text_changes(struct pb_terminal *terminal, const struct pb_comparison *pair, bool all)
{
    const bool whole = all || pair->changes <= ROWS_SHORT;
    if (whole ? pair->changes : pair->significant)
        fputs("  figure                 of             A         B    change      U95\n", terminal->stream);
    for (size_t i = 0; i < pair->changes; i++)
        if (whole || pair->change[i].significant)
            text_row(terminal->stream, &pair->change[i]);
    if (!whole && pair->changes > pair->significant)
        pb_terminal_field(terminal, "", "%zu values changed by no more than their U95; --all shows them",
                          pair->changes - pair->significant);
}

static void text_setting(void *context, const char *key, const char *a, const char *b)
{
    pb_terminal_field(context, "", "%s: %s, now %s", key, a, b);
}

static void text_judgements(struct pb_terminal *terminal, const struct pb_comparison *pair)
{
    for (size_t i = 0; i < pair->a->measurements; i++) {
        const struct pb_measurement *row = &pair->a->measurement[i], *twin = pb_compare_twin(pair->b, row);
        if (twin && twin->judgement != row->judgement)
            pb_terminal_field(terminal,
                              pb_judgement_is_worse(row->judgement, twin->judgement) ? "! judgement"
                                                                                     : "  judgement",
                              "%s: %s, now %s", pb_measurement_id(row).text,
                              pb_judgement_name(row->judgement), pb_judgement_name(twin->judgement));
    }
}

static void text_missing(struct pb_terminal *terminal, const char *label, const struct pb_result *from,
                         const struct pb_result *in)
{
    for (size_t i = 0; i < from->measurements; i++)
        if (!pb_compare_twin(in, &from->measurement[i]))
            pb_terminal_field(terminal, label, "%s", pb_measurement_id(&from->measurement[i]).text);
}

static int text_pair(struct pb_terminal *terminal, const struct pb_comparison *pair, bool all)
{
    int code = PB_OK;
    const struct pb_result *const side[] = {pair->a, pair->b};
    for (size_t i = 0; i < 2; i++)
        pb_terminal_field(terminal, i ? "B" : "A", "%s: %s, %s", side[i]->scenario,
                          pb_verdict_name(side[i]->verdict), side[i]->started_utc);
    if (pair->a->verdict != pair->b->verdict)
        pb_terminal_field(terminal, pair->verdict_worse ? "! verdict" : "  verdict", "%s, now %s: %s",
                          pb_verdict_name(pair->a->verdict), pb_verdict_name(pair->b->verdict),
                          pair->b->reason);
    if (pair->settings_differ) {
        pb_terminal_field(terminal, "settings", "differ, so changes may come from them:");
        code = pb_compare_settings(pair->a, pair->b, text_setting, terminal);
    }
    text_judgements(terminal, pair);
    text_changes(terminal, pair, all);
    if (pair->only_a)
        text_missing(terminal, "only in A", pair->a, pair->b);
    if (pair->only_b)
        text_missing(terminal, "only in B", pair->b, pair->a);
    pb_terminal_field(terminal, "compared",
                      "%zu measurements, %zu significant change%s, %zu for the worse; %zu judgement%s worse",
                      pair->common, pair->significant, pair->significant == 1 ? "" : "s", pair->worse,
                      pair->judgements_worse, pair->judgements_worse == 1 ? "" : "s");
    return code;
}

int pb_compare_text(FILE *stream, const struct pb_compare_set *set, bool all,
                    const struct pb_report_style *style)
{
    struct pb_terminal terminal;
    int code = PB_OK;
    pb_terminal_open(&terminal, stream, style);
    for (size_t i = 0; i < set->pairs && !code; i++) {
        if (i)
            fputc('\n', stream);
        code = text_pair(&terminal, &set->pair[i], all);
    }
    for (size_t i = 0; i < set->only_as; i++)
        pb_terminal_field(&terminal, "only in A", "run of %s", set->only_a[i]->scenario);
    for (size_t i = 0; i < set->only_bs; i++)
        pb_terminal_field(&terminal, "only in B", "run of %s", set->only_b[i]->scenario);
    const int written = pb_stream_status(stream);
    return code ? code : written;
}

/* ---- JSON */

/* Sets *failed when out of memory. */
static void set_member(bool *failed, json_t *object, const char *key, json_t *value)
{
    *failed |= json_object_set_new(object, key, value) != 0;
}

static void append(bool *failed, json_t *array, json_t *value)
{
    *failed |= json_array_append_new(array, value) != 0;
}

/* To the nearest integer of the unit. */
static json_t *rounded(double value)
{
    return json_integer(value > -9e18 && value < 9e18 ? llround(value) : value > 0 ? INT64_MAX : INT64_MIN);
}

static json_t *json_change(bool *failed, const struct pb_change *change)
{
    json_t *row = json_object();
    const int64_t a = change->of_margin ? change->a->margin : change->a->mean,
                  b = change->of_margin ? change->b->margin : change->b->mean;
    set_member(failed, row, "id", json_string(pb_measurement_id(change->a).text));
    set_member(failed, row, "of", json_string(change->of_margin ? "margin" : "mean"));
    set_member(failed, row, "unit", json_string(pb_unit_name(pb_figure_unit(change->a->figure))));
    set_member(failed, row, "a", json_integer(a));
    set_member(failed, row, "b", json_integer(b));
    set_member(failed, row, "change", rounded(change->change));
    set_member(failed, row, "u95", rounded(change->u95));
    set_member(failed, row, "significant", json_boolean(change->significant));
    set_member(failed, row, "worse", json_boolean(change->worse));
    return row;
}

struct list {
    bool *failed;
    json_t *array;
};

static json_t *value(const char *text)
{
    json_error_t error;
    return json_loadb(text, strlen(text), JSON_DECODE_ANY, &error);
}

static void json_setting(void *context, const char *key, const char *a, const char *b)
{
    const struct list *list = context;
    json_t *row = json_object();
    set_member(list->failed, row, "key", json_string(key));
    set_member(list->failed, row, "a", value(a));
    set_member(list->failed, row, "b", value(b));
    append(list->failed, list->array, row);
}

static json_t *json_step(bool *failed, const char *id, const char *a, const char *b, bool worse)
{
    json_t *row = json_object();
    if (id)
        set_member(failed, row, "id", json_string(id));
    set_member(failed, row, "a", json_string(a));
    set_member(failed, row, "b", json_string(b));
    set_member(failed, row, "worse", json_boolean(worse));
    return row;
}

static json_t *json_judgements(bool *failed, const struct pb_comparison *pair)
{
    json_t *array = json_array();
    for (size_t i = 0; i < pair->a->measurements; i++) {
        const struct pb_measurement *row = &pair->a->measurement[i], *twin = pb_compare_twin(pair->b, row);
        if (twin && twin->judgement != row->judgement)
            append(failed, array,
                   json_step(failed, pb_measurement_id(row).text, pb_judgement_name(row->judgement),
                             pb_judgement_name(twin->judgement),
                             pb_judgement_is_worse(row->judgement, twin->judgement)));
    }
    return array;
}

static json_t *json_missing(bool *failed, const struct pb_result *from, const struct pb_result *in)
{
    json_t *array = json_array();
    for (size_t i = 0; i < from->measurements; i++)
        if (!pb_compare_twin(in, &from->measurement[i]))
            append(failed, array, json_string(pb_measurement_id(&from->measurement[i]).text));
    return array;
}

static json_t *json_pair(bool *failed, const struct pb_comparison *pair)
{
    json_t *run = json_object(), *settings = json_array(), *rows = json_array();
    struct list list = {failed, settings};
    *failed |= pb_compare_settings(pair->a, pair->b, json_setting, &list) != PB_OK;
    for (size_t i = 0; i < pair->changes; i++)
        append(failed, rows, json_change(failed, &pair->change[i]));
    set_member(failed, run, "scenario", json_string(pair->a->scenario));
    set_member(failed, run, "verdict",
               json_step(failed, NULL, pb_verdict_name(pair->a->verdict), pb_verdict_name(pair->b->verdict),
                         pair->verdict_worse));
    set_member(failed, run, "settings", settings);
    set_member(failed, run, "judgements", json_judgements(failed, pair));
    set_member(failed, run, "changes", rows);
    set_member(failed, run, "only_a", json_missing(failed, pair->a, pair->b));
    set_member(failed, run, "only_b", json_missing(failed, pair->b, pair->a));
    return run;
}

static json_t *json_runs(bool *failed, const struct pb_result *const *result, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        append(failed, array, json_string(result[i]->scenario));
    return array;
}

int pb_compare_json(FILE *stream, const struct pb_compare_set *set)
{
    bool failed = false;
    json_t *root = json_object(), *runs = json_array();
    for (size_t i = 0; i < set->pairs; i++)
        append(&failed, runs, json_pair(&failed, &set->pair[i]));
    set_member(&failed, root, "schema_version", json_integer(PB_RESULT_SCHEMA_VERSION));
    set_member(&failed, root, "worse", json_boolean(pb_compare_is_worse(set)));
    set_member(&failed, root, "runs", runs);
    set_member(&failed, root, "only_a", json_runs(&failed, set->only_a, set->only_as));
    set_member(&failed, root, "only_b", json_runs(&failed, set->only_b, set->only_bs));
    if (!failed)
        failed = json_dumpf(root, stream, JSON_INDENT(1)) != 0 && !ferror(stream);
    fputc('\n', stream);
    json_decref(root);
    const int written = pb_stream_status(stream);
    return failed ? PB_ERR_MEMORY : written;
}
