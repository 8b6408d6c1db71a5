/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boards on a virtual USB: each a virtual FT2232H with its own simulated bench. An unmodified libusb finds
 * them if its program has libphasebench-vusb.so preloaded. docs/use/vusb.md lists the options and the control
 * lines.
 */
#ifndef PHASEBENCH_SERVE_USB_H
#define PHASEBENCH_SERVE_USB_H

#include "phasebench/scenario.h"

#include <signal.h>
#include <stdbool.h>

#define PB_SERVE_USB_BOARDS_MAX 32u
#define PB_SERVE_USB_LOCKS ".lock" /* subdirectory for hosts that lock a board by its USB port */

struct pb_serve_usb {
    const char *folder;  /* directory of the boards; created if missing, and then removed at the end */
    const char *options; /* KEY=VALUE&...; NULL: none */
    unsigned boards;     /* 1..PB_SERVE_USB_BOARDS_MAX; serial numbers PB0001... */
    const volatile sig_atomic_t *stop;                /* set: end */
    const volatile sig_atomic_t *halt;                /* set: end a wait for the process of a node */
    int64_t deadline_ns; /* of CLOCK_MONOTONIC: likewise; 0: none. Either ends the server, too */
    void (*say)(void *context, const char *sentence); /* reports an event; no newline */
    void *context;
};

/* Serves until *stop is set. Reports "serving" when all boards can be found. PB_ERR_ARGUMENT: invalid option;
 * PB_ERR_IO: the directory cannot be created, or a board in it is already served; else as pb_rig_open. */
int pb_serve_usb(const struct pb_serve_usb *options, const struct pb_scenario *scenario,
                 struct pb_diag *diag);

/* True: an option of that name exists. */
bool pb_serve_usb_knows(const char *key);

#endif
