/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Contexts, devices and enumeration.
 */
#define _GNU_SOURCE
#include "bench/usb/preload/udev.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYS_DEVICES "/sys/bus/usb/devices/"

struct udev {
    struct udev *real;
};

struct udev_device {
    struct udev_device *real;
    const char *action;
    char node[24], name[12];
};

struct udev_enumerate {
    struct udev_enumerate *real;
    struct udev_list_entry *first;
    bool devices; /* enumerates devices of the USB, not interfaces */
};

void *udev_real_symbol(const char *name)
{
    const char *only = getenv("PHASEBENCH_VUSB_ONLY");
    return boards_folder() && only && *only ? NULL : dlsym(RTLD_NEXT, name);
}

/* ---------------------------------------------------------------- context */

VUSB_EXPORT struct udev *udev_new(void);
VUSB_EXPORT struct udev *udev_new(void)
{
    struct udev *udev = calloc(1, sizeof *udev);
    if (udev)
        udev->real = REAL(struct udev *, NULL, udev_new, (void), true, );
    return udev;
}

VUSB_EXPORT struct udev *udev_unref(struct udev *udev);
VUSB_EXPORT struct udev *udev_unref(struct udev *udev)
{
    if (udev)
        REAL(struct udev *, NULL, udev_unref, (struct udev *), udev->real, udev->real);
    free(udev);
    return NULL;
}

struct udev *udev_real_context(struct udev *udev)
{
    return udev->real;
}

/* ---------------------------------------------------------------- device */

struct udev_device *udev_device_wrap(struct udev_device *real)
{
    struct udev_device *device = real ? calloc(1, sizeof *device) : NULL;
    if (device)
        device->real = real;
    else
        REAL(struct udev_device *, NULL, udev_device_unref, (struct udev_device *), real, real);
    return device;
}

struct udev_device *udev_device_of_board(const struct board *board, const char *action)
{
    struct udev_device *device = calloc(1, sizeof *device);
    if (!device)
        return NULL;
    device->action = action;
    snprintf(device->node, sizeof device->node, "/dev/bus/usb/%03u/%03u", board->bus, board->device);
    snprintf(device->name, sizeof device->name, "%u-%u", board->bus, board->device);
    return device;
}

VUSB_EXPORT struct udev_device *udev_device_new_from_syspath(struct udev *udev, const char *path);
VUSB_EXPORT struct udev_device *udev_device_new_from_syspath(struct udev *udev, const char *path)
{
    struct board board;
    char file[BOARD_PATH];
    int end = 0;
    if (boards_folder() && sscanf(path, SYS_DEVICES "%u-%u%n", &board.bus, &board.device, &end) == 2 &&
        !path[end] && boards_find(board.bus, board.device, "devnum", file))
        return udev_device_of_board(&board, NULL);
    return udev_device_wrap(REAL(struct udev_device *, NULL, udev_device_new_from_syspath,
                                 (struct udev *, const char *), udev->real, udev->real, path));
}

VUSB_EXPORT struct udev_device *udev_device_unref(struct udev_device *device);
VUSB_EXPORT struct udev_device *udev_device_unref(struct udev_device *device)
{
    if (device)
        REAL(struct udev_device *, NULL, udev_device_unref, (struct udev_device *), device->real,
             device->real);
    free(device);
    return NULL;
}

VUSB_EXPORT const char *udev_device_get_devnode(struct udev_device *device);
VUSB_EXPORT const char *udev_device_get_devnode(struct udev_device *device)
{
    return device ? REAL(const char *, device->node, udev_device_get_devnode, (struct udev_device *),
                         device->real, device->real)
                  : NULL;
}

VUSB_EXPORT const char *udev_device_get_sysname(struct udev_device *device);
VUSB_EXPORT const char *udev_device_get_sysname(struct udev_device *device)
{
    return device ? REAL(const char *, device->name, udev_device_get_sysname, (struct udev_device *),
                         device->real, device->real)
                  : NULL;
}

VUSB_EXPORT const char *udev_device_get_action(struct udev_device *device);
VUSB_EXPORT const char *udev_device_get_action(struct udev_device *device)
{
    return device ? REAL(const char *, device->action, udev_device_get_action, (struct udev_device *),
                         device->real, device->real)
                  : NULL;
}

/* ---------------------------------------------------------------- enumeration */

VUSB_EXPORT struct udev_enumerate *udev_enumerate_new(struct udev *udev);
VUSB_EXPORT struct udev_enumerate *udev_enumerate_new(struct udev *udev)
{
    struct udev_enumerate *enumerate = calloc(1, sizeof *enumerate);
    if (enumerate)
        enumerate->real =
            REAL(struct udev_enumerate *, NULL, udev_enumerate_new, (struct udev *), udev->real, udev->real);
    return enumerate;
}

static void forget_entries(struct udev_enumerate *enumerate)
{
    for (struct udev_list_entry *next; enumerate->first; enumerate->first = next) {
        next = enumerate->first->next;
        free(enumerate->first);
    }
}

VUSB_EXPORT struct udev_enumerate *udev_enumerate_unref(struct udev_enumerate *enumerate);
VUSB_EXPORT struct udev_enumerate *udev_enumerate_unref(struct udev_enumerate *enumerate)
{
    if (enumerate) {
        forget_entries(enumerate);
        REAL(struct udev_enumerate *, NULL, udev_enumerate_unref, (struct udev_enumerate *), enumerate->real,
             enumerate->real);
    }
    free(enumerate);
    return NULL;
}

VUSB_EXPORT int udev_enumerate_add_match_subsystem(struct udev_enumerate *enumerate, const char *subsystem);
VUSB_EXPORT int udev_enumerate_add_match_subsystem(struct udev_enumerate *enumerate, const char *subsystem)
{
    enumerate->devices = subsystem && !strcmp(subsystem, "usb");
    return REAL(int, 0, udev_enumerate_add_match_subsystem, (struct udev_enumerate *, const char *),
                enumerate->real, enumerate->real, subsystem);
}

VUSB_EXPORT int udev_enumerate_add_match_property(struct udev_enumerate *enumerate, const char *property,
                                                  const char *value);
VUSB_EXPORT int udev_enumerate_add_match_property(struct udev_enumerate *enumerate, const char *property,
                                                  const char *value)
{
    return REAL(int, 0, udev_enumerate_add_match_property,
                (struct udev_enumerate *, const char *, const char *), enumerate->real, enumerate->real,
                property, value);
}

static void add_entry(struct udev_enumerate *enumerate, const char *name)
{
    const size_t size = strlen(name) + 1;
    struct udev_list_entry *entry = malloc(sizeof *entry + size);
    if (!entry)
        return;
    entry->next = enumerate->first;
    memcpy(entry->name, name, size);
    enumerate->first = entry;
}

static void add_real_entries(struct udev_enumerate *enumerate)
{
    struct udev_list_entry *at = REAL(struct udev_list_entry *, NULL, udev_enumerate_get_list_entry,
                                      (struct udev_enumerate *), enumerate->real, enumerate->real);
    while (at) {
        const char *name =
            REAL(const char *, NULL, udev_list_entry_get_name, (struct udev_list_entry *), at, at);
        if (name)
            add_entry(enumerate, name);
        at = REAL(struct udev_list_entry *, NULL, udev_list_entry_get_next, (struct udev_list_entry *), at,
                  at);
    }
}

VUSB_EXPORT int udev_enumerate_scan_devices(struct udev_enumerate *enumerate);
VUSB_EXPORT int udev_enumerate_scan_devices(struct udev_enumerate *enumerate)
{
    struct board board[BOARDS_MAX];
    char path[BOARD_PATH];
    forget_entries(enumerate);
    REAL(int, 0, udev_enumerate_scan_devices, (struct udev_enumerate *), enumerate->real, enumerate->real);
    add_real_entries(enumerate);
    const unsigned count = enumerate->devices ? boards_scan(board) : 0;
    for (unsigned i = 0; i < count; i++) {
        snprintf(path, sizeof path, SYS_DEVICES "%u-%u", board[i].bus, board[i].device);
        add_entry(enumerate, path);
    }
    return 0;
}

VUSB_EXPORT struct udev_list_entry *udev_enumerate_get_list_entry(struct udev_enumerate *enumerate);
VUSB_EXPORT struct udev_list_entry *udev_enumerate_get_list_entry(struct udev_enumerate *enumerate)
{
    return enumerate->first;
}

VUSB_EXPORT struct udev_list_entry *udev_list_entry_get_next(struct udev_list_entry *entry);
VUSB_EXPORT struct udev_list_entry *udev_list_entry_get_next(struct udev_list_entry *entry)
{
    return entry ? entry->next : NULL;
}

VUSB_EXPORT const char *udev_list_entry_get_name(struct udev_list_entry *entry);
VUSB_EXPORT const char *udev_list_entry_get_name(struct udev_list_entry *entry)
{
    return entry ? entry->name : NULL;
}
