/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Releases all nodes at the end of the first superframe before which all have arrived. The input is the
 * superframe before which a node arrives, the result 1 + the superframe that released it; 0: none did. A
 * frame says whether all nodes that differ from the sender only in digits below have arrived. */
#include "program.h"

enum { SUPERFRAMES_INITIAL = 4, SUPERFRAMES_MAX = 65535 };

struct state {
    struct program_partial partial;
    uint8_t *result;
    uint32_t arrival, released;
};

static int suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)network;
    return argument ? PB_OK
                    : pb_fail(diag, PB_ERR_ARGUMENT,
                              "program 'barrier' takes 1..%d superframes, got 0; give how many to play",
                              SUPERFRAMES_MAX);
}

static uint32_t superframes(const struct pb_network *network, uint32_t argument)
{
    (void)network;
    return argument;
}

static void restart(struct state *state, uint32_t superframe)
{
    state->partial.digit = 0;
    state->partial.below = state->partial.now = state->arrival <= superframe;
    program_put32(state->result, state->released);
}

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    (void)length;
    state->partial.network = place->network;
    state->result = place->result;
    state->arrival = program_get32(input);
    restart(state, 0);
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    struct state *state = context;
    (void)superframe;
    program_turn_to(&state->partial, port);
    *payload = state->partial.below;
    return true;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    (void)superframe;
    program_turn_to(&state->partial, port);
    state->partial.now = state->partial.now && *payload;
}

static void end(void *context, uint32_t superframe)
{
    struct state *state = context;
    if (state->partial.now && !state->released)
        state->released = superframe + 1;
    restart(state, superframe + 1);
}

const struct pb_program pb_program_barrier = {
    .name = "barrier",
    .summary = "releases all nodes in the superframe before which the last one arrives",
    .argument_is = "superframes to play",
    .argument_initial = SUPERFRAMES_INITIAL,
    .argument_most = SUPERFRAMES_MAX,
    .state_bytes = sizeof(struct state),
    .payload_bytes = 1,
    .rooms = 2,
    .input_bytes = 4,
    .result_bytes = 4,
    .suits = suits,
    .superframes = superframes,
    .begin = begin,
    .emit = emit,
    .take = take,
    .end = end,
};
