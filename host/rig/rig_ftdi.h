/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rig with a real board, opened by pb_rig_open. libftdi1 configures the FTDI chip; host/usb/ring.h drives
 * its bulk endpoints. */
#ifndef PHASEBENCH_RIG_FTDI_H
#define PHASEBENCH_RIG_FTDI_H

#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <stdbool.h>

/* Checks such a URL without access to USB. Returns 0 or PB_ERR_ARGUMENT. */
int pb_rig_ftdi_check(const char *url, struct pb_diag *diag);

/* Opens the rig; the URL must not be NULL. PB_ERR_ARGUMENT: invalid URL, or baud or channel not supported by
 * the chip; PB_ERR_CONFIG: several boards match; PB_ERR_IO: no board, no permission, or in use; PB_ERR_LINK:
 * the chip refuses a setting. Waits for a board only if the URL has wait; a signal or options->stop ends the
 * wait with PB_ERR_INTERRUPTED. Without a baud in the URL it tries those of ask.h. A recorder with a file for
 * USB transfers gets all of them. */
int pb_rig_ftdi_open(struct pb_transport **out, const struct pb_rig_options *options, struct pb_diag *diag);

/* As pb_rig_bytes_per_s; 0 for another rig. */
uint64_t pb_rig_ftdi_bytes_per_s(const struct pb_transport *transport, uint32_t clock_hz);

/* As pb_rig_overruns. */
int64_t pb_rig_ftdi_overruns(const struct pb_transport *transport);

#endif
