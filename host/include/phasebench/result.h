/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Result of a run: the one source of exit code, terminal text, JSON, JUnit, TAP and HTML. The check fills it,
 * the report reads it. Times are picoseconds from the first phase edge, the same instant on every rig, and
 * negative before it. Times within a phase count from the clock edge of that phase.
 */
#ifndef PHASEBENCH_RESULT_H
#define PHASEBENCH_RESULT_H

#include "phasebench/api.h"
#include "phasebench/cube.h"
#include "phasebench/error.h"
#include "phasebench/measurement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

enum pb_verdict { PB_VERDICT_PASS, PB_VERDICT_MARGINAL, PB_VERDICT_FAIL, PB_VERDICT_INCONCLUSIVE };

/* X(name, id, meaning). --json prints the id. */
#define PB_FINDING_LIST(X)                                                                                   \
    X(NODE_DIED, "node_died", "the process of a node ended")                                                 \
    X(NODE_HUNG, "node_hung", "the process of a node did not answer")                                        \
    X(NODE_PROTOCOL, "node_protocol", "the process of a node sent what the protocol does not allow")         \
    X(NODE_TRAPPED, "node_trapped", "the processor of an emulated node did what its data sheet forbids")     \
    X(NOT_MODELLED, "not_modelled", "the model of an MCU lacks what the firmware of a node uses")            \
    X(MISSING, "missing_frame", "a slot frame that the schedule demands did not appear")                     \
    X(UNEXPECTED, "unexpected_activity", "a line was pulled low where no transmission is expected")          \
    X(WRONG_BYTES, "wrong_bytes", "the frame on the line is not the expected one")                           \
    X(FRAMING, "framing_error", "a byte without a valid stop bit")                                           \
    X(EARLY, "early_start", "a transmission began inside the head guard")                                    \
    X(LATE, "late_start", "a transmission began later than the limit allows")                                \
    X(OVERRUN, "guard_violation", "a line was low inside the tail guard")                                    \
    X(BAUD, "baud_error", "the measured bit time is outside the limit")                                      \
    X(LATENCY, "latency_exceeded", "a message arrived later than the bound that applies")                    \
    X(UNDELIVERED, "undelivered", "a message had not arrived when the run ended")                            \
    X(STIMULUS, "stimulus_error", "the bench did not drive the line as expected")                            \
    X(CLOCK, "phase_clock_error", "the phase clock differs from the configured one")                         \
    X(CLOCK_LATE, "clock_late_edge", "one edge of TDMA_CLK came late")                                       \
    X(CLOCK_EARLY, "clock_early_edge", "one edge of TDMA_CLK came early")                                    \
    X(CLOCK_MISSING, "clock_missing_edge", "an edge of TDMA_CLK did not come")                               \
    X(CLOCK_EXTRA, "clock_extra_edge", "TDMA_CLK rose where no phase begins")                                \
    X(SYNC_MISSING, "sync_missing", "TDMA_SYNC was low at the edge that begins a superframe")                \
    X(SYNC_EXTRA, "sync_extra", "TDMA_SYNC was high at an edge that begins no superframe")                   \
    X(JITTER, "clock_jitter", "the edges of TDMA_CLK scatter by more than the resolution")                   \
    X(DRIFT, "clock_drift", "the rate of TDMA_CLK differs from the configured rate")                         \
    X(STUCK, "line_stuck", "a line that should be high stayed low")                                          \
    X(OPEN, "line_open", "the bench pulls, and its line stays high")                                         \
    X(SHORT, "line_short", "two lines follow each other")                                                    \
    X(SLOW_RISE, "slow_rise", "the falling edges are in time and the rising ones late")                      \
    X(BIT_SHAPE, "bit_shape", "an edge lies farther from its bit boundary than a receiver tolerates")        \
    X(GLITCH, "glitch", "a pulse shorter than a bit")                                                        \
    X(CONTENTION, "contention", "two sides pulled a line low at once")                                       \
    X(OUTSIDE, "outside_phase", "a node pulled a line outside its phase")                                    \
    X(BABBLE, "babble", "a sender continues where no transmission is expected")                              \
    X(NOT_APPLIED, "fault_not_applied", "an injected fault has no receipt")                                  \
    X(UNDETECTED, "fault_undetected", "an injected fault was not found within one superframe")               \
    X(WATCHDOG, "watchdog_tripped", "the core entered the safe state because the host was silent")           \
    X(LOSS, "events_lost", "the capture lost events, so absence proves nothing")                             \
    X(EDGE_LOST, "edge_lost", "a line moved twice in the same direction: an edge between was not captured")  \
    X(CONSOLE, "console_error", "the node's console refused or did not answer")                              \
    X(LOW_BEFORE, "low_before_clock", "a line was low before the first phase")                               \
    X(RESET, "reset_ignored", "a node was not silent while NRST was low")                                    \
    X(HELD_HIGH, "line_held_high", "the bench pulls a line low, and another side holds it high")             \
    X(BEYOND, "unused_link_low", "a link pin that no dimension uses was low")                                \
    X(CONSOLE_NOISE, "console_noise", "bytes on UART0_TX that answer no command")                            \
    X(IDENTITY, "identity_error", "the node reports another identity than the scenario's")                   \
    X(COUNTERS, "counter_error", "a counter of the node differs from the events seen on its lines")

enum pb_finding_kind {
#define PB_FINDING_ENUM(name, id, text) PB_FINDING_##name,
    PB_FINDING_LIST(PB_FINDING_ENUM)
#undef PB_FINDING_ENUM
        PB_FINDING_KINDS
};

struct pb_finding {
    enum pb_finding_kind kind;
    bool marginal;       /* within the uncertainty of the limit; alone it does not fail the run */
    int64_t time_ps;     /* from the first phase edge; findings are in time order */
    uint32_t superframe; /* >= superframes of the run: after the run (docs/node.md) */
    unsigned phase;
    int link;      /* -1: none */
    int dimension; /* -1 */
    int bit;       /* bit index in the slot frame from its first start bit, 10 per byte; -1 */
    int fault;     /* injected fault that explains it and excludes it from the verdict; -1: none */
    int sender;    /* enum pb_sender of its frame; -1 */
    /* Index of the figure that it judges in the result's list; -1: none. */
    int measurement;
    char expected[192];
    char seen[192];
};

struct pb_result;
/* True if the finding counts against a node: neither the bench nor an injected fault explains it. */
bool pb_finding_is_of_node(const struct pb_finding *finding);
/* True if the finding concerns the time after the run; its superframe is then not part of the schedule. */
bool pb_finding_is_after(const struct pb_result *result, const struct pb_finding *finding);

struct pb_hypothesis {
    char name[32];       /* "link load", "buffer occupancy", ... */
    char condition[128]; /* "no directed link is wanted twice in a superframe" */
    char detail[128];    /* "largest load 5 on 0x2A3 -> 0x2A2" */
    bool holds;
};

enum pb_sender { PB_SENDER_NODE, PB_SENDER_BENCH };

/* Source of a line's rise time, from release to the high level: none; measured before the run; set by the
 * scenario (link.rise). DRIVEN: the senders drive the line high. */
enum pb_rise_source { PB_RISE_UNKNOWN, PB_RISE_MEASURED, PB_RISE_SET, PB_RISE_DRIVEN };
#define PB_RISE_PULSES 4
struct pb_line_rise {
    enum pb_rise_source source;
    int64_t min_ps, max_ps; /* 0: unknown */
    unsigned pulses;        /* measured; 0: none */
    int64_t pulse_ps[PB_RISE_PULSES];
};
#define PB_RISE_LINKS 64

/* Effect of a contribution on means and differences. The scatter of the values shows STEP and RANDOM. The
 * other kinds are the same in each value, so no mean removes them. SKEW is between two pins, so a difference
 * has it once. SCALE is proportional to the length of an interval. */
enum pb_uncertainty_kind {
    PB_UNCERTAINTY_STEP,
    PB_UNCERTAINTY_RANDOM,
    PB_UNCERTAINTY_DUTY,
    PB_UNCERTAINTY_SKEW,
    PB_UNCERTAINTY_SCALE,
    PB_UNCERTAINTY_LEVEL,
    PB_UNCERTAINTY_PATH /* from the register that drives TDMA_CLK to the one that samples a link */
};

/* Contribution to the uncertainty of an instant of a line, ps: half-width of a rectangular, or standard
 * deviation of a normal distribution. */
struct pb_uncertainty_row {
    char name[40];
    enum pb_uncertainty_kind kind; /* not in result.json */
    bool normal;
    int64_t fall_ps, rise_ps;
    int64_t fall_late_ps, rise_late_ps; /* mean delay: taken off what is measured of a node; not in JSON */
};
#define PB_BUDGET_MAX 10

/* An injected fault, in the order of the scenario. Times are from the first phase edge. */
struct pb_fault_row {
    unsigned kind;        /* PB_FAULT_* */
    int link, other_link; /* -1: none */
    uint32_t superframe;
    unsigned phase;
    bool began, ended;           /* receipts; a drift or jitter without end ends with the run */
    int64_t start_ps, length_ps; /* by the receipts */
    bool detected;       /* by a finding of its kind, within a superframe of its start */
    int64_t detected_ps; /* time of that finding */
    enum pb_finding_kind
        found_as;    /* kind of the first finding it explains; PB_FINDING_KINDS: none */
    bool unsought;   /* not observable: no edges were captured of its line, or the sender drives the line
                        high against it */
    size_t explains; /* findings */
};

/* X(name, key): counters of a node, by the keys of its answer to T (docs/node.md). */
#define PB_COUNTER_LIST(X)                                                                                   \
    X(EDGES, "edges")                                                                                        \
    X(SUPERFRAMES, "superframes")                                                                            \
    X(ALIGNMENT_ERRORS, "alignment_errors")                                                                  \
    X(MISSED_EDGES, "missed_edges")                                                                          \
    X(EXTRA_EDGES, "extra_edges")                                                                            \
    X(RX_FRAMES, "rx_frames")                                                                                \
    X(RX_CRC_ERRORS, "rx_crc_errors")                                                                        \
    X(RX_LENGTH_ERRORS, "rx_length_errors")                                                                  \
    X(RX_MARK_ERRORS, "rx_mark_errors")                                                                      \
    X(RX_FRAMING_ERRORS, "rx_framing_errors")                                                                \
    X(RX_CUT, "rx_cut")                                                                                      \
    X(RX_BAD_DESTINATIONS, "rx_bad_destinations")                                                            \
    X(DELIVERED, "delivered")                                                                                \
    X(FORWARDED, "forwarded")                                                                                \
    X(OWN_MESSAGES, "own_messages")                                                                          \
    X(TX_FRAMES, "tx_frames")                                                                                \
    X(TX_CUT, "tx_cut")                                                                                      \
    X(LATE_STARTS, "late_starts")                                                                            \
    X(QUEUE_DROPS, "queue_drops")                                                                            \
    X(MAX_QUEUE, "max_queue")                                                                                \
    X(MAX_STORED, "max_stored")                                                                              \
    X(CONSOLE_LINES, "console_lines")                                                                        \
    X(CONSOLE_ERRORS, "console_errors")

enum pb_counter {
#define PB_COUNTER_ENUM(name, key) PB_COUNTER_##name,
    PB_COUNTER_LIST(PB_COUNTER_ENUM)
#undef PB_COUNTER_ENUM
        PB_COUNTERS
};

/* Evidence of a node: none, received frames by its own counters, or frames that it sent. */
enum pb_evidence { PB_EVIDENCE_NONE, PB_EVIDENCE_COUNTERS, PB_EVIDENCE_FRAMES };

/* A node under test, in the order of the scenario. */
#define PB_NODE_ROWS_MAX 16
struct pb_node_row {
    uint32_t address;
    char kind[24];      /* as the node reports it, or "unidentified" */
    char identity[128]; /* its answer to the console command I, printable; "": none */
    /* Correct frames on its lines: sent own messages, sent messages of others, received, and received
     * messages for itself. */
    uint64_t sent, forwarded, received, delivered;
    bool counted;                 /* its counters were read after the run */
    int64_t counter[PB_COUNTERS]; /* -1: no such counter */
    enum pb_evidence evidence;
    char unchecked[16][160]; /* checks not possible on it, one clause each; room for more than there are */
    unsigned unchecks;
};

/* One crossing on a line of the rig, expected or seen, in time order. */
#define PB_HOPS_FIRST 5000 /* rows from the beginning of the run */
struct pb_hop_row {
    size_t message; /* index into the traffic list; SIZE_MAX: no message */
    uint32_t source, destination;
    uint32_t superframe;
    unsigned phase, dimension;
    uint32_t from, to;
    unsigned link;
    enum pb_sender sender;
    bool seen, correct;
    /* First and last instant at which the line was low, from the phase edge; -1 when not seen. */
    int64_t start_ps, end_ps;
    unsigned byte_count;
    uint8_t bytes[96]; /* as seen */
};

/* Histogram of the starts of nodes' frames at a link; all links share one axis. */
#define PB_HISTOGRAM_BINS 40
struct pb_histogram {
    int64_t from_ps, bin_ps;
    uint32_t bin[PB_HISTOGRAM_BINS];
    uint32_t below, above;
};

struct pb_result {
    /* the run */
    char scenario[96], scenario_path[256], rig[96], nodes[256]; /* nodes: "0x2A3 native, ..." */
    char command[256];                                          /* the command line that repeats this run */
    uint64_t seed;
    struct pb_network network;
    char network_name[PB_NETWORK_TEXT_SIZE]; /* as pb_network_parse reads it */
    enum pb_rule rule;
    char codec[8];
    uint64_t phase_rate_mhz, baud_hz, core_clock_hz;
    int64_t phase_ps, guard_ps, head_guard_ps; /* guard: head and tail guard together */
    int64_t start_min_ps, start_max_ps;        /* a node may start to send between these; both 0: any time */
    int64_t resolution_ps;                     /* of a time stamp: a tick */
    int64_t edge_resolution_ps; /* of an edge of a line; half a tick if the core reports half ticks */
    int64_t uncertainty_ps;     /* U95 of each start of a node's frame */
    unsigned lines;             /* of the network's nodes: links 0 .. lines - 1 */
    enum pb_rise_source rise_source[PB_RISE_LINKS];
    char board[24]; /* the source of the budget; "": simulated core */
    struct pb_uncertainty_row budget[PB_BUDGET_MAX];
    unsigned budget_rows;
    /* Of a rise of TDMA_CLK at its pin, driven or stamped by the bench; in rise_ps. Not in result.json. */
    struct pb_uncertainty_row clock_budget[PB_BUDGET_MAX];
    unsigned clock_budget_rows;
    int64_t u95_fall_ps, u95_rise_ps; /* of their sum */
    /* Taken off each start and end of a node's frame, from its phase edge: the mean delays of both budgets.
     * 0: simulated core. Not in result.json. */
    int64_t late_fall_ps, late_rise_ps;
    uint32_t superframes;
    char rest[8]; /* "ideal" or "reacts", as the scenario says */
    unsigned payload_bytes, frame_bytes;
    char capture[8];          /* captured of the lines: "edges" (and bytes) or "bytes" */
    char capture_reason[256]; /* why no edges, or the limit of the host link; "" */
    char environment[512];    /* "key=value; ..." : program version, compiler, kernel, core id and map hash */
    char started_utc[32];

    /* the findings */
    enum pb_verdict verdict;
    char reason[256]; /* one sentence */
    /* Why the run ended early, so that only the part before is judged. "": complete. */
    char incomplete[256];
    char bound[256]; /* the bound that applies, with its rule and start assumption */
    uint32_t bound_superframes;
    unsigned bound_phases;
    struct pb_hypothesis hypothesis[8];
    unsigned hypotheses;
    struct pb_finding *finding; /* owned */
    size_t findings;            /* stored */
    size_t findings_total;      /* found; may exceed `findings` */
    struct pb_fault_row *fault; /* owned */
    size_t faults;
    uint64_t alarms;        /* of the core, captured */
    struct pb_hop_row *hop; /* owned */
    size_t hops;            /* stored: PB_HOPS_FIRST, and 500 from the superframe of the first finding on */
    uint64_t hops_total;
    struct pb_node_row node[PB_NODE_ROWS_MAX];
    unsigned node_rows;
    struct pb_measurement *measurement; /* owned; by figure, then by link */
    size_t measurements;
    struct pb_histogram histogram[PB_RISE_LINKS];
    uint64_t messages, messages_through_rig, delivered, late;
    /* With rest "reacts". lost_messages: messages that a node of the rig did not forward. taken_out: those of
     * them that were removed from the rest of the network before they arrived. reaction_superframes: largest
     * number of superframes from a loss to the removal. */
    uint64_t lost_messages, taken_out;
    uint32_t reaction_superframes;
    uint32_t worst_latency_phases;
    uint64_t events, events_lost, slots_checked, bytes_seen, edges_seen;
    int64_t simulated_ps;   /* 0: real rig */
    int64_t clock_start_ps; /* the first phase edge, from power-up of the core; 0: none */
    int64_t wall_ns;
    char trace_path[256]; /* FST window around the first failure; "": none */
    char steps_path[256]; /* instructions of a firmware image around it, as text; "": none */
};

const char *pb_verdict_name(enum pb_verdict verdict);        /* "pass", "marginal", "fail", "inconclusive" */
int pb_verdict_exit_code(enum pb_verdict verdict);           /* 0, 0, 1, 5 */
const char *pb_rise_source_name(enum pb_rise_source source); /* "unknown", "measured", "set", "driven" */
const char *pb_finding_id(enum pb_finding_kind kind);
const char *pb_finding_text(enum pb_finding_kind kind);
const char *pb_counter_key(int counter);
const char *pb_evidence_name(int evidence); /* "none", "counters", "frames" */
/* Clause `index` of the checks that this capture and these nodes do not allow; NULL beyond the last. */
const char *pb_result_unchecked(const struct pb_result *result, unsigned index);
void pb_result_free(struct pb_result *result); /* NULL: no effect */

/* Checks that several runs did not make: the subject of each clause, "its counters (console command T)",
 * without node and reason, and the number of runs that have it. Empty: all zero. */
#define PB_UNCHECKED_ROWS 16
struct pb_unchecked {
    struct {
        char what[80];
        size_t runs;
    } row[PB_UNCHECKED_ROWS];
    unsigned rows;
    size_t more; /* subjects beyond these, counted by run */
};
void pb_unchecked_take(struct pb_unchecked *all, const struct pb_result *result);
void pb_unchecked_add(struct pb_unchecked *all, const struct pb_unchecked *other);
/* "its counters (console command T) in 42, ... in 3 of 46 runs"; "" for nothing. noun: plural. Returns
 * text. */
#define PB_UNCHECKED_TEXT 2048
const char *pb_unchecked_text(const struct pb_unchecked *all, size_t runs, const char *noun,
                              char text[PB_UNCHECKED_TEXT]);

PB_API_END

#endif
