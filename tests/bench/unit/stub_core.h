/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A core and a sound node, as far as a plan and the check can see: plays the records and console lines of a
 * plan, superframe by superframe, and answers with the events of a core. The node is written after
 * docs/node.md: it takes the frames that the records put on its lines, and knows nothing of the movement. It
 * starts its frames with the end of the head guard. For one node of a binary cube, under dimension order,
 * with slot frames.
 */
#ifndef PHASEBENCH_STUB_CORE_H
#define PHASEBENCH_STUB_CORE_H

#include "host/plan/plan.h"
#include "tests/bench/unit/pin_events.h"

enum { STUB_PORTS = 12, STUB_ROOM = 64, STUB_LINE = 256, STUB_TYPED = 16, STUB_ANSWER = 256 };

/* The core of the simulated bench. */
#define STUB_INFO                                                                                            \
    ((struct pb_device_info){.clock_hz = PIN_EVENTS_CLOCK_HZ,                                                \
                             .links = STUB_PORTS,                                                            \
                             .lanes = 3,                                                                     \
                             .nodes = 1,                                                                     \
                             .faults = 2,                                                                    \
                             .play_bytes = 2048,                                                             \
                             .event_buffer = 4096})

struct stub_core {
    const struct pb_scenario *scenario; /* borrowed, as is the plan */
    const struct pb_plan *plan;
    uint64_t lie_superframe; /* one bit of the first frame that the node sends in it is wrong */
    uint32_t superframe;     /* the next one */
    struct pin_events pins;  /* owned; events of the superframe that was played last */
    uint64_t start_tick;
    struct pb_observation seen; /* what a session knows; release with pb_observation_free */
    size_t typed_capacity;
    struct stub_queue {
        uint8_t frame[STUB_ROOM][PB_FRAME_MAX];
        unsigned head, count;
    } queue[STUB_PORTS];
    unsigned sequence;
    char text[STUB_LINE]; /* of a line that is not complete */
    size_t text_at;
    struct stub_typed {
        char text[STUB_LINE];
        uint64_t tick; /* of its last stop bit */
    } typed[STUB_TYPED];
    unsigned typed_head, typed_count;
    struct stub_answer {
        uint64_t tick;
        uint8_t byte;
    } answer[STUB_ANSWER];
    unsigned answer_head, answer_count;
    uint64_t answered_tick; /* the console is busy up to here */
    uint64_t rx_frames, delivered, forwarded, own_messages, tx_frames, max_queue, max_stored;
};

/* After pb_plan_make: the node takes what is typed before the clock starts. 0, PB_ERR_MEMORY, or
 * PB_ERR_CONFIG: the plan is not for it, or the node has no room. */
int stub_core_open(struct stub_core *core, const struct pb_scenario *scenario, const struct pb_plan *plan);
void stub_core_close(struct stub_core *core);
/* After pb_plan_next, plays what was planned. Errors as above; also PB_ERR_CONFIG: a record that the core
 * could not play. */
int stub_core_next(struct stub_core *core);
/* The check needs no typed line before this one any more (pb_check_typed_done). */
void stub_core_forget_typed(struct stub_core *core, uint64_t done);
/* After the last superframe: the node reports its counters. */
void stub_core_end(struct stub_core *core);

#endif
