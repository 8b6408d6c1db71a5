/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FTDI chips on USB: the way to a board. Looks only; nothing is claimed, detached or written.
 */
#ifndef PHASEBENCH_CHIPS_H
#define PHASEBENCH_CHIPS_H

#include "phasebench/error.h"

#include <stdbool.h>

#define PB_CHIPS_MAX 16

struct libusb_context;
struct libusb_device;

struct pb_chip {
    const char *type; /* "FT2232H", ... */
    unsigned vendor, product;
    unsigned channels; /* 1, 2 or 4: channels A, B, ... */
    unsigned bus, address;
    char port[32];         /* "1-2.3": bus and the ports of the hubs on the way */
    bool accessible;       /* it opens */
    bool denied;           /* it does not, for want of permission; else it is broken, or gone meanwhile */
    bool kernel_driver[4]; /* of channel A, B, ...: ftdi_sio has it; false too when not accessible */
    char serial[64];       /* "" when it has none or is not accessible */
    char name[64];         /* the product string, likewise */
};

struct pb_chips {
    struct pb_chip chip[PB_CHIPS_MAX];
    unsigned count;    /* chips beyond PB_CHIPS_MAX are left out */
    char problem[128]; /* why USB could not be searched; "" when it could */
};

/* Which chip is meant. A field that is 0 or "" matches any. */
struct pb_chip_choice {
    char name[64]; /* its serial number, product string or USB port */
    unsigned vendor, product;
    unsigned bus, address;
};

void pb_chips_find(struct pb_chips *chips);

/* Finds the one chip that is meant; *device belongs to the context and must be given back with
 * libusb_unref_device. PB_ERR_IO: none is there (the sentence lists what else is), or USB cannot be searched;
 * PB_ERR_CONFIG: several are (it lists them). */
int pb_chip_choose(struct libusb_context *context, const struct pb_chip_choice *choice, struct pb_chip *chip,
                   struct libusb_device **device, struct pb_diag *diag);

/* Serial number, or else the port, for messages and locks. */
const char *pb_chip_label(const struct pb_chip *chip);

/* Version of libusb, as "1.0.26". */
const char *pb_usb_version(void);

/* The line of a udev rule that gives the user at this seat access to the chip. */
#define PB_UDEV_RULE_SIZE 128
const char *pb_udev_rule(char rule[PB_UDEV_RULE_SIZE], const struct pb_chip *chip);

#endif
