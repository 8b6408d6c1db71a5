/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges the injected faults: begin, length and detection. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_APPLIED_H
#define PHASEBENCH_CHECK_APPLIED_H

#include "host/check/findings.h"

/* Takes a receipt; adds a finding about one that contradicts the order or an earlier receipt. */
void pb_judge_receipt(struct pb_check_output *out, const struct pb_event *event);
/* Findings about receipts that are missing and faults that were not found. After all that faults explain. */
void pb_judge_faults(struct pb_check_output *out);
/* Adds a finding where the line was high while an injected fault pulled it, by receipt and by edges. False:
 * it did. */
bool pb_judge_pulls(struct pb_check_output *out, struct pb_line_slot *slot);

#endif
