/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <string.h>

void queue_init(struct queues *queues)
{
    for (uint8_t q = 0; q < QUEUE_COUNT; q++) {
        queues->head[q] = queues->tail[q] = QUEUE_NONE;
        queues->depth[q] = 0;
    }
    for (uint8_t i = 0; i < QUEUE_POOL; i++)
        queues->entry[i].next = i + 1 < QUEUE_POOL ? i + 1 : QUEUE_NONE;
    queues->unused = 0;
    queues->stored = 0;
}

uint8_t queue_put(struct queues *queues, uint8_t queue, uint16_t wants, const struct frame *frame,
                  uint8_t payload_bytes)
{
    const uint8_t index = queues->unused;
    if (index == QUEUE_NONE)
        return QUEUE_NONE;

    struct queue_entry *entry = &queues->entry[index];
    queues->unused = entry->next;
    entry->frame.destination = frame->destination;
    entry->frame.sequence = frame->sequence;
    entry->frame.checked = frame->checked;
    entry->frame.check = frame->check;
    memcpy(entry->frame.payload, frame->payload, payload_bytes);
    entry->wants = wants;
    entry->next = QUEUE_NONE;
    if (queues->head[queue] == QUEUE_NONE)
        queues->head[queue] = index;
    else
        queues->entry[queues->tail[queue]].next = index;
    queues->tail[queue] = index;
    queues->depth[queue]++;
    queues->stored++;
    return index;
}

uint8_t queue_oldest(const struct queues *queues, uint8_t dimension)
{
    uint8_t index = queues->head[dimension];
    if (index != QUEUE_NONE)
        return index;
    index = queues->head[QUEUE_ANY];
    while (index != QUEUE_NONE && !((queues->entry[index].wants >> dimension) & 1))
        index = queues->entry[index].next;
    return index;
}

void queue_remove(struct queues *queues, uint8_t dimension, uint8_t entry)
{
    const uint8_t queue = queues->head[dimension] == entry ? dimension : QUEUE_ANY;
    uint8_t before = QUEUE_NONE;
    for (uint8_t i = queues->head[queue]; i != entry; i = queues->entry[i].next)
        before = i;

    const uint8_t after = queues->entry[entry].next;
    if (before == QUEUE_NONE)
        queues->head[queue] = after;
    else
        queues->entry[before].next = after;
    if (queues->tail[queue] == entry)
        queues->tail[queue] = before;
    queues->entry[entry].next = queues->unused;
    queues->unused = entry;
    queues->depth[queue]--;
    queues->stored--;
}
