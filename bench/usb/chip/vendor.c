/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Vendor requests, and the settings of the line in them.
 */
#include "bench/usb/chip/chip.h"

#include <errno.h>

#define PS_PER_MS INT64_C(1000000000)

enum request {
    RESET = 0x00,
    MODEM_CONTROL = 0x01,
    FLOW_CONTROL = 0x02,
    BAUD = 0x03,
    DATA_FORMAT = 0x04,
    MODEM_STATUS = 0x05,
    EVENT_CHARACTER = 0x06,
    ERROR_CHARACTER = 0x07,
    SET_LATENCY = 0x09,
    GET_LATENCY = 0x0a,
    BIT_MODE = 0x0b,
    PINS = 0x0c,
    EEPROM_READ = 0x90,
    EEPROM_WRITE = 0x91,
    EEPROM_ERASE = 0x92
};

enum { TYPE_OUT = 0x40, TYPE_IN = 0xc0, CHARACTER_ON = 0x100 };
enum { RESET_ALL = 0, RESET_FROM_HOST = 1, RESET_TO_HOST = 2 };

/* Byte formats: wValue of DATA_FORMAT. */
enum { FORMAT_BITS = 0xff, FORMAT_PARITY_SHIFT = 8, FORMAT_STOP_SHIFT = 11, FORMAT_BREAK = 0x4000 };

/* Bits of wIndex in a baud request. */
enum { INDEX_FRACTION = 0x0100, INDEX_CLOCK_12MHZ = 0x0200 };

void ft2232h_line(const struct ft2232h *chip, unsigned index, struct ft2232h_line *line)
{
    static const uint8_t eighths_of_code[8] = {0, 4, 2, 1, 3, 5, 6, 7};
    const struct channel *channel = &chip->channel[index];
    const unsigned whole = channel->divisor & 0x3fff;
    const unsigned code = channel->divisor >> 14 | (channel->divisor_index & INDEX_FRACTION ? 4 : 0);
    const unsigned stop = channel->format >> FORMAT_STOP_SHIFT & 7,
                   parity = channel->format >> FORMAT_PARITY_SHIFT & 7;
    unsigned eighths = 8 * whole + eighths_of_code[code];
    /* The two divisors below 2: 0 is 1, and 1 is 1.5. */
    if (eighths == 0)
        eighths = 8;
    else if (eighths == 8)
        eighths = 12;
    else if (eighths < 8)
        eighths = 8;
    *line = (struct ft2232h_line){
        .mode = channel_mode(chip, index),
        .base_hz = channel->divisor_index & INDEX_CLOCK_12MHZ ? 12000000 : 3000000,
        .eighths = eighths,
        .data_bits = (channel->format & FORMAT_BITS) == 7 ? 7 : 8,
        .stop_halves = stop > 2 ? 2 : 2 + stop,
        .parity = parity > FT2232H_SPACE ? FT2232H_NONE : (enum ft2232h_parity)parity,
        .pulled_low = channel->format & FORMAT_BREAK,
    };
}

double ft2232h_baud(const struct ft2232h_line *line)
{
    return 8.0 * line->base_hz / line->eighths;
}

static void reset(struct ft2232h *chip, struct channel *channel, uint16_t what)
{
    if (what == RESET_ALL || what == RESET_FROM_HOST)
        channel_drop(&channel->out);
    if (what == RESET_ALL || what == RESET_TO_HOST)
        channel_drop(&channel->in);
    if (what == RESET_ALL) {
        channel->errors = 0;
        channel->flow = 0;
        channel->modem = 0;
        channel->held = channel->flush = channel->event_on = channel->error_on = false;
        channel->due_ps = chip->now_ps + channel->latency_ms * PS_PER_MS;
    }
}

static int channel_out(struct ft2232h *chip, unsigned index, const struct ft2232h_setup *setup)
{
    struct channel *channel = &chip->channel[index];
    const uint16_t value = setup->value;
    switch (setup->request) {
    case RESET:
        if (value > RESET_TO_HOST)
            return -EPIPE;
        reset(chip, channel, value);
        break;
    case MODEM_CONTROL: /* the upper byte selects DTR, RTS or both */
        channel->modem = (uint16_t)((channel->modem & ~(value >> 8)) | (value & value >> 8));
        break;
    case FLOW_CONTROL:
        channel->flow = setup->index & 0xff00;
        channel->xon = (uint8_t)value;
        channel->xoff = (uint8_t)(value >> 8);
        channel->held = false;
        break;
    case BAUD:
        channel->divisor = value;
        channel->divisor_index = setup->index;
        break;
    case DATA_FORMAT:
        channel->format = value;
        break;
    case EVENT_CHARACTER:
        channel->event = (uint8_t)value;
        channel->event_on = value & CHARACTER_ON;
        break;
    case ERROR_CHARACTER:
        channel->error_char = (uint8_t)value;
        channel->error_on = value & CHARACTER_ON;
        break;
    case SET_LATENCY:
        if (value < 1 || value > 255)
            return -EPIPE;
        channel->latency_ms = (uint8_t)value;
        channel->due_ps = chip->now_ps + value * PS_PER_MS;
        break;
    case BIT_MODE:
        channel->mask = (uint8_t)value;
        channel->mode = (uint8_t)(value >> 8);
        break;
    default:
        return -EPIPE;
    }
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++)
        channel_serve(chip, i);
    return 0;
}

static int channel_in(struct ft2232h *chip, unsigned index, const struct ft2232h_setup *setup, uint8_t *data)
{
    const struct channel *channel = &chip->channel[index];
    if (!setup->length)
        return -EPIPE;
    switch (setup->request) {
    case MODEM_STATUS: {
        uint8_t status[2];
        channel_status(channel, status);
        data[0] = status[0];
        if (setup->length < 2)
            return 1;
        data[1] = status[1];
        return 2;
    }
    case GET_LATENCY:
        data[0] = channel->latency_ms;
        return 1;
    case PINS: /* inputs float high */
        data[0] = (uint8_t)((channel->pins & channel->mask) | (0xff & ~channel->mask));
        return 1;
    default:
        return -EPIPE;
    }
}

static int eeprom_request(struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data)
{
    const unsigned address = setup->index % FT2232H_EEPROM_WORDS;
    if (setup->request == EEPROM_READ) {
        if (setup->type != TYPE_IN || setup->length < 2)
            return -EPIPE;
        data[0] = (uint8_t)chip->word[address];
        data[1] = (uint8_t)(chip->word[address] >> 8);
        return 2;
    }
    if (setup->type != TYPE_OUT)
        return -EPIPE;
    if (setup->request == EEPROM_WRITE)
        chip->word[address] = setup->value;
    else
        for (unsigned i = 0; i < FT2232H_EEPROM_WORDS; i++)
            chip->word[i] = 0xffff;
    return 0;
}

int vendor_request(struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data)
{
    if (setup->request >= EEPROM_READ && setup->request <= EEPROM_ERASE)
        return eeprom_request(chip, setup, data);
    const unsigned port = setup->index & 0xff; /* 1 is A, 2 is B; 0 counts as A */
    if (port > FT2232H_CHANNELS)
        return -EPIPE;
    const unsigned channel = port ? port - 1 : 0;
    if (setup->type == TYPE_OUT)
        return channel_out(chip, channel, setup);
    return setup->type == TYPE_IN ? channel_in(chip, channel, setup, data) : -EPIPE;
}
