/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forms of the kinds of fault, and of the faults that a run has injected.
 */
#ifndef PB_REPORT_FAULT_FORMS_H
#define PB_REPORT_FAULT_FORMS_H

#include "phasebench/fault.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

#include <jansson.h>
#include <stdio.h>

/* The table of the kinds; as JSON, NULL: out of memory. */
void pb_fault_kinds_text(FILE *out);
json_t *pb_fault_kinds_json(void);

/* Of each fault of the scenario: where it was to be injected, its receipt, and how it was found. */
void pb_fault_runs_text(FILE *out, const struct pb_scenario *scenario, const struct pb_result *result);

#endif
