/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The state that the parts of the check share: findings.c writes findings down, faults.c knows what was
 * injected and what it explains, rebuild.c makes edges of bytes where none were recorded, clock.c judges the
 * phase clock, name.c finds the word for what a slot shows, judge.c judges one slot, alarms.c what the core
 * itself reported, walk.c leads through the events phase by phase, check.c judges messages and decides.
 * Private to host/check.
 */
#ifndef PHASEBENCH_CHECKER_H
#define PHASEBENCH_CHECKER_H

#include "host/check/expectation.h"
#include "host/check/gaps.h"
#include "host/check/measure.h"
#include "host/check/observation.h"
#include "host/check/pulse.h"
#include "host/check/slot.h"
#include "host/check/wave.h"

#define PB_PS_PER_S INT64_C(1000000000000)
#define PB_LINKS_MAX 64
#define PB_ALARM_LATE_TICKS 64 /* a stamp of an alarm may be so late */

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

struct pb_expected_frame {
    const struct pb_crossing *crossing; /* NULL: the line must stay high */
    enum pb_sender sender;
    bool through_fabric; /* seen at the far pin of a joined pair */
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
    int64_t from_ps, to_ps; /* what it can explain lies between; from > to: nothing */
    int64_t end_ps;
};

struct pb_altered {
    int fault;
    unsigned count;
    uint8_t bytes[PB_FRAME_MAX];
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
    int64_t superframe_ps;
    uint64_t impossible; /* events that no core makes */
    uint64_t lost_in_core;
    bool loss_told; /* by the core or the link, or by an impossible event */
    bool loss;      /* that, or told by the edges of a line */
    size_t next_crossing;
    struct pb_phase_mark *mark; /* owned; in time order */
    size_t marks;
    struct pb_fault_state *fault; /* owned; one per injected fault */
    struct pb_altered *altered;   /* owned; frames that a fault made others of */
    size_t alterations;
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
    size_t next_edge[PB_LINKS_MAX];       /* in the events; not before the one that is looked for */
    struct pb_gaps gaps;                  /* filled when a loss was told */
    struct pb_slot_seen seen[PB_LINKS_MAX];
    struct pb_expected_frame expected[PB_LINKS_MAX];
    struct pb_alarm_seen alarm[PB_LINKS_MAX];
    struct pb_wave *wave;                 /* owned; one per link */
    struct pb_pulses *pulses;             /* owned; of the slot that was named last */
    uint64_t found, found_before;         /* links with a finding in this phase and in the one before */
    uint64_t low_before;                  /* links that were low in the phase before */
    int64_t low_until_tick[PB_LINKS_MAX]; /* of a line that is low at the end of the phase: when it rises */
    int message_fault;                    /* the fault that explains the present slot by its message; -1 */
    int64_t evidence_to_ps; /* last instant that the finding to be added rests on; from the phase edge */
    /* findings and hops beyond the space of the result are counted, and written here */
    bool blamed[PB_BLAMES];
    struct pb_finding spare_finding;
    struct pb_hop_row spare_hop;
    int code; /* PB_ERR_MEMORY once memory ran out */
};

int64_t pb_ticks_to_ps(const struct pb_checker *checker, uint64_t ticks);
/* How much later than its tick something begins that is stamped with it and with this half of it. */
int64_t pb_half_ps(const struct pb_checker *checker, unsigned half);
/* The U95 of a time between the present phase edge and something that is stamped with its tick, or with the
 * half of it when that is known. */
int64_t pb_uncertainty_ps(const struct pb_checker *checker, unsigned half);
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

/* ---- faults.c */

/* Makes the rows of the injected faults from the scenario and their receipts. */
void pb_faults_collect(struct pb_checker *checker);
/* The fault that explains such a finding by line and time; -1. */
int pb_fault_explaining(const struct pb_checker *checker, enum pb_finding_kind kind, int link,
                        int64_t from_ps, int64_t to_ps);
/* Takes note of what it explained. */
void pb_fault_credit(struct pb_checker *checker, int fault, const struct pb_finding *finding);
/* The fault that broke a message whose frame these bytes are, or whose frame was expected here; -1. Passes
 * the blame on to the message that it displaced. */
int pb_fault_by_message(struct pb_checker *checker, unsigned link, const uint8_t *bytes, unsigned count);
/* The frame expected on a link was spoiled by a fault: what becomes of its message is the doing of that
 * fault. */
void pb_fault_breaks(struct pb_checker *checker, unsigned link, int fault);
/* A frame that a fault explains stands here: if it is one that is due later, what becomes of its message is
 * the doing of that fault. */
void pb_fault_displaces(struct pb_checker *checker, unsigned link, int fault);
/* A frame came to a node of the rig while a clock fault, or what follows from it, misled that node: it may
 * have lost it. */
void pb_fault_misleads(struct pb_checker *checker, unsigned link);
/* Whether a receipt says that the line is cut at some time between these two of the present phase. */
bool pb_fault_opens(const struct pb_checker *checker, unsigned link, int64_t from_ps, int64_t to_ps);
/* Findings about receipts that are missing and faults that were not found. */
void pb_faults_finish(struct pb_checker *checker);
/* The other pin of a joined pair; -1. */
int pb_partner_link(const struct pb_scenario *scenario, unsigned link);

/* ---- screen.c */

/* Drops events that no core makes (how many is the answer), stamps bytes at their start edge, where the core
 * stamps the stop bit, and sorts. *overflown: events that the core says it lost. */
uint64_t pb_screen(struct pb_checker *checker, uint64_t *overflown);

/* ---- rebuild.c: adds the edges of links whose edges were not recorded, as their bytes tell them. After
 * pb_screen. */
void pb_rebuild_edges(struct pb_checker *checker);

/* ---- clock.c: makes the marks, judges the clock, measures it. After the faults' receipts. */
void pb_judge_clock(struct pb_checker *checker);

/* ---- name.c */

/* The word for what a slot shows, and what it rests on. GLITCH: checker->pulses, each with a cause of its
 * own. */
struct pb_named {
    enum pb_finding_kind kind; /* PB_FINDING_KINDS: all is well */
    int64_t from_ps, to_ps;    /* -1: not known */
    int other_link;            /* SHORT */
    int64_t amount_ps;         /* SLOW_RISE: the delay; STUCK: how long it was low */
    int32_t ppm;               /* BAUD */
};
struct pb_named pb_name_silence(const struct pb_checker *checker, unsigned link);
/* What spoils an expected frame. `bit` is the first bit in which the bytes differ, -1 when they do not. */
struct pb_named pb_name_frame(const struct pb_checker *checker, unsigned link, const uint8_t *bytes,
                              unsigned count, int bit);

/* ---- judge.c: judges what was seen on one link in the present phase; adds findings and a hop row. */
void pb_judge_slot(struct pb_checker *checker, unsigned link);

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

/* ---- walk.c: all events, phase by phase. */
void pb_walk(struct pb_checker *checker);

#endif
