/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract of one node (docs/node.md) as a state machine: it determines what a sound node may do next,
 * from the edges of TDMA_CLK and the frames seen at its pins. Written from the contract, independently of
 * firmware and reference node.
 *
 * The model holds one state for each choice that the contract or the measurement permits: a frame that the
 * node may have accepted or not, a level of TDMA_SYNC that changes while the node reads it. Later frames of
 * the node exclude states. The first state is the likeliest.
 *
 * A frame has an id: the number of its message, or one that pb_frames_add gave to bytes that are no
 * message's.
 */
#ifndef PHASEBENCH_MODEL_H
#define PHASEBENCH_MODEL_H

#include "host/check/known.h"
#include "host/plan/frame.h"
#include "phasebench/result.h"

struct pb_model;

/* Ids that are no frame. */
#define PB_FRAME_NONE SIZE_MAX          /* nothing is sent, or taken */
#define PB_FRAME_UNKNOWN (SIZE_MAX - 1) /* what was sent could not be seen */
#define PB_FRAME_GARBAGE (SIZE_MAX - 2) /* activity that is no frame of any state */

/* From here on ids are no message's. */
#define PB_FRAME_FOREIGN (SIZE_MAX / 2)

/* ---- frames */

struct pb_frames {
    const struct pb_scenario *scenario; /* borrowed */
    const struct pb_known *known;       /* borrowed */
    struct pb_foreign_frame *foreign;   /* owned; in the order of their ids */
    size_t foreigners, capacity;
    size_t next_foreign; /* id of the next one */
    uint32_t superframe; /* the present one */
};

void pb_frames_open(struct pb_frames *frames, const struct pb_scenario *scenario,
                    const struct pb_known *known);
void pb_frames_close(struct pb_frames *frames); /* all zero: no effect */
/* The bytes of a frame; returns their number. */
unsigned pb_frames_bytes(const struct pb_frames *frames, size_t id, uint8_t bytes[PB_FRAME_MAX]);
bool pb_frames_equal(const struct pb_frames *frames, size_t id, const uint8_t *bytes, unsigned count);
/* Returns the id of a frame: `likely` (PB_FRAME_NONE: none) if it has these bytes, else that of a message,
 * else a new one. PB_FRAME_NONE: the check value or the length is incorrect. PB_FRAME_UNKNOWN: no memory. */
size_t pb_frames_add(struct pb_frames *frames, size_t likely, const uint8_t *bytes, unsigned count);
/* Forgets frames that are no message's and were seen before this superframe, unless a model holds them. */
void pb_frames_sweep(struct pb_frames *frames, uint32_t before, const struct pb_model *model,
                     unsigned models);

/* ---- one node */

struct pb_model {
    const struct pb_frames *frames; /* borrowed */
    uint32_t address;
    unsigned room, room_dimension; /* frames that the node holds: in all, for one dimension; 0: any number */
    bool starts_late;              /* it may count the next transmission in late_starts */
    struct pb_model_state *state;  /* owned */
    unsigned states, capacity;
    bool failed; /* memory ran out: the states are no longer complete */
};

int pb_model_open(struct pb_model *model, const struct pb_frames *frames,
                  unsigned node);            /* 0, PB_ERR_MEMORY */
void pb_model_close(struct pb_model *model); /* all zero: no effect */

/* A rising edge of TDMA_CLK. low, high: the levels of TDMA_SYNC that the node may read, at least one; the one
 * seen at the edge is the likelier. skipped: the node may take this edge and the one before for one. */
void pb_model_edge(struct pb_model *model, bool low, bool high, bool seen_high, bool skipped);
/* Before pb_model_edge: the time of the edge. slack_ps: largest error of the node's measurement of the time
 * between two edges. */
void pb_model_interval(struct pb_model *model, int64_t at_ps, int64_t slack_ps, bool skipped);

/* The node's own message `number` (from 0) enters, unless it has. early: it may enter now. */
void pb_model_release(struct pb_model *model, size_t id, size_t number, bool early);

/* Whether every state has the node's own message of this number. */
bool pb_model_has_entered(const struct pb_model *model, size_t number);
/* Takes note of how much each state holds, before it chooses what to send. An own message may be in its queue
 * from a superframe before its release on (`ahead`: those of them that are not released), and has to be there
 * when it leaves; those released at the first phase are there before it. */
void pb_model_watch(struct pb_model *model, const size_t *ahead, unsigned count);

/* Whether some state holds the frame. */
bool pb_model_holds(const struct pb_model *model, size_t id);

/* Whether every state is in this phase. */
bool pb_model_is_at(const struct pb_model *model, unsigned phase);
/* Whether some state sends, or listens, on the dimension in the present phase. */
bool pb_model_sends(const struct pb_model *model, unsigned dimension);
bool pb_model_sends_next(const struct pb_model *model, unsigned dimension); /* after one more edge */
bool pb_model_listens(const struct pb_model *model, unsigned dimension);

/* What the node sends on the dimension: the id of the frame with these bytes, if some state sends it now.
 * PB_FRAME_GARBAGE: none does. */
size_t pb_model_match(const struct pb_model *model, unsigned dimension, const uint8_t *bytes, unsigned count);
/* The frame due on the dimension by the likeliest state that agrees with what was seen (an id, NONE, UNKNOWN
 * or GARBAGE). PB_FRAME_NONE: the line has to stay high. */
size_t pb_model_due(const struct pb_model *model, unsigned dimension, size_t seen);

/* The same by one of the states, from 0; PB_FRAME_NONE: it sends nothing. */
size_t pb_model_choice(const struct pb_model *model, unsigned state, unsigned dimension);

/* How the transmission of a phase ended. */
enum pb_model_end {
    PB_END_WHOLE,  /* with the frame */
    PB_END_CUT,    /* by an edge */
    PB_END_EITHER, /* it began; the edge came with its last bits: it may have been whole */
    PB_END_UNKNOWN /* by an edge, if it had begun */
};
/* The phase on this dimension is over: states that contradict what was seen go, unless all do. A frame that
 * an edge may have cut off is lost, or sent once again in any later own phase of the dimension (T6). */
void pb_model_sent(struct pb_model *model, unsigned dimension, size_t seen, enum pb_model_end end);

/* How the node counts that it took no frame. */
enum pb_model_miss {
    PB_MISS_SILENCE,  /* there was none */
    PB_MISS_CRC,      /* an error of the check */
    PB_MISS_STOP,     /* an error of a stop bit */
    PB_MISS_CUT,      /* bytes of a frame that the next edge ended */
    PB_MISS_LENGTH,   /* an error of the length field */
    PB_MISS_MARK,     /* StarC: another first byte */
    PB_MISS_ANY,      /* one of these, or another, or several, or none */
    PB_MISS_AFTER,    /* an error of the length for bytes after a good frame, whether it takes that or not */
    PB_MISS_ANY_AFTER /* as ANY, whether it accepts the frame or not */
};
/* What came in on the dimension: one of these ids, PB_FRAME_NONE among them if the node may have missed it,
 * and counts that as `miss`. count >= 1; the first is the likeliest. */
void pb_model_receive(struct pb_model *model, unsigned dimension, const size_t *id, unsigned count,
                      enum pb_model_miss miss);

/* What the node has counted since its reset (docs/node.md): between these two, by counter of result.h. -1 as
 * `most`: this counter is not followed. */
void pb_model_counts(const struct pb_model *model, int64_t least[PB_COUNTERS], int64_t most[PB_COUNTERS]);

#endif
