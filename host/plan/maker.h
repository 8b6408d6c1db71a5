/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the plan share while it is made: plan.c (records, registers, frames of the virtual
 * neighbours) and typing.c (the nodes' own messages). Private to host/plan.
 */
#ifndef PB_PLAN_MAKER_H
#define PB_PLAN_MAKER_H

#include "host/plan/plan.h"
#include "host/scenario/movement.h"

#define PS_PER_S INT64_C(1000000000000)
#define PB_NO_PASSAGE SIZE_MAX

/* A message that comes to a node of the rig, to wait there, or leaves one. */
struct pb_passage {
    uint64_t instant; /* phases since phase 0 of superframe 0 */
    size_t message;
    size_t other; /* of an arrival its departure, of a departure its arrival; PB_NO_PASSAGE: not in the run,
                     or the node's own message */
    uint8_t seat, dimension;
    bool arrives;
};

struct maker {
    struct pb_plan *plan;
    const struct pb_scenario *scenario;
    const struct pb_device_info *info;
    uint8_t *sequence;                    /* of each message */
    unsigned link_lanes, link_lanes_used; /* the others may serve consoles */
    uint64_t lane_instant;                /* records so far in the present phase */
    unsigned lane_used;
    size_t record_capacity;
    bool *frame_there;          /* of each fault: there is a frame in its slot */
    bool *dropped;              /* of each message: its source is on the rig and has no room for it */
    struct pb_passage *passage; /* owned; in time order */
    size_t passages, passage_capacity;
    size_t *arrival; /* of each message: its latest arrival at a node of the rig; PB_NO_PASSAGE */
    struct pb_diag *diag;
    int code;
};

/* ---- plan.c */

/* Writes a slot player record; returns its length. */
unsigned pb_make_record(uint8_t *record, unsigned target, bool immediate, uint32_t superframe, unsigned phase,
                        uint32_t offset_ticks, uint32_t bit_period_q4, const uint8_t *data, unsigned count);
/* PB_OK or PB_ERR_MEMORY. */
int pb_add_record(struct maker *maker, unsigned lane, uint64_t instant, const uint8_t *bytes,
                  unsigned length);

/* ---- typing.c */

/* Notes a crossing between these seats; -1: a virtual node. PB_OK or PB_ERR_MEMORY. */
int pb_note_passage(struct maker *maker, const struct pb_crossing *crossing, int to_seat, int from_seat);

/* Plans the console lines that put the nodes' own messages into their queues, each so that the message gets
 * the place in its queue that the movement gives it. `order` as by pb_message_order, `fullest` as in
 * pb_movement. PB_ERR_CONFIG: the consoles cannot keep the pace. */
int pb_plan_typing(struct maker *maker, const size_t *order, const unsigned *fullest);

#endif
