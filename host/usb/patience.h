/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clock of the limits on a chip. For a real chip it is real time. A virtual chip is a process, which a
 * busy computer may not run for seconds. Its time is the idle time of its server plus the server's processor
 * time. While a signal has stopped the server, no time passes: then the deadline of the run ends the waits,
 * or a minute without a step of the server.
 */
#ifndef PHASEBENCH_PATIENCE_H
#define PHASEBENCH_PATIENCE_H

#include "phasebench/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define PB_PATIENCE_SLICE_MS 50 /* of a wait: read the clock at least this often */

/* ms, from any start. Not to be used from two threads at once. */
int64_t pb_patience_ms(void);

/* deadline_ns: of CLOCK_MONOTONIC, for all waits from now on; 0: none. stop: non-zero ends waits for a
 * stopped server; borrowed until the next call; NULL: never. */
void pb_patience_begin(int64_t deadline_ns, const volatile sig_atomic_t *stop);

/* Whether a wait for the chip goes on, by what pb_patience_ms does not count: PB_ERR_TIMEOUT or PB_ERR_LINK
 * if its server is stopped for too long, or has not been run until well after the deadline. */
int pb_patience_check(const char *label, struct pb_diag *diag);

/* Limit of a control transfer, which libusb counts in real time. */
unsigned pb_patience_control_ms(void);

/* Whether the server did not run in the last `took_ms` of a transfer whose limit was `limit_ms`. */
bool pb_patience_was_away(int64_t took_ms, int64_t limit_ms);

#endif
