/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One document, which docs/reference/validation.schema.json describes. It is complete in memory before the
 * first byte is written, so that a lack of memory leaves no part of it.
 */
#include "json_table.h"
#include "validation_parts.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(enum pb_item) == sizeof(int) && sizeof(enum pb_step_state) == sizeof(int) &&
                   sizeof(enum pb_acceptance) == sizeof(int),
               "choices are read and written as int");

enum { SCHEMA_VERSION = 1 };

static const char *state_name(int value)
{
    return pb_step_state_name((enum pb_step_state)value);
}

static const char *acceptance_name(int value)
{
    return pb_acceptance_name((enum pb_acceptance)value);
}

static const struct pb_field identity[] = {
    TEXT(pb_validation, unit, "unit"),
    TEXT(pb_validation, station, "station"),
    TEXT(pb_validation, operator_name, "operator"),
    TEXT(pb_validation, scenario, "scenario"),
    TEXT(pb_validation, scenario_path, "scenario_path"),
    TEXT(pb_validation, profile, "profile"),
    TEXT(pb_validation, rig, "rig"),
    TEXT(pb_validation, core, "core"),
    TEXT(pb_validation, nodes, "nodes"),
    TEXT(pb_validation, program, "program"),
    TEXT(pb_validation, command, "command"),
    ENTRY(pb_validation, seed, "seed", PB_FIELD_DECIMAL, 0, 0, NULL),
    TEXT(pb_validation, started_utc, "started_utc"),
    TIME(pb_validation, wall_ns, "wall_ns"),
    TEXT(pb_validation, incomplete, "incomplete"),
};
static FIELDS(fields_identity, identity);

static const struct pb_field limits[] = {
    TEXT(pb_limit_set, title, "title"),
    TEXT(pb_limit_set, version, "version"),
    COUNT(pb_limit_set, crc32, "crc32"),
    CHOICE(pb_limit_set, rule, "decision", PB_ACCEPT_NON_BINARY, acceptance_name),
};
static FIELDS(fields_limits, limits);

static const struct pb_field limit[] = {
    TIME_OR_NULL(pb_limit, lower, "lower"),
    TIME_OR_NULL(pb_limit, upper, "upper"),
    TIME(pb_limit, band, "marginal"),
    TEXT(pb_limit, rationale, "rationale"),
};
static FIELDS(fields_limit, limit);

static const struct pb_field step[] = {
    TEXT(pb_step, id, "id"),
    TEXT(pb_step, purpose, "purpose"),
    CHOICE(pb_step, state, "state", PB_STEP_SKIPPED, state_name),
    TEXT(pb_step, reason, "reason"),
    TIME(pb_step, wall_ns, "wall_ns"),
    TEXT(pb_step, run, "run"),
};
static FIELDS(fields_step, step);

static const struct pb_field value[] = {
    TEXT(pb_item_value, name, "name"),
    OPTIONAL(pb_item_value, node, "node", INT32_MAX),
    OPTIONAL(pb_item_value, link, "link", INT32_MAX),
    OPTIONAL(pb_item_value, port, "port", INT32_MAX),
    COUNT(pb_item_value, n, "n"),
    TIME(pb_item_value, value, "value"),
    TIME(pb_item_value, min, "min"),
    TIME(pb_item_value, mean, "mean"),
    TIME(pb_item_value, max, "max"),
    TIME(pb_item_value, sd, "sd"),
    TIME(pb_item_value, u95, "u95"),
    TIME_OR_NULL(pb_item_value, lower, "lower"),
    TIME_OR_NULL(pb_item_value, upper, "upper"),
    TIME_OR_NULL(pb_item_value, margin, "margin"),
    CHOICE(pb_item_value, judgement, "judgement", PB_JUDGED_FAIL, pb_judgement_name),
    TEXT(pb_item_value, note, "note"),
    TEXT(pb_item_value, run, "run"),
};
static FIELDS(fields_value, value);

/* An object that begins with an item and its unit. */
static json_t *of_item(int item)
{
    json_t *object = pb_json_with(json_object(), "item", json_string(pb_item_id(item)));
    return pb_json_with(object, "unit", json_string(pb_unit_name(pb_item_unit((enum pb_item)item))));
}

/* Appends to a list; as pb_json_with. */
static json_t *and_entry(json_t *list, json_t *entry)
{
    if (!list) {
        json_decref(entry);
        return NULL;
    }
    if (json_array_append_new(list, entry)) {
        json_decref(list);
        return NULL;
    }
    return list;
}

static json_t *make_limits(const struct pb_validation *validation)
{
    json_t *list = json_array();
    for (int item = 0; item < PB_ITEMS; item++)
        if (validation->limits.limit[item].given)
            list = and_entry(list,
                             pb_json_fields(of_item(item), &fields_limit, &validation->limits.limit[item]));
    json_t *object = pb_json_with(json_object(), "path", pb_json_field_text(validation->limits_path));
    return pb_json_with(pb_json_fields(object, &fields_limits, &validation->limits), "items", list);
}

static json_t *make_steps(const struct pb_validation *validation)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_item_value *of_step;
        json_t *values = json_array();
        size_t next = 0;
        while ((of_step = pb_step_value(validation, &validation->step[i], &next)) != NULL)
            values =
                and_entry(values, pb_json_fields(of_item((int)of_step->item), &fields_value, of_step));
        json_t *object = pb_json_fields(json_object(), &fields_step, &validation->step[i]);
        list = and_entry(list, pb_json_with(object, "values", values));
    }
    return list;
}

/* Paths relative to the folder of the document. */
static json_t *make_runs(const struct pb_validation *validation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < validation->kept; i++) {
        const struct pb_run_files *run = &validation->files[i];
        json_t *names = json_array();
        for (int file = 0; file < PB_RUN_FILES; file++)
            if (run->has[file])
                names = and_entry(names, json_string(pb_run_file_name(file)));
        json_t *object = pb_json_with(json_object(), "run", pb_json_field_text(run->run));
        list = and_entry(list, pb_json_with(object, "files", names));
    }
    return list;
}

static json_t *name_or_null(const char *name)
{
    return name ? pb_json_field_text(name) : json_null();
}

static json_t *make_unchecked(const struct pb_validation *validation)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < validation->unchecked.rows; i++) {
        json_t *object =
            pb_json_with(json_object(), "what", pb_json_field_text(validation->unchecked.row[i].what));
        list = and_entry(list, pb_json_with(object, "runs",
                                            json_integer((json_int_t)validation->unchecked.row[i].runs)));
    }
    return list;
}

static json_t *make_document(const struct pb_validation *validation)
{
    const struct pb_item_value *worst = pb_validation_worst(validation);
    const struct pb_step *first = pb_validation_first(validation);
    json_t *root = pb_json_with(json_object(), "schema_version", json_integer(SCHEMA_VERSION));
    root = pb_json_with(root, "go", json_string(pb_go_name(pb_validation_go(validation))));
    root = pb_json_with(root, "summary", pb_json_field_text(pb_validation_summary(validation).text));
    root = pb_json_with(root, "worst", name_or_null(worst ? worst->name : NULL));
    root = pb_json_with(root, "look_at", name_or_null(first ? first->id : NULL));
    root = pb_json_fields(root, &fields_identity, validation);
    root = pb_json_with(root, "limits", make_limits(validation));
    root = pb_json_with(root, "not_checked", make_unchecked(validation));
    root = pb_json_with(root, "steps", make_steps(validation));
    return pb_json_with(root, "runs", make_runs(validation));
}

/* The text of the document. A failure stays: jansson does not look at that of a key. */
struct text {
    char *bytes;
    size_t length, capacity;
    bool failed;
};

static int take(const char *bytes, size_t length, void *context)
{
    struct text *text = context;
    if (!text->failed && length > text->capacity - text->length) {
        const size_t capacity = 2 * (text->capacity + length);
        char *grown = realloc(text->bytes, capacity);
        text->failed = !grown;
        text->bytes = grown ? grown : text->bytes;
        text->capacity = grown ? capacity : text->capacity;
    }
    if (text->failed)
        return -1;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    return 0;
}

int pb_report_validation_json(FILE *stream, const struct pb_validation *validation)
{
    struct text text = {.bytes = NULL};
    json_t *root = make_document(validation);
    const bool whole = root && !json_dump_callback(root, take, &text, JSON_INDENT(1));
    json_decref(root);
    if (whole) {
        fwrite(text.bytes, 1, text.length, stream);
        fputc('\n', stream);
    }
    free(text.bytes);
    return whole ? pb_stream_status(stream) : PB_ERR_MEMORY;
}
