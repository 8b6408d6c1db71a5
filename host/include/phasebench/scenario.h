/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A scenario: nodes, network, traffic, faults and limits of a run, read from YAML. docs/reference/scenario.md
 * describes the format; the values here are checked and in base units.
 */
#ifndef PHASEBENCH_SCENARIO_H
#define PHASEBENCH_SCENARIO_H

#include "phasebench/api.h"
#include "phasebench/budget.h"
#include "phasebench/network.h"
#include "phasebench/fault.h"
#include "phasebench/traffic.h"

PB_API_BEGIN

#define PB_WIRE_PORTS_MAX 12 /* link pins of a node */
#define PB_WIRE_PHASES_MAX (3 * PB_WIRE_PORTS_MAX) /* of a superframe; reached by digits of radix 3 */
#define PB_WIRE_ADDRESS_BITS 12 /* of a destination in the slot frame */
#define PB_WIRE_NODES_MAX (1u << PB_WIRE_ADDRESS_BITS)
#define PB_SCENARIO_NODES_MAX 16

#define PB_FRAME_MAX 96 /* bytes of a slot frame, those added by a fault included */

#define PB_RISE_AUTO (-1)

enum pb_codec { PB_CODEC_SLOT, PB_CODEC_STARC, PB_CODEC_BARE }; /* bare: of programs, without a header */

/* Events captured of the lines. */
enum pb_capture {
    PB_CAPTURE_AUTO,  /* edges if the host link can carry them, else bytes */
    PB_CAPTURE_EDGES, /* every edge and every byte */
    PB_CAPTURE_BYTES  /* only bytes: a fifth of the events */
};

struct pb_scenario_node {
    uint32_t address;
    const char *kind;         /* a name of bench/registry/kinds.def */
    char *argument;           /* owned; what follows the kind and a colon; NULL: the kind has none */
    int64_t answer_limit_ps;  /* wall time for an answer of its process; 0: 5 s */
    char *folder;             /* owned; where its process runs; NULL: in the folder of the scenario */
    bool kind_given;          /* by the file, and a model whose name the node reports */
    const char *model_key;    /* a given key that needs a rig with models; NULL: none */
    const char *defect;       /* "none", or a defect of docs/reference/scenario.md */
    int64_t defect_amount_ps; /* 0: the defect's own default */
    uint32_t defect_from;     /* first superframe with the defect */
    uint32_t defect_every;    /* every k-th occasion; 0 and 1: each; UINT32_MAX: once */
    uint32_t defect_port;     /* 0: every link; k + 1: only in the phases of link k */
    uint32_t defect_after;    /* 0: from the start; else the number of its word (bench/nodes/defects.h) */
    uint64_t freedoms;        /* of a contract node: a set of bench/nodes/freedoms.h */
    int32_t clock_error_ppm;
    int64_t irq_latency_ps; /* 0: the kind has no interrupts */
    int64_t irq_jitter_ps;
    unsigned flash_miss_cycles;  /* of an RP2040; 0: by its registers */
    unsigned room;               /* messages in all; 0: not limited */
    bool room_known;             /* given by the file, or of a kind that is part of phasebench */
    unsigned room_per_dimension; /* in the queue of each dimension; 0: not limited */
};

/* A port of a node of the scenario, by the node's index; a node below 0: none. */
struct pb_wire_end {
    int8_t node;
    uint8_t port;
};

/* Actual connections of the lines of a simulated board. */
struct pb_wiring {
    /* For each port, the port whose core pin it is connected to: its own if wired correctly. None: open. */
    struct pb_wire_end at[PB_SCENARIO_NODES_MAX][PB_WIRE_PORTS_MAX];
    struct pb_wire_short { /* the pins of these two ports are one wire */
        struct pb_wire_end left, right;
    } shorted[PB_SCENARIO_NODES_MAX * PB_WIRE_PORTS_MAX];
    unsigned shorts;
    uint32_t missing; /* bit per node: its pins are unconnected, the console included */
};

/* An entry of `traffic` with unlimited repetitions: a pattern or a list. */
struct pb_endless {
    char *pattern;          /* owned; of pb_traffic_generate, with its seed; NULL: the list */
    struct pb_traffic list; /* owned */
    uint32_t superframe;    /* of the first repetition */
    unsigned phase;
    uint32_t every;         /* superframes from one repetition to the next */
    size_t after;           /* number of messages of the other list before it in the file */
};

struct pb_scenario {
    const char *name;        /* one line; default: the file's base name */
    const char *description; /* may be "" */
    const char *path;        /* of the file */
    struct pb_network network; /* at most PB_WIRE_NODES_MAX nodes of PB_WIRE_PORTS_MAX ports */
    enum pb_rule rule;
    enum pb_codec codec;
    uint64_t phase_rate_mhz; /* millihertz */
    uint64_t baud_hz;
    uint64_t console_baud_hz; /* UART0 of the nodes, 460800 by default */
    int64_t guard_ps;         /* head and tail guard together */
    int64_t head_guard_ps;    /* default: guard_ps / 2 */
    unsigned payload_bytes;   /* of every slot frame; default: as many as fit, at most 80 */
    unsigned frame_bytes;     /* whole slot frame, from codec and payload */
    uint32_t superframes;     /* of the phase generator; default: those the traffic needs + 1; endless
                                 traffic: the maximum */
    bool superframes_open;    /* endless traffic, and the file gives no superframes */
    uint64_t seed;            /* payloads, interrupt jitter, patterns with seed `auto` */
    struct pb_scenario_node *node;
    unsigned node_count;
    struct pb_traffic traffic; /* in queueing order; without `endless` */
    struct pb_endless *endless; /* owned; in the order of the file */
    unsigned endless_count;
    struct pb_scenario_program *program; /* owned; whose frames `traffic` has; NULL: messages */
    bool reacts; /* messages that a node on the rig does not forward are removed from the rest of the
                    network */
    struct pb_wiring *wiring;  /* owned; of a simulated board; NULL: as the network requires */
    struct pb_fault *fault;    /* owned; by superframe and phase */
    unsigned fault_count;
    bool follow;           /* TDMA_CLK and TDMA_SYNC are external */
    struct pb_controller { /* the external clock on a simulated rig; follow only */
        int32_t clock_error_ppm;
        int64_t jitter_ps; /* of every edge, uniform from 0 to this */
        int64_t sync_skew_ps; /* changes of TDMA_SYNC after an edge; before it below 0 */
    } controller;
    enum pb_capture capture;
    bool push_pull;  /* virtual neighbours and native nodes drive the high level while they send */
    int64_t rise_ps; /* rise time of the lines; PB_RISE_AUTO: measured before the run */
    int64_t simulated_rise_ps; /* rise time of the lines on a simulated rig; default 0 */
    struct pb_limits {
        int64_t start_early_ps; /* limit of a start before the end of the head guard (100 ns) ... */
        int64_t start_late_ps;  /* ... or after it (default: the latest start with a high line in
                                   the tail guard; the last bit, a stop bit, is high) */
        int64_t boot_ps; /* from the rise of NRST until the console answers */
        uint32_t max_superframes;      /* limit of the delivery; 0: the bound that applies */
        unsigned max_occupancy;        /* limit of queue entries in a node; 0: not limited */
        bool drop_overflow;            /* expect a full node to drop a message; false: refuse such traffic */
        uint32_t recovery_superframes; /* starts that an unsynchronised node may miss; 0 by contract */
    } limits;
};

#define PB_FAULTS_MAX 1000
#define PB_NODE_ROOM_LEAST 32 /* messages for which each node has room (docs/node.md, F10) */
#define PB_BOOT_LEAST_PS INT64_C(1000000000)     /* of limits.boot: 1 ms */
#define PB_BOOT_MOST_PS INT64_C(10000000000000) /* 10 s */

/* limits.boot in whole milliseconds, rounded up. */
static inline unsigned pb_scenario_boot_ms(const struct pb_scenario *scenario)
{
    return (unsigned)((scenario->limits.boot_ps + PB_BOOT_LEAST_PS - 1) / PB_BOOT_LEAST_PS);
}

/* An entry of `faults`, every value as text; NULL: not given. */
struct pb_fault_text {
    const char *kind, *node, *dimension, *superframe, *phase, *at, *length, *amount, *time_constant, *ppm,
        *shape, *seed, *bytes, *repeat;
    struct pb_fault_line_text {
        const char *node, *dimension;
    } other;
};

/* Reads and checks a file. PB_ERR_CONFIG: the file is missing, unreadable, binary or invalid; the diagnostic
 * starts with "FILE:LINE: " if a line is known, and names value, limit and remedy. An unknown key: the
 * nearest known key. A slot frame longer than the phase: the nearest settings that fit. *out is NULL on
 * failure. */
int pb_scenario_load(struct pb_scenario **out, const char *path, struct pb_diag *diag);

/* Finds the errors of a file that pb_scenario_load refuses, in the order of its lines. Stores the first
 * `most` of them. Returns the number of all, which may exceed `most`; 0: no error. An error that may be the
 * consequence of another error is left out. A file that is no YAML, or cannot be read, has one error. */
size_t pb_scenario_errors(const char *path, struct pb_diag *error, size_t most);

/* Reads from memory. `path` is used in diagnostics and to find traffic files. */
int pb_scenario_parse(struct pb_scenario **out, const char *path, const char *text, size_t length,
                      struct pb_diag *diag);

/* Source texts of a scenario: first the scenario itself, named by its path, then each file that it names,
 * once and under that name. Empty: all zero. */
struct pb_scenario_texts {
    struct pb_scenario_text {
        char *name, *text; /* owned; text is zero-terminated */
        size_t length;
    } * text; /* owned */
    size_t count;
};

/* Appends copies. PB_ERR_MEMORY leaves the list unchanged. */
int pb_scenario_texts_add(struct pb_scenario_texts *texts, const char *name, const char *text, size_t length);
void pb_scenario_texts_free(struct pb_scenario_texts *texts); /* empty: no effect */

/* As pb_scenario_load; stores the texts in *texts, empty before. The caller frees *texts, also on failure. */
int pb_scenario_load_texts(struct pb_scenario **out, struct pb_scenario_texts *texts, const char *path,
                           struct pb_diag *diag);
/* Reads the scenario from texts[0] and looks up the files that it names in *texts. closed: a missing text is
 * PB_ERR_CONFIG, and no file is opened; else it is read from its file and added. */
int pb_scenario_parse_texts(struct pb_scenario **out, struct pb_scenario_texts *texts, bool closed,
                            struct pb_diag *diag);
/* Replaces a value of the file, or adds a missing key, as if the file had it. */
struct pb_scenario_setting {
    const char *place; /* "link.baud", "nodes[0].clock_error" */
    const char *value; /* "500 kbaud"; a list or mapping: "[{from: 0, to: 1}]" */
};
/* As pb_scenario_parse_texts, closed, with these settings; *texts remains unchanged. PB_ERR_CONFIG also for a
 * place that cannot exist. */
int pb_scenario_parse_settings(struct pb_scenario **out, struct pb_scenario_texts *texts,
                               const struct pb_scenario_setting *setting, size_t settings,
                               struct pb_diag *diag);
/* Copies the value that the scenario's own text has at a place; false: none, or longer than size - 1. */
bool pb_scenario_written(const struct pb_scenario_texts *texts, const char *place, char *value, size_t size);
/* Adds a fault like an entry of the file; the order, and so the numbers, of the other faults may change.
 * PB_ERR_CONFIG: the diagnostic starts with "fault: --KEY: ", and the scenario is unchanged. */
int pb_scenario_add_fault(struct pb_scenario *scenario, const struct pb_fault_text *text,
                          struct pb_diag *diag);

/* Maximum number of superframes of a run: 2^32 - 1, or 45 days: the check refuses stamps beyond 46. */
uint32_t pb_scenario_superframes_max(const struct pb_scenario *scenario);
/* Payloads, inputs of a program and jitter by this seed, in place of that of the file. Patterns and faults
 * with the seed `auto` keep theirs. PB_ERR_MEMORY, and PB_ERR_CONFIG for a program whose frames are too
 * many. */
int pb_scenario_set_seed(struct pb_scenario *scenario, uint64_t seed, struct pb_diag *diag);

/* The last superframe with the start of a traffic entry or a release of a finite repetition. */
uint32_t pb_scenario_last_release(const struct pb_scenario *scenario);

void pb_scenario_free(struct pb_scenario *scenario); /* NULL: no effect */

/* Whether every node can keep any traffic, where reading a scenario asks what its own traffic does. Returns 0
 * or PB_ERR_CONFIG. */
int pb_scenario_check_nodes(const struct pb_scenario *scenario, struct pb_diag *diag);
const char *pb_codec_name(enum pb_codec codec);       /* "slot", "starc", "bare" */
unsigned pb_codec_header_bytes(const char *name);     /* before the payload; 0: none, or no such codec */
const char *pb_capture_name(enum pb_capture capture); /* "auto", "edges", "bytes" */

PB_API_END

#endif
