/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clock of the limits on a chip. For a real chip it is real time. A virtual chip is a process, which a
 * busy computer may not run for seconds. Its time is the idle time of its server plus the server's processor
 * time.
 */
#ifndef PHASEBENCH_PATIENCE_H
#define PHASEBENCH_PATIENCE_H

#include <stdint.h>

#define PB_PATIENCE_SLICE_MS 50 /* of a wait: read the clock at least this often */

/* ms, from any start. Not to be used from two threads at once. */
int64_t pb_patience_ms(void);

/* Limit of a control transfer, which libusb counts in real time. */
unsigned pb_patience_control_ms(void);

#endif
