/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inside of libphasebench-vusb.so, the preloaded library through which libusb finds boards in the directory
 * PHASEBENCH_VUSB. It replaces open, close, ioctl, poll and statfs of libc, and the part of libudev that
 * libusb uses; calls that concern no board go to the real functions.
 */
#ifndef PB_VUSB_USBFS_H
#define PB_VUSB_USBFS_H

#include <linux/usbdevice_fs.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Only the replaced functions are visible from outside. */
#define VUSB_EXPORT __attribute__((visibility("default")))

enum { BOARD_PATH = 256, BOARD_NAME = 64, BOARDS_MAX = 64 };

/* ---------------------------------------------------------------- boards.c */
struct board {
    char name[BOARD_NAME]; /* directory */
    unsigned bus, device;
};
/* Returns the directory of all boards. NULL: not set; all calls go to the real functions. */
const char *boards_folder(void);
/* Writes up to BOARDS_MAX served boards; returns their number. */
unsigned boards_scan(struct board board[BOARDS_MAX]);
/* Writes the path of a file of the board with these numbers; false: no such board. */
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
    unsigned users; /* calls in progress, plus the table */
    bool gone;      /* the connection has ended; pending transfers end as on an unplugged device */
    uint32_t claimed;
    uint64_t next_id;
    struct pending *first, **last;
};
/* Connects to the socket of a board; returns a descriptor, or -1 with errno as open has it. */
int handle_open(const char *socket_path, int flags);
/* Returns a handle, to be released with handle_put. NULL: the descriptor is no device. */
struct handle *handle_get(int fd);
void handle_put(struct handle *handle);
/* Removes the handle from the table; false: the descriptor was no device. */
bool handle_forget(int fd);
/* Receives all bytes, or sends all of the message, on a socket of the server. False: it has ended, or does
 * not answer in time; a part may have passed. */
bool server_receive(int fd, void *bytes, size_t count);
bool server_send(int fd, struct iovec *part, unsigned parts);
/* After a failed exchange: the board is unplugged, as a later answer would be taken for that of another
 * call. Call with the lock held. */
void handle_lose(struct handle *handle);

/* ---------------------------------------------------------------- urb.c, ioctl.c: 0 or -1 and
 * errno */
int urb_submit(struct handle *handle, struct usbdevfs_urb *urb);
int urb_discard(struct handle *handle, const struct usbdevfs_urb *urb);
int urb_reap(struct handle *handle, void **urb, bool wait);
int usbfs_ioctl(struct handle *handle, unsigned long request, void *argument);
/* Claims the interface if it is not claimed, as the kernel does before a transfer. */
int usbfs_claim(struct handle *handle, unsigned interface);
/* Sends a command and waits for its answer; false: the board is gone. Call with the lock held. */
struct vusb_command;
struct vusb_answer;
bool command_answered(struct handle *handle, const struct vusb_command *command, struct vusb_answer *answer);

/* ---------------------------------------------------------------- libc.c: the real functions */
int real_close(int fd);
int real_open(const char *path, int flags);
int real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);

#endif
