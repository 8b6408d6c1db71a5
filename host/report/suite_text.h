/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A suite that has ended as text: a table of its cases, its notes and its totals.
 */
#ifndef PB_REPORT_SUITE_TEXT_H
#define PB_REPORT_SUITE_TEXT_H

#include "phasebench/suite.h"

#include <stdio.h>

/* whole: with the table, all rigs and the time. */
void pb_suite_text(FILE *out, const struct pb_suite *suite, bool whole);
/* The notes as comments that follow a TAP stream. */
void pb_suite_tap_notes(FILE *out, const struct pb_suite *suite);

#endif
