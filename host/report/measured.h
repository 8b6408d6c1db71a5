/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of measurements as text and as part of the page: phase clock, starts with and without the
 * quantisation of their stamps, rise times, uncertainty of instants, and all margins.
 */
#ifndef PB_REPORT_MEASURED_H
#define PB_REPORT_MEASURED_H

#include "terminal.h"

void pb_terminal_lines(struct pb_terminal *terminal, const struct pb_result *result);
void pb_terminal_clock(struct pb_terminal *terminal, const struct pb_result *result);
void pb_terminal_starts(struct pb_terminal *terminal, const struct pb_result *result);
/* What the processors of emulated nodes did. */
void pb_terminal_processors(struct pb_terminal *terminal, const struct pb_result *result);
/* Each figure at the place with its worst margin. */
void pb_terminal_margins(struct pb_terminal *terminal, const struct pb_result *result);
void pb_html_measured(FILE *stream, const struct pb_result *result);

#endif
