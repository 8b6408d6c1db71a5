/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the simulated rig says of nodes that are programs of their own: what ended them, and the figures of
 * their processors.
 */
#ifndef PHASEBENCH_CHECK_TROUBLE_H
#define PHASEBENCH_CHECK_TROUBLE_H

#include "host/check/findings.h"

/* Adds a finding for each, placed by the edges that the node had seen. No injected fault explains it. */
void pb_judge_troubles(struct pb_check_output *out, const struct pb_marks *marks);

/* Takes the figures as measurements, without limits. */
void pb_measure_processors(struct pb_check_output *out);

#endif
