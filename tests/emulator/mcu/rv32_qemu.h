/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * QEMU's RV32IMAFC hart, instruction by instruction: qemu-system-riscv32 7.2, which logs its registers before
 * each one.
 */
#ifndef MCU_RV32_QEMU_H
#define MCU_RV32_QEMU_H

#include "tests/emulator/mcu/rv32_program.h"

#include <sys/types.h>

struct qemu_state {
    uint32_t pc, x[32], f[32];
    uint32_t mstatus, mip, mie, mtvec, mepc, mcause, mtval, mscratch;
};

struct qemu;

/* Starts it on a program. NULL: it cannot be started; errno says why. */
struct qemu *qemu_start(const struct program *program);
/* The state before the next instruction. False: it has ended, or has not answered for 20 s. */
bool qemu_next(struct qemu *qemu, struct qemu_state *state);
void qemu_end(struct qemu *qemu);

#endif
