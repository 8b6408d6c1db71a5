/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Creates the models of kinds.def; depends on the simulation.
 */
#ifndef PB_NODE_MAKERS_H
#define PB_NODE_MAKERS_H

#include "bench/nodes/child.h"
#include "bench/registry/kinds.h"
#include "bench/nodes/node.h"

/* Settings of one node in a scenario, other than its timing. */
struct pb_node_setting {
    const char *defect;   /* "none", or a defect of its kind */
    int64_t amount_ps;    /* 0: the defect's default */
    /* As struct pb_contract_setting; kinds without these keys ignore them: */
    uint32_t from, every, port, after;
    uint64_t freedoms;
    int64_t start_early_ps, start_late_ps;
    /* Of a kind with an argument: what follows the colon, the folder in which it is meant (NULL: the present
     * one), and the wall time for an answer (0: the default). */
    const char *argument, *folder;
    int64_t answer_limit_ps;
    struct pb_halt halt; /* ends a wait for the process */
};

/* Creates a node of a kind with a model; the caller owns it. Returns PB_OK, PB_ERR_CONFIG (the kind refuses
 * the configuration, or its process cannot be started; the diagnostic starts with the key), PB_ERR_IO (no
 * process or socket is left), PB_ERR_INTERRUPTED, PB_ERR_TIMEOUT (halted) or PB_ERR_MEMORY. */
int pb_node_make(struct pb_node **out, const struct pb_node_kind *kind, const struct pb_node_config *config,
                 const struct pb_node_setting *setting, struct pb_diag *diag);

#endif
