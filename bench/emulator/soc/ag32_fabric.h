/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The fabric of the node at the system clock, clocked only where something changes: rtl/node/ag32_fabric.v,
 * Verilated. Clock edge c is that of cycle c.
 */
#ifndef PB_AG32_FABRIC_H
#define PB_AG32_FABRIC_H

#include "bench/sim/ag32_fabric_glue.h"

#include <stdbool.h>
#include <stdint.h>

struct pb_ag32_fabric {
    uint64_t next;                  /* edge that must be clocked; UINT64_MAX: none */
    struct ag32_fabric_outputs out; /* after the last edge that was clocked */

    /* Private. */
    struct ag32_fabric_model *model;
    struct ag32_fabric_inputs in;
    uint64_t at;      /* the first edge not simulated yet */
    uint64_t
        settled; /* from this edge on only TIME changes, and up to `passed` the levels of UART and lines */
    uint64_t passed;
    uint64_t gate;    /* edge from which on it has to be clocked whole */
    uint16_t listens; /* bit d: link d reaches the receiver */
};

/* False: out of memory. */
bool pb_ag32_fabric_create(struct pb_ag32_fabric *fabric);
void pb_ag32_fabric_destroy(struct pb_ag32_fabric *fabric);
/* Its reset, with these levels at the pins, ends before the edge of this cycle. */
void pb_ag32_fabric_reset(struct pb_ag32_fabric *fabric, uint64_t cycle, uint16_t line, bool tdma_clk,
                          bool tdma_sync);

/* Inputs for the edges from this cycle on; edges never decrease. */
void pb_ag32_fabric_pins(struct pb_ag32_fabric *fabric, uint64_t cycle, uint16_t line, bool tdma_clk,
                         bool tdma_sync);
void pb_ag32_fabric_tx(struct pb_ag32_fabric *fabric, uint64_t cycle, bool tx);

/* Simulates up to and including this edge. */
void pb_ag32_fabric_advance(struct pb_ag32_fabric *fabric, uint64_t cycle);

/* Simulates up to and including this edge, in which a transfer of the hart begins. Two transfers are at least
 * two cycles apart. */
uint32_t pb_ag32_fabric_read(struct pb_ag32_fabric *fabric, uint64_t cycle, uint32_t offset);
void pb_ag32_fabric_write(struct pb_ag32_fabric *fabric, uint64_t cycle, uint32_t offset, uint32_t value);

#endif
