/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the lines take to rise, how well instants are known, and starts without the steps of their stamps; as
 * text and as part of the page.
 */
#ifndef PB_REPORT_MEASURED_H
#define PB_REPORT_MEASURED_H

#include "terminal.h"

void pb_terminal_lines(struct pb_terminal *terminal, const struct pb_result *result);
/* Beneath the table of the starts. */
void pb_terminal_corrected(struct pb_terminal *terminal, const struct pb_result *result);
void pb_html_measured(FILE *stream, const struct pb_result *result);

#endif
