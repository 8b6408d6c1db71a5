/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The plan: the stimulus of a scenario on a given core. It has register values, link wiring, the slot frames
 * of the virtual neighbours, the console lines that put the nodes' own messages into their queues, and the
 * faults to inject. Fixed settings are made at once. Records and the console lines typed while the clock runs
 * are made superframe by superframe. Memory does not grow with the run, except for messages of the list
 * scenario->traffic that the nodes of the rig send themselves.
 */
#ifndef PHASEBENCH_PLAN_H
#define PHASEBENCH_PLAN_H

#include "host/plan/answer.h"
#include "host/scenario/movement.h"
#include "phasebench/device.h"
#include "phasebench/scenario.h"

/* One slot player record, ready to be sent (layout PLAY_RECORD). */
#define PB_RECORD_MAX (PB_PLAY_RECORD_BYTES + PB_PLAY_RECORD_COUNT_MASK)
struct pb_record {
    uint64_t instant; /* superframe * phases + phase, for ordering */
    unsigned lane;
    unsigned length; /* bytes, header included */
    uint32_t at;     /* of its bytes in pb_plan.bytes */
};

/* One fault unit record (layout FAULT_RECORD). */
struct pb_fault_record {
    uint64_t instant; /* of its beginning, as above */
    unsigned unit;
    uint8_t bytes[PB_FAULT_RECORD_BYTES];
};

struct pb_console_line {
    unsigned node_index;
    uint64_t message;
    char text[200];             /* without the newline */
    char answer[PB_ANSWER_MAX]; /* of a sound node */
    int64_t start_ps;           /* from the start of superframe 0; of no meaning before the clock starts */
};

struct pb_plan {
    uint32_t phase_count, period_ticks, period_num, period_den, high_ticks;
    uint32_t bit_period_q4, console_period_q4;
    uint32_t head_guard_ticks; /* by which the player starts; it allows for an external clock, as the guards
                                  below do */
    uint32_t join_blank_ticks; /* longest rise time of a joined line */
    uint32_t guard_head_ticks, guard_tail_ticks, tolerance_ticks; /* of the line watch */
    bool follow;                                                  /* the phase clock is external */
    uint32_t link_config[PB_REG_LINK_COUNT];
    uint64_t link_mask;
    struct pb_fault_record *fault; /* owned; of each unit in the order of time */
    size_t faults;
    struct pb_console_line *line; /* owned; to be typed before the clock starts */
    size_t lines;
    unsigned console_node; /* the node to which most lines are typed while the clock runs; of several the node
                              that reaches that number first; for endless traffic within the look-ahead */
    bool console_idle;     /* no line is typed there then */
    struct pb_movement *movement; /* the plan is a reader; others may join before the first pb_plan_next */

    uint64_t work;       /* of planning so far: releases and crossings of the network, 256 a superframe */
    uint32_t superframe; /* the next one that pb_plan_next plans; and what it planned last: */
    struct pb_record_list {
        struct pb_record *record; /* owned; ascending by instant */
        size_t records, record_capacity;
        uint8_t *bytes; /* owned */
        size_t byte_count, byte_capacity;
    } now;
    struct pb_console_line *typed; /* owned; lines that begin in it; of a node in the order of time */
    size_t typed_lines, typed_capacity;
    struct maker *maker; /* owned */
};

/* PB_ERR_CONFIG: the core cannot do it (links, clock too slow for the baud, console too slow for the
 * messages, too few fault units), or a fault is for a frame that the bench does not send. *plan is empty
 * then. It checks the whole run, of endless traffic only the foreseen part (pb_foresee). Borrows the scenario
 * until pb_plan_free. */
int pb_plan_make(struct pb_plan *plan, const struct pb_scenario *scenario, const struct pb_device_info *info,
                 struct pb_diag *diag);
/* Plans the next superframe, below those of the run. PB_ERR_CONFIG as above, for what no look ahead has
 * found; after an error the plan can only be freed. */
int pb_plan_next(struct pb_plan *plan, struct pb_diag *diag);
void pb_plan_free(struct pb_plan *plan);

/* Writes a record for other purposes: immediate, to a link or (PB_PLAY_TARGET_CONSOLE | node port) to a
 * console. Returns its length. */
unsigned pb_record_immediate(uint8_t record[PB_RECORD_MAX], unsigned target, uint32_t bit_period_q4,
                             const uint8_t *data, unsigned count);

/* The same for a frame in a phase of superframe 0, at the end of the head guard. */
unsigned pb_record_in_phase(uint8_t record[PB_RECORD_MAX], const struct pb_plan *plan, unsigned link,
                            unsigned phase, const uint8_t *data, unsigned count);

/* The console line (without newline) that queues the message of this number at its source. */
void pb_console_send_line(char *text, size_t size, const struct pb_scenario *scenario, uint64_t message,
                          uint32_t destination);

#endif
