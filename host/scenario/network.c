/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include "phasebench/cube.h"

#include <stdio.h>

enum family { FAMILY_CUBE, FAMILY_GENERALISED };

static int read_radix(const struct pb_reader *reader, const struct pb_raw_network *raw,
                      struct pb_network *network)
{
    unsigned radix[PB_NETWORK_DIGITS_MAX];
    struct pb_diag cause;
    if (raw->dims)
        return pb_reject(reader, "network.dims",
                         "is a key of family cube, this is family generalised; remove the key");
    if (!raw->radix_count || raw->radix_count > PB_WIRE_PORTS_MAX)
        return pb_reject(reader, "network.radix", "has %u entries; give 1 to %d, for example [4, 4, 3]",
                         raw->radix_count, PB_WIRE_PORTS_MAX);
    for (unsigned i = 0; i < raw->radix_count; i++) {
        char place[32];
        uint64_t value = 0;
        snprintf(place, sizeof place, "network.radix[%u]", i);
        const int code =
            pb_read_number(reader, place, raw->radix[i], 2, PB_WIRE_PORTS_MAX + 1, &value);
        if (code != PB_OK)
            return code;
        radix[i] = (unsigned)value;
    }
    if (pb_network_generalised(network, radix, raw->radix_count, &cause) != PB_OK)
        return pb_reject(reader, "network.radix", "%s", cause.text);
    if (network->ports > PB_WIRE_PORTS_MAX)
        return pb_reject(
            reader, "network.radix",
            "makes %u ports a node, for each digit one less than its radix; a node board has %d; "
            "lower a radix or leave one out",
            network->ports, PB_WIRE_PORTS_MAX);
    return PB_OK;
}

static int read_network(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                        struct pb_scenario *scenario)
{
    const struct pb_raw_network *network = &raw->network;
    const bool is_short = raw->cube.dims || raw->cube.rule;
    size_t family = FAMILY_CUBE, rule = PB_RULE_ECUBE;
    uint64_t dims = 0;
    if (is_short && (network->family || network->dims || network->radix || network->rule))
        return pb_reject(reader, "cube",
                         "is short for network with family cube, and network is given, too; remove one");
    int code = pb_read_key(reader, PB_KEY_network_family, network, 0, &family);
    if (code == PB_OK && family == FAMILY_CUBE && network->radix)
        code = pb_reject(
            reader, "network.radix",
            "is a key of family generalised, this is family cube; remove the key or set network.family");
    if (code == PB_OK && family == FAMILY_GENERALISED)
        code = read_radix(reader, network, &scenario->network);
    else if (code == PB_OK) {
        code = is_short ? pb_read_key(reader, PB_KEY_cube_dims, &raw->cube, 0, &dims)
                        : pb_read_key(reader, PB_KEY_network_dims, network, 0, &dims);
        if (code == PB_OK)
            scenario->network = pb_network_cube((unsigned)dims);
    }
    if (code == PB_OK)
        code = is_short ? pb_read_key(reader, PB_KEY_cube_rule, &raw->cube, 0, &rule)
                        : pb_read_key(reader, PB_KEY_network_rule, network, 0, &rule);
    scenario->rule = (enum pb_rule)rule;
    return code;
}

int pb_compile_network(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                       struct pb_scenario *scenario)
{
    const size_t refused = reader->refusals ? reader->refusals->count : 0;
    const int code = read_network(reader, raw, scenario);
    if (!reader->refusals || (reader->refusals->count == refused && code == PB_OK))
        return code;
    scenario->network = pb_network_cube(PB_WIRE_PORTS_MAX); /* in which most addresses and ports are */
    return code == PB_ERR_CONFIG ? PB_OK : code;
}
