/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What real nodes of a machine did, as text and JSON: parts of the forms of machine_forms.h.
 */
#ifndef PB_REPORT_MACHINE_BENCH_H
#define PB_REPORT_MACHINE_BENCH_H

#include "host/machine/sweep.h"

#include <jansson.h>
#include <stdio.h>

/* Which nodes they are, why the others can be computed a superframe ahead, and how often they were. */
void pb_machine_put_bench(FILE *out, const struct pb_machine_sweep *sweep);
/* What they did, and the findings, point by point. */
void pb_machine_put_findings(FILE *out, const struct pb_machine_sweep *sweep);
/* Both as a part of the page. */
void pb_machine_put_bench_html(FILE *stream, const struct pb_machine_sweep *sweep);
/* Owned by the caller; NULL without memory. */
json_t *pb_machine_bench_json(const struct pb_machine_sweep *sweep);
json_t *pb_machine_seen_json(const struct pb_machine_seen *seen);

#endif
