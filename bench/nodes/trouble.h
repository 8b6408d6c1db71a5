/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What ended a node that is a program of its own: a process, or an image on an emulated MCU. Such a node has
 * released all lines from then on and does nothing more.
 */
#ifndef PB_TROUBLE_H
#define PB_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pb_node;

/* The first three are of processes, the others of emulated MCUs. */
enum pb_trouble_kind {
    PB_TROUBLE_NONE,
    PB_TROUBLE_DIED,
    PB_TROUBLE_HUNG,
    PB_TROUBLE_BROKE,
    PB_TROUBLE_TRAPPED,
    PB_TROUBLE_GAP /* the model lacks what the firmware uses: the bench's failure, not the node's */
};

struct pb_node_trouble {
    enum pb_trouble_kind kind;
    char name[64];       /* that it gave itself, or the file of its image; "" */
    bool clocked;        /* after the first edge of TDMA_CLK; else superframe, phase and in_phase_ps are 0 */
    uint32_t superframe; /* by the edges at its pins */
    unsigned phase;
    int64_t in_phase_ps; /* after the last edge */
    int64_t edge_ps;     /* time of that edge */
    int64_t first_ps;    /* time of the first edge */
    char text[128];      /* what happened: "exited with code 3" */
    char output
        [192]; /* the end of what it wrote on stdout and stderr, as one line, or more about a trap */
    char document[32]; /* that lists what the model has, of a gap */
};

/* The last words of an output that fit into `room` bytes; "... " comes before them if others are left out. */
struct pb_last_words {
    char text[196];
};
static inline struct pb_last_words pb_trouble_last_words(const char *output, size_t room)
{
    struct pb_last_words words;
    const size_t length = strlen(output), most = room < sizeof words.text ? room : sizeof words.text - 1;
    const bool all = length <= most;
    const char *from = output + (all ? 0 : most < 4 ? length : length - most + 4);
    const char *word = all ? NULL : strpbrk(from, " |");
    snprintf(words.text, sizeof words.text, "%s%s", all ? "" : "... ", word && word[1] ? word + 1 : from);
    return words;
}

/* For a model: its pins at now_ps, at each advance, while there is no trouble; `rise`: an edge of TDMA_CLK.
 */
static inline void pb_trouble_follow(struct pb_node_trouble *trouble, bool rise, bool sync, int64_t now_ps)
{
    if (rise) {
        trouble->first_ps = trouble->clocked ? trouble->first_ps : now_ps;
        trouble->superframe += trouble->clocked && sync;
        trouble->phase = sync || !trouble->clocked ? 0 : trouble->phase + 1;
        trouble->clocked = true;
        trouble->edge_ps = now_ps;
    }
    trouble->in_phase_ps = trouble->clocked ? now_ps - trouble->edge_ps : 0;
}

/* For a model: the run begins. The edges of an external clock come before it. */
static inline void pb_trouble_run_begins(struct pb_node_trouble *trouble)
{
    trouble->clocked = false;
    trouble->superframe = trouble->phase = 0;
}

/* Fills *trouble, of kind PB_TROUBLE_NONE while there is none. False: a node to which this cannot happen. */
bool pb_node_trouble(const struct pb_node *node, struct pb_node_trouble *trouble);

#endif
