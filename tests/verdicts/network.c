/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network of a case by docs/node.md and docs/reference/scenario.md: the binary cube, or digits of mixed
 * radix, each of which is a complete graph whose pairs meet in rounds.
 */
#include "case.h"

/* A port is a digit and another value of it. */
struct port {
    unsigned digit, radix, own, other;
    uint32_t weight;
};

static unsigned rounds(unsigned radix)
{
    return radix % 2 ? radix : radix - 1;
}

static struct port port_of(const struct test_case *test, uint32_t address, unsigned number)
{
    uint32_t weight = 1;
    unsigned digit = 0;
    for (; number >= test->radix[digit] - 1; digit++) {
        number -= test->radix[digit] - 1;
        weight *= test->radix[digit];
    }
    const unsigned own = address / weight % test->radix[digit];
    return (struct port){digit, test->radix[digit], own, number + (number >= own), weight};
}

uint32_t places(const struct test_case *test)
{
    uint32_t count = 1;
    for (unsigned i = 0; i < test->digits; i++)
        count *= test->radix[i];
    return test->digits ? count : 1u << test->dims;
}

unsigned phases_of(const struct test_case *test)
{
    unsigned count = 0;
    for (unsigned i = 0; i < test->digits; i++)
        count += 2 * rounds(test->radix[i]);
    return test->digits ? count : 2 * test->dims;
}

uint32_t neighbour(const struct test_case *test, uint32_t address, unsigned port)
{
    if (!test->digits)
        return address ^ 1u << port;
    const struct port at = port_of(test, address, port);
    return address - at.own * at.weight + at.other * at.weight;
}

unsigned port_to(const struct test_case *test, uint32_t from, uint32_t to)
{
    unsigned port = 0;
    while (neighbour(test, from, port) != to)
        port++;
    return port;
}

unsigned send_phase(const struct test_case *test, uint32_t address, unsigned port)
{
    if (!test->digits)
        return 2 * port + (address >> port & 1);
    const struct port at = port_of(test, address, port);
    const unsigned last = at.radix - 1, all = rounds(at.radix), sum = at.own + at.other,
                   round =
                       (all == last && (at.own == last || at.other == last) ? 2 * (sum - last) : sum) % all;
    unsigned begin = 0;
    for (unsigned i = 0; i < at.digit; i++)
        begin += 2 * rounds(test->radix[i]);
    return begin + 2 * round + (at.own > at.other);
}

int sending_port(const struct test_case *test, uint32_t address, unsigned phase)
{
    if (!test->digits)
        return (address >> phase / 2 & 1) == phase % 2 ? (int)(phase / 2) : -1;
    for (unsigned port = 0; port < test->dims; port++)
        if (send_phase(test, address, port) == phase)
            return (int)port;
    return -1;
}

/* The port brings a message a digit nearer to its destination. */
static bool leads(const struct test_case *test, uint32_t at, uint32_t to, unsigned port)
{
    if (!test->digits)
        return (at ^ to) >> port & 1;
    const struct port way = port_of(test, at, port);
    return to / way.weight % way.radix == way.other;
}

unsigned first_port(const struct test_case *test, uint32_t at, uint32_t to)
{
    unsigned port = 0;
    while (!leads(test, at, to, port))
        port++;
    return port;
}

bool wants(const struct test_case *test, uint32_t at, uint32_t to, unsigned port)
{
    return at != to && leads(test, at, to, port) && (test->opportunistic || first_port(test, at, to) == port);
}

bool is_of_last_digit(const struct test_case *test, unsigned port)
{
    return port + (test->digits ? test->radix[test->digits - 1] - 1 : 1) >= test->dims;
}
