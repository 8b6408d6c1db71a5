/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A torus of 2^(n/2) x 2^(n/2) cells on a binary cube: cell (x, y) is at node gray(x) + 2^(n/2) gray(y), so
 * that neighbouring cells are neighbouring nodes, x on the low dimensions and y on the high ones. Cells are
 * numbered row by row, y downwards.
 */
#ifndef PB_PROGRAM_TORUS_H
#define PB_PROGRAM_TORUS_H

#include "program.h"

/* The dimensions that lead from a cell to its neighbours. On a side of two cells both neighbours are one. */
struct torus_ports {
    uint8_t half; /* dimensions of x */
    uint8_t left, right, up, down;
};

struct torus_ports torus_ports(const struct pb_network *network, uint32_t address);

/* The node of a cell, as pb_program.source and pb_program.sink. */
uint32_t torus_node(const struct pb_network *network, uint32_t argument, uint32_t cell);

#endif
