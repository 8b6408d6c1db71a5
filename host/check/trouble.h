/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Processes of nodes that ended, hung or broke the protocol.
 */
#ifndef PHASEBENCH_CHECK_TROUBLE_H
#define PHASEBENCH_CHECK_TROUBLE_H

#include "host/check/checker.h"

/* Adds a finding for each, placed by the edges that the node had seen. No injected fault explains it. */
void pb_judge_troubles(struct pb_checker *checker);

#endif
