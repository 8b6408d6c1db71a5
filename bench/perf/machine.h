/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_PERF_MACHINE_H
#define PB_PERF_MACHINE_H

#include "phasebench/machine.h"

/* All 4,096 nodes of the 12-cube, each of which sends to its complement in each superframe: 49,152 frames.
 * Returns superframes a second of CPU time. image: of PB_ENGINE_IMAGE, else NULL. */
double perf_machine(enum pb_machine_engine engine, const char *image, unsigned superframes);

/* The 16-cube at load 1 under uniform traffic, in one thread and in two, in turn: CPU time of a superframe,
 * of the thread that takes longest. */
struct perf_threads {
    double one_ms, two_ms;
};
struct perf_threads perf_threads(void);

/* Most memory, in bytes, of the command with 2^20 nodes at load 0.5, and its CPU time for a superframe. */
struct perf_large {
    double bytes, superframe_ms;
};
struct perf_large perf_large(const char *phasebench);

/* What a checkpoint of the 12-cube at load 1 takes, of real time, as it waits for the disk, and a superframe
 * of the same run between two of them. The file is removed. */
struct perf_checkpoint {
    double checkpoint_ms, superframe_ms;
    double bytes;
};
struct perf_checkpoint perf_checkpoint(const char *path);

#endif
