/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A rig in another process, reached through a Unix socket. As with a board on a cable, its (simulated) time
 * continues without a host.
 *
 * After the connection the server sends one line, "phasebench 1 ready" or "phasebench 1 busy PID"; then the
 * socket carries the core's bytes in both directions.
 */
#ifndef PHASEBENCH_SOCKET_H
#define PHASEBENCH_SOCKET_H

#include "phasebench/device.h"

#include <signal.h>

/* Opens the host side. PB_ERR_IO: no server, no greeting within 2 s, or another host has the rig (the
 * diagnostic names its process). */
int pb_rig_socket_open(struct pb_transport **out, const char *path, struct pb_diag *diag);

struct pb_serve_options {
    const char *path;                  /* of the socket; a socket without a server is replaced */
    const volatile sig_atomic_t *stop; /* set: end */
    int64_t phase_ps;                  /* of the scenario, as in host_loss.h */
    void (*say)(void *context, const char *sentence); /* reports events; no newline */
    void *context;
};

/* Serves a simulated rig (borrowed) to one host at a time until *stop is set. Simulated time slows down for a
 * silent host but does not stop: the watchdog trips after 2 s, and `say` reports it. 2 MiB are buffered for a
 * host that reads nothing, the bytes above are lost. After the loss of a host, simulated time continues until
 * the core is in the safe state, and `say` reports how long that took. At the end it removes the socket that
 * it created. PB_ERR_IO: the socket cannot be created, is already served, or the file is no socket. */
int pb_rig_serve(struct pb_transport *rig, const struct pb_serve_options *options, struct pb_diag *diag);

#endif
