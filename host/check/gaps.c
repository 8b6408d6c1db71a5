/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/gaps.h"
#include "phasebench/error.h"

#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

int pb_gaps_make(struct pb_gaps *gaps, const struct pb_events *events)
{
    gaps->sequence = malloc((events->count + 1) * sizeof *gaps->sequence);
    gaps->count = gaps->sequence ? events->count : 0;
    for (size_t i = 0; i < gaps->count; i++)
        gaps->sequence[i] = events->event[i].sequence;
    if (gaps->count)
        qsort(gaps->sequence, gaps->count, sizeof *gaps->sequence, ascending);
    return gaps->sequence ? PB_OK : PB_ERR_MEMORY;
}

void pb_gaps_free(struct pb_gaps *gaps)
{
    free(gaps->sequence);
    *gaps = (struct pb_gaps){0};
}

/* How many events came before this number. */
static uint64_t rank(const struct pb_gaps *gaps, uint64_t sequence)
{
    size_t low = 0, beyond = gaps->count;
    while (low < beyond) {
        const size_t middle = low + (beyond - low) / 2;
        if (gaps->sequence[middle] < sequence)
            low = middle + 1;
        else
            beyond = middle;
    }
    return low;
}

bool pb_gaps_between(const struct pb_gaps *gaps, uint64_t from_sequence, uint64_t to_sequence)
{
    return to_sequence > from_sequence &&
           to_sequence - from_sequence > rank(gaps, to_sequence) - rank(gaps, from_sequence);
}

uint64_t pb_gaps_whole_to(const struct pb_gaps *gaps, const struct pb_events *events)
{
    size_t at = 0;
    while (at < events->count && events->event[at].kind != PB_EVENT_PHASE)
        at++;
    size_t last = at < events->count ? (size_t)rank(gaps, events->event[at].sequence) : gaps->count;
    while (last + 1 < gaps->count && gaps->sequence[last + 1] == gaps->sequence[last] + 1)
        last++;
    for (; last + 1 < gaps->count && at < events->count; at++)
        if (events->event[at].sequence == gaps->sequence[last])
            return events->event[at].tick;
    return 0;
}
