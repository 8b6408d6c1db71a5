/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the jitter page. Private to host/report.
 */
#ifndef PB_REPORT_JITTER_HTML_H
#define PB_REPORT_JITTER_HTML_H

#include "phasebench/jitter.h"

#include <stdio.h>

/* Plot of the rate of each part of the run; the line through it if the rate drifts. */
void pb_jitter_html_rate(FILE *stream, const struct pb_jitter *jitter);
/* Plot of the time deviation of the starts on each link. */
void pb_jitter_html_starts(FILE *stream, const struct pb_jitter *jitter);
/* The budget of each kind of edge. */
void pb_jitter_html_budgets(FILE *stream, const struct pb_jitter *jitter);
/* Bathtub of each response, or why there is none. */
void pb_jitter_html_bathtubs(FILE *stream, const struct pb_jitter *jitter);

#endif
