/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the HTML report. Each writes a piece of the document; the stream is checked once at the end.
 */
#ifndef PB_REPORT_HTML_H
#define PB_REPORT_HTML_H

#include "phasebench/result.h"

#include <stdio.h>

#define PB_HTML_DASH "\342\200\223" /* in a cell without a value */
#define PB_HTML_ROWS_MAX 2000        /* of a table; a note counts the others */

extern const char pb_html_style[];      /* the style sheet */
extern const char pb_html_plot_style[]; /* for plots, after the other */
/* A rule of it that names column n of a table on a narrow screen. */
#define PB_HTML_COLUMN(table, n, name) PB_HTML_COLUMN_OF(table, #n, name)
#define PB_HTML_COLUMN_OF(table, n, name)                                                                    \
    ".of-" table " tbody tr>:nth-child(" n ")::before{content:\"" name "\\a0\"}"

void pb_html_duration(FILE *stream, int64_t ps); /* with its unit */
void pb_html_timeline(FILE *stream, const struct pb_result *result); /* in a page that has the script */
/* The lines of its picture, and the superframe that this shows. */
struct pb_link_row;
void pb_html_timeline_data(FILE *stream, const struct pb_result *result, uint32_t superframe,
                           const struct pb_link_row *row, size_t count);
/* Limits, from the phase edge; both 0: none. */
void pb_html_start_latency(FILE *stream, const struct pb_result *result, int64_t lower_ps, int64_t upper_ps);
void pb_html_measurements(FILE *stream, const struct pb_result *result);
/* Where the figures are described. measurements: a URL, relative to the page; NULL or "": unknown. */
void pb_html_manual(FILE *stream, const char *measurements);
void pb_html_findings(FILE *stream, const struct pb_result *result);
void pb_html_faults(FILE *stream, const struct pb_result *result);
void pb_html_hops(FILE *stream, const struct pb_result *result);
void pb_html_nodes(FILE *stream, const struct pb_result *result);

/* Writes hexadecimal bytes and highlights those that differ from `other`; any other text only escaped. */
void pb_html_compared(FILE *stream, const char *text, const char *other);

#endif
