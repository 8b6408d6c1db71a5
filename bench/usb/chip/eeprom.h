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

/* Contents of the memory. Strings are ASCII; the three share 48 characters. */
struct ft2232h_identity {
    uint16_t vendor, product;
    unsigned max_power_ma;                     /* 0..500 */
    bool self_powered, remote_wakeup, fifo[2]; /* fifo: channel A, B is a 245 FIFO, else a UART */
    char manufacturer[FT2232H_STRING_CHARS + 1], name[FT2232H_STRING_CHARS + 1],
        serial[FT2232H_STRING_CHARS + 1]; /* an empty serial: the device has none */
};

/* Fills all words, checksum included. False: the strings are longer than the memory. */
bool ft2232h_eeprom_build(uint16_t word[FT2232H_EEPROM_WORDS], const struct ft2232h_identity *identity);

/* Reads the memory. Returns false, and the identity of a chip without memory, if the checksum is invalid. */
bool ft2232h_eeprom_read(const uint16_t word[FT2232H_EEPROM_WORDS], struct ft2232h_identity *identity);

/* Returns the checksum of all words except the last, its place. */
uint16_t ft2232h_eeprom_checksum(const uint16_t word[FT2232H_EEPROM_WORDS]);

#endif
