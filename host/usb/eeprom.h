/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the EEPROM beside an FTDI chip makes of its channels. Reads only, without claiming anything. */
#ifndef PHASEBENCH_EEPROM_H
#define PHASEBENCH_EEPROM_H

#include "host/usb/chips.h"

struct ftdi_context;

enum pb_channel_type { PB_CHANNEL_UART, PB_CHANNEL_FIFO, PB_CHANNEL_OTHER };

struct pb_eeprom {
    bool good;                       /* it has content with a right checksum; else every channel is a UART */
    enum pb_channel_type channel[2]; /* A, B */
};

/* Through a context with an open chip. False: the chip does not answer. */
bool pb_eeprom_read(struct pb_eeprom *eeprom, struct ftdi_context *ftdi);

/* The same of a chip that nobody has opened. False: it cannot be opened, too. */
bool pb_eeprom_look(struct pb_eeprom *eeprom, const struct pb_chip *chip);

#endif
