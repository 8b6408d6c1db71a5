/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of a machine (machine.h) that are real: 1 to 16 on a rig, simulated or on boards. All others are
 * computed, and react to what these do.
 *
 * The phase clock is stopped between two superframes. There each node gets its messages by its console, and
 * the core all frames of the next superframe that computed nodes send to it. What a node receives in a
 * superframe does not depend on what it sends in it (struct pb_network, look_ahead). So these frames are
 * those of a machine in which the node does whatever it does.
 */
#ifndef PHASEBENCH_MACHINE_BENCH_H
#define PHASEBENCH_MACHINE_BENCH_H

#include "phasebench/machine.h"
#include "phasebench/run.h"

PB_API_BEGIN

/* A message as a frame and a console have it. */
struct pb_machine_message {
    uint32_t destination, sequence;
    uint32_t number; /* the first four bytes of its payload, the highest first; the others are 0 */
};

/* A frame that a computed node sends to one of the bench. */
struct pb_machine_play {
    unsigned node, port; /* node: its place in the bench; port: that at which it receives */
    unsigned phase;
    struct pb_machine_message message;
};

/* What a node of the bench sent in an own phase. count 0, not broken: nothing. */
struct pb_machine_sent {
    bool pulled;  /* of any phase: it pulled a wire on which it is not to send then */
    bool unclear; /* the wire was low in a guard */
    uint8_t count;
    bool broken; /* a byte had no stop bit, or there were more bytes than fit */
    bool uneven; /* a byte began too early or too late after the one before: some take it, some do not */
    uint8_t byte[PB_FRAME_MAX];
    uint64_t tick; /* at which its last byte ended */
};

/* Implementations embed it as first member. */
struct pb_machine_bench {
    const struct pb_machine_bench_ops *ops;
    const struct pb_network *network;
    unsigned nodes; /* 1..PB_SCENARIO_NODES_MAX */
    uint32_t address[PB_SCENARIO_NODES_MAX];
    /* Messages that a node holds, in all and for each port; both 0: not known, but at least 32. */
    unsigned room[PB_SCENARIO_NODES_MAX], room_of_port[PB_SCENARIO_NODES_MAX];
    unsigned frame_bytes;                 /* of each message */
};

/* Each returns 0 or a code with its diagnostic. Blocking. */
struct pb_machine_bench_ops {
    /* Resets all nodes, and waits until they have started. */
    int (*begin)(struct pb_machine_bench *bench, struct pb_diag *diag);
    /* Types a line, without its end, at the console of a node; answer: one line, "" without one. */
    int (*type)(struct pb_machine_bench *bench, unsigned node, const char *line, char *answer, size_t size,
                struct pb_diag *diag);
    /* Waits until the node to which was typed last is silent; *silent: it is. */
    int (*hear_out)(struct pb_machine_bench *bench, bool *silent, struct pb_diag *diag);
    /* Whether the answer has the sequence number of the message, or is a refusal. */
    bool (*answers)(const struct pb_machine_bench *bench, const struct pb_machine_message *message,
                    const char *answer);
    /* What ended the process, or the model, of a node; "": nothing that is known. */
    void (*trouble)(struct pb_machine_bench *bench, unsigned node, char *text, size_t size);
    /* The line that hands a message to a node, and the frame of a message, frame_bytes long. */
    void (*line)(const struct pb_machine_bench *bench, const struct pb_machine_message *message, char *line,
                 size_t size);
    void (*frame)(const struct pb_machine_bench *bench, const struct pb_machine_message *message,
                  uint8_t bytes[PB_FRAME_MAX]);
    /* Whether a node takes bytes without an error of a stop bit for a frame. */
    bool (*accepts)(const struct pb_machine_bench *bench, const uint8_t *bytes, unsigned count);
    /* One superframe. play: in order of their phases; sent: [node * phases + phase], all 0 before. */
    int (*superframe)(struct pb_machine_bench *bench, const struct pb_machine_play *play, size_t plays,
                      struct pb_machine_sent *sent, struct pb_diag *diag);
    void (*close)(struct pb_machine_bench *bench); /* stops the clock, releases all lines */
};

/* The nodes of a scenario on a rig: of the scenario count network, nodes, wiring, link and clock, and no
 * traffic. Opens the rig, which stays open until pb_machine_bench_close. Borrows scenario and options. *out
 * is NULL on failure. PB_ERR_CONFIG: an external phase clock, faults, or a payload of less than 4 bytes;
 * others as pb_run. */
int pb_machine_bench_open(struct pb_machine_bench **out, const struct pb_scenario *scenario,
                          const struct pb_run_options *options, struct pb_diag *diag);
void pb_machine_bench_close(struct pb_machine_bench *bench); /* NULL: no effect */

PB_API_END

#endif
