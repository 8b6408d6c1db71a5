/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors and standard requests (USB 2.0, chapter 9).
 */
#include "bench/usb/chip/chip.h"

#include <errno.h>
#include <string.h>

enum descriptor { DEVICE = 1, CONFIGURATION, STRING, INTERFACE, ENDPOINT, QUALIFIER, OTHER_SPEED };
enum request {
    GET_STATUS = 0,
    CLEAR_FEATURE = 1,
    SET_FEATURE = 3,
    GET_DESCRIPTOR = 6,
    GET_CONFIGURATION = 8,
    SET_CONFIGURATION = 9,
    GET_INTERFACE = 10,
    SET_INTERFACE = 11
};
enum {
    TYPE_IN = 0x80,
    TO_DEVICE = 0,
    TO_INTERFACE = 1,
    TO_ENDPOINT = 2,
    FEATURE_HALT = 0,
    FEATURE_REMOTE_WAKEUP = 1,
    RELEASE = 0x0700, /* identifies the chip to drivers */
    CLASS_VENDOR = 0xff,
    LANGUAGE = 0x0409,
    CONTROL_PACKET = 64,
    BULK = 2,
    CONFIGURATION_BYTES = 9 + FT2232H_CHANNELS * (9 + 2 * 7),
    FULL_SPEED_PACKET = 64
};

static uint8_t low(unsigned word)
{
    return (uint8_t)word;
}

static uint8_t high(unsigned word)
{
    return (uint8_t)(word >> 8);
}

static unsigned device(const struct ft2232h *chip, uint8_t *bytes)
{
    const struct ft2232h_identity *identity = &chip->identity;
    const uint8_t descriptor[] = {18,
                                  DEVICE,
                                  0x00,
                                  0x02,
                                  0,
                                  0,
                                  0,
                                  CONTROL_PACKET,
                                  low(identity->vendor),
                                  high(identity->vendor),
                                  low(identity->product),
                                  high(identity->product),
                                  low(RELEASE),
                                  high(RELEASE),
                                  1,
                                  2,
                                  *identity->serial ? 3 : 0,
                                  1};
    memcpy(bytes, descriptor, sizeof descriptor);
    return sizeof descriptor;
}

static unsigned configuration(const struct ft2232h *chip, uint8_t *bytes, enum descriptor type,
                              unsigned packet)
{
    const uint8_t head[] = {
        9,
        (uint8_t)type,
        CONFIGURATION_BYTES,
        0,
        FT2232H_CHANNELS,
        1,
        0,
        (uint8_t)(0x80 | chip->identity.self_powered << 6 | chip->identity.remote_wakeup << 5),
        (uint8_t)(chip->identity.max_power_ma / 2)};
    memcpy(bytes, head, sizeof head);
    unsigned at = sizeof head;
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++) {
        const uint8_t in = (uint8_t)(0x81 + 2 * i), out = (uint8_t)(0x02 + 2 * i);
        const uint8_t body[] = {9,
                                INTERFACE,
                                (uint8_t)i,
                                0,
                                2,
                                CLASS_VENDOR,
                                CLASS_VENDOR,
                                CLASS_VENDOR,
                                2,
                                7,
                                ENDPOINT,
                                in,
                                BULK,
                                low(packet),
                                high(packet),
                                0,
                                7,
                                ENDPOINT,
                                out,
                                BULK,
                                low(packet),
                                high(packet),
                                0};
        memcpy(bytes + at, body, sizeof body);
        at += sizeof body;
    }
    return at;
}

size_t ft2232h_descriptors(const struct ft2232h *chip, uint8_t bytes[FT2232H_DESCRIPTOR_BYTES])
{
    const unsigned count = device(chip, bytes);
    return count + configuration(chip, bytes + count, CONFIGURATION, FT2232H_PACKET_BYTES);
}

static unsigned string(const struct ft2232h *chip, uint8_t *bytes, unsigned index)
{
    const struct ft2232h_identity *identity = &chip->identity;
    const char *const text[] = {NULL, identity->manufacturer, identity->name, identity->serial};
    bytes[1] = STRING;
    if (index == 0) {
        bytes[2] = low(LANGUAGE);
        bytes[3] = high(LANGUAGE);
        return bytes[0] = 4;
    }
    if (index > 3 || !*text[index])
        return 0;
    const unsigned count = (unsigned)strlen(text[index]);
    for (unsigned i = 0; i < count; i++) {
        bytes[2 + 2 * i] = (uint8_t)text[index][i];
        bytes[3 + 2 * i] = 0;
    }
    return bytes[0] = (uint8_t)(2 + 2 * count);
}

static int get_descriptor(const struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data)
{
    uint8_t bytes[2 + 2 * FT2232H_STRING_CHARS + FT2232H_DESCRIPTOR_BYTES];
    const unsigned index = setup->value & 0xff;
    unsigned count = 0;
    switch (setup->value >> 8) {
    case DEVICE:
        count = device(chip, bytes);
        break;
    case CONFIGURATION:
        count = index ? 0 : configuration(chip, bytes, CONFIGURATION, FT2232H_PACKET_BYTES);
        break;
    case OTHER_SPEED:
        count = index ? 0 : configuration(chip, bytes, OTHER_SPEED, FULL_SPEED_PACKET);
        break;
    case QUALIFIER:
        device(chip, bytes);
        bytes[0] = 10;
        bytes[1] = QUALIFIER;
        bytes[8] = 1; /* configurations at the other speed */
        bytes[9] = 0;
        count = 10;
        break;
    case STRING:
        count = string(chip, bytes, index);
        break;
    default:
        break;
    }
    if (!count)
        return -EPIPE;
    if (count > setup->length)
        count = setup->length;
    memcpy(data, bytes, count);
    return (int)count;
}

static int halt(struct ft2232h *chip, const struct ft2232h_setup *setup)
{
    unsigned channel, direction;
    if (setup->value != FEATURE_HALT)
        return -EPIPE;
    if (!(setup->index & 0x7f))
        return 0; /* endpoint 0 is never halted */
    if (!chip_endpoint((uint8_t)setup->index, &channel, &direction))
        return -EPIPE;
    channel_halt(chip, channel, direction, setup->request == SET_FEATURE);
    return 0;
}

static int remote_wakeup(struct ft2232h *chip, const struct ft2232h_setup *setup)
{
    if (setup->value != FEATURE_REMOTE_WAKEUP || !chip->identity.remote_wakeup)
        return -EPIPE;
    chip->wakes = setup->request == SET_FEATURE;
    return 0;
}

static int feature(struct ft2232h *chip, const struct ft2232h_setup *setup)
{
    switch (setup->type & 0x1f) {
    case TO_DEVICE:
        return remote_wakeup(chip, setup);
    case TO_ENDPOINT:
        return halt(chip, setup);
    default:
        return -EPIPE;
    }
}

static int get_status(const struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data)
{
    unsigned channel, direction;
    uint8_t status = 0;
    if (setup->length < 2)
        return -EPIPE;
    switch (setup->type & 0x1f) {
    case TO_DEVICE:
        status = (uint8_t)(chip->identity.self_powered | chip->wakes << 1);
        break;
    case TO_INTERFACE:
        break;
    case TO_ENDPOINT:
        if (setup->index & 0x7f) {
            if (!chip_endpoint((uint8_t)setup->index, &channel, &direction))
                return -EPIPE;
            status = chip->channel[channel].halted[direction];
        }
        break;
    default:
        return -EPIPE;
    }
    data[0] = status;
    data[1] = 0;
    return 2;
}

static int standard_in(const struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data)
{
    switch (setup->request) {
    case GET_STATUS:
        return get_status(chip, setup, data);
    case GET_DESCRIPTOR:
        return get_descriptor(chip, setup, data);
    case GET_CONFIGURATION:
        if (!setup->length)
            return 0;
        data[0] = chip->configuration;
        return 1;
    case GET_INTERFACE:
        if (setup->index >= FT2232H_CHANNELS || !setup->length)
            return -EPIPE;
        data[0] = 0;
        return 1;
    default:
        return -EPIPE;
    }
}

int standard_request(struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data)
{
    if (setup->type & TYPE_IN)
        return standard_in(chip, setup, data);
    switch (setup->request) {
    case CLEAR_FEATURE:
    case SET_FEATURE:
        return feature(chip, setup);
    case SET_CONFIGURATION:
        if (setup->value > 1)
            return -EPIPE;
        chip->configuration = (uint8_t)setup->value;
        return 0;
    case SET_INTERFACE:
        return setup->index < FT2232H_CHANNELS && !setup->value ? 0 : -EPIPE;
    default:
        return -EPIPE;
    }
}
