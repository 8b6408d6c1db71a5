/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/usb/eeprom.h"

#include <libftdi1/ftdi.h>
#include <libusb-1.0/libusb.h>
#include <string.h>

enum { BYTES_MAX = 256, CHECKSUM_SEED = 0xaaaa };

static enum pb_channel_type channel_type(struct ftdi_context *ftdi, enum ftdi_eeprom_value name)
{
    int type = -1;
    ftdi_get_eeprom_value(ftdi, name, &type);
    switch (type) {
    case CHANNEL_IS_UART:
        return PB_CHANNEL_UART;
    case CHANNEL_IS_FIFO:
        return PB_CHANNEL_FIFO;
    case CHANNEL_IS_OPTO:
        return PB_CHANNEL_OPTO;
    case CHANNEL_IS_CPU:
        return PB_CHANNEL_CPU;
    case CHANNEL_IS_FT1284:
        return PB_CHANNEL_FT1284;
    default:
        return PB_CHANNEL_UNKNOWN;
    }
}

const char *pb_channel_text(enum pb_channel_type type)
{
    static const char *const text[] = {[PB_CHANNEL_UART] = "UART",
                                       [PB_CHANNEL_FIFO] = "245 FIFO",
                                       [PB_CHANNEL_OPTO] = "port for optocouplers (fast serial)",
                                       [PB_CHANNEL_CPU] = "CPU FIFO",
                                       [PB_CHANNEL_FT1284] = "FT1284 port",
                                       [PB_CHANNEL_UNKNOWN] = "port of an unknown type"};
    return text[type];
}

/* libftdi1 prints to stderr if it decodes an invalid checksum, so check first. */
static bool has_checksum(struct ftdi_context *ftdi)
{
    uint8_t bytes[BYTES_MAX];
    unsigned sum = CHECKSUM_SEED;
    int size = 0;
    ftdi_get_eeprom_value(ftdi, CHIP_SIZE, &size);
    if (size < 4 || size > BYTES_MAX || ftdi_get_eeprom_buf(ftdi, bytes, size))
        return false;
    for (int at = 0; at < size - 2; at += 2) {
        sum ^= bytes[at] | (unsigned)bytes[at + 1] << 8;
        sum = (sum << 1 | sum >> 15) & 0xffff;
    }
    return sum == (bytes[size - 2] | (unsigned)bytes[size - 1] << 8);
}

bool pb_eeprom_read(struct pb_eeprom *eeprom, struct ftdi_context *ftdi)
{
    *eeprom = (struct pb_eeprom){0};
    if (ftdi_read_eeprom(ftdi))
        return false;
    eeprom->good = has_checksum(ftdi) && !ftdi_eeprom_decode(ftdi, 0);
    if (eeprom->good) {
        eeprom->channel[0] = channel_type(ftdi, CHANNEL_A_TYPE);
        eeprom->channel[1] = channel_type(ftdi, CHANNEL_B_TYPE);
    }
    return true;
}

bool pb_eeprom_look(struct pb_eeprom *eeprom, const struct pb_chip *chip)
{
    const struct pb_chip_choice choice = {.bus = chip->bus, .address = chip->address};
    struct ftdi_context *ftdi = ftdi_new();
    struct pb_chip found;
    libusb_device *device;
    libusb_device_handle *handle;
    bool read = false;
    *eeprom = (struct pb_eeprom){0};
    if (ftdi && !pb_chip_choose(ftdi->usb_ctx, &choice, &found, &device, NULL)) {
        if (!libusb_open(device, &handle)) {
            ftdi->type = chip->channels == 1 ? TYPE_232H : chip->channels == 2 ? TYPE_2232H : TYPE_4232H;
            ftdi_set_usbdev(ftdi, handle); /* closed by libftdi1 */
            read = pb_eeprom_read(eeprom, ftdi);
        }
        libusb_unref_device(device);
    }
    ftdi_free(ftdi);
    return read;
}
