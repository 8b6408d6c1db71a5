/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pins of a node of callbacks: UARTs of one link and of the console, capture of TDMA_CLK, timer. The
 * functions are those of struct pb_pins_node (phasebench/node_pins.h).
 */
#ifndef PB_CALLBACKS_H
#define PB_CALLBACKS_H

#include "phasebench/node_callbacks.h"

struct pb_callbacks_port;

/* Creates the node; the handlers must remain valid. NULL: the node refuses, the configuration is impossible,
 * or there is no memory. */
struct pb_callbacks_port *pb_callbacks_create(const struct pb_callbacks_node *node,
                                              const struct pb_process_hello *config);
void pb_callbacks_free(struct pb_callbacks_port *port); /* NULL: no effect */

uint32_t pb_callbacks_advance(void *port, int64_t now_ps, uint32_t inputs, int64_t *next_ps);
/* After an advance: the outputs up to the next call of a handler, as far as the present inputs decide it, and
 * the inputs whose change can bring one sooner. A pb_pins_ahead. */
void pb_callbacks_ahead(void *port, struct pb_process_answer *answer, struct pb_process_change *schedule);
/* The node's clock, UARTs and ticks go on with another phase, that of every run. */
void pb_callbacks_align(void *port, int64_t now_ps);

#endif
