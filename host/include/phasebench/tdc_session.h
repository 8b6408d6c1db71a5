/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The time-to-digital converter of an open core. The phase clock of the core must be stopped. The functions
 * discard events that wait in the core.
 */
#ifndef PHASEBENCH_TDC_SESSION_H
#define PHASEBENCH_TDC_SESSION_H

#include "phasebench/api.h"
#include "phasebench/device.h"
#include "phasebench/tdc.h"

#include <signal.h>

PB_API_BEGIN

/* Reads the number of taps. PB_ERR_UNSUPPORTED: the core has no converter. */
int pb_tdc_taps(unsigned *taps, struct pb_device *device, struct pb_diag *diag);
/* Writes a name for the layout of the core, from its map hash, clock, links, nodes and taps. Layouts that
 * differ only in their seed have the same name, so calibrate again after flashing. */
void pb_tdc_bitstream(char name[PB_TDC_NAME], const struct pb_device_info *info, unsigned taps);

/* Counts edges of the oscillator until there are `hits` rises and `hits` falls. Fills the table except its
 * board and its time. stop: as of struct pb_run_options. PB_ERR_UNSUPPORTED; PB_ERR_TIMEOUT: no edge comes;
 * PB_ERR_INTERRUPTED; else as pb_device_poll. The table is not checked. */
int pb_tdc_calibrate(struct pb_tdc_table *table, struct pb_device *device, uint64_t hits,
                     const volatile sig_atomic_t *stop, struct pb_diag *diag);
/* Prepares watch->scale for the edges of a run: compares the table with the core, and measures the rate. As
 * pb_tdc_calibrate; PB_ERR_CONFIG: a table of another bitstream, clock or number of taps, or as
 * pb_tdc_scale. */
struct pb_tdc_watch;
int pb_tdc_begin(struct pb_tdc_watch *watch, struct pb_device *device, const volatile sig_atomic_t *stop,
                 struct pb_diag *diag);
/* Measures the rate of the oscillator, over some thousand edges. */
int pb_tdc_oscillator(double *oscillator_hz, struct pb_device *device, const volatile sig_atomic_t *stop,
                      struct pb_diag *diag);

/* The rig without its options: a board is known by its serial number. PB_ERR_ARGUMENT: it is not named. */
int pb_tdc_name_board(char name[PB_TDC_NAME], const char *url, struct pb_diag *diag);
/* Reads the table of a rig; of a recording, that of any. As pb_tdc_read. */
int pb_tdc_read_of_rig(struct pb_tdc_table *table, const char *path, const char *url, struct pb_diag *diag);

PB_API_END

#endif
