/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The slots of the lines (slots.c) and what the nodes must do in them (nodes.c): one stage, whose state is
 * private to these two. Private to host/check.
 */
#ifndef PHASEBENCH_SLOTS_H
#define PHASEBENCH_SLOTS_H

#include "host/check/clock.h"
#include "host/check/judge.h"

/* From one edge of TDMA_CLK to the next, or a phase of the bench that begins without an edge. */
struct pb_segment {
    uint64_t tick;
    unsigned half;
    size_t mark; /* the bench's phase */
    bool edge;   /* the nodes saw an edge */
    bool sync;   /* level of TDMA_SYNC at it */
    bool extra;  /* in the middle of the bench's phase */
    uint64_t bench_due;    /* links on which the bench sends in its phase */
    size_t first_crossing; /* of that phase, in the schedule */
};

struct pb_line_walk {
    size_t next; /* number of the line's first event that is not yet taken */
    size_t hear; /* the first that a receiver may still want */
    uint64_t from_tick, to_tick;
    unsigned from_half;
    uint64_t lag_ticks; /* by how much the slot is longer than its segment */
    size_t due, seen;   /* frame ids: of this node's own, and what the line showed */
    size_t by_edges;    /* the one that can be due by the edges of a frame that cannot be read, or unknown */
    bool own, cut;      /* the node sends in this segment; an edge may cut it off */
    bool spilt;         /* its frame may reach into the next slot */
    bool met, touched;  /* it may have begun in the slot before, in a frame of the bench; in its stop bit */
    uint64_t byte_tick; /* when the last byte began; 0: none yet */
    bool garbled;       /* the core's receiver was in the middle of a byte when the slot's frame began */
    size_t cut_id;      /* the frame that the edge before this slot cut off; PB_FRAME_NONE */
    unsigned cut_bytes; /* of it, begun before that edge */
};

struct pb_walk {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_marks *marks;
    const struct pb_clock *clock;
    struct pb_loss *loss;
    struct pb_early *early;
    struct pb_schedule *schedule;
    struct pb_evidence_seen *evidence;
    struct pb_check_output *out;
    struct pb_judge judge;
    struct pb_queue events[PB_LINKS_MAX]; /* edges, bytes and alarms of each link */
    struct pb_line_slot *slot;            /* owned; one per link */
    struct pb_line_walk line[PB_LINKS_MAX];
    struct pb_segment *segments; /* owned; in time order, from the one that is judged next on, and the end */
    size_t at, count, capacity;
    const struct pb_segment *segment; /* the present one */
    uint64_t next_edge_tick, end_tick; /* end: UINT64_MAX before the last phase */
    size_t extra;                      /* number of the first TDMA event that may begin a segment by itself */
    size_t marks_taken;
    /* nodes.c */
    struct pb_frames frames;
    struct pb_model model[PB_SCENARIO_NODES_MAX];
    size_t next_crossing; /* of the schedule: the first after the marks that were taken */
    size_t released;      /* number of the next release of the schedule */
    uint32_t swept;       /* superframe in which the messages were last looked through */
    struct pb_crossing by_bench[PB_LINKS_MAX]; /* what expected[] points to when the bench sends */
    struct pb_crossing own[PB_LINKS_MAX]; /* what expected[] points to when a model expects a frame */
    uint64_t last_edge_tick;              /* 0: none yet */
};

/* When a frame that the bench sends in the phase of a mark is over, and when every receiver has taken its
 * sample of the last stop bit. The bench's frames are exact to the tick. */
static inline int64_t pb_walk_bench_end_ps(const struct pb_walk *walk, size_t mark)
{
    const struct pb_scenario *scenario = walk->run->scenario;
    return pb_ticks_to_ps(walk->run, pb_mark(walk->marks, mark)->ideal_tick) + scenario->head_guard_ps +
           10 * PB_PS_PER_S * scenario->frame_bytes / (int64_t)scenario->baud_hz;
}
static inline int64_t pb_walk_bench_sampled_ps(const struct pb_walk *walk, size_t mark)
{
    return pb_walk_bench_end_ps(walk, mark) - PB_PS_PER_S / (4 * (int64_t)walk->run->scenario->baud_hz);
}

/* The event of a line with this number; NULL beyond the last. */
static inline const struct pb_event *pb_walk_event(const struct pb_walk *walk, unsigned link, size_t at)
{
    return pb_queue_at(&walk->events[link], at);
}

/* ---- slots.c */

/* What is borrowed is set. 0 or PB_ERR_MEMORY. */
int pb_walk_open(struct pb_walk *walk);
/* An event of a line. 0 or PB_ERR_MEMORY. */
int pb_walk_push(struct pb_walk *walk, const struct pb_event *event);
/* As far as the marks and the next ones have their edges. */
void pb_walk_take_marks(struct pb_walk *walk);
void pb_walk_advance(struct pb_walk *walk); /* as far as the segments go */
void pb_walk_end(struct pb_walk *walk);
void pb_walk_free(struct pb_walk *walk);
size_t pb_walk_mark(const struct pb_walk *walk); /* the one that is judged next, at the earliest */

/* ---- nodes.c */

int pb_nodes_open(struct pb_walk *walk); /* 0 or PB_ERR_MEMORY */
/* What the schedule has in the phase of the segment's mark. */
void pb_nodes_take_mark(struct pb_walk *walk, struct pb_segment *segment);
void pb_nodes_end(struct pb_walk *walk); /* after the last segment: what the nodes counted */
/* Forgets, now and then, what no node holds and no line will show. */
void pb_nodes_sweep(struct pb_walk *walk);
void pb_nodes_close(struct pb_walk *walk);
/* The segment begins: releases, and what its edge does to the nodes. */
void pb_nodes_enter(struct pb_walk *walk);
/* Whether the node of a line sends, and whether an edge cuts it off (lag_ticks). */
void pb_nodes_foresee(struct pb_walk *walk, unsigned link);
/* Notes the message that the node of this line has sent completely in its slot, independent of its timing. */
void pb_nodes_note_shown(struct pb_walk *walk, unsigned link);
/* The frames that are due on the links of the mask, whose slots are filled. */
void pb_nodes_expect(struct pb_walk *walk, uint64_t links);
/* The slot of a link showed what was expected. */
void pb_nodes_confirm(struct pb_walk *walk, unsigned link);
/* The segment ends: what the nodes have sent and taken. */
void pb_nodes_leave(struct pb_walk *walk, uint64_t links);

#endif
