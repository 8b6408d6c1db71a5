/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A generated case: a scenario and the verdicts that are correct for it. Everything here is worked out from
 * docs/reference/scenario.md, docs/node.md and docs/use/faults.md; nothing of host/ is included or linked.
 *
 * Times are picoseconds. An instant is superframe * phases + phase.
 */
#ifndef VERDICTS_CASE_H
#define VERDICTS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/nodes/defects.h"

#define UNSET INT64_MIN /* a key that the scenario does not give */
#define PS_PER_S INT64_C(1000000000000)

enum {
    NODES_MAX = 6,
    DIGITS_MAX = 12,
    ENTRIES_MAX = 24,
    FAULTS_MAX = 8,
    MESSAGES_MAX = 40000,
    PLACE_MAX = 1 << 16
};

/* Verdicts, as bits: a case may allow more than one. */
enum {
    V_PASS = 1,
    V_MARGINAL = 2,
    V_FAIL = 4,
    V_INCONCLUSIVE = 8,
    V_REFUSED = 16, /* the scenario was refused before the run */
    V_ERROR = 32,   /* any other failure of the program */
    V_TIMEOUT = 64
};
enum { VERDICTS = 7 };
extern const char *const verdict_names[VERDICTS];
unsigned verdict_by_name(const char *name); /* its bit; 0: there is none */
void verdict_list(char *text, size_t size, unsigned set);

enum kind { KIND_NATIVE, KIND_REF, KIND_CONTRACT, KINDS };

/* A defect, see defects.c. */
struct defect {
    const char *name;
    unsigned kinds;      /* bits of enum kind */
    unsigned needs;      /* PB_NEEDS_* of bench/nodes/defects.h */
    unsigned more;       /* M_* */
    int64_t amount_ps;   /* its default; 0: none, or a share of a bit */
    unsigned amount_bit; /* thousandths */
    const char *never;   /* why no case is made of it; NULL: cases are made */
};
enum {
    M_LASTS = 1 << 0,          /* shows only when it is there all the time: no rarity */
    M_LOW_LINKS = 1 << 1,      /* a frame that the node sends on dimension 0 or 1 */
    M_TWO_BITS = 1 << 2,       /* a message at the node with two dimensions to cross; rule ecube */
    M_LATE = 1 << 3,           /* an amount beyond start_late */
    M_EARLY = 1 << 4,          /* an amount beyond start_early */
    M_OWN_AT_START = 1 << 5,   /* an own message that is typed before the clock starts */
    M_OWN_THRICE = 1 << 6,     /* three own messages */
    M_ONE_NODE = 1 << 7,       /* the core has links beyond those of the node, and listens to its console */
    M_SEND_FIRST = 1 << 8,     /* a frame in superframe 0, and the bench's clock */
    M_SEND_HIGH = 1 << 9,      /* a frame in phase 2 or later */
    M_EDGES = 1 << 10,         /* bytes alone do not show it */
    M_FINE = 1 << 11,          /* bits of 40 ticks or more */
    M_ROOM_AFTER = 1 << 12,    /* three bits between the end of a frame and the end of its phase */
    M_ONE_CHECK = 1 << 13,     /* codec slot: any wrong bit is wrong for the check value */
    M_WAITING = 1 << 14,       /* the message waits already when the fault begins */
    M_CONSOLE_BIT = 1 << 15,   /* an amount of more than a bit of the console */
    M_NOT_TOP = 1 << 17,       /* a frame on another dimension than the highest; or rule opportunistic */
    M_HALF_PHASE = 1 << 16,    /* half a phase is beyond start_late */
    M_AT_STORE = 1 << 18,      /* it strikes when a message comes, not when it leaves */
    M_AFTER = 1 << 19,         /* shows after the run only: in nothing that needs many superframes */
    M_PADDED = 1 << 20,        /* a payload of one byte or more */
    M_EXACT = 1 << 23, /* the clock of the node adds to the deviation, or takes less than 0.1 % of it */
    M_CONSOLE_STRETCH = 1 << 22, /* an amount of 3 % of a bit of the console or more */
    M_LISTENED = 1 << 21 /* the core listens to the node's console during the run: no other has messages */
};
const struct defect *defect_by_name(const char *name); /* NULL: none of that name */
const struct defect *defect_table(size_t *count);

struct case_node {
    uint32_t address;
    enum kind kind;
    int32_t ppm;
    int64_t latency_ps, jitter_ps; /* UNSET: default; not for KIND_REF */
    const char *defect;            /* NULL: sound */
    int64_t amount_ps;             /* UNSET: default */
    int64_t from, every;           /* superframe; occasions, 0: once; UNSET: default */
    uint64_t freedoms;             /* of bench/nodes/freedoms.h; only for KIND_CONTRACT */
};

enum pattern {
    FROM_TO, /* one message */
    /* from here on: a message of each source */
    P_XOR,
    P_COMPLEMENT,
    P_BITREV,
    P_TRANSPOSE,
    P_SHUFFLE,
    P_HOTSPOT,
    /* from here on: destinations that only the program knows */
    P_PERM,
    P_UNIFORM,
    P_XORS,
    P_PAIRS,
    P_TOTAL,
    PATTERNS
};
#define P_OPAQUE P_PERM

struct case_entry {
    enum pattern pattern;
    uint64_t argument; /* mask, node or seed */
    uint32_t from, to;
    uint32_t superframe, phase, repeat;
};

enum fault_kind {
    F_STUCK_LOW,
    F_OPEN,
    F_SHORT,
    F_SLOW_RISE,
    F_GLITCH,
    F_SECOND_DRIVER,
    F_LATE_EDGE,
    F_EARLY_EDGE,
    F_MISSING_EDGE,
    F_EXTRA_EDGE,
    F_EXTRA_SYNC,
    F_MISSING_SYNC,
    F_JITTER,
    F_DRIFT,
    F_WRONG_BYTES,
    F_FRAMING,
    F_BAUD,
    F_EARLY_START,
    F_LATE_START,
    F_BABBLE,
    F_SHORT_FRAME,
    F_LONG_FRAME,
    F_WRONG_LENGTH,
    F_OUTSIDE_ADDRESS,
    FAULT_KINDS
};
extern const char *const fault_names[FAULT_KINDS];
static inline bool fault_on_clock(enum fault_kind kind)
{
    return kind >= F_LATE_EDGE && kind <= F_DRIFT;
}
static inline bool fault_on_frame(enum fault_kind kind)
{
    return kind >= F_WRONG_BYTES;
}

struct case_fault {
    enum fault_kind kind;
    unsigned node;
    int64_t dimension, phase; /* UNSET: not given */
    uint32_t superframe;
    int64_t at_ps, length_ps, amount_ps, time_constant_ps, ppm, seed, bytes;
    bool gaussian;
    int64_t other_node, other_dimension; /* of F_SHORT */
    /* For the generator: instants from and to which it acts, and whether it needs a frame of the node. */
    uint32_t first, last;
    bool needs_node_frame;
};

struct test_case {
    uint64_t seed;     /* of the generator */
    const char *class; /* "sound", "faults", "idle", "corner", or the defect's name */
    unsigned dims;   /* links of a node: dimensions of a cube */
    unsigned digits; /* of an address, the least significant first; 0: a cube */
    unsigned radix[DIGITS_MAX];
    bool opportunistic, starc, push_pull, external;
    uint64_t rate_mhz; /* phase rate in millihertz */
    uint64_t baud, console_baud;
    int64_t guard_ps, head_ps, payload; /* UNSET: default */
    int64_t external_ppm, external_jitter_ps;
    struct case_node node[NODES_MAX];
    unsigned nodes;
    struct case_entry entry[ENTRIES_MAX];
    unsigned entries;
    struct case_fault fault[FAULTS_MAX];
    unsigned faults;
    int64_t superframes; /* UNSET: default */
    uint64_t run_seed;
    const char *capture;                                                             /* NULL: default */
    int64_t start_early_ps, start_late_ps, max_superframes, max_occupancy, recovery; /* UNSET: default */

    /* set by settle() */
    unsigned expected; /* correct verdicts */
    char why[160];     /* in a sentence */
};

/* ---- numbers that follow from the settings (fit.c) */

struct fit {
    int64_t phase_ps, guard_ps, head_ps, tail_ps, bit_ps; /* bit_ps is rounded up */
    unsigned overhead, room, payload, frame_bytes;        /* room: bytes that fit between the guards */
    int64_t frame_ps, start_early_ps, start_late_ps;
    uint32_t clock_hz; /* of the simulated core */
    int64_t tick_ps, coarsest_tick_ps; /* of clock_hz; of a core that the rig may choose */
    unsigned lanes, fault_units;
    unsigned phases;
};
/* False: docs/reference/scenario.md refuses these settings. */
bool fit_settings(struct fit *fit, const struct test_case *test);
/* How far a sound node stays inside every limit. */
enum fit_node {
    FIT_INSIDE,
    FIT_CLOSE,   /* within the uncertainty of the measurement */
    FIT_OUTSIDE, /* its clock makes it break a limit */
    FIT_CORNER   /* no node can do what the settings ask for: listen in time, or end before the next phase */
};
enum fit_node fit_node(const struct test_case *test, const struct fit *fit, const struct case_node *node);

/* ---- the network (network.c) */

uint32_t places(const struct test_case *test); /* nodes of the whole network */
unsigned phases_of(const struct test_case *test);
uint32_t neighbour(const struct test_case *test, uint32_t address, unsigned port);
unsigned port_to(const struct test_case *test, uint32_t from, uint32_t to); /* between neighbours */
unsigned send_phase(const struct test_case *test, uint32_t address, unsigned port);
int sending_port(const struct test_case *test, uint32_t address, unsigned phase); /* -1: it sends on none */
/* The lowest port on which a message may go to another node; whether it wants a port by the case's rule. */
unsigned first_port(const struct test_case *test, uint32_t at, uint32_t to);
bool wants(const struct test_case *test, uint32_t at, uint32_t to, unsigned port);
bool is_of_last_digit(const struct test_case *test, unsigned port);

/* ---- movement of messages (movement.c) */

struct hop {
    uint32_t instant;
    unsigned dimension, to_dimension; /* ports at its ends */
    uint32_t from, to;
    unsigned message;
};
struct movement {
    struct moving *message;
    unsigned messages;
    struct hop *hop; /* those that touch a node of the bench, in time order */
    size_t hops, capacity;
    uint32_t superframes; /* until all have arrived */
    uint32_t slowest;     /* superframes from release to arrival, counted from 1 */
    unsigned held[NODES_MAX], held_in_queue[NODES_MAX]; /* most at once: in the node; for one dimension */
    bool opaque;  /* destinations unknown: nothing of the above but `messages` means anything */
    bool endless; /* not all arrive within LIMIT superframes */
};
bool movement_make(struct movement *movement, const struct test_case *test); /* false: too many messages */
void movement_free(struct movement *movement);
int node_index(const struct test_case *test, uint32_t address); /* -1: not on the bench */
/* The hop on that line (of a node on the bench) in that instant; NULL: none. */
const struct hop *hop_at(const struct movement *movement, uint32_t address, unsigned dimension,
                         uint32_t instant);
bool goes_on(const struct movement *movement, const struct hop *hop); /* its message has more hops to go */
/* When the message of a hop came to the node that sends it, at the latest; is released there: its release. */
uint32_t came_at(const struct movement *movement, const struct hop *hop);
uint32_t source_of(const struct movement *movement, unsigned message);
uint32_t destination_of(const struct movement *movement, unsigned message);

/* ---- the generator */

struct draw_options {
    unsigned kinds;    /* bits of enum kind that may be drawn */
    const char *class; /* only this one; NULL: any */
};
/* Fills *test from the seed; always succeeds. */
void draw_case(struct test_case *test, uint64_t seed, const struct draw_options *options);
struct random;
/* Whether other faults may be there: what they take away from the node is not looked up for every need. */
bool shows_beside_faults(const struct defect *defect);
/* The fault that the defect needs; FAULT_KINDS: none. */
enum fault_kind fault_needed(const struct defect *defect);
/* Adds one of that kind at a place where the node has something to do; it may fail. */
void draw_fault_for(struct test_case *test, const struct movement *movement, struct random *random,
                    enum fault_kind kind, unsigned node);
/* Adds up to `wanted` faults where they are legal and can be found. */
void draw_faults(struct test_case *test, const struct movement *movement, struct random *random,
                 unsigned wanted);
/* Whether the faults of a case (after others were removed) are legal and can be found. */
bool faults_fit(const struct test_case *test, const struct fit *fit, const struct movement *movement);
/* Sets expected and why. False: the case is not legal, or says nothing (its defect has no occasion, say). */
bool settle(struct test_case *test);
/* Whether the defect of this node has an occasion in this case that no other fault excuses (occasion.c). */
bool has_occasion(const struct test_case *test, const struct fit *fit, const struct movement *movement,
                  const struct case_node *node, const struct defect *defect);
/* Whether the node has own messages that make it send, whatever the others do. */
bool sends_by_list(const struct test_case *test, const struct case_node *node);
void write_yaml(FILE *out, const struct test_case *test);

/* ---- random numbers */

struct random {
    uint64_t state;
};
uint64_t random_bits(struct random *random);
uint64_t random_below(struct random *random, uint64_t limit);               /* 0 to limit - 1 */
int64_t random_between(struct random *random, int64_t least, int64_t most); /* both included */
double random_unit(struct random *random);                                  /* 0 to below 1 */
bool random_chance(struct random *random, unsigned percent);
double random_log(struct random *random, double least, double most); /* even in the logarithm */

#endif
