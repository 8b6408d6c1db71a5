/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tampering with an observation, for the tests of the check. The observation is that of the demo-> Node 0x2A3
 * sends on its 12 links (0 to 11). In superframe 0 there is one frame: the node's, phase 1, link 0. In
 * superframe 1 all nodes send to their complement: in phase 0 the bench sends on link 0, in phase 1 the node.
 * Its core reports no halves of ticks.
 * The last superframe, 13, is silent. 48 ticks are 1 us and one bit; a phase is 4800 ticks.
 */
#ifndef CHECK_FIXTURE_H
#define CHECK_FIXTURE_H

#include "host/check/check.h"
#include "host/check/slot.h"
#include "tests/bench/unit/run_fixture.h"

enum { BIT = 48, PHASE = 4800, LAST_SUPERFRAME = 13 };

extern struct pb_scenario *scenario;
extern struct pb_observation *demo;

/* That of the demo, with a node whose clock is 50 ppm fast. */
struct pb_scenario *load_demo(void);
/* Plays a scenario, and forgets in which half of a tick its edges were. */
void play_whole_ticks(struct pb_scenario *played);
/* Set-up of the group: plays the demo once. */
void play_demo(void);

/* A copy to tamper with. */
struct pb_observation *copy(void);
struct pb_result *judge(struct pb_observation *seen);
/* Judges, and expects this verdict and this as the first finding. */
struct pb_result *judge_first(struct pb_observation *seen, enum pb_verdict verdict, enum pb_finding_kind kind,
                              uint32_t superframe, unsigned phase, int link);

struct slot {
    uint64_t from, to; /* ticks */
    unsigned link;
};
struct slot slot_of(uint32_t superframe, unsigned phase, unsigned link);
struct slot node_slot(void);                                  /* the frame of superframe 0 */
bool in_slot(const struct pb_event *event, struct slot slot); /* an edge or a byte */

struct pb_event *phase_event(const struct pb_observation *seen, uint32_t superframe, unsigned phase);
/* The index-th event of a kind in a slot, from 0; negative: from the end. */
struct pb_event *event_in(const struct pb_observation *seen, struct slot slot, uint8_t kind, int index);

void erase(struct pb_observation *seen, const struct pb_event *event);
void erase_slot(struct pb_observation *seen, struct slot slot);
void shift_slot(struct pb_observation *seen, struct slot slot, int64_t ticks);
void append(struct pb_observation *seen, uint8_t kind, unsigned link, uint64_t tick,
            uint32_t value); /* unsorted */
void insert(struct pb_observation *seen, uint8_t kind, unsigned link, uint64_t tick, uint32_t value);
void insert_pulse(struct pb_observation *seen, unsigned link, uint64_t tick, unsigned ticks);

#endif
