/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events that wait for a stage of the check, in the order of their ticks. Each has a number that stays the
 * same when those before it are forgotten. All zero is empty. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_QUEUE_H
#define PHASEBENCH_CHECK_QUEUE_H

#include "phasebench/event.h"

struct pb_queue {
    struct pb_event *event; /* owned */
    size_t head;            /* place of the first that is kept */
    size_t count, capacity; /* places in use, places */
    size_t first;           /* number of the one at `head` */
};

/* By tick; at equal ticks phases first, as a phase begins before what happens at its first instant, then by
 * sequence. */
static inline bool pb_event_is_after(const struct pb_event *event, const struct pb_event *other)
{
    if (event->tick != other->tick)
        return event->tick > other->tick;
    if ((event->kind == PB_EVENT_PHASE) != (other->kind == PB_EVENT_PHASE))
        return other->kind == PB_EVENT_PHASE;
    return event->sequence > other->sequence;
}

static inline size_t pb_queue_waiting(const struct pb_queue *queue)
{
    return queue->count - queue->head;
}

/* The number that follows the last one. */
static inline size_t pb_queue_end(const struct pb_queue *queue)
{
    return queue->first + pb_queue_waiting(queue);
}

/* NULL beyond the last. number: of one that is not forgotten. */
static inline const struct pb_event *pb_queue_at(const struct pb_queue *queue, size_t number)
{
    const size_t place = queue->head + (number - queue->first);
    return place < queue->count ? &queue->event[place] : NULL;
}

/* NULL when it is empty. */
static inline const struct pb_event *pb_queue_first(const struct pb_queue *queue)
{
    return pb_queue_at(queue, queue->first);
}

/* *mark: the mark of the next event, or an earlier one. If no event waits, the next one comes after every
 * judged mark. */
static inline void pb_queue_follow(const struct pb_queue *queue, size_t *mark, size_t judged)
{
    if (*mark < judged && !pb_queue_first(queue))
        *mark = judged;
}

/* Puts an event in its place, which is not before `least`. 0 or PB_ERR_MEMORY. */
int pb_queue_add(struct pb_queue *queue, const struct pb_event *event, size_t least);
/* Forgets those before a number. */
void pb_queue_forget(struct pb_queue *queue, size_t before);
void pb_queue_free(struct pb_queue *queue);

#endif
