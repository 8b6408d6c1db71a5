/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/schedule.h"
#include "host/base/room.h"
#include "host/plan/node_map.h"

#include <stdlib.h>
#include <string.h>

/* Makes room after the last element of a window. */
static bool make_room(void *array, size_t first, size_t end, size_t *capacity, size_t size)
{
    return pb_make_room(array, capacity, end - first + 1, size) == PB_OK;
}

#define MAKE_ROOM(schedule, name)                                                                            \
    make_room(&(schedule)->name, (schedule)->name##_first, (schedule)->name##_end,                           \
              &(schedule)->name##_capacity, sizeof *(schedule)->name)

/* What is done with is given back when it is half of all, so that each element moves once. */
static void forget(void *array, size_t *first, size_t end, size_t before, size_t size)
{
    char *bytes = array;
    if (before <= *first || before - *first < end - before)
        return;
    memmove(bytes, bytes + (before - *first) * size, (end - before) * size);
    *first = before;
}

int pb_schedule_open(struct pb_schedule *schedule, const struct pb_scenario *scenario,
                     const struct pb_observation *observation, struct pb_movement *movement)
{
    *schedule = (struct pb_schedule){
        .scenario = scenario, .observation = observation, .movement = movement, .left = true};
    schedule->reacts = scenario->reacts && movement;
    const int code = movement ? PB_OK : pb_movement_open(&schedule->movement, scenario, NULL);
    if (!code)
        schedule->reader = pb_movement_reader(schedule->movement);
    return code;
}

void pb_schedule_free(struct pb_schedule *schedule)
{
    if (schedule->movement)
        pb_movement_leave(schedule->movement, schedule->reader);
    pb_known_free(&schedule->known);
    free(schedule->crossing);
    free(schedule->release);
    free(schedule->arrival);
    *schedule = (struct pb_schedule){0};
}

/* ---- one superframe */

static int take_crossing(struct pb_schedule *schedule, const struct pb_crossing *crossing)
{
    struct pb_known_message *known = pb_known_add(&schedule->known, crossing->message);
    if (!known || !MAKE_ROOM(schedule, crossing))
        return PB_ERR_MEMORY;
    schedule->through_rig += !known->crosses;
    known->crosses = true;
    known->source = crossing->source;
    known->destination = crossing->destination;
    known->sequence = crossing->sequence;
    known->superframe = crossing->superframe;
    *pb_schedule_crossing(schedule, schedule->crossing_end++) = (struct pb_scheduled){.crossing = *crossing};
    return PB_OK;
}

/* The message is no longer in flight. */
static void leave(struct pb_schedule *schedule, uint64_t message)
{
    struct pb_known_message *known = pb_known_find(&schedule->known, message);
    if (known) {
        known->left = true;
        known->superframe = schedule->read;
    }
}

static int take_arrival(struct pb_schedule *schedule, const struct pb_arrived *arrived)
{
    if (!MAKE_ROOM(schedule, arrival))
        return PB_ERR_MEMORY;
    leave(schedule, arrived->message);
    schedule->arrival[schedule->arrival_end++ - schedule->arrival_first] = *arrived;
    return PB_OK;
}

static size_t failure_of(const struct pb_observation *observation, uint64_t message)
{
    const size_t room = sizeof observation->console_failure / sizeof observation->console_failure[0];
    for (size_t i = 0; i < observation->console_failures && i < room; i++)
        if (observation->console_failure[i].message == message)
            return i;
    return SIZE_MAX;
}

static bool is_before(const struct pb_scheduled_release *a, const struct pb_scheduled_release *b)
{
    return a->instant != b->instant ? a->instant < b->instant : a->message < b->message;
}

/* A line that the node refused before the clock queues nothing. */
static int take_own(struct pb_schedule *schedule, const struct pb_own_message *own)
{
    const struct pb_observation *observation = schedule->observation;
    const size_t failure = failure_of(observation, own->message);
    struct pb_known_message *known = pb_known_add(&schedule->known, own->message);
    if (!known || !MAKE_ROOM(schedule, release))
        return PB_ERR_MEMORY;
    known->source = schedule->scenario->node[own->node_index].address;
    known->destination = own->destination;
    known->sequence = own->sequence;
    known->superframe = own->superframe;
    known->released = (uint64_t)own->superframe * schedule->scenario->network.phases + own->phase;
    known->refused = own->refused;
    known->left = own->refused || known->source == known->destination;
    schedule->own[own->node_index] += known->source != own->destination;
    schedule->refusals[own->node_index] += own->refused;
    if (failure != SIZE_MAX)
        schedule->failed[failure] = *own;
    if (failure != SIZE_MAX && observation->console_failure[failure].answer[0] == '-')
        return PB_OK;
    const struct pb_scheduled_release release = {
        .instant = known->released,
        .message = own->message,
        .node = own->node_index,
    };
    size_t at = schedule->release_end++ - schedule->release_first;
    for (; at > 0 && is_before(&release, &schedule->release[at - 1]); at--)
        schedule->release[at] = schedule->release[at - 1];
    schedule->release[at] = release;
    return PB_OK;
}

static void number_releases(struct pb_schedule *schedule, size_t from)
{
    for (size_t i = from; i < schedule->release_end; i++) {
        struct pb_scheduled_release *release = &schedule->release[i - schedule->release_first];
        release->number = schedule->given[release->node]++;
    }
}

static int take(struct pb_schedule *schedule, const struct pb_moved *moved)
{
    const size_t releases = schedule->release_end;
    int code = PB_OK;
    for (size_t i = 0; i < moved->owns && !code; i++)
        code = take_own(schedule, &moved->own[i]);
    number_releases(schedule, releases);
    for (size_t i = 0; i < moved->crossings && !code; i++)
        code = take_crossing(schedule, &moved->crossing[i]);
    for (size_t i = 0; i < moved->arrivals && !code; i++)
        code = take_arrival(schedule, &moved->arrival[i]);
    for (size_t i = 0; i < moved->losts; i++) {
        leave(schedule, moved->lost[i].drop.message);
        schedule->drops[moved->lost[i].node_index]++;
    }
    schedule->messages += moved->births;
    schedule->left = moved->left;
    return code;
}

int pb_schedule_read(struct pb_schedule *schedule, uint64_t superframe)
{
    while (!schedule->code && schedule->read <= superframe &&
           schedule->read < schedule->scenario->superframes) {
        const struct pb_moved *moved;
        schedule->code = pb_movement_read(schedule->movement, schedule->read, &moved, NULL);
        if (!schedule->code)
            schedule->code = take(schedule, moved);
        if (!schedule->code)
            pb_movement_pass(schedule->movement, schedule->reader, ++schedule->read);
    }
    return schedule->code;
}

bool pb_schedule_take_out(struct pb_schedule *schedule, const struct pb_crossing *crossing, uint64_t *from)
{
    const bool taken = pb_movement_take_out(schedule->movement, crossing->message, crossing->to, from);
    if (taken)
        leave(schedule, crossing->message);
    return taken;
}

void pb_schedule_pass(struct pb_schedule *schedule, size_t crossing, size_t arrival)
{
    forget(schedule->crossing, &schedule->crossing_first, schedule->crossing_end, crossing,
           sizeof *schedule->crossing);
    forget(schedule->arrival, &schedule->arrival_first, schedule->arrival_end, arrival,
           sizeof *schedule->arrival);
}

void pb_schedule_pass_releases(struct pb_schedule *schedule, size_t release)
{
    forget(schedule->release, &schedule->release_first, schedule->release_end, release,
           sizeof *schedule->release);
}
