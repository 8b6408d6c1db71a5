/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * gdb controls the processor of one node: a server of its remote serial protocol on 127.0.0.1. While the
 * processor is halted the whole bench waits, and no time passes at the pins.
 */
#ifndef PB_MCU_GDB_H
#define PB_MCU_GDB_H

#include "bench/emulator/soc/soc.h"
#include "bench/nodes/watch.h"

enum { PB_GDB_WAIT_S = 300 }; /* for a gdb to connect */

struct pb_gdb;

/* Listens on a port for node `node` of the scenario. `stop` ends a wait once it is not zero. PB_ERR_IO: the
 * port is in use, or there is none; PB_ERR_MEMORY. */
int pb_gdb_open(struct pb_gdb **out, unsigned port, unsigned node, const volatile sig_atomic_t *stop,
                struct pb_diag *diag);
/* Reports to gdb that the run has ended with an exit code. */
void pb_gdb_close(struct pb_gdb *gdb, int exit_code);

unsigned pb_gdb_node(const struct pb_gdb *gdb);
/* Controls a processor from now on; it waits for gdb before its first instruction. What becomes of it goes
 * into the verdict of *watch. */
void pb_gdb_attach(struct pb_gdb *gdb, const struct pb_mcu_soc *soc, struct pb_node *part,
                   struct pb_node_watch *watch);
/* Before and after each step. */
void pb_gdb_before(struct pb_gdb *gdb, const struct pb_mcu_step *step);
void pb_gdb_after(struct pb_gdb *gdb, const struct pb_mcu_step *step);
/* Between steps, also of a processor that sleeps: looks for Ctrl-C. */
void pb_gdb_look(struct pb_gdb *gdb, int64_t now_ps);
void pb_gdb_phase(struct pb_gdb *gdb, uint32_t superframe, unsigned phase);

#endif
