/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The saved state of a node: a copy of its part's own structure, which holds registers, devices, events on
 * their way and counters as plain values, and of the pages of its memories that are not as they began. The
 * pointers in that copy are those of the node that was saved; restore replaces each of them.
 */
#ifndef PB_MCU_STATE_H
#define PB_MCU_STATE_H

#include "bench/emulator/soc/soc.h"

#include <stddef.h>

enum { PB_MCU_PAGE = 4096 };

struct pb_mcu_pages;

struct pb_mcu_state {
    void *part;
    struct pb_mcu_pages *sram;
    struct pb_mcu_pages *flash; /* that the node has written; NULL: it has that of its image */
    void *fabric, *rom;         /* of an AG32VF303; NULL: none */
    void *cache;                /* of the flash of an RP2040; NULL: none */
};

/* A copy of `bytes` at `from`. NULL: out of memory. */
void *pb_mcu_copy(const void *from, size_t bytes);

/* Keeps the pages of a memory that differ from those at `origin` (NULL: zeros); `bytes` is a multiple of
 * PB_MCU_PAGE. NULL: out of memory. Release with free. */
struct pb_mcu_pages *pb_mcu_pages_save(const uint8_t *memory, const uint8_t *origin, uint32_t bytes);
/* Pages that already have their content are not written: one that was never written takes no memory. */
void pb_mcu_pages_restore(const struct pb_mcu_pages *pages, uint8_t *memory, const uint8_t *origin,
                          uint32_t bytes);

#endif
