/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The state that the parts of the check share: findings.c writes findings down, judge.c judges one slot,
 * walk.c leads through the events phase by phase, check.c judges messages and decides. Private to host/check.
 */
#ifndef PHASEBENCH_CHECKER_H
#define PHASEBENCH_CHECKER_H

#include "host/check/expectation.h"
#include "host/check/measure.h"
#include "host/check/observation.h"
#include "host/check/slot.h"

#define PB_PS_PER_S INT64_C(1000000000000)

/* Who has to answer for a finding. */
enum pb_blame {
    PB_BLAME_NODE,
    PB_BLAME_BENCH,    /* what follows from it must not be held against a node */
    PB_BLAME_NOBODY,   /* what was seen does not suffice for a judgement */
    PB_BLAME_MARGINAL, /* within the uncertainty of a limit */
    PB_BLAMES
};

struct pb_expected_frame {
    const struct pb_crossing *crossing; /* NULL: the line must stay high */
    enum pb_sender sender;
    bool through_fabric; /* seen at the far pin of a joined pair */
};

struct pb_checker {
    struct pb_result *result;
    const struct pb_scenario *scenario;
    struct pb_observation *observation;
    struct pb_expectation expectation;
    struct pb_measure measure;
    uint32_t bit_period_q4;
    int32_t baud_limit_ppm;
    size_t next_crossing;
    uint64_t start_tick; /* of phase 0 of superframe 0 */
    /* the phase being judged */
    uint64_t phase_tick;
    uint32_t superframe;
    unsigned phase;
    struct pb_slot_limits limits;
    uint64_t line_level; /* running, bit per link */
    struct pb_slot_seen seen[64];
    struct pb_expected_frame expected[64];
    /* findings and hops beyond the space of the result are counted, and written here */
    bool blamed[PB_BLAMES];
    struct pb_finding spare_finding;
    struct pb_hop_row spare_hop;
    int code; /* PB_ERR_MEMORY once memory ran out */
};

int64_t pb_ticks_to_ps(const struct pb_checker *checker, uint64_t ticks);

/* ---- findings.c */

/* Adds a finding about the present phase. The caller fills bit and texts. Never NULL. */
struct pb_finding *pb_finding_add(struct pb_checker *checker, enum pb_finding_kind kind, int link,
                                  int64_t in_phase_ps);
/* One that does not fail by itself. */
struct pb_finding *pb_finding_add_marginal(struct pb_checker *checker, enum pb_finding_kind kind, int link,
                                           int64_t in_phase_ps);
enum pb_blame pb_finding_blame(const struct pb_finding *finding);
void pb_finding_expected(struct pb_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pb_finding_seen(struct pb_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* By time, then by place, so that the order does not depend on the order of judging. */
void pb_findings_sort(struct pb_result *result);

static inline double pb_us(int64_t ps)
{
    return (double)ps / 1e6;
}

/* ---- judge.c: judges what was seen on one link in the present phase; adds findings and a hop row. */
void pb_judge_slot(struct pb_checker *checker, unsigned link);

/* ---- walk.c: all events, phase by phase. */
void pb_walk(struct pb_checker *checker);

#endif
