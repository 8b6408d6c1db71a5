/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The state that the parts of the check share: findings.c writes findings down, faults.c knows what was
 * injected and what it explains, rebuild.c makes edges of bytes where none were recorded, clock.c judges the
 * phase clock, name.c finds the word for what a slot shows, judge.c judges one slot, alarms.c what the core
 * itself reported, walk.c leads through the events slot by slot, nodes.c and model.c know what the nodes must
 * do, odd_slot.c judges frames that meet an edge or another frame, check.c judges messages and decides.
 * Private to host/check.
 */
#ifndef PHASEBENCH_CHECKER_H
#define PHASEBENCH_CHECKER_H

#include "host/check/expectation.h"
#include "host/check/gaps.h"
#include "host/check/measure.h"
#include "host/check/model.h"
#include "host/check/observation.h"
#include "host/check/pulse.h"
#include "host/check/shape.h"
#include "host/check/slot.h"
#include "host/check/wave.h"

#include <stdlib.h>

#define PB_PS_PER_S INT64_C(1000000000000)
#define PB_LINKS_MAX 64
#define PB_ALARM_LATE_TICKS 64      /* a stamp of an alarm may be so late */
#define PB_FOLLOW_DELAY_TICKS 11    /* from an outside edge to what the bench does by it, at most */
#define PB_FOLLOW_TOLERANCE_PPM 200 /* of an outside clock, beyond the stated error: two crystals */
#define PB_DRIFT_RUN 3              /* periods in a row that are wrong alike make a drift */
#define PB_HALF_LAID 3              /* rebuild.c: an edge that was not measured; no core says so */

/* Who has to answer for a finding. */
enum pb_blame {
    PB_BLAME_NODE,
    PB_BLAME_BENCH,    /* what follows from it must not be held against a node */
    PB_BLAME_AWARE,    /* the bench, too, but nothing follows from it: an applied fault that was not found */
    PB_BLAME_NOBODY,   /* what was seen does not suffice for a judgement */
    PB_BLAME_MARGINAL, /* within the uncertainty of a limit */
    PB_BLAME_FAULT,    /* an injected fault explains it */
    PB_BLAMES
};

enum pb_slot_kind {
    PB_SLOT_PLAIN,
    PB_SLOT_CUT,      /* an edge of TDMA_CLK ends the phase in the midst of the node's frame */
    PB_SLOT_COLLISION /* bench and node send at once, as a clock fault set them apart */
};

struct pb_expected_frame {
    const struct pb_crossing
        *crossing; /* its message is a frame id (model.h); NULL: the line must stay high */
    enum pb_sender sender;
    bool through_fabric; /* seen at the far pin of a joined pair */
    bool by_bench;       /* the bench sends in the slot, whoever else does */
    enum pb_slot_kind kind;
    int64_t edge_ps, end_ps; /* the nodes' edges before and after, from the beginning of the slot */
    int64_t released_ps;     /* the end of the slot: a frame that was cut has left the line by then */
};

/* A phase as the bench ordered it and as the clock pin showed it. */
struct pb_phase_mark {
    uint64_t ideal_tick; /* of the PHASE event */
    uint64_t tick;       /* of the rising edge that belongs to it, or the ideal one when there is none */
    uint32_t superframe;
    unsigned phase;
    bool has_edge, sync; /* level of TDMA_SYNC at that edge */
    unsigned half;       /* of an outside edge: PB_HALF_* */
};

/* What result.h does not tell of an injected fault. */
struct pb_fault_state {
    bool too_late, contradicted;
    int64_t from_ps, to_ps; /* it acts between; from > to: never */
    int64_t end_ps;
};

struct pb_alarm_seen {
    uint32_t codes; /* bit per code, of the present phase */
    int64_t at_ps;  /* of the first */
};

struct pb_checker {
    struct pb_result *result;
    const struct pb_scenario *scenario;
    struct pb_observation *observation;
    struct pb_expectation expectation;
    struct pb_measure measure;
    uint32_t bit_period_q4;
    int32_t baud_limit_ppm;
    int64_t fall_rest_ps, rise_rest_ps; /* U95 of an instant but for the step of its stamp */
    int64_t superframe_ps;
    uint64_t impossible; /* events that no core makes */
    uint64_t lost_in_core;
    bool loss_told;                         /* by the core or the link, or by an impossible event */
    bool loss;                              /* that, or told by the edges of a line */
    int64_t least[PB_SCENARIO_NODES_MAX][PB_COUNTERS]; /* as pb_model_counts, at the end of the run */
    int64_t most[PB_SCENARIO_NODES_MAX][PB_COUNTERS];
    uint64_t active[PB_SCENARIO_NODES_MAX]; /* slots of a node in which one of its lines was low */
    bool transmits[PB_SCENARIO_NODES_MAX];  /* something was seen where it sends */
    uint64_t clock_start_tick;              /* the first phase edge, from power-up of the core */
    uint64_t origin_tick;       /* the same in the present stamps; times of the result count from it */
    struct pb_phase_mark *mark; /* owned; in time order */
    size_t marks;
    struct pb_fault_state *fault; /* owned; one per injected fault */
    struct pb_frames *frames;     /* borrowed from walk.c */
    /* the phase being judged */
    uint64_t phase_tick;
    unsigned phase_half; /* of an outside edge */
    int64_t ideal_ps;    /* from the edge that a node sees to the one that the bench goes by */
    uint32_t superframe;
    unsigned phase;
    struct pb_slot_limits limits;
    uint64_t edge_lost;  /* links that told of it in this phase */
    uint64_t line_level; /* running, bit per link; high where it is unknown */
    uint64_t level_lost; /* links whose last level was low and whose next event does not follow from it */
    uint64_t edge_sequence[PB_LINKS_MAX]; /* of the last edge */
    struct pb_gaps gaps;                  /* filled when a loss was told */
    uint64_t whole_to_tick;               /* of the last event of the run before a lost one; 0: not known */
    struct pb_slot_seen seen[PB_LINKS_MAX];
    struct pb_expected_frame expected[PB_LINKS_MAX];
    struct pb_alarm_seen alarm[PB_LINKS_MAX];
    struct pb_wave *wave;                 /* owned; one per link */
    struct pb_pulses *pulses;             /* owned; of the slot that was named last */
    uint64_t found, found_before;         /* links with a finding in this phase and in the one before */
    uint64_t low_before;                  /* links that were low in the phase before */
    int64_t low_until_tick[PB_LINKS_MAX]; /* of a line that is low at the end of the phase: when it rises */
    bool displaced; /* the nodes' phases are not the bench's, so the core's own limits do not hold */
    bool unexcused; /* no fault explains the finding to be added */
    int64_t evidence_from_ps; /* as the next, the first instant; 0: that of the finding */
    int64_t evidence_to_ps;   /* last instant that the finding to be added rests on; from the phase edge */
    /* findings and hops beyond the space of the result are counted, and written here */
    bool blamed[PB_BLAMES];
    struct pb_finding spare_finding;
    struct pb_hop_row spare_hop;
    int code; /* PB_ERR_MEMORY once memory ran out */
};

int64_t pb_ticks_to_ps(const struct pb_checker *checker, uint64_t ticks);
int64_t pb_ps_to_ticks(const struct pb_checker *checker, int64_t ps); /* towards 0 */
/* The longest that so many ticks appear between two stamps, each of which is rounded to a ps. */
static inline int64_t pb_span_most_ps(const struct pb_checker *checker, uint64_t ticks)
{
    return pb_ticks_to_ps(checker, ticks) + 1;
}
/* The same where an instant is the sum of a slot's beginning and a time in it. */
static inline int64_t pb_most_ps(const struct pb_checker *checker, uint64_t ticks)
{
    return pb_ticks_to_ps(checker, ticks) + 2;
}
/* How much later than its tick something begins that is stamped with it and with this half of it. */
int64_t pb_half_ps(const struct pb_checker *checker, unsigned half);
/* The U95 of a time between the present phase edge and something that is stamped with its tick, or with the
 * half of it when that is known. */
int64_t pb_uncertainty_ps(const struct pb_checker *checker, unsigned half);
/* When the tail guard begins, from the phase edge. */
static inline int64_t pb_end_max_ps(const struct pb_checker *checker)
{
    return checker->result->phase_ps - (checker->scenario->guard_ps - checker->scenario->head_guard_ps);
}
/* How much longer or shorter than the schedule's a phase of an outside clock may be; 0 of the bench's own. */
static inline int64_t pb_phase_play_ps(const struct pb_checker *checker)
{
    const struct pb_controller *clock = &checker->scenario->controller;
    const int64_t ppm = llabs((int64_t)clock->clock_error_ppm) + PB_FOLLOW_TOLERANCE_PPM;
    return checker->scenario->follow ? checker->result->phase_ps * ppm / (1000000 - ppm) + clock->jitter_ps
                                     : 0;
}
/* When its edge came, in ps of the time stamps. */
int64_t pb_mark_ps(const struct pb_checker *checker, size_t mark);
/* Makes a phase the present one. */
void pb_turn_to_mark(struct pb_checker *checker, size_t mark);

/* ---- findings.c */

/* Adds a finding about the present phase, and who explains it. The caller fills bit, sender and texts. Never
 * NULL. checker->evidence_to_ps, when later than the finding, is taken and cleared. */
struct pb_finding *pb_finding_add(struct pb_checker *checker, enum pb_finding_kind kind, int link,
                                  int64_t in_phase_ps);
/* The same about a frame of this sender. */
struct pb_finding *pb_finding_add_frame(struct pb_checker *checker, enum pb_finding_kind kind, int link,
                                        int64_t in_phase_ps, enum pb_sender sender, bool marginal);
enum pb_blame pb_finding_blame(const struct pb_finding *finding);
void pb_finding_expected(struct pb_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pb_finding_seen(struct pb_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* By time, then by place, so that the order does not depend on the order of judging. */
void pb_findings_sort(struct pb_result *result);

/* The edges of the link are rebuilt, none was recorded. */
static inline bool pb_is_edgeless(const struct pb_checker *checker, unsigned link)
{
    return checker->observation->edgeless >> link & 1;
}

static inline double pb_us(int64_t ps)
{
    return (double)ps / 1e6;
}

/* ---- answers.c: on the console while the clock ran */
void pb_judge_answers(struct pb_checker *checker);

/* ---- faults.c */

/* Makes the rows of the injected faults from the scenario and their receipts. */
void pb_faults_collect(struct pb_checker *checker);
/* The fault that can cause such a finding there and then; -1. */
int pb_fault_explaining(const struct pb_checker *checker, enum pb_finding_kind kind, int link,
                        int64_t from_ps, int64_t to_ps);
/* Takes note of what it explained; from_ps: the first instant that the finding rests on. */
void pb_fault_credit(struct pb_checker *checker, int fault, const struct pb_finding *finding,
                     int64_t from_ps);
/* Whether a fault of the line acts on this link between two instants since power-up. */
bool pb_fault_on_line(const struct pb_checker *checker, unsigned link, int64_t from_ps, int64_t to_ps);
/* The kind of the fault that was injected into the frame of this slot; 0: none. */
unsigned pb_fault_of_frame(const struct pb_checker *checker, unsigned link, uint32_t superframe,
                           unsigned phase);
/* Whether the faults of the line account for all in which the present slot differs from the frame, or from a
 * line that stays high (count 0): where, and in which direction. */
bool pb_fault_accounts(const struct pb_checker *checker, unsigned link, const uint8_t *bytes, unsigned count);
/* Whether a receipt says that the line is cut at some time between these two of the present phase. */
bool pb_fault_opens(const struct pb_checker *checker, unsigned link, int64_t from_ps, int64_t to_ps);
/* Findings about receipts that are missing and faults that were not found. */
void pb_faults_finish(struct pb_checker *checker);

/* ---- screen.c */

/* Drops events that no core makes (how many is the answer), stamps bytes at their start edge, where the core
 * stamps the stop bit, and sorts. *overflown: events that the core says it lost. */
uint64_t pb_screen(struct pb_checker *checker, uint64_t *overflown);

/* ---- origin.c */

/* Moves all events so that the first phase has a fixed stamp. After pb_screen. */
void pb_origin_set(struct pb_checker *checker);
/* Makes the times of findings and faults count from the first phase. Last. */
void pb_origin_apply(struct pb_checker *checker);

/* ---- rebuild.c: adds the edges of links whose edges were not recorded, as their bytes tell them. After
 * pb_screen. */
void pb_rebuild_edges(struct pb_checker *checker);

/* ---- clock.c: makes the marks, judges the clock, measures it. After the faults' receipts. */
void pb_judge_clock(struct pb_checker *checker);

/* ---- rise.c */

/* What the line takes to rise in the present phase; at the far pin of a joined pair both lines. Not known:
 * nothing. */
struct pb_line_rise pb_rise_of(const struct pb_checker *checker, unsigned link);
/* When the line was released that rose at ps, which is known to u95_ps; from the phase edge. */
struct pb_released {
    int64_t ps, u95_ps;
};
struct pb_released pb_released_at(const struct pb_checker *checker, unsigned link, int64_t ps,
                                  int64_t u95_ps);
/* Findings about lines that rise too slowly for the baud rate. Before pb_walk. */
void pb_judge_rises(struct pb_checker *checker);

/* ---- name.c */

/* The word for what a slot shows, and what it rests on. GLITCH: checker->pulses, each with a cause of its
 * own. */
struct pb_named {
    enum pb_finding_kind kind; /* PB_FINDING_KINDS: all is well */
    int64_t from_ps, to_ps;    /* -1: not known */
    int other_link;            /* SHORT */
    int64_t amount_ps;         /* SLOW_RISE: the delay; STUCK: how long it was low */
    bool fits;                 /* the edges are those of the frame, so that the next is known: */
    int32_t ppm, limit_ppm;    /* deviation of the bit time, and its limit; BAUD */
    int32_t grain_ppm;         /* of the limit, what the grain of the stamps takes */
};
struct pb_named pb_name_silence(const struct pb_checker *checker, unsigned link);
/* What spoils an expected frame. `bit` is the first bit in which the bytes differ, -1 when they do not. */
struct pb_named pb_name_frame(const struct pb_checker *checker, unsigned link, const uint8_t *bytes,
                              unsigned count, int bit);

/* ---- judge.c: judges what was seen on one link in the present slot; adds findings and a hop row. True: the
 * line did just what was expected. */
bool pb_judge_slot(struct pb_checker *checker, unsigned link);

/* ---- odd_slot.c: the same for a frame that an edge cuts off, or that meets another. */
bool pb_judge_odd_slot(struct pb_checker *checker, unsigned link);

/* ---- bits.c: judges the place of every edge of a frame of `count` bytes. What explains an edge and is in
 * `named` already is not told again. True: *finding was added. */
bool pb_judge_bits(struct pb_checker *checker, unsigned link, unsigned count, const struct pb_named *named,
                   struct pb_finding **finding);

/* ---- alarms.c */
void pb_alarm_take(struct pb_checker *checker, const struct pb_event *event);
/* What the core reported about a link in the present phase and the edges did not show. */
void pb_alarm_judge(struct pb_checker *checker, unsigned link);
/* What the core reported about the clock, and the watchdog. After the clock. */
void pb_alarms_of_clock(struct pb_checker *checker);

/* ---- before.c: what happened before the first phase. After the clock. */
void pb_judge_before(struct pb_checker *checker);
/* What the absence of a whole frame that the bench sends means: HELD_HIGH, or STIMULUS when it may be the
 * bench. */
enum pb_finding_kind pb_absent_pull(const struct pb_checker *checker, unsigned link);

/* ---- pins.c: links beyond the network's, and the consoles during the run. */
void pb_judge_pins(struct pb_checker *checker);

/* ---- evidence.c: what speaks for each node */

/* Makes the rows of the nodes from what they answered. Before the walk. */
void pb_evidence_begin(struct pb_checker *checker);
/* A slot with a transmission, expected or seen. */
void pb_evidence_take(struct pb_checker *checker, const struct pb_hop_row *hop);
/* Judges identities and counters, and names the nodes. After all other findings. */
void pb_evidence_finish(struct pb_checker *checker);
/* The hexadecimal number of a key in "+X key=value key=value", of up to eight digits; -1 for anything else.
 */
int64_t pb_answer_number(const char *answer, const char *key);
/* Adds a clause to what could not be checked about a node. */
void pb_not_checked(struct pb_node_row *row, const char *what);
/* Whether some node has no evidence of its own; then *reason is a sentence that names it and the remedy. */
bool pb_evidence_lacks(char *reason, size_t size, const struct pb_result *result);

/* ---- walk.c: all events, phase by phase. */
void pb_walk(struct pb_checker *checker);

#endif
