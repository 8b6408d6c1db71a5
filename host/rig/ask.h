/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which baud a core answers at: what rigs with a UART share. */
#ifndef PHASEBENCH_ASK_H
#define PHASEBENCH_ASK_H

#include "phasebench/device.h"

/* Of the boards' bitstreams (rtl/board/), the fastest first. */
#define PB_USUAL_BAUDS 6
extern const unsigned pb_usual_baud_hz[PB_USUAL_BAUDS];

/* Asks the core for its identity at the present baud; takes at most 32 ms. 1: it answered, 0: not, or a
 * negative code of the transport. */
int pb_rig_ask(struct pb_transport *transport, struct pb_diag *diag);

#endif
