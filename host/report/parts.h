/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts that the forms of a run and those of a validation share. Texts are untrusted.
 */
#ifndef PB_REPORT_PARTS_H
#define PB_REPORT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* TAP: the description of a point, and a line "KEY: "TEXT"" of its YAML block. */
void pb_tap_description(FILE *stream, const char *text);
void pb_tap_text(FILE *stream, unsigned indent, const char *key, const char *text);

/* JUnit: from the XML declaration to the start tag of the one suite; pb_suite_junit_end closes it. */
struct pb_junit_totals {
    size_t tests, failures, errors, skipped;
    int64_t wall_ns;
    const char *started_utc; /* NULL: unknown */
};
void pb_junit_begin(FILE *stream, const struct pb_junit_totals *totals);
void pb_junit_seconds(FILE *stream, int64_t ns); /* the attribute `time` */
void pb_junit_property(FILE *stream, const char *name, const char *value);

/* HTML: from the doctype to the start tag of the title. scripted: the page ends with pb_html_script. */
void pb_html_begin(FILE *stream, bool scripted);
/* The script that lets a reader zoom the timelines before it. */
void pb_html_script(FILE *stream);

#endif
