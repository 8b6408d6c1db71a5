/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Places in the schedule.
 */
#include "host/check/checker.h"

struct pb_schedule_place pb_schedule_place_from(const struct pb_checker *checker,
                                                const struct pb_phase_mark *mark, uint64_t tick,
                                                unsigned half)
{
    return (struct pb_schedule_place){.tick = tick,
                                      .half = half,
                                      .ideal_ps = pb_ticks_to_ps(checker, mark->ideal_tick) -
                                                  pb_ticks_to_ps(checker, tick),
                                      .superframe = mark->superframe,
                                      .phase = mark->phase};
}

struct pb_schedule_place pb_schedule_place_at(const struct pb_checker *checker,
                                              const struct pb_phase_mark *mark)
{
    return pb_schedule_place_from(checker, mark, mark->tick, mark->half);
}

struct pb_schedule_place pb_schedule_place_of_mark(const struct pb_checker *checker, size_t mark)
{
    return pb_schedule_place_at(checker, pb_mark(checker, mark));
}

struct pb_schedule_place pb_schedule_place_last(const struct pb_checker *checker)
{
    return checker->marks.end ? pb_schedule_place_of_mark(checker, checker->marks.end - 1)
                          : (struct pb_schedule_place){0};
}

struct pb_schedule_place pb_schedule_place_nominal(const struct pb_checker *checker, uint32_t superframe,
                                                   unsigned phase)
{
    const uint64_t index = (uint64_t)superframe * checker->scenario->network.phases + phase;
    return (struct pb_schedule_place){
        .tick = (checker->marks.end ? checker->marks.first.ideal_tick : 0) +
                (uint64_t)((unsigned __int128)index * checker->observation->info.clock_hz * 1000 /
                           checker->scenario->phase_rate_mhz),
        .superframe = superframe,
        .phase = phase};
}
