/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rig on a serial port of the kernel, opened by pb_rig_open: any USB-serial bridge or CDC device in front
 * of a core with a UART host port. */
#ifndef PHASEBENCH_RIG_TTY_H
#define PHASEBENCH_RIG_TTY_H

#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <stdbool.h>

#define PB_TTY_BAUD_MIN 9600
#define PB_TTY_BAUD_MAX 12000000

/* Checks such a URL without access to the port. Returns 0 or PB_ERR_ARGUMENT. */
int pb_rig_tty_check(const char *url, struct pb_diag *diag);

/* Opens the port exclusively (lock file, flock, TIOCEXCL), raw, 8N1, without flow control; close restores its
 * settings. Without a baud in the URL (not NULL) it tries those of ask.h. PB_ERR_ARGUMENT: invalid URL, or a
 * baud that the port cannot generate within 2 %; PB_ERR_IO: no such port, no serial port, no permission, or
 * in use. Calls on an unplugged port fail with PB_ERR_LINK. */
int pb_rig_tty_open(struct pb_transport **out, const struct pb_rig_options *options, struct pb_diag *diag);

/* As pb_rig_bytes_per_s; 0 for another rig. */
uint64_t pb_rig_tty_bytes_per_s(const struct pb_transport *transport);

/* Serial ports that may carry a board. */
struct pb_tty_ports {
    struct {
        char path[128];
        bool accessible; /* readable and writable */
    } port[32];
    unsigned count;
};

/* Finds the ports that match the patterns (glob(7), NULL-terminated), in their order; NULL: /dev/ttyACM* and
 * /dev/ttyUSB*. */
void pb_tty_find(struct pb_tty_ports *ports, const char *const *patterns);

#endif
