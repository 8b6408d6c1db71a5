/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whether there is memory for a sweep. */
#include "sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static uint64_t free_bytes(void)
{
    FILE *stream = fopen("/proc/meminfo", "r");
    char line[128];
    uint64_t kib = 0;
    while (stream && !kib && fgets(line, sizeof line, stream))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) != 1)
            kib = 0;
    if (stream)
        fclose(stream);
    return kib ? kib * 1024 : (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

int pb_machine_sweep_fit(struct pb_machine_sweep *sweep, uint64_t bytes, struct pb_diag *diag)
{
    const uint64_t room = bytes ? bytes : free_bytes();
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
