/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A server of virtual boards in a process of its own, and this process as a host that reaches it with the
 * system's libusb and libftdi1. Nothing here waits for a time: only for what the server says, or for bytes.
 */
#ifndef RIG_FIXTURE_H
#define RIG_FIXTURE_H

#include <libftdi1/ftdi.h>
#include <libusb-1.0/libusb.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <cmocka.h>

#define FIRST "PB0001"
#define SECOND "PB0002"

struct rig_server {
    pid_t process;
    char folder[32];
    FILE *said;
    pthread_t listener; /* takes what the server says, which would wait for a reader else */
    pthread_mutex_t lock;
    pthread_cond_t more;
    char *text; /* not yet read by rig_wait */
    size_t length;
    bool ended;
};

/* Runs the program again with the library preloaded, unless it is; to be called first in main. */
void rig_preload(char **argv);

/* Starts a server of a scenario (NULL: one that is small), with boards as said, and waits until they can be
 * found. PHASEBENCH_VUSB names its folder.
 */
void rig_serve(struct rig_server *server, const char *scenario, unsigned boards, const char *options);
/* Ends it by a signal; it must end well and leave nothing. */
void rig_stop(struct rig_server *server);
void rig_kill(struct rig_server *server); /* without warning; and tidies up */
/* Writes a control line and waits until the server has taken it. */
void rig_order(struct rig_server *server, const char *board, const char *line);
/* The same without waiting, for a board that is not plugged in, too. */
void rig_write(struct rig_server *server, const char *board, const char *line);
/* Waits until it has said something with that in it. */
void rig_wait(struct rig_server *server, const char *text);

/* A board open at a channel, with latency timer 2 ms; `baud` 0: none is set. */
struct ftdi_context *rig_open(const char *serial, enum ftdi_interface channel, int baud);
void rig_close(struct ftdi_context *ftdi);
/* Handle of a board by libusb alone, in a context of its own. */
libusb_device_handle *rig_open_usb(const char *serial, libusb_context **context);

/* Reads a register of the core: false: no answer came within `reads` reads. */
bool rig_read_register(struct ftdi_context *ftdi, unsigned address, uint32_t *value, unsigned reads);
/* Open files of this process. */
unsigned rig_descriptors(void);

#endif
