/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pins on which nothing is due for a time: the lows of a line, from its edges and bytes, and unsolicited
 * bytes of a console. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_LOWS_H
#define PHASEBENCH_CHECK_LOWS_H

#include "phasebench/event.h"

#include <stdbool.h>
#include <stdint.h>

struct pb_low {
    uint64_t from_tick, to_tick; /* to: UINT64_MAX while it lasts */
};

struct pb_line_watch {
    const struct pb_events *events; /* borrowed; in the order of their ticks */
    unsigned link;
    uint64_t from_tick, end_tick; /* events before `from`, and from `end` on, are none of its business */
    bool low_first, low_last;     /* the level as it was read: a line that stays low makes no edge */
    uint32_t bit_period_q4; /* 0: edges were recorded, bytes need no look */
};

/* Hands each low that ends to `take`, in the order of time; a byte without an edge at its start is a low of a
 * bit. Returns whether the line is low at the end, since *low. */
bool pb_line_lows(const struct pb_line_watch *watch, void (*take)(void *context, struct pb_low low),
                  void *context, struct pb_low *low);

/* Whether a byte of a console shows that its node does not keep silent after a reset that began at
 * reset_tick. A reset may end a byte early, which then has ones and a stop bit: up to held_tick a byte
 * without a stop bit alone is a low. */
bool pb_console_unasked(const struct pb_event *event, uint64_t reset_tick, uint64_t held_tick);

#endif
