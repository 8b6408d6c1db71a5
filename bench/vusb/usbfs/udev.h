/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The part of libudev that libusb uses, with the boards added to what the real one finds. Objects of the real
 * library are inside of ours: a program that hands ours to functions that are not here is not supported.
 */
#ifndef PB_VUSB_USBFS_UDEV_H
#define PB_VUSB_USBFS_UDEV_H

#include "bench/vusb/usbfs/usbfs.h"

struct udev;
struct udev_device;
struct udev_enumerate;
struct udev_monitor;

struct udev_list_entry {
    struct udev_list_entry *next;
    char name[];
};

/* The real function of that name, or NULL: there is no real libudev, or PHASEBENCH_VUSB_ONLY hides what it
 * finds. */
void *udev_real_symbol(const char *name);
/* Calls the real function, when there is one and it has an object to work on. */
#define REAL(result, otherwise, name, parameters, object, ...)                                               \
    ((object) && udev_real_symbol(#name) ? ((union {                                                         \
                                               void *symbol;                                                 \
                                               result(*call) parameters;                                     \
                                           }){udev_real_symbol(#name)})                                      \
                                               .call(__VA_ARGS__)                                            \
                                         : (otherwise))

struct udev *udev_real_context(struct udev *udev);

/* Takes over a real device, NULL is fine. */
struct udev_device *udev_device_wrap(struct udev_device *real);
/* action: static, NULL for a device that was not in an event. */
struct udev_device *udev_device_of_board(const struct board *board, const char *action);

#endif
