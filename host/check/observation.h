/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An observation: all data recorded of one run, without judgement. A session fills it, the check reads it.
 */
#ifndef PHASEBENCH_OBSERVATION_H
#define PHASEBENCH_OBSERVATION_H

#include "host/scenario/program.h"
#include "bench/nodes/figures.h"
#include "bench/nodes/trouble.h"
#include "host/plan/epilogue.h"
#include "phasebench/calibration.h"
#include "phasebench/device.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"
#include "phasebench/tdc.h"

#include <stdlib.h>

#define PB_ANSWER_BYTES 2048 /* the longest answer, with its end: docs/node.md */

/* A console line that the node did not confirm before the clock started. */
struct pb_console_failure {
    unsigned node_index;
    size_t message;
    char answer[80]; /* what came back; "" for nothing */
};

/* A low that the bench made before the clock started: the line must have been low at some time between. */
struct pb_bench_pull {
    unsigned link;
    uint64_t from_tick, to_tick;
};

/* What happened before the phase clock started, in ticks of the events. */
struct pb_before {
    bool known; /* the session got as far as the release of NRST; else nothing here is judged */
    uint64_t capture_tick;             /* events are recorded from here on */
    uint64_t reset_from_tick;           /* NRST was high up to here */
    uint64_t reset_tick, released_tick; /* NRST was low between them */
    uint64_t held_tick;                /* a node had had time to end a byte on its console since reset_tick */
    uint64_t typing_tick;              /* the first console line, or the wait for the clock, came after it */
    uint64_t level_capture, level_held; /* of the links, bit per link, 1 high: at capture_tick, under NRST */
    struct pb_bench_pull pull[64];
    unsigned pulls;
};

/* Answers of a node on its console (docs/node.md), except the confirmations of its messages. */
struct pb_node_answer {
    bool asked;                       /* for its identity, before the clock started */
    bool late;                        /* it answered the second time only: not limits.boot after its reset */
    bool identified;                  /* it answered with a line, valid or not */
    bool counts;                      /* it cleared its statistics then, so it has some */
    bool too_slow;                    /* they were not read: the console would take longer than a run */
    bool counted;                     /* they were read after the clock had stopped */
    char identity[PB_ANSWER_BYTES];   /* its answer to I; "" for nothing */
    char cleared[80];                 /* its answer to Z */
    char statistics[PB_ANSWER_BYTES]; /* its answer to T, or what came of one */
    bool typed;                        /* the line that loads its program was typed, and waited for */
    char loaded[PB_PROGRAM_LINE_MAX];  /* its answer to that line; "" for nothing */
    char program[PB_ANSWER_BYTES];     /* its answer to R, after the clock had stopped */
};

/* The bit time of a node's UART0_TX against the nominal one, longer above 0 (host/run/console_time.h). */
struct pb_console_time {
    bool known;
    int64_t deviation_ppb, u95_ppb;
};

/* Shortest low of UART0_TX, in ticks, that is captured while no characters are expected. */
#define PB_CONSOLE_PULSE_TICKS 5

/* Answers of a node to the lines of the epilogue (host/plan/epilogue.h). */
struct pb_epilogue_node {
    bool asked;  /* it took part */
    bool counts; /* in all of it; else in the lines of pb_epilogue_is_plain alone */
    bool silent; /* it did not answer a line, and was typed no further one */
    struct {
        bool typed;
        char text[128]; /* "" for nothing, and for the lines of `longs` */
        uint64_t tick;  /* of the newest event then */
    } answer[PB_EPILOGUE_LINES];
    char longs[PB_EPILOGUE_LONGS][PB_ANSWER_BYTES]; /* by pb_epilogue_long */
};
static inline const char *pb_epilogue_said(const struct pb_epilogue_node *node, enum pb_epilogue_line line)
{
    const int at = pb_epilogue_long(line);
    return at < 0 ? node->answer[line].text : node->longs[at];
}

/* A reset of the epilogue, in ticks of the events. Edges of all links are recorded from reset_tick to
 * end_tick, and the bytes of one console. */
struct pb_epilogue_reset {
    uint64_t reset_tick, released_tick; /* NRST was low between them */
    uint64_t held_tick;  /* a node had had time to end a byte on its console since reset_tick */
    uint64_t typing_tick; /* the first console line came after it */
    uint64_t end_tick;    /* a node may send from then on */
    uint64_t level_held, level_end; /* of the links, bit per link, 1 high: before released_tick, end_tick */
    unsigned console_node;          /* whose console it is */
    uint32_t superframe;            /* superframes of the epilogue before it */
};

/* What happened after the run; no part of it. */
struct pb_epilogue {
    bool left_out; /* on purpose */
    bool played;
    struct pb_events events; /* owned; in the order of their ticks */
    uint64_t lost;           /* events of the epilogue, in the core or on the way */
    /* Nodes whose UART0_TX was watched while the clock ran, start by start. */
    unsigned watches, watched[PB_EPILOGUE_RUNS_MAX];
    struct pb_epilogue_node node[PB_SCENARIO_NODES_MAX];
    struct pb_epilogue_reset reset[PB_EPILOGUE_RESET_COUNT];
    unsigned resets;
};

struct pb_observation {
    struct pb_device_info info;
    const struct pb_calibration *calibration; /* of that core, borrowed; NULL: none */
    const struct pb_tdc_scale *tdc;           /* of its converter, which is on, borrowed; NULL: it is off */
    struct pb_events events;  /* owned; in the order of their ticks */
    uint64_t events_before,
        phases_before;        /* handed to a sink (host/run/session.h) before those of `events` */
    uint64_t events_taken;    /* edges that the measurement of the lines made, which are not in `events` */
    uint64_t events_lost;     /* in the core; counters.events_missing: on the way to the host */
    uint64_t edgeless;        /* links whose edges were not recorded, bit per link */
    char capture_reason[256]; /* why not, or what else the host link cannot carry; "" */
    uint64_t line_level; /* of the links, bit per link, 1 high, after the capture was switched on and before
                          * the clock ran */
    struct pb_before before;
    size_t answers;      /* of the consoles, to lines that were typed before clock_tick */
    uint64_t clock_tick; /* when the run was started */
    uint64_t end_tick;   /* the run was over then; 0: not known */
    struct pb_line_rise rise[PB_RISE_LINKS]; /* of the links, as line_rise.c found it */
    struct pb_console_failure console_failure[16];
    size_t console_failures; /* may exceed 16 */
    unsigned console_node; /* the node whose console the core received while the clock ran */
    uint64_t *typed; /* owned; messages whose lines were typed there while the clock ran, in that order */
    size_t typings;
    uint64_t typings_before; /* lines before those of `typed`, which a sink needs no more */
    uint64_t typed_nodes;    /* bit per node: a line was typed at its console while the clock ran */
    struct pb_node_answer answer[PB_SCENARIO_NODES_MAX];
    struct pb_console_time console_time[PB_SCENARIO_NODES_MAX];
    bool pulses_in_run; /* no line was typed at the console of console_node: its UART0_TX was watched */
    struct pb_epilogue epilogue;
    struct pb_node_trouble trouble[PB_SCENARIO_NODES_MAX]; /* what ended a node */
    struct pb_node_figures figures[PB_SCENARIO_NODES_MAX]; /* at the end of the run */
    uint64_t figured;                                      /* bit per node: it has figures */
    bool simulated;          /* the rig made the nodes as the scenario says, or that of the recording did */
    int64_t simulated_ps;    /* -1 on a real rig */
    int64_t overruns;        /* as pb_rig_overruns */
    struct pb_device_counters counters; /* what they say of events is about the run alone */
    char cut[256];         /* why the observation ends before the run did; "" when it does not */
    uint64_t whole_phases; /* phases before that; only the events of these are kept */
};

static inline void pb_observation_free(struct pb_observation *observation)
{
    pb_events_free(&observation->events);
    pb_events_free(&observation->epilogue.events);
    free(observation->typed);
    observation->typed = NULL;
    observation->typings = 0;
}

#endif
