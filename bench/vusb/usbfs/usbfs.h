/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inside of libphasebench-vusb.so, the library that is preloaded so that libusb finds boards in the folder
 * PHASEBENCH_VUSB. It stands in front of open, close, ioctl, poll and statfs of libc, and of the part of
 * libudev that libusb uses; what is not about a board goes on to the real functions.
 */
#ifndef PB_VUSB_USBFS_H
#define PB_VUSB_USBFS_H

#include <linux/usbdevice_fs.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Only what is interposed is visible from outside. */
#define VUSB_EXPORT __attribute__((visibility("default")))

enum { BOARD_PATH = 256, BOARD_NAME = 64, BOARDS_MAX = 64 };

/* ---------------------------------------------------------------- boards.c */
struct board {
    char name[BOARD_NAME]; /* folder */
    unsigned bus, device;
};
/* The folder of all boards, or NULL: the library lets everything through. */
const char *boards_folder(void);
/* Fills in up to BOARDS_MAX boards that somebody serves; returns how many. */
unsigned boards_scan(struct board board[BOARDS_MAX]);
/* Writes the path of a file of the board with these numbers; false: there is none. */
bool boards_find(unsigned bus, unsigned device, const char *file, char path[BOARD_PATH]);

/* ---------------------------------------------------------------- handle.c */
struct pending { /* a transfer that was submitted and not reaped */
    struct pending *next;
    uint64_t id;
    struct usbdevfs_urb *urb;
};
struct handle {
    int fd, command; /* the connection, which the program sees, and the command socket */
    pthread_mutex_t lock;
    unsigned users; /* calls under way, and the table */
    bool gone;      /* the connection has ended; what is pending ends as on a device that was unplugged */
    uint32_t claimed;
    uint64_t next_id;
    struct pending *first, **last;
};
/* Connects to the socket of a board; returns a descriptor, or -1 with errno as open has it. */
int handle_open(const char *socket_path, int flags);
/* NULL: the descriptor is no device. Else to be given back with handle_put. */
struct handle *handle_get(int fd);
void handle_put(struct handle *handle);
/* Takes the handle out of the table; false: it was none. */
bool handle_forget(int fd);

/* ---------------------------------------------------------------- urb.c, ioctl.c: 0 or -1 and
 * errno */
int urb_submit(struct handle *handle, struct usbdevfs_urb *urb);
int urb_discard(struct handle *handle, const struct usbdevfs_urb *urb);
int urb_reap(struct handle *handle, void **urb, bool wait);
int usbfs_ioctl(struct handle *handle, unsigned long request, void *argument);
/* Makes sure that the interface is claimed, as the kernel does before a transfer. */
int usbfs_claim(struct handle *handle, unsigned interface);

/* ---------------------------------------------------------------- libc.c: the real functions */
int real_close(int fd);
int real_open(const char *path, int flags);
int real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);

#endif
