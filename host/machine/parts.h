/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The nodes of a machine in parts, each a mover of its nodes: the parts of a process are threads, or each is
 * a process of its own. They meet in those phases in which a wire leads from part to part, and at the ends of
 * a superframe. All that is shown is that of one mover, for any number of parts.
 */
#ifndef PB_MACHINE_PARTS_H
#define PB_MACHINE_PARTS_H

#include "engine.h"

struct pb_parts;

/* 0 or PB_ERR_MEMORY; *out is NULL then. */
int pb_parts_create(struct pb_parts **out, const struct pb_engine_options *options);
void pb_parts_free(struct pb_parts *parts);

/* As the functions of struct pb_engine_ops. With processes each has to call them, and gets the same. */
int pb_parts_step(struct pb_parts *parts, uint32_t superframe, struct pb_step *out, struct pb_diag *diag);
const struct pb_mover_stats *pb_parts_stats(const struct pb_parts *parts);
void pb_parts_loads(const struct pb_parts *parts, uint32_t *load);
void pb_parts_waiting(const struct pb_parts *parts, pb_waiting_fn *visit, void *context);
int pb_parts_save(struct pb_parts *parts, uint8_t **bytes, size_t *count);
int pb_parts_load(struct pb_parts *parts, const uint8_t *bytes, size_t count, uint32_t superframe);

#endif
