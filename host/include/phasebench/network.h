/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A network: wires, schedule and routes. Pure: no I/O, no allocation, no state; a struct pb_network may be
 * copied.
 *
 * A node has ports, numbered from 0. A wire joins two ports. A superframe is a fixed number of phases. In
 * each phase a node sends on one port, listens on one port, or is idle, and each direction of each wire has
 * exactly one phase. A message received in phase p may be sent from phase p + 1 on.
 *
 * Addresses are numbers of mixed radix: digit i of an address has radix[i] values, digit 0 is the least
 * significant. Families, each in one file of host/network/:
 *
 * cube:N              binary cube, N = 1..20: port d joins the two nodes that differ in bit d. In phase
 *                     2d + b the nodes whose bit d equals b send on port d; their neighbours listen.
 * generalised:R,R,... generalised hypercube: any two nodes that differ in one digit are wired. A digit of
 *                     radix R has R - 1 ports, in ascending order of the neighbour's digit, and R rounds of
 *                     two phases when R is odd, R - 1 when even. In the first phase of a round the smaller
 *                     digit sends, in the second the larger one. Digits have their rounds in ascending order.
 * product:full4,ring5,line3
 *                     the same with digits of several kinds. full: as above. line: a value and the next
 *                     one are wired, from an even one in round 0, from an odd one in round 1. ring: the last
 *                     and the first, too; of an odd number in round 2. Ports: to the value below, to the one
 *                     above (line2: one).
 * xor:N               2^N nodes, N = 1..6, any two wired: port k - 1 and round k - 1 join i and i XOR k.
 * metacube:K,M        MC(K, M), K = 0..3: an address is a class of K bits above 2^K fields of M bits. Ports
 *                     0..M - 1 flip a bit of the field of the class, M..M + K - 1 one of the class. In phase
 *                     2p + b the nodes with b in the bit of port p send on it. Digits: fields, then class.
 */
#ifndef PHASEBENCH_NETWORK_H
#define PHASEBENCH_NETWORK_H

#include "phasebench/api.h"
#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

#define PB_NETWORK_NODES_MAX UINT32_C(1048576)   /* of a network with tables; of a binary cube, */
#define PB_GENERALISED_NODES_MAX UINT32_C(65536) /* and of a generalised hypercube, */
#define PB_GENERALISED_DIGITS_MAX 16u             /* so that pb_network_digit is exact */
#define PB_XOR_BITS_MAX 6u                        /* of xor:N: 63 ports */
#define PB_METACUBE_BITS_MAX 27u      /* of an address of a metacube: no table has all its nodes, */
#define PB_METACUBE_CLASS_BITS_MAX 3u /* and of its class */
#define PB_NETWORK_PORTS_MAX 64u   /* a set of ports is a uint64_t */
#define PB_NETWORK_PHASES_MAX 192u /* three phases a port: reached by digits of radix 3 */
#define PB_NETWORK_DIGITS_MAX 20u
#define PB_NETWORK_HOPS_MAX 64u /* of a route */

/* How the values of a digit are wired. */
enum pb_digit_kind { PB_DIGIT_FULL, PB_DIGIT_RING, PB_DIGIT_LINE, PB_DIGIT_XOR, PB_DIGIT_KINDS };
const char *pb_digit_kind_name(enum pb_digit_kind kind); /* "full", "ring", "line", "xor" */
struct pb_digit {
    enum pb_digit_kind kind;
    unsigned radix;
};

enum pb_rule {
    PB_RULE_ECUBE,         /* lowest differing digit first (dimension order) */
    PB_RULE_OPPORTUNISTIC, /* in each phase, cross its wire if that corrects a digit */
    PB_RULES
};
const char *pb_rule_name(enum pb_rule rule); /* "ecube", "opportunistic" */

enum pb_role { PB_ROLE_IDLE, PB_ROLE_SEND, PB_ROLE_LISTEN };

struct pb_slot {
    enum pb_role role;
    unsigned port; /* 0 when idle */
};

/* A port without a wire, at the end of a line, leads to itself. */
struct pb_peer {
    uint32_t node;
    unsigned port;
};

struct pb_network;

/* Functions of a family; pure. Callers keep node < nodes, phase < phases, port < ports. */
struct pb_network_family {
    const char *name; /* before the colon of the text form */
    struct pb_slot (*slot)(const struct pb_network *network, uint32_t node, unsigned phase);
    struct pb_peer (*peer)(const struct pb_network *network, uint32_t node, unsigned port);
    /* Bit p: a message at `node` may leave on port p, which leads nearer to its destination. 0 exactly when
     * node == destination. Dimension order sets one bit, that of the lowest phase among them; two such paths
     * that diverge never meet again. */
    uint64_t (*wanted)(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                       uint32_t destination);
};

struct pb_network {
    const struct pb_network_family *family;
    uint32_t nodes;                             /* 2..PB_NETWORK_NODES_MAX */
    unsigned ports;                             /* of a node, 1..PB_NETWORK_PORTS_MAX */
    unsigned phases;                            /* of a superframe, 2..PB_NETWORK_PHASES_MAX */
    unsigned address_bits;                      /* log2(nodes); 0: nodes is no power of two */
    unsigned dims;                              /* dimensions of a binary cube; 0 in every other family */
    unsigned digits;                            /* of an address */
    unsigned hops;                              /* the most of a route, 1..PB_NETWORK_HOPS_MAX */
    bool by_digits; /* each wire changes one digit: it has the ports and phases from first_port and
                       first_phase on. Else these are 0 */
    uint8_t kind[PB_NETWORK_DIGITS_MAX];        /* enum pb_digit_kind, of networks by digits */
    unsigned class_bits, field_bits;            /* of a metacube: k and m */
    unsigned radix[PB_NETWORK_DIGITS_MAX];      /* each at least 2; their product is nodes */
    uint32_t weight[PB_NETWORK_DIGITS_MAX];     /* of each digit in an address */
    uint32_t
        reciprocal[PB_NETWORK_DIGITS_MAX]; /* 2^32 / weight, else the next number above it; 0 for weight 1 */
    unsigned first_phase[PB_NETWORK_DIGITS_MAX], first_port[PB_NETWORK_DIGITS_MAX]; /* of each digit */
    unsigned lone_phases[PB_RULES][2]; /* see pb_bound_lone_phases; [1]: from any birth */
    /* The receptions of a node in a superframe do not depend on its transmissions in it. Hypotheses:
     * either rule; a node drops newcomers or nothing; no node adds messages within the superframe. */
    bool look_ahead;
};

static inline struct pb_slot pb_network_slot(const struct pb_network *network, uint32_t node, unsigned phase)
{
    return network->family->slot(network, node, phase);
}
static inline struct pb_peer pb_network_peer(const struct pb_network *network, uint32_t node, unsigned port)
{
    return network->family->peer(network, node, port);
}
static inline uint64_t pb_network_wanted(const struct pb_network *network, enum pb_rule rule, uint32_t node,
                                         uint32_t destination)
{
    return network->family->wanted(network, rule, node, destination);
}
static inline uint32_t pb_network_neighbour(const struct pb_network *network, uint32_t node, unsigned port)
{
    return pb_network_peer(network, node, port).node;
}
/* True if the node has this role on this port in this phase. */
static inline bool pb_network_is(const struct pb_network *network, uint32_t node, unsigned phase,
                                 enum pb_role role, unsigned port)
{
    const struct pb_slot slot = pb_network_slot(network, node, phase);
    return slot.role == role && slot.port == port;
}
/* One digit of an address. The division is exact, as address and weight are at most 2^16. */
static inline unsigned pb_network_digit(const struct pb_network *network, uint32_t address, unsigned digit)
{
    const uint32_t reciprocal = network->reciprocal[digit];
    const uint32_t above = reciprocal ? (uint32_t)((uint64_t)address * reciprocal >> 32) : address;
    if (digit + 1 == network->digits)
        return above;
    const uint32_t next = network->reciprocal[digit + 1];
    return above - (uint32_t)((uint64_t)address * next >> 32) * network->radix[digit];
}
/* Lowest digit in which two addresses differ; `digits` if they are equal. */
unsigned pb_network_differing_digit(const struct pb_network *network, uint32_t left, uint32_t right);

/* Phases in which the node sends and listens on a port, which has a wire. */
unsigned pb_network_send_phase(const struct pb_network *network, uint32_t node, unsigned port);
unsigned pb_network_listen_phase(const struct pb_network *network, uint32_t node, unsigned port);

/* True if every digit has two values: the binary cube, in any family. */
static inline bool pb_network_is_binary(const struct pb_network *network)
{
    return network->by_digits && network->nodes == UINT32_C(1) << network->digits;
}
/* True if a port of the node has a wire. */
static inline bool pb_network_has_wire(const struct pb_network *network, uint32_t node, unsigned port)
{
    const struct pb_peer peer = pb_network_peer(network, node, port);
    return peer.node != node || peer.port != port;
}
/* True if any two nodes that differ in one digit are wired, as in cubes and generalised hypercubes. */
bool pb_network_is_complete(const struct pb_network *network);
/* Hops of a route, which is a shortest path. */
unsigned pb_network_distance(const struct pb_network *network, uint32_t from, uint32_t to);

/* Bits, and hexadecimal digits, of the greatest address. */
unsigned pb_network_address_width(const struct pb_network *network);
unsigned pb_network_address_digits(const struct pb_network *network);

/* The binary cube; dims 1..20. */
struct pb_network pb_network_cube(unsigned dims);

/* The generalised hypercube with these radices, digit 0 first. PB_ERR_ARGUMENT: no or too many digits, a
 * radix below 2, too many nodes or ports; *network is then unchanged. */
int pb_network_generalised(struct pb_network *network, const unsigned *radix, unsigned digits,
                           struct pb_diag *diag);

/* The product of these digits, digit 0 first; PB_ERR_ARGUMENT also: a ring below 3, more than
 * PB_NETWORK_HOPS_MAX hops. */
int pb_network_product(struct pb_network *network, const struct pb_digit *digit, unsigned digits,
                       struct pb_diag *diag);

/* Rounds of XOR, with addresses of 1..PB_XOR_BITS_MAX bits. */
int pb_network_xor(struct pb_network *network, unsigned bits, struct pb_diag *diag);

/* The metacube MC(k, m), with k = 0..PB_METACUBE_CLASS_BITS_MAX class bits and fields of m >= 1 bits;
 * k + m 2^k is at most PB_METACUBE_BITS_MAX. */
int pb_network_metacube(struct pb_network *network, unsigned class_bits, unsigned field_bits,
                        struct pb_diag *diag);

/* Reads the text form, "cube:12" or "generalised:4,4,3", numbers in decimal or 0x hexadecimal.
 * PB_ERR_ARGUMENT with cause, limit and remedy for anything else; *network is then unchanged. */
int pb_network_parse(struct pb_network *network, const char *text, struct pb_diag *diag);

#define PB_NETWORK_TEXT_SIZE 160
/* The text form; returns text. */
const char *pb_network_name(const struct pb_network *network, char text[PB_NETWORK_TEXT_SIZE]);

/* Writes the size of the network for people, "12 dimensions" or "radix 4,4,3"; returns text. */
const char *pb_network_text(const struct pb_network *network, char text[PB_NETWORK_TEXT_SIZE]);

/* Checks that the functions describe a network of at most ports_limit ports per node:
 *
 * - the peer of a peer is the node itself; only a port without a wire leads to its own node, and to itself;
 * - a node listens exactly when its peer sends;
 * - each direction of each wire has one phase, and no phase is unused;
 * - every message arrives within `hops` hops (both rules) and, alone in dimension order, within the bound;
 *   each hop leads nearer, and dimension order takes the nearer port of the lowest phase.
 *
 * Routes: all pairs up to 512 nodes, else 4 destinations per source. PB_ERR_CONFIG: the first violation. */
int pb_network_check(const struct pb_network *network, unsigned ports_limit, struct pb_diag *diag);

struct pb_hop {
    unsigned superframe; /* 0 = the superframe of birth */
    unsigned phase;      /* 0..phases - 1 */
    unsigned port;       /* of the sender */
    uint32_t from, to;
};

struct pb_route {
    unsigned hops;                            /* 0: source == destination */
    unsigned latency_phases;                  /* birth phase to last hop, inclusive; 0: no hops */
    struct pb_hop hop[PB_NETWORK_HOPS_MAX];   /* in time order */
};

/* Route of a message that is alone in the network and ready at the start of phase birth_phase. Both addresses
 * must be below nodes, and birth_phase below phases. */
void pb_route_lone(struct pb_route *route, const struct pb_network *network, enum pb_rule rule,
                   uint32_t source, uint32_t destination, unsigned birth_phase);

/* Largest latency of a lone message over all pairs, in phases; some pair attains it. With a hop a digit, from
 * the superframe start: one superframe (both rules). From any birth phase: 2 * phases - 1 (ecube; one
 * superframe with one digit) or one superframe (opportunistic). Else from the worst of each digit. */
unsigned pb_bound_lone_phases(const struct pb_network *network, enum pb_rule rule, bool any_birth);

PB_API_END

#endif
