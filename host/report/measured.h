/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of measurements as text and as part of the page: the phase clock, starts with and without the
 * quantisation of their stamps, what the lines take to rise, how well instants are known, and all margins.
 */
#ifndef PB_REPORT_MEASURED_H
#define PB_REPORT_MEASURED_H

#include "terminal.h"

void pb_terminal_lines(struct pb_terminal *terminal, const struct pb_result *result);
void pb_terminal_clock(struct pb_terminal *terminal, const struct pb_result *result);
void pb_terminal_starts(struct pb_terminal *terminal, const struct pb_result *result);
/* Of each figure the place with the worst margin. */
void pb_terminal_margins(struct pb_terminal *terminal, const struct pb_result *result);
void pb_html_measured(FILE *stream, const struct pb_result *result);

#endif
