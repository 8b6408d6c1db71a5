/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What libphasebench-mpi.so exports. It is a library of its own, so that the program needs no MPI: it is
 * loaded where mpirun has started several processes.
 */
#ifndef PB_MACHINE_MPI_H
#define PB_MACHINE_MPI_H

#include "phasebench/movement.h"

#define PB_MPI_SYMBOL "pb_mpi"

struct pb_mpi {
    /* Once, first. False: MPI has not begun; else it ends the processes itself when it fails. */
    bool (*begin)(unsigned *own, unsigned *count);
    pb_exchange_fn *exchange;
    void (*end)(void); /* waits for all */
};

#endif
