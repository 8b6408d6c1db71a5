/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/usb/chips.h"
#include "host/base/monotonic.h"
#include "host/usb/patience.h"

#include <libusb-1.0/libusb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FTDI_VENDOR 0x0403
#define HUB_DEPTH 7

enum { STRING_MS = 1000 /* of libusb */ };

static const struct known {
    unsigned product, channels;
    const char *type;
} known_chips[] = {{0x6010, 2, "FT2232H"}, {0x6011, 4, "FT4232H"}, {0x6014, 1, "FT232H"}};

static const struct known *recognise(const struct libusb_device_descriptor *descriptor)
{
    for (size_t i = 0; i < sizeof known_chips / sizeof known_chips[0]; i++)
        if (descriptor->idVendor == FTDI_VENDOR && descriptor->idProduct == known_chips[i].product)
            return &known_chips[i];
    return NULL;
}

static void read_port(struct pb_chip *chip, libusb_device *device)
{
    uint8_t port[HUB_DEPTH];
    const int depth = libusb_get_port_numbers(device, port, HUB_DEPTH);
    int length = snprintf(chip->port, sizeof chip->port, "%u", chip->bus);

    for (int i = 0; i < depth; i++)
        length +=
            snprintf(chip->port + length, sizeof chip->port - (size_t)length, "%c%u", i ? '.' : '-', port[i]);
}

/* As libusb does it, whose limit is of real time: again where the server of a virtual board did not run
 * meanwhile. */
static int ask_string(libusb_device_handle *handle, uint8_t index, char *text, size_t size)
{
    struct pb_diag unused;
    for (;;) {
        const int64_t begun_ms = pb_monotonic_ms();
        const int length =
            libusb_get_string_descriptor_ascii(handle, index, (unsigned char *)text, (int)size - 1);
        if (length != LIBUSB_ERROR_TIMEOUT ||
            !pb_patience_was_away(pb_monotonic_ms() - begun_ms, STRING_MS) || pb_patience_check("", &unused))
            return length;
    }
}

/* False: the chip is there, and does not answer. */
static bool read_string(libusb_device_handle *handle, uint8_t index, char *text, size_t size)
{
    const int length = index ? ask_string(handle, index, text, size) : 0;
    text[length > 0 ? length : 0] = '\0';
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
            *c = '?'; /* untrusted, and printed to a terminal */
    return length >= 0 || length == LIBUSB_ERROR_NO_DEVICE;
}

/* Describes a device. False: no FTDI chip for a board. */
static bool look(struct pb_chip *chip, libusb_device *device)
{
    struct libusb_device_descriptor descriptor;
    libusb_device_handle *handle;
    const struct known *known =
        libusb_get_device_descriptor(device, &descriptor) ? NULL : recognise(&descriptor);

    if (!known)
        return false;
    *chip = (struct pb_chip){
        .type = known->type,
        .channels = known->channels,
        .vendor = descriptor.idVendor,
        .product = descriptor.idProduct,
        .bus = libusb_get_bus_number(device),
        .address = libusb_get_device_address(device),
    };
    read_port(chip, device);
    const int code = libusb_open(device, &handle);
    chip->accessible = !code;
    chip->denied = code == LIBUSB_ERROR_ACCESS;
    if (code)
        return true;
    chip->silent = !read_string(handle, descriptor.iSerialNumber, chip->serial, sizeof chip->serial);
    read_string(handle, descriptor.iProduct, chip->name, sizeof chip->name);
    for (unsigned channel = 0; channel < chip->channels; channel++)
        chip->kernel_driver[channel] = libusb_kernel_driver_active(handle, (int)channel) == 1;
    libusb_close(handle);
    return true;
}

/* Sorts by bus and address. */
static int by_place(const void *left, const void *right)
{
    libusb_device *const *a = left, *const *b = right;
    const int buses = libusb_get_bus_number(*a) - libusb_get_bus_number(*b);
    return buses ? buses : libusb_get_device_address(*a) - libusb_get_device_address(*b);
}

struct found {
    struct pb_chip chip;
    libusb_device *device; /* of the list */
};

/* Describes the chips of a list, sorts by bus and address. Returns their number; -1: no memory. */
static ssize_t look_at_all(struct found **out, libusb_device **list, ssize_t devices)
{
    struct found *found = calloc((size_t)devices + 1, sizeof *found);
    ssize_t count = 0;
    *out = found;
    if (!found)
        return -1;
    qsort(list, (size_t)devices, sizeof *list, by_place);
    for (ssize_t i = 0; i < devices; i++) {
        found[count].device = list[i];
        count += look(&found[count].chip, list[i]);
    }
    for (ssize_t i = 0; i < count; i++)
        for (ssize_t k = 0; k < count && !found[i].chip.twin; k++)
            found[i].chip.twin =
                i != k && *found[i].chip.serial && !strcmp(found[i].chip.serial, found[k].chip.serial);
    return count;
}

void pb_chips_find(struct pb_chips *chips)
{
    libusb_context *context;
    libusb_device **list;
    struct found *found = NULL;

    memset(chips, 0, sizeof *chips);
    const int code = libusb_init(&context);
    if (code != 0) {
        snprintf(chips->problem, sizeof chips->problem, "libusb cannot start: %s", libusb_strerror(code));
        return;
    }
    const ssize_t devices = libusb_get_device_list(context, &list);
    const ssize_t count = devices > 0 ? look_at_all(&found, list, devices) : 0;
    if (devices < 0)
        snprintf(chips->problem, sizeof chips->problem, "libusb cannot list devices: %s",
                 libusb_strerror((int)devices));
    else if (count < 0)
        snprintf(chips->problem, sizeof chips->problem, "no memory for %zd devices", devices);
    for (ssize_t i = 0; i < count && chips->count < PB_CHIPS_MAX; i++)
        chips->chip[chips->count++] = found[i].chip;
    free(found);
    if (devices >= 0)
        libusb_free_device_list(list, 1);
    libusb_exit(context);
}

static bool is_meant(const struct pb_chip *chip, const struct pb_chip_choice *choice)
{
    return (!choice->vendor || chip->vendor == choice->vendor) &&
           (!choice->product || chip->product == choice->product) &&
           (!choice->bus || (chip->bus == choice->bus && chip->address == choice->address)) &&
           (!*choice->name || !strcmp(choice->name, chip->serial) || !strcmp(choice->name, chip->port) ||
            !strcmp(choice->name, chip->name));
}

const char *pb_chip_label(const struct pb_chip *chip)
{
    return *chip->serial && !chip->twin ? chip->serial : chip->port;
}

/* "PB0001 at 1-2, FT7 at 1-3 (no permission)" into the text; truncates a long list. */
static void list_chip(char *text, size_t size, const struct pb_chip *chip)
{
    const size_t at = strlen(text);
    const char *state = chip->silent       ? " (silent: it does not answer)"
                        : chip->accessible ? ""
                        : chip->denied     ? " (no permission)"
                                           : " (does not open)";
    snprintf(text + at, size - at, "%s%s at %s%s", at ? ", " : "", *chip->serial ? chip->serial : chip->type,
             chip->port, state);
}

/* One of the chips, or why there is no such one. */
static int choose_one(const struct pb_chip_choice *choice, const struct found *found, ssize_t count,
                      const struct found **chosen, struct pb_diag *diag)
{
    char meant[160] = "", other[160] = "";
    unsigned matches = 0;
    bool silent = false;
    for (ssize_t i = count; i-- > 0;)
        if (is_meant(&found[i].chip, choice)) {
            *chosen = &found[i];
            matches++;
        }
    for (ssize_t i = 0; i < count; i++) {
        const bool fits = is_meant(&found[i].chip, choice);
        list_chip(fits ? meant : other, sizeof meant, &found[i].chip);
        silent |= found[i].chip.silent;
    }
    if (matches == 1)
        return PB_OK;
    if (matches > 1)
        return pb_fail(diag, PB_ERR_CONFIG, "%u boards fit: %s; name one by its %sport, as in ftdi:%s",
                       matches, meant, (*chosen)->chip.twin ? "" : "serial number or ",
                       pb_chip_label(&(*chosen)->chip));
    if (*other)
        return pb_fail(diag, PB_ERR_IO, "no board '%s' on USB; there are %s%s",
                       *choice->name ? choice->name : "of that kind", other,
                       silent ? "; plug in again what is silent, as it may be the board" : "");
    return pb_fail(
        diag, PB_ERR_IO,
        "no FTDI chip (0403:6010, :6011, :6014) on USB; plug the board in, or run with --rig sim:");
}

int pb_chip_choose(libusb_context *context, const struct pb_chip_choice *choice, struct pb_chip *chip,
                   libusb_device **device, struct pb_diag *diag)
{
    libusb_device **list;
    struct found *found;
    const struct found *chosen;

    *device = NULL;
    const ssize_t devices = libusb_get_device_list(context, &list);
    if (devices < 0)
        return pb_fail(diag, PB_ERR_IO, "libusb cannot list devices: %s; is /dev/bus/usb there?",
                       libusb_strerror((int)devices));
    const ssize_t count = look_at_all(&found, list, devices);
    const int code = count < 0 ? pb_fail(diag, PB_ERR_MEMORY, "no memory for %zd devices on USB", devices)
                               : choose_one(choice, found, count, &chosen, diag);
    if (!code) {
        *chip = chosen->chip;
        *device = libusb_ref_device(chosen->device);
    }
    free(found);
    libusb_free_device_list(list, 1);
    return code;
}

const char *pb_usb_version(void)
{
    static char text[32];
    const struct libusb_version *version = libusb_get_version();
    snprintf(text, sizeof text, "%u.%u.%u", version->major, version->minor, version->micro);
    return text;
}

const char *pb_udev_rule(char rule[PB_UDEV_RULE_SIZE], const struct pb_chip *chip)
{
    snprintf(rule, PB_UDEV_RULE_SIZE,
             "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"%04x\", ATTR{idProduct}==\"%04x\", TAG+=\"uaccess\"",
             chip->vendor, chip->product);
    return rule;
}

const char *pb_chip_url(char url[PB_CHIP_URL_SIZE], const struct pb_chip *chip)
{
    const char *label = pb_chip_label(chip);
    snprintf(url, PB_CHIP_URL_SIZE, "ftdi:%s", label[strcspn(label, "?/: ")] ? chip->port : label);
    return url;
}
