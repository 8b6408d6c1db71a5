/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs in all nodes at their pins. Frames are those of messages to the neighbour, with the default codec:
 * the host reads destination and payload, the receiver judges the check value.
 */
#include "engine.h"

#include "pins/pins.h"
#include "program/player.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 2, HIGH_ADDRESS = 0x0F };

_Static_assert((int)PB_PLAYER_LINE_MAX == (int)PB_PINS_LINE_MAX, "an answer at a console fits");

struct player {
    struct pb_player base;
    struct pb_network network;
    struct pb_machine_line line;
    struct pb_pins *pins;
    struct pb_pins_frame *frame; /* [node] */
};

static int type(struct pb_player *base, uint32_t node, const char *line, char answer[PB_PLAYER_LINE_MAX],
                struct pb_diag *diag)
{
    return pb_pins_type(((struct player *)base)->pins, node, line, answer, diag);
}

/* Whether a node sends what can be a frame of the program to its neighbour. */
static bool is_frame(const struct player *player, uint32_t to, const struct pb_pins_frame *frame)
{
    return !frame->broken && frame->length == pb_pins_frame_bytes(&player->line) &&
           frame->bytes[0] == (to & 0xFF) && (frame->bytes[1] & HIGH_ADDRESS) == to >> 8;
}

static int phase(struct pb_player *base, uint32_t superframe, unsigned phase, struct pb_program_sent *sent,
                 struct pb_diag *diag)
{
    struct player *player = (struct player *)base;
    const struct pb_network *network = &player->network;

    int code = pb_pins_phase(player->pins, phase, player->frame, diag);
    for (uint32_t node = 0; node < network->nodes && code == PB_OK; node++) {
        const struct pb_slot slot = pb_network_slot(network, node, phase);
        const struct pb_pins_frame *frame = &player->frame[node];
        sent[node].sent = slot.role == PB_ROLE_SEND && (frame->length || frame->broken);
        if (!sent[node].sent)
            continue;
        const uint32_t to = pb_network_neighbour(network, node, slot.port);
        if (!is_frame(player, to, frame))
            code = pb_fail(diag, PB_ERR_NODE,
                           "superframe %" PRIu32 ", phase %u: node 0x%" PRIX32
                           " sends %u bytes%s that are no frame for node 0x%" PRIX32 "; %s",
                           superframe, phase, node, frame->length, frame->broken ? ", broken," : "", to,
                           base->ops->remedy);
        memcpy(sent[node].payload, frame->bytes + HEADER_BYTES, player->line.payload_bytes);
    }
    return code;
}

static void player_free(struct pb_player *base)
{
    struct player *player = (struct player *)base;
    pb_pins_free(player->pins);
    free(player->frame);
    free(player);
}

static const struct pb_player_ops ops = {
    .node = "at its pins node",
    .remedy = "lower phase rate, latency and error of the clocks, or mend the firmware",
    .type = type,
    .phase = phase,
    .free = player_free};

static int create(struct pb_player **out, const struct pb_player_options *options, bool images,
                  struct pb_diag *diag)
{
    const struct pb_network *network = options->network;
    struct player *player = calloc(1, sizeof *player);

    *out = NULL;
    if (player) {
        player->base.ops = &ops;
        player->network = *network;
        player->line = *options->line;
        player->frame = calloc(network->nodes, sizeof *player->frame);
    }
    int code =
        pb_engine_check(images ? PB_ENGINE_IMAGE : PB_ENGINE_WIRE, options->line, options->images > 0, diag);
    if (code == PB_OK && (!player || !player->frame))
        code = pb_fail(diag, PB_ERR_MEMORY, "no memory for the pins of %" PRIu32 " nodes; give fewer nodes",
                       network->nodes);
    if (code == PB_OK)
        code = pb_pins_create(&player->pins,
                              &(struct pb_pins_options){.network = network,
                                                        .rule = PB_RULE_ECUBE,
                                                        .line = &player->line,
                                                        .image = images ? options->image : NULL,
                                                        .images = images ? options->images : 0},
                              diag);
    if (code) {
        if (player)
            player_free(&player->base);
        return code;
    }
    *out = &player->base;
    return PB_OK;
}

static int create_wire(struct pb_player **out, const struct pb_player_options *options, struct pb_diag *diag)
{
    return create(out, options, false, diag);
}

static int create_image(struct pb_player **out, const struct pb_player_options *options, struct pb_diag *diag)
{
    return create(out, options, true, diag);
}

const struct pb_players pb_players_at_pins = {create_wire, create_image};
