/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include "cli.h"

#include "phasebench/cube.h"
#include "phasebench/number.h"

#include <inttypes.h>
#include <string.h>

bool cli_take_dims(struct pb_network *network, const char *text)
{
    unsigned dims;
    if (!cli_unsigned("--dims", text, PB_DIMS_MIN, PB_DIMS_MAX, &dims))
        return false;
    *network = pb_network_cube(dims);
    return true;
}

bool cli_take_network(struct pb_network *network, const char *text)
{
    struct pb_diag diag;
    if (!pb_network_parse(network, text, &diag) && !pb_network_check(network, PB_NETWORK_PORTS_MAX, &diag))
        return true;
    cli_fail(CLI_USAGE, "%s", diag.text);
    return false;
}

bool cli_address(const char *name, const char *text, const struct pb_network *network, uint32_t *address)
{
    const uint32_t last = network->nodes - 1;
    char size[PB_NETWORK_TEXT_SIZE];
    uint64_t value;

    if (pb_parse_number(text, strlen(text), &value) && value <= last) {
        *address = (uint32_t)value;
        return true;
    }
    if (network->dims)
        cli_fail(CLI_USAGE,
                 "%s is '%s'; with %u dimensions give an address 0..%" PRIu32 " (0x%" PRIX32
                 "), or set --dims up to %d",
                 name, text, network->dims, last, last, PB_DIMS_MAX);
    else
        cli_fail(CLI_USAGE,
                 "%s is '%s'; with %s give an address 0..%" PRIu32 " (0x%" PRIX32 "), or another --network",
                 name, text, pb_network_text(network, size), last, last);
    return false;
}
