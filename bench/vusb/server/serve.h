/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boards on a virtual USB: each a virtual FT2232H with a simulated bench of its own behind it, found by an
 * unmodified libusb whose program has libphasebench-vusb.so preloaded. docs/vusb.md has the options and the
 * control lines.
 */
#ifndef PHASEBENCH_SERVE_USB_H
#define PHASEBENCH_SERVE_USB_H

#include "phasebench/scenario.h"

#include <signal.h>
#include <stdbool.h>

#define PB_SERVE_USB_BOARDS_MAX 32u
#define PB_SERVE_USB_LOCKS ".lock" /* in the folder: a folder for hosts that lock a board by its USB port */

struct pb_serve_usb {
    const char *folder;  /* of the boards; made when it is not there, and then taken away at the end */
    const char *options; /* KEY=VALUE&...; NULL: none */
    unsigned boards;     /* 1..PB_SERVE_USB_BOARDS_MAX; serial numbers PB0001... */
    const volatile sig_atomic_t *stop;                /* set: end */
    void (*say)(void *context, const char *sentence); /* what happens; no newline */
    void *context;
};

/* Serves until *stop is set. Says "serving" when all boards can be found. PB_ERR_ARGUMENT: an option;
 * PB_ERR_IO: the folder cannot be made, or a board in it is served already; else as pb_rig_open. */
int pb_serve_usb(const struct pb_serve_usb *options, const struct pb_scenario *scenario,
                 struct pb_diag *diag);

/* There is an option of that name. */
bool pb_serve_usb_knows(const char *key);

#endif
