/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "nodes.h"

#include "firmware/port/message/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENT_MAX = 0xFFFF, PLAYERS = 2, LINE_MAX_BYTES = 2 * MESSAGE_PROGRAM_DATA_MAX + 64 };

/* A frame that a node sends in a phase: of the player, and of its firmware. */
struct sent {
    bool sent[PLAYERS];
    uint8_t payload[PLAYERS][PB_PROGRAM_PAYLOAD_MAX];
};
enum { PLAIN, FIRMWARE };

struct pb_program_nodes {
    const struct pb_program *program;
    struct pb_network network;
    struct message_nodes *nodes;
    struct sent *sent; /* [phase * nodes + node] of the current superframe */
    pb_program_frame_fn *visit;
    void *context;
};

int pb_program_nodes_check(const struct pb_program *program, const struct pb_network *network,
                           uint32_t argument, struct pb_diag *diag)
{
    const size_t input = pb_program_input_bytes(program, network),
                 result = pb_program_result_bytes(program, network);
    const struct {
        const char *what;
        uint64_t value, most;
        const char *give;
    } needs[] = {{"nodes", network->nodes, MESSAGE_NODES_MAX, "network"},
                 {"ports of a node", network->ports, MESSAGE_PORTS_MAX, "network"},
                 {"as its argument", argument, ARGUMENT_MAX, "argument"},
                 {"bytes of input of a node", input, MESSAGE_PROGRAM_DATA_MAX, "network"},
                 {"bytes of result of a node", result, MESSAGE_PROGRAM_DATA_MAX, "network"}};

    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (needs[i].value > needs[i].most)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "program '%s' has %" PRIu64 " %s, the firmware takes at most %" PRIu64
                           "; give a smaller %s",
                           program->name, needs[i].value, needs[i].what, needs[i].most, needs[i].give);
    return program->superframes(network, argument) ? PB_OK
                                                   : pb_fail(diag, PB_ERR_ARGUMENT,
                                                             "program '%s' has no superframe, the firmware "
                                                             "takes 1 or more; give an argument of 1 or more",
                                                             program->name);
}

/* ---- the console */

static int load(struct pb_program_nodes *nodes, uint32_t node, uint32_t argument, const uint8_t *input,
                struct pb_diag *diag)
{
    char line[LINE_MAX_BYTES];
    const size_t bytes = pb_program_input_bytes(nodes->program, &nodes->network);
    int at = snprintf(line, sizeof line, "P %s %" PRIX32 " ", nodes->program->name, argument);

    for (size_t i = 0; i < bytes; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%02X", input[i]);
    const char *answer = message_type(nodes->nodes, node, line);
    return *answer == '+' ? PB_OK
                          : pb_fail(diag, PB_ERR_NODE,
                                    "the firmware of node 0x%" PRIX32 " answers '%s' to the line '%s'", node,
                                    answer, line);
}

static int compare_result(const struct pb_program_nodes *nodes, uint32_t node, const uint8_t *plain,
                          struct pb_diag *diag)
{
    const char *answer = message_type(nodes->nodes, node, "R");
    const char *result = strstr(answer, " state=done ");
    const size_t bytes = pb_program_result_bytes(nodes->program, &nodes->network);
    char wanted[2 * MESSAGE_PROGRAM_DATA_MAX + 1] = "";

    for (size_t i = 0; i < bytes; i++)
        snprintf(wanted + 2 * i, 3, "%02X", plain[i]);
    result = result ? strstr(result, " result=") : NULL;
    return result && strcmp(result + strlen(" result="), wanted) == 0
               ? PB_OK
               : pb_fail(diag, PB_ERR_NODE,
                         "program '%s': node 0x%" PRIX32 " answers '%s' to 'R'; the plain player has %s",
                         nodes->program->name, node, answer, wanted);
}

/* ---- the nodes */

int pb_program_nodes_create(struct pb_program_nodes **out, const struct pb_program *program,
                            const struct pb_network *network, uint32_t argument, const uint8_t *inputs,
                            struct pb_diag *diag)
{
    struct pb_program_nodes *nodes = calloc(1, sizeof *nodes);
    uint8_t radix[PB_NETWORK_DIGITS_MAX];

    *out = NULL;
    for (unsigned i = 0; i < network->digits; i++)
        radix[i] = (uint8_t)network->radix[i];
    if (nodes) {
        nodes->program = program;
        nodes->network = *network;
        nodes->nodes = message_nodes_create(
            &(struct message_options){.radix = radix,
                                      .digits = (uint8_t)network->digits,
                                      .program_payload_bytes = (uint8_t)program->payload_bytes});
        nodes->sent = calloc((size_t)network->phases * network->nodes, sizeof *nodes->sent);
    }
    if (!nodes || !nodes->nodes || !nodes->sent) {
        pb_program_nodes_free(nodes);
        return pb_fail(diag, PB_ERR_MEMORY,
                       "no memory for the firmware of %" PRIu32 " nodes; give fewer nodes", network->nodes);
    }
    const size_t bytes = pb_program_input_bytes(program, network);
    for (uint32_t node = 0; node < network->nodes; node++) {
        const int code = load(nodes, node, argument, inputs + node * bytes, diag);
        if (code) {
            pb_program_nodes_free(nodes);
            return code;
        }
    }
    *out = nodes;
    return PB_OK;
}

void pb_program_nodes_free(struct pb_program_nodes *nodes)
{
    if (!nodes)
        return;
    message_nodes_free(nodes->nodes);
    free(nodes->sent);
    free(nodes);
}

/* ---- a superframe */

static struct sent *place_of(struct pb_program_nodes *nodes, unsigned phase, uint32_t node)
{
    return &nodes->sent[(size_t)phase * nodes->network.nodes + node];
}

static void run_phase(struct pb_program_nodes *nodes, uint32_t superframe, unsigned phase)
{
    const struct pb_network *network = &nodes->network;

    for (uint32_t node = 0; node < network->nodes; node++)
        message_program_edge(nodes->nodes, node, superframe * network->phases + phase, phase == 0);
    for (uint32_t node = 0; node < network->nodes; node++) {
        const struct pb_slot slot = pb_network_slot(network, node, phase);
        const uint8_t *payload;
        if (slot.role != PB_ROLE_SEND)
            continue;
        const struct pb_peer peer = pb_network_peer(network, node, slot.port);
        if (message_program_hand_over(nodes->nodes, (struct message_end){node, (uint8_t)slot.port},
                                      (struct message_end){peer.node, (uint8_t)peer.port}, &payload)) {
            struct sent *sent = place_of(nodes, phase, node);
            sent->sent[FIRMWARE] = true;
            memcpy(sent->payload[FIRMWARE], payload, nodes->program->payload_bytes);
        }
    }
}

static void note_plain(void *context, const struct pb_program_frame *frame)
{
    struct pb_program_nodes *nodes = context;
    struct sent *sent = place_of(nodes, frame->phase, frame->from);

    sent->sent[PLAIN] = true;
    memcpy(sent->payload[PLAIN], frame->payload, nodes->program->payload_bytes);
    if (nodes->visit)
        nodes->visit(nodes->context, frame);
}

enum { TEXT_SIZE = 2 * PB_PROGRAM_PAYLOAD_MAX + 1 };

static const char *text_of(const struct sent *sent, unsigned player, unsigned bytes, char text[TEXT_SIZE])
{
    for (unsigned i = 0; i < bytes; i++)
        snprintf(text + 2 * i, 3, "%02X", sent->payload[player][i]);
    return sent->sent[player] ? text : "nothing";
}

static int compare(struct pb_program_nodes *nodes, uint32_t superframe, struct pb_diag *diag)
{
    const struct pb_network *network = &nodes->network;
    const unsigned bytes = nodes->program->payload_bytes;
    char text[PLAYERS][TEXT_SIZE];

    for (unsigned phase = 0; phase < network->phases; phase++)
        for (uint32_t node = 0; node < network->nodes; node++) {
            const struct sent *sent = place_of(nodes, phase, node);
            if (sent->sent[PLAIN] == sent->sent[FIRMWARE] &&
                memcmp(sent->payload[PLAIN], sent->payload[FIRMWARE], bytes) == 0)
                continue;
            return pb_fail(diag, PB_ERR_NODE,
                           "program '%s': superframe %" PRIu32 ", phase %u: the firmware of node 0x%" PRIX32
                           " sends %s, the plain player %s",
                           nodes->program->name, superframe, phase, node,
                           text_of(sent, FIRMWARE, bytes, text[FIRMWARE]),
                           text_of(sent, PLAIN, bytes, text[PLAIN]));
        }
    return PB_OK;
}

int pb_program_nodes_step(struct pb_program_nodes *nodes, struct pb_program_play *play,
                          pb_program_frame_fn *visit, void *context, bool *played, struct pb_diag *diag)
{
    const struct pb_network *network = &nodes->network;
    const uint32_t superframe = pb_program_play_superframe(play);
    int code;

    memset(nodes->sent, 0, (size_t)network->phases * network->nodes * sizeof *nodes->sent);
    nodes->visit = visit;
    nodes->context = context;
    *played = pb_program_play_step(play, note_plain, nodes);
    if (!*played)
        return PB_OK;
    for (unsigned phase = 0; phase < network->phases; phase++)
        run_phase(nodes, superframe, phase);
    code = compare(nodes, superframe, diag);
    if (superframe + 1 == pb_program_play_superframes(play))
        for (uint32_t node = 0; node < network->nodes && code == PB_OK; node++)
            code = compare_result(nodes, node, pb_program_play_result(play, node), diag);
    return code;
}
