/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linked with --wrap into a phasebench whose USB is a mock, for tests/usb/cli/usb.sh. USB_BUS says what it
 * is: "dead", where libusb does not start, "blind", where it lists nothing, "chips", with some of each sort,
 * "denied", with one of each product that this user may not open, "broken", with one that does not open for
 * another reason, "twins", with two of one serial number, one without an answer and one other, or "full".
 */
#include <libusb-1.0/libusb.h>
#include <stdlib.h>
#include <string.h>

struct libusb_device {
    uint16_t vendor, product;
    uint8_t bus, address, depth, port[7];
    int describes, opens;      /* 0 or a libusb error */
    const char *serial, *name; /* NULL: has none; "": cannot be read */
};

static struct libusb_device chips[] = {
    {0x0403, 0x6010, 1, 4, 2, {2, 3}, 0, 0, "FT\0331", "Dual RS232"},
    {0x0403, 0x6014, 2, 9, 1, {7}, 0, LIBUSB_ERROR_ACCESS, "FT2", "never read"},
    {0x0403, 0x6011, 3, 1, 0, {0}, 0, 0, NULL, ""},
    {0x0403, 0x6001, 1, 5, 1, {4}, 0, 0, "UART", "another FTDI chip"},
    {0x1d6b, 0x6010, 1, 1, 0, {0}, 0, 0, "HUB", "another vendor"},
    {0x0403, 0x6010, 1, 6, 1, {5}, LIBUSB_ERROR_NO_DEVICE, 0, "GONE", "unplugged"},
};
static struct libusb_device denied[] = {
    {0x0403, 0x6010, 1, 4, 1, {1}, 0, LIBUSB_ERROR_ACCESS, NULL, ""},
    {0x0403, 0x6011, 1, 5, 1, {2}, 0, LIBUSB_ERROR_ACCESS, NULL, ""},
    {0x0403, 0x6014, 1, 6, 1, {3}, 0, LIBUSB_ERROR_ACCESS, NULL, ""},
};
static struct libusb_device broken[] = {
    {0x0403, 0x6010, 1, 4, 1, {1}, 0, LIBUSB_ERROR_IO, "FT9", "never read"}};
static struct libusb_device twins[] = {
    {0x0403, 0x6010, 1, 4, 1, {1}, 0, 0, "SAME", "Dual RS232"},
    {0x0403, 0x6010, 1, 5, 2, {2, 1}, 0, 0, "SAME", "Dual RS232"},
    {0x0403, 0x6010, 1, 6, 1, {3}, 0, 0, "", "Dual RS232"},
    {0x0403, 0x6010, 1, 7, 1, {4}, 0, 0, "OTHER", "Dual RS232"},
};

enum { FULL = 100 };
static libusb_device *listed[FULL + 1];

int __wrap_libusb_init(libusb_context **context);
ssize_t __wrap_libusb_get_device_list(libusb_context *context, libusb_device ***list);
void __wrap_libusb_free_device_list(libusb_device **list, int unref);
int __wrap_libusb_get_device_descriptor(libusb_device *device, struct libusb_device_descriptor *descriptor);
uint8_t __wrap_libusb_get_bus_number(libusb_device *device);
uint8_t __wrap_libusb_get_device_address(libusb_device *device);
int __wrap_libusb_get_port_numbers(libusb_device *device, uint8_t *port, int size);
int __wrap_libusb_open(libusb_device *device, libusb_device_handle **handle);
void __wrap_libusb_close(libusb_device_handle *handle);
int __wrap_libusb_get_string_descriptor_ascii(libusb_device_handle *handle, uint8_t index,
                                              unsigned char *text, int size);
libusb_device *__wrap_libusb_ref_device(libusb_device *device);
void __wrap_libusb_unref_device(libusb_device *device);
int __wrap_libusb_kernel_driver_active(libusb_device_handle *handle, int interface);
void __wrap_ftdi_set_usbdev(void *ftdi, libusb_device_handle *handle);
int __wrap_ftdi_read_eeprom(void *ftdi);
void __wrap_libusb_exit(libusb_context *context);

static int bus_is(const char *what)
{
    const char *bus = getenv("USB_BUS");
    return bus && !strcmp(bus, what);
}

int __wrap_libusb_init(libusb_context **context)
{
    *context = NULL;
    return bus_is("dead") ? LIBUSB_ERROR_OTHER : 0;
}

ssize_t __wrap_libusb_get_device_list(libusb_context *context, libusb_device ***list)
{
    (void)context;
    if (bus_is("blind"))
        return LIBUSB_ERROR_ACCESS;
    const struct bus {
        const char *name;
        struct libusb_device *device;
        size_t count;
    } buses[] = {{"chips", chips, sizeof chips / sizeof chips[0]},
                 {"denied", denied, sizeof denied / sizeof denied[0]},
                 {"broken", broken, 1},
                 {"twins", twins, sizeof twins / sizeof twins[0]}};
    size_t count = bus_is("full") ? FULL : 0;
    for (size_t i = 0; i < count; i++)
        listed[i] = chips;
    for (size_t k = 0; k < sizeof buses / sizeof buses[0]; k++)
        for (size_t i = 0; bus_is(buses[k].name) && i < buses[k].count; i++)
            listed[count++] = &buses[k].device[i];
    *list = listed;
    return (ssize_t)count;
}

void __wrap_libusb_free_device_list(libusb_device **list, int unref)
{
    if (list != listed || !unref)
        abort();
}

int __wrap_libusb_get_device_descriptor(libusb_device *device, struct libusb_device_descriptor *descriptor)
{
    *descriptor = (struct libusb_device_descriptor){.idVendor = device->vendor,
                                                    .idProduct = device->product,
                                                    .iSerialNumber = device->serial ? 3 : 0,
                                                    .iProduct = 2};
    return device->describes;
}

uint8_t __wrap_libusb_get_bus_number(libusb_device *device)
{
    return device->bus;
}

uint8_t __wrap_libusb_get_device_address(libusb_device *device)
{
    return device->address;
}

int __wrap_libusb_get_port_numbers(libusb_device *device, uint8_t *port, int size)
{
    memcpy(port, device->port, (size_t)size);
    return device->depth;
}

static int handles; /* open */

int __wrap_libusb_open(libusb_device *device, libusb_device_handle **handle)
{
    *handle = (libusb_device_handle *)device;
    handles += device->opens == 0;
    return device->opens;
}

void __wrap_libusb_close(libusb_device_handle *handle)
{
    (void)handle;
    handles--;
}

int __wrap_libusb_get_string_descriptor_ascii(libusb_device_handle *handle, uint8_t index,
                                              unsigned char *text, int size)
{
    const struct libusb_device *device = (const struct libusb_device *)handle;
    const char *string = index == 3 ? device->serial : device->name;
    const size_t length = strlen(string);
    if (!length || length > (size_t)size)
        return LIBUSB_ERROR_PIPE;
    memcpy(text, string, length);
    return (int)length;
}

static int references;

libusb_device *__wrap_libusb_ref_device(libusb_device *device)
{
    references++;
    return device;
}

void __wrap_libusb_unref_device(libusb_device *device)
{
    (void)device;
    references--;
}

/* The first chip's channel A. */
int __wrap_libusb_kernel_driver_active(libusb_device_handle *handle, int interface)
{
    return (struct libusb_device *)handle == chips && interface == 0;
}

/* A fake chip has no memory, and libftdi1 must not close it. */
void __wrap_ftdi_set_usbdev(void *ftdi, libusb_device_handle *handle)
{
    (void)ftdi;
    __wrap_libusb_close(handle);
}

int __wrap_ftdi_read_eeprom(void *ftdi)
{
    (void)ftdi;
    return -1;
}

void __wrap_libusb_exit(libusb_context *context)
{
    (void)context;
    if (handles || references)
        abort();
}
