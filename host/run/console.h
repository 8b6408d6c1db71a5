/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Commands to the consoles of the nodes (docs/node.md): identity, messages to send, counters. Every line goes
 * through the lane of the consoles, one node at a time, and waits for its answer in the rig's own time. The
 * answers go into the observation; nothing is judged here.
 */
#ifndef PHASEBENCH_RUN_CONSOLE_H
#define PHASEBENCH_RUN_CONSOLE_H

#include "host/check/observation.h"
#include "host/plan/plan.h"
#include "phasebench/scenario.h"

struct pb_console {
    struct pb_observation *seen; /* borrowed, as are the others */
    struct pb_events *events;    /* of *seen: those that poll adds to */
    const struct pb_scenario *scenario;
    struct pb_device *device;
    const struct pb_plan *plan;
    struct pb_diag *diag;
    /* Takes the received events, and waits up to `ms` for the first. Returns their number, or a negative
     * code. */
    int (*poll)(void *context, unsigned ms);
    void *context;
    bool selecting; /* `selected` is what CONSOLE_SELECT holds */
    unsigned selected;
    bool watching; /* while the clock runs after the run a node's UART0_TX is watched for pulses, in turn */
};

enum {
    PB_CONSOLE_POLL_MS = 2,
    /* For the first byte, beyond the time that the line and that byte take: two polls, whose ends are no
     * events. */
    PB_CONSOLE_WAIT_MS = PB_ANSWER_MS + 2 * PB_CONSOLE_POLL_MS
};

/* Asks a node for its identity (I), a second time if it does not report it, clears its statistics (Z) if it
 * has any, and measures the bit time of its console. Call it limits.boot after the reset of the node, before
 * the clock starts. Each function returns 0 or a negative code of the link; a node that does not answer is no
 * error. */
int pb_console_identify(struct pb_console *console, unsigned node);
/* Selects the console of a node for reception. Returns 0 or a negative code of the link. */
int pb_console_listen(struct pb_console *console, unsigned node_index);
/* Types a line to a node, and reads nothing. */
int pb_console_send(struct pb_console *console, unsigned node_index, const char *typed);
/* Types a line to a node and reads its answer. A node may send unsolicited lines first: lines that are no
 * answer are skipped. Returns 1 and the line, 0 if none came in time, or a negative code; *line is "" without
 * an answer. */
int pb_console_ask(struct pb_console *console, unsigned node_index, const char *typed, char *line,
                   size_t size);
/* Types the plan's lines. A node that does not confirm one gets no further line. */
int pb_console_type(struct pb_console *console);
/* Loads the program of the scenario, if it has one, into every node. */
int pb_console_load(struct pb_console *console);
/* Reads the statistics (T) of every node that cleared them, and the results (R) of a program. After the
 * clock has stopped, with the capture still on; the lines are no longer recorded then, as the run is over. */
int pb_console_count(struct pb_console *console);

#endif
