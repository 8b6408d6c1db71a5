/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The members of the JSON form, one table per struct. Writer and reader both walk these tables, so what one
 * writes the other reads; docs/result.schema.json says the same to the rest of the world.
 */
#ifndef PB_REPORT_JSON_FIELDS_H
#define PB_REPORT_JSON_FIELDS_H

#include "phasebench/result.h"

#define PB_RESULT_SCHEMA_VERSION 3

enum pb_field_kind {
    PB_FIELD_TEXT, /* char[size] */
    PB_FIELD_BOOL,
    PB_FIELD_SIGNED,         /* an integer of 4 or 8 bytes, low .. high */
    PB_FIELD_SIGNED_OR_NULL, /* the same; PB_ABSENT is null */
    PB_FIELD_UNSIGNED,
    PB_FIELD_OPTIONAL,      /* the same, signed; -1 is null */
    PB_FIELD_INDEX,         /* size_t; SIZE_MAX is null */
    PB_FIELD_DECIMAL,       /* uint64_t as a string of digits, for readers that keep numbers as doubles */
    PB_FIELD_CHOICE,        /* an enum, as the string that name() gives it; values 0 .. high */
    PB_FIELD_CHOICE_OR_NULL /* the same; the value low is null */
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

/* Parts of struct pb_result, each an object of its own in the document (identity stands at the top level). */
extern const struct pb_fields pb_fields_identity, pb_fields_settings, pb_fields_bound, pb_fields_counts,
    pb_fields_tail, pb_fields_verdict;
/* Of struct pb_measurement (nothing that follows from its figure, not corrected), pb_corrected,
 * pb_uncertainty_row; of enum pb_rise_source. */
extern const struct pb_fields pb_fields_measurement, pb_fields_corrected, pb_fields_uncertainty,
    pb_fields_rise;
/* Of struct pb_histogram (no bins), pb_finding (no measurement), pb_hypothesis, pb_fault_row, pb_hop_row (no
 * bytes), pb_node_row (no counters, nothing unchecked). */
extern const struct pb_fields pb_fields_histogram, pb_fields_finding, pb_fields_hypothesis, pb_fields_fault,
    pb_fields_hop, pb_fields_node;

#endif
