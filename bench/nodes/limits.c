/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/limits.h"

#include <inttypes.h>

int pb_node_check_limits(const char *kind, const struct pb_node_limit *limit, size_t count,
                         struct pb_diag *diag)
{
    for (size_t i = 0; i < count; i++)
        if (limit[i].value < limit[i].least || limit[i].value > limit[i].most)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s: %" PRId64 " is out of range for kind '%s'; give %" PRId64 " to %" PRId64,
                           limit[i].key, limit[i].value, kind, limit[i].least, limit[i].most);
    return PB_OK;
}
