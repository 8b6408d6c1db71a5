/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS_MAX = 2000 };

static enum pb_blame blame(enum pb_finding_kind kind, bool marginal)
{
    switch (kind) {
    case PB_FINDING_STIMULUS:
    case PB_FINDING_CLOCK:
        return PB_BLAME_BENCH;
    case PB_FINDING_LOSS:
    case PB_FINDING_UNDELIVERED:
        return PB_BLAME_NOBODY;
    default:
        return marginal ? PB_BLAME_MARGINAL : PB_BLAME_NODE;
    }
}

enum pb_blame pb_finding_blame(const struct pb_finding *finding)
{
    return blame(finding->kind, finding->marginal);
}

/* However many findings there are, the first of each blame is kept: the verdict rests on those. */
static struct pb_finding *new_finding(struct pb_checker *checker, enum pb_blame blame)
{
    struct pb_result *result = checker->result;
    result->findings_total++;
    if (!result->finding)
        result->finding = calloc(FINDINGS_MAX + PB_BLAMES, sizeof *result->finding);
    if (!result->finding)
        checker->code = PB_ERR_MEMORY;
    if (!result->finding || (result->findings >= FINDINGS_MAX && checker->blamed[blame]))
        return &checker->spare_finding;
    checker->blamed[blame] = true;
    return &result->finding[result->findings++];
}

static struct pb_finding *add(struct pb_checker *checker, enum pb_finding_kind kind, bool marginal, int link,
                              int64_t in_phase_ps)
{
    struct pb_finding *finding = new_finding(checker, blame(kind, marginal));
    *finding = (struct pb_finding){
        .kind = kind,
        .marginal = marginal,
        .time_ps = pb_ticks_to_ps(checker, checker->phase_tick) + in_phase_ps,
        .superframe = checker->superframe,
        .phase = checker->phase,
        .link = link,
        .dimension = link < 0 ? -1 : link % (int)checker->scenario->dims,
        .bit = -1,
    };
    return finding;
}

struct pb_finding *pb_finding_add(struct pb_checker *checker, enum pb_finding_kind kind, int link,
                                  int64_t in_phase_ps)
{
    return add(checker, kind, false, link, in_phase_ps);
}

struct pb_finding *pb_finding_add_marginal(struct pb_checker *checker, enum pb_finding_kind kind, int link,
                                           int64_t in_phase_ps)
{
    return add(checker, kind, true, link, in_phase_ps);
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
