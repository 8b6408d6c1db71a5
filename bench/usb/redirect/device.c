/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bench/usb/redirect/device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SETUP_BYTES = 8, INTERFACES = 2 };

struct transfer {
    struct transfer *next;
    uint64_t id;
    uint8_t *bytes; /* after the transfer; of a control transfer, with the setup packet first */
    struct usbdevfs_urb urb;
};

struct device {
    int fd;
    uint8_t descriptors[DEVICE_DESCRIPTORS];
    size_t descriptor_bytes;
    struct transfer *pending;
};

/* ---------------------------------------------------------------- open and close */

/* Reads a file of the board's directory. Returns the number of bytes; 0: no such file. */
static size_t read_file(const char *folder, const char *serial, const char *name, void *bytes,
                        size_t capacity)
{
    char path[DEVICE_PATH];
    snprintf(path, sizeof path, "%s/%s/%s", folder, serial, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t count = read(fd, bytes, capacity);
    close(fd);
    return count > 0 ? (size_t)count : 0;
}

static unsigned read_number(const char *folder, const char *serial, const char *name)
{
    char text[16] = "";
    read_file(folder, serial, name, text, sizeof text - 1);
    return (unsigned)strtoul(text, NULL, 10);
}

static int for_each_interface(int fd, unsigned long request)
{
    for (unsigned interface = 0; interface < INTERFACES; interface++)
        if (ioctl(fd, request, &interface) < 0)
            return -errno;
    return 0;
}

struct device *device_open(const char *folder, const char *serial)
{
    char path[DEVICE_PATH];
    struct device *device = calloc(1, sizeof *device);
    if (!device)
        return NULL;
    device->descriptor_bytes =
        read_file(folder, serial, "descriptors", device->descriptors, sizeof device->descriptors);
    snprintf(path, sizeof path, "/dev/bus/usb/%03u/%03u", read_number(folder, serial, "busnum"),
             read_number(folder, serial, "devnum"));
    device->fd = device->descriptor_bytes ? open(path, O_RDWR | O_CLOEXEC) : -1;
    int code = device->descriptor_bytes ? device->fd < 0 ? -errno : 0 : -ENOENT;
    if (!code)
        code = for_each_interface(device->fd, USBDEVFS_CLAIMINTERFACE);
    if (!code)
        return device;
    if (device->fd >= 0)
        close(device->fd);
    free(device);
    errno = -code;
    return NULL;
}

void device_close(struct device *device)
{
    if (!device)
        return;
    close(device->fd);
    for (struct transfer *next; device->pending; device->pending = next) {
        next = device->pending->next;
        free(device->pending);
    }
    free(device);
}

const uint8_t *device_descriptors(const struct device *device, size_t *count)
{
    *count = device->descriptor_bytes;
    return device->descriptors;
}

int device_fd(const struct device *device)
{
    return device->fd;
}

/* ---------------------------------------------------------------- transfers */

/* Takes ownership of the transfer. */
static int submit(struct device *device, struct transfer *transfer)
{
    if (ioctl(device->fd, USBDEVFS_SUBMITURB, &transfer->urb) < 0) {
        const int code = -errno;
        free(transfer);
        return code;
    }
    transfer->next = device->pending;
    device->pending = transfer;
    return 0;
}

static struct transfer *create(uint64_t id, unsigned char type, uint8_t endpoint, size_t bytes)
{
    struct transfer *transfer = bytes <= DEVICE_TRANSFER_MAX ? calloc(1, sizeof *transfer + bytes) : NULL;
    if (!transfer)
        return NULL;
    transfer->id = id;
    transfer->bytes = (uint8_t *)(transfer + 1);
    transfer->urb.type = type;
    transfer->urb.endpoint = endpoint;
    transfer->urb.buffer = transfer->bytes;
    transfer->urb.buffer_length = (int)bytes;
    transfer->urb.usercontext = transfer;
    return transfer;
}

int device_control(struct device *device, uint64_t id, const uint8_t setup[8], const uint8_t *data)
{
    const size_t length = setup[6] | (size_t)setup[7] << 8;
    struct transfer *transfer = create(id, USBDEVFS_URB_TYPE_CONTROL, 0, SETUP_BYTES + length);
    if (!transfer)
        return -ENOMEM;
    memcpy(transfer->bytes, setup, SETUP_BYTES);
    if (data)
        memcpy(transfer->bytes + SETUP_BYTES, data, length);
    return submit(device, transfer);
}

int device_bulk(struct device *device, uint64_t id, uint8_t endpoint, const uint8_t *data, size_t length)
{
    struct transfer *transfer = create(id, USBDEVFS_URB_TYPE_BULK, endpoint, length);
    if (!transfer)
        return -ENOMEM;
    if (data)
        memcpy(transfer->bytes, data, length);
    return submit(device, transfer);
}

void device_cancel(struct device *device, uint64_t id)
{
    for (struct transfer *at = device->pending; at; at = at->next)
        if (at->id == id) {
            ioctl(device->fd, USBDEVFS_DISCARDURB, &at->urb); /* EINVAL: it has ended */
            return;
        }
}

/* ---------------------------------------------------------------- the device as a whole */

int device_reset(struct device *device)
{
    return ioctl(device->fd, USBDEVFS_RESET, NULL) < 0 ? -errno : 0;
}

int device_configure(struct device *device, unsigned configuration)
{
    /* usbfs refuses while an interface is claimed. */
    int code = for_each_interface(device->fd, USBDEVFS_RELEASEINTERFACE);
    if (!code && ioctl(device->fd, USBDEVFS_SETCONFIGURATION, &configuration) < 0)
        code = -errno;
    const int claimed = for_each_interface(device->fd, USBDEVFS_CLAIMINTERFACE);
    return code ? code : claimed;
}

int device_clear_halt(struct device *device, uint8_t endpoint)
{
    unsigned number = endpoint;
    return ioctl(device->fd, USBDEVFS_CLEAR_HALT, &number) < 0 ? -errno : 0;
}

/* Removes it from the list. */
static void forget(struct device *device, const struct transfer *transfer)
{
    for (struct transfer **at = &device->pending; *at; at = &(*at)->next)
        if (*at == transfer) {
            *at = transfer->next;
            return;
        }
}

bool device_reap(struct device *device, void (*end)(void *context, const struct device_end *end),
                 void *context)
{
    struct usbdevfs_urb *urb;
    while (!ioctl(device->fd, USBDEVFS_REAPURBNDELAY, &urb)) {
        struct transfer *transfer = urb->usercontext;
        const bool control = urb->type == USBDEVFS_URB_TYPE_CONTROL;
        const size_t head = control ? SETUP_BYTES : 0;
        struct device_end ended = {
            .id = transfer->id,
            .control = control,
            .in = (control ? transfer->bytes[0] : urb->endpoint) & 0x80,
            .endpoint = urb->endpoint,
            .data = transfer->bytes + head,
            .length = (size_t)urb->buffer_length - head,
            .actual = (size_t)urb->actual_length,
            .status = urb->status,
        };
        memcpy(ended.setup, transfer->bytes, control ? SETUP_BYTES : 0);
        forget(device, transfer);
        end(context, &ended);
        free(transfer);
    }
    return errno != ENODEV;
}
