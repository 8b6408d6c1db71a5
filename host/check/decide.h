/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The verdict: from findings, loss and evidence. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_DECIDE_H
#define PHASEBENCH_CHECK_DECIDE_H

#include "host/check/findings.h"
#include "host/check/loss.h"

/* Adds the finding about a loss that core, link or stamps report. At the end. */
void pb_judge_loss(struct pb_check_output *out, const struct pb_loss *loss);
/* Writes verdict and reason. The findings are sorted, and their times are stamps. */
void pb_decide(struct pb_result *result, const struct pb_check_run *run, const struct pb_loss *loss);

#endif
