/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A rig in another process, reached through a Unix socket: what a board on a cable is to the host, with
 * simulated time that goes on whether the host is there or not.
 *
 * On connecting the server says one line, "phasebench 1 ready" or "phasebench 1 busy PID"; from then on the
 * socket carries the core's bytes, both ways.
 */
#ifndef PHASEBENCH_SOCKET_H
#define PHASEBENCH_SOCKET_H

#include "phasebench/device.h"

#include <signal.h>

/* The host's side. PB_ERR_IO: nobody serves there, the server did not greet within 2 s in all, or another
 * host has the rig (the sentence names its process). */
int pb_rig_socket_open(struct pb_transport **out, const char *path, struct pb_diag *diag);

struct pb_serve_options {
    const char *path;                  /* of the socket; one that nobody serves any more is replaced */
    const volatile sig_atomic_t *stop; /* set: end */
    int64_t phase_ps;                  /* of the scenario: how long the pins rest while the clock runs */
    void (*say)(void *context, const char *sentence); /* what happens; no newline */
    void *context;
};

/* Serves a simulated rig (borrowed) to one host at a time until *stop is set. Never waits for the host:
 * simulated time goes on while one is stopped or silent, and `say` tells when the core's watchdog has made it
 * safe; 2 MiB are kept for a host that takes no byte, what comes beyond is lost. After a host has gone,
 * simulated time runs on until the core has made itself safe, and `say` tells how long that took. At the end
 * the socket is removed if it is still the one that was made here. PB_ERR_IO: the socket cannot be made, is
 * served already, or is one of another kind. */
int pb_rig_serve(struct pb_transport *rig, const struct pb_serve_options *options, struct pb_diag *diag);

#endif
