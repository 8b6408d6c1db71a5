/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The player. A node uses one wire in a phase, and a wire joins two nodes: within the two phases of its wires
 * the machine is a list of independent pairs. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16 }; /* of each state, as that of allocated memory */

struct wire {
    uint32_t node[2]; /* node[0] sends in the first of both phases */
    uint8_t port[2];
    uint8_t phase; /* the first */
};

struct pb_program_play {
    const struct pb_program *program;
    struct pb_network network;
    uint32_t superframe, superframes;
    size_t stride, result_bytes;
    unsigned char *state;
    uint8_t *result;
    struct wire *wire;
    size_t wires;
};

static int check(const struct pb_program *program, const struct pb_network *network, uint32_t argument,
                 size_t length, struct pb_diag *diag)
{
    const struct {
        const char *what;
        unsigned value, most;
    } needs[] = {{"bytes of state", program->state_bytes, PB_PROGRAM_STATE_MAX},
                 {"bytes of payload", program->payload_bytes, PB_PROGRAM_PAYLOAD_MAX},
                 {"rooms", program->rooms, PB_PROGRAM_ROOMS_MAX}};
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (needs[i].value > needs[i].most)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "program '%s' needs %u %s, a node has %u; divide it into several programs",
                           program->name, needs[i].value, needs[i].what, needs[i].most);
    if (argument > program->argument_most)
        return pb_fail(diag, PB_ERR_ARGUMENT, "the argument of program '%s' is %lu; give 0..%lu%s%s",
                       program->name, (unsigned long)argument, (unsigned long)program->argument_most,
                       program->argument_is ? ": " : "", program->argument_is ? program->argument_is : "");
    char text[PB_NETWORK_TEXT_SIZE];
    if (!pb_network_is_complete(network))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "program '%s' runs where any two nodes that differ in one digit are wired, and the network is "
            "%s; give a cube or a generalised hypercube",
            program->name, pb_network_text(network, text));
    const int code = program->suits ? program->suits(network, argument, diag) : PB_OK;
    if (code)
        return code;
    const size_t wanted = pb_program_input_bytes(program, network) * network->nodes;
    if (length != wanted)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "the input of program '%s' has %zu bytes; %lu nodes take %zu, give as many",
                       program->name, length, (unsigned long)network->nodes, wanted);
    return PB_OK;
}

static void list_wires(struct pb_program_play *play)
{
    const struct pb_network *network = &play->network;
    for (unsigned phase = 0; phase < network->phases; phase += 2)
        for (uint32_t node = 0; node < network->nodes; node++) {
            const struct pb_slot slot = pb_network_slot(network, node, phase);
            if (slot.role != PB_ROLE_SEND)
                continue;
            const struct pb_peer peer = pb_network_peer(network, node, slot.port);
            play->wire[play->wires++] = (struct wire){
                {node, peer.node}, {(uint8_t)slot.port, (uint8_t)peer.port}, (uint8_t)phase};
        }
}

static void begin(struct pb_program_play *play, uint32_t argument, const uint8_t *inputs)
{
    const size_t bytes = pb_program_input_bytes(play->program, &play->network);
    for (uint32_t node = 0; node < play->network.nodes; node++) {
        const struct pb_program_place place = {.network = &play->network,
                                       .address = node,
                                       .argument = argument,
                                       .result = play->result + node * play->result_bytes};
        play->program->begin(play->state + node * play->stride, &place, inputs + node * bytes, bytes);
    }
}

int pb_program_play_create(struct pb_program_play **out, const struct pb_program *program,
                           const struct pb_network *network, uint32_t argument, const uint8_t *inputs,
                           size_t length, struct pb_diag *diag)
{
    *out = NULL;
    const int code = check(program, network, argument, length, diag);
    if (code)
        return code;
    const size_t nodes = network->nodes, wires = nodes * network->ports / 2;
    const size_t stride = ((size_t)program->state_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t result_bytes = pb_program_result_bytes(program, network);
    struct pb_program_play *play = calloc(1, sizeof *play);
    if (play) {
        *play = (struct pb_program_play){.program = program,
                                         .network = *network,
                                         .superframes = program->superframes(network, argument),
                                         .stride = stride,
                                         .result_bytes = result_bytes,
                                         .state = calloc(nodes, stride),
                                         .result = calloc(nodes, result_bytes),
                                         .wire = calloc(wires, sizeof *play->wire)};
        if (play->state && play->result && play->wire) {
            list_wires(play);
            begin(play, argument, inputs);
            *out = play;
            return PB_OK;
        }
    }
    pb_program_play_free(play);
    return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu nodes of program '%s', %zu MiB; give fewer nodes",
                   nodes, program->name,
                   (nodes * (stride + result_bytes) + wires * sizeof(struct wire)) >> 20);
}

void pb_program_play_free(struct pb_program_play *play)
{
    if (!play)
        return;
    free(play->state);
    free(play->result);
    free(play->wire);
    free(play);
}

static void show(const struct pb_program_play *play, const struct wire *wire, unsigned from,
                 const uint8_t *payload, pb_program_frame_fn *visit, void *context)
{
    visit(context, &(struct pb_program_frame){.superframe = play->superframe,
                                              .phase = wire->phase + from,
                                              .port = wire->port[from],
                                              .from = wire->node[from],
                                              .to = wire->node[!from],
                                              .payload = payload});
}

bool pb_program_play_step(struct pb_program_play *play, pb_program_frame_fn *visit, void *context)
{
    const struct pb_program *program = play->program;
    const uint32_t superframe = play->superframe;
    if (superframe == play->superframes)
        return false;
    for (size_t i = 0; i < play->wires; i++) {
        const struct wire *wire = &play->wire[i];
        uint8_t payload[2][PB_PROGRAM_PAYLOAD_MAX] = {{0}, {0}};
        void *state[2];
        bool sent[2];
        for (unsigned end = 0; end < 2; end++) {
            state[end] = play->state + wire->node[end] * play->stride;
            sent[end] = program->emit(state[end], superframe, wire->port[end], payload[end]);
        }
        for (unsigned end = 0; end < 2; end++) {
            if (!sent[end])
                continue;
            if (visit)
                show(play, wire, end, payload[end], visit, context);
            program->take(state[!end], superframe, wire->port[!end], payload[end]);
        }
    }
    for (uint32_t node = 0; node < play->network.nodes; node++)
        program->end(play->state + node * play->stride, superframe);
    play->superframe++;
    return true;
}

uint32_t pb_program_play_superframe(const struct pb_program_play *play)
{
    return play->superframe;
}

uint32_t pb_program_play_superframes(const struct pb_program_play *play)
{
    return play->superframes;
}

const void *pb_program_play_state(const struct pb_program_play *play, uint32_t node)
{
    return play->state + node * play->stride;
}

const uint8_t *pb_program_play_result(const struct pb_program_play *play, uint32_t node)
{
    return play->result + node * play->result_bytes;
}
