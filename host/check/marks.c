/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/marks.h"
#include "host/base/room.h"

#include <stdlib.h>
#include <string.h>

struct pb_phase_mark *pb_marks_add(struct pb_marks *marks)
{
    const size_t at = marks->end - marks->base;
    if (pb_make_room(&marks->mark, &marks->capacity, at + 1, sizeof *marks->mark))
        return NULL;
    marks->end++;
    return &marks->mark[at];
}

/* What is forgotten is given back when it is half of all. */
void pb_marks_forget(struct pb_marks *marks, size_t before)
{
    const size_t count = before - marks->base, left = marks->end - before;
    if (before <= marks->base || count < left)
        return;
    memmove(marks->mark, marks->mark + count, left * sizeof *marks->mark);
    marks->base = before;
}

void pb_marks_free(struct pb_marks *marks)
{
    free(marks->mark);
    *marks = (struct pb_marks){.mark = NULL};
}

int64_t pb_mark_ps(const struct pb_marks *marks, size_t number)
{
    const struct pb_phase_mark *at = pb_mark(marks, number);
    return pb_ticks_to_ps(marks->run, at->tick) + pb_half_ps(marks->run, at->half);
}

/* ---- places in the schedule */

struct pb_schedule_place pb_schedule_place_from(const struct pb_check_run *run,
                                                const struct pb_phase_mark *mark, uint64_t tick,
                                                unsigned half)
{
    return (struct pb_schedule_place){.tick = tick,
                                      .half = half,
                                      .ideal_ps =
                                          pb_ticks_to_ps(run, mark->ideal_tick) - pb_ticks_to_ps(run, tick),
                                      .superframe = mark->superframe,
                                      .phase = mark->phase};
}

struct pb_schedule_place pb_schedule_place_at(const struct pb_check_run *run,
                                              const struct pb_phase_mark *mark)
{
    return pb_schedule_place_from(run, mark, mark->tick, mark->half);
}

struct pb_schedule_place pb_schedule_place_of_mark(const struct pb_marks *marks, size_t number)
{
    return pb_schedule_place_at(marks->run, pb_mark(marks, number));
}

struct pb_schedule_place pb_schedule_place_last(const struct pb_marks *marks)
{
    return marks->end ? pb_schedule_place_of_mark(marks, marks->end - 1) : (struct pb_schedule_place){0};
}

struct pb_schedule_place pb_schedule_place_nominal(const struct pb_marks *marks, uint32_t superframe,
                                                   unsigned phase)
{
    const struct pb_check_run *run = marks->run;
    const uint64_t index = (uint64_t)superframe * run->scenario->network.phases + phase;
    return (struct pb_schedule_place){
        .tick = (marks->end ? marks->first.ideal_tick : 0) +
                (uint64_t)((unsigned __int128)index * run->observation->info.clock_hz * 1000 /
                           run->scenario->phase_rate_mhz),
        .superframe = superframe,
        .phase = phase};
}
