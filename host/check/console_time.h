/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges UART0_TX as a signal (docs/node.md, C10): the bit time of each node, and pulses while nothing is
 * typed. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_CONSOLE_TIME_H
#define PHASEBENCH_CHECK_CONSOLE_TIME_H

#include "host/check/findings.h"

/* The bit times as measured before the run, each a measurement, and findings about those beyond the limit. */
void pb_judge_console_times(struct pb_check_output *out);
/* Falls while the clock ran after the run, when no line was typed. Not where events were lost, or a finding
 * counts against a node or the bench. */
void pb_judge_console_pulses(struct pb_check_output *out);
/* Lists for each node what of it could not be seen. */
void pb_list_console_unseen(struct pb_check_output *out);

#endif
