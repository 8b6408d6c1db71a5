/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transposes a matrix of 2^(n/2) x 2^(n/2), one element a node. Bit i of the column and bit i of the row of
 * an element are a pair of dimensions. An element whose two bits are equal stays; the other crosses the lower
 * dimension of the pair, to a node whose own element stays, and then the upper one. Argument 0: the pair is
 * 2i and 2i + 1, and all pairs are in one superframe. Argument 1: i and n/2 + i, one pair a superframe. */
#include "program.h"

enum { INTERLEAVED, HALVES };

struct state {
    uint8_t *result;
    uint32_t address, layout;
    uint32_t element, guest; /* guest: between both dimensions of a pair */
    uint8_t half;
};

static int suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("transpose", network, true, 2, PB_DIMS_MAX, diag);
}

static uint32_t superframes(const struct pb_network *network, uint32_t argument)
{
    return argument == HALVES ? network->dims / 2 : 1;
}

/* Element: row * 2^(n/2) + column. */
static uint32_t node_of(const struct pb_network *network, uint32_t argument, uint32_t element)
{
    const unsigned half = network->dims / 2;
    uint32_t node = 0;
    if (argument == HALVES)
        return element;
    for (unsigned i = 0; i < half; i++)
        node |= (element >> i & 1) << 2 * i | (element >> (half + i) & 1) << (2 * i + 1);
    return node;
}

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    (void)length;
    state->result = place->result;
    state->address = place->address;
    state->layout = place->argument;
    state->half = (uint8_t)(place->network->dims / 2);
    state->element = program_get32(input);
    program_put32(state->result, state->element);
}

/* The role of a port in a superframe. */
struct role {
    bool used, upper; /* of the pair */
    bool stays;       /* the node's own element, as both bits of the pair are equal */
};

static struct role role_of(const struct state *state, uint32_t superframe, unsigned port)
{
    const bool halves = state->layout == HALVES;
    const unsigned pair = halves ? superframe : port / 2, apart = halves ? state->half : 1;
    const unsigned lower = halves ? pair : 2 * pair, upper = lower + apart;
    return (struct role){.used = port == lower || port == upper,
                         .upper = port == upper,
                         .stays = !((state->address >> lower ^ state->address >> upper) & 1)};
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    const struct state *state = context;
    const struct role role = role_of(state, superframe, port);
    program_put32(payload, role.stays ? state->guest : state->element);
    return role.used && role.upper == role.stays;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    *(role_of(state, superframe, port).stays ? &state->guest : &state->element) = program_get32(payload);
}

static void end(void *context, uint32_t superframe)
{
    const struct state *state = context;
    (void)superframe;
    program_put32(state->result, state->element);
}

const struct pb_program pb_program_transpose = {
    .name = "transpose",
    .summary = "transposes a matrix, one element a node",
    .argument_is = "0 bits of row and column interleaved, 1 row in the high half",
    .argument_most = HALVES,
    .state_bytes = sizeof(struct state),
    .payload_bytes = 4,
    .rooms = 2,
    .input_bytes = 4,
    .result_bytes = 4,
    .suits = suits,
    .superframes = superframes,
    .source = node_of,
    .sink = node_of,
    .begin = begin,
    .emit = emit,
    .take = take,
    .end = end,
};
