/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The UART0 boot loader in the mask ROM of the AG32VF303, from the host's side. The vendor does not publish
 * the protocol; it is known from a dump of the ROM (AGaMEMnon, docs/UART_BOOTLOADER.md), and no board has
 * answered it yet. A command is a byte and its complement. Addresses, lengths (minus 1) and page numbers go
 * high byte first, each block ends with the XOR of its bytes, and the ROM answers each block with ACK, NACK,
 * or BUSY before one of them.
 */
#ifndef PB_AG32_BOOT_H
#define PB_AG32_BOOT_H

#include "phasebench/error.h"

#include <stddef.h>
#include <stdint.h>

#define PB_AG32_FLASH UINT32_C(0x80000000)
#define PB_AG32_DEVICE_ID UINT32_C(0x40200001)
enum {
    PB_AG32_FLASH_BYTES = 0x40000,
    PB_AG32_PAGE_BYTES = 0x1000,
    PB_AG32_PAGES = PB_AG32_FLASH_BYTES / PB_AG32_PAGE_BYTES,
    PB_AG32_READ_MAX = 1024, /* bytes of one read; a write takes 4096 */
    PB_AG32_BAUD_HZ = 460800,
    PB_AG32_ACK = 0x79,
    PB_AG32_NACK = 0x1F,
    PB_AG32_BUSY = 0x76,
    PB_AG32_SYNC = 0x7F, /* the first byte after reset */
    PB_AG32_GET = 0x00,
    PB_AG32_GET_ID = 0x02,
    PB_AG32_READ = 0x13,
    PB_AG32_WRITE = 0x33,
    PB_AG32_ERASE = 0x44
};

/* The wire to a node in its boot loader. Both return 0 or a negative code; times are those of the rig. */
struct pb_boot_port {
    void *context;
    int (*write)(void *context, const uint8_t *bytes, size_t count, struct pb_diag *diag);
    /* Reads `count` bytes. PB_ERR_NODE: they did not come, each within limit_ms of the last one. */
    int (*read)(void *context, uint8_t *bytes, size_t count, unsigned limit_ms, struct pb_diag *diag);
    /* Resets the node into its boot loader, and discards its earlier output. */
    int (*enter)(void *context, struct pb_diag *diag);
};

/* All return PB_OK, a negative code of the port, or PB_ERR_NODE: the boot loader does not answer, refuses, or
 * breaks the protocol; the diagnostic says at which command. */

/* Resets the node into the boot loader, and checks its commands and the device identity. */
int pb_ag32_connect(const struct pb_boot_port *port, struct pb_diag *diag);
/* Erases one page, 0 .. PB_AG32_PAGES - 1. */
int pb_ag32_erase(const struct pb_boot_port *port, unsigned page, struct pb_diag *diag);
/* Writes 1 .. PB_AG32_PAGE_BYTES bytes of erased flash. */
int pb_ag32_write(const struct pb_boot_port *port, uint32_t address, const uint8_t *bytes, size_t count,
                  struct pb_diag *diag);
/* Reads 1 .. PB_AG32_READ_MAX bytes. */
int pb_ag32_read(const struct pb_boot_port *port, uint32_t address, uint8_t *bytes, size_t count,
                 struct pb_diag *diag);

#endif
