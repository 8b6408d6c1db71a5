/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FTDI chips on USB: the way to a board. Looks only; nothing is claimed, detached or written.
 */
#ifndef PHASEBENCH_USB_H
#define PHASEBENCH_USB_H

#include <stdbool.h>

#define USB_CHIPS_MAX 16

struct usb_chip {
    const char *type; /* "FT2232", ... */
    unsigned vendor, product;
    unsigned bus, address;
    char port[32];   /* "1-2.3": bus and the ports of the hubs on the way */
    bool accessible; /* this user may open it */
    char serial[64]; /* "" when it has none or is not accessible */
    char name[64];   /* the product string, likewise */
};

struct usb_chips {
    struct usb_chip chip[USB_CHIPS_MAX];
    unsigned count;    /* chips beyond USB_CHIPS_MAX are left out */
    char problem[128]; /* why USB could not be searched; "" when it could */
};

void usb_find(struct usb_chips *chips);

/* Version of libusb, as "1.0.26". */
const char *usb_version(void);

/* The line of a udev rule that gives the user at this seat access to the chip. */
#define USB_RULE_SIZE 128
const char *usb_udev_rule(char rule[USB_RULE_SIZE], const struct usb_chip *chip);

#endif
