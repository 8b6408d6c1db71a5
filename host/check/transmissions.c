/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/transmissions.h"
#include "host/base/room.h"
#include "phasebench/error.h"
#include "phasebench/result.h"

#include <stdlib.h>
#include <string.h>

static struct pb_transmission *new_place(struct pb_transmissions *all)
{
    if (pb_make_room(&all->held, &all->capacity, all->count + 1, sizeof *all->held))
        return NULL;
    return &all->held[all->count++];
}

/* Its findings are among those that were added since its slot began. They stay where they are until the end
 * of the run. */
static void add_findings(const struct pb_result *result, const struct pb_line_slot *slot,
                         struct pb_transmission *transmission)
{
    for (size_t i = slot->findings_before; i < result->findings; i++)
        if (result->finding[i].link == (int)slot->link && transmission->findings < PB_TRANSMISSION_FINDINGS)
            transmission->finding[transmission->findings++] = &result->finding[i];
}

int pb_transmissions_push(struct pb_transmissions *all, const struct pb_line_slot *slot,
                          const struct pb_shown *shown)
{
    const struct pb_expected_frame *expected = &slot->expected;
    struct pb_transmission *place = new_place(all);
    if (!place)
        return PB_ERR_MEMORY;
    *place = (struct pb_transmission){
        .hop = *shown->hop,
        .time_ps = shown->slot_ps + shown->hop->start_ps,
        .bytes_seen = slot->seen.byte_count,
        .bad_stop = slot->seen.bad_stop,
        .expected = expected->crossing != NULL,
        .cut = expected->crossing && expected->kind == PB_SLOT_CUT,
        .collision = expected->crossing && expected->kind == PB_SLOT_COLLISION,
        .by_bytes = shown->by_bytes,
        .named = slot->found,
    };
    add_findings(shown->result, slot, place);
    return PB_OK;
}

static int by_time(const void *left, const void *right)
{
    const struct pb_transmission *a = left, *b = right;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    return a->hop.link < b->hop.link ? -1 : a->hop.link > b->hop.link;
}

void pb_transmissions_pass(struct pb_transmissions *all, int64_t limit_ps)
{
    size_t passed = 0;
    if (!all->count)
        return;
    qsort(all->held, all->count, sizeof *all->held, by_time);
    while (passed < all->count && all->held[passed].time_ps < limit_ps)
        all->sink.take(all->sink.context, &all->held[passed++]);
    all->count -= passed;
    memmove(all->held, all->held + passed, all->count * sizeof *all->held);
}

void pb_transmissions_free(struct pb_transmissions *transmissions)
{
    free(transmissions->held);
    *transmissions = (struct pb_transmissions){.held = NULL};
}
