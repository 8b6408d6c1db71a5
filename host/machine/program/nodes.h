/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program in the firmware of every node (firmware/app/program.c) and in the plain player: each frame of a
 * superframe must be the same in both, and so must each result. The firmware gets whole frames, or is at its
 * pins, or is an image at its pins. A function that can fail returns 0, or a
 * code with its diagnostic.
 */
#ifndef PB_PROGRAM_NODES_H
#define PB_PROGRAM_NODES_H

#include "player.h"

struct pb_program_nodes;

/* Whether the firmware takes this program: its nodes, ports, argument and data are fewer than a program of
 * phasebench/program.h may have. PB_ERR_ARGUMENT: it does not, with cause, value and limit. */
int pb_program_nodes_check(const struct pb_program *program, const struct pb_network *network,
                           uint32_t argument, struct pb_diag *diag);

struct pb_program_nodes_options {
    const struct pb_program *program;
    const struct pb_network *network; /* copied */
    uint32_t argument;
    const uint8_t *inputs;              /* of all nodes by address; borrowed while it is created */
    enum pb_machine_engine engine;      /* all: each of the three, but images only if there are some */
    const struct pb_players *pins;      /* for wire, image and all; else NULL */
    const struct pb_machine_line *line; /* at the pins; payload_bytes is that of the program */
    const char *const *image;           /* ELF or UF2 files, of the nodes in turn */
    unsigned images;
};

/* Loads the program into every node, by its console. After pb_program_nodes_check and
 * pb_program_play_create, with the same values. PB_ERR_MEMORY, PB_ERR_NODE: a node refuses it, or as
 * the player. *nodes is for pb_program_nodes_free, and NULL after an error. */
int pb_program_nodes_create(struct pb_program_nodes **nodes, const struct pb_program_nodes_options *options,
                            struct pb_diag *diag);
void pb_program_nodes_free(struct pb_program_nodes *nodes); /* NULL: no effect */

/* Plays the next superframe by both, as pb_program_play_step; *played is its result. After the last
 * superframe the results are compared. PB_ERR_NODE: the first frame, or result, that differs; or as
 * the player. */
int pb_program_nodes_step(struct pb_program_nodes *nodes, struct pb_program_play *play,
                          pb_program_frame_fn *visit, void *context, bool *played, struct pb_diag *diag);

#endif
