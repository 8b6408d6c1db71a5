/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A bitstream into the flash memory of an FPGA board, by a program that does it: iceprog or openFPGALoader.
 */
#ifndef PB_FLASH_BITSTREAM_H
#define PB_FLASH_BITSTREAM_H

#include "host/usb/chips.h"

#include <stdbool.h>
#include <stddef.h>

/* X(name, loader, mode, module, jumpers): the members of struct pb_flash_traits. */
#define PB_FLASH_BOARD_LIST(X)                                                                               \
    X("icebreaker", "icebreaker", NULL, false, true)                                                         \
    X("icebreaker-fifo", "icebreaker", "fifo", false, false)                                                 \
    X("hx8k-evn", "ice40_generic", NULL, false, false)                                                       \
    X("hx8k-evn-fifo", "ice40_generic", "syncfifo", true, false)                                             \
    X("hx8k-evn-tdc", "ice40_generic", "syncfifo", true, false)                                              \
    X("icestick", "ice40_generic", NULL, false, false)                                                       \
    X("alchitry-cu", "ice40_generic", NULL, false, false)

#define PB_FLASH_COUNT(...) +1
enum {
    PB_FLASH_BOARDS = 0 PB_FLASH_BOARD_LIST(PB_FLASH_COUNT),
    PB_FLASH_PREAMBLE_LIMIT = 1024 /* a comment may come before the preamble */
};

struct pb_flash_traits {
    const char *loader; /* name of the board in openFPGALoader */
    const char *mode;   /* of the rig; NULL: UART, the default */
    bool module;        /* the host port is on a module; the chip on the board is only for flashing */
    bool jumpers;       /* the board can join port B's FIFO pins to pins that this bitstream drives */
};
/* By the number of the board. */
extern const char *const pb_flash_boards[PB_FLASH_BOARDS];
extern const struct pb_flash_traits pb_flash_traits[PB_FLASH_BOARDS];

/* An iCE40 bitstream begins with a comment of its tool and the bytes 7e aa 99 7e. */
bool pb_flash_is_bitstream(const char *bytes, size_t size);

/* Returns 0 or a code of pb_chip_choose, or PB_ERR_IO. */
int pb_flash_find_chip(struct pb_chip *chip, const struct pb_chip_choice *choice, struct pb_diag *diag);
/* Port B is a FIFO, which the bitstream of this board would drive against. */
bool pb_flash_port_b_clashes(unsigned board, const struct pb_chip *chip);

struct pb_flash_command {
    const char *argument[10]; /* up to NULL */
    char device[96];
};
/* False: neither program is in PATH. The command refers to `file`. */
bool pb_flash_compose(struct pb_flash_command *command, unsigned board, const char *file,
                      const struct pb_chip *chip);
/* Runs it with the lock of the chip, until it ends. A code: it failed, or the chip is in use. */
int pb_flash_execute(const struct pb_flash_command *command, const struct pb_chip *chip,
                     struct pb_diag *diag);

#endif
