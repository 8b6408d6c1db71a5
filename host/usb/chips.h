/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FTDI chips on USB, which connect the boards. Lists only: claims, detaches and writes nothing.
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
    char port[32];         /* "1-2.3": bus and hub ports */
    bool accessible;       /* it can be opened */
    bool denied;           /* not opened for lack of permission; else broken or unplugged */
    bool silent;           /* it opens, but does not report its serial number */
    bool twin;             /* another chip on USB has the same serial number */
    bool kernel_driver[4]; /* channel A, B, ... is bound to ftdi_sio; false if not accessible */
    char serial[64];       /* "": none, or not accessible */
    char name[64];         /* the product string, likewise */
};

struct pb_chips {
    struct pb_chip chip[PB_CHIPS_MAX];
    unsigned count;    /* at most PB_CHIPS_MAX; further chips are left out */
    char problem[128]; /* why USB could not be searched; "": none */
};

/* Selects a chip. 0 or "" matches any. */
struct pb_chip_choice {
    char name[64]; /* its serial number, product string or USB port */
    unsigned vendor, product;
    unsigned bus, address;
};

void pb_chips_find(struct pb_chips *chips);

/* Finds the one matching chip; release *device with libusb_unref_device before the context. PB_ERR_IO: none
 * (the diagnostic lists the others), or USB cannot be searched; PB_ERR_CONFIG: several (it lists them). */
int pb_chip_choose(struct libusb_context *context, const struct pb_chip_choice *choice, struct pb_chip *chip,
                   struct libusb_device **device, struct pb_diag *diag);

/* Serial number; the port where there is none, or another chip has it, too. For messages, URLs and files. */
const char *pb_chip_label(const struct pb_chip *chip);

/* Version of libusb, as "1.0.26". */
const char *pb_usb_version(void);

/* The line of a udev rule that gives the logged-in user access to the chip. */
#define PB_UDEV_RULE_SIZE 128
const char *pb_udev_rule(char rule[PB_UDEV_RULE_SIZE], const struct pb_chip *chip);

/* The URL of a chip; by its USB port if its serial number is missing, that of another chip, too, or not
 * allowed in a URL. Returns url. */
#define PB_CHIP_URL_SIZE 96
const char *pb_chip_url(char url[PB_CHIP_URL_SIZE], const struct pb_chip *chip);

#endif
