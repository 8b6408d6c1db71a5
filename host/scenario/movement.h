/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The movement of a scenario's messages as a window, superframe by superframe, with the room of each node on
 * the rig (virtual nodes have unbounded queues). It has several readers, each at its own place. It is
 * computed once (movement.h), up to the foremost reader; superframes that all readers have passed are
 * discarded. Memory: for each superframe in the window 24 bytes per arrival and 40 per crossing that touches
 * the rig, in addition to the mover.
 *
 * Number of a message: in the list scenario->traffic its index there. Messages of endless entries have the
 * next numbers, in the order in which they join the network. Equal releases join in the order of the file;
 * under e-cube, when nothing may be dropped, those of one source by the phase from the release on in which
 * they can leave first, and then in the order of the file: messages with different ones wait in different
 * queues, and a console line can so be typed in after that phase of the superframe before. In this order a
 * source numbers its frames (`sequence`).
 */
#ifndef PB_SCENARIO_MOVEMENT_H
#define PB_SCENARIO_MOVEMENT_H

#include "phasebench/movement.h"
#include "phasebench/scenario.h"

/* A message that is released to a node of the rig. */
struct pb_own_message {
    uint64_t message;
    uint32_t destination; /* may be the node itself: delivered at once, without a number */
    uint32_t superframe, sequence;
    uint8_t node_index, phase;
    bool refused; /* its node has no room for it; without a number */
};

/* A message for which a node of the rig has no room. */
struct pb_lost_message {
    struct pb_drop drop;
    uint32_t source, destination;
    uint8_t node_index;
};

/* A message that arrives: after its last crossing, or, to its own source, at its release. */
struct pb_arrived {
    uint64_t message;
    uint32_t superframe, release_superframe;
    uint16_t source, destination;
    uint8_t phase, release_phase;
};

struct pb_moved {
    uint32_t superframe;
    bool left; /* at its end a message is in flight, or yet to be released */
    const struct pb_birth *birth; /* of the whole network, in the order in which they join; valid until a
                                     later superframe is moved */
    size_t births;
    const struct pb_own_message *own; /* in the order in which they join */
    size_t owns;
    const struct pb_crossing *crossing; /* those that touch a node of the rig, in time order; `sequence` is
                                           not reduced to what a frame holds */
    size_t crossings;
    const struct pb_arrived *arrival; /* anywhere; those at their release first */
    size_t arrivals;
    const struct pb_lost_message *lost; /* in time order */
    size_t losts;
    struct pb_mover_stats stats;             /* of the movement up to its end */
    unsigned fullest[PB_SCENARIO_NODES_MAX]; /* up to its end, of each node on the rig: most messages that it
                                                holds; of one with room per dimension: most in one queue */
};

/* Fails with PB_ERR_CONFIG and the sentence for a scenario that may not overflow, and does here. */
int pb_refuse_overflow(const struct pb_scenario *scenario, const struct pb_lost_message *lost,
                       struct pb_diag *diag);

struct pb_movement;

enum { PB_MOVEMENT_READERS = 4 };

/* The scenario is borrowed. 0, or PB_ERR_MEMORY with its sentence; *out is NULL then. */
int pb_movement_open(struct pb_movement **out, const struct pb_scenario *scenario, struct pb_diag *diag);
void pb_movement_close(struct pb_movement *movement); /* NULL: no effect */

/* Adds a reader, at most PB_MOVEMENT_READERS, before the first superframe is read; returns its number. */
unsigned pb_movement_reader(struct pb_movement *movement);
/* The reader reads no more. The last one to leave closes the movement. */
void pb_movement_leave(struct pb_movement *movement, unsigned reader);

/* A superframe that the reader has not passed. *moved is valid until it has. PB_ERR_MEMORY;
 * PB_ERR_ARGUMENT beyond superframe 2^32 - 2. After an error the movement can only be closed. */
int pb_movement_read(struct pb_movement *movement, uint32_t superframe, const struct pb_moved **moved,
                     struct pb_diag *diag);

/* This reader needs no superframe before this one any more. */
void pb_movement_pass(struct pb_movement *movement, unsigned reader, uint32_t superframe);

/* A message was not sent on to `to`. If it waits at a virtual node, or at that one, takes it out of the
 * network from superframe *from on, the first that is not moved yet. False: it has arrived; or it waits at
 * another node of the rig, to which the bench sends it. */
bool pb_movement_take_out(struct pb_movement *movement, uint64_t message, uint32_t to, uint64_t *from);

/* Looks ahead: calls `see` for each superframe below `superframes` with an event, in ascending order, from a
 * movement of its own. With endless entries it ends after 2^24 crossings or 100000 superframes, whichever
 * comes first. `see` returns PB_OK to continue, PB_MOVEMENT_ENOUGH to end, or any PB_ERR_, which is
 * returned. */
enum { PB_MOVEMENT_ENOUGH = 1 };
typedef int pb_see_fn(void *context, const struct pb_moved *moved);
int pb_foresee(const struct pb_scenario *scenario, uint32_t superframes, pb_see_fn *see, void *context,
               struct pb_diag *diag);

#endif
