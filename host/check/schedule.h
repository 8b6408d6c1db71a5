/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What crosses the lines of the rig by the schedule, superframe by superframe, from the movement alone. It is
 * read as far as the check asks and forgotten when that has passed.
 */
#ifndef PHASEBENCH_SCHEDULE_H
#define PHASEBENCH_SCHEDULE_H

#include "host/check/known.h"
#include "host/check/observation.h"
#include "host/scenario/movement.h"

/* Superframes after its last crossing for which a message is still known by its number. A node may answer
 * late to the line that queues it, or send it late. A message that a node still holds remains known. */
#define PB_KNOWN_SUPERFRAMES 64

struct pb_scheduled {
    struct pb_crossing crossing;
    bool crossed; /* seen, and correct */
};

/* A message of a node of the rig, when its node is given it. */
struct pb_scheduled_release {
    uint64_t instant; /* phases since that of superframe 0 */
    uint64_t message;
    unsigned node;
    size_t number; /* among the node's own */
};

struct pb_schedule {
    const struct pb_scenario *scenario;       /* borrowed */
    const struct pb_observation *observation; /* borrowed; which lines were refused before the clock */
    struct pb_movement *movement;             /* that of the plan, or one of its own */
    unsigned reader;
    bool reacts;   /* the rest of the network misses what is lost: the plan reads this movement, too */
    uint32_t read; /* superframes read */
    bool left;     /* messages are in flight, or yet to be released */
    int code;      /* of the first read that failed; then nothing more is read */
    struct pb_known known;
    /* Windows; `first` is the number of the first kept element, `end` the number after the last one. */
    struct pb_scheduled *crossing; /* owned; in time order */
    size_t crossing_first, crossing_end, crossing_capacity;
    struct pb_scheduled_release *release; /* owned; in the order of instant and message */
    size_t release_first, release_end, release_capacity;
    struct pb_arrived *arrival; /* owned; by superframe */
    size_t arrival_first, arrival_end, arrival_capacity;
    size_t given[PB_SCENARIO_NODES_MAX]; /* releases of each node */
    /* Up to the superframe that was read last. */
    uint64_t messages, through_rig;
    uint64_t own[PB_SCENARIO_NODES_MAX];      /* messages of each node of the rig to another */
    uint64_t drops[PB_SCENARIO_NODES_MAX];    /* messages that it has no room for */
    uint64_t refusals[PB_SCENARIO_NODES_MAX]; /* its own among them */
    struct pb_own_message failed[16];         /* those of console_failure */
};

/* movement: joined as a reader; NULL: it opens its own. 0 or PB_ERR_MEMORY. */
int pb_schedule_open(struct pb_schedule *schedule, const struct pb_scenario *scenario,
                     const struct pb_observation *observation, struct pb_movement *movement);
void pb_schedule_free(struct pb_schedule *schedule);

/* Reads up to a superframe, that one too; none beyond the run. 0 or PB_ERR_MEMORY. */
int pb_schedule_read(struct pb_schedule *schedule, uint64_t superframe);

/* A node of the rig did not send a message on as the schedule has it. True: it is taken out of the network
 * from superframe *from on. */
bool pb_schedule_take_out(struct pb_schedule *schedule, const struct pb_crossing *crossing, uint64_t *from);

/* Crossings and arrivals before these numbers are done with. */
void pb_schedule_pass(struct pb_schedule *schedule, size_t crossing, size_t arrival);
void pb_schedule_pass_releases(struct pb_schedule *schedule, size_t release);

static inline struct pb_scheduled *pb_schedule_crossing(const struct pb_schedule *schedule, size_t number)
{
    return &schedule->crossing[number - schedule->crossing_first];
}
static inline const struct pb_scheduled_release *pb_schedule_release(const struct pb_schedule *schedule,
                                                                     size_t number)
{
    return &schedule->release[number - schedule->release_first];
}
static inline const struct pb_arrived *pb_schedule_arrival(const struct pb_schedule *schedule, size_t number)
{
    return &schedule->arrival[number - schedule->arrival_first];
}

#endif
