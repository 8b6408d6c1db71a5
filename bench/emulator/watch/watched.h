/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One watched node: passes the steps of its processor to what records them, or controls it.
 */
#ifndef PB_MCU_WATCHED_H
#define PB_MCU_WATCHED_H

#include "bench/emulator/image/image.h"
#include "bench/emulator/soc/soc.h"
#include "bench/nodes/watch.h"

struct pb_watched;

/* *out is NULL if nothing of `watch` is about this node. PB_ERR_MEMORY. */
int pb_watched_create(struct pb_watched **out, const struct pb_mcu_soc *soc, struct pb_node *part,
                      struct pb_image *image, unsigned index, struct pb_node_watch *watch,
                      struct pb_diag *diag);
void pb_watched_free(struct pb_watched *watched);

/* Before each advance of the part. */
void pb_watched_advance(struct pb_watched *watched, int64_t now_ps);
/* A phase began at the node's pins. */
void pb_watched_phase(struct pb_watched *watched, int64_t now_ps, uint32_t superframe, unsigned phase);

#endif
