/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What runs a program in the nodes of a network: the firmware that gets whole frames, or nodes at their pins.
 * A function that can fail returns 0, or a code with its diagnostic.
 */
#ifndef PB_PROGRAM_PLAYER_H
#define PB_PROGRAM_PLAYER_H

#include "phasebench/machine.h"
#include "phasebench/program.h"

enum { PB_PLAYER_LINE_MAX = 2048 }; /* a line at a console, and an answer */

/* What a node sends in a phase. */
struct pb_program_sent {
    bool sent;
    uint8_t payload[PB_PROGRAM_PAYLOAD_MAX];
};

struct pb_player;

struct pb_player_ops {
    const char *node, *remedy; /* for messages: what a node of it is, what to do about a wrong one */
    /* A line at the console of a node while the clock waits, and its answer, both without their ends. */
    int (*type)(struct pb_player *player, uint32_t node, const char *line, char answer[PB_PLAYER_LINE_MAX],
                struct pb_diag *diag);
    /* The next phase. Sets sent[node] of those that send; the others are not sent. */
    int (*phase)(struct pb_player *player, uint32_t superframe, unsigned phase, struct pb_program_sent *sent,
                 struct pb_diag *diag);
    void (*free)(struct pb_player *player);
};

/* Implementations embed it as first member. */
struct pb_player {
    const struct pb_player_ops *ops;
};

struct pb_player_options {
    const struct pb_program *program;
    const struct pb_network *network;
    const struct pb_machine_line *line; /* of nodes at their pins */
    const char *const *image;           /* firmware images, of the nodes in turn */
    unsigned images;
};

/* All nodes after a reset. *out is NULL after an error. */
typedef int pb_player_create_fn(struct pb_player **out, const struct pb_player_options *options,
                                struct pb_diag *diag);
pb_player_create_fn pb_player_message; /* firmware/app, whole frames */

/* Those at pins, for who runs them: a program that only reads scenarios links no emulated MCU. */
struct pb_players {
    pb_player_create_fn *wire;  /* firmware/app at its pins */
    pb_player_create_fn *image; /* firmware images at their pins */
};
extern const struct pb_players pb_players_at_pins; /* host/machine/pins_player.c */

#endif
