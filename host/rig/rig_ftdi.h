/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rig with a real board, behind pb_rig_open: an FTDI chip driven by libftdi1, its bulk endpoints by
 * host/usb/ring.h. */
#ifndef PHASEBENCH_RIG_FTDI_H
#define PHASEBENCH_RIG_FTDI_H

#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <stdbool.h>

/* The URL names an ftdi rig. NULL: no. */
bool pb_rig_is_ftdi(const char *url);

/* Checks such a URL without looking at USB. PB_ERR_ARGUMENT. */
int pb_rig_ftdi_check(const char *url, struct pb_diag *diag);

/* PB_ERR_ARGUMENT: the URL, or a baud or channel that the chip does not have; PB_ERR_CONFIG: several boards
 * fit; PB_ERR_IO: no board, no permission, or somebody else has it; PB_ERR_LINK: the chip refuses a setting.
 * Waits for a board only when the URL says so, and no longer than to a signal or options->stop:
 * PB_ERR_INTERRUPTED. When it says no baud, asks the core at the usual ones. A recorder that takes USB
 * transfers gets all of them. The URL must not be NULL. */
int pb_rig_ftdi_open(struct pb_transport **out, const struct pb_rig_options *options, struct pb_diag *diag);

/* As pb_rig_overruns. */
int64_t pb_rig_ftdi_overruns(const struct pb_transport *transport);

#endif
