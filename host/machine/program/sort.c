/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort of one key a node, ascending by rank; the key of rank r ends at node bitrev(r). Stage i = 1..n
 * compares ranks that differ in bit i - 1, then i - 2, ..., 0. Bit b of a rank is bit n - 1 - b of the node,
 * so these are the dimensions n - i..n - 1 in ascending order: one superframe.
 *
 * permute: any partial permutation of messages. Sorts them by bitrev(destination), absent ones last; then
 * each crosses the dimensions in which its node is not its destination, in one superframe more. */
#include "program.h"

enum { PERMUTE_DIMS_MAX = 15, SOURCE_BITS = 16 }; /* of a message: its key above its source */
#define ABSENT UINT32_MAX

struct state {
    uint8_t *result;
    uint32_t rank;
    uint32_t now, next; /* the key on the wires of `port`, and after them */
    uint8_t dims, port;
    bool permutes;
};

static int sort_suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("sort", network, false, PB_DIMS_MIN, PB_DIMS_MAX, diag);
}

static int permute_suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("permute", network, false, PB_DIMS_MIN, PERMUTE_DIMS_MAX, diag);
}

static uint32_t sort_superframes(const struct pb_network *network, uint32_t argument)
{
    (void)argument;
    return network->dims;
}

static uint32_t permute_superframes(const struct pb_network *network, uint32_t argument)
{
    (void)argument;
    return network->dims + 1;
}

static uint32_t node_of(const struct pb_network *network, uint32_t argument, uint32_t rank)
{
    (void)argument;
    return program_reversed(rank, network->dims);
}

static void begin(struct state *state, const struct pb_program_place *place, uint32_t key)
{
    state->result = place->result;
    state->dims = (uint8_t)place->network->dims;
    state->rank = program_reversed(place->address, state->dims);
    state->now = state->next = key;
    state->port = PROGRAM_NO_PORT;
}

static void sort_begin(void *state, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    (void)length;
    begin(state, place, program_get32(input));
    program_put32(place->result, program_get32(input));
}

static void permute_begin(void *context, const struct pb_program_place *place, const uint8_t *input,
                          size_t length)
{
    const uint32_t destination = program_get32(input);
    struct state *state = context;
    (void)length;
    begin(state, place,
          destination == ABSENT
              ? ABSENT
              : program_reversed(destination, place->network->dims) << SOURCE_BITS | place->address);
    state->permutes = true;
    program_put32(place->result, ABSENT);
}

static void turn_to(struct state *state, unsigned port)
{
    if (port != state->port)
        state->now = state->next;
    state->port = (uint8_t)port;
}

/* Whether the message, in the superframe after the sort, crosses a dimension. */
static bool leaves(const struct state *state, unsigned port)
{
    const unsigned bit = state->dims - 1 - port;
    return state->now != ABSENT && ((state->now >> SOURCE_BITS ^ state->rank) >> bit & 1);
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    struct state *state = context;
    const unsigned stage = superframe + 1;
    if (port + stage < state->dims)
        return false;
    turn_to(state, port);
    program_put32(payload, superframe < state->dims || leaves(state, port) ? state->now : ABSENT);
    return true;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    const uint32_t other = program_get32(payload);
    const unsigned stage = superframe + 1, bit = state->dims - 1 - port;
    const bool upper = state->rank >> bit & 1, descending = state->rank >> stage & 1;
    turn_to(state, port);
    if (superframe == state->dims) /* no node has two: docs/use/programs.md */
        state->next = other != ABSENT ? other : leaves(state, port) ? ABSENT : state->now;
    else if (upper != descending ? other > state->now : other < state->now)
        state->next = other;
}

static void end(void *context, uint32_t superframe)
{
    struct state *state = context;
    turn_to(state, PROGRAM_NO_PORT);
    if (!state->permutes)
        program_put32(state->result, state->now);
    else if (superframe == state->dims)
        program_put32(state->result,
                      state->now == ABSENT ? ABSENT : state->now & ((UINT32_C(1) << SOURCE_BITS) - 1));
}

#define PROGRAM(program, ...)                                                                                \
    const struct pb_program pb_program_##program = {.name = #program,                                        \
                                                    .state_bytes = sizeof(struct state),                     \
                                                    .payload_bytes = 4,                                      \
                                                    .rooms = 2,                                              \
                                                    .input_bytes = 4,                                        \
                                                    .result_bytes = 4,                                       \
                                                    .suits = program##_suits,                                \
                                                    .superframes = program##_superframes,                    \
                                                    .begin = program##_begin,                                \
                                                    .emit = emit,                                            \
                                                    .take = take,                                            \
                                                    .end = end,                                              \
                                                    __VA_ARGS__}

PROGRAM(sort, .summary = "sorts one key a node", .sink = node_of);
PROGRAM(permute, .summary = "brings each message to its node, of any partial permutation");
