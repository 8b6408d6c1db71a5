/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The greatest load that the links of a network can carry. With dimension order each message has one path, so
 * the expected load of each directed link is known: a part of the fixed destinations, counted, and a part of
 * those anywhere, by the formula below.
 */
#include "traffic.h"

#include <stdlib.h>

/* One message of each node to every other one: over a link of digit i go the messages of the weight[i]
 * nodes that agree with its sender from digit i on, to the nodes / (weight[i] * radix[i]) that agree with
 * its receiver up to digit i: nodes / radix[i]. */
static double anywhere_over(const struct pb_network *network, unsigned digit)
{
    return (double)network->nodes / network->radix[digit];
}

static unsigned digit_of(const struct pb_network *network, uint32_t node, unsigned port)
{
    return pb_network_differing_digit(network, node, pb_network_neighbour(network, node, port));
}

static unsigned hops_of(const struct pb_network *network, uint32_t left, uint32_t right)
{
    unsigned hops = 0;
    for (unsigned digit = 0; digit < network->digits; digit++)
        hops += pb_network_digit(network, left, digit) != pb_network_digit(network, right, digit);
    return hops;
}

/* Share of the messages of a node that goes to its fixed destination. */
static double fixed_share(const struct pb_machine_traffic *traffic)
{
    return traffic->uniform ? 0 : traffic->hot != PB_TO_NONE ? traffic->how.hot : 1;
}

static double busiest_link(const struct pb_machine_traffic *traffic, const uint32_t *load)
{
    const struct pb_network *network = &traffic->network;
    const double fixed = fixed_share(traffic);
    double most = 0;
    for (uint32_t node = 0; node < network->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++) {
            const double carried = fixed * load[(size_t)node * network->ports + port] +
                                   (1 - fixed) * anywhere_over(network, digit_of(network, node, port)) /
                                       (network->nodes - 1);
            most = carried > most ? carried : most;
        }
    return most;
}

/* Under any rule: all links together carry all hops, and those of a node all messages for it. */
static double any_rule(const struct pb_machine_traffic *traffic)
{
    const struct pb_network *network = &traffic->network;
    const double fixed = fixed_share(traffic), nodes = network->nodes;
    double anywhere = 0, hops = 0, to_hot = 0;
    for (unsigned digit = 0; digit < network->digits; digit++)
        anywhere += nodes * (network->radix[digit] - 1) / network->radix[digit] / (nodes - 1);
    for (uint32_t node = 0; node < network->nodes; node++) {
        const uint32_t target = traffic->target[node];
        if (target == PB_TO_NONE)
            continue;
        hops += (1 - fixed) * anywhere;
        hops += target == PB_TO_ANY ? 0 : fixed * hops_of(network, node, target);
        to_hot += node == traffic->hot ? 0 : fixed + (1 - fixed) / (nodes - 1);
    }
    const double all = nodes * network->ports / hops;
    return traffic->hot != PB_TO_NONE && network->ports / to_hot < all ? network->ports / to_hot : all;
}

int pb_machine_limit(double *limit, enum pb_rule rule, const struct pb_machine_traffic *traffic)
{
    const struct pb_network *network = &traffic->network;

    *limit = 0;
    if (traffic->mode != PB_OPEN || traffic->how.dead || (traffic->how.valiant && traffic->hot != PB_TO_NONE))
        return PB_OK;
    if (traffic->how.valiant) {
        /* Two legs, each between a given node and any. */
        double most = 0;
        for (unsigned digit = 0; digit < network->digits; digit++)
            most = 2.0 / network->radix[digit] > most ? 2.0 / network->radix[digit] : most;
        *limit = 1 / most;
        return PB_OK;
    }
    if (rule != PB_RULE_ECUBE) {
        *limit = any_rule(traffic);
        return PB_OK;
    }
    uint32_t *load = calloc((size_t)network->nodes * network->ports, sizeof *load);
    struct pb_traffic list = {0};
    int code = load ? PB_OK : PB_ERR_MEMORY;
    for (uint32_t node = 0; node < network->nodes && code == PB_OK; node++)
        if (traffic->target[node] < network->nodes)
            code = pb_traffic_add(&list,
                                  &(struct pb_message){.source = node, .destination = traffic->target[node]});
    if (code == PB_OK) {
        pb_flow_loads(network, &list, load);
        *limit = 1 / busiest_link(traffic, load);
    }
    pb_traffic_free(&list);
    free(load);
    return code;
}
