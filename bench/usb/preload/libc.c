/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The libc functions that the library replaces. Each finds the real function on first use, as other libraries
 * call them before any constructor has run.
 */
#define _GNU_SOURCE
#include "bench/usb/preload/usbfs.h"
#include "bench/usb/preload/wire.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

/* Defines `static type name_real(void)`, which returns the real function. */
#define REAL(name, type)                                                                                     \
    static type name##_real(void)                                                                            \
    {                                                                                                        \
        static type known;                                                                                   \
        type function = __atomic_load_n(&known, __ATOMIC_RELAXED);                                           \
        if (!function) {                                                                                     \
            void *symbol = dlsym(RTLD_NEXT, #name);                                                          \
            memcpy(&function, &symbol, sizeof function);                                                     \
            __atomic_store_n(&known, function, __ATOMIC_RELAXED);                                            \
        }                                                                                                    \
        return function;                                                                                     \
    }

typedef int (*open_function)(const char *, int, ...);
typedef int (*openat_function)(int, const char *, int, ...);
typedef int (*open2_function)(const char *, int);
typedef int (*close_function)(int);
typedef int (*ioctl_function)(int, unsigned long, ...);
typedef int (*poll_function)(struct pollfd *, nfds_t, int);
typedef int (*poll_chk_function)(struct pollfd *, nfds_t, int, size_t);
typedef int (*ppoll_function)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
typedef int (*statfs_function)(const char *, struct statfs *);
REAL(open, open_function)
REAL(open64, open_function)
REAL(openat, openat_function)
REAL(openat64, openat_function)
REAL(__open_2, open2_function)
REAL(__open64_2, open2_function)
REAL(close, close_function)
REAL(ioctl, ioctl_function)
REAL(poll, poll_function)
REAL(__poll_chk, poll_chk_function)
REAL(ppoll, ppoll_function)
REAL(statfs, statfs_function)

int real_close(int fd)
{
    return close_real()(fd);
}

int real_open(const char *path, int flags)
{
    return open_real()(path, flags);
}

int real_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    return poll_real()(fds, count, timeout_ms);
}

/* ---------------------------------------------------------------- open */

/* Writes the path of the board's file that replaces an attribute in sysfs. */
static bool find_attribute(const char *path, char found[BOARD_PATH])
{
    unsigned bus, device;
    int end = 0;
    return sscanf(path, "/sys/bus/usb/devices/%u-%u/%n", &bus, &device, &end) == 2 && end && path[end] &&
           !strchr(path + end, '/') && boards_find(bus, device, path + end, found);
}

/* True: the path is that of a board; *fd is the result of open. */
static bool open_board(const char *path, int flags, int *fd)
{
    char found[BOARD_PATH];
    unsigned bus, device;
    int end = 0;
    if (!boards_folder() || !path)
        return false;
    if (find_attribute(path, found)) {
        *fd = real_open(found, flags);
        return true;
    }
    if (sscanf(path, "/dev/bus/usb/%3u/%3u%n", &bus, &device, &end) == 2 && !path[end] &&
        boards_find(bus, device, VUSB_SOCKET, found)) {
        *fd = handle_open(found, flags);
        return true;
    }
    return false;
}

/* The mode is passed only if open may create a file. */
#define TAKE_MODE(flags, last)                                                                               \
    mode_t mode = 0;                                                                                         \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                   \
        va_list arguments;                                                                                   \
        va_start(arguments, last);                                                                           \
        mode = va_arg(arguments, mode_t);                                                                    \
        va_end(arguments);                                                                                   \
    }

VUSB_EXPORT int open(const char *path, int flags, ...)
{
    int fd;
    TAKE_MODE(flags, flags)
    return open_board(path, flags, &fd) ? fd : open_real()(path, flags, mode);
}

VUSB_EXPORT int open64(const char *path, int flags, ...)
{
    int fd;
    TAKE_MODE(flags, flags)
    return open_board(path, flags, &fd) ? fd : open64_real()(path, flags, mode);
}

VUSB_EXPORT int openat(int folder, const char *path, int flags, ...)
{
    int fd;
    TAKE_MODE(flags, flags)
    return open_board(path, flags, &fd) ? fd : openat_real()(folder, path, flags, mode);
}

VUSB_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
    int fd;
    TAKE_MODE(flags, flags)
    return open_board(path, flags, &fd) ? fd : openat64_real()(folder, path, flags, mode);
}

VUSB_EXPORT int __open_2(const char *path, int flags);
VUSB_EXPORT int __open_2(const char *path, int flags)
{
    int fd;
    return open_board(path, flags, &fd) ? fd : __open_2_real()(path, flags);
}

VUSB_EXPORT int __open64_2(const char *path, int flags);
VUSB_EXPORT int __open64_2(const char *path, int flags)
{
    int fd;
    return open_board(path, flags, &fd) ? fd : __open64_2_real()(path, flags);
}

/* Removes the handle before its descriptor can be that of another file. */
VUSB_EXPORT int close(int fd)
{
    handle_forget(fd);
    return real_close(fd);
}

VUSB_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    struct handle *handle = handle_get(fd);
    if (!handle)
        return ioctl_real()(fd, request, argument);
    const int code = usbfs_ioctl(handle, request, argument);
    const int error = errno;
    handle_put(handle);
    errno = error;
    return code;
}

/* ---------------------------------------------------------------- poll */

enum { POLLED_MAX = 64 };

static bool is_device(int fd)
{
    struct handle *handle = handle_get(fd);
    if (handle)
        handle_put(handle);
    return handle;
}

/* usbfs reports a transfer to reap with POLLOUT and an unplug with POLLERR and POLLHUP. Returns a mask of the
 * descriptors that are devices; those beyond POLLED_MAX are not. */
static uint64_t before_poll(struct pollfd *fds, nfds_t count, short events[POLLED_MAX])
{
    uint64_t devices = 0;
    for (nfds_t i = 0; i < count && i < POLLED_MAX; i++) {
        events[i] = fds[i].events;
        if (!is_device(fds[i].fd))
            continue;
        devices |= UINT64_C(1) << i;
        fds[i].events = fds[i].events & POLLOUT ? POLLIN : 0;
    }
    return devices;
}

static void after_poll(struct pollfd *fds, uint64_t devices, const short events[POLLED_MAX])
{
    for (unsigned i = 0; devices >> i; i++) {
        if (!(devices >> i & 1))
            continue;
        const short ready = fds[i].revents;
        fds[i].events = events[i];
        fds[i].revents = (short)((ready & POLLIN ? POLLOUT : 0) | (ready & POLLNVAL) |
                                 (ready & (POLLHUP | POLLERR) ? POLLERR | POLLHUP : 0));
        if (devices >> i == 1)
            break;
    }
}

VUSB_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    short events[POLLED_MAX];
    const uint64_t devices = before_poll(fds, count, events);
    const int ready = poll_real()(fds, count, timeout_ms);
    after_poll(fds, devices, events);
    return ready;
}

VUSB_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size);
VUSB_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size)
{
    short events[POLLED_MAX];
    const uint64_t devices = before_poll(fds, count, events);
    const int ready = __poll_chk_real()(fds, count, timeout_ms, size);
    after_poll(fds, devices, events);
    return ready;
}

VUSB_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    short events[POLLED_MAX];
    const uint64_t devices = before_poll(fds, count, events);
    const int ready = ppoll_real()(fds, count, timeout, mask);
    after_poll(fds, devices, events);
    return ready;
}

/* libusb reads sysfs only if it is mounted, which is not so in every container. */
VUSB_EXPORT int statfs(const char *path, struct statfs *status)
{
    const int code = statfs_real()(path, status);
    if (!boards_folder() || strcmp(path, "/sys"))
        return code;
    if (code)
        memset(status, 0, sizeof *status);
    status->f_type = SYSFS_MAGIC;
    return 0;
}
