/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products of digits: two nodes are wired when they differ in one digit, and its values are joined in the
 * graph of the digit. The wires of a digit are coloured; a colour is a round.
 *
 * full: all values, by the round-robin of R players. Let M be R when odd and R - 1 when even. Round c pairs
 * the values a, b < M with a + b = c mod M. One value a has 2a = c mod M: it is idle when R is odd, and meets
 * value R - 1 when R is even.
 *
 * line, ring: a value and the next one, in round 0 from an even value, in round 1 from an odd one. A ring of
 * odd length has its last wire, from value R - 1 to value 0, in round 2.
 *
 * xor: all values, of a power of two; round k - 1 pairs the values a and a XOR k.
 */
#include "family.h"

#include <inttypes.h>
#include <string.h>

enum { BELOW, ABOVE }; /* ports of a line and a ring: to the value before, to the one after */

struct kind {
    const char *name;
    unsigned least;
    unsigned (*ports)(unsigned radix);
    unsigned (*rounds)(unsigned radix);
    /* The partner of a value in a round; the value itself if it is idle. */
    unsigned (*partner)(unsigned radix, unsigned value, unsigned round);
    unsigned (*port_to)(unsigned radix, unsigned value, unsigned other);
    /* The value at the other end of a port; the value itself: no wire. */
    unsigned (*other)(unsigned radix, unsigned value, unsigned port);
    /* Ports that lead nearer to another value, the first one being that of the lowest phase; how many. */
    unsigned (*nearer)(unsigned radix, unsigned value, unsigned to, unsigned port[2]);
    unsigned (*distance)(unsigned radix); /* the longest */
};

/* ---- full */

static unsigned all_others(unsigned radix)
{
    return radix - 1;
}

static unsigned one_hop(unsigned radix)
{
    (void)radix;
    return 1;
}

static unsigned full_rounds(unsigned radix)
{
    return radix % 2 ? radix : radix - 1;
}

static unsigned full_partner(unsigned radix, unsigned value, unsigned round)
{
    const unsigned rounds = full_rounds(radix);
    if (value == rounds) /* the last value of an even radix meets the a with 2a = round */
        return round % 2 ? (round + rounds) / 2 : round / 2;
    const unsigned other = (round + rounds - value) % rounds;
    return other == value && radix % 2 == 0 ? rounds : other;
}

static unsigned full_port_to(unsigned radix, unsigned value, unsigned other)
{
    (void)radix;
    return other - (other > value);
}

static unsigned full_other(unsigned radix, unsigned value, unsigned port)
{
    (void)radix;
    return port + (port >= value);
}

static unsigned full_nearer(unsigned radix, unsigned value, unsigned to, unsigned port[2])
{
    port[0] = full_port_to(radix, value, to);
    return 1;
}

/* ---- line and ring */

/* Of a line of two values each has one port. */
static unsigned line_ports(unsigned radix)
{
    return radix > 2 ? 2 : 1;
}

static unsigned line_rounds(unsigned radix)
{
    return radix > 2 ? 2 : 1;
}

static unsigned line_partner(unsigned radix, unsigned value, unsigned round)
{
    const unsigned other = value % 2 == round ? value + 1 : value - 1; /* below 0: beyond the radix */
    return other < radix ? other : value;
}

static unsigned line_port_to(unsigned radix, unsigned value, unsigned other)
{
    return radix > 2 && other > value ? ABOVE : BELOW;
}

static unsigned line_other(unsigned radix, unsigned value, unsigned port)
{
    const unsigned other = radix == 2 ? !value : port == ABOVE ? value + 1 : value - 1;
    return other < radix ? other : value;
}

static unsigned line_nearer(unsigned radix, unsigned value, unsigned to, unsigned port[2])
{
    port[0] = line_port_to(radix, value, to);
    return 1;
}

static unsigned ring_ports(unsigned radix)
{
    (void)radix;
    return 2;
}

static unsigned ring_rounds(unsigned radix)
{
    return radix % 2 ? 3 : 2;
}

static unsigned ring_partner(unsigned radix, unsigned value, unsigned round)
{
    const unsigned last = radix - 1;
    if (radix % 2 && (value == last || value == 0)) {
        if (round == 2)
            return last - value;
        return round == 0 ? (value == 0 ? 1 : value) : value == last ? value - 1 : value;
    }
    if (round == 2)
        return value;
    return value % 2 == round ? (value + 1) % radix : (value + last) % radix;
}

static unsigned ring_port_to(unsigned radix, unsigned value, unsigned other)
{
    return other == (value + 1) % radix ? ABOVE : BELOW;
}

static unsigned ring_other(unsigned radix, unsigned value, unsigned port)
{
    return port == ABOVE ? (value + 1) % radix : (value + radix - 1) % radix;
}

/* Half the way round an even ring both ports do; from an even value round 0 leads up. */
static unsigned ring_nearer(unsigned radix, unsigned value, unsigned to, unsigned port[2])
{
    const unsigned above = (to + radix - value) % radix;
    port[0] = 2 * above < radix || (2 * above == radix && value % 2 == 0) ? ABOVE : BELOW;
    port[1] = port[0] == ABOVE ? BELOW : ABOVE;
    return 2 * above == radix ? 2 : 1;
}

static unsigned line_distance(unsigned radix)
{
    return radix - 1;
}

static unsigned ring_distance(unsigned radix)
{
    return radix / 2;
}

/* ---- xor */

static unsigned xor_partner(unsigned radix, unsigned value, unsigned round)
{
    (void)radix;
    return value ^ (round + 1);
}

static unsigned xor_port_to(unsigned radix, unsigned value, unsigned other)
{
    (void)radix;
    return (value ^ other) - 1;
}

static unsigned xor_other(unsigned radix, unsigned value, unsigned port)
{
    return xor_partner(radix, value, port);
}

static unsigned xor_nearer(unsigned radix, unsigned value, unsigned to, unsigned port[2])
{
    port[0] = xor_port_to(radix, value, to);
    return 1;
}

static const struct kind kinds[PB_DIGIT_KINDS] = {
    [PB_DIGIT_FULL] = {"full", 2, all_others, full_rounds, full_partner, full_port_to, full_other,
                       full_nearer, one_hop},
    [PB_DIGIT_RING] = {"ring", 3, ring_ports, ring_rounds, ring_partner, ring_port_to, ring_other,
                       ring_nearer, ring_distance},
    [PB_DIGIT_LINE] = {"line", 2, line_ports, line_rounds, line_partner, line_port_to, line_other,
                       line_nearer, line_distance},
    [PB_DIGIT_XOR] = {"xor", 2, all_others, all_others, xor_partner, xor_port_to, xor_other, xor_nearer,
                      one_hop},
};

static const struct kind *kind_of(const struct pb_network *network, unsigned digit)
{
    return &kinds[network->kind[digit]];
}

const char *pb_digit_kind_name(enum pb_digit_kind kind)
{
    return kinds[kind].name;
}

/* ---- the family */

static struct pb_slot slot(const struct pb_network *network, uint32_t node, unsigned phase)
{
    unsigned digit = network->digits - 1;
    while (phase < network->first_phase[digit])
        digit--;
    const struct kind *kind = kind_of(network, digit);
    const unsigned local = phase - network->first_phase[digit], radix = network->radix[digit],
                   value = pb_network_digit(network, node, digit),
                   other = kind->partner(radix, value, local / 2);
    if (other == value)
        return (struct pb_slot){PB_ROLE_IDLE, 0};
    const bool upward = local % 2 == 0;
    return (struct pb_slot){upward == (value < other) ? PB_ROLE_SEND : PB_ROLE_LISTEN,
                            network->first_port[digit] + kind->port_to(radix, value, other)};
}

static struct pb_peer peer(const struct pb_network *network, uint32_t node, unsigned port)
{
    unsigned digit = network->digits - 1;
    while (port < network->first_port[digit])
        digit--;
    const struct kind *kind = kind_of(network, digit);
    const unsigned radix = network->radix[digit], value = pb_network_digit(network, node, digit),
                   other = kind->other(radix, value, port - network->first_port[digit]);
    if (other == value)
        return (struct pb_peer){node, port};
    return (struct pb_peer){node - value * network->weight[digit] + other * network->weight[digit],
                            network->first_port[digit] + kind->port_to(radix, other, value)};
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
        unsigned port[2];
        const unsigned count = kind_of(network, digit)->nearer(network->radix[digit], value, other, port);
        set |= UINT64_C(1) << (network->first_port[digit] + port[0]);
        if (rule == PB_RULE_ECUBE)
            break;
        if (count > 1)
            set |= UINT64_C(1) << (network->first_port[digit] + port[1]);
    }
    return set;
}

static const struct pb_network_family generalised = {"generalised", slot, peer, wanted},
                                      product = {"product", slot, peer, wanted},
                                      xored = {"xor", slot, peer, wanted};

/* ---- the bound of a lone message */

/* The last of the hops of a message in the phases of a digit: superframes after its own one, and phase. */
struct last {
    unsigned superframes, phase;
};

static struct last later(struct last a, struct last b)
{
    const bool is_b = b.superframes != a.superframes ? b.superframes > a.superframes : b.phase > a.phase;
    return is_b ? b : a;
}

/* From one value to another, from a phase of the digit on. */
static struct last last_between(const struct pb_network *network, unsigned digit, enum pb_rule rule,
                                unsigned value, unsigned to, unsigned from)
{
    const struct kind *kind = kind_of(network, digit);
    const unsigned radix = network->radix[digit], phases = 2 * kind->rounds(radix);
    struct last last = {0, 0};

    for (unsigned now = from; value != to; now++) {
        const unsigned phase = now % phases, other = kind->partner(radix, value, phase / 2);
        if (other == value || (phase % 2 == 0) != (value < other))
            continue;
        unsigned port[2];
        const unsigned count = kind->nearer(radix, value, to, port),
                       here = kind->port_to(radix, value, other);
        if (here != port[0] && (rule == PB_RULE_ECUBE || count < 2 || here != port[1]))
            continue;
        value = other;
        last = (struct last){now / phases, phase};
    }
    return last;
}

static struct last latest(const struct pb_network *network, unsigned digit, enum pb_rule rule, unsigned from)
{
    struct last last = {0, 0};
    if (kind_of(network, digit)->distance(network->radix[digit]) == 1) { /* of each phase there is a pair */
        const unsigned phases = 2 * kind_of(network, digit)->rounds(network->radix[digit]);
        return from ? (struct last){1, from - 1} : (struct last){0, phases - 1};
    }
    for (unsigned value = 0; value < network->radix[digit]; value++)
        for (unsigned to = 0; to < network->radix[digit]; to++)
            if (value != to)
                last = later(last, last_between(network, digit, rule, value, to, from));
    return last;
}

/* A message that has the digits from `digit` to `end` - 1 before it, from a phase of the first one on; the
 * others begin with their phases. Dimension order corrects them one after the other; the other rule, at once.
 * Returns the phases from the start of the superframe to the end of the last hop. */
static unsigned phases_from(const struct pb_network *network, enum pb_rule rule, unsigned digit, unsigned end,
                            unsigned from, const struct last *whole)
{
    unsigned superframes = 0, most = 0;
    for (unsigned i = digit; i < end; i++) {
        const struct last last = i == digit && from ? latest(network, i, rule, from) : whole[i];
        const unsigned phases =
            (superframes + last.superframes) * network->phases + network->first_phase[i] + last.phase + 1;
        most = phases > most ? phases : most;
        superframes += rule == PB_RULE_ECUBE ? last.superframes : 0;
    }
    return most;
}

/* Digits are independent, so the worst of each come together in some message: the bounds are exact. */
static void set_lone_phases(struct pb_network *network, enum pb_rule rule)
{
    const unsigned digits = network->digits;
    struct last whole[PB_NETWORK_DIGITS_MAX];

    for (unsigned i = 0; i < digits; i++)
        whole[i] = latest(network, i, rule, 0);
    const unsigned at_start = phases_from(network, rule, 0, digits, 0, whole);
    unsigned any = at_start;
    for (unsigned digit = 0; digit < digits; digit++) {
        const unsigned first = network->first_phase[digit],
                       end = digit + 1 < digits ? network->first_phase[digit + 1] : network->phases;
        for (unsigned phase = first; phase < end; phase++) {
            /* Digits whose phases are over wait for the next superframe; in dimension order all do. */
            const unsigned waiting = rule == PB_RULE_ECUBE && digit ? digits : digit,
                           over = network->phases + phases_from(network, rule, 0, waiting, 0, whole) - phase,
                           now = phases_from(network, rule, digit, digits, phase - first, whole) - phase;
            any = now > any ? now : any;
            any = digit && over > any ? over : any;
        }
    }
    network->lone_phases[rule][0] = at_start;
    network->lone_phases[rule][1] = any;
}

/* ---- making one */

static int add_digit(struct pb_network *made, enum pb_digit_kind kind, unsigned radix, struct pb_diag *diag)
{
    const char *name = made->family->name;
    const unsigned digit = made->digits;

    if (digit == PB_GENERALISED_DIGITS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "network %s: has more than %u digits; leave some out", name,
                       PB_GENERALISED_DIGITS_MAX);
    if (radix < kinds[kind].least)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "network %s: radix %u of digit %u; a %s has at least %u values; raise it "
                       "or leave the digit out",
                       name, radix, digit, kind == PB_DIGIT_RING ? "ring" : "digit", kinds[kind].least);
    if (kind == PB_DIGIT_XOR && (radix & (radix - 1)))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "network %s: radix %u of digit %u; rounds of XOR need a power of two; give another one", name,
            radix, digit);
    if (radix > PB_GENERALISED_NODES_MAX ||
        (made->nodes ? made->nodes : 1) > PB_GENERALISED_NODES_MAX / radix)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "network %s: with radix %u of digit %u the nodes exceed the limit of %" PRIu32
                       "; lower a radix",
                       name, radix, digit, PB_GENERALISED_NODES_MAX);
    if (made->ports + kinds[kind].ports(radix) > PB_NETWORK_PORTS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "network %s: with radix %u of digit %u a node has %u ports; the limit is "
                       "%u; lower a radix",
                       name, radix, digit, made->ports + kinds[kind].ports(radix), PB_NETWORK_PORTS_MAX);
    if (made->hops + kinds[kind].distance(radix) > PB_NETWORK_HOPS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "network %s: with radix %u of digit %u a route has %u hops; the limit is %u; lower a "
                       "radix",
                       name, radix, digit, made->hops + kinds[kind].distance(radix), PB_NETWORK_HOPS_MAX);
    made->kind[digit] = (uint8_t)kind;
    pb_network_add_digit(made, radix, kinds[kind].ports(radix), kinds[kind].rounds(radix));
    made->hops += kinds[kind].distance(radix);
    return PB_OK;
}

static int make(struct pb_network *network, const struct pb_network_family *family,
                const struct pb_digit *digit, unsigned digits, struct pb_diag *diag)
{
    struct pb_network made = {.family = family};

    if (digits == 0)
        return pb_fail(diag, PB_ERR_ARGUMENT, "network %s: has 0 digits; give 1..%u", family->name,
                       PB_GENERALISED_DIGITS_MAX);
    for (unsigned i = 0; i < digits; i++) {
        const int code = add_digit(&made, digit[i].kind, digit[i].radix, diag);
        if (code)
            return code;
    }
    pb_network_set_bounds(&made);
    for (int rule = 0; rule < PB_RULES; rule++)
        set_lone_phases(&made, rule);
    *network = made;
    return PB_OK;
}

int pb_network_product(struct pb_network *network, const struct pb_digit *digit, unsigned digits,
                       struct pb_diag *diag)
{
    return make(network, &product, digit, digits, diag);
}

int pb_network_generalised(struct pb_network *network, const unsigned *radix, unsigned digits,
                           struct pb_diag *diag)
{
    struct pb_digit digit[PB_GENERALISED_DIGITS_MAX];

    if (digits > PB_GENERALISED_DIGITS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "network generalised: has %u digits; give 1..%u", digits,
                       PB_GENERALISED_DIGITS_MAX);
    for (unsigned i = 0; i < digits; i++)
        digit[i] = (struct pb_digit){PB_DIGIT_FULL, radix[i]};
    return make(network, &generalised, digit, digits, diag);
}

int pb_network_xor(struct pb_network *network, unsigned bits, struct pb_diag *diag)
{
    if (bits < 1 || bits > PB_XOR_BITS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "network xor: has addresses of %u bits; give 1..%u", bits,
                       PB_XOR_BITS_MAX);
    return make(network, &xored, &(struct pb_digit){PB_DIGIT_XOR, 1u << bits}, 1, diag);
}
