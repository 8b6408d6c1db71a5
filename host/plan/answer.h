/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a sound node answers to the console line that queues a message (docs/node.md).
 */
#ifndef PHASEBENCH_ANSWER_H
#define PHASEBENCH_ANSWER_H

#include <stdbool.h>

#define PB_ANSWER_MAX 16

/* "+S SEQUENCE", or "-full" when the node has no room; without the newline. */
void pb_answer(char answer[PB_ANSWER_MAX], bool refused, unsigned sequence);
/* The same answer; a number may have leading zeros and small digits. */
bool pb_answer_fits(const char *seen, const char *expected);

#endif
