/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a run records of the processors of its nodes, and who controls one: of firmware images on emulated
 * MCUs, whose instructions it sees one by one. What a node does at its pins stays the same.
 */
#ifndef PB_NODE_WATCH_H
#define PB_NODE_WATCH_H

#include <signal.h>
#include <stdint.h>

struct pb_diag; /* phasebench/error.h */
struct pb_node;
struct pb_coverage; /* bench/emulator/watch/coverage.h */
struct pb_steps;    /* bench/emulator/watch/steps.h */
struct pb_gdb;      /* bench/emulator/watch/gdb.h */

/* The caller owns it, and it outlives the nodes. */
struct pb_node_watch {
    struct pb_coverage *coverage; /* of all nodes; NULL: not recorded */
    struct pb_steps *steps;       /* of one node; NULL: not recorded */
    struct pb_gdb *gdb;           /* controls one node; NULL: none */
    /* Written while a node is controlled: wall time in which the bench waited, which no time limit counts; a
     * negative code and a diagnostic once the run must end. */
    int64_t halted_ns;
    int failed;
    char why[128];
};

/* Watches a node from now on; `index` is its number in the scenario. Without effect on a node that is no
 * firmware image. PB_ERR_MEMORY. */
int pb_node_watch(struct pb_node *node, unsigned index, struct pb_node_watch *watch,
                  struct pb_diag *diag);

#endif
