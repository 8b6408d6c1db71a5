/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Recordings. The first byte says whether the checksums of the rest are corrected, so that damage reaches
 * the content after them. A recording that opens has a scenario or a diagnostic why not, and is run again
 * from what it holds.
 */
#include "tests/record/fuzz/recording.h"

#include "host/record/format.h"

#include <zlib.h>

enum { BYTES_MAX = 8192 };

/* Numbers the blocks and corrects every checksum, as far as the lengths lead. */
static void repair(uint8_t *bytes, size_t size)
{
    if (size < PB_PROLOGUE_BYTES)
        return;
    memcpy(bytes, PB_RECORDING_MAGIC, 8);
    pb_put32(bytes + 12, (uint32_t)crc32(0, bytes, 12));
    size_t at = PB_PROLOGUE_BYTES;
    for (uint32_t sequence = 0; at + PB_BLOCK_HEAD_BYTES <= size; sequence++) {
        uint8_t *head = bytes + at;
        const uint32_t length = pb_get32(head + 8);
        if (length > size - at - PB_BLOCK_HEAD_BYTES)
            break;
        pb_put32(head + 4, sequence);
        pb_put32(head + 12, (uint32_t)crc32(0, head + PB_BLOCK_HEAD_BYTES, length));
        pb_put32(head + 16, (uint32_t)crc32(0, head, 16));
        at += PB_BLOCK_HEAD_BYTES + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[BYTES_MAX];
    if (!size || size > sizeof bytes)
        return 0;
    memcpy(bytes, data + 1, --size);
    if (*data & 1)
        repair(bytes, size);
    open_and_run(bytes, size);
    return 0;
}
