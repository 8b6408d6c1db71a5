/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a node board: a block in its flash, apart from the program, so that one image serves every
 * node. The programmer writes it ("phasebench flash --node"), and the simulated bench does the same with the
 * image that it loads. A port keeps it as the symbol `node_settings`, in a section `.settings` that fills a
 * page of flash of its own.
 */
#ifndef FW_PORT_SETTINGS_H
#define FW_PORT_SETTINGS_H

#include "firmware/app/node.h"

#include <stdbool.h>
#include <stdint.h>

#define NODE_SETTINGS_MAGIC UINT32_C(0x31534250) /* "PBS1" in memory */

/* Little endian, without padding. Changing it needs another magic. */
struct node_settings {
    uint32_t magic;
    uint32_t baud_hz, console_baud_hz; /* links; UART0 */
    uint32_t phase_rate_mhz;           /* nominal, millihertz */
    uint32_t head_guard_ns;            /* from a phase edge to the start of a transmission */
    uint16_t address;
    uint8_t digits, payload_bytes;
    uint8_t radix[ROUTE_PORTS_MAX]; /* of each digit; all 2: the binary cube */
    uint8_t codec, rule;            /* enum settings_codec, settings_rule */
    uint16_t check;                 /* crc16 (app/crc.h) of all bytes before it */
};

enum settings_codec { SETTINGS_SLOT, SETTINGS_STARC, SETTINGS_BARE };
enum settings_rule { SETTINGS_ECUBE, SETTINGS_OPPORTUNISTIC };

_Static_assert(sizeof(struct node_settings) == 40, "the layout in flash");

/* Whether the block is whole, and each value within the limits of the firmware. */
bool settings_valid(const struct node_settings *settings);

/* Fills *config and *network (which config points to) from valid settings. `name`: of the port. tick_hz: of
 * the timer of port.h; head guard and period are rounded to ticks, the guard upwards. No program: that is
 * for the port to give. */
void settings_configure(const struct node_settings *settings, const char *name, uint32_t tick_hz,
                        struct node_config *config, struct route_network *network);

#endif
