/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Channel types in the EEPROM of an FTDI chip. Reads only, without a claim. */
#ifndef PHASEBENCH_EEPROM_H
#define PHASEBENCH_EEPROM_H

#include "host/usb/chips.h"

struct ftdi_context;

#define PB_EEPROM_CHANNELS 2 /* A and B; C and D of an FT4232H are always UARTs */

/* Each FIFO and serial port but a UART takes pins, or a protocol, that no core speaks. */
enum pb_channel_type {
    PB_CHANNEL_UART,
    PB_CHANNEL_FIFO,
    PB_CHANNEL_OPTO,
    PB_CHANNEL_CPU,
    PB_CHANNEL_FT1284,
    PB_CHANNEL_UNKNOWN,
};

struct pb_eeprom {
    bool good;                       /* checksum valid; else every channel is a UART */
    enum pb_channel_type channel[PB_EEPROM_CHANNELS]; /* A, B */
};

/* Reads through a context with an open chip. False: no reply from the chip. */
bool pb_eeprom_read(struct pb_eeprom *eeprom, struct ftdi_context *ftdi);

/* As "245 FIFO". */
const char *pb_channel_text(enum pb_channel_type type);

/* Opens the chip and reads. False: it cannot be opened or does not reply. */
bool pb_eeprom_look(struct pb_eeprom *eeprom, const struct pb_chip *chip);

#endif
