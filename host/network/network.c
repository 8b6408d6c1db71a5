/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions shared by the families, and the text form.
 */
#include "phasebench/network.h"

#include "phasebench/cube.h"
#include "phasebench/number.h"

#include "family.h"

#include <stdio.h>
#include <string.h>

static const char *const rule_name[PB_RULES] = {
    [PB_RULE_ECUBE] = "ecube",
    [PB_RULE_OPPORTUNISTIC] = "opportunistic",
};

const char *pb_rule_name(enum pb_rule rule)
{
    return rule_name[rule];
}

void pb_network_add_digit(struct pb_network *network, unsigned radix, unsigned ports, unsigned rounds)
{
    const unsigned digit = network->digits++;
    const uint32_t weight = digit ? network->nodes : 1;

    network->radix[digit] = radix;
    network->weight[digit] = weight;
    network->reciprocal[digit] =
        weight > 1 ? (uint32_t)((UINT64_C(1) << 32) / weight) + ((weight & (weight - 1)) != 0) : 0;
    network->first_phase[digit] = network->phases;
    network->first_port[digit] = network->ports;
    network->nodes = weight * radix;
    network->ports += ports;
    network->phases += 2 * rounds;
}

void pb_network_set_bounds(struct pb_network *network)
{
    const unsigned phases = network->phases;

    network->address_bits =
        network->nodes & (network->nodes - 1) ? 0 : (unsigned)__builtin_ctz(network->nodes);
    for (int rule = 0; rule < PB_RULES; rule++)
        network->lone_phases[rule][0] = network->lone_phases[rule][1] = phases;
    /* Dimension order needs the extra superframe only with a second digit: a message born just after its
     * first own phase must still cross the last digit late. */
    if (network->digits > 1)
        network->lone_phases[PB_RULE_ECUBE][1] = 2 * phases - 1;
    network->look_ahead = true;
    network->by_digits = true;
}

unsigned pb_network_differing_digit(const struct pb_network *network, uint32_t left, uint32_t right)
{
    unsigned digit = 0;
    while (digit < network->digits &&
           pb_network_digit(network, left, digit) == pb_network_digit(network, right, digit))
        digit++;
    return digit;
}

bool pb_network_is_complete(const struct pb_network *network)
{
    bool complete = network->by_digits;
    for (unsigned digit = 0; complete && digit < network->digits; digit++)
        complete = network->kind[digit] == PB_DIGIT_FULL || network->radix[digit] == 2;
    return complete;
}

unsigned pb_network_distance(const struct pb_network *network, uint32_t from, uint32_t to)
{
    unsigned hops = 0;
    for (; from != to; hops++)
        from = pb_network_neighbour(
            network, from, (unsigned)__builtin_ctzll(pb_network_wanted(network, PB_RULE_ECUBE, from, to)));
    return hops;
}

static unsigned phase_of(const struct pb_network *network, uint32_t node, enum pb_role role, unsigned port)
{
    unsigned digit = network->digits - 1;
    while (port < network->first_port[digit])
        digit--;
    unsigned phase = network->first_phase[digit];
    while (!pb_network_is(network, node, phase, role, port))
        phase++;
    return phase;
}

unsigned pb_network_send_phase(const struct pb_network *network, uint32_t node, unsigned port)
{
    return phase_of(network, node, PB_ROLE_SEND, port);
}

unsigned pb_network_listen_phase(const struct pb_network *network, uint32_t node, unsigned port)
{
    return phase_of(network, node, PB_ROLE_LISTEN, port);
}

unsigned pb_network_address_width(const struct pb_network *network)
{
    return 32 - (unsigned)__builtin_clz(network->nodes - 1);
}

unsigned pb_network_address_digits(const struct pb_network *network)
{
    return (pb_network_address_width(network) + 3) / 4;
}

static int parse_cube(struct pb_network *network, const char *text, struct pb_diag *diag)
{
    uint64_t dims;
    if (!pb_parse_number(text, strlen(text), &dims) || dims < PB_DIMS_MIN || dims > PB_NETWORK_DIGITS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "network cube: '%.40s' is no number of dimensions; give %d..%u",
                       text, PB_DIMS_MIN, PB_NETWORK_DIGITS_MAX);
    *network = pb_network_cube((unsigned)dims);
    return PB_OK;
}

static int parse_generalised(struct pb_network *network, const char *text, struct pb_diag *diag)
{
    unsigned radix[PB_GENERALISED_DIGITS_MAX], digits = 0;

    for (const char *next = text; next; digits++) {
        const char *comma = strchr(next, ',');
        const size_t length = comma ? (size_t)(comma - next) : strlen(next);
        uint64_t value;
        if (digits == PB_GENERALISED_DIGITS_MAX)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "network generalised: '%.60s' has more than %u digits; leave some out", text,
                           PB_GENERALISED_DIGITS_MAX);
        if (!pb_parse_number(next, length, &value) || value > UINT32_MAX)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "network generalised: '%.*s' is no radix; give numbers from 2 on, as 4,4,3",
                           length < 40 ? (int)length : 40, next);
        radix[digits] = (unsigned)value;
        next = comma ? comma + 1 : NULL;
    }
    return pb_network_generalised(network, radix, digits, diag);
}

/* A word and its number: ring5. */
static bool parse_digit(struct pb_digit *digit, const char *text, size_t length)
{
    uint64_t radix;
    for (int kind = 0; kind < PB_DIGIT_KINDS; kind++) {
        const char *name = pb_digit_kind_name(kind);
        const size_t word = strlen(name);
        if (length <= word || strncmp(text, name, word) != 0)
            continue;
        *digit = (struct pb_digit){.kind = kind};
        if (!pb_parse_number(text + word, length - word, &radix) || radix > UINT32_MAX)
            return false;
        digit->radix = (unsigned)radix;
        return true;
    }
    return false;
}

static int parse_product(struct pb_network *network, const char *text, struct pb_diag *diag)
{
    struct pb_digit digit[PB_GENERALISED_DIGITS_MAX];
    unsigned digits = 0;

    for (const char *next = text; next; digits++) {
        const char *comma = strchr(next, ',');
        const size_t length = comma ? (size_t)(comma - next) : strlen(next);
        if (digits == PB_GENERALISED_DIGITS_MAX)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "network product: '%.60s' has more than %u digits; leave some out", text,
                           PB_GENERALISED_DIGITS_MAX);
        if (!parse_digit(&digit[digits], next, length))
            return pb_fail(
                diag, PB_ERR_ARGUMENT,
                "network product: '%.*s' is no digit; give full, ring, line or xor with the number of its "
                "values, as full4,ring5,line3",
                length < 40 ? (int)length : 40, next);
        next = comma ? comma + 1 : NULL;
    }
    return pb_network_product(network, digit, digits, diag);
}

static int parse_xor(struct pb_network *network, const char *text, struct pb_diag *diag)
{
    uint64_t bits;
    if (!pb_parse_number(text, strlen(text), &bits) || bits < 1 || bits > PB_XOR_BITS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "network xor: '%.40s' is no number of address bits; give 1..%u",
                       text, PB_XOR_BITS_MAX);
    return pb_network_xor(network, (unsigned)bits, diag);
}

static int parse_metacube(struct pb_network *network, const char *text, struct pb_diag *diag)
{
    const char *comma = strchr(text, ',');
    uint64_t class_bits, field_bits;
    if (!comma || !pb_parse_number(text, (size_t)(comma - text), &class_bits) ||
        !pb_parse_number(comma + 1, strlen(comma + 1), &field_bits) || class_bits > UINT32_MAX ||
        field_bits > UINT32_MAX)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "network metacube: '%.40s' is no pair of numbers; give bits of the class and of a field, as "
            "2,2",
            text);
    return pb_network_metacube(network, (unsigned)class_bits, (unsigned)field_bits, diag);
}

int pb_network_parse(struct pb_network *network, const char *text, struct pb_diag *diag)
{
    static const struct {
        const char *name;
        int (*parse)(struct pb_network *network, const char *text, struct pb_diag *diag);
    } families[] = {{"cube:", parse_cube},
                    {"generalised:", parse_generalised},
                    {"product:", parse_product},
                    {"xor:", parse_xor},
                    {"metacube:", parse_metacube}};

    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const size_t length = strlen(families[i].name);
        if (strncmp(text, families[i].name, length) == 0)
            return families[i].parse(network, text + length, diag);
    }
    return pb_fail(diag, PB_ERR_ARGUMENT,
                   "network '%.60s' is of no known family; give cube:N, generalised:R,R,..., "
                   "product:full4,ring5,line3, xor:N or metacube:K,M",
                   text);
}

static const char *list_digits(const struct pb_network *network, const char *before, bool kinds,
                               char text[PB_NETWORK_TEXT_SIZE])
{
    size_t used = (size_t)snprintf(text, PB_NETWORK_TEXT_SIZE, "%s", before);
    for (unsigned digit = 0; digit < network->digits; digit++)
        used +=
            (size_t)snprintf(text + used, PB_NETWORK_TEXT_SIZE - used, "%s%s%u", digit ? "," : "",
                             kinds ? pb_digit_kind_name(network->kind[digit]) : "", network->radix[digit]);
    return text;
}

static bool is_of(const struct pb_network *network, const char *family)
{
    return strcmp(network->family->name, family) == 0;
}

const char *pb_network_name(const struct pb_network *network, char text[PB_NETWORK_TEXT_SIZE])
{
    if (is_of(network, "product"))
        return list_digits(network, "product:", true, text);
    if (is_of(network, "generalised"))
        return list_digits(network, "generalised:", false, text);
    if (is_of(network, "metacube"))
        snprintf(text, PB_NETWORK_TEXT_SIZE, "metacube:%u,%u", network->class_bits, network->field_bits);
    else
        snprintf(text, PB_NETWORK_TEXT_SIZE, "%s:%u", network->family->name, network->address_bits);
    return text;
}

const char *pb_network_text(const struct pb_network *network, char text[PB_NETWORK_TEXT_SIZE])
{
    if (is_of(network, "product"))
        return list_digits(network, "", true, text);
    if (is_of(network, "generalised"))
        return list_digits(network, "radix ", false, text);
    if (is_of(network, "metacube"))
        snprintf(text, PB_NETWORK_TEXT_SIZE, "MC(%u,%u)", network->class_bits, network->field_bits);
    else
        snprintf(text, PB_NETWORK_TEXT_SIZE, network->dims ? "%u dimensions" : "xor of %u bits",
                 network->address_bits);
    return text;
}
