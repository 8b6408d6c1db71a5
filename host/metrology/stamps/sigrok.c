/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session of sigrok: a zip archive of `metadata`, whose lines NAME=VALUE describe the device, and of the
 * samples of its probes, one bit each, in logic-1 or in the parts logic-1-1, logic-1-2 and so on. An edge has
 * the stamp of the first sample after it.
 */
#include "stamps.h"
#include "host/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#define METADATA_MAX ((size_t)1 << 20)

struct session {
    const struct stamps_source *source;
    zip_t *zip;
    char file[64], names[STAMPS_NAMES];
    double rate_hz;
    unsigned unit_bytes, probe, found, devices; /* probe: from 0 */
    uint64_t sample;
};

static int wrong(const struct session *session, struct pb_diag *diag, const char *what)
{
    return pb_fail(diag, PB_ERR_CONFIG, "%s: %s; give a session that sigrok wrote", session->source->path,
                   what);
}

/* "24 MHz", "12.5 kHz", "1000000"; 0: none of these. */
static double rate_of(const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    end += strspn(end, " ");
    const double scale = !*end || !strcmp(end, "Hz") ? 1
                         : !strcmp(end, "kHz")       ? 1e3
                         : !strcmp(end, "MHz")       ? 1e6
                         : !strcmp(end, "GHz")       ? 1e9
                                                     : 0;
    return number >= 1 && number * scale <= 1e12 ? number * scale : 0;
}

static void take_setting(struct session *session, const char *name, const char *value,
                         struct pb_stamps *stamps)
{
    unsigned probe;
    int used = 0;
    if (!strcmp(name, "capturefile"))
        snprintf(session->file, sizeof session->file, "%.63s", value);
    else if (!strcmp(name, "samplerate"))
        session->rate_hz = rate_of(value);
    else if (!strcmp(name, "unitsize"))
        session->unit_bytes = (unsigned)strtoul(value, NULL, 10);
    else if (sscanf(name, "probe%u%n", &probe, &used) == 1 && !name[used] && probe) {
        const char *const wanted = session->source->choice->channel;
        pb_stamps_name(session->names, value);
        if (wanted && strcmp(wanted, value) != 0)
            return;
        session->found++;
        session->probe = probe - 1;
        snprintf(stamps->channel, sizeof stamps->channel, "%.63s", value);
    }
}

/* Without the blanks at both ends, which the form of the file allows. */
static char *trimmed(char *text)
{
    static const char blanks[] = " \t\r";
    text += strspn(text, blanks);
    for (size_t length = strlen(text); length && strchr(blanks, text[length - 1]);)
        text[--length] = '\0';
    return text;
}

static int read_metadata(struct session *session, struct pb_stamps *stamps, struct pb_diag *diag)
{
    char *const text = malloc(METADATA_MAX + 1), *next;
    zip_file_t *const file = zip_fopen(session->zip, "metadata", 0);
    zip_int64_t length = text && file ? zip_fread(file, text, METADATA_MAX) : -1;
    /* The end of the file has its checksum, so a wrong one is seen by the next read. */
    char more;
    if (length >= 0 && zip_fread(file, &more, 1) != 0)
        length = -1;
    if (file)
        zip_fclose(file);
    if (length < 0) {
        free(text);
        return wrong(session, diag, "a zip archive without a readable file 'metadata'");
    }
    text[length] = '\0';
    for (char *line = text; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        session->devices += !strncmp(line, "[device ", strlen("[device "));
        char *const equal = strchr(line, '=');
        if (equal) {
            *equal = '\0';
            take_setting(session, trimmed(line), trimmed(equal + 1), stamps);
        }
    }
    free(text);
    if (session->devices > 1)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: a session of %u devices, which may have begun at other times; save one device",
                       session->source->path, session->devices);
    if (!*session->file || !session->rate_hz || session->unit_bytes < 1 || session->unit_bytes > 8)
        return wrong(session, diag, "no logic samples with a rate and 1 to 8 bytes each in 'metadata'");
    if (session->found > 1 && session->source->choice->channel)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: %u probes are called '%s'; give each a name of its own in sigrok",
                       session->source->path, session->found, stamps->channel);
    if (session->found != 1)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: %s; choose one of %s by --channel", session->source->path,
                       session->found ? "several probes" : "no such probe", session->names);
    return session->probe < 8 * session->unit_bytes ? PB_OK
                                                    : wrong(session, diag, "a probe beyond its samples");
}

static int take_samples(struct session *session, zip_file_t *file, struct stamps_edges *edges,
                        struct pb_diag *diag)
{
    enum { SAMPLES = 8192 };
    unsigned char bytes[SAMPLES * 8];
    const size_t unit = session->unit_bytes;
    size_t kept = 0;
    zip_int64_t got;
    int code = PB_OK;
    while (!code && (got = zip_fread(file, bytes + kept, SAMPLES * unit - kept)) > 0) {
        const size_t length = kept + (size_t)got, whole = length / unit;
        for (size_t i = 0; !code && i < whole; i++, session->sample++) {
            const int level = bytes[i * unit + session->probe / 8] >> session->probe % 8 & 1;
            if (level != edges->level)
                code = pb_stamps_level(
                    edges, level,
                    llroundl((long double)session->sample * 1e12L / (long double)session->rate_hz), diag);
        }
        kept = length - whole * unit;
        memmove(bytes, bytes + whole * unit, kept);
    }
    if (!code && (got < 0 || kept))
        return wrong(session, diag, "samples that are damaged or cut");
    return code;
}

/* The number of a part by its name: 1 and on; 0: it is none. */
static unsigned long part_of(const struct session *session, const char *name)
{
    char *end, whole[sizeof session->file + 24];
    const unsigned long part = strtoul(name + strlen(session->file) + 1, &end, 10);
    snprintf(whole, sizeof whole, "%s-%lu", session->file, part);
    return strcmp(name, whole) ? 0 : part;
}

/* Version 1 has one file of samples, version 2 parts from 1 on. *last: the last part; 0: it is that file. A
 * part that is not read would be edges that the clock did not make. */
static int find_parts(const struct session *session, unsigned long *last, struct pb_diag *diag)
{
    const size_t length = strlen(session->file);
    char names[STAMPS_NAMES] = "", clean[64];
    bool whole = false;
    *last = 0;
    for (zip_int64_t i = 0; i < zip_get_num_entries(session->zip, 0); i++) {
        const char *const name = zip_get_name(session->zip, (zip_uint64_t)i, 0);
        if (!name)
            continue;
        if (zip_name_locate(session->zip, name, 0) != i) {
            pb_utf8_clean(clean, sizeof clean, name);
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s: has two files '%s', of which one would be passed over; give a session that "
                           "sigrok wrote",
                           session->source->path, clean);
        }
        pb_stamps_name(names, name);
        whole |= !strcmp(name, session->file);
        if (strncmp(name, session->file, length) != 0 || name[length] != '-')
            continue;
        const unsigned long part = part_of(session, name);
        pb_utf8_clean(clean, sizeof clean, name);
        if (!part)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s: the file '%s' is no part of the samples '%s', which are '%s-1' and on; "
                           "give a session that sigrok wrote",
                           session->source->path, clean, session->file, session->file);
        *last = part > *last ? part : *last;
    }
    if (whole == (*last > 0))
        return pb_fail(diag, PB_ERR_CONFIG, "%s: %s '%s' among %s; give a session that sigrok wrote",
                       session->source->path, whole ? "both one file and parts" : "no file of samples",
                       session->file, names);
    return PB_OK;
}

static int read_samples(struct session *session, struct stamps_edges *edges, struct pb_diag *diag)
{
    char name[sizeof session->file + 24], what[sizeof name + 64];
    unsigned long last;
    int code = find_parts(session, &last, diag);
    for (unsigned long part = last > 0; part <= last && !code; part++) {
        snprintf(name, sizeof name, part ? "%s-%lu" : "%s", session->file, part);
        zip_file_t *const file = zip_fopen(session->zip, name, 0);
        if (!file) {
            snprintf(what, sizeof what, "the part '%s' of %lu is missing", name, last);
            return wrong(session, diag, what);
        }
        code = take_samples(session, file, edges, diag);
        zip_fclose(file);
    }
    return code;
}

int pb_stamps_from_sigrok(struct stamps_edges *edges, const struct stamps_source *source,
                          struct pb_diag *diag)
{
    struct session session = {.source = source};
    zip_error_t error;
    zip_source_t *const bytes = zip_source_buffer_create(source->text, source->length, 0, &error);
    session.zip = bytes ? zip_open_from_source(bytes, ZIP_RDONLY, &error) : NULL;
    if (!session.zip) {
        zip_source_free(bytes);
        return wrong(&session, diag, "a damaged zip archive");
    }
    int code = read_metadata(&session, edges->stamps, diag);
    if (!code)
        code = read_samples(&session, edges, diag);
    if (!code)
        edges->stamps->step_ps = 1e12 / session.rate_hz;
    zip_discard(session.zip);
    return code;
}
