/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The events that a core makes of sound nodes, without any core: computed from the movement of a scenario,
 * superframe by superframe. A node starts its frames up to 500 ns after the head guard, as its bench does
 * exactly then. For one node, whose links are the cube's.
 */
#ifndef PHASEBENCH_SOUND_STREAM_H
#define PHASEBENCH_SOUND_STREAM_H

#include "host/scenario/movement.h"
#include "tests/bench/unit/pin_events.h"

struct sound_stream {
    const struct pb_scenario *scenario; /* borrowed */
    struct pb_movement *movement;       /* owned */
    unsigned reader;
    uint64_t start_tick; /* of the first phase */
    uint64_t random;
    struct pin_events pins; /* owned; events of the superframe that was made last, in the order of a core */
};

/* 0 or PB_ERR_MEMORY. */
int sound_stream_open(struct sound_stream *stream, const struct pb_scenario *scenario);
void sound_stream_close(struct sound_stream *stream);
/* Makes the events of a superframe; each is asked for once, in ascending order. 0 or PB_ERR_MEMORY. */
int sound_stream_next(struct sound_stream *stream, uint32_t superframe);

#endif
