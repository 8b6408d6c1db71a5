/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file of a calibration, and its use.
 */
#define _DEFAULT_SOURCE /* timegm */
#include "phasebench/calibration.h"

#include "host/base/utf8.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define VERSION 1
enum { SECONDS_PER_DAY = 86400 };

void pb_calibrate_rate_ppm(const struct pb_calibration *calibration, double *rate_ppm, double *u95_ppm)
{
    if (!calibration)
        return;
    const double offset_ppm = calibration->offset_ppb / 1e3, own_ppm = calibration->u95_ppb / 1e3;
    *rate_ppm = *rate_ppm + offset_ppm + *rate_ppm * offset_ppm / 1e6;
    if (u95_ppm)
        *u95_ppm = sqrt(*u95_ppm * *u95_ppm + own_ppm * own_ppm);
}

static bool read_date(const char *text, time_t *at)
{
    struct tm utc = {0};
    int used = 0;
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &utc.tm_hour,
               &utc.tm_min, &utc.tm_sec, &used) != 6 ||
        text[used] || used != 20 || utc.tm_mon < 1 || utc.tm_mon > 12 || utc.tm_mday < 1 || utc.tm_mday > 31)
        return false;
    utc.tm_year -= 1900;
    utc.tm_mon -= 1;
    *at = timegm(&utc);
    return true;
}

const char *pb_calibration_line(const struct pb_calibration *calibration, char text[PB_CALIBRATION_LINE_SIZE])
{
    snprintf(text, PB_CALIBRATION_LINE_SIZE, "core %+.3f ppb, U95 %.3f ppb, %s", calibration->offset_ppb,
             calibration->u95_ppb, calibration->date_utc);
    return text;
}

double pb_calibration_age_days(const struct pb_calibration *calibration, time_t now)
{
    time_t then;
    return read_date(calibration->date_utc, &then) ? difftime(now, then) / SECONDS_PER_DAY : HUGE_VAL;
}

/* ---- JSON */

static json_t *clean(const char *text)
{
    char copy[PB_CALIBRATION_TEXT_SIZE];
    pb_utf8_clean(copy, sizeof copy, text);
    return json_string(copy);
}

int pb_calibration_write(FILE *stream, const struct pb_calibration *calibration)
{
    char hash[16];
    snprintf(hash, sizeof hash, "0x%08X", calibration->map_hash);
    json_t *object = json_pack(
        "{s:i, s:o, s:s, s:I, s:f, s:f, s:o, s:s, s:f, s:I, s:o}", "phasebench_calibration", VERSION, "board",
        clean(calibration->board), "map_hash", hash, "core_clock_hz", (json_int_t)calibration->clock_hz,
        "offset_ppb", calibration->offset_ppb, "u95_ppb", calibration->u95_ppb, "reference",
        clean(calibration->reference), "date_utc", calibration->date_utc, "span_s", calibration->span_s,
        "samples", (json_int_t)calibration->samples, "note", clean(calibration->note));
    if (!object)
        return PB_ERR_MEMORY;
    const bool good =
        !json_dumpf(object, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && fputc('\n', stream) != EOF;
    json_decref(object);
    return good && !fflush(stream) ? PB_OK : PB_ERR_IO;
}

static int refuse(struct pb_diag *diag, const char *member, const char *want)
{
    return pb_fail(diag, PB_ERR_CONFIG, "%s is missing or wrong; %s, made by 'phasebench cal'", member, want);
}

static bool text_of(const json_t *object, const char *key, char *out, size_t size)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value) || json_string_length(value) >= size)
        return false;
    snprintf(out, size, "%s", json_string_value(value));
    return true;
}

static bool number_of(const json_t *object, const char *key, double least, double most, double *out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_is_number(value) ? json_number_value(value) : NAN;
    return *out >= least && *out <= most;
}

static int read_members(struct pb_calibration *out, const json_t *object, struct pb_diag *diag)
{
    double version, clock_hz, samples;
    char hash[16];
    unsigned map_hash;
    int used = 0;
    time_t at;
    if (!number_of(object, "phasebench_calibration", VERSION, VERSION, &version))
        return refuse(diag, "phasebench_calibration", "a calibration of this version has 1");
    if (!text_of(object, "board", out->board, sizeof out->board) || !*out->board)
        return refuse(diag, "board", "it is a serial number");
    if (!text_of(object, "map_hash", hash, sizeof hash) || sscanf(hash, "0x%8x%n", &map_hash, &used) != 1 ||
        hash[used])
        return refuse(diag, "map_hash", "it is text, as 0x43C79354");
    if (!number_of(object, "core_clock_hz", 1e6, 1e9, &clock_hz))
        return refuse(diag, "core_clock_hz", "it is 1 MHz to 1 GHz");
    if (!number_of(object, "offset_ppb", -PB_CALIBRATION_PPB_MAX, PB_CALIBRATION_PPB_MAX, &out->offset_ppb))
        return refuse(diag, "offset_ppb", "it is within 1e7");
    if (!number_of(object, "u95_ppb", 1e-9, PB_CALIBRATION_PPB_MAX, &out->u95_ppb))
        return refuse(diag, "u95_ppb", "it is above 0, and at most 1e7");
    if (!text_of(object, "reference", out->reference, sizeof out->reference))
        return refuse(diag, "reference", "it is a line of text");
    if (!text_of(object, "date_utc", out->date_utc, sizeof out->date_utc) || !read_date(out->date_utc, &at))
        return refuse(diag, "date_utc", "it is as 2026-11-24T12:00:00Z");
    if (!number_of(object, "span_s", 0, 1e9, &out->span_s))
        return refuse(diag, "span_s", "it is a time in seconds");
    if (!number_of(object, "samples", 0, 1e15, &samples))
        return refuse(diag, "samples", "it is a number");
    if (!text_of(object, "note", out->note, sizeof out->note))
        return refuse(diag, "note", "it is a line of text");
    out->map_hash = map_hash;
    out->clock_hz = (uint32_t)clock_hz;
    out->samples = (uint64_t)samples;
    return PB_OK;
}

int pb_calibration_read(struct pb_calibration *out, const char *text, size_t length, struct pb_diag *diag)
{
    enum { MEMBERS = 11 };
    json_error_t error;
    *out = (struct pb_calibration){.map_hash = 0};
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!object)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "no calibration: %.100s in line %d; make it again with 'phasebench cal'", error.text,
                       error.line);
    int code = json_is_object(object) ? read_members(out, object, diag)
                                      : refuse(diag, "the whole", "it is one object");
    if (!code && json_object_size(object) != MEMBERS)
        code = refuse(diag, "another member", "there are 11");
    json_decref(object);
    return code;
}
