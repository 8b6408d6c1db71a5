/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the reader of nodes needs of the kinds: their names in sentences, and their defects.
 */
#ifndef PB_SCENARIO_KINDS_H
#define PB_SCENARIO_KINDS_H

#include "compile.h"

#include "bench/registry/kinds.h"

#define PB_KINDS_TEXT 128

enum {
#define MODEL(...) +1
#define NO_MODEL(...) +1
    PB_KINDS_MAX =
#include "bench/registry/kinds.def"
#undef MODEL
#undef NO_MODEL
};

/* "native, ref or contract" into text: the models of this program for which `does` holds with this argument;
 * without any, those of a user. Returns text. */
const char *pb_kinds_that(char text[PB_KINDS_TEXT],
                          bool (*does)(const struct pb_node_kind *kind, unsigned what), unsigned what);

/* defect, defect_amount, defect_from and defect_every of a node whose kind takes those that are given. */
int pb_read_defect(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                   const struct pb_node_kind *kind, struct pb_scenario *scenario);
/* freedom, of a node whose kind takes it. */
int pb_read_freedoms(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                     struct pb_scenario_node *node);

#endif
