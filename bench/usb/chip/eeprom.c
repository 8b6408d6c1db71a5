/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/usb/chip/eeprom.h"

#include <string.h>

/* Byte addresses. A pointer names a string descriptor in the same memory: type byte and UTF-16. */
enum {
    CHANNEL_A = 0x00,
    CHANNEL_B = 0x01,
    VENDOR = 0x02,
    PRODUCT = 0x04,
    RELEASE = 0x06,
    ATTRIBUTES = 0x08,
    POWER = 0x09,
    OPTIONS = 0x0a,
    DRIVE = 0x0c,
    STRINGS = 0x0e, /* three pairs of address and length: manufacturer, product, serial */
    CHIP = 0x18,
    TEXT = 0x9a,
    BYTES = 2 * FT2232H_EEPROM_WORDS,
    CHECKSUM = BYTES - 2,

    CHANNEL_FIFO = 0x01,
    CHANNEL_TYPE = 0x07,
    ATTRIBUTE_ALWAYS = 0x80,
    ATTRIBUTE_SELF_POWERED = 0x40,
    ATTRIBUTE_REMOTE_WAKEUP = 0x20,
    OPTION_SERIAL = 0x08,
    DRIVE_4MA = 0x00,
    MA_PER_UNIT = 2,
    CHIP_93C56 = 0x56,
    STRING_TYPE = 0x03,
    RELEASE_FT2232H = 0x0700
};

static uint8_t get(const uint16_t *word, unsigned address)
{
    return (uint8_t)(word[address / 2 % FT2232H_EEPROM_WORDS] >> (address & 1 ? 8 : 0));
}

static void put(uint16_t *word, unsigned address, uint8_t byte)
{
    uint16_t *at = &word[address / 2 % FT2232H_EEPROM_WORDS];
    *at = (uint16_t)(address & 1 ? (*at & 0x00ff) | byte << 8 : (*at & 0xff00) | byte);
}

uint16_t ft2232h_eeprom_checksum(const uint16_t word[FT2232H_EEPROM_WORDS])
{
    uint16_t sum = 0xaaaa;
    for (unsigned i = 0; i < FT2232H_EEPROM_WORDS - 1; i++) {
        sum ^= word[i];
        sum = (uint16_t)(sum << 1 | sum >> 15);
    }
    return sum;
}

bool ft2232h_eeprom_build(uint16_t word[FT2232H_EEPROM_WORDS], const struct ft2232h_identity *identity)
{
    const char *const text[3] = {identity->manufacturer, identity->name, identity->serial};
    unsigned address = TEXT;
    memset(word, 0, FT2232H_EEPROM_WORDS * sizeof *word);
    put(word, CHANNEL_A, identity->fifo[0] ? CHANNEL_FIFO : 0);
    put(word, CHANNEL_B, identity->fifo[1] ? CHANNEL_FIFO : 0);
    word[VENDOR / 2] = identity->vendor;
    word[PRODUCT / 2] = identity->product;
    word[RELEASE / 2] = RELEASE_FT2232H;
    put(word, ATTRIBUTES,
        (uint8_t)(ATTRIBUTE_ALWAYS | (identity->self_powered ? ATTRIBUTE_SELF_POWERED : 0) |
                  (identity->remote_wakeup ? ATTRIBUTE_REMOTE_WAKEUP : 0)));
    put(word, POWER, (uint8_t)(identity->max_power_ma / MA_PER_UNIT));
    put(word, OPTIONS, *identity->serial ? OPTION_SERIAL : 0);
    word[DRIVE / 2] = DRIVE_4MA;
    word[CHIP / 2] = CHIP_93C56;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned bytes = 2 + 2 * (unsigned)strlen(text[i]);
        if (address + bytes > CHECKSUM)
            return false;
        put(word, STRINGS + 2 * i, (uint8_t)address);
        put(word, STRINGS + 2 * i + 1, (uint8_t)bytes);
        put(word, address, (uint8_t)bytes);
        put(word, address + 1, STRING_TYPE);
        for (unsigned k = 0; k < bytes / 2 - 1; k++)
            put(word, address + 2 + 2 * k, (uint8_t)text[i][k]);
        address += bytes;
    }
    word[CHECKSUM / 2] = ft2232h_eeprom_checksum(word);
    return true;
}

static void read_string(const uint16_t *word, unsigned index, char text[FT2232H_STRING_CHARS + 1])
{
    const unsigned address = get(word, STRINGS + 2 * index), bytes = get(word, STRINGS + 2 * index + 1);
    unsigned count = bytes < 2 ? 0 : bytes / 2 - 1;
    if (count > FT2232H_STRING_CHARS)
        count = FT2232H_STRING_CHARS;
    for (unsigned k = 0; k < count; k++)
        text[k] = (char)get(word, address + 2 + 2 * k);
    text[count] = '\0';
}

bool ft2232h_eeprom_read(const uint16_t word[FT2232H_EEPROM_WORDS], struct ft2232h_identity *identity)
{
    *identity = (struct ft2232h_identity){.vendor = 0x0403, .product = 0x6010, .max_power_ma = 500};
    strcpy(identity->manufacturer, "FTDI");
    strcpy(identity->name, "Dual RS232-HS");
    if (ft2232h_eeprom_checksum(word) != word[CHECKSUM / 2])
        return false;
    identity->vendor = word[VENDOR / 2];
    identity->product = word[PRODUCT / 2];
    identity->max_power_ma = MA_PER_UNIT * get(word, POWER);
    identity->self_powered = get(word, ATTRIBUTES) & ATTRIBUTE_SELF_POWERED;
    identity->remote_wakeup = get(word, ATTRIBUTES) & ATTRIBUTE_REMOTE_WAKEUP;
    identity->fifo[0] = (get(word, CHANNEL_A) & CHANNEL_TYPE) == CHANNEL_FIFO;
    identity->fifo[1] = (get(word, CHANNEL_B) & CHANNEL_TYPE) == CHANNEL_FIFO;
    read_string(word, 0, identity->manufacturer);
    read_string(word, 1, identity->name);
    if (get(word, OPTIONS) & OPTION_SERIAL)
        read_string(word, 2, identity->serial);
    return true;
}
