/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mask ROM of an AG32VF303 that was reset with BOOT0 high, at its pins: the UART0 boot loader, 460,800
 * baud, 8N1. The dump of the ROM is not public, so this is its protocol (host/flash/ag32_boot.h), not its
 * code. The times of erase and program are assumed.
 */
#ifndef PB_AG32_ROM_H
#define PB_AG32_ROM_H

#include "bench/nodes/node.h"
#include "bench/nodes/uart.h"

/* Of the part. */
#define PB_AG32_FLASH_BASE UINT32_C(0x80000000)
enum { PB_AG32_FLASH_SPAN = 256 * 1024 }; /* bytes */

enum { PB_AG32_ROM_BLOCK = 4096 + 3, PB_AG32_ROM_ANSWER = 1024 + 8 };

/* Private; defined here for its size. */
struct pb_ag32_rom {
    uint8_t *flash; /* PB_AG32_FLASH_SPAN, borrowed */
    struct uart_rx rx;
    struct uart_tx tx;
    enum pb_ag32_rom_state {
        PB_AG32_ROM_SYNC,    /* waits for 0x7F */
        PB_AG32_ROM_COMMAND, /* for a command and its complement */
        PB_AG32_ROM_ADDRESS,
        PB_AG32_ROM_LENGTH, /* of a read */
        PB_AG32_ROM_PAGES,
        PB_AG32_ROM_BYTES, /* of a write */
    } state;
    uint8_t command;
    uint32_t address;
    uint8_t block[PB_AG32_ROM_BLOCK]; /* taken so far */
    unsigned taken;
    uint8_t answer[PB_AG32_ROM_ANSWER];
    unsigned answers;
    int64_t answer_ps; /* when it begins; UART_NEVER: none waits */
};

/* Begins: the part left reset at now_ps with BOOT0 high. clock_ppm: of its oscillator. */
void pb_ag32_rom_start(struct pb_ag32_rom *rom, uint8_t *flash, int64_t now_ps, int32_t clock_ppm,
                       bool level);
/* As struct pb_node_ops.advance; only UART0 is used. Times of more than a day are not expected. */
int64_t pb_ag32_rom_advance(struct pb_ag32_rom *rom, int64_t now_ps, const struct pb_node_inputs *in,
                            struct pb_node_outputs *out);

#endif
