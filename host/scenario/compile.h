/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Converts the text of a scenario to checked values in base units. Every function fills its part of
 * *scenario, in this order, and returns PB_OK, PB_ERR_CONFIG or PB_ERR_MEMORY. Its allocations are owned by
 * *scenario, also on failure.
 */
#ifndef PB_COMPILE_H
#define PB_COMPILE_H

#include "keys.h"
#include "raw.h"

#include "phasebench/scenario.h"

/* Superframes in which the file can place something: the begin of a list of messages, a defect. A run may be
 * longer. */
#define PB_SUPERFRAMES_MAX 100000
#define PB_MESSAGES_MAX ((size_t)1 << 20)
#define PB_RISE_MAX_PS INT64_C(100000000)
#define PB_CONTROLLER_ERROR_MAX_PPM 10000
#define PB_NODE_ERROR_MAX_PPM 100000
#define PB_NODE_ROOM_MOST 10000
#define PB_FLASH_MISS_MAX 10000
#define PB_ANSWER_LEAST_PS INT64_C(100000000000)
#define PB_ANSWER_MOST_PS INT64_C(600000000000000)

static inline int64_t pb_phase_ps(const struct pb_scenario *scenario)
{
    return INT64_C(1000000000000000) / (int64_t)scenario->phase_rate_mhz;
}

/* network, or cube, its short form: the network and the rule. */
int pb_compile_network(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                       struct pb_scenario *scenario);

/* network, link, seed and capture: the slot frame and its place in a phase. */
int pb_compile_link(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                    struct pb_scenario *scenario);

int pb_compile_nodes(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                     struct pb_scenario *scenario);

/* wiring; needs network and nodes. */
int pb_compile_wiring(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                      struct pb_scenario *scenario);

int pb_compile_limits(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                      struct pb_scenario *scenario);

/* traffic, and superframes, which may depend on it. */
int pb_compile_traffic(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                       struct pb_scenario *scenario);

/* A program in place of traffic: scenario->program, and its frames in scenario->traffic. place: of the
 * key, for messages. argument NULL: that of the program. */
int pb_compile_program(const struct pb_reader *reader, const char *place, const char *name,
                       const uint64_t *argument, struct pb_scenario *scenario);

/* clock: who makes TDMA_CLK. */
int pb_compile_clock(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                     struct pb_scenario *scenario);

/* Interrupt latency and jitter of a node that names none: 1.5 us and 0.5 us, or three eighths and one
 * eighth of the head guard beyond 0.1 us. */
void pb_default_latency(const struct pb_scenario *scenario, struct pb_scenario_node *node);

/* Refuses what a sound node of its kind cannot keep to: a head guard that its latency does not leave, more
 * messages than it has room for. Needs everything but faults. */
int pb_compile_reach(const struct pb_reader *reader, struct pb_scenario *scenario);

/* faults; needs everything else. */
int pb_compile_faults(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                      struct pb_scenario *scenario);

/* An address of the network. */
int pb_read_address(const struct pb_reader *reader, const char *place, const char *text,
                    const struct pb_network *network, uint32_t *address);

#endif
