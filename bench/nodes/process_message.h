/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a process node may answer (phasebench/node_process.h). A node can send anything: nothing is accepted
 * unchecked.
 */
#ifndef PB_PROCESS_MESSAGE_H
#define PB_PROCESS_MESSAGE_H

#include "phasebench/node_process.h"

#include <stddef.h>

#define PB_PROCESS_WHY 112

/* Each returns false and writes what is wrong into `why`, of PB_PROCESS_WHY bytes: printable, without a full
 * stop. */
bool pb_process_check_header(const uint8_t *header, uint32_t type, char *why);
/* body of HELLO; the name, printable and zero-terminated, goes to name[PB_PROCESS_NAME_MAX + 1]. */
bool pb_process_read_version(const uint8_t *body, size_t size, char *name, char *why);
/* body of the ANSWER to this ADVANCE; change[PB_PROCESS_CHANGES_MAX] becomes its schedule. */
bool pb_process_read_answer(struct pb_process_answer *answer, struct pb_process_change *change,
                            const struct pb_process_advance *advance, const uint8_t *body, size_t size,
                            char *why);

#endif
