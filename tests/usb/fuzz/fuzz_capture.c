/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Captures of USB transfers. The first byte says whether frames and checksums of the rest are corrected, so
 * that damage reaches the content after them.
 */
#include "tests/record/fuzz/recording.h"

#include "host/record/format.h"
#include "host/record/pcapng.h"

#include <zlib.h>

enum { BYTES_MAX = 8192 };

static void repair_own(uint8_t *block, size_t size, uint32_t sequence)
{
    if (size < PB_BLOCK_HEAD_BYTES)
        return;
    uint32_t length = pb_get32(block + 8);
    if (length > size - PB_BLOCK_HEAD_BYTES || size - PB_BLOCK_HEAD_BYTES - length > 3)
        pb_put32(block + 8, length = (uint32_t)(size - PB_BLOCK_HEAD_BYTES));
    pb_put32(block + 4, sequence);
    pb_put32(block + 12, (uint32_t)crc32(0, block + PB_BLOCK_HEAD_BYTES, length));
    pb_put32(block + 16, (uint32_t)crc32(0, block, 16));
}

/* As far as the lengths lead. */
static void repair(uint8_t *bytes, size_t size)
{
    uint32_t sequence = 0, total;
    for (size_t at = 0; at + PB_PCAPNG_FRAME_BYTES <= size; at += total) {
        total = pb_get32(bytes + at + 4) & ~UINT32_C(3);
        if (total < PB_PCAPNG_FRAME_BYTES || total > size - at)
            total = (uint32_t)(size - at) & ~UINT32_C(3);
        pb_put32(bytes + at + 4, total);
        pb_put32(bytes + at + total - 4, total);
        if (pb_get32(bytes + at) == PB_PCAPNG_OWN)
            repair_own(bytes + at + PB_PCAPNG_HEAD_BYTES, total - PB_PCAPNG_FRAME_BYTES, sequence++);
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
