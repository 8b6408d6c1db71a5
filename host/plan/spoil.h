/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes that a fault makes of a slot frame of the bench. What it leaves open is drawn from the scenario's
 * seed and from its place in the list, so that no two repetitions spoil alike and a run is repeated exactly.
 */
#ifndef PHASEBENCH_SPOIL_H
#define PHASEBENCH_SPOIL_H

#include "phasebench/scenario.h"

/* Changes the right frame in `bytes`, of *count bytes, as the fault says; makes the bytes of a babble.
 * `fault` is an entry of scenario->fault. Faults that change no byte (baud, early_start, late_start) leave it
 * as it is. `bytes` has room for PB_FRAME_MAX bytes, and for a babble for those that the fault has. What a
 * wrong_bytes or a babble leaves is never a valid frame. */
void pb_spoil(const struct pb_scenario *scenario, const struct pb_fault *fault, uint8_t *bytes,
              unsigned *count);

#endif
