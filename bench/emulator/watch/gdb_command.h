/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Commands of the GDB remote serial protocol to a halted processor: "Debugging with GDB", appendices E.2 to
 * E.6 and G. Breakpoints are kept here, the program is not changed; devices cannot be read or written, as
 * that has effects.
 */
#ifndef PB_MCU_GDB_COMMAND_H
#define PB_MCU_GDB_COMMAND_H

#include "bench/emulator/watch/gdb_packet.h"
#include "bench/emulator/soc/soc.h"

enum { PB_GDB_BREAKPOINTS = 64, PB_GDB_WATCHPOINTS = 8, PB_GDB_WATCH_BYTES = 16 };
enum {
    PB_GDB_SIGINT = 2,
    PB_GDB_SIGILL = 4,
    PB_GDB_SIGTRAP = 5,
    PB_GDB_SIGBUS = 10,
    PB_GDB_SIGSEGV = 11,
    PB_GDB_SIGSYS = 12
};

struct pb_gdb_target {
    const struct pb_mcu_soc *soc;
    struct pb_node *part;
    uint32_t breakpoint[PB_GDB_BREAKPOINTS];
    unsigned breakpoints;
    struct pb_gdb_watchpoint { /* of writes that change something */
        uint32_t address;
        unsigned bytes;
        uint8_t was[PB_GDB_WATCH_BYTES];
    } watchpoint[PB_GDB_WATCHPOINTS];
    unsigned watchpoints;
    /* Why it halted: one of the signals; the watchpoint that was hit, or -1. */
    int signal, hit;
    bool silent; /* packets are no longer acknowledged */
    /* For `monitor time`. */
    int64_t now_ps;
    bool clocked; /* phase and superframe are known */
    uint32_t superframe;
    unsigned phase;
};

enum pb_gdb_action { PB_GDB_STAY, PB_GDB_CONTINUE, PB_GDB_STEP, PB_GDB_DETACH, PB_GDB_KILL };

/* Executes one command of `length` bytes, which may hold any bytes, and writes the reply, "" for one that is
 * not known. Of CONTINUE, STEP and KILL there is no reply. */
enum pb_gdb_action pb_gdb_command(struct pb_gdb_target *target, const char *text, size_t length,
                                  char reply[PB_GDB_PACKET_MAX + 1]);
/* The reply to a halt. */
void pb_gdb_stop_reply(const struct pb_gdb_target *target, char reply[PB_GDB_PACKET_MAX + 1]);

/* True if the processor halts before the instruction at pc. */
bool pb_gdb_breaks(const struct pb_gdb_target *target, uint32_t pc);
/* The watchpoint whose memory has changed since the last call; -1: none. */
int pb_gdb_watched(struct pb_gdb_target *target);

#endif
