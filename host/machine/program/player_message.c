/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "player.h"

#include "firmware/port/message/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct player {
    struct pb_player base;
    struct pb_network network;
    unsigned payload_bytes;
    struct message_nodes *nodes;
};

static int type(struct pb_player *base, uint32_t node, const char *line, char answer[PB_PLAYER_LINE_MAX],
                struct pb_diag *diag)
{
    (void)diag;
    snprintf(answer, PB_PLAYER_LINE_MAX, "%s", message_type(((struct player *)base)->nodes, node, line));
    return PB_OK;
}

static int phase(struct pb_player *base, uint32_t superframe, unsigned phase, struct pb_program_sent *sent,
                 struct pb_diag *diag)
{
    struct player *player = (struct player *)base;
    const struct pb_network *network = &player->network;

    (void)diag;
    for (uint32_t node = 0; node < network->nodes; node++)
        message_program_edge(player->nodes, node, superframe * network->phases + phase, phase == 0);
    for (uint32_t node = 0; node < network->nodes; node++) {
        const struct pb_slot slot = pb_network_slot(network, node, phase);
        const uint8_t *payload;
        sent[node].sent = false;
        if (slot.role != PB_ROLE_SEND)
            continue;
        const struct pb_peer peer = pb_network_peer(network, node, slot.port);
        if (message_program_hand_over(player->nodes, (struct message_end){node, (uint8_t)slot.port},
                                      (struct message_end){peer.node, (uint8_t)peer.port}, &payload)) {
            sent[node].sent = true;
            memcpy(sent[node].payload, payload, player->payload_bytes);
        }
    }
    return PB_OK;
}

static void player_free(struct pb_player *base)
{
    struct player *player = (struct player *)base;
    message_nodes_free(player->nodes);
    free(player);
}

static const struct pb_player_ops ops = {.node = "the firmware of node",
                                         .remedy = "mend the firmware",
                                         .type = type,
                                         .phase = phase,
                                         .free = player_free};

int pb_player_message(struct pb_player **out, const struct pb_player_options *options, struct pb_diag *diag)
{
    const struct pb_network *network = options->network;
    struct player *player = calloc(1, sizeof *player);
    uint8_t radix[PB_NETWORK_DIGITS_MAX];

    *out = NULL;
    for (unsigned i = 0; i < network->digits; i++)
        radix[i] = (uint8_t)network->radix[i];
    if (player) {
        player->base.ops = &ops;
        player->network = *network;
        player->payload_bytes = options->program->payload_bytes;
        player->nodes = message_nodes_create(
            &(struct message_options){.radix = radix,
                                      .digits = (uint8_t)network->digits,
                                      .program_payload_bytes = (uint8_t)player->payload_bytes});
    }
    if (!player || !player->nodes) {
        free(player);
        return pb_fail(diag, PB_ERR_MEMORY,
                       "no memory for the firmware of %" PRIu32 " nodes; give fewer nodes", network->nodes);
    }
    *out = &player->base;
    return PB_OK;
}
