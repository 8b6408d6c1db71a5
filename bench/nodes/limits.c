/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/limits.h"
#include "bench/nodes/node.h"

#include <inttypes.h>

unsigned pb_node_links(const struct pb_node_config *config)
{
    unsigned links = 0;
    if (config->digits > PB_NODE_DIGITS_MAX)
        return 0;
    for (unsigned i = 0; i < config->digits; i++) {
        if (config->radix[i] < 2)
            return 0;
        links += config->radix[i] - 1u;
    }
    return links;
}

uint32_t pb_node_addresses(const struct pb_node_config *config)
{
    const unsigned links = pb_node_links(config);
    uint32_t addresses = links && links <= PB_NODE_LINKS_MAX;
    for (unsigned i = 0; addresses && i < config->digits; i++)
        addresses *= config->radix[i];
    return addresses;
}

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
