/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The configuration memory of an FT2232H: a 93C56 of 128 words of 16 bits, which the host reads and writes
 * word by word and the chip itself reads when it is plugged in. Pure.
 */
#ifndef PB_VUSB_EEPROM_H
#define PB_VUSB_EEPROM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FT2232H_EEPROM_WORDS = 128, FT2232H_STRING_CHARS = 40 };

/* What the memory says. Strings are ASCII; the three share 48 characters. */
struct ft2232h_identity {
    uint16_t vendor, product;
    unsigned max_power_ma;                     /* 0..500 */
    bool self_powered, remote_wakeup, fifo[2]; /* fifo: channel A, B is a 245 FIFO, else a UART */
    char manufacturer[FT2232H_STRING_CHARS + 1], name[FT2232H_STRING_CHARS + 1],
        serial[FT2232H_STRING_CHARS + 1]; /* an empty serial: the device has none */
};

/* Fills all words, the checksum among them. False: the strings are longer than the memory. */
bool ft2232h_eeprom_build(uint16_t word[FT2232H_EEPROM_WORDS], const struct ft2232h_identity *identity);

/* Reads it back. Returns false, and the identity of a chip without a memory, when the checksum is wrong. */
bool ft2232h_eeprom_read(const uint16_t word[FT2232H_EEPROM_WORDS], struct ft2232h_identity *identity);

/* Of all words but the last, which holds it. */
uint16_t ft2232h_eeprom_checksum(const uint16_t word[FT2232H_EEPROM_WORDS]);

#endif
