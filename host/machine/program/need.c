/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/program.h"

#include <string.h>

enum { LEAST_US = 10 /* that was tried */ };

static const struct {
    const char *program;
    struct pb_program_need need[2];
} measured[] = {
#define NEED(name, ag32, rp2040)                                                                             \
    {                                                                                                        \
        name,                                                                                                \
        {                                                                                                    \
            {"ag32", ag32, ag32 == LEAST_US},                                                                \
            {                                                                                                \
                "rp2040", rp2040, rp2040 == LEAST_US                                                         \
            }                                                                                                \
        }                                                                                                    \
    }
    NEED("broadcast", 10, 10), NEED("allreduce", 19, 14), NEED("scan", 19, 14), NEED("barrier", 18, 13),
    NEED("sort", 15, 11),      NEED("fft", 21, 45),       NEED("life", 14, 10), NEED("filter", 15, 11),
    NEED("transpose", 10, 10), NEED("permute", 17, 12),
#undef NEED
};

bool pb_program_need(const struct pb_program *program, size_t index, struct pb_program_need *need)
{
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        if (index < sizeof measured[i].need / sizeof measured[i].need[0] &&
            !strcmp(measured[i].program, program->name)) {
            *need = measured[i].need[index];
            return true;
        }
    return false;
}
