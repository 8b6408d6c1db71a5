/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One node's value to all. Before the wires of a digit, the nodes that differ from the root only in digits
 * below it have the value; they send it on all wires of the digit. */
#include "program.h"

struct state {
    const struct pb_network *network;
    uint8_t *result;
    uint32_t value;
    unsigned digit;
    bool had, has; /* before the wires of `digit`; now */
};

static int suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    return argument < network->nodes
               ? PB_OK
               : pb_fail(diag, PB_ERR_ARGUMENT, "the root of program 'broadcast' is %lu; give a node 0..%lu",
                         (unsigned long)argument, (unsigned long)network->nodes - 1);
}

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    (void)length;
    state->network = place->network;
    state->result = place->result;
    state->had = state->has = place->address == place->argument;
    state->value = state->has ? program_get32(input) : 0;
    program_put32(state->result, state->value);
}

static void turn_to(struct state *state, unsigned port)
{
    const unsigned digit = program_digit(state->network, port);
    if (digit != state->digit)
        state->had = state->has;
    state->digit = digit;
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    struct state *state = context;
    (void)superframe;
    turn_to(state, port);
    if (state->had)
        program_put32(payload, state->value);
    return state->had;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    (void)superframe;
    turn_to(state, port);
    state->value = program_get32(payload);
    state->has = true;
}

static void end(void *context, uint32_t superframe)
{
    const struct state *state = context;
    (void)superframe;
    program_put32(state->result, state->value);
}

const struct pb_program pb_program_broadcast = {
    .name = "broadcast",
    .summary = "the value of one node to all",
    .argument_is = "the node whose value it is",
    .argument_most = UINT32_MAX,
    .state_bytes = sizeof(struct state),
    .payload_bytes = 4,
    .rooms = 1,
    .input_bytes = 4,
    .result_bytes = 4,
    .suits = suits,
    .superframes = program_one,
    .begin = begin,
    .emit = emit,
    .take = take,
    .end = end,
};
