/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the nodes answered and sent after the run (host/plan/epilogue.h), held against docs/node.md.
 */
#ifndef PHASEBENCH_CHECK_EPILOGUE_H
#define PHASEBENCH_CHECK_EPILOGUE_H

#include "host/check/evidence.h"

/* Adds findings, for each node one at most of its answers, one of its frames, and those of its counters: of
 * these three the later ones are judged when the earlier ones are right. Their superframe is
 * scenario->superframes and the next one; no injected fault explains them. Nothing is judged after a finding
 * about the run that counts against node or bench, after a loss of events, or of a run that was cut. Lists as
 * not checked what was left out of a whole run otherwise. After pb_evidence_finish. */
void pb_judge_epilogue(struct pb_check_output *out, const struct pb_loss *loss);

#endif
