/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The floating-point functions of the boot ROM of an RP2040, by their place in its tables ("RP2040
 * Datasheet", section 2.8.3.2).
 */
#ifndef PB_MCU_RP2040_ROM_FLOAT_H
#define PB_MCU_RP2040_ROM_FLOAT_H

#include "bench/emulator/cpu/armv6m.h"

enum { RP2040_ROM_OPERATIONS = 32 };

/* Arguments and results in the registers of a core. False: no such function. */
bool rp2040_rom_float(struct pb_armv6m *core, unsigned operation);
bool rp2040_rom_double(struct pb_armv6m *core, unsigned operation);

#endif
