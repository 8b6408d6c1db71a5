/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a node as the bytes in its flash: layout by firmware/port/settings.h, for any host.
 */
#ifndef PB_MCU_SETTINGS_BLOCK_H
#define PB_MCU_SETTINGS_BLOCK_H

#include "bench/emulator/image/image.h"
#include "bench/nodes/node.h"

#include <stdint.h>

#define PB_SETTINGS_SYMBOL "node_settings"
enum { PB_SETTINGS_BYTES = 40 };

/* config->head_guard_ps is rounded up to nanoseconds. */
void pb_settings_block(const struct pb_node_config *config, uint8_t block[PB_SETTINGS_BYTES]);

/* Finds the block of an image for a part with this flash: by its symbol, or in a UF2 file, which has none, by
 * its magic number and check value. *address 0: the image has no block, and keeps its own settings.
 * PB_ERR_CONFIG: it may have one, but does not say where, or says nonsense; the diagnostic names the image.
 * */
int pb_settings_find(const struct pb_image *image, uint32_t flash_base, uint32_t flash_bytes,
                     uint32_t *address, struct pb_diag *diag);

#endif
