/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a shipped program is to the firmware. Private to program.c and program_*.c.
 */
#ifndef FW_PROGRAM_CODE_H
#define FW_PROGRAM_CODE_H

#include "program.h"

enum { PROGRAM_SENDS = 1, PROGRAM_TAKES = 2 };

struct program_code {
    const char *name;
    uint8_t payload_bytes;             /* at most CODEC_PAYLOAD_MAX */
    uint8_t input_bytes, result_bytes; /* of a node, or of each node for each one */
    bool each_node;
    uint16_t argument_most;
    /* How many; 0: not on this network, or with this argument. */
    uint16_t (*superframes)(const struct program *program);
    void (*begin)(struct program *program);
    /* What the node does on a port in the current superframe: PROGRAM_SENDS, PROGRAM_TAKES, both or 0. */
    uint8_t (*role)(const struct program *program, uint8_t port);
    /* Before the first frame of another wire, and before `end`: what was taken counts from here on. NULL:
     * at once. */
    void (*turn)(struct program *program, uint8_t from, uint8_t to);
    /* Of one wire in any order: what is sent does not depend on what is taken. */
    void (*emit)(struct program *program, uint8_t port, uint8_t *payload);
    void (*take)(struct program *program, uint8_t port, const uint8_t *payload);
    void (*end)(struct program *program); /* after the last phase: sets the result */
};

/* X(name): the shipped programs. */
#define PROGRAM_LIST(X)                                                                                      \
    X(broadcast)                                                                                             \
    X(allreduce)                                                                                             \
    X(scan) X(barrier) X(sort) X(fft) X(life) X(filter) X(transpose) X(exchange) X(alltoall) X(permute)
#define PROGRAM_DECLARE(name) extern const struct program_code program_##name;
PROGRAM_LIST(PROGRAM_DECLARE)
#undef PROGRAM_DECLARE

static inline uint32_t program_word(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void program_put_word(uint8_t *bytes, uint32_t word)
{
    for (uint8_t i = 0; i < 4; i++, word >>= 8)
        bytes[i] = (uint8_t)word;
}

/* The dimensions of a binary cube; 0: the network is none. */
static inline uint8_t program_dims(const struct program *program)
{
    const struct route_network *network = program->network;
    return network->nodes == 1u << network->digits ? network->digits : 0;
}

static inline uint16_t program_bit(const struct program *program, uint8_t dimension)
{
    return program->address >> dimension & 1;
}

#endif
