/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What goes beside a waveform of the simulated rig: the same as VCD, and a save file for GTKWave. Both read
 * the FST file with a reader that checks little: call them in a process that may die.
 */
#ifndef PB_RIG_WAVEFORM_H
#define PB_RIG_WAVEFORM_H

#include "phasebench/scenario.h"

/* PB_ERR_IO: the waveform cannot be read, or not all of the file written. */
int pb_waveform_vcd(const char *fst_path, const char *vcd_path);

/* What GTKWave shows when it gets the save file: clock and sync, the lines of each node, its other pins. */
struct pb_waveform_view {
    const struct pb_scenario *scenario;
    const char *dump_name;  /* of the waveform, in the same folder */
    int64_t from_ps, to_ps; /* what is shown; from_ps may be negative */
    int64_t marker_ps;
};
int pb_waveform_save_file(const char *fst_path, const char *save_path, const struct pb_waveform_view *view);

#endif
