/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Networks built from their definitions by search, apart from host/network: digits by division, the partner
 * of a value by trying all others, distances by trying all wires. For small networks.
 */
#ifndef NETWORK_FIXTURE_H
#define NETWORK_FIXTURE_H

#include "phasebench/network.h"

#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

#define DEFINED_NODES_MAX 64
#define DEFINED_PHASES_MAX 40
#define DEFINED_HOPS_MAX 16
#define NOBODY UINT32_MAX

struct defined {
    char text[64]; /* of --network */
    unsigned digits, radix[6];
    uint32_t nodes;
    unsigned phases;
    uint32_t sends_to[DEFINED_PHASES_MAX][DEFINED_NODES_MAX]; /* NOBODY: the node does not send */
    uint8_t distance[DEFINED_NODES_MAX][DEFINED_NODES_MAX];   /* in hops */
};

static inline unsigned digit_by_division(const struct defined *defined, uint32_t address, unsigned digit)
{
    for (unsigned i = 0; i < digit; i++)
        address /= defined->radix[i];
    return address % defined->radix[digit];
}

/* The address with one digit changed. */
static inline uint32_t with_digit(const struct defined *defined, uint32_t address, unsigned digit,
                                  unsigned value)
{
    uint32_t weight = 1;
    for (unsigned i = 0; i < digit; i++)
        weight *= defined->radix[i];
    return address - digit_by_division(defined, address, digit) * weight + value * weight;
}

/* How many rounds the values of a digit have, by kind: f full, r ring, l line, x xor. */
static inline unsigned defined_rounds(char kind, unsigned radix)
{
    if (kind == 'r')
        return radix % 2 ? 3 : 2;
    if (kind == 'l')
        return radix == 2 ? 1 : 2;
    return kind == 'x' || radix % 2 == 0 ? radix - 1 : radix;
}

/* Whether two values meet in a round. In a full digit by their sum; one without such a partner meets the last
 * value. In a line and a ring by the smaller one of two neighbours. */
static inline bool values_meet(char kind, unsigned radix, unsigned round, unsigned a, unsigned b)
{
    const unsigned smaller = a < b ? a : b, larger = a < b ? b : a;
    if (a == b)
        return false;
    if (kind == 'x')
        return (a ^ b) == round + 1;
    if (kind != 'f' && larger == smaller + 1)
        return smaller % 2 == round;
    if (kind == 'l')
        return false;
    if (kind == 'r') /* the wire that closes it */
        return smaller == 0 && larger == radix - 1 && round == (radix % 2 ? 2 : 1);
    const unsigned players = radix % 2 ? radix : radix - 1;
    if (larger < players)
        return (a + b) % players == round;
    return 2 * smaller % players == round; /* the smaller one meets value players = radix - 1 */
}

static inline void find_distances(struct defined *defined)
{
    memset(defined->distance, UINT8_MAX, sizeof defined->distance);
    for (uint32_t node = 0; node < defined->nodes; node++)
        defined->distance[node][node] = 0;
    for (unsigned hops = 0; hops < DEFINED_HOPS_MAX; hops++)
        for (unsigned phase = 0; phase < defined->phases; phase++)
            for (uint32_t node = 0; node < defined->nodes; node++) {
                const uint32_t next = defined->sends_to[phase][node];
                for (uint32_t to = 0; next != NOBODY && to < defined->nodes; to++)
                    if (defined->distance[next][to] == hops && defined->distance[node][to] > hops + 1)
                        defined->distance[node][to] = (uint8_t)(hops + 1);
            }
}

/* A product of digits; kinds: a letter each, NULL: all full. */
static inline struct defined define_product(const char *kinds, const unsigned *radix, unsigned digits)
{
    struct defined defined = {.digits = digits, .nodes = 1};
    int used = snprintf(defined.text, sizeof defined.text, kinds ? "product:" : "generalised:");

    for (unsigned digit = 0; digit < digits; digit++) {
        const char kind = kinds ? kinds[digit] : 'f';
        used += snprintf(defined.text + used, sizeof defined.text - (size_t)used, "%s%s%u", digit ? "," : "",
                         !kinds        ? ""
                         : kind == 'f' ? "full"
                         : kind == 'r' ? "ring"
                         : kind == 'l' ? "line"
                                       : "xor",
                         radix[digit]);
        defined.radix[digit] = radix[digit];
        defined.nodes *= radix[digit];
    }
    assert_true(defined.nodes <= DEFINED_NODES_MAX);
    for (unsigned digit = 0; digit < digits; digit++) {
        const char kind = kinds ? kinds[digit] : 'f';
        for (unsigned local = 0; local < 2 * defined_rounds(kind, radix[digit]); local++) {
            const unsigned phase = defined.phases++;
            assert_true(phase < DEFINED_PHASES_MAX);
            for (uint32_t node = 0; node < defined.nodes; node++) {
                const unsigned value = digit_by_division(&defined, node, digit);
                defined.sends_to[phase][node] = NOBODY;
                for (unsigned other = 0; other < radix[digit]; other++)
                    if (values_meet(kind, radix[digit], local / 2, value, other) &&
                        (value < other) == (local % 2 == 0))
                        defined.sends_to[phase][node] = with_digit(&defined, node, digit, other);
            }
        }
    }
    find_distances(&defined);
    return defined;
}

static inline struct defined define(const unsigned *radix, unsigned digits)
{
    return define_product(NULL, radix, digits);
}

/* MC(k, m): bit by bit, the class being the k highest bits. */
static inline struct defined define_metacube(unsigned k, unsigned m)
{
    const unsigned class_at = m << k;
    struct defined defined = {.nodes = UINT32_C(1) << (class_at + k), .phases = 2 * (m + k)};

    snprintf(defined.text, sizeof defined.text, "metacube:%u,%u", k, m);
    assert_true(defined.nodes <= DEFINED_NODES_MAX && defined.phases <= DEFINED_PHASES_MAX);
    for (unsigned phase = 0; phase < defined.phases; phase++)
        for (uint32_t node = 0; node < defined.nodes; node++) {
            unsigned class = 0;
            for (unsigned bit = 0; bit < k; bit++)
                class += (node >> (class_at + bit) & 1) << bit;
            const unsigned bit = phase / 2 < m ? class * m + phase / 2 : class_at + phase / 2 - m;
            defined.sends_to[phase][node] = (node >> bit & 1) == phase % 2 ? node ^ 1u << bit : NOBODY;
        }
    find_distances(&defined);
    return defined;
}

/* Whether a message at `node` wants the wire to `next`, which leads nearer; under dimension order there is no
 * such wire in an earlier phase of a superframe. */
static inline bool wants_wire(const struct defined *defined, enum pb_rule rule, uint32_t node, uint32_t next,
                              uint32_t destination)
{
    for (unsigned phase = 0; phase < defined->phases; phase++) {
        const uint32_t to = defined->sends_to[phase][node];
        if (to == NOBODY || defined->distance[to][destination] >= defined->distance[node][destination])
            continue;
        if (to == next)
            return true;
        if (rule == PB_RULE_ECUBE)
            return false;
    }
    return false;
}

static inline struct pb_network built(const struct defined *defined)
{
    struct pb_network network;
    struct pb_diag diag = {""};
    assert_int_equal(pb_network_parse(&network, defined->text, &diag), PB_OK);
    assert_string_equal(diag.text, "");
    return network;
}

/* Small networks. The first ones, which the firmware knows, too: cubes, mixed radices, one digit, odd and
 * even ones. Then their relatives; digits 0: a metacube with k and m. */
static const struct {
    unsigned digits, radix[6];
    const char *kinds;
} small_network[] = {
    {1, {2}, NULL},          {1, {3}, NULL},        {1, {4}, NULL},        {1, {5}, NULL},
    {1, {8}, NULL},          {3, {2, 2, 2}, NULL},  {2, {2, 3}, NULL},     {2, {3, 2}, NULL},
    {2, {5, 4}, NULL},       {3, {4, 4, 3}, NULL},  {2, {3, 3}, NULL},     {3, {3, 2, 4}, NULL},
    {4, {2, 3, 2, 3}, NULL}, {1, {4}, "r"},         {1, {5}, "r"},         {1, {8}, "r"},
    {1, {7}, "l"},           {1, {8}, "x"},         {2, {4, 4}, "rr"},     {2, {5, 6}, "rr"},
    {3, {5, 3, 4}, "rlf"},   {3, {4, 3, 3}, "lll"}, {3, {3, 6, 2}, "frl"}, {3, {4, 3, 5}, "xrl"},
    {2, {3, 4}, "lf"},       {0, {0, 3}, NULL},     {0, {1, 1}, NULL},     {0, {1, 2}, NULL},
    {0, {2, 1}, NULL}};
#define SMALL_NETWORKS (sizeof small_network / sizeof small_network[0])
#define SMALL_COMPLETE 13 /* of the first ones */

static inline struct defined small(size_t index)
{
    return small_network[index].digits
               ? define_product(small_network[index].kinds, small_network[index].radix,
                                small_network[index].digits)
               : define_metacube(small_network[index].radix[0], small_network[index].radix[1]);
}

#endif
