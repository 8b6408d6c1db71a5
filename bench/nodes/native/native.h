/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Native nodes in steps of whole phases and lines, in place of bits, for a caller that knows both ends of a
 * wire. The firmware gets the same calls as by `advance`, in the same order, while:
 *
 * - both clocks err by less than PB_NODE_WHOLE_PPM. A receiver takes the last sample of a byte 9 + 9/16 to
 *   9 + 10/16 bits after its start edge, the first one of the stop bit after 9 + 7/16, by its own clock. Both
 *   are in the stop bit while the clocks differ by less than 3.9 %.
 * - a frame begins after the handler of its receiver, and ends before the next edge.
 * - consoles are silent while phases run, and phases wait while a line is typed.
 */
#ifndef PB_NATIVE_H
#define PB_NATIVE_H

#include "bench/nodes/node.h"

#define PB_NODE_WHOLE_PPM 10000

bool pb_node_is_native(const struct pb_node *node);
/* A rising edge of TDMA_CLK, and its handler. */
void pb_node_native_edge(struct pb_node *node, int64_t bench_ps, bool sync);
/* After the edge: what the node sends on a link in this phase; *length 0: nothing, the pointer may be NULL.
 * Valid until the next edge. */
const uint8_t *pb_node_native_sent(struct pb_node *node, unsigned link, unsigned *length);
/* After the edge: what comes on a link; without effect where the node does not listen. */
void pb_node_native_receive(struct pb_node *node, unsigned link, const uint8_t *bytes, unsigned length);
/* Types a line without its end. Writes the answer without its end; returns how long both take. */
int64_t pb_node_native_type(struct pb_node *node, const char *line, char *answer, size_t size);

#endif
