/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The platform-level interrupt controller of the AG32VF303: 44 level sources, priorities 0 to 15, one target.
 *
 * A source becomes pending while its line is high, unless it is claimed and not completed yet; it stays
 * pending until it is claimed, even if the line falls. The claim is the pending and enabled source of the
 * highest priority above the threshold, of equal ones the lowest number.
 */
#ifndef PB_AG32_PLIC_H
#define PB_AG32_PLIC_H

#include <stdbool.h>
#include <stdint.h>

enum { PB_PLIC_SOURCES = 44 };

struct pb_plic {
    uint64_t line, pending, claimed, enabled; /* bit n: source n, 1..44 */
    uint8_t priority[PB_PLIC_SOURCES + 1], threshold;
};

/* The line of a source, 1..44, has this level now. */
void pb_plic_line(struct pb_plic *plic, unsigned source, bool level);
/* Whether the target is interrupted. */
bool pb_plic_interrupts(const struct pb_plic *plic);

/* Access to a word at an offset in the controller's window. Returns NULL, or what the model does not have. */
const char *pb_plic_read(struct pb_plic *plic, uint32_t offset, uint32_t *value);
const char *pb_plic_write(struct pb_plic *plic, uint32_t offset, uint32_t value);

#endif
