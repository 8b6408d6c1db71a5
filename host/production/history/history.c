/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Opens histories by their place, and makes lists of the rows of a store.
 */
#include "store.h"

#include "host/base/room.h"

#include "record.h"

#include <stdlib.h>
#include <string.h>

bool pb_history_is_url(const char *place)
{
    const size_t scheme = strspn(place, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+");
    return scheme && !strncmp(place + scheme, "://", 3);
}

int pb_history_open(struct pb_history **out, const char *place, enum pb_history_access access,
                    unsigned patience_ms, struct pb_diag *diag)
{
    const char *path;
    const int code = pb_place_read(place, &path, diag);
    *out = NULL;
    return code   ? code
           : path ? pb_store_sqlite_open(out, path, NULL, access, patience_ms, diag)
                  : pb_store_postgres_open(out, place, access, patience_ms, diag);
}

void pb_history_close(struct pb_history *history)
{
    if (history)
        history->ops->close(history);
}

/* ---- appending */

static int append(struct pb_history *history, struct pb_history_record *record, int made,
                  struct pb_diag *diag)
{
    const int code = made ? made : history->ops->append(history, record, NULL, diag);
    pb_history_record_free(record);
    return code;
}

int pb_history_append(struct pb_history *history, const struct pb_result *result,
                      const struct pb_history_labels *labels, struct pb_diag *diag)
{
    struct pb_history_record record;
    return append(history, &record, pb_record_of_result(&record, result, labels, diag), diag);
}

int pb_history_append_validation(struct pb_history *history, const struct pb_validation *validation,
                                 const struct pb_history_labels *labels, struct pb_diag *diag)
{
    struct pb_history_record record;
    return append(history, &record, pb_record_of_validation(&record, validation, labels, diag), diag);
}

/* ---- reading */

struct list {
    char *item; /* owned */
    size_t size, count, capacity;
};

static int add(struct list *list, const void *item)
{
    if (pb_make_room(&list->item, &list->capacity, list->count + 1, list->size))
        return PB_ERR_MEMORY;
    memcpy(list->item + list->size * list->count++, item, list->size);
    return PB_OK;
}

static int take_value(void *context, const struct pb_history_value *value)
{
    return add(context, value);
}

static int take_run(void *context, const struct pb_history_value *value)
{
    return add(context, &value->run);
}

static int take_cause(void *context, const struct pb_history_cause *cause)
{
    return add(context, cause);
}

/* What a query has filled: to the caller, or nothing. */
static int hand_out(struct list *list, int code, void *out, size_t *count)
{
    void *const item = code ? NULL : list->item;
    if (code)
        free(list->item);
    memcpy(out, &item, sizeof item);
    *count = code ? 0 : list->count;
    return code;
}

/* The store gives the newest first, so that a limit keeps these. */
static void reverse(struct list *list)
{
    char swapped[sizeof(struct pb_history_value)];
    for (size_t i = 0, j = list->count; i + 1 < j; i++) {
        char *const front = list->item + list->size * i, *const back = list->item + list->size * --j;
        memcpy(swapped, front, list->size);
        memcpy(front, back, list->size);
        memcpy(back, swapped, list->size);
    }
}

int pb_history_values(struct pb_history *history, const struct pb_history_filter *filter, const char *id,
                      struct pb_history_value **out, size_t *count, struct pb_diag *diag)
{
    struct list list = {.size = sizeof **out};
    const int code = history->ops->query(history, filter, id, take_value, &list, diag);
    reverse(&list);
    return hand_out(&list, code, out, count);
}

int pb_history_runs(struct pb_history *history, const struct pb_history_filter *filter,
                    struct pb_history_run **out, size_t *count, struct pb_diag *diag)
{
    struct list list = {.size = sizeof **out};
    const int code = history->ops->query(history, filter, NULL, take_run, &list, diag);
    reverse(&list);
    return hand_out(&list, code, out, count);
}

int pb_history_causes(struct pb_history *history, const struct pb_history_filter *filter,
                      struct pb_history_cause **out, size_t *count, struct pb_diag *diag)
{
    struct list list = {.size = sizeof **out};
    const int code = history->ops->count(history, filter, take_cause, &list, diag);
    return hand_out(&list, code, out, count);
}

int pb_history_verify(struct pb_history *history, struct pb_diag *diag)
{
    return history->ops->verify(history, diag);
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
