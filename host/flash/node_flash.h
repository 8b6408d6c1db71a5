/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes a firmware image into a node board, through NRST, BOOT0 and UART0 of a node port: erase, write, read
 * back, compare, start, ask who it is. Only the pages that the image and the settings need are erased.
 */
#ifndef PB_NODE_FLASH_H
#define PB_NODE_FLASH_H

#include "bench/emulator/image/image.h"
#include "phasebench/device.h"

#include <signal.h>

struct pb_node_flash {
    struct pb_device *device;     /* borrowed, as are the others; the port's node is reset */
    const struct pb_image *image; /* for an AG32VF303 */
    const uint8_t *settings;  /* PB_SETTINGS_BYTES, for the symbol node_settings; NULL: those of the image */
    unsigned port;            /* node port of the core */
    uint32_t console_baud_hz; /* of the firmware */
    const volatile sig_atomic_t *stop; /* non-zero: give up, PB_ERR_INTERRUPTED; NULL: never */
    void (*progress)(void *context, const char *step, unsigned done, unsigned of); /* pages; NULL: none */
    void *context;
};

/* Returns PB_OK, with the answer of the new firmware to I in `identity`; PB_ERR_CONFIG: the image does not
 * fit the part, before anything is erased; PB_ERR_NODE: the node did not answer, refused, or does not hold
 * what was written, after three attempts for each page; a code of the link. After an error the node remains
 * in its boot loader until its next reset. Blocks for seconds of the rig's time. */
int pb_node_flash(const struct pb_node_flash *flash, char identity[128], struct pb_diag *diag);

#endif
