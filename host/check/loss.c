/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/loss.h"

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
    const struct pb_gap *gap = pb_gaps_first_behind(&loss->gaps, sequence);
    if (!gap || gap->after_tick >= settled_tick)
        return;
    loss->placed = true;
    loss->whole_to_tick = gap->before_tick >= origin_tick ? gap->before_tick : 0;
}

void pb_loss_end(struct pb_loss *loss, const struct pb_observation *seen)
{
    loss->in_core = seen->events_lost > loss->overflown ? seen->events_lost : loss->overflown;
}

void pb_loss_free(struct pb_loss *loss)
{
    pb_gaps_free(&loss->gaps);
}
