/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sum modulo 2^32, minimum or maximum of all values, at every node. On each wire of a digit a node sends what
 * the values of the digits below it combine to. */
#include "program.h"

enum { SUM, MINIMUM, MAXIMUM };

struct state {
    struct program_partial partial;
    uint8_t *result;
    uint32_t kind;
};

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    (void)length;
    state->partial.network = place->network;
    state->result = place->result;
    state->kind = place->argument;
    state->partial.below = state->partial.now = program_get32(input);
    program_put32(state->result, state->partial.now);
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
    if (state->kind == SUM)
        state->partial.now += value;
    else if (state->kind == MINIMUM ? value < state->partial.now : value > state->partial.now)
        state->partial.now = value;
}

static void end(void *context, uint32_t superframe)
{
    const struct state *state = context;
    (void)superframe;
    program_put32(state->result, state->partial.now);
}

const struct pb_program pb_program_allreduce = {
    .name = "allreduce",
    .summary = "sum, minimum or maximum of the values of all nodes, at every node",
    .argument_is = "0 sum, 1 minimum, 2 maximum",
    .argument_most = MAXIMUM,
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
