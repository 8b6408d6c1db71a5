/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_PERF_MACHINE_H
#define PB_PERF_MACHINE_H

#include "phasebench/machine.h"

/* All 4,096 nodes of the 12-cube, each of which sends to its complement in each superframe: 49,152 frames.
 * Returns superframes a second of CPU time. image: of PB_ENGINE_IMAGE, else NULL. */
double perf_machine(enum pb_machine_engine engine, const char *image, unsigned superframes);

/* What a checkpoint of the 12-cube at load 1 takes, of real time, as it waits for the disk, and a superframe
 * of the same run between two of them. The file is removed. */
struct perf_checkpoint {
    double checkpoint_ms, superframe_ms;
    double bytes;
};
struct perf_checkpoint perf_checkpoint(const char *path);

#endif
