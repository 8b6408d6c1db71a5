/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "settings_block.h"

#include "firmware/port/settings.h"

#include "firmware/app/crc.h"

#include <string.h>

_Static_assert(PB_SETTINGS_BYTES == sizeof(struct node_settings), "the whole block");

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    return put16(put16(at, value & 0xFFFF), value >> 16);
}

void pb_settings_block(const struct pb_node_config *config, uint8_t block[PB_SETTINGS_BYTES])
{
    uint16_t check = CRC16_INITIAL;
    uint8_t *at = put32(block, NODE_SETTINGS_MAGIC);
    at = put32(at, config->baud_hz);
    at = put32(at, config->console_baud_hz);
    at = put32(at, config->phase_rate_mhz);
    at = put32(at, (uint32_t)((config->head_guard_ps + 999) / 1000));
    at = put16(at, config->address);
    *at++ = (uint8_t)config->digits;
    *at++ = (uint8_t)config->payload_bytes;
    memset(at, 0, ROUTE_PORTS_MAX);
    memcpy(at, config->radix, config->digits);
    at += ROUTE_PORTS_MAX;
    *at++ = config->codec == PB_NODE_CODEC_STARC ? SETTINGS_STARC : SETTINGS_SLOT;
    *at++ = config->rule == PB_NODE_OPPORTUNISTIC ? SETTINGS_OPPORTUNISTIC : SETTINGS_ECUBE;
    while (block + PB_SETTINGS_BYTES - 2 > at)
        *at++ = 0;
    for (const uint8_t *byte = block; byte < at; byte++)
        check = crc16_byte(check, *byte);
    put16(at, check);
}
