/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/loss.h"
#include "host/base/room.h"
#include "phasebench/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- gaps */

static int add(struct pb_gaps *gaps, size_t at, const struct pb_gap *gap)
{
    if (pb_make_room(&gaps->gap, &gaps->capacity, gaps->count + 1, sizeof *gaps->gap))
        return PB_ERR_MEMORY;
    memmove(gaps->gap + at + 1, gaps->gap + at, (gaps->count++ - at) * sizeof *gap);
    gaps->gap[at] = *gap;
    return PB_OK;
}

static void drop(struct pb_gaps *gaps, size_t at, size_t count)
{
    gaps->count -= count;
    memmove(gaps->gap + at, gaps->gap + at + count, (gaps->count - at) * sizeof *gaps->gap);
}

/* An event that came after one with a higher number. */
static int fill(struct pb_gaps *gaps, const struct pb_event *event)
{
    size_t at = gaps->count;
    while (at > 0 && gaps->gap[at - 1].from > event->sequence)
        at--;
    if (at-- == 0 || gaps->gap[at].to <= event->sequence)
        return PB_OK;
    struct pb_gap *gap = &gaps->gap[at];
    const struct pb_gap rest = {event->sequence + 1, gap->to, event->tick, gap->after_tick};
    gap->to = event->sequence;
    gap->after_tick = event->tick;
    const int code = rest.from < rest.to ? add(gaps, at + 1, &rest) : PB_OK;
    if (gaps->gap[at].from == gaps->gap[at].to)
        drop(gaps, at, 1);
    return code;
}

int pb_gaps_take(struct pb_gaps *gaps, const struct pb_event *event)
{
    if (event->sequence < gaps->next)
        return fill(gaps, event);
    const struct pb_gap gap = {gaps->next, event->sequence, gaps->newest_tick, event->tick};
    gaps->next = event->sequence + 1;
    gaps->newest_tick = event->tick;
    return gap.from < gap.to ? add(gaps, gaps->count, &gap) : PB_OK;
}

void pb_gaps_move(struct pb_gaps *gaps, int64_t ticks)
{
    gaps->newest_tick += (uint64_t)ticks;
    for (size_t i = 0; i < gaps->count; i++) {
        gaps->gap[i].before_tick += (uint64_t)ticks;
        gaps->gap[i].after_tick += (uint64_t)ticks;
    }
}

void pb_gaps_free(struct pb_gaps *gaps)
{
    free(gaps->gap);
    *gaps = (struct pb_gaps){0};
}

bool pb_gaps_between(const struct pb_gaps *gaps, uint64_t from_sequence, uint64_t to_sequence)
{
    if (gaps->forgotten_to > from_sequence)
        return true;
    for (size_t i = 0; i < gaps->count && gaps->gap[i].from < to_sequence; i++)
        if (gaps->gap[i].to > from_sequence)
            return true;
    return false;
}

/* The first gap after this number; NULL: there is none. */
static const struct pb_gap *first_behind(const struct pb_gaps *gaps, uint64_t sequence)
{
    for (size_t i = 0; i < gaps->count; i++)
        if (gaps->gap[i].from > sequence)
            return &gaps->gap[i];
    return NULL;
}

void pb_gaps_forget(struct pb_gaps *gaps, uint64_t before_tick)
{
    size_t count = 0;
    while (count < gaps->count && gaps->gap[count].after_tick < before_tick)
        gaps->forgotten_to = gaps->gap[count++].to;
    if (count)
        drop(gaps, 0, count);
}

/* ---- state of the loss */

void pb_loss_take_counters(struct pb_loss *loss, const struct pb_observation *seen)
{
    loss->reported |= seen->events_lost || seen->counters.events_missing;
    loss->known |= loss->reported;
}

void pb_loss_take_impossible(struct pb_loss *loss)
{
    loss->impossible++;
    loss->known = loss->reported = true;
}

void pb_loss_take_unplaced(struct pb_loss *loss)
{
    loss->unplaced++;
    loss->known = loss->reported = true;
}

void pb_loss_take_overflow(struct pb_loss *loss, uint64_t count)
{
    loss->overflown += count;
    loss->reported |= count > 0;
    loss->known |= loss->reported;
}

void pb_loss_take_edge(struct pb_loss *loss)
{
    loss->edges++;
    loss->known = true;
}

void pb_loss_find_place(struct pb_loss *loss, uint64_t sequence, uint64_t settled_tick, uint64_t origin_tick)
{
    if (loss->placed)
        return;
    const struct pb_gap *gap = first_behind(&loss->gaps, sequence);
    if (!gap || gap->after_tick >= settled_tick)
        return;
    loss->placed = true;
    loss->whole_to_tick = gap->before_tick >= origin_tick ? gap->before_tick : 0;
}

void pb_loss_end(struct pb_loss *loss, const struct pb_observation *seen)
{
    loss->in_core = seen->events_lost > loss->overflown ? seen->events_lost : loss->overflown;
}
