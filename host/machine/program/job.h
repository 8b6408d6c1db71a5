/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A shipped program with one input: the input as people write it, what moves while it is played, and its
 * result against a plain computation. A function that can fail returns 0, or a code with its diagnostic.
 */
#ifndef PB_PROGRAM_JOB_H
#define PB_PROGRAM_JOB_H

#include "nodes.h"

#include "phasebench/program.h"

/* What the input and the result of a node are to people. */
enum pb_program_value {
    PB_PROGRAM_WORDS,   /* a number of 32 bits */
    PB_PROGRAM_SAMPLES, /* a complex number */
    PB_PROGRAM_CELLS,   /* 0 or 1, in a picture */
    PB_PROGRAM_PIXELS,  /* 0..255, in a picture */
    PB_PROGRAM_MATRIX,  /* a number for each node */
    PB_PROGRAM_ROUTES   /* a node, or none: each at most once */
};

struct pb_program_job {
    const struct pb_program *program;
    const struct pb_program_kind *kind;
    const struct pb_network *network;
    uint32_t argument;
    uint8_t *inputs; /* of all nodes by address */
    size_t length;
    enum pb_machine_engine engine; /* slot: the player alone, no firmware takes part */
    struct pb_machine_line line;   /* of nodes at their pins */
    const struct pb_players *pins; /* for the engines wire, image and all; else NULL */
    const char *image;             /* firmware of the engine image, and of all; NULL: none */
    struct pb_program_play *play;
    struct pb_program_nodes *nodes; /* NULL: the player alone */
    uint64_t frames;
    uint32_t *link;         /* frames of each directed link, node * ports + port */
    uint32_t used, busiest; /* directed links with a frame; most frames of one */
    uint32_t digest;        /* CRC-32 of the results in order */
    bool right;
    char detail[160]; /* of the check; "" */
};

struct pb_program_kind {
    const char *program;
    enum pb_program_value form;
    unsigned bits;       /* of a number that is drawn */
    const char *checked; /* what the check asks */
    /* Against a plain computation from the inputs; sets `right` and `detail`. PB_ERR_MEMORY. */
    int (*check)(struct pb_program_job *job, struct pb_diag *diag);
};
/* NULL: not a shipped program. */
const struct pb_program_kind *pb_program_kind_of(const char *program);

#define PB_PROGRAM_NODES_MAX UINT32_C(65536)

/* Sets program and kind by the name. PB_ERR_ARGUMENT: there is none of it; the diagnostic lists all. */
int pb_program_job_find(struct pb_program_job *job, const char *name, struct pb_diag *diag);
/* With program, network and argument: sets `engine`, and the payload of `line`. wanted: one of
 * pb_machine_engine; -1: the firmware if that takes the program, else slot. PB_ERR_ARGUMENT: network or
 * argument are not possible, or not for that engine. */
int pb_program_job_choose(struct pb_program_job *job, int wanted, struct pb_diag *diag);
/* Sets inputs and length by a seed. PB_ERR_MEMORY. */
int pb_program_job_draw(struct pb_program_job *job, uint64_t seed, struct pb_diag *diag);
/* The same from a text: numbers, or for cells and pixels a picture of the Netpbm family. `name` is for
 * messages. PB_ERR_CONFIG: it is no input of this program on this network; PB_ERR_MEMORY. */
int pb_program_job_read(struct pb_program_job *job, const char *name, const char *bytes, size_t length,
                        struct pb_diag *diag);

/* With the inputs: makes the player and, unless the engine is slot, the nodes. As pb_program_play_create and
 * pb_program_nodes_create; PB_ERR_MEMORY. */
int pb_program_job_begin(struct pb_program_job *job, struct pb_diag *diag);
/* Plays a superframe and counts its frames. Sets *played: false, the one before was the last. PB_ERR_NODE: as
 * pb_program_nodes_step. */
int pb_program_job_step(struct pb_program_job *job, bool *played, struct pb_diag *diag);
/* After the last one: sets the digest, and checks the result. */
int pb_program_job_end(struct pb_program_job *job, struct pb_diag *diag);
/* Releases inputs, player and counts. */
void pb_program_job_free(struct pb_program_job *job);

/* Directed links of the network. */
uint64_t pb_program_job_links(const struct pb_program_job *job);
/* Number `index` of the inputs or results, in the order in which people count them. */
const uint8_t *pb_program_job_input(const struct pb_program_job *job, uint32_t index);
const uint8_t *pb_program_job_result(const struct pb_program_job *job, const struct pb_program_play *play,
                                     uint32_t index);
/* Cells or pixels on a side of a picture. */
unsigned pb_program_side(const struct pb_network *network);

#endif
