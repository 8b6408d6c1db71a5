/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sum modulo 2^32 of the values of all nodes with smaller addresses, at each node. On the wires of a digit a
 * node sends the sum over all nodes that differ from it only in digits below. */
#include "program.h"

struct state {
    struct program_partial partial;
    uint8_t *result;
    uint32_t address;
    uint32_t prefix;
};

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    (void)length;
    state->partial.network = place->network;
    state->result = place->result;
    state->address = place->address;
    state->partial.below = state->partial.now = program_get32(input);
    program_put32(state->result, 0);
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    struct state *state = context;
    (void)superframe;
    program_turn_to(&state->partial, port);
    program_put32(payload, state->partial.below);
    return true;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    const uint32_t value = program_get32(payload);
    (void)superframe;
    program_turn_to(&state->partial, port);
    state->partial.now += value;
    if (pb_network_neighbour(state->partial.network, state->address, port) < state->address)
        state->prefix += value;
}

static void end(void *context, uint32_t superframe)
{
    const struct state *state = context;
    (void)superframe;
    program_put32(state->result, state->prefix);
}

const struct pb_program pb_program_scan = {
    .name = "scan",
    .summary = "sum of the values of all nodes with smaller addresses, at each node",
    .state_bytes = sizeof(struct state),
    .payload_bytes = 4,
    .rooms = 2,
    .input_bytes = 4,
    .result_bytes = 4,
    .superframes = program_one,
    .begin = begin,
    .emit = emit,
    .take = take,
    .end = end,
};
