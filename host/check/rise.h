/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rise time of a line, and instants corrected for it. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_RISE_H
#define PHASEBENCH_CHECK_RISE_H

#include "host/check/findings.h"

/* What the line takes to rise in the slot; at the far pin of a joined pair both lines. Not known: nothing. */
struct pb_line_rise pb_rise_of(const struct pb_check_run *run, const struct pb_line_slot *slot);
/* When the line was released that rose at ps, which is known to u95_ps; from the phase edge. */
struct pb_released {
    int64_t ps, u95_ps;
};
struct pb_released pb_released_at(const struct pb_check_run *run, const struct pb_line_slot *slot, int64_t ps,
                                  int64_t u95_ps);
/* Findings about lines that rise too slowly for the baud rate. Before any about a slot. */
void pb_judge_rises(struct pb_check_output *out);

#endif
