/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes the document member by member and row by row, as a long run has many hops. One row per line suits
 * grep and diff.
 */
#include "host/base/utf8.h"
#include "json_fields.h"
#include "phasebench/report.h"
#include "render.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

static json_t *text_value(const char *text, size_t size)
{
    char copy[1024];
    pb_utf8_clean(copy, size < sizeof copy ? size : sizeof copy, text);
    return json_string(copy);
}

json_t *pb_json_field_text(const char *text)
{
    return text_value(text, SIZE_MAX);
}

static json_t *field_value(const struct pb_field *field, const unsigned char *object)
{
    const unsigned char *at = object + field->offset;
    int32_t narrow;
    int64_t wide;
    if (field->size == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        wide = field->kind == PB_FIELD_UNSIGNED ? (int64_t)(uint32_t)narrow : narrow;
    } else if (field->size == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
    } else {
        wide = 0;
    }
    char digits[24];
    bool flag;
    switch (field->kind) {
    case PB_FIELD_TEXT:
        return text_value((const char *)at, field->size);
    case PB_FIELD_BOOL:
        memcpy(&flag, at, sizeof flag);
        return json_boolean(flag);
    case PB_FIELD_SIGNED:
        return json_integer(wide);
    case PB_FIELD_SIGNED_OR_NULL:
        return wide == PB_ABSENT ? json_null() : json_integer(wide);
    case PB_FIELD_UNSIGNED:
        return json_integer(wide < 0 ? INT64_MAX : wide); /* saturates above 2^63 - 1 */
    case PB_FIELD_OPTIONAL:
    case PB_FIELD_INDEX:
        return wide == -1 ? json_null() : json_integer(wide);
    case PB_FIELD_DECIMAL:
        snprintf(digits, sizeof digits, "%" PRIu64, (uint64_t)wide);
        return json_string(digits);
    case PB_FIELD_CHOICE_OR_NULL:
        return (int)wide == (int)field->low ? json_null() : json_string(field->name((int)wide));
    case PB_FIELD_CHOICE:
        return json_string(field->name((int)wide));
    }
    return NULL;
}

char *pb_field_text(const struct pb_field *field, const void *object)
{
    json_t *value = field_value(field, object);
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    return text;
}

json_t *pb_json_fields(json_t *into, const struct pb_fields *fields, const void *object)
{
    for (size_t i = 0; into && i < fields->count; i++) {
        if (json_object_set_new(into, fields->field[i].key, field_value(&fields->field[i], object))) {
            json_decref(into);
            return NULL;
        }
    }
    return into;
}

static json_t *make_object(const struct pb_fields *fields, const void *object)
{
    return pb_json_fields(json_object(), fields, object);
}

json_t *pb_json_with(json_t *into, const char *key, json_t *value)
{
    if (!into) {
        json_decref(value);
        return NULL;
    }
    if (json_object_set_new(into, key, value)) {
        json_decref(into);
        return NULL;
    }
    return into;
}

static json_t *make_hop(const struct pb_hop_row *hop)
{
    size_t count = hop->byte_count < sizeof hop->bytes ? hop->byte_count : sizeof hop->bytes;
    char digits[2 * sizeof hop->bytes + 1] = "";
    for (size_t i = 0; i < count; i++)
        snprintf(digits + 2 * i, 3, "%02X", hop->bytes[i]);
    return pb_json_with(make_object(&pb_fields_hop, hop), "bytes", json_string(digits));
}

static json_t *make_histogram(const struct pb_histogram *histogram)
{
    json_t *bins = json_array();
    for (size_t i = 0; bins && i < PB_HISTOGRAM_BINS; i++) {
        if (json_array_append_new(bins, json_integer(histogram->bin[i]))) {
            json_decref(bins);
            bins = NULL;
        }
    }
    return pb_json_with(make_object(&pb_fields_histogram, histogram), "bins", bins);
}

static json_t *id_value(const struct pb_measurement *measurement)
{
    return json_string(pb_measurement_id(measurement).text);
}

/* Adds properties of the figure, for readers that do not know the figures of this version. */
static json_t *make_measurement(const struct pb_measurement *measurement)
{
    const enum pb_unit unit = pb_figure_unit(measurement->figure);
    json_t *object = pb_json_with(json_object(), "id", id_value(measurement));
    object = pb_json_fields(object, &pb_fields_measurement, measurement);
    object = pb_json_with(object, "quantity", json_string(pb_unit_quantity(unit)));
    object = pb_json_with(object, "unit", json_string(pb_unit_name(unit)));
    object = pb_json_with(object, "decision",
                          json_string(pb_decision_name(pb_figure_decision(measurement->figure))));
    return pb_json_with(object, "corrected",
                measurement->corrected.residues ? make_object(&pb_fields_corrected, &measurement->corrected)
                                                : json_null());
}

/* Converts "key=value; key=value" to an object; an entry without '=' gets null. */
static json_t *make_environment(const struct pb_result *result)
{
    char copy[sizeof result->environment];
    pb_utf8_clean(copy, sizeof copy, result->environment);
    json_t *object = json_object();
    char *rest = copy;
    while (object && *rest) {
        char *entry = rest + strspn(rest, "; ");
        size_t length = strcspn(entry, ";");
        rest = entry[length] ? entry + length + 1 : entry + length;
        while (length && entry[length - 1] == ' ')
            length--;
        entry[length] = '\0';
        if (!length)
            continue;
        char *value = strchr(entry, '=');
        if (value)
            *value++ = '\0';
        object = pb_json_with(object, entry, value ? json_string(value) : json_null());
    }
    return object;
}

/* Writes one value; takes the reference. */
static int put(FILE *stream, const char *before, json_t *value)
{
    if (!value)
        return PB_ERR_MEMORY;
    fputs(before, stream);
    int failed = json_dumpf(value, stream, JSON_ENCODE_ANY);
    json_decref(value);
    if (failed)
        return ferror(stream) ? PB_ERR_IO : PB_ERR_MEMORY;
    return PB_OK;
}

/* Writes the members of an object, one per line, without a separator after the last; takes the reference. */
static int put_members(FILE *stream, json_t *object)
{
    int status = object ? PB_OK : PB_ERR_MEMORY;
    const char *key, *before = "  ";
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (status)
            break;
        status = put(stream, before, json_string(key));
        before = ",\n  ";
        if (!status)
            status = put(stream, ": ", json_incref(value));
    }
    json_decref(object);
    return status;
}

typedef json_t *make_row_fn(const struct pb_result *result, size_t index);

static int put_rows(FILE *stream, const char *key, const struct pb_result *result, size_t count,
                    make_row_fn *make)
{
    fprintf(stream, "  \"%s\": [", key);
    int status = PB_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = put(stream, i ? ",\n    " : "\n    ", make(result, i));
    fputs(count ? "\n  ]" : "]", stream);
    return status;
}

static json_t *hypothesis_row(const struct pb_result *result, size_t index)
{
    return make_object(&pb_fields_hypothesis, &result->hypothesis[index]);
}

static json_t *measurement_row(const struct pb_result *result, size_t index)
{
    return make_measurement(&result->measurement[index]);
}

static json_t *line_row(const struct pb_result *result, size_t index)
{
    json_t *line = pb_json_fields(pb_json_with(json_object(), "link", json_integer((json_int_t)index)),
                                  &pb_fields_rise, &result->rise_source[index]);
    return pb_json_with(line, "starts", make_histogram(&result->histogram[index]));
}

static json_t *uncertainty_row(const struct pb_result *result, size_t index)
{
    return make_object(&pb_fields_uncertainty, &result->budget[index]);
}

static json_t *finding_row(const struct pb_result *result, size_t index)
{
    const struct pb_finding *finding = &result->finding[index];
    const bool measured = finding->measurement >= 0 && (size_t)finding->measurement < result->measurements;
    return pb_json_with(make_object(&pb_fields_finding, finding), "measurement",
                measured ? id_value(&result->measurement[finding->measurement]) : json_null());
}

static json_t *unchecked_row(const struct pb_result *result, size_t index)
{
    return text_value(pb_result_unchecked(result, (unsigned)index), sizeof result->node[0].unchecked[0]);
}

static json_t *fault_row(const struct pb_result *result, size_t index)
{
    return make_object(&pb_fields_fault, &result->fault[index]);
}

static json_t *hop_row(const struct pb_result *result, size_t index)
{
    return make_hop(&result->hop[index]);
}

static json_t *node_row(const struct pb_result *result, size_t index)
{
    const struct pb_node_row *node = &result->node[index];
    json_t *counters = json_object(), *unchecked = json_array();
    for (int i = 0; i < PB_COUNTERS; i++)
        counters = pb_json_with(counters, pb_counter_key(i),
                        node->counter[i] < 0 ? json_null() : json_integer(node->counter[i]));
    for (unsigned i = 0; unchecked && i < node->unchecks; i++)
        if (json_array_append_new(unchecked, text_value(node->unchecked[i], sizeof node->unchecked[i]))) {
            json_decref(unchecked);
            unchecked = NULL;
        }
    return pb_json_with(pb_json_with(make_object(&pb_fields_node, node), "counters", counters), "not_checked",
                        unchecked);
}

int pb_report_json(FILE *stream, const struct pb_result *result)
{
    unsigned unchecked = 0;
    while (pb_result_unchecked(result, unchecked))
        unchecked++;
    const size_t hypotheses_max = sizeof result->hypothesis / sizeof result->hypothesis[0];
    const struct {
        const char *key;
        size_t count;
        make_row_fn *make;
    } list[] = {
        {"hypotheses", result->hypotheses < hypotheses_max ? result->hypotheses : hypotheses_max,
         hypothesis_row},
        {"not_checked", unchecked, unchecked_row},
        {"measurements", result->measurements, measurement_row},
        {"lines", pb_lines_of(result), line_row},
        {"uncertainty", result->budget_rows < PB_BUDGET_MAX ? result->budget_rows : PB_BUDGET_MAX,
         uncertainty_row},
        {"findings", result->findings, finding_row},
        {"faults", result->faults, fault_row},
        {"nodes_under_test", result->node_rows, node_row},
        {"hops", result->hops, hop_row},
    };
    json_t *head = pb_json_with(json_object(), "schema_version", json_integer(PB_RESULT_SCHEMA_VERSION));
    head = pb_json_fields(head, &pb_fields_identity, result);
    head = pb_json_with(head, "environment", make_environment(result));
    head = pb_json_with(head, "settings", make_object(&pb_fields_settings, result));
    head = pb_json_with(head, "bound", make_object(&pb_fields_bound, result));
    head = pb_json_with(head, "counts", make_object(&pb_fields_counts, result));
    head = pb_json_fields(head, &pb_fields_tail, result);

    fputs("{\n", stream);
    int status = put_members(stream, head);
    for (size_t i = 0; i < sizeof list / sizeof list[0] && !status; i++) {
        fputs(",\n", stream);
        status = put_rows(stream, list[i].key, result, list[i].count, list[i].make);
    }
    fputs(",\n", stream);
    if (!status)
        status = put_members(stream, make_object(&pb_fields_verdict, result));
    fputs("\n}\n", stream);
    int written = pb_stream_status(stream);
    return status ? status : written;
}
