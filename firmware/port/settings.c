/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include "firmware/app/crc.h"

#include <stddef.h>

enum { BAUD_MIN_HZ = 300, BAUD_MAX_HZ = 12000000, NODES_MAX = 4096 };
#define RATE_MIN_MHZ UINT32_C(1000)
#define RATE_MAX_MHZ UINT32_C(100000000)
#define GUARD_MAX_NS UINT32_C(1000000000)

static const struct codec *codec_of(const struct node_settings *settings)
{
    return settings->codec == SETTINGS_STARC  ? &codec_starc
           : settings->codec == SETTINGS_BARE ? &codec_bare
                                              : &codec_slot;
}

static bool baud_valid(uint32_t baud_hz)
{
    return baud_hz >= BAUD_MIN_HZ && baud_hz <= BAUD_MAX_HZ;
}

/* Returns the number of nodes; 0: no network that the firmware can serve. */
static uint32_t nodes_of(const struct node_settings *settings)
{
    uint32_t nodes = 1, ports = 0;
    if (settings->digits < 1 || settings->digits > ROUTE_PORTS_MAX)
        return 0;
    for (uint8_t i = 0; i < settings->digits; i++) {
        if (settings->radix[i] < 2)
            return 0;
        ports += settings->radix[i] - 1u;
        if (ports > ROUTE_PORTS_MAX)
            return 0;
        nodes *= settings->radix[i];
    }
    return nodes <= NODES_MAX ? nodes : 0;
}

bool settings_valid(const struct node_settings *settings)
{
    const uint8_t *byte = (const uint8_t *)settings;
    uint16_t check = CRC16_INITIAL;
    for (size_t i = 0; i < offsetof(struct node_settings, check); i++)
        check = crc16_byte(check, byte[i]);
    return settings->magic == NODE_SETTINGS_MAGIC && settings->check == check &&
           baud_valid(settings->baud_hz) && baud_valid(settings->console_baud_hz) &&
           settings->phase_rate_mhz >= RATE_MIN_MHZ && settings->phase_rate_mhz <= RATE_MAX_MHZ &&
           settings->head_guard_ns <= GUARD_MAX_NS && settings->address < nodes_of(settings) &&
           settings->codec <= SETTINGS_BARE && settings->rule <= SETTINGS_OPPORTUNISTIC &&
           settings->payload_bytes <= codec_of(settings)->payload_max;
}

/* a * b / c with the remainder in *rest. By shifts: the division of 64 bits that compilers bring is a
 * kilobyte of flash, and this runs once. The quotient must fit 32 bits. */
static uint32_t scale(uint32_t a, uint32_t b, uint32_t c, uint32_t *rest)
{
    const uint64_t product = (uint64_t)a * b;
    uint64_t remainder = 0;
    uint32_t quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        remainder = remainder << 1 | (product >> bit & 1);
        quotient <<= 1;
        if (remainder >= c) {
            remainder -= c;
            quotient |= 1;
        }
    }
    *rest = (uint32_t)remainder;
    return quotient;
}

static bool all_binary(const struct node_settings *settings)
{
    for (uint8_t i = 0; i < settings->digits; i++)
        if (settings->radix[i] != 2)
            return false;
    return true;
}

void settings_configure(const struct node_settings *settings, const char *name, uint32_t tick_hz,
                        struct node_config *config, struct route_network *network)
{
    uint32_t rest;
    *network = all_binary(settings) ? route_cube(settings->digits)
                                    : route_generalised(settings->radix, settings->digits);
    config->name = name;
    config->network = network;
    config->rule = settings->rule == SETTINGS_OPPORTUNISTIC ? &route_opportunistic : &route_ecube;
    config->codec = codec_of(settings);
    config->program = NULL;
    config->payload_bytes = settings->payload_bytes;
    config->period_ticks = scale(tick_hz, 1000, settings->phase_rate_mhz, &rest);
    if (rest >= settings->phase_rate_mhz - rest)
        config->period_ticks++;
    config->head_guard_ticks = scale(settings->head_guard_ns, tick_hz, 1000000000, &rest);
    if (rest)
        config->head_guard_ticks++;
}
