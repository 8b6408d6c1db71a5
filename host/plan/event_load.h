/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Computes the number of events of a scenario, and whether a host link can carry them. By phase:
 *
 *     bytes:  2 + frame_bytes of each frame                 PHASE, TDMA, and a BYTE for each byte
 *     edges:  2 + frame_bytes and the edges of each frame   and an EDGE wherever two bits differ
 *
 * A frame counts at each of its pins: a crossing between two nodes of the rig shows at both. The bytes of
 * every frame are known, and so are its edges: 2 (0xFF, 0x00) to 10 (0x55) a byte. Events that no schedule
 * contains (alarms, receipts, consoles, a node that babbles) are additional: half of the core's buffer is
 * reserved for them.
 *
 * On the link an event takes 8 bytes, a third of one for its part of a packet (30 events and 11 bytes,
 * docs/reference/protocol.md), and one byte is granted for stuffing: 28/3 bytes.
 */
#ifndef PHASEBENCH_EVENT_LOAD_H
#define PHASEBENCH_EVENT_LOAD_H

#include "phasebench/record.h"
#include "phasebench/scenario.h"

struct pb_load {
    uint64_t events;  /* of the whole run */
    unsigned busiest; /* most in one phase */
    uint64_t waiting; /* most that wait in the core between two phases; more than its buffer has are lost */
};

/* The load with every edge recorded, or with none. bytes_per_s: of the host link, 0: no limit. PB_ERR_MEMORY.
 */
int pb_load(struct pb_load *load, const struct pb_scenario *scenario, bool edges, uint64_t bytes_per_s);

/* What is to be recorded: as the scenario says, or, when it leaves the choice, what fits. *why is one
 * sentence with value, limit and remedy when something falls short (edges that the choice left out, or a link
 * that does not even carry what was chosen), else "". PB_ERR_MEMORY. */
int pb_capture_choose(struct pb_capture_choice *choice, const struct pb_scenario *scenario,
                      const struct pb_device_info *info, uint64_t bytes_per_s);

#endif
