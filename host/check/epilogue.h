/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compares the answers and frames of the nodes after the run (host/plan/epilogue.h) with docs/node.md.
 */
#ifndef PHASEBENCH_CHECK_EPILOGUE_H
#define PHASEBENCH_CHECK_EPILOGUE_H

#include "host/check/evidence.h"

/* Adds findings, for each node at most one about its answers, one about its frames, and those about its
 * counters. Each of these three is judged only if the one before it has no error. Their superframe is
 * scenario->superframes and the next one; no injected fault explains them. Nothing is judged after a finding
 * about the run that counts against node or bench, after a loss of events, or in a run that was cut. Else
 * lists the omitted tests of a whole run as not checked. After pb_evidence_finish. */
void pb_judge_epilogue(struct pb_check_output *out, const struct pb_loss *loss);

#endif
