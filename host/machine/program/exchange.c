/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * exchange and alltoall: every node one message to every node. In round k each node sends to its address XOR
 * k, and the message crosses the dimensions of the bits of k. Argument 0: rounds k and NOT k share a
 * superframe, as they use no dimension twice: N/2 superframes. Argument 1: rounds 1..N - 1, one a superframe.
 *
 * exchange: message d of the input of node s becomes message s of the result of node d. alltoall: messages
 * are computed from the key of their source, and added up, so a node needs no memory for them. */
#include "program.h"

#define STEP UINT32_C(0x9E3779B1) /* between the messages of a node: odd, so all of them differ */
enum { PAIRS, ALONE };
enum { DIMS_MAX = 12 }; /* inputs and results of 128 MiB; 100 million frames */

struct state {
    const uint8_t *input;
    uint8_t *result;
    bool computes; /* messages, from the key in the input */
    uint32_t address, mode;
    uint32_t round[2];   /* k and NOT k */
    uint32_t message[2]; /* of these rounds, on the wires of `port` */
    uint32_t taken;      /* from `port`: the third message */
    uint32_t full;       /* all bits of an address */
    uint8_t port;
    bool has_taken;
};

static int exchange_suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("exchange", network, false, PB_DIMS_MIN, DIMS_MAX, diag);
}

static int alltoall_suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("alltoall", network, false, PB_DIMS_MIN, DIMS_MAX, diag);
}

static uint32_t superframes(const struct pb_network *network, uint32_t argument)
{
    return argument == ALONE ? network->nodes - 1 : network->nodes / 2;
}

static uint32_t own_message(const struct state *state, uint32_t to)
{
    return state->computes ? program_get32(state->input) + to * STEP
                           : program_get32(state->input + 4 * (size_t)to);
}

/* Factors are odd, so each message counts in full; and all differ, so one from another node shows. */
static void keep(struct state *state, uint32_t from, uint32_t message)
{
    if (state->computes)
        program_put32(state->result, program_get32(state->result) + message * (2 * from + 1));
    else
        program_put32(state->result + 4 * (size_t)from, message);
}

static void restart(struct state *state, uint32_t superframe)
{
    state->port = PROGRAM_NO_PORT;
    state->has_taken = false;
    state->round[0] = superframe + (state->mode == ALONE);
    state->round[1] = state->round[0] ^ state->full;
    for (unsigned i = 0; i < 2 && state->round[0] <= state->full; i++)
        state->message[i] = own_message(state, state->address ^ state->round[i]);
}

static void begin(struct state *state, const struct pb_program_place *place, const uint8_t *input,
                  bool computes)
{
    state->input = input;
    state->result = place->result;
    state->computes = computes;
    state->address = place->address;
    state->mode = place->argument;
    state->full = place->network->nodes - 1;
    if (state->mode == ALONE) /* else it is the message of round 0 */
        keep(state, state->address, own_message(state, state->address));
    restart(state, 0);
}

static void exchange_begin(void *state, const struct pb_program_place *place, const uint8_t *input,
                           size_t length)
{
    (void)length;
    begin(state, place, input, false);
}

static void alltoall_begin(void *state, const struct pb_program_place *place, const uint8_t *input,
                           size_t length)
{
    (void)length;
    begin(state, place, input, true);
}

/* Which of both rounds crosses a dimension. */
static unsigned round_of(const struct state *state, unsigned port)
{
    return !(state->round[0] >> port & 1);
}

static void turn_to(struct state *state, unsigned port)
{
    if (port != state->port && state->has_taken) {
        state->message[round_of(state, state->port)] = state->taken;
        state->has_taken = false;
    }
    state->port = (uint8_t)port;
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    struct state *state = context;
    const unsigned round = round_of(state, port);
    (void)superframe;
    turn_to(state, port);
    program_put32(payload, state->message[round]);
    return round == 0 || state->mode == PAIRS;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    (void)superframe;
    turn_to(state, port);
    state->taken = program_get32(payload);
    state->has_taken = true;
}

static void end(void *context, uint32_t superframe)
{
    struct state *state = context;
    turn_to(state, PROGRAM_NO_PORT);
    for (unsigned i = 0; i < (state->mode == PAIRS ? 2u : 1u); i++)
        keep(state, state->address ^ state->round[i], state->message[i]);
    restart(state, superframe + 1);
}

#define PROGRAM(program, ...)                                                                                \
    const struct pb_program pb_program_##program = {.name = #program,                                        \
                                                    .argument_is =                                           \
                                                        "0 rounds k and NOT k together, 1 rounds alone",     \
                                                    .argument_most = ALONE,                                  \
                                                    .state_bytes = sizeof(struct state),                     \
                                                    .payload_bytes = 4,                                      \
                                                    .rooms = 3,                                              \
                                                    .input_bytes = 4,                                        \
                                                    .result_bytes = 4,                                       \
                                                    .suits = program##_suits,                                \
                                                    .superframes = superframes,                              \
                                                    .begin = program##_begin,                                \
                                                    .emit = emit,                                            \
                                                    .take = take,                                            \
                                                    .end = end,                                              \
                                                    __VA_ARGS__}

PROGRAM(exchange, .summary = "every node one message to every node", .each_node = true);
PROGRAM(alltoall, .summary = "every node one message to every node, computed from its key");
