/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Hot plug: plug and unplug of boards, and the events of the real monitor, on one descriptor.
 */
#define _GNU_SOURCE
#include "bench/usb/preload/udev.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

struct udev_monitor {
    struct udev_monitor *real;
    int all, folder, more; /* epoll; inotify; eventfd: set while a change is not reported */
    struct board known[BOARDS_MAX];
    unsigned count;
};

static void watch(int all, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (fd >= 0)
        epoll_ctl(all, EPOLL_CTL_ADD, fd, &event);
}

VUSB_EXPORT struct udev_monitor *udev_monitor_unref(struct udev_monitor *monitor);
VUSB_EXPORT struct udev_monitor *udev_monitor_unref(struct udev_monitor *monitor)
{
    if (!monitor)
        return NULL;
    const int fd[] = {monitor->all, monitor->folder, monitor->more};
    for (unsigned i = 0; i < sizeof fd / sizeof fd[0]; i++)
        if (fd[i] >= 0)
            real_close(fd[i]);
    REAL(struct udev_monitor *, NULL, udev_monitor_unref, (struct udev_monitor *), monitor->real,
         monitor->real);
    free(monitor);
    return NULL;
}

VUSB_EXPORT struct udev_monitor *udev_monitor_new_from_netlink(struct udev *udev, const char *name);
VUSB_EXPORT struct udev_monitor *udev_monitor_new_from_netlink(struct udev *udev, const char *name)
{
    struct udev_monitor *monitor = calloc(1, sizeof *monitor);
    struct udev *real = udev_real_context(udev);
    if (!monitor)
        return NULL;
    monitor->real = REAL(struct udev_monitor *, NULL, udev_monitor_new_from_netlink,
                         (struct udev *, const char *), real, real, name);
    monitor->all = epoll_create1(EPOLL_CLOEXEC);
    monitor->folder = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    monitor->more = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (monitor->all >= 0 && monitor->folder >= 0 && monitor->more >= 0)
        return monitor;
    return udev_monitor_unref(monitor);
}

VUSB_EXPORT int udev_monitor_filter_add_match_subsystem_devtype(struct udev_monitor *monitor,
                                                                const char *subsystem, const char *type);
VUSB_EXPORT int udev_monitor_filter_add_match_subsystem_devtype(struct udev_monitor *monitor,
                                                                const char *subsystem, const char *type)
{
    return REAL(int, 0, udev_monitor_filter_add_match_subsystem_devtype,
                (struct udev_monitor *, const char *, const char *), monitor->real, monitor->real, subsystem,
                type);
}

VUSB_EXPORT int udev_monitor_enable_receiving(struct udev_monitor *monitor);
VUSB_EXPORT int udev_monitor_enable_receiving(struct udev_monitor *monitor)
{
    const int code =
        REAL(int, 0, udev_monitor_enable_receiving, (struct udev_monitor *), monitor->real, monitor->real);
    if (code)
        return code;
    watch(monitor->all,
          REAL(int, -1, udev_monitor_get_fd, (struct udev_monitor *), monitor->real, monitor->real));
    watch(monitor->all, monitor->folder);
    watch(monitor->all, monitor->more);
    if (boards_folder())
        inotify_add_watch(monitor->folder, boards_folder(),
                          IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF);
    monitor->count = boards_scan(monitor->known);
    return 0;
}

VUSB_EXPORT int udev_monitor_get_fd(struct udev_monitor *monitor);
VUSB_EXPORT int udev_monitor_get_fd(struct udev_monitor *monitor)
{
    return monitor->all;
}

static bool has(const struct board *board, unsigned count, const struct board *wanted)
{
    for (unsigned i = 0; i < count; i++)
        if (board[i].bus == wanted->bus && board[i].device == wanted->device)
            return true;
    return false;
}

/* Returns the first unreported change of the boards, which then counts as reported. NULL: none. */
static const char *next_change(struct udev_monitor *monitor, struct board *changed)
{
    struct board present[BOARDS_MAX];
    const unsigned count = boards_scan(present);
    for (unsigned i = 0; i < monitor->count; i++)
        if (!has(present, count, &monitor->known[i])) {
            *changed = monitor->known[i];
            monitor->known[i] = monitor->known[--monitor->count];
            return "remove";
        }
    for (unsigned i = 0; i < count; i++)
        if (!has(monitor->known, monitor->count, &present[i])) {
            *changed = present[i];
            monitor->known[monitor->count++] = present[i];
            return "add";
        }
    return NULL;
}

static bool drain(int fd)
{
    _Alignas(struct inotify_event) char bytes[4096];
    bool any = false;
    while (read(fd, bytes, sizeof bytes) > 0)
        any = true;
    return any;
}

VUSB_EXPORT struct udev_device *udev_monitor_receive_device(struct udev_monitor *monitor);
VUSB_EXPORT struct udev_device *udev_monitor_receive_device(struct udev_monitor *monitor)
{
    static const uint64_t one = 1;
    struct board board;
    const bool changed = drain(monitor->folder), more = drain(monitor->more);
    const char *action = changed || more ? next_change(monitor, &board) : NULL;
    if (!action)
        return udev_device_wrap(REAL(struct udev_device *, NULL, udev_monitor_receive_device,
                                     (struct udev_monitor *), monitor->real, monitor->real));
    /* There may be more changes: the next call checks. */
    if (write(monitor->more, &one, sizeof one) < 0)
        return NULL;
    return udev_device_of_board(&board, action);
}
