/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/clock_error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* MANY displaced edges of 17 neighbours are jitter. Jitter beyond the resolution displaces at least a third
 * of the edges: at its smallest, 0 to 2 ticks, every third edge is off by two. Single faults are not so
 * dense. */
enum { REACH = 8, MANY = 5, FIT_ROUNDS = 4 };

/* Jitter that displaces an edge by WIDE tolerances leaves at most one edge in eight within the tolerance. So
 * more than GAP_MOST such edges in a row end the crowd of that edge. */
enum { WIDE = 8, GAP_MOST = 2 };

enum crowd { ALONE, SCATTERED, SHIFTED };

_Static_assert(PB_TIES_AHEAD == 2 * REACH + 1, "neighbours of neighbours");

static bool displaced(const struct pb_phase_mark *mark, int64_t tolerance_ps)
{
    return mark->tie_known && llabs(mark->tie_ps) > tolerance_ps;
}

/* Returns the last neighbour of an edge in the direction of step (-1 or 1). */
static size_t reach_of(const struct pb_marks *marks, size_t at, int step, int64_t tolerance_ps)
{
    const bool wide = llabs(pb_mark(marks, at)->tie_ps) > WIDE * tolerance_ps;
    const size_t end = step < 0 ? 0 : marks->end - 1;
    unsigned in_order = 0;
    size_t to = at;
    for (unsigned i = 0; i < REACH && to != end; i++) {
        const size_t next = step < 0 ? to - 1 : to + 1;
        in_order = displaced(pb_mark(marks, next), tolerance_ps) ? 0 : in_order + 1;
        if (wide && in_order > GAP_MOST)
            break;
        to = next;
    }
    return to;
}

static enum crowd crowd_around(const struct pb_marks *marks, size_t at, int64_t tolerance_ps)
{
    const size_t from = reach_of(marks, at, -1, tolerance_ps), to = reach_of(marks, at, 1, tolerance_ps);
    int64_t least = INT64_MAX, most = INT64_MIN;
    unsigned count = 0;
    for (size_t i = from; i <= to; i++) {
        if (!displaced(pb_mark(marks, i), tolerance_ps))
            continue;
        const int64_t ps = pb_mark(marks, i)->tie_ps;
        count++;
        least = ps < least ? ps : least;
        most = ps > most ? ps : most;
    }
    if (count < MANY)
        return ALONE;
    return most - least > pb_span_most_ps(marks->run, 1) ? SCATTERED : SHIFTED;
}

static void report_single(struct pb_crowds *crowds, size_t at)
{
    const int64_t ps = pb_mark(crowds->marks, at)->tie_ps;
    const struct pb_schedule_place place = pb_schedule_place_of_mark(crowds->marks, at);
    struct pb_finding *finding =
        pb_finding_claim(crowds->out, &place, -1,
                         &(struct pb_claim){.kind = ps > 0 ? PB_FINDING_CLOCK_LATE : PB_FINDING_CLOCK_EARLY,
                                            .to_ps = llabs(ps),
                                            .sender = PB_SENDER_NONE});
    finding->measurement = pb_measure_key(PB_FIGURE_CLOCK_TIE, 0);
    pb_finding_expected(finding, "TDMA_CLK rises when phase %u begins", place.phase);
    pb_finding_seen(finding, "it rose %.1f ns %s", fabs((double)ps) / 1e3,
                    ps > 0 ? "late" : "early");
}

/* From the first edge of the crowd in a superframe to the last one. */
static void report_crowd(struct pb_crowds *crowds, size_t from, size_t to, enum crowd crowd)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    double sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = from; i <= to; i++)
        if (pb_mark(crowds->marks, i)->tie_known) {
            const int64_t ps = pb_mark(crowds->marks, i)->tie_ps;
            count++;
            sum += (double)ps;
            least = ps < least ? ps : least;
            most = ps > most ? ps : most;
        }
    const double mean = sum / (double)count;
    for (size_t i = from; i <= to; i++) {
        const double apart = (double)pb_mark(crowds->marks, i)->tie_ps - mean;
        squares += pb_mark(crowds->marks, i)->tie_known ? apart * apart : 0;
    }
    const struct pb_schedule_place place = pb_schedule_place_of_mark(crowds->marks, from);
    struct pb_finding *finding =
        pb_finding_add(crowds->out, &place, crowd == SCATTERED ? PB_FINDING_JITTER : PB_FINDING_CLOCK, -1);
    finding->measurement = pb_measure_key(PB_FIGURE_CLOCK_TIE, 0);
    pb_finding_expected(finding, "edges of TDMA_CLK within %.1f ns of the schedule",
                        (double)crowds->marks->run->resolution_ps / 1e3);
    if (crowd == SCATTERED)
        pb_finding_seen(finding,
                        "TIE %.1f ns peak to peak, %.1f ns standard deviation, mean %.1f ns, %zu edges",
                        (double)(most - least) / 1e3,
                        count > 1 ? sqrt(squares / (double)(count - 1)) / 1e3 : 0.0, mean / 1e3, count);
    else
        pb_finding_seen(finding, "%zu edges off by %.1f ns alike", count, mean / 1e3);
}

/* An edge at the border of a crowd, with half of its neighbours within the tolerance, is part of the crowd.
 * So are edges that are off by the same amount by chance. */
static enum crowd join_crowd(const struct pb_marks *marks, size_t at, int64_t tolerance_ps)
{
    const enum crowd crowd = crowd_around(marks, at, tolerance_ps);
    const size_t from = reach_of(marks, at, -1, tolerance_ps), to = reach_of(marks, at, 1, tolerance_ps);
    for (size_t i = from; crowd != SCATTERED && i <= to; i++)
        if (displaced(pb_mark(marks, i), tolerance_ps) && crowd_around(marks, i, tolerance_ps) == SCATTERED)
            return SCATTERED;
    return crowd;
}

void pb_judge_tie(struct pb_crowds *crowds, size_t at, int64_t tolerance_ps)
{
    if (displaced(pb_mark(crowds->marks, at), tolerance_ps)) {
        const enum crowd crowd = join_crowd(crowds->marks, at, tolerance_ps);
        const unsigned sort = crowd == SHIFTED;
        if (crowd == ALONE)
            report_single(crowds, at);
        else {
            crowds->crowd_from[sort] = crowds->crowded[sort] ? crowds->crowd_from[sort] : at;
            crowds->crowd_to[sort] = at;
            crowds->crowded[sort] = true;
        }
    }
    if (at + 1 < crowds->marks->end &&
        pb_mark(crowds->marks, at + 1)->superframe == pb_mark(crowds->marks, at)->superframe)
        return;
    for (unsigned sort = 0; sort < 2; sort++)
        if (crowds->crowded[sort])
            report_crowd(crowds, crowds->crowd_from[sort], crowds->crowd_to[sort],
                         sort ? SHIFTED : SCATTERED);
    crowds->crowded[0] = crowds->crowded[1] = false;
}

bool pb_fit_line(struct pb_line *line, const struct pb_marks *marks, size_t from, size_t to,
                 int64_t scatter_ps)
{
    const int64_t base_ps = pb_mark_ps(marks, from);
    double limit_ps = INFINITY;
    for (unsigned round = 0; round < FIT_ROUNDS; round++) {
        double n = 0, x = 0, y = 0, xx = 0, xy = 0, worst = 0;
        for (size_t i = from; i < to; i++) {
            const double at = (double)(pb_mark(marks, i)->number - pb_mark(marks, from)->number);
            const double ps = (double)(pb_mark_ps(marks, i) - base_ps);
            const double error = round ? fabs(ps - line->origin_ps - at * line->slope_ps) : 0;
            if (error > limit_ps)
                continue;
            worst = error > worst ? error : worst;
            n++;
            x += at;
            y += ps;
            xx += at * at;
            xy += at * ps;
        }
        const double spread = n * xx - x * x;
        if (n < 3 || spread <= 0)
            return round > 0;
        line->slope_ps = (n * xy - x * y) / spread;
        line->origin_ps = (y - line->slope_ps * x) / n;
        line->spread = spread / n;
        /* An outlier displaces the line by less than half of its own error. */
        limit_ps = round ? worst / 2 : INFINITY;
        if (limit_ps <= (double)scatter_ps)
            break;
    }
    return true;
}
