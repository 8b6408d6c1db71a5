/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "raw.h"

#include "nearest_word.h"

#include <cyaml/cyaml.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every value is optional text here: a missing or malformed one is refused later, by code that knows its unit
 * and range and can say so. */
#define TEXT(key, structure)                                                                                 \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct structure, key, 0,         \
                           CYAML_UNLIMITED)

static const cyaml_schema_field_t cube_fields[] = {
    TEXT(dims, pb_raw_cube),
    TEXT(rule, pb_raw_cube),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t radix_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED),
};

static const cyaml_schema_field_t network_fields[] = {
    TEXT(family, pb_raw_network),
    TEXT(dims, pb_raw_network),
    CYAML_FIELD_SEQUENCE("radix", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct pb_raw_network, radix,
                         &radix_schema, 0, CYAML_UNLIMITED),
    TEXT(rule, pb_raw_network),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t link_fields[] = {
    TEXT(phase_rate, pb_raw_link),     TEXT(baud, pb_raw_link),  TEXT(guard, pb_raw_link),
    TEXT(head_guard, pb_raw_link),     TEXT(codec, pb_raw_link), TEXT(payload, pb_raw_link),
    TEXT(console_baud, pb_raw_link),   TEXT(drive, pb_raw_link), TEXT(rise, pb_raw_link),
    TEXT(simulated_rise, pb_raw_link), CYAML_FIELD_END,
};

static const cyaml_schema_field_t clock_fields[] = {
    TEXT(source, pb_raw_clock),
    TEXT(error, pb_raw_clock),
    TEXT(jitter, pb_raw_clock),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t node_fields[] = {
    TEXT(address, pb_raw_node),       TEXT(kind, pb_raw_node),
    TEXT(clock_error, pb_raw_node),   TEXT(irq_latency, pb_raw_node),
    TEXT(irq_jitter, pb_raw_node),    TEXT(defect, pb_raw_node),
    TEXT(defect_amount, pb_raw_node), TEXT(defect_from, pb_raw_node),
    TEXT(defect_every, pb_raw_node),  CYAML_FIELD_END,
};

static const cyaml_schema_field_t traffic_fields[] = {
    TEXT(pattern, pb_raw_traffic),    TEXT(from, pb_raw_traffic),
    TEXT(to, pb_raw_traffic),         TEXT(file, pb_raw_traffic),
    TEXT(superframe, pb_raw_traffic), TEXT(phase, pb_raw_traffic),
    TEXT(repeat, pb_raw_traffic),     CYAML_FIELD_END,
};

static const cyaml_schema_field_t other_fields[] = {
    TEXT(node, pb_fault_line_text),
    TEXT(dimension, pb_fault_line_text),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t fault_fields[] = {
    TEXT(kind, pb_fault_text),
    TEXT(node, pb_fault_text),
    TEXT(dimension, pb_fault_text),
    TEXT(superframe, pb_fault_text),
    TEXT(phase, pb_fault_text),
    TEXT(at, pb_fault_text),
    TEXT(length, pb_fault_text),
    TEXT(amount, pb_fault_text),
    TEXT(time_constant, pb_fault_text),
    TEXT(ppm, pb_fault_text),
    TEXT(shape, pb_fault_text),
    TEXT(seed, pb_fault_text),
    TEXT(bytes, pb_fault_text),
    TEXT(repeat, pb_fault_text),
    CYAML_FIELD_MAPPING("other", CYAML_FLAG_OPTIONAL, struct pb_fault_text, other, other_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t limits_fields[] = {
    TEXT(start_early, pb_raw_limits),   TEXT(start_late, pb_raw_limits), TEXT(max_superframes, pb_raw_limits),
    TEXT(max_occupancy, pb_raw_limits), TEXT(overflow, pb_raw_limits),   TEXT(recovery, pb_raw_limits),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t node_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct pb_raw_node, node_fields),
};

static const cyaml_schema_value_t traffic_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct pb_raw_traffic, traffic_fields),
};

static const cyaml_schema_value_t fault_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct pb_fault_text, fault_fields),
};

static const cyaml_schema_field_t scenario_fields[] = {
    TEXT(name, pb_raw_scenario),
    TEXT(description, pb_raw_scenario),
    CYAML_FIELD_MAPPING("cube", CYAML_FLAG_OPTIONAL, struct pb_raw_scenario, cube, cube_fields),
    CYAML_FIELD_MAPPING("network", CYAML_FLAG_OPTIONAL, struct pb_raw_scenario, network, network_fields),
    CYAML_FIELD_MAPPING("link", CYAML_FLAG_OPTIONAL, struct pb_raw_scenario, link, link_fields),
    CYAML_FIELD_MAPPING("clock", CYAML_FLAG_OPTIONAL, struct pb_raw_scenario, clock, clock_fields),
    TEXT(superframes, pb_raw_scenario),
    TEXT(seed, pb_raw_scenario),
    TEXT(capture, pb_raw_scenario),
    CYAML_FIELD_SEQUENCE_COUNT("nodes", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct pb_raw_scenario,
                               node, node_count, &node_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE_COUNT("traffic", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct pb_raw_scenario,
                               traffic, traffic_count, &traffic_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE_COUNT("faults", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct pb_raw_scenario,
                               fault, fault_count, &fault_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING("limits", CYAML_FLAG_OPTIONAL, struct pb_raw_scenario, limits, limits_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t scenario_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct pb_raw_scenario, scenario_fields),
};

#define FIELDS_MAX 16

/* What a load leaves behind for its sentence. */
struct log {
    char first_error[128];
};

static void keep_first_error(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
    struct log *log = context;
    if (level == CYAML_LOG_ERROR && !*log->first_error)
        vsnprintf(log->first_error, sizeof log->first_error, format, arguments);
}

static cyaml_config_t configuration(struct log *log)
{
    return (cyaml_config_t){
        .log_fn = log ? keep_first_error : NULL,
        .log_ctx = log,
        .mem_fn = cyaml_mem,
        .log_level = CYAML_LOG_ERROR,
        .flags = CYAML_CFG_NO_ALIAS,
    };
}

static const cyaml_schema_field_t *find_field(const cyaml_schema_field_t *field, const char *key)
{
    while (field->key && strcmp(field->key, key) != 0)
        field++;
    return field->key ? field : NULL;
}

struct explanation {
    const struct pb_outline *outline;
    const char *path;
    struct pb_diag *diag;
};

static int explain_key(const struct explanation *why, size_t entry, const cyaml_schema_field_t *field)
{
    const struct pb_outline_entry *at = &why->outline->entry[entry];
    const char *known[FIELDS_MAX];
    size_t count = 0;
    for (; field->key; field++)
        known[count++] = field->key;
    char list[160], place[PB_PLACE_SIZE];
    pb_outline_place(why->outline, at->parent, place);
    return pb_fail(why->diag, PB_ERR_CONFIG, "%s:%u: unknown key '%s'%s%s; did you mean '%s'? Known here: %s",
                   why->path, at->line, at->key, *place ? " in " : "", place,
                   pb_nearest(at->key, known, count), pb_word_list(list, sizeof list, known, count));
}

static enum pb_outline_kind outline_kind(const cyaml_schema_value_t *schema)
{
    switch (schema->type) {
    case CYAML_MAPPING:
        return PB_OUTLINE_MAPPING;
    case CYAML_SEQUENCE:
        return PB_OUTLINE_SEQUENCE;
    default:
        return PB_OUTLINE_SCALAR;
    }
}

static int explain_form(const struct explanation *why, size_t entry, const cyaml_schema_value_t *schema)
{
    static const char *const form[] = {
        [PB_OUTLINE_SCALAR] = "a single value",
        [PB_OUTLINE_SEQUENCE] = "a list ('- ...' lines)",
        [PB_OUTLINE_MAPPING] = "a mapping ('key: value' lines)",
    };
    const struct pb_outline_entry *at = &why->outline->entry[entry];
    char place[PB_PLACE_SIZE];
    pb_outline_place(why->outline, entry, place);
    bool nothing = at->kind == PB_OUTLINE_SCALAR && at->length == 0;
    return pb_fail(why->diag, PB_ERR_CONFIG, "%s:%u: %s is %s; write %s", why->path, at->line,
                   *place ? place : "the file", nothing ? "empty" : form[at->kind],
                   form[outline_kind(schema)]);
}

/* Finds the first entry that the schema does not allow and says why. libcyaml refused the text, but its log
 * names neither the line of the key nor what is known instead. */
static int explain(const struct explanation *why, const struct log *log)
{
    const struct pb_outline *outline = why->outline;
    const cyaml_schema_value_t **schema = calloc(outline->count, sizeof *schema);
    if (!schema)
        return pb_fail(why->diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs",
                       why->path);
    int code = PB_OK;
    for (size_t i = 0; i < outline->count && code == PB_OK; i++) {
        const struct pb_outline_entry *at = &outline->entry[i];
        const cyaml_schema_value_t *around = schema[at->parent];
        if (i == 0) {
            schema[i] = &scenario_schema;
        } else if (around->type == CYAML_MAPPING) {
            const cyaml_schema_field_t *field = find_field(around->mapping.fields, at->key);
            if (!field) {
                code = explain_key(why, i, around->mapping.fields);
                break;
            }
            schema[i] = &field->value;
        } else {
            schema[i] = around->sequence.entry;
        }
        if (outline_kind(schema[i]) != at->kind)
            code = explain_form(why, i, schema[i]);
    }
    free(schema);
    if (code != PB_OK)
        return code;
    return pb_fail(why->diag, PB_ERR_CONFIG, "%s: %.*s; see docs/scenario.md for the format", why->path,
                   (int)strcspn(log->first_error, "\n"), log->first_error);
}

int pb_raw_load(struct pb_raw_scenario **out, const struct pb_outline *outline, const char *path,
                const char *text, size_t length, struct pb_diag *diag)
{
    *out = NULL;
    struct log log = {""};
    cyaml_config_t config = configuration(&log);
    cyaml_data_t *data = NULL;
    cyaml_err_t error =
        cyaml_load_data((const uint8_t *)text, length, &config, &scenario_schema, &data, NULL);
    if (error == CYAML_OK && !data) {
        /* A mapping without any key: libcyaml allocates nothing. */
        data = cyaml_mem(NULL, NULL, sizeof(struct pb_raw_scenario));
        if (data)
            memset(data, 0, sizeof(struct pb_raw_scenario));
        else
            error = CYAML_ERR_OOM;
    }
    if (error == CYAML_ERR_OOM)
        return pb_fail(diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs", path);
    if (error != CYAML_OK)
        return explain(&(struct explanation){.outline = outline, .path = path, .diag = diag}, &log);
    *out = data;
    return PB_OK;
}

void pb_raw_free(struct pb_raw_scenario *raw)
{
    cyaml_config_t config = configuration(NULL);
    cyaml_free(&config, &scenario_schema, raw, 0);
}
