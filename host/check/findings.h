/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Output of all stages: findings, measurements, counts of the result. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_FINDINGS_H
#define PHASEBENCH_CHECK_FINDINGS_H

#include "host/check/injected.h"
#include "host/check/measure.h"

/* Who has to answer for a finding. */
enum pb_blame {
    PB_BLAME_NODE,
    PB_BLAME_BENCH,      /* its consequences must not count against a node */
    PB_BLAME_UNDETECTED, /* the bench, too, but nothing follows: an applied fault that was not found */
    PB_BLAME_NOBODY,     /* what was seen does not suffice for a judgement */
    PB_BLAME_MARGINAL,   /* within the uncertainty of a limit */
    PB_BLAME_FAULT,      /* an injected fault explains it */
    PB_BLAMES
};

/* No stage reads a count of the result again. */
struct pb_check_output {
    const struct pb_check_run *run; /* borrowed, as are: */
    struct pb_result *result;
    struct pb_faults *faults; /* explain findings */
    struct pb_measure measure;
    bool blamed[PB_BLAMES];
    struct pb_finding spare; /* findings beyond the space of the result are counted, and written here */
    int64_t *clock_ps;       /* owned; times of findings about the clock that an alarm may repeat */
    size_t clocks, capacity;
    int code; /* PB_ERR_MEMORY once memory ran out */
};

#define PB_SENDER_NONE (-1)

/* What a finding says, and what it rests on. Times from the instant of its place. */
struct pb_claim {
    enum pb_finding_kind kind;
    int64_t at_ps;
    int64_t from_ps, to_ps; /* the first and the last instant that it rests on; 0: at_ps */
    int sender;             /* enum pb_sender, of the frame that it is about; PB_SENDER_NONE */
    bool marginal;
    bool unexcused; /* no fault explains it */
};

/* Adds a finding, and who explains it. link -1: about none. The caller fills bit and texts. Never NULL. */
struct pb_finding *pb_finding_claim(struct pb_check_output *out, const struct pb_schedule_place *at, int link,
                                    const struct pb_claim *claim);
/* The same for a plain one, about no frame, at the instant of its place. */
struct pb_finding *pb_finding_add(struct pb_check_output *out, const struct pb_schedule_place *at,
                                  enum pb_finding_kind kind, int link);
/* The same about a slot, which then has a finding. */
struct pb_finding *pb_slot_report(struct pb_check_output *out, struct pb_line_slot *slot,
                                  const struct pb_claim *claim);
/* Makes a reading of the slot's frame a sample of its phase. */
void pb_slot_place(const struct pb_check_output *out, const struct pb_line_slot *slot,
                   struct pb_reading *reading);
enum pb_blame pb_finding_blame(const struct pb_finding *finding);
void pb_finding_expected(struct pb_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pb_finding_seen(struct pb_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* By time, then by place, so that the order does not depend on the order of judging. */
void pb_findings_sort(struct pb_result *result);
/* A finding counts against node or bench: what the nodes count, and do after the run, may follow from it. */
static inline bool pb_output_blames(const struct pb_check_output *out)
{
    return out->blamed[PB_BLAME_NODE] || out->blamed[PB_BLAME_BENCH];
}
/* Whether a finding about the clock is within reach_ps of this time. */
bool pb_output_clock_near(const struct pb_check_output *out, int64_t time_ps, int64_t reach_ps);
/* Forgets the findings about the clock before this time for that purpose. */
void pb_output_clock_forget(struct pb_check_output *out, int64_t before_ps);
void pb_output_free(struct pb_check_output *out);

#endif
