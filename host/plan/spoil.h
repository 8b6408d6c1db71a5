/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Applies a fault to the bytes of a slot frame of the bench. Bits and values that the fault does not fix are
 * drawn from the scenario's seed and from its place in the list. So no two repetitions corrupt a frame alike,
 * and a run is repeated exactly.
 */
#ifndef PHASEBENCH_SPOIL_H
#define PHASEBENCH_SPOIL_H

#include "phasebench/scenario.h"

/* Applies the fault to the valid frame in `bytes`, of *count bytes, or makes the bytes of a babble. `fault`
 * is an entry of scenario->fault. Faults that change no byte (baud, early_start, late_start) leave the frame
 * unchanged. `bytes` has room for PB_FRAME_MAX bytes, and for a babble for those that the fault has. The
 * result of a wrong_bytes or a babble is never a valid frame. */
void pb_spoil(const struct pb_scenario *scenario, const struct pb_fault *fault, uint8_t *bytes,
              unsigned *count);

#endif
