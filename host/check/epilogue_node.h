/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Expected behaviour of a sound node in the epilogue (host/plan/epilogue.h): its answers, its lines in each
 * slot, its counters. Written from docs/node.md. No fault is injected, each frame of the bench is valid or
 * clearly invalid, and each line has its answer before the next step. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_EPILOGUE_NODE_H
#define PHASEBENCH_CHECK_EPILOGUE_NODE_H

#include "host/check/run.h"

enum { PB_EPILOGUE_MODE_ECHO = 1, PB_EPILOGUE_MODE_PRBS = 2 };

/* What is due in a slot, on the line that the node uses in it. All its other lines are high. */
enum pb_epilogue_due {
    PB_DUE_NOTHING, /* this line is high, too */
    PB_DUE_BENCH,   /* the frame of the bench, and nothing else */
    PB_DUE_FRAME,   /* this frame */
    PB_DUE_PRBS     /* a frame of mode 2 */
};
struct pb_epilogue_slot {
    enum pb_epilogue_due due;
    unsigned port;
    uint8_t mode; /* of the node: 0 or one of those */
    unsigned count;
    uint8_t byte[PB_FRAME_MAX];
};

/* A counter of T. most - least: what the contract leaves open. */
struct pb_epilogue_counter {
    const char *key;
    unsigned least, most;
    bool by_console; /* known without the frames */
};
enum { PB_EPILOGUE_COUNTERS_MAX = 24 };

/* Of a line, by its number. */
struct pb_epilogue_answer {
    bool due;            /* the script types it to this node, and its answer is known */
    bool by_frames;      /* it depends on the waiting messages: an incorrect frame explains it */
    bool refused;        /* '-' and a reason; else: */
    char letter;         /* '+' and this; then: */
    int64_t number;      /* a number, or for I the address; -1: not judged */
    uint32_t superframe; /* superframes of the epilogue before it */
};

struct pb_epilogue_node_due {
    struct pb_epilogue_answer answer[PB_EPILOGUE_LINES];
    struct pb_epilogue_counter counter[PB_EPILOGUE_COUNTS][PB_EPILOGUE_COUNTERS_MAX];
    unsigned counters;
    unsigned slots;
    struct pb_epilogue_slot *slot; /* owned */
};

/* Facts about a node in addition to the script. */
struct pb_epilogue_known {
    const struct pb_check_run *run;
    unsigned left;    /* messages that the run may have left in it, at most */
    bool frames;      /* its latency and its frames leave it the time to receive and to send */
    bool may_be_late; /* it may begin a frame late, and count it */
    bool may_be_cut;  /* the next edge may meet the last stop bit of a frame */
};

/* For a node that took part. 0 or PB_ERR_MEMORY; pb_epilogue_node_free gives it back. */
int pb_epilogue_node_make(struct pb_epilogue_node_due *due, const struct pb_epilogue_known *known,
                          unsigned node_index);
void pb_epilogue_node_free(struct pb_epilogue_node_due *due);

#endif
