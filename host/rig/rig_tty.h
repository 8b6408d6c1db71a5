/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rig behind a serial port of the kernel, behind pb_rig_open: any USB-serial bridge or CDC device in
 * front of a core with a UART host port. */
#ifndef PHASEBENCH_RIG_TTY_H
#define PHASEBENCH_RIG_TTY_H

#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <stdbool.h>

#define PB_TTY_BAUD_MIN 9600
#define PB_TTY_BAUD_MAX 12000000

/* The URL names a tty rig. NULL: no. */
bool pb_rig_is_tty(const char *url);

/* Checks such a URL without looking at the port. PB_ERR_ARGUMENT. */
int pb_rig_tty_check(const char *url, struct pb_diag *diag);

/* Opens the port for this process alone (lock file, flock, TIOCEXCL), raw, 8N1, without flow control; close
 * puts its settings back. When the URL says no baud, asks the core at the usual ones. PB_ERR_ARGUMENT: the
 * URL, or a baud that the port cannot make within 2 %; PB_ERR_IO: no such port, no serial port, no
 * permission, or another program has it. A port that is unplugged is PB_ERR_LINK afterwards. The URL must not
 * be NULL. */
int pb_rig_tty_open(struct pb_transport **out, const struct pb_rig_options *options, struct pb_diag *diag);

/* As pb_rig_bytes_per_s; 0 for another rig. */
uint64_t pb_rig_tty_bytes_per_s(const struct pb_transport *transport);

/* Serial ports that may have a board. */
struct pb_tty_ports {
    struct {
        char path[128];
        bool accessible; /* may be read and written */
    } port[32];
    unsigned count;
};

/* Those that match one of the patterns (glob(7), NULL-terminated), in their order; NULL: /dev/ttyACM* and
 * /dev/ttyUSB*. */
void pb_tty_find(struct pb_tty_ports *ports, const char *const *patterns);

#endif
