/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_PERF_MACHINE_H
#define PB_PERF_MACHINE_H

#include "phasebench/machine.h"

/* All 4,096 nodes of the 12-cube, each of which sends to its complement in each superframe: 49,152 frames.
 * Returns superframes a second of CPU time. image: of PB_ENGINE_IMAGE, else NULL. */
double perf_machine(enum pb_machine_engine engine, const char *image, unsigned superframes);

#endif
