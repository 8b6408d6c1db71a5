/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the nodes answer when a program is loaded, and when its result is asked for. Its frames are judged
 * as those of messages are.
 */
#ifndef PHASEBENCH_CHECK_PROGRAM_H
#define PHASEBENCH_CHECK_PROGRAM_H

#include "host/check/findings.h"

void pb_judge_programs(struct pb_check_output *out); /* without a program: no effect */

#endif
