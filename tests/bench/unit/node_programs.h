/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of a node at its pins: scripts of console lines, edges and frames, and what a node does then by
 * docs/node.md and docs/use/programs.md, worked out by hand, as lines of text:
 *
 *     > R / < +R state=none      a console line and its answer; of a refusal the dash alone
 *     e5 d2 to 1 #2 2F000000     after edge 5 of a superframe, on dimension 2, a frame to node 1, number 2
 *
 * The node is 0x5 of the 4-cube: it sends on dimension 0 in phase 1, 1 in 2, 2 in 5, 3 in 6, and listens in
 * phases 0, 3, 4, 7.
 */
#ifndef NODE_PROGRAMS_H
#define NODE_PROGRAMS_H

#include "tests/bench/unit/node_fixture.h"

enum program_script {
    PROGRAM_SUM,
    PROGRAM_SORT,
    PROGRAM_SHORT,
    PROGRAM_BEGIN,
    PROGRAM_MISSING,
    PROGRAM_FOREIGN,
    PROGRAM_SURPRISE,
    PROGRAM_EARLY,
    PROGRAM_REFUSED,
    PROGRAM_RESET,
    PROGRAM_SCRIPTS
};

extern const char *const program_sound[PROGRAM_SCRIPTS];

struct pb_node_config program_config(void);
/* Plays a script with a node, which it destroys; what it did is valid until the next call. strikes: of its
 * defect, may be NULL. */
const char *program_play(enum program_script script, struct pb_node *node, int64_t boot_ps,
                         uint64_t *strikes);

#endif
