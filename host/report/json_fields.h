/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The members of the JSON form, one table per struct. Writer and reader both use these tables;
 * docs/reference/result.schema.json describes the same members.
 */
#ifndef PB_REPORT_JSON_FIELDS_H
#define PB_REPORT_JSON_FIELDS_H

#include "phasebench/result.h"

#include <jansson.h>

#define PB_RESULT_SCHEMA_VERSION 5

enum pb_field_kind {
    PB_FIELD_TEXT, /* char[size] */
    PB_FIELD_BOOL,
    PB_FIELD_SIGNED,         /* an integer of 4 or 8 bytes, low .. high */
    PB_FIELD_SIGNED_OR_NULL, /* as SIGNED; PB_ABSENT is null */
    PB_FIELD_UNSIGNED,
    PB_FIELD_OPTIONAL,      /* a signed integer; -1 is null */
    PB_FIELD_INDEX,         /* size_t; SIZE_MAX is null */
    PB_FIELD_DECIMAL,       /* uint64_t as a string of digits, for readers that keep numbers as doubles */
    PB_FIELD_CHOICE,        /* an enum, as the string that name() gives it; values 0 .. high */
    PB_FIELD_CHOICE_OR_NULL /* as CHOICE; the value low is null */
};

struct pb_field {
    const char *key;
    enum pb_field_kind kind;
    size_t offset, size;
    int64_t low, high;
    const char *(*name)(int value);
};

struct pb_fields {
    const struct pb_field *field;
    size_t count;
};

/* The value of a field as JSON text; the caller frees it. NULL: out of memory. */
char *pb_field_text(const struct pb_field *field, const void *object);

/* Adds the fields to an object, or a member. On failure, or when `into` is NULL, both drop what they got and
 * return NULL, so that calls can be chained. */
json_t *pb_json_fields(json_t *into, const struct pb_fields *fields, const void *object);
json_t *pb_json_with(json_t *into, const char *key, json_t *value);
json_t *pb_json_field_text(const char *text); /* untrusted; cut at 1,023 bytes */

/* Reads a text as a document, which the caller releases, or a result in one. Errors as pb_report_read_json */
int pb_json_document(json_t **document, const char *text, size_t length, struct pb_diag *diag);
int pb_json_result(struct pb_result **out, const json_t *document, struct pb_diag *diag);

/* Parts of struct pb_result, each an object of the document (identity: the top level). */
extern const struct pb_fields pb_fields_identity, pb_fields_settings, pb_fields_bound, pb_fields_counts,
    pb_fields_tail, pb_fields_verdict;
/* Fields of struct pb_measurement (without properties of its figure and `corrected`), pb_corrected,
 * pb_uncertainty_row, enum pb_rise_source. */
extern const struct pb_fields pb_fields_measurement, pb_fields_corrected, pb_fields_uncertainty,
    pb_fields_rise;
/* Fields of struct pb_histogram (without bins), pb_finding (without measurement), pb_hypothesis,
 * pb_fault_row, pb_hop_row (without bytes), pb_node_row (without counters and unchecked). */
extern const struct pb_fields pb_fields_histogram, pb_fields_finding, pb_fields_hypothesis, pb_fields_fault,
    pb_fields_hop, pb_fields_node;

#endif
