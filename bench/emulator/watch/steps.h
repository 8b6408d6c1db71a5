/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The last instructions of a node before an instant, and the first ones after it, as text. Each line has the
 * time in us from power-up (as the waveform), the address, the function, the source line, the instruction as
 * it is in memory, and the registers that it changed. Edges of TDMA_CLK and interrupts have lines of their
 * own.
 */
#ifndef PB_MCU_STEPS_H
#define PB_MCU_STEPS_H

#include "bench/emulator/image/image.h"
#include "bench/emulator/soc/soc.h"

#include <stdio.h>

enum { PB_STEPS_HALF = 25000 }; /* lines kept before the instant, and after it */

struct pb_steps;

/* Of node `node` of the scenario: what it does from from_ps to to_ps around at_ps. It stays until the process
 * ends. NULL: out of memory. */
struct pb_steps *pb_steps_create(unsigned node, int64_t from_ps, int64_t at_ps, int64_t to_ps);

unsigned pb_steps_node(const struct pb_steps *steps);
/* True if what happens at an instant is to be kept. */
bool pb_steps_wants(const struct pb_steps *steps, int64_t at_ps);

/* The processor, before the first step; keeps the image. */
void pb_steps_begin(struct pb_steps *steps, const struct pb_mcu_soc *soc, struct pb_image *image);
/* Before and after a step of it. */
void pb_steps_before(struct pb_steps *steps, const struct pb_node *part);
void pb_steps_after(struct pb_steps *steps, const struct pb_node *part, const struct pb_mcu_step *step);
/* A phase began. */
void pb_steps_phase(struct pb_steps *steps, int64_t at_ps, uint32_t superframe, unsigned phase);

/* Writes it. False: the node had no processor, or did nothing in that time; nothing is written. */
bool pb_steps_write(const struct pb_steps *steps, FILE *stream);

#endif
