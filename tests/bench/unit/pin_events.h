/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The events that a core makes of what happens at its pins, one after the other. The edges lie on the bits.
 */
#ifndef PHASEBENCH_PIN_EVENTS_H
#define PHASEBENCH_PIN_EVENTS_H

#include "host/check/observation.h"

enum { PIN_EVENTS_CLOCK_HZ = 48000000 };

struct pin_events {
    struct pb_events events; /* owned; its count is the user's to reset */
    uint64_t sequence;       /* of the next event */
};

/* Each int is 0 or PB_ERR_MEMORY. */
int pin_event(struct pin_events *pins, uint8_t kind, unsigned link, uint64_t tick, uint32_t value);
/* When a phase begins, of a clock that starts at start_tick; and PHASE and TDMA of it. */
uint64_t pin_phase_tick(const struct pb_scenario *scenario, uint64_t start_tick, uint32_t superframe,
                        unsigned phase);
int pin_phase(struct pin_events *pins, uint64_t tick, uint32_t superframe, unsigned phase);
/* A frame, its bytes without a pause. */
int pin_frame(struct pin_events *pins, const struct pb_scenario *scenario, unsigned link, uint64_t tick,
              const uint8_t *bytes, unsigned count);

/* What a session knows before the clock starts when it has measured no line and asked no node. */
struct pb_observation pin_observation(const struct pb_scenario *scenario);

#endif
