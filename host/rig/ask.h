/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Search for the baud of a core, for rigs with a UART. */
#ifndef PHASEBENCH_ASK_H
#define PHASEBENCH_ASK_H

#include "phasebench/device.h"

/* Bauds of the boards' bitstreams (rtl/board/), the fastest first. */
#define PB_USUAL_BAUDS 6
extern const unsigned pb_usual_baud_hz[PB_USUAL_BAUDS];

/* Asks the core for its identity at the current baud, for at most 32 ms. Returns 1 (reply), 0 (no reply) or a
 * negative code of the transport. */
int pb_rig_ask(struct pb_transport *transport, struct pb_diag *diag);

#endif
