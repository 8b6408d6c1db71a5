/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a run found: the one object from which exit code, terminal text, JSON, JUnit, TAP and HTML are made.
 * The check fills it, the report reads it. Times are picoseconds. They count from the first phase edge, which
 * is the same instant on every rig, and are negative before it; a phase's times count from its own clock
 * edge.
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

/* X(name, id, what it means). The id is what --json prints. */
#define PB_FINDING_LIST(X)                                                                                   \
    X(MISSING, "missing_frame", "a slot frame that the schedule demands did not appear")                     \
    X(UNEXPECTED, "unexpected_activity", "a line was pulled low where the plan explains nothing")            \
    X(WRONG_BYTES, "wrong_bytes", "the frame on the line is not the expected one")                           \
    X(FRAMING, "framing_error", "a byte without a valid stop bit")                                           \
    X(EARLY, "early_start", "a transmission began inside the head guard")                                    \
    X(LATE, "late_start", "a transmission began later than the limit allows")                                \
    X(OVERRUN, "guard_violation", "a line was low inside the tail guard")                                    \
    X(BAUD, "baud_error", "the measured bit time is outside the limit")                                      \
    X(LATENCY, "latency_exceeded", "a message arrived later than the bound that applies")                    \
    X(UNDELIVERED, "undelivered", "a message had not arrived when the run ended")                            \
    X(STIMULUS, "stimulus_error", "the bench did not put on the line what it planned")                       \
    X(CLOCK, "phase_clock_error", "the phase clock is not what was ordered")                                 \
    X(CLOCK_LATE, "clock_late_edge", "one edge of TDMA_CLK came late")                                       \
    X(CLOCK_EARLY, "clock_early_edge", "one edge of TDMA_CLK came early")                                    \
    X(CLOCK_MISSING, "clock_missing_edge", "an edge of TDMA_CLK did not come")                               \
    X(CLOCK_EXTRA, "clock_extra_edge", "TDMA_CLK rose where no phase begins")                                \
    X(SYNC_MISSING, "sync_missing", "TDMA_SYNC was low at the edge that begins a superframe")                \
    X(SYNC_EXTRA, "sync_extra", "TDMA_SYNC was high at an edge that begins no superframe")                   \
    X(JITTER, "clock_jitter", "the edges of TDMA_CLK scatter by more than the resolution")                   \
    X(DRIFT, "clock_drift", "the rate of TDMA_CLK differs from the ordered one")                             \
    X(STUCK, "line_stuck", "a line that should be high stayed low")                                          \
    X(OPEN, "line_open", "the bench pulls, and its line stays high")                                         \
    X(SHORT, "line_short", "two lines follow each other")                                                    \
    X(SLOW_RISE, "slow_rise", "the falling edges are in time and the rising ones late")                      \
    X(BIT_SHAPE, "bit_shape", "an edge lies farther from its bit boundary than a receiver tolerates")        \
    X(GLITCH, "glitch", "a pulse shorter than a bit")                                                        \
    X(CONTENTION, "contention", "two sides pulled a line low at once")                                       \
    X(OUTSIDE, "outside_phase", "a node pulled a line outside its phase")                                    \
    X(BABBLE, "babble", "a sender that goes on where nothing belongs")                                       \
    X(NOT_APPLIED, "fault_not_applied", "an injected fault has no receipt")                                  \
    X(UNDETECTED, "fault_undetected", "an injected fault was not found within one superframe")               \
    X(WATCHDOG, "watchdog_tripped", "the core made itself safe because the host was silent")                 \
    X(LOSS, "events_lost", "the capture lost events, so absence proves nothing")                             \
    X(EDGE_LOST, "edge_lost", "a line moved twice in the same direction: an edge between was not captured")  \
    X(CONSOLE, "console_error", "the node's console refused or did not answer")                              \
    X(LOW_BEFORE, "low_before_clock", "a line was low before the first phase")                               \
    X(RESET, "reset_ignored", "a node was not silent while NRST was low")                                    \
    X(HELD_HIGH, "line_held_high", "the bench pulls a line low, and another side holds it high")             \
    X(BEYOND, "unused_link_low", "a link pin that no dimension uses was low")                                \
    X(CONSOLE_NOISE, "console_noise", "bytes on UART0_TX that answer no command")                            \
    X(IDENTITY, "identity_error", "the node says that it is another one than the scenario's")                \
    X(COUNTERS, "counter_error", "the node counted something else than was seen on its lines")

enum pb_finding_kind {
#define PB_FINDING_ENUM(name, id, text) PB_FINDING_##name,
    PB_FINDING_LIST(PB_FINDING_ENUM)
#undef PB_FINDING_ENUM
        PB_FINDING_KINDS
};

struct pb_finding {
    enum pb_finding_kind kind;
    bool marginal;       /* within the measurement uncertainty of the limit: does not fail by itself */
    int64_t time_ps;     /* from the first phase edge; findings are in time order */
    uint32_t superframe; /* the number of superframes of the run, or more: after the run (docs/node.md) */
    unsigned phase;
    int link;      /* -1: no particular line */
    int dimension; /* -1 */
    int bit;       /* bit index in the slot frame from its first start bit, 10 per byte; -1 */
    int fault;     /* index of the injected fault that explains it, which then counts against nobody; -1 */
    int sender;    /* enum pb_sender of the frame it is about; -1 */
    /* Place in the result's list of the figure that it judges; -1: it judges none. */
    int measurement;
    char expected[192];
    char seen[192];
};

struct pb_result;
/* Whether it is about what the nodes did when the run was over; its superframe has no place in the schedule.
 */
bool pb_finding_is_after(const struct pb_result *result, const struct pb_finding *finding);

struct pb_hypothesis {
    char name[32];       /* "link load", "buffer occupancy", ... */
    char condition[128]; /* what must hold: "no directed link is wanted twice in a superframe" */
    char detail[128];    /* what was found: "largest load 5 on 0x2A3 -> 0x2A2" */
    bool holds;
};

enum pb_sender { PB_SENDER_NODE, PB_SENDER_BENCH };

/* How long a line takes from its release to the high level, and how that is known: not; by a measurement
 * before the run; by the scenario (link.rise). DRIVEN: its senders drive it high. */
enum pb_rise_source { PB_RISE_UNKNOWN, PB_RISE_MEASURED, PB_RISE_SET, PB_RISE_DRIVEN };
#define PB_RISE_PULSES 4
struct pb_line_rise {
    enum pb_rise_source source;
    int64_t min_ps, max_ps; /* 0 when not known */
    unsigned pulses;        /* measured; 0: none */
    int64_t pulse_ps[PB_RISE_PULSES];
};
#define PB_RISE_LINKS 64

/* What makes an instant of a line uncertain, in ps: half-widths of rectangles, or standard deviations of
 * normal distributions. */
struct pb_uncertainty_row {
    char name[40];
    bool normal;
    int64_t fall_ps, rise_ps;
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
    bool detected;       /* by a finding of the kind that names it, within a superframe of its start */
    int64_t detected_ps; /* time of that finding */
    enum pb_finding_kind
        found_as;    /* of the first finding it explains, named rightly or not; PB_FINDING_KINDS: none */
    bool unsought;   /* nothing shows it: it needs edges, and none were recorded of its line; or the sender
                        drives the line high against it */
    size_t explains; /* findings */
};

/* X(name, key): what a node may count, by the keys of its answer to T (docs/node.md). */
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
    X(QUEUE_DROPS, "queue_drops")

enum pb_counter {
#define PB_COUNTER_ENUM(name, key) PB_COUNTER_##name,
    PB_COUNTER_LIST(PB_COUNTER_ENUM)
#undef PB_COUNTER_ENUM
        PB_COUNTERS
};

/* What speaks for a node: nothing, frames that it received by its own counters, or frames that it sent. */
enum pb_evidence { PB_EVIDENCE_NONE, PB_EVIDENCE_COUNTERS, PB_EVIDENCE_FRAMES };

/* A node under test, in the order of the scenario. */
#define PB_NODE_ROWS_MAX 16
struct pb_node_row {
    uint32_t address;
    char kind[24];      /* as it calls itself; "unidentified" */
    char identity[128]; /* its answer to the console command I, printable; "" without one */
    /* Right frames on its lines: messages of its own and of others that it sent, all that came, and of those
     * the ones for itself. */
    uint64_t sent, forwarded, received, delivered;
    bool counted;                 /* it has counters, and they were read after the run */
    int64_t counter[PB_COUNTERS]; /* -1: it has no such counter */
    enum pb_evidence evidence;
    char unchecked[6][160]; /* what could not be checked about it, a clause each */
    unsigned unchecks;
};

/* One crossing that touched a line of the rig, expected or seen, in time order. */
struct pb_hop_row {
    size_t message; /* index into the traffic list; SIZE_MAX: explained by no message */
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

/* Starts of nodes' frames at a link; the same axis for every link. */
#define PB_HISTOGRAM_BINS 40
struct pb_histogram {
    int64_t from_ps, bin_ps;
    uint32_t bin[PB_HISTOGRAM_BINS];
    uint32_t below, above;
};

struct pb_result {
    /* what was run */
    char scenario[96], scenario_path[256], rig[96], nodes[256]; /* nodes: "0x2A3 native, ..." */
    char command[256];                                          /* the line that repeats this run exactly */
    uint64_t seed;
    struct pb_network network;
    char network_name[PB_NETWORK_TEXT_SIZE]; /* as pb_network_parse reads it */
    enum pb_rule rule;
    char codec[8];
    uint64_t phase_rate_mhz, baud_hz, core_clock_hz;
    int64_t phase_ps, guard_ps, head_guard_ps; /* guard: both guards of a phase together */
    int64_t start_min_ps, start_max_ps;        /* a node may start to send between these; both 0: any time */
    int64_t resolution_ps;                     /* of a time stamp: a tick */
    int64_t edge_resolution_ps; /* of an edge of a line; half a tick when the core tells halves */
    int64_t uncertainty_ps;     /* U95 of each start of a node's frame */
    unsigned lines;             /* of the network's nodes: links 0 .. lines - 1 */
    enum pb_rise_source rise_source[PB_RISE_LINKS];
    char board[24]; /* whose figures the budget has; "" for a simulated core */
    struct pb_uncertainty_row budget[PB_BUDGET_MAX];
    unsigned budget_rows;
    int64_t u95_fall_ps, u95_rise_ps; /* of their sum */
    uint32_t superframes;
    unsigned payload_bytes, frame_bytes;
    char capture[8];          /* what was recorded of the lines: "edges" (and bytes) or "bytes" */
    char capture_reason[256]; /* why no edges, or what the host link cannot carry; "" */
    char environment[512];    /* "key=value; ..." : program version, compiler, kernel, core id and map hash */
    char started_utc[32];

    /* what was found */
    enum pb_verdict verdict;
    char reason[256]; /* one sentence */
    /* Why the run ended early: only what came before is judged; "" for a whole run. */
    char incomplete[256];
    char bound[256]; /* the bound that applies, with its rule and start assumption */
    uint32_t bound_superframes;
    unsigned bound_phases;
    struct pb_hypothesis hypothesis[8];
    unsigned hypotheses;
    struct pb_finding *finding; /* owned */
    size_t findings;            /* stored */
    size_t findings_total;      /* found; more than stored when there were very many */
    struct pb_fault_row *fault; /* owned */
    size_t faults;
    uint64_t alarms;        /* of the core, as captured */
    struct pb_hop_row *hop; /* owned */
    size_t hops;
    struct pb_node_row node[PB_NODE_ROWS_MAX];
    unsigned node_rows;
    struct pb_measurement *measurement; /* owned; by figure, then by link */
    size_t measurements;
    struct pb_histogram histogram[PB_RISE_LINKS];
    uint64_t messages, messages_through_rig, delivered, late;
    uint32_t worst_latency_phases;
    uint64_t events, events_lost, slots_checked, bytes_seen, edges_seen;
    int64_t simulated_ps;   /* 0 on a real rig */
    int64_t clock_start_ps; /* the first phase edge, from power-up of the core; 0 without one */
    int64_t wall_ns;
    char trace_path[256]; /* FST window around the first failure; "" when there is none */
};

const char *pb_verdict_name(enum pb_verdict verdict);        /* "pass", "marginal", "fail", "inconclusive" */
int pb_verdict_exit_code(enum pb_verdict verdict);           /* 0, 0, 1, 5 */
const char *pb_rise_source_name(enum pb_rise_source source); /* "unknown", "measured", "set", "driven" */
const char *pb_finding_id(enum pb_finding_kind kind);
const char *pb_finding_text(enum pb_finding_kind kind);
const char *pb_counter_key(int counter);
const char *pb_evidence_name(int evidence); /* "none", "counters", "frames" */
/* What could not be checked, with this capture and of these nodes: clause `index` of it, NULL beyond the
 * last. */
const char *pb_result_unchecked(const struct pb_result *result, unsigned index);
void pb_result_free(struct pb_result *result); /* what it owns, and itself; NULL is fine */

PB_API_END

#endif
