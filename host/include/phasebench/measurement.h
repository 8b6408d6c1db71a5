/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measured figures of a run: one list in struct pb_result, the source of every table of figures and of the
 * comparison of two runs. docs/reference/measurements.md describes each figure.
 */
#ifndef PHASEBENCH_MEASUREMENT_H
#define PHASEBENCH_MEASUREMENT_H

#include "phasebench/api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

enum pb_unit {
    PB_UNIT_PS,
    PB_UNIT_PPB,
    PB_UNIT_PHASES,
    PB_UNIT_PPM,
    PB_UNIT_BYTES,
    PB_UNIT_INSTRUCTIONS,
    PB_UNIT_MESSAGES,
    PB_UNIT_COUNT,
    PB_UNIT_MHZ /* millihertz */
};

/* Rule that compares a value with its limits. */
enum pb_decision {
    PB_DECISION_NONE,  /* no limit */
    PB_DECISION_U95,   /* pass: within limit - U95; fail: beyond limit + U95; marginal: between */
    PB_DECISION_LIMIT, /* the limit includes the uncertainty: fail beyond it */
    PB_DECISION_RANGE  /* fail: the least value is beyond; marginal: the largest value + U95 is beyond */
};

/* Subject of a figure: the whole run, each link, or each node. */
enum pb_place { PB_OF_RUN, PB_OF_LINK, PB_OF_NODE };

/* X(name, id, unit, decision, place, text). The ids are stable. */
#define PB_FIGURE_LIST(X)                                                                                    \
    X(NODE_START, "node_start", PB_UNIT_PS, PB_DECISION_U95, PB_OF_LINK,                                     \
      "start of a node's frame after the phase edge")                                                        \
    X(NODE_END, "node_end", PB_UNIT_PS, PB_DECISION_U95, PB_OF_LINK,                                         \
      "release of the line after a node's frame, before the next phase edge")                                \
    X(NODE_BIT_TIME, "node_bit_time", PB_UNIT_PPB, PB_DECISION_U95, PB_OF_LINK,                              \
      "deviation of a node's bit time, longer above 0")                                                      \
    X(NODE_BYTE_TIME, "node_byte_time", PB_UNIT_PPB, PB_DECISION_U95, PB_OF_LINK,                            \
      "deviation of a node's bit time within the bytes of a frame, longer above 0")                          \
    X(NODE_BIT_SHAPE, "node_bit_shape", PB_UNIT_PS, PB_DECISION_U95, PB_OF_LINK,                             \
      "distance of an edge of a node's frame from its limit, the least of the frame")                        \
    X(BENCH_START, "bench_start", PB_UNIT_PS, PB_DECISION_LIMIT, PB_OF_LINK,                                 \
      "start of a frame of the bench after its scheduled start")                                             \
    X(BENCH_END, "bench_end", PB_UNIT_PS, PB_DECISION_U95, PB_OF_LINK,                                       \
      "release of the line after a frame of the bench, before the next phase edge")                          \
    X(BENCH_BIT_TIME, "bench_bit_time", PB_UNIT_PPB, PB_DECISION_LIMIT, PB_OF_LINK,                          \
      "deviation of the bench's bit time, longer above 0")                                                   \
    X(BENCH_BIT_SHAPE, "bench_bit_shape", PB_UNIT_PS, PB_DECISION_U95, PB_OF_LINK,                           \
      "distance of an edge of a frame of the bench from its limit, the least of the frame")                  \
    X(LINE_RISE, "line_rise", PB_UNIT_PS, PB_DECISION_RANGE, PB_OF_LINK,                                     \
      "rise of a line from its release to the high level, before the run")                                   \
    X(CLOCK_PERIOD, "clock_period", PB_UNIT_PS, PB_DECISION_NONE, PB_OF_RUN,                                 \
      "period of TDMA_CLK as captured")                                                                      \
    X(CLOCK_TIE, "clock_tie", PB_UNIT_PS, PB_DECISION_LIMIT, PB_OF_RUN,                                      \
      "time interval error of an edge of TDMA_CLK")                                                          \
    X(CLOCK_RATE, "clock_rate", PB_UNIT_PPB, PB_DECISION_LIMIT, PB_OF_RUN,                                   \
      "deviation of the phase rate over a superframe, faster above 0")                                       \
    X(SYNC_RISE, "sync_rise", PB_UNIT_PS, PB_DECISION_NONE, PB_OF_RUN,                                       \
      "rise of TDMA_SYNC after the nearest rising edge of TDMA_CLK, before it below 0")                      \
    X(SYNC_FALL, "sync_fall", PB_UNIT_PS, PB_DECISION_NONE, PB_OF_RUN,                                       \
      "fall of TDMA_SYNC after the nearest rising edge of TDMA_CLK, before it below 0")                      \
    X(LATENCY, "latency", PB_UNIT_PHASES, PB_DECISION_NONE, PB_OF_RUN,                                       \
      "phases from the release of a message to its arrival")                                                 \
    X(ARRIVAL, "arrival", PB_UNIT_PHASES, PB_DECISION_LIMIT, PB_OF_RUN,                                      \
      "phases from the beginning of a message's superframe of release to its arrival")                       \
    X(NODE_LOAD, "node_load", PB_UNIT_PPM, PB_DECISION_NONE, PB_OF_NODE,                                     \
      "share of the run in which a node's processor was awake")                                              \
    X(NODE_STACK, "node_stack", PB_UNIT_BYTES, PB_DECISION_NONE, PB_OF_NODE,                                 \
      "most stack in use on a node since its reset")                                                         \
    X(NODE_INTERRUPT, "node_interrupt", PB_UNIT_PS, PB_DECISION_NONE, PB_OF_NODE,                            \
      "longest interrupt handler of a node since its reset")                                                 \
    X(NODE_INSTRUCTIONS, "node_instructions", PB_UNIT_INSTRUCTIONS, PB_DECISION_NONE, PB_OF_NODE,            \
      "instructions of a node's processor in a phase, on average")                                           \
    X(CONSOLE_BIT_TIME, "console_bit_time", PB_UNIT_PPB, PB_DECISION_U95, PB_OF_NODE,                        \
      "deviation of the bit time of a node's UART0_TX, longer above 0")                                      \
    X(NODE_QUEUE_DEPTH, "node_queue_depth", PB_UNIT_MESSAGES, PB_DECISION_NONE, PB_OF_NODE,                  \
      "most messages that a node had in one queue, by its own counters")                                     \
    X(NODE_STORED, "node_stored", PB_UNIT_MESSAGES, PB_DECISION_NONE, PB_OF_NODE,                            \
      "most messages that a node had in all queues together, by its own counters")

enum pb_figure {
#define PB_FIGURE_ENUM(name, id, unit, decision, at_link, text) PB_FIGURE_##name,
    PB_FIGURE_LIST(PB_FIGURE_ENUM)
#undef PB_FIGURE_ENUM
        PB_FIGURES
};

/* Judgement of the values alone: the findings decide whether an injected fault explains a failing value. */
enum pb_judgement { PB_NOT_JUDGED, PB_JUDGED_PASS, PB_JUDGED_MARGINAL, PB_JUDGED_FAIL };

/* Mean and deviation without the quantisation of time stamps: mean + step / 2, variance - step^2 / 12
 * (Sheppard); from an edge that is stamped, too: the mean as it is, variance - step^2 / 6. U95 has the
 * scatter and half a step for each stamp, which no n reduces. Without instants that sweep a step the
 * deviation is an upper bound, 95 % or more. */
struct pb_corrected {
    int64_t mean_ps, mean_u95_ps, sd_ps; /* 0: no values */
    bool sd_is_bound, swept;             /* swept: the instants sweep a step */
    uint64_t residues;                   /* distinct stamps, at most 64; 0: figure not corrected */
};

#define PB_ABSENT INT64_MIN /* in place of a limit or a margin */

struct pb_measurement {
    enum pb_figure figure;
    int node;                    /* row in the result's nodes; -1: none */
    int link, dimension;         /* -1: none */
    uint64_t n;                  /* values, at least 1 */
    int64_t min, mean, max;      /* in the unit of the figure */
    int64_t sd;                  /* sample standard deviation (n - 1); 0 for one value */
    int64_t lower, upper;        /* limits at the worst margin; PB_ABSENT: none */
    int64_t u95;                 /* of a single value: the largest */
    int64_t margin;              /* least distance of a value to its nearest limit; below 0: beyond */
    enum pb_judgement judgement; /* the worst of all values */
    struct pb_corrected corrected; /* of node_start */
};

/* One value of a figure, as the check takes it, and its instant, an edge of TDMA_CLK. For clock_period it is
 * the edge that ends the period; for sync_rise and sync_fall the nearest edge; for node_start, node_bit_time
 * and bench_bit_time the edge that begins the frame's phase. Other figures give no samples. */
struct pb_sample {
    enum pb_figure figure;
    unsigned link;   /* 0: of the run */
    uint64_t phase;  /* number of that phase in the run, from 0 */
    int64_t time_ps; /* from an instant which is the same for all samples of a run */
    int64_t value;   /* in the unit of the figure */
    int64_t step_ps; /* a stamp is rounded down to a multiple of it; 0: exact */
};
/* An edge at the pin that the time-to-digital converter observes. time_ps includes the delay common to all
 * edges of the pin, and a whole number of ticks. */
struct pb_fine_stamp {
    bool rises;
    int64_t time_ps; /* as of struct pb_sample */
};
/* Takes samples while the run lasts: return within microseconds. */
struct pb_sample_sink {
    void (*take)(void *context, const struct pb_sample *sample);        /* NULL: none */
    void (*take_fine)(void *context, const struct pb_fine_stamp *fine); /* NULL: none */
    void *context;
};

const char *pb_figure_id(int figure);
const char *pb_figure_text(int figure);
enum pb_unit pb_figure_unit(enum pb_figure figure);
enum pb_decision pb_figure_decision(enum pb_figure figure);
enum pb_place pb_figure_place(enum pb_figure figure);
const char *pb_unit_name(enum pb_unit unit);             /* "ps", "ppb", "phases", ... */
const char *pb_unit_quantity(enum pb_unit unit);         /* "time", "relative deviation", "count", ... */
const char *pb_decision_name(enum pb_decision decision); /* "none", "u95", "limit", "range" */
const char *pb_judgement_name(int judgement);            /* "not judged", "pass", "marginal", "fail" */

/* "node_start/link3", "node_load/node0", "clock_tie": unique in a result, the same in every run of a
 * scenario. */
struct pb_measurement_id {
    char text[32];
};
struct pb_measurement_id pb_measurement_id(const struct pb_measurement *measurement);

struct pb_result;
/* The measurement of a figure at a link, or of a node (-1: of the run); NULL: none. */
const struct pb_measurement *pb_measurement_find(const struct pb_result *result, enum pb_figure figure,
                                                 int at);

/* The least margin of a figure at all places; false: it was not measured, or has no limit. */
bool pb_measurement_margin(const struct pb_result *result, enum pb_figure figure, int64_t *margin);

PB_API_END

#endif
