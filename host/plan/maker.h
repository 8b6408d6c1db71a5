/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the parts of the plan share: plan.c (registers), stream.c (records, superframe by
 * superframe) and typing.c (the nodes' own messages). Private to host/plan.
 */
#ifndef PB_PLAN_MAKER_H
#define PB_PLAN_MAKER_H

#include "host/plan/plan.h"

#define PS_PER_S INT64_C(1000000000000)

/* ---- plan.c */

/* Writes a slot player record; returns its length. */
unsigned pb_make_record(uint8_t *record, unsigned target, bool immediate, uint32_t superframe, unsigned phase,
                        uint32_t offset_ticks, uint32_t bit_period_q4, const uint8_t *data, unsigned count);
/* PB_OK or PB_ERR_MEMORY. */
int pb_add_record(struct pb_record_list *list, unsigned lane, uint64_t instant, const uint8_t *bytes,
                  unsigned length);
void pb_sort_records(struct pb_record_list *list);

/* ---- stream.c */

/* Looks ahead, and prepares pb_plan_next. *plan has its fixed settings already; its further memory is freed
 * with it. Returns PB_OK, PB_ERR_CONFIG or PB_ERR_MEMORY. */
int pb_stream_open(struct pb_plan *plan, const struct pb_scenario *scenario,
                   const struct pb_device_info *info, struct pb_diag *diag);
void pb_stream_close(struct pb_plan *plan);

/* ---- typing.c */

/* Decides when each of the nodes' own messages is typed, each so that it gets the place in its queue that the
 * movement gives it. It is given the movement superframe by superframe, and decides upon a line when it knows
 * when its message leaves. */
struct typist;

struct pb_typing {
    const struct pb_scenario *scenario; /* borrowed */
    uint32_t clock_hz, console_period_q4;
    unsigned first_lane, lanes;         /* those below serve the links */
    bool narrow;                        /* windows, where possible */
    bool strict[PB_SCENARIO_NODES_MAX]; /* the room of the node decides what becomes of a message */
};

/* Its output. The caller may take ownership of any part of it. */
struct pb_typed {
    struct pb_record_list list;              /* of a lane in the order of time */
    struct pb_console_line *before, *during; /* owned; typed before the clock starts, and while it runs */
    size_t befores, before_capacity, durings, during_capacity;
};

/* PB_OK or PB_ERR_MEMORY. */
int pb_typist_open(struct typist **out, const struct pb_typing *typing);
void pb_typist_close(struct typist *typist); /* NULL: no effect */
/* The next superframe in which something happens. PB_ERR_CONFIG: a message before the bench has found the
 * external clock; PB_ERR_MEMORY. */
int pb_typist_take(struct typist *typist, const struct pb_moved *moved, struct pb_diag *diag);
/* All below this superframe was taken; `all`: and nothing follows. Makes the lines that can be. Returns
 * through *horizon the superframe below which each record is made. PB_ERR_CONFIG: the consoles cannot keep
 * the pace; PB_ERR_MEMORY. */
int pb_typist_make(struct typist *typist, uint64_t taken, bool all, uint64_t *horizon, struct pb_diag *diag);
struct pb_typed *pb_typist_typed(struct typist *typist);

/* Largest number of a node's own messages that are released within a superframe: all of them may be typed
 * before the first of them leaves. */
struct pb_early {
    uint64_t *release; /* owned */
    size_t from, count, capacity, most;
};
int pb_early_take(struct pb_early *early, uint64_t release, uint64_t phases);

#endif
