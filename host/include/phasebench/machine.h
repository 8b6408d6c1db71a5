/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * All nodes of a network at once: traffic that goes on, and what it costs. Latency, throughput, occupancy,
 * load of every directed link, and the load at which queues grow without end. The messages move as
 * movement.h says.
 *
 * Times are in phases, exact. Every run is deterministic by its seed. No I/O, no global
 * state; but PB_ENGINE_IMAGE reads its files, and runs of a process share them: one such run at a time.
 */
#ifndef PHASEBENCH_MACHINE_H
#define PHASEBENCH_MACHINE_H

#include "phasebench/api.h"
#include "phasebench/flow.h"
#include "phasebench/statistics.h"

PB_API_BEGIN

/* Dimensions of a cube whose messages are moved: 2^20 nodes take half a gigabyte and more, and each further
 * dimension twice as much and longer. */
#define PB_MACHINE_DIMS_MAX 20u

/* ---- dead nodes and links */

struct pb_machine_dead;

/* Nothing is dead yet. The network is copied. PB_ERR_MEMORY: *out is NULL. */
int pb_machine_dead_create(struct pb_machine_dead **out, const struct pb_network *network);
void pb_machine_dead_free(struct pb_machine_dead *dead); /* NULL: no effect */
/* A node, with all its links, or both directions of the link at a port of a node. Addresses and ports of the
 * network. */
void pb_machine_kill_node(struct pb_machine_dead *dead, uint32_t node);
void pb_machine_kill_link(struct pb_machine_dead *dead, uint32_t node, unsigned port);
bool pb_machine_is_dead(const struct pb_machine_dead *dead, uint32_t node);
/* Whether no node and no link of the path in dimension order is dead. source != destination. */
bool pb_machine_reaches(const struct pb_machine_dead *dead, uint32_t source, uint32_t destination);
/* Counts the ordered pairs of different nodes whose path has a dead part, exactly. Memory: 8 bytes for each
 * node. PB_ERR_MEMORY; PB_ERR_ARGUMENT: a network without digits, with too many nodes to try each pair. */
int pb_machine_unreachable(const struct pb_machine_dead *dead, uint64_t *pairs, struct pb_diag *diag);

/* ---- traffic */

enum pb_valiant {
    PB_VALIANT_NONE,
    PB_VALIANT_FREE,   /* each message goes to a random node first, and on in the next superframe */
    PB_VALIANT_BARRIER /* ... but not before all have reached their random node; for a batch */
};

/* A message whose destination is its source needs no wire: it is counted as local, and not sent. A node that
 * sends no other message is silent. A message whose path has a dead part is counted as unreachable, and not
 * sent. */
struct pb_machine_traffic_options {
    /* Of pb_traffic_generate, one message per source. perm, xors and uniform may be without SEED: `seed`
     * below. NULL: the trace. */
    const char *pattern;
    const struct pb_traffic *trace; /* borrowed while the traffic lives; with no other field but `dead` */
    double load;                    /* open loop: messages that a node sends in a superframe, on average */
    unsigned burst;                 /* open loop: messages that a node releases together; 0 and 1: one */
    double hot; /* of hotspot: share of the messages that go there, the others go anywhere; 0: all of them */
    bool any_phase; /* open loop: releases in a random phase, else in phase 0 */
    /* > 0: closed loop, in place of `load`: requests of a node without an answer yet. Answer and next request
     * follow in the next superframe. */
    unsigned window;
    /* > 0: in place of `load`: messages of each node, all released in superframe 0. Message i of a seeded
     * pattern is of SEED + i. */
    unsigned batch;
    enum pb_valiant valiant;
    uint64_t seed;
    unsigned trial;                     /* other random numbers for the same pattern */
    const struct pb_machine_dead *dead; /* borrowed; NULL: nothing */
};

struct pb_machine_traffic;

/* In an open or closed loop, "uniform" means any other node, anew for each message. PB_ERR_ARGUMENT: an
 * unknown pattern, or one of several messages per source without `batch`; a field outside its range; fields
 * that exclude each other; a dead node of hotspot; no node that sends. PB_ERR_CONFIG: a dead source in the
 * trace. PB_ERR_MEMORY. */
int pb_machine_traffic_create(struct pb_machine_traffic **out, const struct pb_network *network,
                              const struct pb_machine_traffic_options *options, struct pb_diag *diag);
void pb_machine_traffic_free(struct pb_machine_traffic *traffic); /* NULL: no effect */

/* The load at which the busiest directed link carries a message in every superframe: 1 / C of a pattern,
 * 2 (N - 1) / N of uniform traffic in a cube. No rule of queues carries more in dimension order. Under the
 * opportunistic rule: what all links together, and those of one node, can carry at most. 0: none is known
 * (closed loop, batch, trace, something dead, Valiant to one hot node). PB_ERR_MEMORY. */
int pb_machine_limit(double *limit, enum pb_rule rule, const struct pb_machine_traffic *traffic);

/* ---- batch means */

/* A stationary series is cut into `batches` parts of equal length, of which the first takes what is left
 * over; their means are nearly independent. */
struct pb_batch_means {
    double mean;   /* of all values */
    double half95; /* half-width of its interval, 95 %, by Student's t; NAN: fewer than two batches */
};
/* batches >= 2. A value counts `weight` times (NULL: once): the mean of a batch is a ratio of sums, and a
 * batch without weight is left out. Fewer values than batches are each a batch. */
void pb_batch_means_of(struct pb_batch_means *out, const double *sum, const double *weight, size_t n,
                       unsigned batches);

/* Length of the transient at the start of a series: the cut after which the standard error of the mean is
 * least (MSER: White, 1997), in steps of 5 values. At most n / 2 is a transient that is over. */
size_t pb_transient_of(const double *value, size_t n);

/* ---- engines: what moves the messages */

enum pb_machine_engine {
    PB_ENGINE_SLOT,     /* messages alone, as movement.h says */
    PB_ENGINE_FIRMWARE, /* in each node the portable core of the firmware, whole frames on the wires */
    PB_ENGINE_WIRE,     /* the same core at its pins, bits on the wires, each node with a clock of its own */
    PB_ENGINE_IMAGE,    /* firmware images on emulated MCUs, bits on the wires */
    PB_ENGINE_ALL, /* all of them on the same releases, but PB_ENGINE_IMAGE without an image; each is compared
                      with `slot`, of which the results are */
    PB_ENGINE_BENCH, /* some nodes are real (machine_bench.h); of the others messages alone */
    PB_ENGINES
};
const char *pb_machine_engine_name(enum pb_machine_engine engine); /* "slot", "firmware", ... "all" */

/* Messages that a node of the firmware holds: the only `room` of the engines with the firmware, and of all
 * together. An image may have another one. */
#define PB_MACHINE_FIRMWARE_ROOM 40u
/* Bits, clocks and nodes of PB_ENGINE_WIRE and PB_ENGINE_IMAGE. */
struct pb_machine_line {
    uint64_t phase_rate_mhz; /* phases a second, in millihertz */
    uint32_t baud_hz, console_baud_hz;
    int64_t head_guard_ps;  /* from an edge of the phase clock to the start of a frame */
    unsigned payload_bytes; /* of a message, PB_MACHINE_PAYLOAD_MIN..80 */
    uint32_t clock_ppm;     /* the clock of each node errs by as much at most, drawn by `seed` */
    int64_t irq_latency_ps, irq_jitter_ps; /* of each node: the jitter is drawn for each edge, 0 to this */
    uint64_t seed;
};
#define PB_MACHINE_PAYLOAD_MIN 4u /* the number of a message */
#define PB_MACHINE_LINE_DEFAULT                                                                              \
    {                                                                                                        \
        .phase_rate_mhz = 10000000, .baud_hz = 1000000, .console_baud_hz = 460800, .head_guard_ps = 5000000, \
        .payload_bytes = 6, .irq_latency_ps = 1000000, .seed = 1                                             \
    }

/* PB_ERR_ARGUMENT: the engine has no such network, or no such rooms (as in struct pb_machine_options). */
int pb_machine_engine_check(enum pb_machine_engine engine, const struct pb_network *network, unsigned room,
                            unsigned room_port, struct pb_diag *diag);

/* PB_ERR_ARGUMENT: a run of this engine cannot be kept (struct pb_machine_options, is_due). */
int pb_machine_engine_check_kept(enum pb_machine_engine engine, struct pb_diag *diag);

/* What two engines do not share first, in order of time: a crossing, or a message that a full node drops. */
struct pb_machine_difference {
    bool found;
    bool drop;
    uint32_t superframe;
    unsigned phase;
    unsigned port;                      /* of `from`; of a crossing */
    uint32_t from, to;                  /* of a drop both are the node */
    enum pb_machine_engine engine;      /* that differs from `slot` */
    bool moves[2];                      /* whether `slot` and it move, or drop, a message there */
    bool arrives[2];                    /* whether the crossing ends at its destination */
    uint64_t message[2];                /* its number */
    uint32_t source[2], destination[2]; /* of a crossing */
};
#define PB_DIFFERENCE_TEXT_SIZE 320
/* One line. */
const char *pb_machine_difference_text(const struct pb_machine_difference *difference,
                                       const struct pb_network *network, char text[PB_DIFFERENCE_TEXT_SIZE]);

/* ---- real nodes */

struct pb_machine_bench; /* machine_bench.h */

#define PB_MACHINE_FINDINGS_MAX 8u
#define PB_MACHINE_FINDING_SIZE 160u

/* What the real nodes did, over the whole run. A message that a node has to send and does not is overdue: in
 * this superframe and the next it may still come (late), then it is lost, and counts as dropped. */
struct pb_machine_seen {
    uint32_t superframes;
    /* Superframes in which real nodes got what they would not have got, had it been known what another real
     * node did not send in it. The others of the machine react one superframe later then. */
    uint32_t behind, first_behind;
    uint64_t frames;            /* that were right */
    uint64_t late, lost, wrong; /* messages; frames that are no message of the node */
    /* Nodes without findings since they got what is no message of its sender, or held 32 messages, and their
     * room is not known. */
    uint32_t unjudged;
    uint64_t findings; /* of which the first are: */
    struct pb_machine_finding {
        uint32_t superframe, node;
        int phase; /* -1: between superframes */
        char text[PB_MACHINE_FINDING_SIZE];
    } first[PB_MACHINE_FINDINGS_MAX];
};

/* ---- processes */

/* Several processes with the same options and traffic, each of which has a part of the nodes and gets the
 * same result. */
struct pb_machine_ranks {
    unsigned own, count; /* count: as many as pb_machine_parts allows */
    pb_exchange_fn *exchange;
    void *context;
};
/* Parts of a network for this many threads or processes: of a cube cubes, as many as a power of two; two
 * nodes in each at least. */
unsigned pb_machine_parts(const struct pb_network *network, unsigned wanted);

/* ---- a run */

#define PB_MACHINE_DETECT UINT32_MAX
#define PB_MACHINE_BATCHES 20u
#define PB_MACHINE_COURSE 480u

struct pb_machine_options {
    const struct pb_network *network; /* accepted by pb_network_check */
    enum pb_rule rule;
    struct pb_machine_traffic *traffic; /* new; of this network; borrowed */
    uint32_t superframes; /* measured ones, >= 1. A batch and a trace end when all their messages have; then
                             this is a limit */
    /* Superframes before them. PB_MACHINE_DETECT: until the messages in flight have passed their transient,
     * at least 64, at most as many as are measured, and none of a batch or a trace. */
    uint32_t warm_up;
    enum pb_machine_engine engine;
    const struct pb_machine_line *line; /* borrowed; NULL: PB_MACHINE_LINE_DEFAULT */
    const char *const *image;           /* ELF files, of the nodes in turn; borrowed */
    unsigned images;
    struct pb_machine_bench *bench; /* of PB_ENGINE_BENCH; borrowed; it gets as many runs as wanted */
    /* Of each node, as struct pb_flow_room; 0: unbounded, or the room of the firmware. */
    unsigned room, room_port;
    /* Of PB_ENGINE_SLOT: threads, at most as many as pb_machine_parts allows; 0: one. The result is that of
     * one. */
    unsigned threads;
    const struct pb_machine_ranks *ranks;            /* borrowed; NULL: one process */
    void (*progress)(void *context, uint32_t steps); /* called after each superframe; NULL: none */
    pb_crossing_fn *visit; /* called for each crossing in order of time; NULL: none */
    /* A run of PB_ENGINE_SLOT that goes on later, in another process: is_due (NULL: never) is called after
     * each superframe, and where it returns true, keep gets all that the rest of the run depends on, and
     * frees it. Any code of keep ends the run, with its diagnostic. */
    bool (*is_due)(void *context, uint32_t steps);
    int (*keep)(void *context, uint8_t *state, size_t bytes, struct pb_diag *diag);
    void *context;
    /* What keep got in a run with the same options and traffic: the run goes on there, and the result is that
     * of one that never ended. Borrowed until is_due is called; NULL: none. */
    const uint8_t *state;
    size_t state_bytes;
};

struct pb_machine_result {
    uint32_t warm_up, superframes, senders;
    bool settled;  /* the transient was over within the warm-up, or there was none to detect */
    bool finished; /* a batch or a trace: nothing is left */
    /* Of the measured superframes. Valiant: messages, not legs. Closed loop: requests with their answers. */
    uint64_t offered;   /* released; closed loop: completed or lost, and begun anew */
    uint64_t completed; /* arrived at their destination; closed loop: answered */
    uint64_t dropped;   /* by full nodes */
    uint64_t local, unreachable;
    uint64_t crossings;
    /* Of a batch or trace, which are measured whole, without an interval: */
    struct pb_batch_means throughput; /* completed ones of a sender and superframe */
    struct pb_batch_means latency;    /* phases from the release to the end of the last crossing */
    uint32_t latency_min, latency_max, p50, p95, p99; /* of rank ceil(p n); 0 if none is complete */
    uint64_t *latencies;                              /* [phases]: how many took this long; latency_max + 1 */
    struct pb_batch_means occupancy;   /* messages in a node, mean over nodes and superframe ends */
    uint32_t max_occupancy, max_queue; /* of the whole run; max_queue: 0 under the opportunistic rule */
    double growth;  /* messages in flight that come to those of the superframe before, mean */
    bool saturated; /* growth is significant, and came to half of the mean of the messages in flight */
    uint32_t last_crossing; /* superframes up to that of the last crossing of the whole run, inclusive */
    double *course; /* messages in flight, from superframe 0 on, each the mean of `course_every` ones */
    size_t courses;
    uint32_t course_every;
    double *link; /* [node * ports + port]: share of the measured superframes in which it carried a message */
    struct pb_machine_seen seen; /* PB_ENGINE_BENCH */
    uint64_t compared; /* PB_ENGINE_ALL: crossings that all engines share, of the whole run */
    /* PB_ENGINE_ALL: the run ends with it, and the other results are empty. */
    struct pb_machine_difference difference;
};

/* Compares, after each superframe, released with delivered + dropped + in flight, each counted apart: at the
 * source, at the destinations, in the queues. Compares Little's law after the last superframe,
 * exactly: the sum of the messages in flight over all phases is the sum of the phases that each message was
 * in flight. PB_ERR_IO: one does not hold, an error of the bench. PB_ERR_ARGUMENT: no superframe, or as
 * pb_machine_engine_check and pb_machine_engine_check_kept. PB_ERR_CONFIG: the state is of no such run; any
 * bytes are safe. PB_ERR_MEMORY. After an error *out is empty. Release with pb_machine_result_free. */
int pb_machine_run(struct pb_machine_result *out, const struct pb_machine_options *options,
                   struct pb_diag *diag);
void pb_machine_result_free(struct pb_machine_result *result);

/* About how many bytes a result takes. */
uint64_t pb_machine_result_bytes(const struct pb_network *network);
/* About how many bytes such a run takes at most, its result among them; `limit`: of pb_machine_limit, above
 * which messages pile up. */
uint64_t pb_machine_bytes(const struct pb_machine_options *options,
                          const struct pb_machine_traffic_options *traffic, double limit);

/* ---- saturation */

struct pb_saturation {
    double load;         /* in the middle of both */
    double lower, upper; /* at the lower load a backlog becomes less, at the upper one more */
    unsigned runs;
};

/* In dimension order: the load from which on queues grow without end, by bisection to `tolerance` (as
 * 0.005) of it. Each load is tried on a machine with a backlog, which a load above makes for a while:
 * whether that grows or shrinks shows within some hundred superframes, where an empty machine needs
 * thousands. Where neither is significant in 32 trials, lower and upper are further apart. An open loop;
 * its load is ignored. PB_ERR_ARGUMENT, PB_ERR_MEMORY. */
int pb_machine_saturation(struct pb_saturation *out, const struct pb_network *network,
                          const struct pb_machine_traffic_options *traffic, double tolerance,
                          void (*progress)(void *context, uint32_t steps), void *context,
                          struct pb_diag *diag);

PB_API_END

#endif
