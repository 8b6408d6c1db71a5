/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Derives the edges of links whose edges were not recorded from their bytes. Private to host/check.
 */
#ifndef PHASEBENCH_REBUILD_H
#define PHASEBENCH_REBUILD_H

#include "host/check/observation.h"
#include "host/check/queue.h"

#define PB_HALF_LAID 3 /* half of an edge that was not measured; no core says so */

struct pb_rebuild;

/* line[PB_LINKS_MAX] gets the edges; it and the observation are borrowed. 0 or PB_ERR_MEMORY, as the
 * following. Release *out with free(). */
int pb_rebuild_open(struct pb_rebuild **out, const struct pb_observation *observation,
                    uint32_t bit_period_q4, struct pb_queue *line);
/* Events in the order of their ticks. clock_tick: edges were recorded up to it, in the present stamps. */
int pb_rebuild_take(struct pb_rebuild *rebuild, const struct pb_event *event, uint64_t clock_tick);
int pb_rebuild_end(struct pb_rebuild *rebuild); /* no further event comes */

#endif
