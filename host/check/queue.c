/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/queue.h"
#include "host/base/room.h"
#include "phasebench/error.h"

#include <stdlib.h>
#include <string.h>

/* Room at the end: what was forgotten is given back when it is half of all, so that each event moves once. */
static int make_room(struct pb_queue *queue)
{
    if (queue->head && queue->head >= queue->count / 2) {
        queue->count -= queue->head;
        memmove(queue->event, queue->event + queue->head, queue->count * sizeof *queue->event);
        queue->head = 0;
        return PB_OK;
    }
    return pb_make_room(&queue->event, &queue->capacity, queue->count + 1, sizeof *queue->event);
}

int pb_queue_add(struct pb_queue *queue, const struct pb_event *event, size_t least)
{
    if (queue->count == queue->capacity && make_room(queue))
        return PB_ERR_MEMORY;
    const size_t from = least > queue->first ? queue->head + (least - queue->first) : queue->head;
    size_t at = queue->count++;
    for (; at > from && pb_event_is_after(&queue->event[at - 1], event); at--)
        queue->event[at] = queue->event[at - 1];
    queue->event[at] = *event;
    return PB_OK;
}

void pb_queue_forget(struct pb_queue *queue, size_t before)
{
    if (before <= queue->first)
        return;
    queue->head += before - queue->first;
    queue->first = before;
    if (queue->head == queue->count)
        queue->head = queue->count = 0;
}

void pb_queue_free(struct pb_queue *queue)
{
    free(queue->event);
    *queue = (struct pb_queue){0};
}
