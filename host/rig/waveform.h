/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files next to the waveform of a simulated rig: its pins as VCD, and a save file for GTKWave. Both functions
 * read the FST file with a library that checks little: call them in a process that may die.
 */
#ifndef PB_RIG_WAVEFORM_H
#define PB_RIG_WAVEFORM_H

#include "phasebench/scenario.h"

/* Content of the save file: clock and sync, the lines of each node, its other pins. */
struct pb_waveform_view {
    const struct pb_scenario *scenario;
    const char *dump_name;  /* of the waveform, in the same directory */
    int64_t from_ps, to_ps; /* the shown range; from_ps may be negative */
    int64_t marker_ps;
};
/* PB_ERR_IO, as the next: the waveform cannot be read, or the file not completely written. The pins as a
 * logic analyser shows them, one scalar each (pin_dump.h): TDMA_CLK, TDMA_SYNC, link0, ... */
int pb_waveform_vcd(const char *fst_path, const char *vcd_path, const struct pb_waveform_view *view);
int pb_waveform_save_file(const char *fst_path, const char *save_path, const struct pb_waveform_view *view);

#endif
