/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/ftdi_status.h"

#include <string.h>

enum { STATUS_BYTES = 2 };
enum { LINE_OVERRUN = 1 << 1, LINE_FRAMING = 1 << 3, LINE_BREAK = 1 << 4 }; /* of the second byte */

size_t pb_status_strip(uint8_t *bytes, size_t count, unsigned packet_bytes, struct pb_status_counts *counts)
{
    size_t kept = 0;
    for (size_t at = 0; at + STATUS_BYTES <= count; at += packet_bytes) {
        const uint8_t line = bytes[at + 1];
        const size_t left = count - at, size = (left < packet_bytes ? left : packet_bytes) - STATUS_BYTES;
        counts->overruns += (line & LINE_OVERRUN) != 0;
        counts->framing_errors += (line & (LINE_FRAMING | LINE_BREAK)) != 0;
        memmove(bytes + kept, bytes + at + STATUS_BYTES, size);
        kept += size;
    }
    return kept;
}
