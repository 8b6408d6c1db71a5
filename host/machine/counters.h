/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a node counts of that which its wires and its console show (docs/node.md, C5): no wire shows whether a
 * node took a frame.
 */
#ifndef PB_MACHINE_COUNTERS_H
#define PB_MACHINE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct pb_counters {
    uint32_t own_messages, tx_frames, forwarded, delivered, queue_drops;
};

#define PB_COUNTERS_TEXT_SIZE 240
/* Compares with the answer of a node to T. clean: no wire of the node had a fault. false: a counter is
 * missing, is not what was seen, or counts faults on clean wires; `text` says which. A refusal is right: a
 * node may have none. */
bool pb_counters_fit(const struct pb_counters *seen, bool clean, const char *answer,
                     char text[PB_COUNTERS_TEXT_SIZE]);

#endif
