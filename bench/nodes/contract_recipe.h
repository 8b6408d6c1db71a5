/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program is to the contract node: who speaks, what it says, and what a node has after a superframe.
 * Private to contract_program.c, which runs one, and contract_recipes.c, which has them.
 */
#ifndef BENCH_CONTRACT_RECIPE_H
#define BENCH_CONTRACT_RECIPE_H

#include "bench/nodes/contract.h"

struct contract_recipe {
    const char *name;
    uint32_t most;                      /* of the argument */
    bool of_nodes;                      /* the argument is the address of a node */
    bool each_node;                     /* input and result are for each node of the network */
    enum { ANY, CUBE, SQUARE } network; /* SQUARE: a cube of an even number of dimensions */
    unsigned payload_bytes, input_bytes, result_bytes;
    uint32_t (*lasts)(const struct contract *node, uint32_t argument);
    bool (*speaks)(const struct contract *node, uint32_t from, uint32_t to);
    /* wires: the ports of which it knows what came. */
    uint32_t (*so_far)(struct contract *node, uint32_t wires); /* NULL: `says` and `ends` are there */
    struct contract_words (*says)(struct contract *node, unsigned port, uint32_t wires); /* NULL: so_far */
    void (*ends)(struct contract *node, uint32_t wires); /* NULL: has and results in so_far */
};

/* The shipped program of this name; NULL: there is none. */
const struct contract_recipe *contract_recipe_of(const char *name);
/* The digit in which two neighbours differ; in a cube it is the dimension and the port. */
unsigned contract_digit_between(const struct contract *node, uint32_t a, uint32_t b);

/* ---- numbers: lowest byte first */

static inline uint32_t number_at(const uint8_t *bytes, unsigned count)
{
    uint32_t number = 0;
    while (count-- > 0)
        number = number << 8 | bytes[count];
    return number;
}

static inline void put_number(uint8_t *bytes, uint32_t number, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

static inline struct contract_words one_word(uint32_t number)
{
    return (struct contract_words){{number, 0}};
}

static inline void put_result(struct contract *node, uint32_t number)
{
    put_number(node->program.result, number, node->program.result_bytes);
}

static inline bool is_in(uint32_t wires, unsigned port)
{
    return wires >> port & 1;
}

static inline bool is_cube(const struct contract *node)
{
    return node->nodes == UINT32_C(1) << node->config.digits;
}

#endif
