/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Metacubes MC(k, m): an address is a class c of k bits above 2^k fields of m bits. Ports 0..m - 1, the cube
 * edges, flip a bit of field c; ports m..m + k - 1, the cross edges, one of c. Port p has phases 2p and
 * 2p + 1, in the first of which the node with bit 0 sends.
 *
 * A shortest path is a walk on the cube of classes that visits each class whose field differs. The bits of a
 * field are corrected while it is there.
 */
#include "family.h"

#include <inttypes.h>

/* Shortest walks on a cube of 3 dimensions, or of fewer: walk[i] has in its hexadecimal digit t the length of
 * the shortest one from 0 to t that visits the set of classes 2 i (bit c of a set: class c). */
static const uint32_t walk[128] = {
    0x32212110, 0x34232312, 0x32432132, 0x54454334, 0x34452334, 0x34452334, 0x34452334, 0x54454334,
    0x32214332, 0x54434534, 0x54434354, 0x76656556, 0x56654556, 0x56654556, 0x56654556, 0x76656556,
    0x34234534, 0x34234534, 0x56456556, 0x56456556, 0x56454556, 0x56454556, 0x56456556, 0x56456556,
    0x34234534, 0x54434534, 0x56456556, 0x76656556, 0x56654556, 0x56654556, 0x76656576, 0x76656576,
    0x32434354, 0x54656556, 0x32434354, 0x54656556, 0x54654556, 0x54656556, 0x54654556, 0x54656556,
    0x32434354, 0x54656556, 0x54434354, 0x76656556, 0x56654556, 0x76656756, 0x56654556, 0x76656756,
    0x54456556, 0x54656556, 0x56456556, 0x76676556, 0x76676778, 0x76676778, 0x76676778, 0x76676778,
    0x54456556, 0x54656556, 0x56456556, 0x76676556, 0x76676778, 0x76676778, 0x76676778, 0x76676778,
    0x34454556, 0x34454556, 0x34454556, 0x56676556, 0x34454556, 0x34454556, 0x34454556, 0x56676556,
    0x34454556, 0x56656756, 0x56656576, 0x78878778, 0x56654556, 0x56656756, 0x56656576, 0x78878778,
    0x34454556, 0x34454556, 0x56456556, 0x56676556, 0x56454556, 0x56454556, 0x56456556, 0x56676556,
    0x34454556, 0x56656756, 0x56656576, 0x78878778, 0x56654556, 0x56656756, 0x76656576, 0x78878778,
    0x34454556, 0x54656556, 0x34454556, 0x56676556, 0x54654556, 0x54656556, 0x54654556, 0x56676556,
    0x34454556, 0x56656756, 0x56656576, 0x78878778, 0x56654556, 0x76656756, 0x56656576, 0x78878778,
    0x54456556, 0x54656556, 0x56456556, 0x76676556, 0x76676778, 0x76676778, 0x76676778, 0x76676778,
    0x54456556, 0x56656756, 0x56656576, 0x78878778, 0x76676778, 0x76676778, 0x76676778, 0x78878778,
};

static uint32_t class_of(const struct pb_network *network, uint32_t node)
{
    return node >> (network->field_bits << network->class_bits);
}

static uint32_t field_of(const struct pb_network *network, uint32_t node, uint32_t field)
{
    return node >> field * network->field_bits & ((UINT32_C(1) << network->field_bits) - 1);
}

static uint32_t neighbour(const struct pb_network *network, uint32_t node, unsigned port)
{
    const unsigned m = network->field_bits;
    return node ^ UINT32_C(1) << (port < m ? class_of(network, node) * m + port
                                           : (m << network->class_bits) + port - m);
}

static struct pb_slot slot(const struct pb_network *network, uint32_t node, unsigned phase)
{
    const unsigned port = phase / 2;
    const bool sends = (node < neighbour(network, node, port)) == (phase % 2 == 0);
    return (struct pb_slot){sends ? PB_ROLE_SEND : PB_ROLE_LISTEN, port};
}

static struct pb_peer peer(const struct pb_network *network, uint32_t node, unsigned port)
{
    return (struct pb_peer){neighbour(network, node, port), port};
}

/* From a class: the set as seen from class 0. */
static unsigned walk_from(uint32_t class, unsigned classes, const uint8_t *differs, uint32_t to)
{
    unsigned set = 0;
    for (uint32_t other = 0; other < classes; other++)
        set |= (unsigned)differs[other] << (other ^ class);
    return walk[set >> 1] >> 4 * (to ^ class) & 0xF;
}

static uint64_t wanted(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                       uint32_t destination)
{
    const unsigned classes = 1u << network->class_bits;
    const uint32_t class = class_of(network, node), to = class_of(network, destination);
    uint64_t set = field_of(network, node, class) ^ field_of(network, destination, class);

    if (node == destination || (rule == PB_RULE_ECUBE && set))
        return set & -set;
    uint8_t differs[8];
    for (uint32_t other = 0; other < classes; other++)
        differs[other] = field_of(network, node, other) != field_of(network, destination, other);
    const unsigned here = walk_from(class, classes, differs, to);
    for (unsigned bit = 0; bit < network->class_bits; bit++)
        if (walk_from(class ^ 1u << bit, classes, differs, to) < here) {
            set |= UINT64_C(1) << (network->field_bits + bit);
            if (rule == PB_RULE_ECUBE)
                break;
        }
    return set;
}

static const struct pb_network_family family = {"metacube", slot, peer, wanted};

int pb_network_metacube(struct pb_network *network, unsigned class_bits, unsigned field_bits,
                        struct pb_diag *diag)
{
    if (class_bits > PB_METACUBE_CLASS_BITS_MAX)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "network metacube: has classes of %u bits; give 0..%u, as 16 classes have no table of walks",
            class_bits, PB_METACUBE_CLASS_BITS_MAX);
    const unsigned most = (PB_METACUBE_BITS_MAX - class_bits) >> class_bits;
    if (field_bits < 1 || field_bits > most)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "network metacube: has fields of %u bits; with %u class bits give 1..%u, for addresses of at "
            "most %u bits",
            field_bits, class_bits, most, PB_METACUBE_BITS_MAX);

    const unsigned classes = 1u << class_bits;
    struct pb_network made = {
        .family = &family, .class_bits = class_bits, .field_bits = field_bits, .look_ahead = true};
    for (unsigned field = 0; field < classes; field++)
        pb_network_add_digit(&made, 1u << field_bits, 0, 0);
    if (class_bits)
        pb_network_add_digit(&made, classes, 0, 0);
    made.ports = field_bits + class_bits;
    made.phases = 2 * made.ports;
    made.address_bits = field_bits * classes + class_bits;
    made.hops = (field_bits + (class_bits > 0)) * classes;
    /* docs/reference/networks.md has the proofs. Without classes this is a cube. */
    const unsigned whole = classes * made.phases;
    made.lone_phases[PB_RULE_ECUBE][0] = made.lone_phases[PB_RULE_OPPORTUNISTIC][0] = whole;
    made.lone_phases[PB_RULE_ECUBE][1] = made.ports > 1 ? whole + made.phases - 1 : whole;
    made.lone_phases[PB_RULE_OPPORTUNISTIC][1] = class_bits ? whole + 2 * field_bits - 1 : whole;
    *network = made;
    return PB_OK;
}
