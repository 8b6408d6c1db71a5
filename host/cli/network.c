/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include "cli.h"

#include "phasebench/cube.h"
#include "phasebench/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT_BYTES ((size_t)64 << 20)

bool cli_take_dims(struct pb_network *network, const char *text, unsigned most)
{
    unsigned dims;
    if (!cli_unsigned("--dims", text, PB_DIMS_MIN, most, &dims))
        return false;
    *network = pb_network_cube(dims);
    return true;
}

bool cli_take_network(struct pb_network *network, const char *text, unsigned dims_max, unsigned bits_max)
{
    struct pb_diag diag;
    int code = pb_network_parse(network, text, &diag);
    const unsigned most = network->dims ? dims_max : bits_max;
    if (!code && pb_network_address_width(network) > most)
        code = pb_fail(&diag, PB_ERR_ARGUMENT, "--network is '%s'; here %s at most %u %s", text,
                       network->dims ? "a cube has" : "an address has", most,
                       network->dims ? "dimensions" : "bits");
    if (!code && (network->nodes > PB_GENERALISED_NODES_MAX ||
                  !pb_network_check(network, PB_NETWORK_PORTS_MAX, &diag)))
        return true;
    cli_fail(CLI_USAGE, "%s", diag.text);
    return false;
}

const char *cli_traffic_file(const char *pattern)
{
    static const char prefix[] = "file:";
    return strncmp(pattern, prefix, strlen(prefix)) == 0 ? pattern + strlen(prefix) : NULL;
}

int cli_read_traffic(struct pb_traffic *traffic, const struct pb_network *network, const char *path,
                     bool trace)
{
    struct pb_diag diag;
    char *text;
    size_t length;
    const int exit_code = cli_read_file(path, FILE_LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = trace ? pb_traffic_parse_trace(traffic, network, path, text, length, &diag)
                           : pb_traffic_parse_text(traffic, network, path, text, length, &diag);
    free(text);
    return code || traffic->count
               ? cli_outcome(code, &diag)
               : cli_fail(CLI_BAD_SCENARIO, "'%s' holds no message; write 'source destination%s' lines", path,
                          trace ? " superframe" : "");
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
    cli_fail(CLI_USAGE, "%s is '%s'; with %s give an address 0..%" PRIu32 " (0x%" PRIX32 "), or %s", name,
             text, pb_network_text(network, size), last, last,
             network->dims ? "a larger --dims" : "another --network");
    return false;
}
