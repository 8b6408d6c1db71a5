/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the processor of a node did in a run, of a model that has a processor.
 */
#ifndef PB_NODE_FIGURES_H
#define PB_NODE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

struct pb_node;

struct pb_node_figures {
    const char *processor;          /* which, and its timing model; static */
    int64_t load_ppm;               /* share of its clock cycles in which it was awake */
    int64_t stack_bytes;            /* the most in use since its reset */
    int64_t interrupt_ps;           /* the longest from the entry of an interrupt handler to its return */
    int64_t instructions_per_phase; /* mean */
};

/* From the start of the phase clock until now. False: the model has no processor, or no phase has begun. */
bool pb_node_figures(const struct pb_node *node, struct pb_node_figures *figures);

#endif
