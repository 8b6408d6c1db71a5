/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "usb.h"

#include <libusb-1.0/libusb.h>
#include <stdio.h>
#include <string.h>

#define FTDI_VENDOR 0x0403
#define HUB_DEPTH 7

static const char *chip_type(const struct libusb_device_descriptor *descriptor)
{
    static const struct {
        unsigned product;
        const char *type;
    } known[] = {{0x6010, "FT2232"}, {0x6011, "FT4232"}, {0x6014, "FT232H"}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (descriptor->idVendor == FTDI_VENDOR && descriptor->idProduct == known[i].product)
            return known[i].type;
    return NULL;
}

static void read_port(struct usb_chip *chip, libusb_device *device)
{
    uint8_t port[HUB_DEPTH];
    const int depth = libusb_get_port_numbers(device, port, HUB_DEPTH);
    int length = snprintf(chip->port, sizeof chip->port, "%u", chip->bus);

    for (int i = 0; i < depth; i++)
        length +=
            snprintf(chip->port + length, sizeof chip->port - (size_t)length, "%c%u", i ? '.' : '-', port[i]);
}

static void read_string(libusb_device_handle *handle, uint8_t index, char *text, size_t size)
{
    const int length =
        index ? libusb_get_string_descriptor_ascii(handle, index, (unsigned char *)text, (int)size - 1) : 0;
    text[length > 0 ? length : 0] = '\0';
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
            *c = '?'; /* from a stranger, and on its way to a terminal */
}

static void take(struct usb_chips *chips, libusb_device *device)
{
    struct libusb_device_descriptor descriptor;
    libusb_device_handle *handle;

    if (libusb_get_device_descriptor(device, &descriptor) != 0 || !chip_type(&descriptor) ||
        chips->count == USB_CHIPS_MAX)
        return;
    struct usb_chip *chip = &chips->chip[chips->count++];
    *chip = (struct usb_chip){
        .type = chip_type(&descriptor),
        .vendor = descriptor.idVendor,
        .product = descriptor.idProduct,
        .bus = libusb_get_bus_number(device),
        .address = libusb_get_device_address(device),
    };
    read_port(chip, device);
    if (libusb_open(device, &handle) != 0)
        return;
    chip->accessible = true;
    read_string(handle, descriptor.iSerialNumber, chip->serial, sizeof chip->serial);
    read_string(handle, descriptor.iProduct, chip->name, sizeof chip->name);
    libusb_close(handle);
}

void usb_find(struct usb_chips *chips)
{
    libusb_context *context;
    libusb_device **list;

    memset(chips, 0, sizeof *chips);
    const int code = libusb_init(&context);
    if (code != 0) {
        snprintf(chips->problem, sizeof chips->problem, "libusb cannot start: %s", libusb_strerror(code));
        return;
    }
    const ssize_t count = libusb_get_device_list(context, &list);
    if (count < 0)
        snprintf(chips->problem, sizeof chips->problem, "libusb cannot list devices: %s",
                 libusb_strerror((int)count));
    for (ssize_t i = 0; i < count; i++)
        take(chips, list[i]);
    if (count >= 0)
        libusb_free_device_list(list, 1);
    libusb_exit(context);
}

const char *usb_version(void)
{
    static char text[32];
    const struct libusb_version *version = libusb_get_version();
    snprintf(text, sizeof text, "%u.%u.%u", version->major, version->minor, version->micro);
    return text;
}

const char *usb_udev_rule(char rule[USB_RULE_SIZE], const struct usb_chip *chip)
{
    snprintf(rule, USB_RULE_SIZE,
             "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"%04x\", ATTR{idProduct}==\"%04x\", TAG+=\"uaccess\"",
             chip->vendor, chip->product);
    return rule;
}
