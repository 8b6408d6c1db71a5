/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "suite_spool.h"

#include "phasebench/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 65536 };

/* ---- bytes */

/* Start of the unread part of the file. */
static bool copy(FILE *to, int from, long long at, size_t length)
{
    char *bytes = malloc(COPY_BYTES);
    bool good = bytes != NULL;
    while (good && length) {
        const ssize_t got = pread(from, bytes, length < COPY_BYTES ? length : COPY_BYTES, at);
        good = got > 0 && fwrite(bytes, 1, (size_t)got, to) == (size_t)got;
        at += got;
        length -= good ? (size_t)got : 0;
    }
    free(bytes);
    return good;
}

static int copy_whole(FILE *to, FILE *from)
{
    const long length = fseek(from, 0, SEEK_END) ? -1 : ftell(from);
    return length >= 0 && copy(to, fileno(from), 0, (size_t)length) && !fflush(to) ? PB_OK : PB_ERR_IO;
}

int suite_spool_file(FILE **out, struct pb_diag *diag)
{
    *out = tmpfile();
    return *out ? PB_OK
                : pb_fail(diag, PB_ERR_IO, "cannot make a temporary file: %s; check /tmp and ulimit -n",
                          strerror(errno));
}

int suite_spool_empty(FILE *file, struct pb_diag *diag)
{
    rewind(file);
    return ftruncate(fileno(file), 0) == 0
               ? PB_OK
               : pb_fail(diag, PB_ERR_IO, "cannot write a temporary file: %s; check the disk of /tmp",
                         strerror(errno));
}

/* ---- the forms of a case */

static int render_one(FILE *file, int form, size_t index, const struct pb_case *one,
                      const struct pb_result *result, FILE *frames)
{
    switch (form) {
    case PB_SUITE_JSON:
        return pb_report_json(file, result);
    case PB_SUITE_JUNIT:
        return pb_case_junit(file, result, one);
    case PB_SUITE_CSV:
        return pb_case_csv(file, result);
    case PB_SUITE_PCAP:
        return frames ? copy_whole(file, frames) : PB_OK;
    default:
        return pb_case_tap(file, result, one, index + 1);
    }
}

static int not_kept(const struct pb_case *one, const char *why, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_IO, "%s: its result cannot be kept: %s; check the disk of /tmp", one->path,
                   why);
}

int suite_spool_render(const struct pb_suite_results *results, FILE *file, size_t index,
                       const struct pb_case *one, const struct pb_result *result, FILE *frames,
                       size_t length[PB_SUITE_FORMS], struct pb_diag *diag)
{
    long begin = 0;
    for (int form = 0; form < PB_SUITE_FORMS; form++) {
        length[form] = 0;
        if (!(results->forms & 1u << form))
            continue;
        const int code = render_one(file, form, index, one, result, frames);
        const long end = ftell(file);
        if (code || end < begin) {
            memset(length, 0, PB_SUITE_FORMS * sizeof *length);
            return not_kept(one, code == PB_ERR_MEMORY ? "no memory" : strerror(errno), diag);
        }
        length[form] = (size_t)(end - begin);
        begin = end;
    }
    return PB_OK;
}

int suite_spool_keep(struct pb_suite_results *results, size_t index, FILE *file,
                     const size_t length[PB_SUITE_FORMS], struct pb_diag *diag)
{
    struct suite_kept *kept = &results->kept[index];
    long long at = 0;
    for (int form = 0; form < PB_SUITE_FORMS; form++) {
        kept->at[form] = ftell(results->spool);
        kept->length[form] = length[form];
        if (length[form] &&
            (!copy(results->spool, fileno(file), at, length[form]) || fflush(results->spool))) {
            memset(kept->length, 0, sizeof kept->length);
            return not_kept(&results->whole.one[index], strerror(errno), diag);
        }
        at += (long long)length[form];
    }
    return PB_OK;
}

/* ---- forms of the whole */

static int put(FILE *stream, const struct pb_suite_results *results, size_t index, enum pb_suite_form form)
{
    const struct suite_kept *kept = &results->kept[index];
    return copy(stream, fileno(results->spool), kept->at[form], kept->length[form]) ? PB_OK : PB_ERR_IO;
}

static int begin_form(const struct pb_suite_results *results, enum pb_suite_form form, FILE *stream)
{
    switch (form) {
    case PB_SUITE_JSON:
        return pb_suite_json_begin(stream, &results->whole);
    case PB_SUITE_JUNIT:
        return pb_suite_junit_begin(stream, &results->whole);
    case PB_SUITE_TAP:
        return pb_tap_begin(stream, results->whole.count);
    case PB_SUITE_CSV:
        return pb_csv_begin(stream);
    default:
        return PB_OK;
    }
}

/* The element of a case without a result. */
static int put_alone(FILE *stream, const struct pb_suite_results *results, size_t index,
                     enum pb_suite_form form)
{
    const struct pb_case *one = &results->whole.one[index];
    return form == PB_SUITE_JUNIT ? pb_case_junit_alone(stream, one)
           : form == PB_SUITE_TAP ? pb_case_tap_alone(stream, one, index + 1)
                                  : PB_OK;
}

int pb_suite_results_write(const struct pb_suite_results *results, enum pb_suite_form form, FILE *stream)
{
    bool first = true;
    int status = begin_form(results, form, stream);
    for (size_t i = 0; i < results->whole.count && !status; i++) {
        if (!results->kept[i].length[form]) {
            status = put_alone(stream, results, i, form);
            continue;
        }
        if (form == PB_SUITE_JSON && !first)
            fputs(",\n", stream);
        first = false;
        status = put(stream, results, i, form);
    }
    if (status)
        return status;
    return form == PB_SUITE_JSON    ? pb_suite_json_end(stream)
           : form == PB_SUITE_JUNIT ? pb_suite_junit_end(stream)
                                    : PB_OK;
}

/* ---- life */

int suite_spool_open(struct pb_suite_results **out, size_t cases, size_t rigs, unsigned forms,
                     struct pb_diag *diag)
{
    struct pb_suite_results *results = calloc(1, sizeof *results);
    *out = results;
    if (results) {
        results->forms = forms;
        results->whole.one = calloc(cases + 1, sizeof *results->whole.one);
        results->whole.rig = rigs ? calloc(rigs, sizeof *results->whole.rig) : NULL;
        results->kept = calloc(cases + 1, sizeof *results->kept);
    }
    int code = results && results->whole.one && results->kept && (!rigs || results->whole.rig)
                   ? PB_OK
                   : pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu scenarios; give fewer", cases);
    if (!code)
        code = suite_spool_file(&results->spool, diag);
    if (code) {
        pb_suite_results_free(results);
        *out = NULL;
    }
    return code;
}

const struct pb_suite *pb_suite_results_suite(const struct pb_suite_results *results)
{
    return &results->whole;
}

void pb_suite_results_free(struct pb_suite_results *results)
{
    if (!results)
        return;
    if (results->spool)
        fclose(results->spool);
    free(results->kept);
    free(results->whole.one);
    free(results->whole.rig);
    free(results);
}
