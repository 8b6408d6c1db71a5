/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Identity and adjacency test: finds on which net of the board each port of each node is
 * (docs/use/adjacency.md).
 *
 * A net is a wire of the network that reaches a node of the scenario. Its number is that in a netlist of the
 * scenario's `wiring`. A pin is a link pin of the core, which only listens: it pulls no link.
 */
#ifndef PHASEBENCH_ADJACENCY_H
#define PHASEBENCH_ADJACENCY_H

#include "phasebench/api.h"
#include "phasebench/result.h"
#include "phasebench/run.h"
#include "phasebench/scenario.h"

#include <stdio.h>

PB_API_BEGIN

/* X(name, id, meaning). --json prints the id. */
#define PB_ADJACENCY_FAULT_LIST(X)                                                                           \
    X(NO_ANSWER, "no_answer", "a node does not answer on its console")                                       \
    X(IDENTITY, "identity", "a node answers with another address than the scenario's")                       \
    X(CONSOLES, "consoles_exchanged", "consoles of nodes are exchanged, their links are not")                \
    X(NODES, "nodes_exchanged", "nodes are in each other's place")                                           \
    X(TURNED, "network_turned", "every node is in another place, and the links form a correct network")      \
    X(PORTS, "ports_exchanged", "two ports of one node are exchanged")                                       \
    X(CROSSED, "links_crossed", "links of two nodes are crossed")                                            \
    X(MISPLACED, "wrong_net", "a port is on a net that is not its own")                                      \
    X(OPEN_NET, "net_open", "no node reaches a net")                                                         \
    X(OPEN_PORT, "port_open", "a port reaches no net")                                                       \
    X(SHORTED, "nets_shorted", "two nets are one wire")                                                      \
    X(HELD_LOW, "net_low", "a net is low although no node may send")                                         \
    X(DAMAGED, "frames_damaged", "frames of a port arrive damaged")                                          \
    X(UNRULY, "sends_in_reset", "a node sends while its NRST is low")

#define PB_ADJACENCY_ENUM(name, id, meaning) PB_ADJACENCY_##name,
enum pb_adjacency_kind { PB_ADJACENCY_FAULT_LIST(PB_ADJACENCY_ENUM) PB_ADJACENCY_KINDS };
#undef PB_ADJACENCY_ENUM
const char *pb_adjacency_id(enum pb_adjacency_kind kind);

struct pb_adjacency_fault {
    enum pb_adjacency_kind kind;
    char text[400]; /* one sentence with the remedy */
};

struct pb_adjacency_port {
    unsigned net;  /* the expected net */
    uint64_t nets; /* nets on which its frames arrived, one bit per net */
    uint64_t pins; /* link pins of the core on which they arrived, one bit per pin, pins without a net
                      included */
    bool damaged;  /* bytes arrived that are no valid frame */
};

struct pb_adjacency_node {
    uint32_t address;  /* of the scenario */
    bool answers;      /* its console answered the command I with an address in the network */
    uint32_t identity; /* that address; 0: no answer */
    bool sends;        /* it accepted the console lines that make it send on every port */
    bool strange;      /* its frames name another sender than its console does: sends_as */
    uint32_t sends_as;
    bool unruly; /* it sent while its NRST was low */
    struct pb_adjacency_port port[PB_WIRE_PORTS_MAX];
};

#define PB_ADJACENCY_NETS_MAX 64
#define PB_ADJACENCY_FAULTS_MAX 300

struct pb_adjacency {
    char scenario[128], rig[128], network[PB_NETWORK_TEXT_SIZE];
    unsigned nodes, ports, nets;
    struct pb_adjacency_node node[PB_SCENARIO_NODES_MAX];
    char net[PB_ADJACENCY_NETS_MAX][64]; /* name of each net, for people */
    struct pb_adjacency_fault fault[PB_ADJACENCY_FAULTS_MAX];
    unsigned faults;
    bool one_by_one; /* the nodes had to send one after the other */
    uint64_t low;    /* pins that were low while every node was in reset */
    enum pb_verdict verdict;
    char reason[256]; /* one sentence */
};

/* Asks every node for its identity, makes each node send a frame on each port, and compares the received
 * frames with the network of the scenario. Uses the options rig_url, timeout_s and stop only. Returns 0 with
 * a result of any verdict in *out, which the caller frees with free(); else a negative code, and *out is
 * NULL. PB_ERR_CONFIG: a scenario with an external clock, which the test could not stop; else as pb_run. */
int pb_adjacency_run(struct pb_adjacency **out, const struct pb_scenario *scenario,
                     const struct pb_run_options *options, struct pb_diag *diag);

/* Forms: the map for people, JSON, a row for each port. path: of the scenario. They return 0, PB_ERR_IO or
 * PB_ERR_MEMORY, and do not close the stream. */
int pb_report_adjacency_text(FILE *stream, const struct pb_adjacency *map, const char *path);
int pb_report_adjacency_json(FILE *stream, const struct pb_adjacency *map, const char *path);
int pb_report_adjacency_csv(FILE *stream, const struct pb_adjacency *map);

PB_API_END

#endif
