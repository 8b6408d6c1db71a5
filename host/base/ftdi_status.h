/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Packets from an FTDI chip to the host; each starts with two status bytes.
 */
#ifndef PHASEBENCH_FTDI_STATUS_H
#define PHASEBENCH_FTDI_STATUS_H

#include <stddef.h>
#include <stdint.h>

struct pb_status_counts {
    uint64_t overruns;       /* packets that report bytes lost in the chip (buffer full) */
    uint64_t framing_errors; /* packets that report a byte without a stop bit, or a break */
};

/* Removes the status from the `count` bytes of one transfer, in place, and adds to the counts. Returns the
 * number of stream bytes, at the front. packet_bytes: of the endpoint, above 2. */
size_t pb_status_strip(uint8_t *bytes, size_t count, unsigned packet_bytes, struct pb_status_counts *counts);

#endif
