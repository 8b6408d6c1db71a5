/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the shipped programs share. Each file of this folder with the name of a program is that program;
 * alltoall is in exchange.c, permute in sort.c.
 */
#ifndef PB_PROGRAM_PROGRAM_H
#define PB_PROGRAM_PROGRAM_H

#include "phasebench/cube.h"
#include "phasebench/program.h"

/* X(name): the shipped programs, in the order of the documents. */
#define PB_PROGRAM_LIST(X)                                                                                   \
    X(broadcast)                                                                                             \
    X(allreduce)                                                                                             \
    X(scan) X(barrier) X(sort) X(fft) X(life) X(filter) X(transpose) X(exchange) X(alltoall) X(permute)
#define PB_PROGRAM_DECLARE(name) extern const struct pb_program pb_program_##name;
PB_PROGRAM_LIST(PB_PROGRAM_DECLARE)
#undef PB_PROGRAM_DECLARE

enum { PROGRAM_NO_PORT = 0xFF };

static inline void program_put32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}
static inline uint32_t program_get32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}
static inline void program_put16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}
static inline int program_get16(const uint8_t *from)
{
    return (int16_t)(uint16_t)(from[0] | from[1] << 8);
}

/* The lowest `bits` bits of a number in reversed order. */
static inline uint32_t program_reversed(uint32_t number, unsigned bits)
{
    uint32_t reversed = 0;
    for (unsigned i = 0; i < bits; i++)
        reversed |= (number >> i & 1) << (bits - 1 - i);
    return reversed;
}

/* The digit of an address that a port changes. */
static inline unsigned program_digit(const struct pb_network *network, unsigned port)
{
    unsigned digit = network->digits - 1;
    while (network->first_port[digit] > port)
        digit--;
    return digit;
}

/* What a node has combined so far, without and with the wires of `digit`. */
struct program_partial {
    const struct pb_network *network;
    uint32_t below, now;
    unsigned digit;
};
/* Before each use of a port: on all wires of a digit counts what the digits below it gave. */
static inline void program_turn_to(struct program_partial *partial, unsigned port)
{
    const unsigned digit = program_digit(partial->network, port);
    if (digit != partial->digit)
        partial->below = partial->now;
    partial->digit = digit;
}

/* Superframes of a program that takes one. */
uint32_t program_one(const struct pb_network *network, uint32_t argument);

/* PB_ERR_ARGUMENT unless the network is a binary cube of least..most dimensions, even: an even number. */
int program_needs_cube(const char *name, const struct pb_network *network, bool even, unsigned least,
                       unsigned most, struct pb_diag *diag);

#endif
