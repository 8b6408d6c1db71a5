/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Computes a map of the board from the frames on the links, and the faults from the map. Pure.
 */
#ifndef PHASEBENCH_CHECK_ADJACENCY_H
#define PHASEBENCH_CHECK_ADJACENCY_H

#include "phasebench/adjacency.h"
#include "phasebench/event.h"

enum { PB_SIGHTS_PINS = 64 };

/* What one pin of the core showed in one phase. */
struct pb_sight {
    enum { PB_SIGHT_NOTHING, PB_SIGHT_DAMAGED, PB_SIGHT_FRAME } kind;
    uint32_t destination; /* of the frame */
};

/* Some superframes in which a node sends a frame to its neighbour in each own phase, or all nodes do. */
struct pb_sights {
    int node; /* index of the node that sends; -1: all */
    struct pb_sight at[PB_SIGHTS_PINS][PB_WIRE_PHASES_MAX];
};

/* Sorts the bytes of events from index `from` on into slots. PB_ERR_LINK: phases are missing among the
 * events. */
int pb_sights_read(struct pb_sights *sights, const struct pb_scenario *scenario, uint32_t bit_period_q4,
                   const struct pb_events *events, size_t from, unsigned superframes);

/* An empty map for the scenario. */
void pb_adjacency_begin(struct pb_adjacency *map, const struct pb_scenario *scenario);
/* A node's answer to I; "": none. */
void pb_adjacency_identify(struct pb_adjacency *map, const struct pb_scenario *scenario, unsigned node,
                           const char *answer);
/* Clears the links, and keeps the answers of the consoles. */
void pb_adjacency_forget(struct pb_adjacency *map);
/* Adds sights to the map. */
void pb_adjacency_add(struct pb_adjacency *map, const struct pb_scenario *scenario,
                      const struct pb_sights *sights);
/* Names the faults of the map, and the verdict. */
void pb_adjacency_judge(struct pb_adjacency *map, const struct pb_scenario *scenario);

#endif
