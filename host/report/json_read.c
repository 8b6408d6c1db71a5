/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every member of the writer must be present, of its type and in its range. Unknown members are ignored, so
 * that a later version may add members without a new schema version.
 */
#include "host/base/json_text.h"
#include "json_fields.h"
#include "phasebench/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Place in the document for the diagnostic, as "hops[3]". */
struct place {
    const char *part;
    size_t row;
    bool has_row;
    struct pb_diag *diag;
};

static int refuse(const struct place *place, const char *key, const char *problem)
{
    const char *dot = *place->part && *key ? "." : "";
    if (place->has_row)
        return pb_fail(place->diag, PB_ERR_CONFIG,
                       "report: %s[%zu]%s%s %s; give a file written by phasebench run --json", place->part,
                       place->row, dot, key, problem);
    return pb_fail(place->diag, PB_ERR_CONFIG,
                   "report: %s%s%s %s; give a file written by phasebench run --json", place->part, dot, key,
                   problem);
}

static int store_integer(const struct pb_field *field, unsigned char *at, int64_t value)
{
    int64_t high = field->high;
    if (field->size == 4) {
        int64_t widest = field->kind == PB_FIELD_UNSIGNED ? (int64_t)UINT32_MAX : INT32_MAX;
        high = high < widest ? high : widest;
    }
    if (value < field->low || value > high)
        return -1;
    if (field->size == 4) {
        uint32_t narrow = (uint32_t)value;
        memcpy(at, &narrow, sizeof narrow);
    } else {
        memcpy(at, &value, sizeof value);
    }
    return 0;
}

static int store_text(const struct pb_field *field, unsigned char *at, const char *text)
{
    const size_t length = strlen(text); /* the parser refuses NUL */
    if (length >= field->size)
        return -1;
    memcpy(at, text, length + 1);
    return 0;
}

static int store_decimal(unsigned char *at, const char *text)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (errno || *end || strspn(text, "0123456789") == 0)
        return -1;
    memcpy(at, &value, sizeof value);
    return 0;
}

static int store_choice(const struct pb_field *field, unsigned char *at, const char *text)
{
    for (int value = 0; value <= (int)field->high; value++) {
        if (!strcmp(text, field->name(value))) {
            memcpy(at, &value, sizeof value);
            return 0;
        }
    }
    return -1;
}

static int read_field(const struct place *place, const struct pb_field *field, const json_t *from,
                      void *object)
{
    static const char *const wanted[] = {
        [PB_FIELD_TEXT] = "is not a string that fits",
        [PB_FIELD_BOOL] = "is not true or false",
        [PB_FIELD_SIGNED] = "is not an integer in range",
        [PB_FIELD_SIGNED_OR_NULL] = "is neither null nor an integer in range",
        [PB_FIELD_UNSIGNED] = "is not a non-negative integer in range",
        [PB_FIELD_OPTIONAL] = "is neither null nor an integer in range",
        [PB_FIELD_INDEX] = "is neither null nor a non-negative integer",
        [PB_FIELD_DECIMAL] = "is not a string of digits below 2^64",
        [PB_FIELD_CHOICE] = "is not one of the words of this version",
        [PB_FIELD_CHOICE_OR_NULL] = "is neither null nor one of the words of this version",
    };
    const json_t *value = json_object_get(from, field->key);
    const int none = (int)field->low;
    const int64_t absent = PB_ABSENT;
    if (!value)
        return refuse(place, field->key, "is missing");
    unsigned char *at = (unsigned char *)object + field->offset;
    const json_type type = json_typeof(value);
    const char *text = json_string_value(value); /* NULL: of another type */
    int failed = -1;
    switch (field->kind) {
    case PB_FIELD_TEXT:
        failed = text ? store_text(field, at, text) : -1;
        break;
    case PB_FIELD_BOOL:
        if (type == JSON_TRUE || type == JSON_FALSE) {
            *(bool *)at = type == JSON_TRUE;
            failed = 0;
        }
        break;
    case PB_FIELD_SIGNED_OR_NULL:
        if (type == JSON_NULL) {
            memcpy(at, &absent, sizeof absent);
            return PB_OK;
        }
        failed = type == JSON_INTEGER ? store_integer(field, at, json_integer_value(value)) : -1;
        break;
    case PB_FIELD_OPTIONAL:
    case PB_FIELD_INDEX:
        if (type == JSON_NULL) {
            memset(at, 0xFF, field->size);
            return PB_OK;
        }
        /* fall through */
    case PB_FIELD_SIGNED:
    case PB_FIELD_UNSIGNED:
        failed = type == JSON_INTEGER ? store_integer(field, at, json_integer_value(value)) : -1;
        break;
    case PB_FIELD_DECIMAL:
        failed = text ? store_decimal(at, text) : -1;
        break;
    case PB_FIELD_CHOICE_OR_NULL:
        if (type == JSON_NULL) {
            memcpy(at, &none, sizeof none);
            return PB_OK;
        }
        /* fall through */
    case PB_FIELD_CHOICE:
        failed = text ? store_choice(field, at, text) : -1;
        break;
    }
    return failed ? refuse(place, field->key, wanted[field->kind]) : PB_OK;
}

static int read_fields(const struct place *place, const struct pb_fields *fields, const json_t *from,
                       void *object)
{
    if (!json_is_object(from))
        return refuse(place, "", from ? "is not an object" : "is missing");
    for (size_t i = 0; i < fields->count; i++) {
        int status = read_field(place, &fields->field[i], from, object);
        if (status)
            return status;
    }
    return PB_OK;
}

static int read_environment(const struct place *place, const json_t *from, struct pb_result *result)
{
    if (!json_is_object(from))
        return refuse(place, "environment", "is not an object");
    size_t used = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)from, key, value)
    {
        const char *text = json_string_value(value);
        if (!text && json_typeof(value) != JSON_NULL)
            return refuse(place, "environment", "has a value that is no string");
        const int length = snprintf(result->environment + used, sizeof result->environment - used, "%s%s%s%s",
                                    used ? "; " : "", key, text ? "=" : "", text ? text : "");
        if ((size_t)length >= sizeof result->environment - used)
            return refuse(place, "environment", "is too long");
        used += (size_t)length;
    }
    return PB_OK;
}

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

static int read_bytes(const struct place *place, const json_t *from, struct pb_hop_row *hop)
{
    const char *digits = json_string_value(json_object_get(from, "bytes"));
    size_t stored = hop->byte_count < sizeof hop->bytes ? hop->byte_count : sizeof hop->bytes;
    if (!digits || strlen(digits) != 2 * stored)
        return refuse(place, "bytes", "does not hold two digits for each of byte_count bytes");
    for (size_t i = 0; i < stored; i++) {
        int high = hex_digit(digits[2 * i]), low = hex_digit(digits[2 * i + 1]);
        if (high < 0 || low < 0)
            return refuse(place, "bytes", "is not made of the digits 0..9 and A..F");
        hop->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return PB_OK;
}

static int read_histogram(const struct place *place, const json_t *from, struct pb_histogram *histogram)
{
    const int status = read_fields(place, &pb_fields_histogram, from, histogram);
    if (status)
        return status;
    const json_t *bins = json_object_get(from, "bins");
    if (json_array_size(bins) != PB_HISTOGRAM_BINS)
        return refuse(place, "starts.bins", "does not have 40 numbers");
    for (size_t i = 0; i < PB_HISTOGRAM_BINS; i++) {
        const json_t *bin = json_array_get(bins, i);
        if (!json_is_integer(bin) || json_integer_value(bin) < 0 || json_integer_value(bin) > UINT32_MAX)
            return refuse(place, "starts.bins", "has something else than counts");
        histogram->bin[i] = (uint32_t)json_integer_value(bin);
    }
    return PB_OK;
}

/* Checks a member that other members determine. */
static int demand(const struct place *place, const json_t *from, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(from, key));
    return value && !strcmp(value, text) ? PB_OK : refuse(place, key, "is not that of the figure");
}

typedef int read_row_fn(const struct place *place, const json_t *from, struct pb_result *result);

static int hypothesis_row(const struct place *place, const json_t *from, struct pb_result *result)
{
    return read_fields(place, &pb_fields_hypothesis, from, &result->hypothesis[place->row]);
}

static int measurement_row(const struct place *place, const json_t *from, struct pb_result *result)
{
    struct pb_measurement *row = &result->measurement[place->row];
    const json_t *corrected = json_object_get(from, "corrected");
    int status = read_fields(place, &pb_fields_measurement, from, row);
    const enum pb_place of = pb_figure_place(row->figure);
    if (!status && (row->link >= 0) != (of == PB_OF_LINK))
        status = refuse(place, "link", "is not that of the figure");
    if (!status && (row->node >= 0) != (of != PB_OF_RUN))
        status = refuse(place, "node", "is not that of the figure");
    if (!status)
        status = demand(place, from, "id", pb_measurement_id(row).text);
    if (status)
        return status;
    const enum pb_unit unit = pb_figure_unit(row->figure);
    status = demand(place, from, "quantity", pb_unit_quantity(unit));
    if (!status)
        status = demand(place, from, "unit", pb_unit_name(unit));
    if (!status)
        status = demand(place, from, "decision", pb_decision_name(pb_figure_decision(row->figure)));
    if (!status && !json_is_null(corrected))
        status = read_fields(place, &pb_fields_corrected, corrected, &row->corrected);
    return status;
}

static int line_row(const struct place *place, const json_t *from, struct pb_result *result)
{
    const json_t *link = json_object_get(from, "link");
    if (!json_is_integer(link) || json_integer_value(link) != (json_int_t)place->row)
        return refuse(place, "link", "is not the number of its row");
    const int status = read_fields(place, &pb_fields_rise, from, &result->rise_source[place->row]);
    return status ? status
                  : read_histogram(place, json_object_get(from, "starts"), &result->histogram[place->row]);
}

static int uncertainty_row(const struct place *place, const json_t *from, struct pb_result *result)
{
    return read_fields(place, &pb_fields_uncertainty, from, &result->budget[place->row]);
}

static int finding_row(const struct place *place, const json_t *from, struct pb_result *result)
{
    struct pb_finding *finding = &result->finding[place->row];
    const json_t *measurement = json_object_get(from, "measurement");
    const char *id = json_string_value(measurement);
    finding->measurement = -1;
    for (size_t i = 0; id && i < result->measurements && finding->measurement < 0; i++)
        if (!strcmp(id, pb_measurement_id(&result->measurement[i]).text))
            finding->measurement = (int)i;
    if (finding->measurement < 0 && !json_is_null(measurement))
        return refuse(place, "measurement", "is neither null nor the id of a measurement");
    return read_fields(place, &pb_fields_finding, from, finding);
}

static int fault_row(const struct place *place, const json_t *from, struct pb_result *result)
{
    return read_fields(place, &pb_fields_fault, from, &result->fault[place->row]);
}

static int hop_row(const struct place *place, const json_t *from, struct pb_result *result)
{
    struct pb_hop_row *hop = &result->hop[place->row];
    int status = read_fields(place, &pb_fields_hop, from, hop);
    return status ? status : read_bytes(place, from, hop);
}

static int read_counters(const struct place *place, const json_t *from, struct pb_node_row *node)
{
    for (int i = 0; i < PB_COUNTERS; i++) {
        const json_t *value = json_object_get(from, pb_counter_key(i));
        if (!json_is_null(value) && (!json_is_integer(value) || json_integer_value(value) < 0))
            return refuse(place, "counters", "has something else than counts and null");
        node->counter[i] = json_is_null(value) ? -1 : json_integer_value(value);
    }
    return PB_OK;
}

static int node_row(const struct place *place, const json_t *from, struct pb_result *result)
{
    struct pb_node_row *node = &result->node[place->row];
    const json_t *clauses = json_object_get(from, "not_checked");
    int status = read_fields(place, &pb_fields_node, from, node);
    if (!status)
        status = read_counters(place, json_object_get(from, "counters"), node);
    if (status)
        return status;
    if (!json_is_array(clauses) ||
        json_array_size(clauses) > sizeof node->unchecked / sizeof node->unchecked[0])
        return refuse(place, "not_checked", "is not a list of up to 4 clauses");
    for (; node->unchecks < json_array_size(clauses); node->unchecks++) {
        const char *text = json_string_value(json_array_get(clauses, node->unchecks));
        if (!text || strlen(text) >= sizeof node->unchecked[0])
            return refuse(place, "not_checked", "has something else than clauses that fit");
        strcpy(node->unchecked[node->unchecks], text);
    }
    return PB_OK;
}

static int read_rows(const json_t *document, const char *key, struct pb_result *result, read_row_fn *read,
                     struct pb_diag *diag)
{
    const json_t *rows = json_object_get(document, key);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const struct place place = {key, i, true, diag};
        int status = read(&place, json_array_get(rows, i), result);
        if (status)
            return status;
    }
    return PB_OK;
}

/* Checks the lengths of the lists and allocates them. */
static int make_room(const json_t *document, struct pb_result *result, struct pb_diag *diag)
{
    const struct place top = {"", 0, false, diag};
    static const char *const list[] = {"hypotheses", "not_checked",      "measurements",
                                       "lines",      "uncertainty",      "findings",
                                       "faults",     "nodes_under_test", "hops"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (!json_is_array(json_object_get(document, list[i])))
            return refuse(&top, list[i], "is not a list");
    size_t index;
    json_t *clause;
    json_array_foreach(json_object_get(document, "not_checked"), index, clause)
    {
        if (!json_is_string(clause))
            return refuse(&top, "not_checked", "has something else than clauses");
    }
    size_t hypotheses = json_array_size(json_object_get(document, "hypotheses"));
    if (hypotheses > sizeof result->hypothesis / sizeof result->hypothesis[0])
        return refuse(&top, "hypotheses", "has more than 8 entries");
    if (json_array_size(json_object_get(document, "lines")) > PB_RISE_LINKS)
        return refuse(&top, "lines", "has more than 64 entries");
    if (json_array_size(json_object_get(document, "uncertainty")) > PB_BUDGET_MAX)
        return refuse(&top, "uncertainty", "has more than 10 entries");
    result->lines = (unsigned)json_array_size(json_object_get(document, "lines"));
    result->budget_rows = (unsigned)json_array_size(json_object_get(document, "uncertainty"));
    const size_t nodes = json_array_size(json_object_get(document, "nodes_under_test"));
    if (nodes > PB_NODE_ROWS_MAX)
        return refuse(&top, "nodes_under_test", "has more than 16 entries");
    result->node_rows = (unsigned)nodes;
    result->hypotheses = (unsigned)hypotheses;
    result->findings = json_array_size(json_object_get(document, "findings"));
    result->faults = json_array_size(json_object_get(document, "faults"));
    result->hops = json_array_size(json_object_get(document, "hops"));
    result->measurements = json_array_size(json_object_get(document, "measurements"));
    if (result->measurements > PB_FIGURES * PB_RISE_LINKS)
        return refuse(&top, "measurements", "has more entries than figures and links");
    result->measurement = calloc(result->measurements + 1, sizeof *result->measurement);
    result->finding = calloc(result->findings + 1, sizeof *result->finding);
    result->fault = calloc(result->faults + 1, sizeof *result->fault);
    result->hop = calloc(result->hops + 1, sizeof *result->hop);
    if (!result->finding || !result->fault || !result->hop || !result->measurement)
        return pb_fail(diag, PB_ERR_MEMORY, "report: no memory for %zu findings and %zu hops",
                       result->findings, result->hops);
    return PB_OK;
}

/* `dims`: of a cube; 0: any other network. */
static int read_network(const struct place *settings, struct pb_result *result)
{
    struct pb_network network;
    struct pb_diag cause;
    if (pb_network_parse(&network, result->network_name, &cause) || network.ports > PB_DIMS_MAX)
        return refuse(settings, "network", "is no network of at most 16 ports a node");
    if (network.dims != result->network.dims)
        return refuse(settings, "dims", "is not that of the network");
    result->network = network;
    return PB_OK;
}

static int read_document(const json_t *document, struct pb_result *result, struct pb_diag *diag)
{
    const struct place top = {"", 0, false, diag}, settings = {"settings", 0, false, diag};
    const struct {
        const char *key;
        const struct pb_fields *fields;
        void *object;
    } part[] = {
        {"settings", &pb_fields_settings, result},
        {"bound", &pb_fields_bound, result},
        {"counts", &pb_fields_counts, result},
    };
    const json_t *version = json_object_get(document, "schema_version");
    if (json_is_array(json_object_get(document, "results")))
        return refuse(&top, "results", "is a list of several runs: take one element out of it");
    if (!json_is_integer(version))
        return refuse(&top, "schema_version", "is missing");
    if (json_integer_value(version) != PB_RESULT_SCHEMA_VERSION)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "report: schema_version %" JSON_INTEGER_FORMAT
                       " is not %d, the one that this program reads; use the phasebench that wrote the file",
                       json_integer_value(version), PB_RESULT_SCHEMA_VERSION);
    int status = read_fields(&top, &pb_fields_identity, document, result);
    if (!status)
        status = read_fields(&top, &pb_fields_tail, document, result);
    if (!status)
        status = read_fields(&top, &pb_fields_verdict, document, result);
    if (!status)
        status = read_environment(&top, json_object_get(document, "environment"), result);
    for (size_t i = 0; i < sizeof part / sizeof part[0] && !status; i++) {
        const struct place place = {part[i].key, 0, false, diag};
        status = read_fields(&place, part[i].fields, json_object_get(document, part[i].key), part[i].object);
    }
    if (!status)
        status = read_network(&settings, result);
    if (!status)
        status = make_room(document, result, diag);
    if (!status)
        status = read_rows(document, "hypotheses", result, hypothesis_row, diag);
    if (!status)
        status = read_rows(document, "measurements", result, measurement_row, diag);
    if (!status)
        status = read_rows(document, "lines", result, line_row, diag);
    if (!status)
        status = read_rows(document, "uncertainty", result, uncertainty_row, diag);
    if (!status)
        status = read_rows(document, "findings", result, finding_row, diag);
    if (!status)
        status = read_rows(document, "faults", result, fault_row, diag);
    if (!status)
        status = read_rows(document, "nodes_under_test", result, node_row, diag);
    if (!status)
        status = read_rows(document, "hops", result, hop_row, diag);
    return status;
}

int pb_json_result(struct pb_result **out, const json_t *document, struct pb_diag *diag)
{
    struct pb_result *result = calloc(1, sizeof *result);
    const int status =
        result ? read_document(document, result, diag)
               : pb_fail(diag, PB_ERR_MEMORY, "report: no memory for a result of %zu bytes", sizeof *result);
    if (status) {
        pb_result_free(result);
        return status;
    }
    *out = result;
    return PB_OK;
}

int pb_json_document(json_t **document, const char *text, size_t length, struct pb_diag *diag)
{
    json_error_t error;
    *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (*document)
        return PB_OK;
    if (pb_json_out_of_memory(&error))
        return pb_fail(diag, PB_ERR_MEMORY, "report: no memory for a document of %zu bytes", length);
    return pb_fail(diag, PB_ERR_CONFIG,
                   "report: line %d is not JSON (%s); give a file written by phasebench run --json",
                   error.line, error.text);
}

int pb_report_read_json(struct pb_result **out, const char *text, size_t length, struct pb_diag *diag)
{
    json_t *document;
    *out = NULL;
    int status = pb_json_document(&document, text, length, diag);
    if (!status)
        status = pb_json_result(out, document, diag);
    json_decref(document);
    return status;
}

/* The list of runs, or the document of a single run. */
static int read_results(struct pb_result **result, size_t *count, const json_t *document, const json_t *list,
                        struct pb_diag *diag)
{
    int status = PB_OK;
    if (!list) {
        status = pb_json_result(result, document, diag);
        *count = !status;
    }
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        struct pb_diag inner = {""};
        status = pb_json_result(&result[i], json_array_get(list, i), &inner);
        if (status)
            return pb_fail(diag, status, "run %zu of %zu: %s", i + 1, json_array_size(list), inner.text);
        *count = i + 1;
    }
    return status;
}

int pb_report_read_json_all(struct pb_result ***out, size_t *count, const char *text, size_t length,
                            struct pb_diag *diag)
{
    json_t *document;
    *out = NULL;
    *count = 0;
    int status = pb_json_document(&document, text, length, diag);
    if (status)
        return status;
    const json_t *list = json_object_get(document, "results");
    list = json_is_array(list) ? list : NULL;
    struct pb_result **result = calloc(json_array_size(list) + 1, sizeof *result);
    if (!result)
        status = pb_fail(diag, PB_ERR_MEMORY, "report: no memory for %zu results", json_array_size(list));
    else if (list && !json_array_size(list))
        status = pb_fail(diag, PB_ERR_CONFIG, "report: results is empty; give a file of at least 1 run");
    else
        status = read_results(result, count, document, list, diag);
    json_decref(document);
    if (status) {
        pb_report_free_all(result, *count);
        *count = 0;
        return status;
    }
    *out = result;
    return PB_OK;
}

void pb_report_free_all(struct pb_result **result, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pb_result_free(result[i]);
    free(result);
}
