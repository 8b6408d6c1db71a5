/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Processes that mpirun has started with the same arguments, and that share the nodes of a machine. The first
 * one, rank 0, is the one that is heard.
 */
#ifndef PB_MACHINE_RANKS_H
#define PB_MACHINE_RANKS_H

#include "phasebench/machine.h"

/* How many processes mpirun has started; 1: this one alone, or no mpirun. */
unsigned pb_ranks_count(void);
/* Those on this computer. */
unsigned pb_ranks_here(void);
/* First in the program: the output of a rank but 0 is kept, and shown only where it fails alone. */
void pb_ranks_begin(void);
/* Sets *out to NULL for one process. From here on this process is watched by the one that mpirun has started,
 * its parent: when it is killed, that says so, and ends with exit code 4, whereupon mpirun ends the others.
 * Before the first thread. PB_ERR_ARGUMENT: they cannot share this network; PB_ERR_IO: no library of MPI, or
 * it has not begun. */
int pb_ranks_open(const struct pb_machine_ranks **out, const struct pb_network *network,
                  struct pb_diag *diag);
/* What the first one says, at the same time. */
bool pb_ranks_agree(const struct pb_machine_ranks *ranks, bool own);
/* Waits for all, and ends MPI. NULL: no effect. */
void pb_ranks_close(const struct pb_machine_ranks *ranks);

#endif
