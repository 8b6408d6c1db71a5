/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Creates the models of kinds.def; brings the simulation with it.
 */
#ifndef PB_NODE_MAKERS_H
#define PB_NODE_MAKERS_H

#include "bench/nodes/kinds.h"
#include "bench/nodes/node.h"

/* What a scenario says of one node besides its timing. */
struct pb_node_setting {
    const char *defect;   /* "none", or one of its kind's */
    int64_t amount_ps;    /* 0: the defect's default */
    uint32_t from, every; /* as struct pb_contract_setting; kinds without these keys ignore them */
};

/* Makes a node of a kind that has a model. PB_ERR_CONFIG and a sentence that starts with the key: the kind
 * refuses the configuration; PB_ERR_MEMORY. The node belongs to the caller. */
int pb_node_make(struct pb_node **out, const struct pb_node_kind *kind, const struct pb_node_config *config,
                 const struct pb_node_setting *setting, struct pb_diag *diag);

#endif
