/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Channel types in the EEPROM of an FTDI chip. Reads only, without a claim. */
#ifndef PHASEBENCH_EEPROM_H
#define PHASEBENCH_EEPROM_H

#include "host/usb/chips.h"

struct ftdi_context;

enum pb_channel_type { PB_CHANNEL_UART, PB_CHANNEL_FIFO, PB_CHANNEL_OTHER };

struct pb_eeprom {
    bool good;                       /* checksum valid; else every channel is a UART */
    enum pb_channel_type channel[2]; /* A, B */
};

/* Reads through a context with an open chip. False: no reply from the chip. */
bool pb_eeprom_read(struct pb_eeprom *eeprom, struct ftdi_context *ftdi);

/* Opens the chip and reads. False: it cannot be opened or does not reply. */
bool pb_eeprom_look(struct pb_eeprom *eeprom, const struct pb_chip *chip);

#endif
