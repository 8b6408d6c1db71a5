/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pins of a run as its events show them: the waveform of a recording, which has no signals of the core.
 *
 * Edges are those of the events, to half a tick. Of a link whose edges were not captured, the bits of its
 * bytes are laid at the nominal bit time. TDMA_CLK rises where its pin was seen to, else at the begin of a
 * phase, and falls in the middle between two rises, as its fall is not captured. TDMA_SYNC changes where that
 * was measured, else at the edge that shows it.
 */
#ifndef PHASEBENCH_TRACE_PINS_H
#define PHASEBENCH_TRACE_PINS_H

#include "host/check/observation.h"

struct pb_trace_pins;

/* result: of the same run, whose clock and first phase place the ticks; borrowed. from_ps, to_ps: what will
 * be written, since power-up, from_ps >= 0. Returns 0 or PB_ERR_MEMORY, as pb_trace_pins_take. Release with
 * pb_trace_pins_free. */
int pb_trace_pins_open(struct pb_trace_pins **out, const struct pb_result *result,
                       const struct pb_scenario *scenario, int64_t from_ps, int64_t to_ps);
/* Before the events: what was seen before the clock, as the level of the lines. */
void pb_trace_pins_begin(struct pb_trace_pins *pins, const struct pb_observation *observation);
int pb_trace_pins_take(struct pb_trace_pins *pins, const struct pb_event *event, size_t count);
/* After the events. vcd_path: NULL: none. 0, PB_ERR_IO or PB_ERR_MEMORY. */
int pb_trace_pins_write(struct pb_trace_pins *pins, const char *fst_path, const char *vcd_path);
void pb_trace_pins_free(struct pb_trace_pins *pins); /* NULL: no effect */

#endif
