/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The boot ROM of an RP2040 as a program calls it: tables of functions and data, and the functions ("RP2040
 * Datasheet", sections 2.8.2 and 2.8.3; version 3, of stepping B2).
 *
 * Each function is one UDF instruction, which the SoC executes in C: it acts at once, and its cycles follow.
 * They are assumed. Numbers of the floating-point functions are those of IEEE 754, rounded to nearest, with
 * denormal numbers as zeros. Not modelled: USB boot, and what the tables do not have here.
 */
#ifndef PB_MCU_RP2040_ROM_H
#define PB_MCU_RP2040_ROM_H

#include "bench/emulator/cpu/armv6m.h"

#include <stdbool.h>
#include <stdint.h>

enum { RP2040_ROM_BYTES = 16384 };

/* What functions need in addition to the registers. */
struct rp2040_rom_bus {
    void *context;
    /* A byte of memory: false: there is none. A read adds the cycles of its wait to the core's. */
    bool (*read)(void *context, uint32_t address, uint8_t *byte);
    bool (*write)(void *context, uint32_t address, uint8_t byte);
    /* The functions about flash, by name; offsets from its begin. False: the error is set as a trap. */
    void (*flash_connect)(void *context);
    void (*flash_exit_xip)(void *context);
    void (*flash_enter_xip)(void *context);
    void (*flash_flush)(void *context);
    void (*flash_erase)(void *context, uint32_t offset, uint32_t bytes);
    void (*flash_program)(void *context, uint32_t offset, uint32_t from, uint32_t bytes);
    void (*boot)(void *context);                    /* from the reset vector */
    void (*wait)(void *context);                    /* for its launch, of the second core */
    void (*refuse)(void *context, const char *why); /* a gap */
};

/* Its content, shared by all. */
const uint8_t *rp2040_rom(void);
/* Executes a function for a core, which is after its UDF, and returns to LR. */
void rp2040_rom_call(struct pb_armv6m *core, unsigned number, const struct rp2040_rom_bus *bus);

#endif
