/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Generalised hypercubes of mixed radix. The values of a digit of radix R form a complete graph. Its wires
 * are coloured by the round-robin of R players; a colour is a round. Let M be R when odd and R - 1 when even.
 * Round c pairs the values a, b < M with a + b = c mod M. One value a has 2a = c mod M: it is idle when R is
 * odd, and meets value R - 1 when R is even.
 */
#include "family.h"

#include <inttypes.h>

static unsigned rounds_of(unsigned radix)
{
    return radix % 2 ? radix : radix - 1;
}

/* The partner of a value in a round; the value itself if it is idle. */
static unsigned partner(unsigned radix, unsigned value, unsigned round)
{
    const unsigned rounds = rounds_of(radix);
    if (value == rounds) /* the last value of an even radix meets the a with 2a = round */
        return round % 2 ? (round + rounds) / 2 : round / 2;
    const unsigned other = (round + rounds - value) % rounds;
    return other == value && radix % 2 == 0 ? rounds : other;
}

static unsigned port_to(const struct pb_network *network, unsigned digit, unsigned value, unsigned other)
{
    return network->first_port[digit] + other - (other > value);
}

static struct pb_slot slot(const struct pb_network *network, uint32_t node, unsigned phase)
{
    unsigned digit = network->digits - 1;
    while (phase < network->first_phase[digit])
        digit--;
    const unsigned local = phase - network->first_phase[digit];
    const unsigned value = pb_network_digit(network, node, digit),
                   other = partner(network->radix[digit], value, local / 2);
    if (other == value)
        return (struct pb_slot){PB_ROLE_IDLE, 0};
    const bool upward = local % 2 == 0;
    return (struct pb_slot){upward == (value < other) ? PB_ROLE_SEND : PB_ROLE_LISTEN,
                            port_to(network, digit, value, other)};
}

static struct pb_peer peer(const struct pb_network *network, uint32_t node, unsigned port)
{
    unsigned digit = network->digits - 1;
    while (port < network->first_port[digit])
        digit--;
    const unsigned value = pb_network_digit(network, node, digit);
    unsigned other = port - network->first_port[digit];
    other += other >= value;
    return (struct pb_peer){node - value * network->weight[digit] + other * network->weight[digit],
                            port_to(network, digit, other, value)};
}

static uint64_t wanted(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                       uint32_t destination)
{
    uint64_t set = 0;
    for (unsigned digit = 0; digit < network->digits; digit++) {
        const unsigned value = pb_network_digit(network, node, digit),
                       other = pb_network_digit(network, destination, digit);
        if (value == other)
            continue;
        set |= UINT64_C(1) << port_to(network, digit, value, other);
        if (rule == PB_RULE_ECUBE)
            break;
    }
    return set;
}

static const struct pb_network_family family = {"generalised", slot, peer, wanted};

int pb_network_generalised(struct pb_network *network, const unsigned *radix, unsigned digits,
                           struct pb_diag *diag)
{
    struct pb_network made = {.family = &family};

    if (digits == 0 || digits > PB_GENERALISED_DIGITS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "network generalised: has %u digits; give 1..%u", digits,
                       PB_GENERALISED_DIGITS_MAX);
    for (unsigned digit = 0; digit < digits; digit++) {
        if (radix[digit] < 2)
            return pb_fail(
                diag, PB_ERR_ARGUMENT,
                "network generalised: radix %u of digit %u; a digit has at least 2 values; raise it "
                "or leave the digit out",
                radix[digit], digit);
        if (radix[digit] > PB_GENERALISED_NODES_MAX ||
            (made.nodes ? made.nodes : 1) > PB_GENERALISED_NODES_MAX / radix[digit])
            return pb_fail(
                diag, PB_ERR_ARGUMENT,
                "network generalised: with radix %u of digit %u the nodes exceed the limit of %" PRIu32
                "; lower a radix",
                radix[digit], digit, PB_GENERALISED_NODES_MAX);
        if (made.ports + radix[digit] - 1 > PB_NETWORK_PORTS_MAX)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "network generalised: with radix %u of digit %u a node has %u ports; the limit is "
                           "%u; lower a radix",
                           radix[digit], digit, made.ports + radix[digit] - 1, PB_NETWORK_PORTS_MAX);
        pb_network_add_digit(&made, radix[digit], rounds_of(radix[digit]));
    }
    pb_network_set_bounds(&made);
    *network = made;
    return PB_OK;
}
