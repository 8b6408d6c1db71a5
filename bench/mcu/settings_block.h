/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a node as the bytes in its flash: layout by firmware/port/settings.h, for any host.
 */
#ifndef PB_MCU_SETTINGS_BLOCK_H
#define PB_MCU_SETTINGS_BLOCK_H

#include "bench/nodes/node.h"

#include <stdint.h>

#define PB_SETTINGS_SYMBOL "node_settings"
enum { PB_SETTINGS_BYTES = 40 };

/* config->head_guard_ps is rounded up to nanoseconds. */
void pb_settings_block(const struct pb_node_config *config, uint8_t block[PB_SETTINGS_BYTES]);

#endif
