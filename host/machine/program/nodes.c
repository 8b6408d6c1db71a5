/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "nodes.h"

#include "firmware/port/message/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENT_MAX = 0xFFFF, PLAYERS_MAX = 3 };

struct pb_program_nodes {
    const struct pb_program *program;
    struct pb_network network;
    struct pb_player *player[PLAYERS_MAX];
    unsigned players;
    struct pb_program_sent *plain; /* [phase * nodes + node] of the current superframe, by the plain player */
    struct pb_program_sent *sent;  /* [node] of the current phase, by another one */
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

enum { HEX_SIZE = 2 * MESSAGE_PROGRAM_DATA_MAX + 1 };

static const char *hex_of(char text[HEX_SIZE], const uint8_t *byte, size_t bytes)
{
    text[0] = '\0';
    for (size_t i = 0; i < bytes; i++)
        snprintf(text + 2 * i, 3, "%02X", byte[i]);
    return text;
}

static int load(const struct pb_program_nodes *nodes, struct pb_player *player, uint32_t node,
                uint32_t argument, const uint8_t *input, struct pb_diag *diag)
{
    char line[PB_PLAYER_LINE_MAX], answer[PB_PLAYER_LINE_MAX], hex[HEX_SIZE];
    snprintf(line, sizeof line, "P %s %" PRIX32 " %s", nodes->program->name, argument,
             hex_of(hex, input, pb_program_input_bytes(nodes->program, &nodes->network)));
    const int code = player->ops->type(player, node, line, answer, diag);
    if (code)
        return code;
    return *answer == '+'
               ? PB_OK
               : pb_fail(diag, PB_ERR_NODE, "%s 0x%" PRIX32 " answers '%.60s' to the line '%s'; %s",
                         player->ops->node, node, answer, line, player->ops->remedy);
}

static int compare_result(const struct pb_program_nodes *nodes, struct pb_player *player, uint32_t node,
                          const uint8_t *plain, struct pb_diag *diag)
{
    char answer[PB_PLAYER_LINE_MAX], hex[HEX_SIZE];
    const int code = player->ops->type(player, node, "R", answer, diag);
    if (code)
        return code;
    const char *result = strstr(answer, " state=done ") ? strstr(answer, " result=") : NULL;
    hex_of(hex, plain, pb_program_result_bytes(nodes->program, &nodes->network));
    return result && strcmp(result + strlen(" result="), hex) == 0
               ? PB_OK
               : pb_fail(diag, PB_ERR_NODE,
                         "program '%s': %s 0x%" PRIX32
                         " answers '%.200s' to 'R', the plain player has %s; %s",
                         nodes->program->name, player->ops->node, node, answer, hex, player->ops->remedy);
}

/* ---- the nodes */

static int add_player(struct pb_program_nodes *nodes, pb_player_create_fn *create,
                      const struct pb_program_nodes_options *options, struct pb_diag *diag)
{
    const size_t bytes = pb_program_input_bytes(nodes->program, &nodes->network);
    struct pb_player *player;
    int code = create(&player,
                      &(struct pb_player_options){.program = nodes->program,
                                                  .network = &nodes->network,
                                                  .line = options->line,
                                                  .image = options->image,
                                                  .images = options->images},
                      diag);
    if (code)
        return code;
    nodes->player[nodes->players++] = player;
    for (uint32_t node = 0; node < nodes->network.nodes && code == PB_OK; node++)
        code = load(nodes, player, node, options->argument, options->inputs + node * bytes, diag);
    return code;
}

int pb_program_nodes_create(struct pb_program_nodes **out, const struct pb_program_nodes_options *options,
                            struct pb_diag *diag)
{
    const struct pb_network *network = options->network;
    struct pb_program_nodes *nodes = calloc(1, sizeof *nodes);
    int code = PB_OK;

    *out = NULL;
    if (nodes) {
        nodes->program = options->program;
        nodes->network = *network;
        nodes->plain = calloc((size_t)network->phases * network->nodes, sizeof *nodes->plain);
        nodes->sent = calloc(network->nodes, sizeof *nodes->sent);
    }
    if (!nodes || !nodes->plain || !nodes->sent)
        code = pb_fail(diag, PB_ERR_MEMORY, "no memory for the frames of %" PRIu32 " nodes; give fewer nodes",
                       network->nodes);
    const bool all = options->engine == PB_ENGINE_ALL;
    if (code == PB_OK && (all || options->engine == PB_ENGINE_FIRMWARE))
        code = add_player(nodes, pb_player_message, options, diag);
    if (code == PB_OK && (all || options->engine == PB_ENGINE_WIRE))
        code = add_player(nodes, options->pins->wire, options, diag);
    if (code == PB_OK && ((all && options->images) || options->engine == PB_ENGINE_IMAGE))
        code = add_player(nodes, options->pins->image, options, diag);
    if (code) {
        pb_program_nodes_free(nodes);
        return code;
    }
    *out = nodes;
    return PB_OK;
}

void pb_program_nodes_free(struct pb_program_nodes *nodes)
{
    if (!nodes)
        return;
    for (unsigned i = 0; i < nodes->players; i++)
        nodes->player[i]->ops->free(nodes->player[i]);
    free(nodes->plain);
    free(nodes->sent);
    free(nodes);
}

/* ---- a superframe */

static void note_plain(void *context, const struct pb_program_frame *frame)
{
    struct pb_program_nodes *nodes = context;
    struct pb_program_sent *plain = &nodes->plain[(size_t)frame->phase * nodes->network.nodes + frame->from];

    plain->sent = true;
    memcpy(plain->payload, frame->payload, nodes->program->payload_bytes);
    if (nodes->visit)
        nodes->visit(nodes->context, frame);
}

static const char *text_of(const struct pb_program_sent *sent, unsigned bytes, char text[HEX_SIZE])
{
    return sent->sent ? hex_of(text, sent->payload, bytes) : "nothing";
}

static int run_phase(struct pb_program_nodes *nodes, struct pb_player *player, uint32_t superframe,
                     unsigned phase, struct pb_diag *diag)
{
    const unsigned bytes = nodes->program->payload_bytes;
    char sends[HEX_SIZE], due[HEX_SIZE];
    const int code = player->ops->phase(player, superframe, phase, nodes->sent, diag);

    for (uint32_t node = 0; node < nodes->network.nodes && code == PB_OK; node++) {
        const struct pb_program_sent *plain = &nodes->plain[(size_t)phase * nodes->network.nodes + node],
                                     *sent = &nodes->sent[node];
        if (plain->sent != sent->sent || (sent->sent && memcmp(plain->payload, sent->payload, bytes) != 0))
            return pb_fail(diag, PB_ERR_NODE,
                           "program '%s': superframe %" PRIu32 ", phase %u: %s 0x%" PRIX32
                           " sends %s, the plain player %s; %s",
                           nodes->program->name, superframe, phase, player->ops->node, node,
                           text_of(sent, bytes, sends), text_of(plain, bytes, due), player->ops->remedy);
    }
    return code;
}

static int run_superframe(struct pb_program_nodes *nodes, struct pb_player *player,
                          const struct pb_program_play *play, uint32_t superframe, struct pb_diag *diag)
{
    int code = PB_OK;
    for (unsigned phase = 0; phase < nodes->network.phases && code == PB_OK; phase++)
        code = run_phase(nodes, player, superframe, phase, diag);
    const bool last = superframe + 1 == pb_program_play_superframes(play);
    for (uint32_t node = 0; last && node < nodes->network.nodes && code == PB_OK; node++)
        code = compare_result(nodes, player, node, pb_program_play_result(play, node), diag);
    return code;
}

int pb_program_nodes_step(struct pb_program_nodes *nodes, struct pb_program_play *play,
                          pb_program_frame_fn *visit, void *context, bool *played, struct pb_diag *diag)
{
    const struct pb_network *network = &nodes->network;
    const uint32_t superframe = pb_program_play_superframe(play);
    int code = PB_OK;

    memset(nodes->plain, 0, (size_t)network->phases * network->nodes * sizeof *nodes->plain);
    nodes->visit = visit;
    nodes->context = context;
    *played = pb_program_play_step(play, note_plain, nodes);
    for (unsigned i = 0; *played && i < nodes->players && code == PB_OK; i++)
        code = run_superframe(nodes, nodes->player[i], play, superframe, diag);
    return code;
}
