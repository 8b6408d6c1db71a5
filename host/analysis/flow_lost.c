/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Messages lost by nodes without queues.
 *
 * A register holds one message, so no message waits for another. In dimension order, with ascending
 * phases, every message that survives its injection is delivered or lost within the first superframe.
 */
#include "phasebench/flow.h"

#include <stdlib.h>

#define EMPTY UINT32_MAX

struct registers {
    const struct pb_network *network;
    const struct pb_message *message;
    unsigned per_node;   /* registers in one node: 1 or ports */
    uint32_t *occupant;  /* [node * per_node + (port)], EMPTY or a message */
    uint32_t *latch;     /* [node], PB_BUFFER_REGISTER_AND_LATCH only, else NULL */
    unsigned *committed; /* [node], with latch: the phase after which the latch is emptied */
    size_t lost;
};

static unsigned next_port(const struct registers *registers, uint32_t node, uint32_t message)
{
    return (unsigned)__builtin_ctzll(
        pb_network_wanted(registers->network, PB_RULE_ECUBE, node, registers->message[message].destination));
}

static uint32_t *register_for(const struct registers *registers, uint32_t node, unsigned port)
{
    return &registers->occupant[(size_t)node * registers->per_node + (registers->per_node > 1 ? port : 0)];
}

static void store(struct registers *registers, uint32_t node, uint32_t message)
{
    uint32_t *occupant = register_for(registers, node, next_port(registers, node, message));
    if (*occupant == EMPTY)
        *occupant = message;
    else
        registers->lost++;
}

static void inject(struct registers *registers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (registers->message[i].source != registers->message[i].destination)
            store(registers, registers->message[i].source, (uint32_t)i);
}

static void send(struct registers *registers, unsigned phase, uint32_t from, unsigned port)
{
    uint32_t *occupant = register_for(registers, from, port);
    uint32_t message = *occupant;

    if (message == EMPTY || next_port(registers, from, message) != port)
        return;
    const struct pb_peer to = pb_network_peer(registers->network, from, port);
    *occupant = EMPTY;
    if (registers->message[message].destination == to.node)
        return;
    if (!registers->latch) {
        store(registers, to.node, message);
        return;
    }
    const unsigned own = pb_network_send_phase(registers->network, to.node, to.port);
    registers->latch[to.node] = message;
    registers->committed[to.node] = own > phase ? own : phase;
}

static void commit_latches(struct registers *registers, unsigned phase)
{
    for (uint32_t node = 0; node < registers->network->nodes; node++) {
        if (registers->latch[node] == EMPTY || registers->committed[node] != phase)
            continue;
        store(registers, node, registers->latch[node]);
        registers->latch[node] = EMPTY;
    }
}

static void run_superframe(struct registers *registers)
{
    const struct pb_network *network = registers->network;

    for (unsigned phase = 0; phase < network->phases; phase++) {
        for (uint32_t node = 0; node < network->nodes; node++) {
            const struct pb_slot slot = pb_network_slot(network, node, phase);
            if (slot.role == PB_ROLE_SEND)
                send(registers, phase, node, slot.port);
        }
        if (registers->latch)
            commit_latches(registers, phase);
    }
}

static uint32_t *make_empty(size_t count)
{
    uint32_t *cells = malloc(count * sizeof *cells);
    for (size_t i = 0; cells && i < count; i++)
        cells[i] = EMPTY;
    return cells;
}

int pb_flow_lost(const struct pb_network *network, enum pb_buffer buffer, const struct pb_traffic *traffic,
                 size_t *lost)
{
    bool latched = buffer == PB_BUFFER_REGISTER_AND_LATCH;
    struct registers registers = {
        .network = network,
        .message = traffic->message,
        .per_node = buffer == PB_BUFFER_REGISTER_PER_DIMENSION ? network->ports : 1,
    };

    *lost = 0;
    if (traffic->count >= EMPTY)
        return PB_ERR_MEMORY;
    int code = 0;
    registers.occupant = make_empty((size_t)network->nodes * registers.per_node);
    if (latched) {
        registers.latch = make_empty(network->nodes);
        registers.committed = calloc(network->nodes, sizeof *registers.committed);
    }
    if (!registers.occupant || (latched && (!registers.latch || !registers.committed)))
        code = PB_ERR_MEMORY;
    if (code == 0) {
        inject(&registers, traffic->count);
        run_superframe(&registers);
        *lost = registers.lost;
    }
    free(registers.occupant);
    free(registers.latch);
    free(registers.committed);
    return code;
}
