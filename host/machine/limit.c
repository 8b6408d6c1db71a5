/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The greatest load that the links of a network can carry. With dimension order each message has one path, so
 * the expected load of each directed link is known: a part of the fixed destinations, counted, and a part of
 * those anywhere, by the formula below.
 */
#include "traffic.h"

#include <stdlib.h>

enum { PAIRS_NODES_MAX = 4096 }; /* of a network whose messages to all are counted one by one */

/* One message of each node to every other one: how many go over each directed link. Over a link of digit i go
 * those of the weight[i] nodes that agree with its sender above the digit, to the nodes / (weight[i] *
 * radix[i]) that agree with its receiver below it: nodes / radix[i] times as many as when each value of the
 * digit sends one message to every other value. */
struct anywhere {
    double *over;                        /* [place of a link] */
    size_t first[PB_NETWORK_DIGITS_MAX]; /* of a digit: place of port 0 of value 0 */
    double hops;                         /* of a message, the mean */
};

static unsigned ports_of(const struct pb_network *network, unsigned digit)
{
    return (digit + 1 < network->digits ? network->first_port[digit + 1] : network->ports) -
           network->first_port[digit];
}

static size_t place_of(const struct anywhere *anywhere, const struct pb_network *network, uint32_t node,
                       unsigned port)
{
    if (!network->by_digits)
        return (size_t)node * network->ports + port;
    unsigned digit = network->digits - 1;
    while (port < network->first_port[digit])
        digit--;
    return anywhere->first[digit] +
           (size_t)pb_network_digit(network, node, digit) * ports_of(network, digit) + port -
           network->first_port[digit];
}

/* Those of `count` nodes, one each `apart` addresses, to one another; returns the hops. */
static double count_between(struct anywhere *anywhere, const struct pb_network *network, uint32_t count,
                            uint32_t apart)
{
    const double times = network->by_digits ? (double)network->nodes / count : 1;
    double hops = 0;
    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            for (uint32_t at = from * apart; at != to * apart; hops++) {
                const uint64_t wanted = pb_network_wanted(network, PB_RULE_ECUBE, at, to * apart);
                const unsigned port = (unsigned)__builtin_ctzll(wanted);
                anywhere->over[place_of(anywhere, network, at, port)] += times;
                at = pb_network_neighbour(network, at, port);
            }
    return hops;
}

static int count_anywhere(struct anywhere *anywhere, const struct pb_network *network)
{
    size_t places = network->by_digits ? 0 : (size_t)network->nodes * network->ports;
    const double nodes = network->nodes;

    for (unsigned digit = 0; network->by_digits && digit < network->digits; digit++) {
        anywhere->first[digit] = places;
        places += (size_t)network->radix[digit] * ports_of(network, digit);
    }
    anywhere->over = calloc(places, sizeof *anywhere->over);
    if (!anywhere->over)
        return PB_ERR_MEMORY;
    if (!network->by_digits)
        anywhere->hops = count_between(anywhere, network, network->nodes, 1) / nodes / (nodes - 1);
    for (unsigned digit = 0; network->by_digits && digit < network->digits; digit++) {
        const double radix = network->radix[digit];
        const double hops = count_between(anywhere, network, network->radix[digit], network->weight[digit]);
        anywhere->hops += nodes * (hops / radix) / radix / (nodes - 1);
    }
    return PB_OK;
}

/* Share of the messages of a node that goes to its fixed destination. */
static double fixed_share(const struct pb_machine_traffic *traffic)
{
    return traffic->uniform ? 0 : traffic->hot != PB_TO_NONE ? traffic->how.hot : 1;
}

static double busiest_link(const struct pb_machine_traffic *traffic, const struct anywhere *anywhere,
                           const uint32_t *load)
{
    const struct pb_network *network = &traffic->network;
    const double fixed = fixed_share(traffic);
    double most = 0;
    for (uint32_t node = 0; node < network->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++) {
            const double carried =
                fixed * load[(size_t)node * network->ports + port] +
                (1 - fixed) * anywhere->over[place_of(anywhere, network, node, port)] / (network->nodes - 1);
            most = carried > most ? carried : most;
        }
    return most;
}

/* Two legs, each between a given node and any. */
static double busiest_of_legs(const struct pb_network *network, const struct anywhere *anywhere)
{
    double most = 0;
    for (uint32_t node = 0; node < network->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++) {
            const double over = anywhere->over[place_of(anywhere, network, node, port)];
            most = over > most ? over : most;
        }
    return 2 * most / network->nodes;
}

/* Under any rule: all links together carry all hops, and those of a node all messages for it. */
static double any_rule(const struct pb_machine_traffic *traffic, const struct anywhere *anywhere)
{
    const struct pb_network *network = &traffic->network;
    const double fixed = fixed_share(traffic), nodes = network->nodes;
    double hops = 0, to_hot = 0, links = 0, of_hot = 0;
    for (uint32_t node = 0; node < network->nodes; node++) {
        const uint32_t target = traffic->target[node];
        unsigned wires = 0;
        for (unsigned port = 0; port < network->ports; port++)
            wires += pb_network_has_wire(network, node, port);
        links += wires;
        of_hot = node == traffic->hot ? wires : of_hot;
        if (target == PB_TO_NONE)
            continue;
        hops += (1 - fixed) * anywhere->hops;
        hops += target == PB_TO_ANY ? 0 : fixed * pb_network_distance(network, node, target);
        to_hot += node == traffic->hot ? 0 : fixed + (1 - fixed) / (nodes - 1);
    }
    const double all = links / hops;
    return traffic->hot != PB_TO_NONE && of_hot / to_hot < all ? of_hot / to_hot : all;
}

static int of_dimension_order(double *limit, const struct pb_machine_traffic *traffic,
                              const struct anywhere *anywhere)
{
    const struct pb_network *network = &traffic->network;
    uint32_t *load = calloc((size_t)network->nodes * network->ports, sizeof *load);
    struct pb_traffic list = {0};
    int code = load ? PB_OK : PB_ERR_MEMORY;
    for (uint32_t node = 0; node < network->nodes && code == PB_OK; node++)
        if (traffic->target[node] < network->nodes)
            code = pb_traffic_add(&list,
                                  &(struct pb_message){.source = node, .destination = traffic->target[node]});
    if (code == PB_OK) {
        pb_flow_loads(network, &list, load);
        *limit = 1 / busiest_link(traffic, anywhere, load);
    }
    pb_traffic_free(&list);
    free(load);
    return code;
}

int pb_machine_limit(double *limit, enum pb_rule rule, const struct pb_machine_traffic *traffic)
{
    const struct pb_network *network = &traffic->network;

    *limit = 0;
    if (traffic->mode != PB_OPEN || traffic->how.dead ||
        (traffic->how.valiant && traffic->hot != PB_TO_NONE) ||
        (!network->by_digits && network->nodes > PAIRS_NODES_MAX))
        return PB_OK;
    struct anywhere anywhere = {0};
    int code = count_anywhere(&anywhere, network);
    if (code == PB_OK && traffic->how.valiant)
        *limit = 1 / busiest_of_legs(network, &anywhere);
    else if (code == PB_OK && rule != PB_RULE_ECUBE)
        *limit = any_rule(traffic, &anywhere);
    else if (code == PB_OK)
        code = of_dimension_order(limit, traffic, &anywhere);
    free(anywhere.over);
    return code;
}
