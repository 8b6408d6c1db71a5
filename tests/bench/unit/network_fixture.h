/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A generalised hypercube built from its definition by search, apart from host/network: digits by division,
 * the partner of a value by trying all others. For small networks.
 */
#ifndef NETWORK_FIXTURE_H
#define NETWORK_FIXTURE_H

#include "phasebench/network.h"

#include "tests/bench/unit/tests.h"

#define DEFINED_NODES_MAX 64
#define DEFINED_PHASES_MAX 40
#define NOBODY UINT32_MAX

struct defined {
    unsigned digits, radix[6];
    uint32_t nodes;
    unsigned phases;
    unsigned digit_of[DEFINED_PHASES_MAX];                    /* that the wires of a phase correct */
    uint32_t sends_to[DEFINED_PHASES_MAX][DEFINED_NODES_MAX]; /* NOBODY: the node does not send */
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

/* Whether two values meet in a round: by their sum, and who has no such partner meets the last value. */
static inline bool values_meet(unsigned radix, unsigned round, unsigned a, unsigned b)
{
    const unsigned players = radix % 2 ? radix : radix - 1;
    if (a < players && b < players)
        return a != b && (a + b) % players == round;
    const unsigned other = a < b ? a : b; /* the smaller one meets value players = radix - 1 */
    return a != b && 2 * other % players == round;
}

static inline struct defined define(const unsigned *radix, unsigned digits)
{
    struct defined defined = {.digits = digits, .nodes = 1};
    for (unsigned digit = 0; digit < digits; digit++) {
        defined.radix[digit] = radix[digit];
        defined.nodes *= radix[digit];
    }
    assert_true(defined.nodes <= DEFINED_NODES_MAX);
    for (unsigned digit = 0; digit < digits; digit++) {
        const unsigned rounds = radix[digit] % 2 ? radix[digit] : radix[digit] - 1;
        for (unsigned local = 0; local < 2 * rounds; local++) {
            const unsigned phase = defined.phases++;
            assert_true(phase < DEFINED_PHASES_MAX);
            defined.digit_of[phase] = digit;
            for (uint32_t node = 0; node < defined.nodes; node++) {
                const unsigned value = digit_by_division(&defined, node, digit);
                defined.sends_to[phase][node] = NOBODY;
                for (unsigned other = 0; other < radix[digit]; other++)
                    if (values_meet(radix[digit], local / 2, value, other) &&
                        (value < other) == (local % 2 == 0))
                        defined.sends_to[phase][node] = with_digit(&defined, node, digit, other);
            }
        }
    }
    return defined;
}

/* Whether a message at `node` wants the wire to `next`: it corrects a digit, under dimension order the lowest
 * that differs. */
static inline bool wants_wire(const struct defined *defined, enum pb_rule rule, uint32_t node, uint32_t next,
                              uint32_t destination)
{
    for (unsigned digit = 0; digit < defined->digits; digit++) {
        const unsigned due = digit_by_division(defined, destination, digit);
        if (due == digit_by_division(defined, node, digit))
            continue;
        if (next == with_digit(defined, node, digit, due))
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
    assert_int_equal(pb_network_generalised(&network, defined->radix, defined->digits, &diag), PB_OK);
    assert_string_equal(diag.text, "");
    return network;
}

/* Small networks: cubes, mixed radices, one digit, odd and even ones. */
static const struct {
    unsigned digits, radix[6];
} small_network[] = {{1, {2}},       {1, {3}},       {1, {4}},         {1, {5}},    {1, {8}},
                     {3, {2, 2, 2}}, {2, {2, 3}},    {2, {3, 2}},      {2, {5, 4}}, {3, {4, 4, 3}},
                     {2, {3, 3}},    {3, {3, 2, 4}}, {4, {2, 3, 2, 3}}};
#define SMALL_NETWORKS (sizeof small_network / sizeof small_network[0])

static inline struct defined small(size_t index)
{
    return define(small_network[index].radix, small_network[index].digits);
}

#endif
