/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which kinds of fault a core can inject. Faults of slot frames need none of its fault units; those of lines
 * and of the clock do, and two of them, SHORT and SLOW_RISE, units that follow the level of a line
 * (SHAPE.FEEDBACK).
 */
#ifndef PHASEBENCH_PLAN_FAULT_UNITS_H
#define PHASEBENCH_PLAN_FAULT_UNITS_H

#include "phasebench/device.h"

#include <stdbool.h>
#include <stddef.h>

#define PB_FAULT_UNITS_TEXT 160 /* bytes that the text below takes at most, with its end */

/* kind: PB_FAULT_*, of pb_fault_infos(). */
bool pb_core_injects(const struct pb_device_info *info, unsigned kind);

/* Writes the number of units and the kinds that the core injects: "1 fault unit: all kinds but short and
 * slow_rise". */
void pb_core_faults_text(char *text, size_t size, const struct pb_device_info *info);

#endif
