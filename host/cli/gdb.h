/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `--gdb PORT[:NODE]`: gdb controls a node of a run. Functions that return an exit code have reported the
 * error.
 */
#ifndef PHASEBENCH_CLI_GDB_H
#define PHASEBENCH_CLI_GDB_H

#include "bench/emulator/watch/gdb.h"

#include "phasebench/scenario.h"

struct gdb_place {
    bool given;
    unsigned port, node;
};

/* Reads the argument, and refuses a rig whose nodes are not in this process. */
int gdb_take(struct gdb_place *place, const char *text, const char *url);
/* Refuses a node that is not there, or no firmware image. */
int gdb_check(const struct gdb_place *place, const struct pb_scenario *scenario);
/* Begins to listen, and says so on stderr. */
int gdb_begin(struct pb_gdb **out, const struct gdb_place *place);

#endif
