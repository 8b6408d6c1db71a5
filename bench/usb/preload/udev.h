/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The part of libudev that libusb uses, with the boards added to the devices of the real library. Objects of
 * this library contain those of the real one. Functions of libudev not replaced here must not get them.
 */
#ifndef PB_VUSB_USBFS_UDEV_H
#define PB_VUSB_USBFS_UDEV_H

#include "bench/usb/preload/usbfs.h"

struct udev;
struct udev_device;
struct udev_enumerate;
struct udev_monitor;

struct udev_list_entry {
    struct udev_list_entry *next;
    char name[];
};

/* Returns the real function of that name. NULL: no libudev, or PHASEBENCH_VUSB_ONLY hides its devices. */
void *udev_real_symbol(const char *name);
/* Calls the real function if it exists and has an object to work on. */
#define REAL(result, otherwise, name, parameters, object, ...)                                               \
    ((object) && udev_real_symbol(#name) ? ((union {                                                         \
                                               void *symbol;                                                 \
                                               result(*call) parameters;                                     \
                                           }){udev_real_symbol(#name)})                                      \
                                               .call(__VA_ARGS__)                                            \
                                         : (otherwise))

struct udev *udev_real_context(struct udev *udev);

/* Takes ownership of a real device; NULL is allowed. */
struct udev_device *udev_device_wrap(struct udev_device *real);
/* action: static; NULL: a device without an event. */
struct udev_device *udev_device_of_board(const struct board *board, const char *action);

#endif
