/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * broadcast, allreduce, scan, barrier: before digit d a node holds the result over all nodes that differ from
 * it in digits below d only. On each wire of a digit it sends what it held before the first of them. */
#include "program_code.h"

enum { BELOW, NOW, RESULT };    /* words of the state; RESULT: of scan and barrier */
enum { SUM, MINIMUM, MAXIMUM }; /* arguments of allreduce */

static uint16_t one_superframe(const struct program *program)
{
    (void)program;
    return 1;
}

static uint8_t both(const struct program *program, uint8_t port)
{
    (void)program;
    (void)port;
    return PROGRAM_SENDS | PROGRAM_TAKES;
}

/* The digit that a port changes; *weight: of this digit in an address. */
static uint8_t digit_of(const struct route_network *network, uint8_t port, uint16_t *weight)
{
    uint8_t digit = 0;

    for (*weight = 1; port >= network->radix[digit] - 1; digit++) {
        port -= (uint8_t)(network->radix[digit] - 1);
        *weight *= network->radix[digit];
    }
    return digit;
}

static void turn(struct program *program, uint8_t from, uint8_t to)
{
    uint16_t weight;

    if (from != PROGRAM_NO_WIRE && to != PROGRAM_NO_WIRE &&
        digit_of(program->network, from, &weight) != digit_of(program->network, to, &weight))
        program->word[BELOW] = program->word[NOW];
}

static void start_from(struct program *program, uint32_t word)
{
    program->word[BELOW] = program->word[NOW] = word;
}

static void begin(struct program *program)
{
    start_from(program, program_word(program->input));
}

static void emit(struct program *program, uint8_t port, uint8_t *payload)
{
    (void)port;
    program_put_word(payload, program->word[BELOW]);
}

static void put_now(struct program *program)
{
    program_put_word(program->result, program->word[NOW]);
}

/* ---- broadcast: the nodes that agree with the root in this digit and above have the value before it */

static uint16_t broadcast_superframes(const struct program *program)
{
    return program->argument < program->network->nodes;
}

static uint8_t broadcast_role(const struct program *program, uint8_t port)
{
    const uint16_t root = program->argument, own = program->address;
    const uint16_t other = program->network->neighbour(program->network, own, port);
    uint16_t weight;

    (void)digit_of(program->network, port, &weight);
    return (uint8_t)((own / weight == root / weight ? PROGRAM_SENDS : 0) |
                     (other / weight == root / weight ? PROGRAM_TAKES : 0));
}

static void broadcast_begin(struct program *program)
{
    start_from(program, program->address == program->argument ? program_word(program->input) : 0);
}

static void broadcast_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    (void)port;
    program_put_word(payload, program->word[NOW]);
}

static void broadcast_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    (void)port;
    program->word[NOW] = program_word(payload);
}

const struct program_code program_broadcast = {.name = "broadcast",
                                               .payload_bytes = 4,
                                               .input_bytes = 4,
                                               .result_bytes = 4,
                                               .argument_most = UINT16_MAX,
                                               .superframes = broadcast_superframes,
                                               .begin = broadcast_begin,
                                               .role = broadcast_role,
                                               .emit = broadcast_emit,
                                               .take = broadcast_take,
                                               .end = put_now};

/* ---- allreduce */

static void allreduce_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    const uint32_t value = program_word(payload), now = program->word[NOW];

    (void)port;
    if (program->argument == SUM)
        program->word[NOW] = now + value;
    else if ((program->argument == MINIMUM) == (value < now))
        program->word[NOW] = value;
}

const struct program_code program_allreduce = {.name = "allreduce",
                                               .payload_bytes = 4,
                                               .input_bytes = 4,
                                               .result_bytes = 4,
                                               .argument_most = MAXIMUM,
                                               .superframes = one_superframe,
                                               .begin = begin,
                                               .role = both,
                                               .turn = turn,
                                               .emit = emit,
                                               .take = allreduce_take,
                                               .end = put_now};

/* ---- scan: what comes of a neighbour with a smaller address is a sum over nodes that all have smaller
 * ones */

static void scan_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    const uint32_t value = program_word(payload);

    program->word[NOW] += value;
    if (program->network->neighbour(program->network, program->address, port) < program->address)
        program->word[RESULT] += value;
}

static void scan_end(struct program *program)
{
    program_put_word(program->result, program->word[RESULT]);
}

const struct program_code program_scan = {.name = "scan",
                                          .payload_bytes = 4,
                                          .input_bytes = 4,
                                          .result_bytes = 4,
                                          .superframes = one_superframe,
                                          .begin = begin,
                                          .role = both,
                                          .turn = turn,
                                          .emit = emit,
                                          .take = scan_take,
                                          .end = scan_end};

/* ---- barrier: the input is the superframe from which on the node waits; the result, 1 + the one of the
 * release */

static uint16_t barrier_superframes(const struct program *program)
{
    return program->argument;
}

static void barrier_restart(struct program *program)
{
    start_from(program, program_word(program->input) <= program->superframe);
}

static void barrier_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    (void)port;
    *payload = (uint8_t)program->word[BELOW];
}

static void barrier_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    (void)port;
    program->word[NOW] = program->word[NOW] && *payload;
}

static void barrier_end(struct program *program)
{
    if (program->word[NOW] && !program->word[RESULT])
        program->word[RESULT] = (uint32_t)program->superframe + 1;
    program_put_word(program->result, program->word[RESULT]);
    start_from(program, program_word(program->input) <= (uint32_t)program->superframe + 1);
}

const struct program_code program_barrier = {.name = "barrier",
                                             .payload_bytes = 1,
                                             .input_bytes = 4,
                                             .result_bytes = 4,
                                             .argument_most = UINT16_MAX,
                                             .superframes = barrier_superframes,
                                             .begin = barrier_restart,
                                             .role = both,
                                             .turn = turn,
                                             .emit = barrier_emit,
                                             .take = barrier_take,
                                             .end = barrier_end};
