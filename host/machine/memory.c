/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whether there is memory for a sweep. */
#include "sweep.h"

#include "host/base/free_memory.h"

#include <inttypes.h>

int pb_machine_sweep_fit(struct pb_machine_sweep *sweep, uint64_t bytes, struct pb_diag *diag)
{
    const uint64_t room = bytes ? bytes : pb_free_memory();
    sweep->jobs = pb_machine_sweep_jobs(sweep);
    while (sweep->jobs > 1 && pb_machine_sweep_bytes(sweep, sweep->jobs) > room)
        sweep->jobs--;
    const uint64_t most = pb_machine_sweep_bytes(sweep, sweep->jobs);
    if (most <= room)
        return PB_OK;
    return pb_fail(diag, PB_ERR_MEMORY,
                   "machine: the run may need %" PRIu64 " MB of memory, and %" PRIu64
                   " MB are %s; lower the load, the superframes or the dimensions",
                   most / 1000000 + 1, room / 1000000, bytes ? "given by --memory" : "free");
}
