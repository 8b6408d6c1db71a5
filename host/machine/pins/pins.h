/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * All nodes of a network as models of their pins (bench/nodes/node.h), on the wires between them, with a
 * phase clock that all of them see at once. Between two phases the clock may wait, while lines are typed at
 * the consoles.
 *
 * In a phase each node has one wire, and a wire joins two nodes. So a phase is N / 2 pairs that know nothing
 * of one another, and each pair runs it alone, in the cache. That holds while frames end before the next
 * edge. Of native nodes it is known (pb_pins_in_pairs), and where it does not hold all nodes run in one order
 * of time. An image has to keep it: one that pulls another wire, or its own while it listens, is an error. So
 * of two images the sender runs the phase first, in one call, and the receiver gets the edges of the wire. A
 * pair of native nodes with clocks that err by less than 1 % hands its frames over as whole bytes.
 */
#ifndef PB_MACHINE_PINS_H
#define PB_MACHINE_PINS_H

#include "phasebench/machine.h"

enum { PB_PINS_FRAME_MAX = 96, PB_PINS_LINE_MAX = 2048 };

struct pb_pins;

struct pb_pins_options {
    const struct pb_network *network; /* at most 12 ports */
    enum pb_rule rule;
    const struct pb_machine_line *line; /* borrowed while the pins live */
    const char *const *image;           /* firmware images, of the nodes in turn; NULL: native nodes */
    unsigned images;
    bool bit_by_bit; /* also where whole bytes, or one node after the other, give the same */
};

/* A message of the default codec has this many bytes. */
unsigned pb_pins_frame_bytes(const struct pb_machine_line *line);
/* Whether frames of native nodes end before the next edge. */
bool pb_pins_in_pairs(const struct pb_machine_line *line);

/* Makes the nodes, and waits until they have started after a reset. PB_ERR_ARGUMENT: a node refuses a
 * setting; PB_ERR_CONFIG: an image is none; PB_ERR_IO; PB_ERR_MEMORY. */
int pb_pins_create(struct pb_pins **out, const struct pb_pins_options *options, struct pb_diag *diag);
void pb_pins_free(struct pb_pins *pins); /* NULL: no effect */

/* Types a line, without its end, and waits for the answer, at most 60 ms longer than both take. Answer: one
 * line, without its end. PB_ERR_IO: there is none, or it is longer than docs/node.md allows. */
int pb_pins_type(struct pb_pins *pins, uint32_t node, const char *line, char answer[PB_PINS_LINE_MAX],
                 struct pb_diag *diag);

/* What a node sent in a phase, as a receiver with an exact clock gets it. length 0: nothing. */
struct pb_pins_frame {
    uint8_t length;
    bool broken; /* a byte had no stop bit, or there were more bytes */
    uint8_t bytes[PB_PINS_FRAME_MAX];
};
/* An edge, TDMA_SYNC high in phase 0, and the period after it. frame[node] is set for each node that sends in
 * the phase. PB_ERR_IO: a node pulled a wire that is not its own, or it has ended. */
int pb_pins_phase(struct pb_pins *pins, unsigned phase, struct pb_pins_frame *frame, struct pb_diag *diag);

#endif
