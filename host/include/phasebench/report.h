/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forms of a result. Each writes to an open stream and returns 0, or PB_ERR_IO (the stream failed, as on
 * a full disk); none closes it.
 */
#ifndef PHASEBENCH_REPORT_H
#define PHASEBENCH_REPORT_H

#include "phasebench/api.h"
#include "phasebench/jitter.h"
#include "phasebench/result.h"

#include <stdio.h>

PB_API_BEGIN

/* URLs relative to a page; NULL or "": unknown, no link. */
struct pb_report_links {
    const char *measurements; /* docs/reference/measurements.md */
    const char *trace, *steps; /* the files of trace_path and steps_path */
};

struct pb_report_style {
    bool colour;      /* ANSI colours */
    unsigned columns; /* width of the terminal, 80 by default */
};

int pb_report_text(FILE *stream, const struct pb_result *result, const struct pb_report_style *style);
/* Schema: docs/reference/result.schema.json. */
int pb_report_json(FILE *stream, const struct pb_result *result);
int pb_report_csv(FILE *stream, const struct pb_result *result); /* one row for each transmission */
int pb_report_junit(FILE *stream, const struct pb_result *const *result, size_t count);
int pb_report_tap(FILE *stream, const struct pb_result *const *result, size_t count);
int pb_report_html(FILE *stream,
                   const struct pb_result *result); /* one file, no external reference, light and dark */
int pb_report_html_linked(FILE *stream, const struct pb_result *result, const struct pb_report_links *links);
/* Returns the source expression of the page's only script, which zooms the timelines, for the
 * Content-Security-Policy of a server: "'sha256-...'". */
const char *pb_report_script_source(void);

/* Forms of jitter. result: of the run, with its conditions; NULL: the stamps are those of a file. */
int pb_report_jitter_text(FILE *stream, const struct pb_jitter *jitter, const struct pb_report_style *style);
/* Also PB_ERR_MEMORY. docs/use/jitter.md names the members. */
int pb_report_jitter_json(FILE *stream, const struct pb_jitter *jitter, const struct pb_result *result);
int pb_report_jitter_html(FILE *stream, const struct pb_jitter *jitter, const struct pb_result *result);

/* Writes untrusted text escaped for an XML or HTML element or a double-quoted attribute. */
void pb_markup(FILE *stream, const char *text);

/* Reads a JSON report (for `phasebench report`). PB_ERR_CONFIG: the text is no report. Release with
 * pb_result_free. */
int pb_report_read_json(struct pb_result **out, const char *text, size_t length, struct pb_diag *diag);
/* Reads a JSON report, or a list of at least one result as pb_report_json_all writes it. Release with
 * pb_report_free_all. */
int pb_report_read_json_all(struct pb_result ***out, size_t *count, const char *text, size_t length,
                            struct pb_diag *diag);
void pb_report_free_all(struct pb_result **result, size_t count); /* NULL: no effect */

PB_API_END

#endif
