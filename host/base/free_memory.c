/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "free_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

uint64_t pb_free_memory(void)
{
    FILE *stream = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t kib = 0;

    while (stream && !kib && fgets(line, sizeof line, stream))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) != 1)
            kib = 0;
    if (stream)
        fclose(stream);
    return kib ? kib * 1024 : (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}
