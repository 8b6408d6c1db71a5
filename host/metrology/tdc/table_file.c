/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/tdc.h"

#include "host/base/json_text.h"
#include "host/base/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FORM "phasebench-tdc"
enum { VERSION = 1, FILE_MAX = 65536, S_PER_DAY = 86400 };

static const char *const hits_key[2] = {"hits_of_falls", "hits_of_rises"};
static const char *const bubbles_key[2] = {"bubbles_of_falls", "bubbles_of_rises"};

static int add_side(json_t *object, const struct pb_tdc_table *table, unsigned side)
{
    json_t *hits = json_array();
    int failed = !hits;
    for (unsigned code = 0; code <= table->taps && !failed; code++)
        failed = json_array_append_new(hits, json_integer(table->side[side].hits[code]));
    failed =
        json_object_set_new(object, bubbles_key[side], json_integer(table->side[side].bubbles)) || failed;
    return json_object_set_new(object, hits_key[side], hits) || failed;
}

int pb_tdc_write(const struct pb_tdc_table *table, const char *path, struct pb_diag *diag)
{
    json_t *object =
        json_pack("{s:s, s:i, s:s, s:s, s:I, s:i, s:I, s:f}", "form", FORM, "version", VERSION, "board",
                  table->board, "bitstream", table->bitstream, "made_s", (json_int_t)table->made_s, "taps",
                  (int)table->taps, "clock_hz", (json_int_t)table->clock_hz, "oscillator_hz",
                  table->oscillator_hz);
    if (!object || add_side(object, table, 0) || add_side(object, table, 1)) {
        json_decref(object);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the table of the converter");
    }
    char *const text = json_dumps(object, JSON_INDENT(1) | JSON_SORT_KEYS);
    const int error = text ? pb_whole_file_write(path, text) : ENOMEM;
    json_decref(object);
    free(text);
    return error ? pb_fail(diag, PB_ERR_IO, "%s: cannot be written: %s; name another file", path,
                           strerror(error))
                 : PB_OK;
}

static bool take_name(char name[PB_TDC_NAME], const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text || !*text || strlen(text) >= PB_TDC_NAME)
        return false;
    strcpy(name, text);
    return true;
}

static bool take_number(json_int_t *number, const json_t *value, json_int_t most)
{
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= 0 && *number <= most;
}

static bool take_side(struct pb_tdc_table *table, unsigned side, const json_t *object)
{
    const json_t *hits = json_object_get(object, hits_key[side]);
    json_int_t bubbles;
    if (json_array_size(hits) != table->taps + 1 ||
        !take_number(&bubbles, json_object_get(object, bubbles_key[side]), PB_TDC_HITS_MAX))
        return false;
    table->side[side].bubbles = (uint32_t)bubbles;
    for (unsigned code = 0; code <= table->taps; code++) {
        json_int_t number;
        if (!take_number(&number, json_array_get(hits, code), PB_TDC_HITS_MAX))
            return false;
        table->side[side].hits[code] = (uint32_t)number;
    }
    return true;
}

static bool take(struct pb_tdc_table *table, const json_t *object)
{
    const char *form = json_string_value(json_object_get(object, "form"));
    const json_t *rate = json_object_get(object, "oscillator_hz");
    json_int_t made_s, taps, clock_hz;
    *table = (struct pb_tdc_table){0};
    if (!form || strcmp(form, FORM) || json_integer_value(json_object_get(object, "version")) != VERSION)
        return false;
    if (!take_name(table->board, object, "board") || !take_name(table->bitstream, object, "bitstream") ||
        !take_number(&made_s, json_object_get(object, "made_s"), INT64_MAX) ||
        !take_number(&taps, json_object_get(object, "taps"), PB_TDC_CODES - 1) || !taps ||
        !take_number(&clock_hz, json_object_get(object, "clock_hz"), UINT32_MAX) || !clock_hz)
        return false;
    table->made_s = made_s;
    table->taps = (unsigned)taps;
    table->clock_hz = (uint32_t)clock_hz;
    table->oscillator_hz = json_number_value(rate);
    return json_is_number(rate) && table->oscillator_hz > 0 && take_side(table, 0, object) &&
           take_side(table, 1, object);
}

int pb_tdc_parse(struct pb_tdc_table *table, const char *json, size_t length, struct pb_diag *diag)
{
    json_error_t error;
    json_t *object = json_loadb(json, length, JSON_REJECT_DUPLICATES, &error);
    const bool memory = !object && pb_json_out_of_memory(&error), good = object && take(table, object);
    const bool twice = !object && !memory && json_error_code(&error) == json_error_duplicate_key;
    json_decref(object);
    if (memory)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the table of the converter");
    if (twice)
        return pb_fail(diag, PB_ERR_CONFIG, "%d: a key that the table has twice; calibrate again",
                       error.line);
    return good
               ? PB_OK
               : pb_fail(diag, PB_ERR_CONFIG,
                         "is no table of the converter, form " FORM ", version %d; calibrate again", VERSION);
}

static int load(struct pb_tdc_table *table, FILE *file, const char *path, struct pb_diag *diag)
{
    char *text = malloc(FILE_MAX);
    struct pb_diag why = {""};
    if (!text)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the table of the converter");
    errno = 0;
    const size_t length = fread(text, 1, FILE_MAX, file);
    int code = PB_OK;
    if (ferror(file))
        code = pb_fail(diag, PB_ERR_IO, "%s: cannot be read: %s; name another file", path, strerror(errno));
    else if (length == FILE_MAX)
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "%s: has %d bytes or more, no table of the converter has; name another file", path,
                       FILE_MAX);
    else if ((code = pb_tdc_parse(table, text, length, &why)))
        pb_fail(diag, code, "%s: %s", path, why.text);
    free(text);
    return code;
}

int pb_tdc_read(struct pb_tdc_table *table, const char *path, const char *board, struct pb_diag *diag)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return pb_fail(diag, PB_ERR_IO, "%s: cannot be opened: %s; name another file, or calibrate", path,
                       strerror(errno));
    const int code = load(table, file, path, diag);
    fclose(file);
    if (code)
        return code;
    if (board && strcmp(table->board, board))
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "%s: is of board %s; the rig is %s, and no two boards have the same delays; calibrate this one",
            path, table->board, board);
    if (table->made_s - S_PER_DAY > time(NULL))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: is from the future (made_s %" PRId64 "); set the clock of this computer, or "
                       "calibrate again",
                       path, table->made_s);
    return PB_OK;
}

int pb_tdc_check_bitstream(const struct pb_tdc_table *table, const char *bitstream, struct pb_diag *diag)
{
    if (strcmp(table->bitstream, bitstream))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "table of the converter: is of bitstream %s; the core is %s, and each layout has its "
                       "own delays; calibrate again",
                       table->bitstream, bitstream);
    return PB_OK;
}
