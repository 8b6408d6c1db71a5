/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the jitter page. Private to host/report.
 */
#ifndef PB_REPORT_JITTER_HTML_H
#define PB_REPORT_JITTER_HTML_H

#include "phasebench/jitter.h"

#include <stdio.h>

/* The budget of each kind of edge. */
void pb_jitter_html_budgets(FILE *stream, const struct pb_jitter *jitter);

#endif
