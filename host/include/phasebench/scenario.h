/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A scenario: which nodes stand on the bench, what the cube does, and what is allowed. Read from YAML.
 * The format is described in docs/scenario.md; the values here are checked and in base units.
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
#define PB_WIRE_PHASES_MAX (3 * PB_WIRE_PORTS_MAX) /* of a superframe; the most, of digits of radix 3 */
#define PB_WIRE_ADDRESS_BITS 12 /* of a destination in the slot frame */
#define PB_WIRE_NODES_MAX (1u << PB_WIRE_ADDRESS_BITS)
#define PB_SCENARIO_NODES_MAX 16

#define PB_FRAME_MAX 96 /* bytes of a slot frame, whatever a fault adds */

#define PB_RISE_AUTO (-1)

enum pb_codec { PB_CODEC_SLOT, PB_CODEC_STARC };

/* What is recorded of the lines. */
enum pb_capture {
    PB_CAPTURE_AUTO,  /* edges where the host link carries them, else bytes */
    PB_CAPTURE_EDGES, /* every edge and every byte */
    PB_CAPTURE_BYTES  /* bytes alone: a fifth of the events */
};

struct pb_scenario_node {
    uint32_t address;
    const char *kind;         /* name of one in bench/nodes/kinds.def */
    bool kind_given;          /* by the file, and a model */
    const char *model_key;    /* a key given here that only a rig that makes models can honour; NULL: none */
    const char *defect;       /* "none", or one that docs/scenario.md lists */
    int64_t defect_amount_ps; /* 0: the defect's own default */
    uint32_t defect_from;     /* superframe from which on it shows */
    uint32_t defect_every;    /* at each k-th occasion; 0 and 1: at each; UINT32_MAX: once */
    int32_t clock_error_ppm;
    int64_t irq_latency_ps; /* 0 for a kind that has no interrupts */
    int64_t irq_jitter_ps;
    unsigned room;               /* messages that it can hold in all; 0: not limited as a whole */
    unsigned room_per_dimension; /* in the queue of each dimension; 0: not limited so */
};

struct pb_scenario {
    const char *name;        /* one line; the file's base name when the file has none */
    const char *description; /* may be "" */
    const char *path;        /* where it came from */
    struct pb_network network; /* at most PB_WIRE_NODES_MAX nodes of PB_WIRE_PORTS_MAX ports */
    enum pb_rule rule;
    enum pb_codec codec;
    uint64_t phase_rate_mhz; /* millihertz */
    uint64_t baud_hz;
    uint64_t console_baud_hz; /* UART0 of the nodes, 460800 by default */
    int64_t guard_ps;         /* both guards together */
    int64_t head_guard_ps;    /* at the start of a phase; guard/2 by default */
    unsigned payload_bytes;   /* of every slot frame; what fits (at most 80) by default */
    unsigned frame_bytes;     /* whole slot frame, from codec and payload */
    uint32_t superframes;     /* of the phase generator; by default what the traffic needs and one */
    uint64_t seed;            /* payloads, interrupt jitter, patterns with seed `auto` */
    struct pb_scenario_node *node;
    unsigned node_count;
    struct pb_traffic traffic; /* in queueing order */
    struct pb_fault *fault;    /* owned; by superframe and phase */
    unsigned fault_count;
    bool follow;           /* TDMA_CLK and TDMA_SYNC come from outside */
    struct pb_controller { /* the outside clock on a simulated rig; follow only */
        int32_t clock_error_ppm;
        int64_t jitter_ps; /* uniform, 0 to this, on every edge */
    } controller;
    enum pb_capture capture;
    bool push_pull;  /* virtual neighbours and native nodes also drive the high level while they send */
    int64_t rise_ps; /* what the lines take to rise; PB_RISE_AUTO: measured before the run */
    int64_t simulated_rise_ps; /* what the lines of a simulated rig take; 0 by default */
    struct pb_limits {
        int64_t start_early_ps; /* a node may start this long before the end of the head guard (100 ns) ... */
        int64_t start_late_ps;  /* ... or after it (default: as late as keeps the line high in the
                                   tail guard; the last bit, a stop bit, is high) */
        uint32_t max_superframes;      /* every message delivered within; 0: the bound that applies */
        unsigned max_occupancy;        /* queue entries a node is allowed to need; 0: not limited */
        bool drop_overflow; /* a message that finds its node full is expected to be dropped; false: such
                               traffic is refused */
        uint32_t recovery_superframes; /* starts that a node out of step may let pass; 0 by the contract */
    } limits;
};

#define PB_FAULTS_MAX 1000

/* An entry of `faults`, every value as text; NULL: not given. */
struct pb_fault_text {
    const char *kind, *node, *dimension, *superframe, *phase, *at, *length, *amount, *time_constant, *ppm,
        *shape, *seed, *bytes, *repeat;
    struct pb_fault_line_text {
        const char *node, *dimension;
    } other;
};

/* Reads and checks a file. PB_ERR_CONFIG for everything that is wrong with its content: the sentence starts
 * with "FILE:LINE: " where a line is known and names value, limit and remedy (an unknown key: the nearest
 * known one; a slot frame that does not fit the phase: the nearest settings that would do). A missing,
 * unreadable or binary file is PB_ERR_CONFIG, too. *out is NULL on failure. */
int pb_scenario_load(struct pb_scenario **out, const char *path, struct pb_diag *diag);

/* The same from memory; `path` is used in sentences and to find traffic files. */
int pb_scenario_parse(struct pb_scenario **out, const char *path, const char *text, size_t length,
                      struct pb_diag *diag);

/* The texts that a scenario was made of: first the scenario itself, named by its path, then the files that it
 * names, each once and as it names them. All zero is empty. */
struct pb_scenario_texts {
    struct pb_scenario_text {
        char *name, *text; /* owned; text is zero-terminated */
        size_t length;
    } * text; /* owned */
    size_t count;
};

/* Appends copies. PB_ERR_MEMORY leaves the list as it was. */
int pb_scenario_texts_add(struct pb_scenario_texts *texts, const char *name, const char *text, size_t length);
void pb_scenario_texts_free(struct pb_scenario_texts *texts); /* what it owns; empty is fine */

/* As pb_scenario_load, and keeps the texts (*texts is empty before; the caller frees it, also on failure). */
int pb_scenario_load_texts(struct pb_scenario **out, struct pb_scenario_texts *texts, const char *path,
                           struct pb_diag *diag);
/* Makes the scenario from texts[0]. Files that it names are looked up in *texts; those that are not there are
 * read and added, or, when closed, refused with PB_ERR_CONFIG: then no file is opened at all. */
int pb_scenario_parse_texts(struct pb_scenario **out, struct pb_scenario_texts *texts, bool closed,
                            struct pb_diag *diag);
/* Adds a fault as if it stood in the file; the order of the others, and so their numbers, may change.
 * PB_ERR_CONFIG: the sentence starts with "fault: --KEY: ". The scenario is as before then. */
int pb_scenario_add_fault(struct pb_scenario *scenario, const struct pb_fault_text *text,
                          struct pb_diag *diag);

void pb_scenario_free(struct pb_scenario *scenario); /* NULL is fine */

const char *pb_codec_name(enum pb_codec codec);       /* "slot", "starc" */
const char *pb_capture_name(enum pb_capture capture); /* "auto", "edges", "bytes" */

PB_API_END

#endif
