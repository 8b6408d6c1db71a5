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
                         "belongs to family cube, this is family generalised; remove the key");
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

static int read_rule(const struct pb_reader *reader, const char *place, const char *text,
                     struct pb_scenario *scenario)
{
    const char *rules[] = {pb_rule_name(PB_RULE_ECUBE), pb_rule_name(PB_RULE_OPPORTUNISTIC)};
    size_t rule = PB_RULE_ECUBE;
    const int code = pb_read_choice(reader, place, text, rules, sizeof rules / sizeof rules[0], &rule);
    scenario->rule = (enum pb_rule)rule;
    return code;
}

static int read_dims(const struct pb_reader *reader, const char *place, const char *text,
                     struct pb_network *network)
{
    uint64_t dims = PB_WIRE_PORTS_MAX;
    const int code = pb_read_number(reader, place, text, PB_DIMS_MIN, PB_WIRE_PORTS_MAX, &dims);
    *network = pb_network_cube((unsigned)dims);
    return code;
}

int pb_compile_network(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                       struct pb_scenario *scenario)
{
    static const char *const families[] = {"cube", "generalised"};
    const struct pb_raw_network *network = &raw->network;
    const bool is_short = raw->cube.dims || raw->cube.rule;
    size_t family = FAMILY_CUBE;
    if (is_short && (network->family || network->dims || network->radix || network->rule))
        return pb_reject(reader, "cube",
                         "is short for network with family cube, and network is given, too; remove one");
    int code = pb_read_choice(reader, "network.family", network->family, families,
                              sizeof families / sizeof families[0], &family);
    if (code == PB_OK && family == FAMILY_CUBE && network->radix)
        code = pb_reject(
            reader, "network.radix",
            "belongs to family generalised, this is family cube; remove the key or set network.family");
    if (code == PB_OK && family == FAMILY_GENERALISED)
        code = read_radix(reader, network, &scenario->network);
    else if (code == PB_OK)
        code = read_dims(reader, is_short ? "cube.dims" : "network.dims",
                         is_short ? raw->cube.dims : network->dims, &scenario->network);
    if (code == PB_OK)
        code = read_rule(reader, is_short ? "cube.rule" : "network.rule",
                         is_short ? raw->cube.rule : network->rule, scenario);
    return code;
}
