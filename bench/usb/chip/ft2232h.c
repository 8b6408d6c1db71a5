/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/usb/chip/chip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_KIND = 0x60, TYPE_STANDARD = 0x00, TYPE_VENDOR = 0x40 };

bool chip_endpoint(uint8_t address, unsigned *channel, unsigned *direction)
{
    switch (address) {
    case 0x81:
    case 0x83:
        *direction = TO_HOST;
        *channel = address == 0x83;
        return true;
    case 0x02:
    case 0x04:
        *direction = FROM_HOST;
        *channel = address == 0x04;
        return true;
    default:
        return false;
    }
}

struct ft2232h *ft2232h_create(const uint16_t word[FT2232H_EEPROM_WORDS])
{
    struct ft2232h *chip = calloc(1, sizeof *chip);
    if (!chip)
        return NULL;
    memcpy(chip->word, word, sizeof chip->word);
    ft2232h_reset(chip);
    return chip;
}

static void end_all(struct ft2232h *chip)
{
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++) {
        channel_end(&chip->channel[i], TO_HOST, -ESHUTDOWN);
        channel_end(&chip->channel[i], FROM_HOST, -ESHUTDOWN);
    }
}

void ft2232h_reset(struct ft2232h *chip)
{
    end_all(chip);
    ft2232h_eeprom_read(chip->word, &chip->identity);
    chip->configuration = 0;
    chip->wakes = false;
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++)
        channel_power_up(&chip->channel[i], chip->identity.fifo[i], chip->now_ps);
}

void ft2232h_destroy(struct ft2232h *chip)
{
    if (!chip)
        return;
    end_all(chip);
    free(chip);
}

const uint16_t *ft2232h_memory(const struct ft2232h *chip)
{
    return chip->word;
}

int ft2232h_control(struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data)
{
    switch (setup->type & TYPE_KIND) {
    case TYPE_STANDARD:
        return standard_request(chip, setup, data);
    case TYPE_VENDOR:
        return vendor_request(chip, setup, data);
    default:
        return -EPIPE;
    }
}

void ft2232h_limit_packets(struct ft2232h *chip, unsigned payload_bytes)
{
    chip->packet_limit = payload_bytes;
}

void ft2232h_stall(struct ft2232h *chip, uint8_t endpoint)
{
    unsigned channel, direction;
    if (chip_endpoint(endpoint, &channel, &direction))
        channel_halt(chip, channel, direction, true);
}
