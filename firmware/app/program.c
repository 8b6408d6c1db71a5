/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "program_code.h"

#include <stddef.h>
#include <string.h>

#define PROGRAM_ENTRY(name) &program_##name,
static const struct program_code *const codes[] = {PROGRAM_LIST(PROGRAM_ENTRY)};
#undef PROGRAM_ENTRY
enum { CODES = sizeof codes / sizeof codes[0] };

static const struct program_code *find(const char *name, uint8_t length)
{
    for (uint8_t i = 0; i < CODES; i++)
        if (strlen(codes[i]->name) == length && memcmp(codes[i]->name, name, length) == 0)
            return codes[i];
    return NULL;
}

static uint16_t bytes_of(const struct program *program, uint8_t bytes)
{
    return program->code->each_node ? (uint16_t)(bytes * program->network->nodes) : bytes;
}

static void init(struct program *program)
{
    const struct program_ops *ops = program->ops;
    memset(program, 0, sizeof *program);
    program->ops = ops;
}

static const char *load(struct program *program, const char *name, uint8_t name_length,
                        const struct route_network *network, uint16_t address, uint16_t argument,
                        const uint8_t *input, uint8_t length, uint8_t payload_bytes)
{
    const struct program_code *code = find(name, name_length);

    if (!code)
        return "unknown";
    program->code = code;
    program->network = network;
    program->address = address;
    program->argument = argument;
    if (argument > code->argument_most || bytes_of(program, code->input_bytes) > PROGRAM_DATA_MAX)
        return "range";
    program->superframes = code->superframes(program);
    if (program->superframes == 0)
        return "range";
    if (length != bytes_of(program, code->input_bytes) || payload_bytes < code->payload_bytes)
        return "length";
    program->wire = PROGRAM_NO_WIRE;
    memcpy(program->input, input, length);
    code->begin(program);
    return NULL;
}

static void turn_to(struct program *program, uint8_t wire)
{
    if (program->wire != wire && program->code->turn)
        program->code->turn(program, program->wire, wire);
    program->wire = wire;
}

/* All frames of a superframe have been taken. */
static void close_superframe(struct program *program)
{
    turn_to(program, PROGRAM_NO_WIRE);
    program->code->end(program);
    program->superframe++;
    if (program->superframe == program->superframes)
        program->status = PROGRAM_DONE;
}

static void after_phase(struct program *program)
{
    if (program->phase + 1 == program->network->phases)
        close_superframe(program);
}

/* The phase that an edge should begin. */
static uint8_t due(const struct program *program)
{
    return program->status == PROGRAM_WAITS || program->phase + 1 == program->network->phases
               ? 0
               : (uint8_t)(program->phase + 1);
}

/* Only what decides whether the node sends: a frame of this phase is armed, or the receiver, after it. */
static void edge(struct program *program, uint8_t phase)
{
    if (program->status == PROGRAM_WAITS ? phase != 0 : program->status != PROGRAM_RUNS)
        return;
    if (program->awaits || phase != due(program)) {
        if (!program->awaits)
            program->phase = due(program);
        program->status = PROGRAM_STOPPED;
        return;
    }
    program->status = PROGRAM_RUNS;
    program->phase = phase;
    program->settles = true;
}

static void settle(struct program *program)
{
    if (!program->settles)
        return;
    const uint8_t turn = program->network->turn(program->network, program->address, program->phase);
    program->settles = false;
    program->awaits =
        turn != ROUTE_IDLE && !(turn & ROUTE_SENDS) && program->code->role(program, turn) & PROGRAM_TAKES;
    if (!program->awaits)
        after_phase(program);
}

static bool emit(struct program *program, uint8_t phase, uint8_t port, uint8_t *payload)
{
    /* What is due in this phase decides what is sent in the next one. */
    if ((program->status != PROGRAM_WAITS && program->status != PROGRAM_RUNS) || program->awaits ||
        phase != due(program) || !(program->code->role(program, port) & PROGRAM_SENDS))
        return false;
    turn_to(program, port);
    program->code->emit(program, port, payload);
    return true;
}

static bool take(struct program *program, const uint8_t *payload)
{
    if (program->status != PROGRAM_RUNS)
        return false;
    if (!program->awaits || !payload) { /* the other node has to be silent here, or sends something else */
        program->status = PROGRAM_STOPPED;
        return false;
    }
    const uint8_t port = program->network->turn(program->network, program->address, program->phase);
    program->awaits = false;
    turn_to(program, port);
    program->code->take(program, port, payload);
    after_phase(program);
    return true;
}

static uint8_t result_bytes(const struct program *program)
{
    return (uint8_t)bytes_of(program, program->code->result_bytes);
}

const struct program_ops program_ops = {init, load, edge, settle, emit, take, result_bytes};
