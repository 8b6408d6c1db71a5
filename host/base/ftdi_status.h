/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What an FTDI chip sends to the host: packets, each with two bytes of status in front.
 */
#ifndef PHASEBENCH_FTDI_STATUS_H
#define PHASEBENCH_FTDI_STATUS_H

#include <stddef.h>
#include <stdint.h>

struct pb_status_counts {
    uint64_t overruns;       /* packets that told of bytes lost in the chip, its buffer being full */
    uint64_t framing_errors; /* packets that told of a byte without a stop bit, or a break */
};

/* Takes the status out of the `count` bytes of one transfer, in place, and adds to the counts. Returns how
 * many bytes of the stream are left, at the front. packet_bytes is that of the endpoint, above 2. */
size_t pb_status_strip(uint8_t *bytes, size_t count, unsigned packet_bytes, struct pb_status_counts *counts);

#endif
