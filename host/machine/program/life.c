/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Conway's game of life, one cell a node, one generation a superframe. On the dimensions of x a node sends
 * its cell to both neighbours in its row; then it knows the sum of three cells of the row, and sends this sum
 * to both neighbours in its column. */
#include "torus.h"

enum { GENERATIONS_INITIAL = 64, GENERATIONS_MAX = 65535 };

struct state {
    uint8_t *result;
    struct torus_ports ports;
    uint8_t cell;
    uint8_t row, others; /* sum of three cells of the row; of those above and below */
};

static int suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("life", network, true, 2, PB_DIMS_MAX, diag);
}

static uint32_t superframes(const struct pb_network *network, uint32_t argument)
{
    (void)network;
    return argument;
}

static void restart(struct state *state, uint8_t cell)
{
    state->cell = state->row = *state->result = cell;
    state->others = 0;
}

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    (void)length;
    state->result = place->result;
    state->ports = torus_ports(place->network, place->address);
    restart(state, *input != 0);
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    const struct state *state = context;
    const struct torus_ports *ports = &state->ports;
    (void)superframe;
    *payload = port < ports->half ? state->cell : state->row;
    return port == ports->left || port == ports->right || port == ports->up || port == ports->down;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    const struct torus_ports *ports = &state->ports;
    (void)superframe;
    state->row += *payload * ((port == ports->left) + (port == ports->right));
    state->others += *payload * ((port == ports->up) + (port == ports->down));
}

static void end(void *context, uint32_t superframe)
{
    struct state *state = context;
    const int neighbours = state->row + state->others - state->cell;
    (void)superframe;
    restart(state, neighbours == 3 || (neighbours == 2 && state->cell));
}

const struct pb_program pb_program_life = {
    .name = "life",
    .summary = "Conway's game of life on a torus, one cell a node",
    .argument_is = "generations",
    .argument_initial = GENERATIONS_INITIAL,
    .argument_most = GENERATIONS_MAX,
    .state_bytes = sizeof(struct state),
    .payload_bytes = 1,
    .rooms = 2,
    .input_bytes = 1,
    .result_bytes = 1,
    .suits = suits,
    .superframes = superframes,
    .source = torus_node,
    .sink = torus_node,
    .begin = begin,
    .emit = emit,
    .take = take,
    .end = end,
};
