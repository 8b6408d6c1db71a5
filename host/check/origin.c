/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where times count from. The core counts from its own power-up, and how long after it a run starts depends
 * on the host link. The first phase edge is the same instant on every rig. Events move so that it has a fixed
 * stamp of whole seconds: the picoseconds of a stamp are rounded alike on every rig then.
 */
#include "host/check/checker.h"

#define ORIGIN_S 1000 /* more than any run takes up to its first phase */

uint64_t pb_moved_tick(const struct pb_checker *checker, uint64_t tick)
{
    const uint64_t moved = tick + checker->origin_tick; /* not before the beginning of time */
    return moved > checker->clock_start_tick ? moved - checker->clock_start_tick : 0;
}

/* The stamps that the session took. 0: not known. */
static void move_session(struct pb_checker *checker)
{
    struct pb_before *before = &checker->before;
    uint64_t *const stamp[] = {&before->capture_tick,  &before->reset_from_tick, &before->reset_tick,
                               &before->released_tick, &before->held_tick,       &before->typing_tick,
                               &checker->clock_tick};
    for (size_t i = 0; i < sizeof stamp / sizeof stamp[0]; i++)
        if (*stamp[i])
            *stamp[i] = pb_moved_tick(checker, *stamp[i]);
    for (unsigned i = 0; i < before->pulls; i++) {
        before->pull[i].from_tick = pb_moved_tick(checker, before->pull[i].from_tick);
        before->pull[i].to_tick = pb_moved_tick(checker, before->pull[i].to_tick);
    }
}

void pb_origin_set(struct pb_checker *checker, uint64_t tick)
{
    checker->clock_start_tick = tick;
    checker->origin_tick = (uint64_t)ORIGIN_S * checker->observation->info.clock_hz;
    checker->result->clock_start_ps = pb_ticks_to_ps(checker, tick);
    move_session(checker);
}

uint64_t pb_end_tick(const struct pb_checker *checker)
{
    const uint64_t tick = checker->observation->end_tick;
    return tick ? pb_moved_tick(checker, tick) : 0;
}

void pb_origin_apply(struct pb_checker *checker)
{
    struct pb_result *result = checker->result;
    const int64_t origin_ps = pb_ticks_to_ps(checker, checker->origin_tick);
    for (size_t i = 0; i < result->findings; i++)
        result->finding[i].time_ps -= origin_ps;
    for (size_t i = 0; i < result->faults; i++) {
        struct pb_fault_row *fault = &result->fault[i];
        fault->start_ps -= fault->began ? origin_ps : 0;
        fault->detected_ps -= fault->detected ? origin_ps : 0;
    }
}
