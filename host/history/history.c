/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * From a result to a record, and lists of what a store gives.
 */
#include "store.h"

#include "host/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pb_history_open(struct pb_history **out, const char *path, enum pb_history_access access,
                    unsigned patience_ms, struct pb_diag *diag)
{
    return pb_store_sqlite_open(out, path, access, patience_ms, diag);
}

void pb_history_close(struct pb_history *history)
{
    if (history)
        history->ops->close(history);
}

/* ---- appending */

/* The value of "key=value; ..." in the environment of a result; "" if it has none. */
static void find_in_environment(char *out, size_t size, const char *environment, const char *key)
{
    const size_t length = strlen(key);
    *out = '\0';
    for (const char *at = environment; at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL)
        if (!strncmp(at, key, length) && at[length] == '=') {
            char value[sizeof((struct pb_result *)0)->environment];
            snprintf(value, sizeof value, "%.*s", (int)strcspn(at + length + 1, ";"), at + length + 1);
            pb_utf8_clean(out, size, value);
            return;
        }
}

static void fill_run(struct pb_history_run *run, const struct pb_result *result,
                     const struct pb_history_labels *labels)
{
    *run = (struct pb_history_run){
        .seed = result->seed, .verdict = result->verdict, .findings = result->findings_total};
    pb_utf8_clean(run->started_utc, sizeof run->started_utc, result->started_utc);
    pb_utf8_clean(run->scenario, sizeof run->scenario, result->scenario);
    pb_utf8_clean(run->rig, sizeof run->rig, result->rig);
    pb_utf8_clean(run->reason, sizeof run->reason, result->reason);
    pb_utf8_clean(run->incomplete, sizeof run->incomplete, result->incomplete);
    pb_utf8_clean(run->unit, sizeof run->unit, labels->unit ? labels->unit : "");
    pb_utf8_clean(run->station, sizeof run->station, labels->station ? labels->station : "");
    pb_utf8_clean(run->operator_name, sizeof run->operator_name,
                  labels->operator_name ? labels->operator_name : "");
    find_in_environment(run->program, sizeof run->program, result->environment, "phasebench");
    find_in_environment(run->core, sizeof run->core, result->environment, "core");
    find_in_environment(run->map_hash, sizeof run->map_hash, result->environment, "map");
}

static void fill_node(struct pb_history_node *node, const struct pb_node_row *row,
                      const struct pb_history_node *image)
{
    *node = (struct pb_history_node){.address = row->address,
                                     .image_bytes = image ? image->image_bytes : -1,
                                     .image_crc32 = image ? image->image_crc32 : 0};
    pb_utf8_clean(node->kind, sizeof node->kind, row->kind);
    pb_utf8_clean(node->identity, sizeof node->identity, row->identity);
}

static void fill_figure(struct pb_history_figure *figure, const struct pb_measurement *from)
{
    *figure = (struct pb_history_figure){.n = from->n,
                                         .min = from->min,
                                         .mean = from->mean,
                                         .max = from->max,
                                         .sd = from->sd,
                                         .u95 = from->u95,
                                         .lower = from->lower,
                                         .upper = from->upper,
                                         .margin = from->margin};
    snprintf(figure->id, sizeof figure->id, "%s", pb_measurement_id(from).text);
    snprintf(figure->unit, sizeof figure->unit, "%s", pb_unit_name(pb_figure_unit(from->figure)));
    snprintf(figure->judgement, sizeof figure->judgement, "%s", pb_judgement_name(from->judgement));
}

static size_t count_findings(struct pb_history_finding out[PB_FINDING_KINDS], const struct pb_result *result)
{
    uint64_t count[PB_FINDING_KINDS] = {0};
    size_t kinds = 0;
    for (size_t i = 0; i < result->findings; i++)
        count[result->finding[i].kind]++;
    for (int kind = 0; kind < PB_FINDING_KINDS; kind++)
        if (count[kind]) {
            out[kinds] = (struct pb_history_finding){.count = count[kind]};
            snprintf(out[kinds].kind, sizeof out[kinds].kind, "%s", pb_finding_id(kind));
            kinds++;
        }
    return kinds;
}

int pb_history_append(struct pb_history *history, const struct pb_result *result,
                      const struct pb_history_labels *labels, struct pb_diag *diag)
{
    struct pb_history_node node[PB_NODE_ROWS_MAX];
    struct pb_history_finding finding[PB_FINDING_KINDS];
    struct pb_history_record record = {.node = node,
                                       .nodes = result->node_rows,
                                       .figure = calloc(result->measurements + 1, sizeof *record.figure),
                                       .figures = result->measurements,
                                       .finding = finding,
                                       .findings = count_findings(finding, result)};
    if (!record.figure)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu measurements of the history",
                       result->measurements);
    fill_run(&record.run, result, labels);
    for (size_t i = 0; i < record.nodes; i++)
        fill_node(&node[i], &result->node[i], i < labels->images ? &labels->image[i] : NULL);
    for (size_t i = 0; i < record.figures; i++)
        fill_figure(&record.figure[i], &result->measurement[i]);
    const int code = history->ops->append(history, &record, diag);
    free(record.figure);
    return code;
}

/* ---- reading */

struct list {
    struct pb_history_value *value; /* owned */
    size_t count, capacity;
};

static int take(void *context, const struct pb_history_value *value)
{
    struct list *list = context;
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct pb_history_value *grown = realloc(list->value, capacity * sizeof *grown);
        if (!grown)
            return PB_ERR_MEMORY;
        list->value = grown;
        list->capacity = capacity;
    }
    list->value[list->count++] = *value;
    return PB_OK;
}

/* The store gives the newest first, so that a limit keeps these. */
static void reverse(struct list *list)
{
    for (size_t i = 0, j = list->count; i + 1 < j; i++) {
        const struct pb_history_value swapped = list->value[i];
        list->value[i] = list->value[--j];
        list->value[j] = swapped;
    }
}

int pb_history_values(struct pb_history *history, const struct pb_history_filter *filter, const char *id,
                      struct pb_history_value **out, size_t *count, struct pb_diag *diag)
{
    struct list list = {.value = NULL};
    const int code = history->ops->query(history, filter, id, take, &list, diag);
    *out = NULL;
    *count = 0;
    if (code) {
        free(list.value);
        return code;
    }
    reverse(&list);
    *out = list.value;
    *count = list.count;
    return PB_OK;
}

int pb_history_runs(struct pb_history *history, const struct pb_history_filter *filter,
                    struct pb_history_run **out, size_t *count, struct pb_diag *diag)
{
    struct pb_history_value *value;
    const int code = pb_history_values(history, filter, NULL, &value, count, diag);
    *out = code ? NULL : malloc((*count + 1) * sizeof **out);
    if (!code && !*out) {
        free(value);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu runs; limit their number", *count);
    }
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = value[i].run;
    free(value);
    return code;
}

int pb_history_read(struct pb_history *history, struct pb_history_record *record, struct pb_diag *diag)
{
    record->node = NULL;
    record->figure = NULL;
    record->finding = NULL;
    record->nodes = record->figures = record->findings = 0;
    const int code = history->ops->read(history, record, diag);
    if (code)
        pb_history_record_free(record);
    return code;
}

void pb_history_record_free(struct pb_history_record *record)
{
    free(record->node);
    free(record->figure);
    free(record->finding);
    record->node = NULL;
    record->figure = NULL;
    record->finding = NULL;
    record->nodes = record->figures = record->findings = 0;
}
