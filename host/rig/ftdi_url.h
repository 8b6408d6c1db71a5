/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Settings in the URL of an ftdi rig (rig.h). */
#ifndef PHASEBENCH_FTDI_URL_H
#define PHASEBENCH_FTDI_URL_H

#include "host/usb/chips.h"

enum pb_ftdi_mode {
    PB_FTDI_UART,
    PB_FTDI_FIFO,      /* 245 asynchronous FIFO, selected in the chip's EEPROM */
    PB_FTDI_SYNC_FIFO, /* 245 synchronous FIFO at 60 MHz, channel A only */
};

struct pb_ftdi_url {
    struct pb_chip_choice choice;
    unsigned channel; /* 1: A, 2: B, ...; 0: the usual channel: A of a one-channel chip and for
                         SYNC_FIFO, else B */
    enum pb_ftdi_mode mode;
    unsigned baud_hz;    /* 0: search (ask.h) */
    unsigned latency_ms; /* of the chip's latency timer, 1..255 */
    unsigned wait_s;     /* time limit for the board to appear */
};

/* Reads the URL. Returns 0 or PB_ERR_ARGUMENT. */
int pb_ftdi_url_parse(struct pb_ftdi_url *url, const char *text, struct pb_diag *diag);

#endif
