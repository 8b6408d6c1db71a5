/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/findings.h"
#include "host/base/room.h"
#include "host/base/utf8.h"
#include "host/plan/node_map.h"
#include "phasebench/error.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS_MAX = 2000, FINDINGS_KEPT = PB_BLAMES + PB_NODE_ROWS_MAX };

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
    case PB_FINDING_NOT_MODELLED:
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
static struct pb_finding *keep(struct pb_check_output *out, const struct pb_finding *finding)
{
    struct pb_result *result = out->result;
    const enum pb_blame blame = pb_finding_blame(finding);
    struct pb_finding *place = &out->spare;
    result->findings_total++;
    if (!result->finding)
        result->finding = calloc(FINDINGS_MAX + FINDINGS_KEPT, sizeof *result->finding);
    if (!result->finding)
        out->code = PB_ERR_MEMORY;
    else if (result->findings < FINDINGS_MAX || !out->blamed[blame] ||
             finding->kind == PB_FINDING_NOT_MODELLED) /* one a node, and it explains what follows */
        place = &result->finding[result->findings++];
    out->blamed[blame] = true;
    *place = *finding;
    return place;
}

/* Notes the time of a finding about the clock, so that alarms do not repeat it. */
static int note_clock(struct pb_check_output *out, int64_t time_ps)
{
    if (pb_make_room(&out->clock_ps, &out->capacity, out->clocks + 1, sizeof *out->clock_ps))
        return PB_ERR_MEMORY;
    out->clock_ps[out->clocks++] = time_ps;
    return PB_OK;
}

struct pb_finding *pb_finding_claim(struct pb_check_output *out, const struct pb_schedule_place *at, int link,
                                    const struct pb_claim *claim)
{
    const int64_t place_ps = pb_ticks_to_ps(out->run, at->tick);
    struct pb_finding finding = {
        .kind = claim->kind,
        .marginal = claim->marginal,
        .time_ps = place_ps + claim->at_ps,
        .superframe = at->superframe,
        .phase = at->phase,
        .link = link,
        .dimension = link < 0 ? -1 : (int)pb_link_port(out->run->scenario, (unsigned)link),
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
        finding.fault = pb_fault_explaining(out->faults, at, claim->kind, link, from_ps, to_ps);
    if (claim->kind >= PB_FINDING_CLOCK && claim->kind <= PB_FINDING_DRIFT &&
        note_clock(out, finding.time_ps))
        out->code = PB_ERR_MEMORY;
    if (finding.fault >= 0)
        pb_fault_credit(out->faults, finding.fault, &finding, from_ps);
    return keep(out, &finding);
}

struct pb_finding *pb_finding_add(struct pb_check_output *out, const struct pb_schedule_place *at,
                                  enum pb_finding_kind kind, int link)
{
    return pb_finding_claim(out, at, link, &(struct pb_claim){.kind = kind, .sender = PB_SENDER_NONE});
}

struct pb_finding *pb_slot_report(struct pb_check_output *out, struct pb_line_slot *slot,
                                  const struct pb_claim *claim)
{
    slot->found = true;
    return pb_finding_claim(out, &slot->at, (int)slot->link, claim);
}

void pb_slot_place(const struct pb_check_output *out, const struct pb_line_slot *slot,
                   struct pb_reading *reading)
{
    const struct pb_check_run *run = out->run;
    reading->placed = true;
    reading->phase = (uint64_t)slot->at.superframe * run->scenario->network.phases + slot->at.phase;
    reading->time_ps =
        pb_ticks_to_ps(run, slot->at.tick) + pb_half_ps(run, slot->at.half) + slot->expected.edge_ps;
}

void pb_finding_expected(struct pb_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pb_utf8_shorten_list(finding->expected, sizeof finding->expected, format, arguments);
    va_end(arguments);
}

void pb_finding_seen(struct pb_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pb_utf8_shorten_list(finding->seen, sizeof finding->seen, format, arguments);
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

bool pb_output_clock_near(const struct pb_check_output *out, int64_t time_ps, int64_t reach_ps)
{
    for (size_t i = 0; i < out->clocks; i++)
        if (llabs(out->clock_ps[i] - time_ps) <= reach_ps)
            return true;
    return false;
}

void pb_output_clock_forget(struct pb_check_output *out, int64_t before_ps)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->clocks; i++)
        if (out->clock_ps[i] >= before_ps)
            out->clock_ps[kept++] = out->clock_ps[i];
    out->clocks = kept;
}

void pb_output_free(struct pb_check_output *out)
{
    pb_measure_free(&out->measure);
    free(out->clock_ps);
}
