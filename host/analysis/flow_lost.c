/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What nodes without queues lose.
 *
 * A register holds one message, so nothing ever waits behind another: under dimension order, with ascending
 * phases, every message that survives its injection is delivered or lost within the first superframe.
 */
#include "phasebench/flow.h"

#include <stdlib.h>

#define EMPTY UINT32_MAX

struct registers {
    unsigned dims;
    const struct pb_message *message;
    unsigned per_node;  /* registers in one node: 1 or dims */
    uint32_t *occupant; /* [node * per_node + (dimension)], EMPTY or a message */
    uint32_t *latch;    /* [node], PB_BUFFER_REGISTER_AND_LATCH only, else NULL */
    size_t lost;
};

static unsigned next_dimension(const struct registers *registers, uint32_t node, uint32_t message)
{
    return (unsigned)__builtin_ctz(node ^ registers->message[message].destination);
}

static uint32_t *register_for(const struct registers *registers, uint32_t node, unsigned dimension)
{
    return &registers
                ->occupant[(size_t)node * registers->per_node + (registers->per_node > 1 ? dimension : 0)];
}

static void store(struct registers *registers, uint32_t node, uint32_t message)
{
    uint32_t *occupant = register_for(registers, node, next_dimension(registers, node, message));
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

static void send(struct registers *registers, uint32_t from, unsigned dimension)
{
    uint32_t *occupant = register_for(registers, from, dimension);
    uint32_t to = pb_neighbour(from, dimension);
    uint32_t message = *occupant;

    if (message == EMPTY || next_dimension(registers, from, message) != dimension)
        return;
    *occupant = EMPTY;
    if (registers->message[message].destination == to)
        return;
    if (registers->latch)
        registers->latch[to] = message;
    else
        store(registers, to, message);
}

static void commit_latches(struct registers *registers)
{
    for (uint32_t node = 0; node < pb_cube_nodes(registers->dims); node++) {
        if (registers->latch[node] == EMPTY)
            continue;
        store(registers, node, registers->latch[node]);
        registers->latch[node] = EMPTY;
    }
}

static void run_superframe(struct registers *registers)
{
    for (unsigned phase = 0; phase < pb_cube_phases(registers->dims); phase++) {
        for (uint32_t node = 0; node < pb_cube_nodes(registers->dims); node++)
            if (pb_sends(node, phase))
                send(registers, node, pb_phase_dimension(phase));
        if (registers->latch && pb_phase_direction(phase) == 1)
            commit_latches(registers);
    }
}

static uint32_t *make_empty(size_t count)
{
    uint32_t *cells = malloc(count * sizeof *cells);
    for (size_t i = 0; cells && i < count; i++)
        cells[i] = EMPTY;
    return cells;
}

int pb_flow_lost(unsigned dims, enum pb_buffer buffer, const struct pb_traffic *traffic, size_t *lost)
{
    bool latched = buffer == PB_BUFFER_REGISTER_AND_LATCH;
    struct registers registers = {
        .dims = dims,
        .message = traffic->message,
        .per_node = buffer == PB_BUFFER_REGISTER_PER_DIMENSION ? dims : 1,
    };
    int code = 0;

    *lost = 0;
    if (traffic->count >= EMPTY)
        return PB_ERR_MEMORY;
    registers.occupant = make_empty((size_t)pb_cube_nodes(dims) * registers.per_node);
    if (latched)
        registers.latch = make_empty(pb_cube_nodes(dims));
    if (!registers.occupant || (latched && !registers.latch)) {
        code = PB_ERR_MEMORY;
    } else {
        inject(&registers, traffic->count);
        run_superframe(&registers);
        *lost = registers.lost;
    }
    free(registers.occupant);
    free(registers.latch);
    return code;
}
