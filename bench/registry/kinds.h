/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of node (kinds.def) as data: the scenario keys of each, its limits and its timing. Needs no
 * simulation; makers.h creates the models.
 */
#ifndef PB_NODE_KINDS_H
#define PB_NODE_KINDS_H

#include "bench/nodes/defects.h"
#include "phasebench/scenario.h"

/* X(identifier, key): keys of a node that only some kinds take. Every kind takes `address` and `kind`. */
#define PB_NODE_KEY_LIST(X)                                                                                  \
    X(DEFECT, defect)                                                                                        \
    X(DEFECT_AMOUNT, defect_amount)                                                                          \
    X(DEFECT_FROM, defect_from)                                                                              \
    X(DEFECT_EVERY, defect_every)                                                                            \
    X(DEFECT_PORT, defect_port)                                                                              \
    X(DEFECT_AFTER, defect_after)                                                                            \
    X(FREEDOM, freedom)                                                                                      \
    X(CLOCK_ERROR, clock_error)                                                                              \
    X(IRQ_LATENCY, irq_latency)                                                                              \
    X(IRQ_JITTER, irq_jitter)                                                                                \
    X(ANSWER_LIMIT, answer_limit)                                                                            \
    X(FOLDER, folder)                                                                                        \
    X(ROOM, room)                                                                                            \
    X(FLASH_MISS, flash_miss)
enum pb_node_key {
#define PB_NODE_KEY_ENUM(id, key) PB_NODE_KEY_##id,
    PB_NODE_KEY_LIST(PB_NODE_KEY_ENUM)
#undef PB_NODE_KEY_ENUM
        PB_NODE_KEYS
};
#define PB_NODE_TAKES(id) (1u << PB_NODE_KEY_##id)

/* A node in logic: no interrupts, each action after a number of its own clocks. */
struct pb_node_logic {
    int64_t clock_hz;
    unsigned listen_clocks; /* from a phase edge until it receives the link */
    unsigned start_clocks;  /* from a phase edge to the earliest start edge of its frame */
    unsigned late_clocks;   /* largest delay of a start edge after the end of the head guard */
};

struct pb_node_kind {
    const char
        *name; /* as in scenario files, and node= of its answer to I, except for a kind with an argument */
    const char *text; /* description for users */
    bool model;       /* a simulated rig can create it */
    const char *argument; /* follows the name and a colon in scenario files: "COMMAND"; NULL: none */
    bool words;           /* the argument is a command, which is split into words */
    unsigned keys;    /* PB_NODE_TAKES of its keys, or-ed */
    bool any_radix;   /* supports generalised hypercubes, not only binary cubes */
    unsigned codecs;  /* bit per enum pb_codec */
    unsigned rules;   /* bit per enum pb_rule */
    struct {
        int64_t least_hz, most_hz;
    } link, console;                     /* bit rates of its UARTS */
    const struct pb_defect_info *defect; /* its defects, without "none" */
    unsigned defects;
    unsigned room, room_per_dimension; /* messages that it holds, see struct pb_scenario_node */
    int64_t boot_ps; /* from the rise of NRST until its console answers; 0: 1 ms, as the contract demands */
    bool push_pull;                    /* can drive the high level, with link.drive push_pull */
    int64_t job_ps; /* longest time from an edge, or the end of a console line, until it has queued the
                     * received message and chosen the next; 0: at the last byte, and in the edge handler */
    int64_t job_byte_ps;               /* more of it for each byte of payload */
    const struct pb_node_logic *logic; /* NULL: a processor, with irq_latency and irq_jitter */
};

/* Returns the table, static; sets *count, if not NULL. */
const struct pb_node_kind *pb_node_kinds(unsigned *count);

/* Finds a kind by name. NULL: unknown name. */
const struct pb_node_kind *pb_node_kind_of(const char *name);

/* True if nodes of this kind are firmware images, which can be watched (watch.h). */
bool pb_node_kind_is_image(const char *name);

/* Returns the length of a number of the node's nominal clocks, in ps. */
static inline int64_t pb_node_clocks_ps(const struct pb_node_logic *logic, unsigned clocks)
{
    return clocks * INT64_C(1000000000000) / logic->clock_hz;
}

#endif
