/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort of one key a node, ascending by rank; the key of rank r ends at node bitrev(r). Stage i = 1..n
 * compares ranks that differ in bit i - 1, then i - 2, ..., 0. Bit b of a rank is bit n - 1 - b of the node,
 * so these are the dimensions n - i..n - 1 in ascending order: one superframe. */
#include "program.h"

struct state {
    uint8_t *result;
    uint32_t rank;
    uint32_t now, next; /* the key on the wires of `port`, and after them */
    uint8_t dims, port;
};

static int suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("sort", network, false, PB_DIMS_MIN, PB_DIMS_MAX, diag);
}

static uint32_t superframes(const struct pb_network *network, uint32_t argument)
{
    (void)argument;
    return network->dims;
}

static uint32_t node_of(const struct pb_network *network, uint32_t argument, uint32_t rank)
{
    (void)argument;
    return program_reversed(rank, network->dims);
}

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    (void)length;
    state->result = place->result;
    state->dims = (uint8_t)place->network->dims;
    state->rank = program_reversed(place->address, state->dims);
    state->now = state->next = program_get32(input);
    state->port = PROGRAM_NO_PORT;
    program_put32(state->result, state->now);
}

static void turn_to(struct state *state, unsigned port)
{
    if (port != state->port)
        state->now = state->next;
    state->port = (uint8_t)port;
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    struct state *state = context;
    const unsigned stage = superframe + 1;
    if (port + stage < state->dims)
        return false;
    turn_to(state, port);
    program_put32(payload, state->now);
    return true;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    const uint32_t other = program_get32(payload);
    const unsigned stage = superframe + 1, bit = state->dims - 1 - port;
    const bool upper = state->rank >> bit & 1, descending = state->rank >> stage & 1;
    turn_to(state, port);
    if (upper != descending ? other > state->now : other < state->now)
        state->next = other;
}

static void end(void *context, uint32_t superframe)
{
    struct state *state = context;
    (void)superframe;
    turn_to(state, PROGRAM_NO_PORT);
    program_put32(state->result, state->now);
}

const struct pb_program pb_program_sort = {
    .name = "sort",
    .summary = "sorts one key a node",
    .state_bytes = sizeof(struct state),
    .payload_bytes = 4,
    .rooms = 2,
    .input_bytes = 4,
    .result_bytes = 4,
    .suits = suits,
    .superframes = superframes,
    .sink = node_of,
    .begin = begin,
    .emit = emit,
    .take = take,
    .end = end,
};
