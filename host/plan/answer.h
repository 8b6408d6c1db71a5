/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a sound node answers to a console line with a number, as that which queues a message (docs/node.md).
 */
#ifndef PHASEBENCH_ANSWER_H
#define PHASEBENCH_ANSWER_H

#include <stdbool.h>

#define PB_ANSWER_MAX 16
#define PB_ANSWER_MS 50 /* of the contract: from the end of a line to the start of its answer */

/* "+S SEQUENCE", or "-full" when the node has no room; without the newline. */
void pb_answer(char answer[PB_ANSWER_MAX], bool refused, unsigned sequence);
/* "-" and one of the reasons of docs/node.md, and nothing else. */
bool pb_answer_refuses(const char *seen);
/* The same answer, "+X NUMBER" or a refusal; a number may have leading zeros and small digits, and a refusal
 * any of the reasons. */
bool pb_answer_fits(const char *seen, const char *expected);

#endif
