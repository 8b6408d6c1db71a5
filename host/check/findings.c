/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"
#include "host/plan/node_map.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS_MAX = 2000 };

enum pb_blame pb_finding_blame(const struct pb_finding *finding)
{
    if (finding->fault >= 0)
        return PB_BLAME_FAULT;
    switch (finding->kind) {
    case PB_FINDING_STIMULUS:
    case PB_FINDING_CLOCK:
    case PB_FINDING_CLOCK_LATE:
    case PB_FINDING_CLOCK_EARLY:
    case PB_FINDING_CLOCK_MISSING:
    case PB_FINDING_CLOCK_EXTRA:
    case PB_FINDING_SYNC_MISSING:
    case PB_FINDING_SYNC_EXTRA:
    case PB_FINDING_JITTER:
    case PB_FINDING_DRIFT:
    case PB_FINDING_OPEN:
    case PB_FINDING_NOT_APPLIED:
    case PB_FINDING_WATCHDOG:
        return PB_BLAME_BENCH;
    case PB_FINDING_UNDETECTED:
        return PB_BLAME_UNDETECTED;
    case PB_FINDING_LOSS:
    case PB_FINDING_EDGE_LOST:
    case PB_FINDING_UNDELIVERED:
        return PB_BLAME_NOBODY;
    case PB_FINDING_WRONG_BYTES:
    case PB_FINDING_FRAMING:
    case PB_FINDING_BAUD:
    case PB_FINDING_BIT_SHAPE:
    case PB_FINDING_SLOW_RISE:
    case PB_FINDING_EARLY:
    case PB_FINDING_LATE:
    case PB_FINDING_OVERRUN:
    case PB_FINDING_BEYOND:
        if (finding->sender == PB_SENDER_BENCH && !finding->marginal)
            return PB_BLAME_BENCH;
        break;
    default:
        break;
    }
    return finding->marginal ? PB_BLAME_MARGINAL : PB_BLAME_NODE;
}

bool pb_finding_is_of_node(const struct pb_finding *finding)
{
    return pb_finding_blame(finding) == PB_BLAME_NODE;
}

/* However many findings there are, the first of each blame is kept: the verdict rests on those. */
static struct pb_finding *keep(struct pb_checker *checker, const struct pb_finding *finding)
{
    struct pb_result *result = checker->result;
    const enum pb_blame blame = pb_finding_blame(finding);
    struct pb_finding *place = &checker->written.spare_finding;
    result->findings_total++;
    if (!result->finding)
        result->finding = calloc(FINDINGS_MAX + PB_BLAMES, sizeof *result->finding);
    if (!result->finding)
        checker->code = PB_ERR_MEMORY;
    else if (result->findings < FINDINGS_MAX || !checker->written.blamed[blame])
        place = &result->finding[result->findings++];
    checker->written.blamed[blame] = true;
    *place = *finding;
    return place;
}

struct pb_finding *pb_finding_claim(struct pb_checker *checker, const struct pb_schedule_place *at, int link,
                                    const struct pb_claim *claim)
{
    const int64_t place_ps = pb_ticks_to_ps(&checker->run, at->tick);
    struct pb_finding finding = {
        .kind = claim->kind,
        .marginal = claim->marginal,
        .time_ps = place_ps + claim->at_ps,
        .superframe = at->superframe,
        .phase = at->phase,
        .link = link,
        .dimension = link < 0 ? -1 : (int)pb_link_port(checker->run.scenario, (unsigned)link),
        .bit = -1,
        .fault = -1,
        .sender = claim->sender,
        .measurement = -1,
    };
    const int64_t to_ps = place_ps + claim->to_ps > finding.time_ps ? place_ps + claim->to_ps
                                                                    : finding.time_ps,
                  from_ps = claim->from_ps && place_ps + claim->from_ps < finding.time_ps
                                ? place_ps + claim->from_ps
                                : finding.time_ps;
    if (!claim->unexcused)
        finding.fault = pb_fault_explaining(checker, at, claim->kind, link, from_ps, to_ps);
    if (claim->kind >= PB_FINDING_CLOCK && claim->kind <= PB_FINDING_DRIFT &&
        pb_alarms_note_finding(&checker->alarms, finding.time_ps))
        checker->code = PB_ERR_MEMORY;
    if (finding.fault >= 0)
        pb_fault_credit(checker, finding.fault, &finding, from_ps);
    return keep(checker, &finding);
}

struct pb_finding *pb_finding_add(struct pb_checker *checker, const struct pb_schedule_place *at,
                                  enum pb_finding_kind kind, int link)
{
    return pb_finding_claim(checker, at, link, &(struct pb_claim){.kind = kind, .sender = PB_SENDER_NONE});
}

struct pb_finding *pb_slot_report(struct pb_checker *checker, struct pb_line_slot *slot,
                                  const struct pb_claim *claim)
{
    slot->found = true;
    return pb_finding_claim(checker, &slot->at, (int)slot->link, claim);
}

void pb_finding_expected(struct pb_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->expected, sizeof finding->expected, format, arguments);
    va_end(arguments);
}

void pb_finding_seen(struct pb_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->seen, sizeof finding->seen, format, arguments);
    va_end(arguments);
}

static int by_time(const void *left, const void *right)
{
    const struct pb_finding *a = left, *b = right;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    if (a->link != b->link)
        return a->link < b->link ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return strcmp(a->expected, b->expected);
}

void pb_findings_sort(struct pb_result *result)
{
    if (result->findings)
        qsort(result->finding, result->findings, sizeof *result->finding, by_time);
}
