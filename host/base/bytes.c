/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/bytes.h"

#include "host/base/room.h"

#include <string.h>

/* Returns where the next bytes are to be written, or are read; NULL: failed. */
static uint8_t *next(struct pb_bytes *bytes, size_t count)
{
    if (bytes->reads) {
        if (!pb_demand_left(bytes, count, 1))
            return NULL;
        bytes->taken += count;
        return bytes->byte + bytes->taken - count;
    }
    if (bytes->failed || pb_make_room(&bytes->byte, &bytes->capacity, bytes->count + count, 1)) {
        bytes->failed = true;
        return NULL;
    }
    bytes->count += count;
    return bytes->byte + bytes->count - count;
}

void pb_pass(struct pb_bytes *bytes, uint64_t *number, unsigned width)
{
    uint8_t *const at = next(bytes, width);

    if (bytes->reads)
        *number = 0;
    for (unsigned i = 0; at && i < width; i++) {
        if (bytes->reads)
            *number |= (uint64_t)at[i] << 8 * i;
        else
            at[i] = (uint8_t)(*number >> 8 * i);
    }
}

void pb_pass_double(struct pb_bytes *bytes, double *number)
{
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    pb_pass(bytes, &bits, sizeof bits);
    memcpy(number, &bits, sizeof bits);
}

void pb_pass_words(struct pb_bytes *bytes, uint32_t *word, size_t count)
{
    for (size_t i = 0; i < count; i++)
        PB_PASS(bytes, 4, word[i]);
}

void pb_pass_doubles(struct pb_bytes *bytes, double *number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pb_pass_double(bytes, &number[i]);
}

void pb_put_bytes(struct pb_bytes *bytes, const void *at, size_t count)
{
    uint8_t *const to = next(bytes, count);
    if (to && count)
        memcpy(to, at, count);
}

bool pb_demand(struct pb_bytes *bytes, bool good)
{
    bytes->failed |= bytes->reads && !good;
    return !bytes->failed;
}

bool pb_demand_left(struct pb_bytes *bytes, uint64_t count, size_t size)
{
    return pb_demand(bytes, count <= (bytes->count - bytes->taken) / size);
}
