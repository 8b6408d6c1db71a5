/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What walk.c (slots of the lines) and nodes.c (what the nodes must do in them) share. Private to these two.
 */
#ifndef PHASEBENCH_WALK_H
#define PHASEBENCH_WALK_H

#include "host/check/checker.h"
#include "host/check/model.h"

/* From one edge of TDMA_CLK to the next, or a phase of the bench that begins without an edge. */
struct pb_segment {
    uint64_t tick;
    unsigned half;
    size_t mark; /* the bench's phase */
    bool edge;   /* the nodes saw an edge */
    bool sync;   /* level of TDMA_SYNC at it */
    bool extra;  /* in the midst of the bench's phase */
};

struct pb_line_walk {
    size_t next, end; /* in `index`: the first event that is not yet taken */
    size_t hear;      /* the first that a receiver may still want */
    uint64_t from_tick, to_tick;
    unsigned from_half;
    uint64_t lag_ticks; /* so much longer than its segment the slot lasts */
    size_t due, seen;   /* frame ids: of this node's own, and what the line showed */
    bool own, cut;      /* the node sends in this segment; an edge may cut it off */
    bool spilt;         /* its frame may reach into the next slot */
    uint64_t byte_tick; /* when the last byte began; 0: none yet */
    bool garbled;       /* the core's receiver was in the midst of a byte when the slot's frame began */
    size_t cut_id;      /* the frame that the edge before this slot cut off; PB_FRAME_NONE */
    unsigned cut_bytes; /* of it, begun before that edge */
};

struct pb_walk {
    struct pb_checker *checker;
    size_t *index; /* owned; events of the lines, line by line */
    struct pb_line_walk line[PB_LINKS_MAX];
    struct pb_segment *segments_all; /* owned; in time order */
    size_t count;
    const struct pb_segment *segment; /* the present one */
    uint64_t next_edge_tick, end_tick;
    /* nodes.c */
    struct pb_frames frames;
    struct pb_model model[PB_SCENARIO_NODES_MAX];
    uint64_t *bench_due;    /* owned; by mark: links on which the bench sends */
    size_t *first_crossing; /* owned; by mark, and one more */
    struct pb_release {
        uint64_t instant; /* phases since that of superframe 0 */
        size_t message;
        unsigned node;
        size_t number; /* among the node's own */
    } * release;       /* owned; the nodes' own messages in the order of their release */
    size_t released, releases;
    struct pb_crossing own[PB_LINKS_MAX]; /* what expected[] points to when a model expects a frame */
    uint64_t last_edge_tick;              /* 0: none yet */
    bool *crossed;                        /* owned; crossings of the schedule that were seen right */
};

/* When a frame that the bench sends in the phase of a mark is over. The bench's frames are exact to the tick.
 */
static inline int64_t pb_walk_bench_end_ps(const struct pb_walk *walk, size_t mark)
{
    const struct pb_scenario *scenario = walk->checker->scenario;
    return pb_ticks_to_ps(walk->checker, walk->checker->mark[mark].ideal_tick) + scenario->head_guard_ps +
           10 * PB_PS_PER_S * scenario->frame_bytes / (int64_t)scenario->baud_hz;
}

/* The event of a line at this place of `index`; NULL beyond the last. */
const struct pb_event *pb_walk_event(const struct pb_walk *walk, unsigned link, size_t at);

int pb_nodes_open(struct pb_walk *walk); /* 0 or PB_ERR_MEMORY */
void pb_nodes_close(struct pb_walk *walk);
/* The segment begins: releases, and what its edge does to the nodes. */
void pb_nodes_enter(struct pb_walk *walk);
/* Whether the node of a line sends, and whether an edge cuts it off (lag_ticks). */
void pb_nodes_foresee(struct pb_walk *walk, unsigned link);
/* The frames that are due on the links of the mask, whose slots are filled. */
void pb_nodes_expect(struct pb_walk *walk, uint64_t links);
/* The slot of a link showed what was expected. */
void pb_nodes_confirm(struct pb_walk *walk, unsigned link);
/* The segment ends: what the nodes have sent and taken. */
void pb_nodes_leave(struct pb_walk *walk, uint64_t links);

#endif
