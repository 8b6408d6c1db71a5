/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as bytes, little endian, for what is kept of a run and read again. One function passes each field
 * in both directions, so that writer and reader have the same order.
 */
#ifndef PB_BASE_BYTES_H
#define PB_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb_bytes {
    uint8_t *byte; /* of a writer: freed by the caller */
    size_t count;  /* written, or there to be read */
    size_t capacity, taken;
    bool reads;
    /* No memory, or bytes are missing, or what was read is not possible. All that follows has no effect, and
     * reads zeros. */
    bool failed;
};

/* Writes the lowest `width` (1..8) bytes of the number, or reads it. */
void pb_pass(struct pb_bytes *bytes, uint64_t *number, unsigned width);
void pb_pass_double(struct pb_bytes *bytes, double *number);
void pb_pass_words(struct pb_bytes *bytes, uint32_t *word, size_t count);
void pb_pass_doubles(struct pb_bytes *bytes, double *number, size_t count);
/* Text or anything else; only to write. */
void pb_put_bytes(struct pb_bytes *bytes, const void *at, size_t count);
/* A reader fails unless `good`. Returns whether it has not failed. */
bool pb_demand(struct pb_bytes *bytes, bool good);
/* Demands of a reader that this many elements of a size are there: before memory is taken for them. */
bool pb_demand_left(struct pb_bytes *bytes, uint64_t count, size_t size);

/* A field of any type of integer. */
#define PB_PASS(bytes, width, field)                                                                         \
    do {                                                                                                     \
        uint64_t pb_number = (bytes)->reads ? 0 : (uint64_t)(field);                                         \
        pb_pass(bytes, &pb_number, width);                                                                   \
        if ((bytes)->reads)                                                                                  \
            (field) = (__typeof__(field))pb_number;                                                          \
    } while (0)

#endif
