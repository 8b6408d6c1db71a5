/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cases of `phasebench regress`: each is a scenario that asks one thing of a node by the contract
 * (docs/node.md), as YAML.
 */
#ifndef PHASEBENCH_PROCEDURE_REGRESS_CASES_H
#define PHASEBENCH_PROCEDURE_REGRESS_CASES_H

#include "phasebench/regress.h"
#include "phasebench/scenario.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regress_case {
    char name[40];
    const char *group; /* static; the name without the number of the seed */
    const char *purpose; /* static; one line */
    bool variant;        /* another configuration than the rest: a node may refuse it */
    char *text;          /* owned; NULL: the case does not fit */
    char reason[200];    /* why it does not */
};

/* Number of the kinds of case, and name and purpose of each. */
size_t regress_case_count(void);
const char *regress_case_name(size_t index);
const char *regress_case_purpose(size_t index);
/* Messages that wait for one link of this node until it is full. */
unsigned regress_room(const struct pb_scenario_node *node);
/* False: the case is made on request only, by node.soak or node.room. */
bool regress_case_applies(size_t index, const struct pb_regress_node *node);

/* Makes the case with this index, from 0 on. The seed draws places of faults and traffic; `number` counts
 * repetitions from 1, and makes the name unique. 0, PB_ERR_MEMORY. The caller frees one->text. */
int regress_case_make(struct regress_case *one, size_t index, const struct pb_regress_node *node,
                      uint64_t seed, unsigned number);

#endif
