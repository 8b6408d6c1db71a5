/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A served board as a device file of usbfs, as a host uses it that redirects a USB device.
 */
#ifndef PB_REDIR_DEVICE_H
#define PB_REDIR_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_PATH = 256, DEVICE_DESCRIPTORS = 512, DEVICE_TRANSFER_MAX = 1 << 20 };

struct device;

/* A transfer that has ended. `data` holds the bytes, setup packet excluded. */
struct device_end {
    uint64_t id;
    bool control, in; /* in: to the host */
    uint8_t endpoint, setup[8];
    uint8_t *data;
    size_t length, actual; /* requested, transferred */
    int status;            /* 0 or a negative errno as in an URB */
};

/* Opens the board in `folder` with that serial number and claims its interfaces. NULL and errno: ENOENT, no
 * such board is plugged in; else it cannot be used. */
struct device *device_open(const char *folder, const char *serial);
void device_close(struct device *device); /* NULL: no effect */

/* Device and configuration descriptor. */
const uint8_t *device_descriptors(const struct device *device, size_t *count);
/* Returns the descriptor to poll; POLLOUT: a transfer can be reaped. */
int device_fd(const struct device *device);

/* Each returns 0 or a negative errno. An accepted transfer ends in device_reap. */
int device_control(struct device *device, uint64_t id, const uint8_t setup[8], const uint8_t *data);
int device_bulk(struct device *device, uint64_t id, uint8_t endpoint, const uint8_t *data, size_t length);
/* No effect if no such transfer is pending: it has ended already. */
void device_cancel(struct device *device, uint64_t id);
int device_reset(struct device *device);
int device_configure(struct device *device, unsigned configuration);
int device_clear_halt(struct device *device, uint8_t endpoint);

/* Calls `end` for all transfers that have ended. False: the device was unplugged. */
bool device_reap(struct device *device, void (*end)(void *context, const struct device_end *end),
                 void *context);

#endif
