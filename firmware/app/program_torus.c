/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * life, filter: a torus of 2^(dims/2) x 2^(dims/2) cells on Gray codes, x on the lower dimensions and y on
 * the upper ones. A node sends its cell along its row, and then a sum of its row along its column. */
#include "program_code.h"

enum { CELL, ROW, COLUMN, PORTS }; /* words of the state; PORTS: a byte for each of the neighbours */
enum { LEFT, RIGHT, ABOVE, BELOW, SIDES };
enum { BRIGHTEST = 255 };

/* The port that changes the one bit in which the codes of number and number + step differ. */
static uint8_t port_to(uint16_t code, int8_t step, uint8_t bits)
{
    uint16_t number = code, next;
    uint8_t port = 0;

    for (uint8_t shift = 1; shift < 16; shift = (uint8_t)(shift * 2))
        number ^= number >> shift;
    next = (uint16_t)((uint16_t)(number + step) & ((1u << bits) - 1));
    for (uint16_t change = (uint16_t)(code ^ next ^ next >> 1); change > 1; change >>= 1)
        port++;
    return port;
}

static uint8_t half(const struct program *program)
{
    return program_dims(program) / 2;
}

static void find_ports(struct program *program)
{
    const uint8_t bits = half(program);
    const uint16_t x = (uint16_t)(program->address & ((1u << bits) - 1)), y = program->address >> bits;
    const uint8_t ports[SIDES] = {port_to(x, -1, bits), port_to(x, 1, bits),
                                  (uint8_t)(bits + port_to(y, -1, bits)),
                                  (uint8_t)(bits + port_to(y, 1, bits))};

    program->word[PORTS] = program_word(ports);
}

static bool leads(const struct program *program, uint8_t port, uint8_t side)
{
    return (uint8_t)(program->word[PORTS] >> 8 * side) == port;
}

static uint8_t role(const struct program *program, uint8_t port)
{
    for (uint8_t side = 0; side < SIDES; side++)
        if (leads(program, port, side))
            return PROGRAM_SENDS | PROGRAM_TAKES;
    return 0;
}

static bool has_torus(const struct program *program)
{
    const uint8_t dims = program_dims(program);
    return dims != 0 && dims % 2 == 0;
}

/* ---- life */

static uint16_t life_superframes(const struct program *program)
{
    return has_torus(program) ? program->argument : 0;
}

static void life_restart(struct program *program, uint8_t cell)
{
    program->word[CELL] = program->word[ROW] = cell;
    program->word[COLUMN] = 0;
    *program->result = cell;
}

static void life_begin(struct program *program)
{
    find_ports(program);
    life_restart(program, *program->input != 0);
}

static void life_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    *payload = (uint8_t)program->word[port < half(program) ? CELL : ROW];
}

/* On a side of two cells both neighbours are one node, and count twice. */
static void life_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    for (uint8_t side = 0; side < SIDES; side++)
        if (leads(program, port, side))
            program->word[side <= RIGHT ? ROW : COLUMN] += *payload;
}

static void life_end(struct program *program)
{
    const uint32_t cell = program->word[CELL];
    const uint32_t neighbours = program->word[ROW] + program->word[COLUMN] - cell;

    life_restart(program, neighbours == 3 || (neighbours == 2 && cell));
}

const struct program_code program_life = {.name = "life",
                                          .payload_bytes = 1,
                                          .input_bytes = 1,
                                          .result_bytes = 1,
                                          .argument_most = UINT16_MAX,
                                          .superframes = life_superframes,
                                          .begin = life_begin,
                                          .role = role,
                                          .emit = life_emit,
                                          .take = life_take,
                                          .end = life_end};

/* ---- filter */

static const struct filter {
    int8_t row[3], column[3]; /* weights of the one before, the own one, and the one after */
    uint8_t divisor;
} filters[] = {
    {{1, 1, 1}, {1, 1, 1}, 9},  /* mean */
    {{1, 2, 1}, {1, 2, 1}, 16}, /* binomial */
    {{-1, 0, 1}, {1, 2, 1}, 1}, /* vertical edges */
    {{1, 2, 1}, {-1, 0, 1}, 1}, /* horizontal edges */
};

static uint16_t filter_superframes(const struct program *program)
{
    return has_torus(program);
}

static void filter_begin(struct program *program)
{
    find_ports(program);
    program->word[CELL] = *program->input;
    program->word[ROW] = (uint32_t)(*program->input * filters[program->argument].row[1]);
    *program->result = *program->input;
}

static void filter_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    const uint32_t value = program->word[port < half(program) ? CELL : ROW];
    payload[0] = (uint8_t)value;
    payload[1] = (uint8_t)(value >> 8);
}

static void filter_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    const struct filter *filter = &filters[program->argument];
    const int8_t weight[SIDES] = {filter->row[0], filter->row[2], filter->column[0], filter->column[2]};
    const int16_t value = (int16_t)(uint16_t)(payload[0] | payload[1] << 8);

    for (uint8_t side = 0; side < SIDES; side++)
        if (leads(program, port, side))
            program->word[side <= RIGHT ? ROW : COLUMN] += (uint32_t)((int32_t)value * weight[side]);
}

static void filter_end(struct program *program)
{
    const struct filter *filter = &filters[program->argument];
    const int32_t sum = (int32_t)program->word[COLUMN] + (int32_t)program->word[ROW] * filter->column[1];
    const uint32_t size = (uint32_t)(sum < 0 ? -sum : sum);
    const uint32_t pixel = (size + filter->divisor / 2) / filter->divisor;

    *program->result = (uint8_t)(pixel < BRIGHTEST ? pixel : BRIGHTEST);
}

const struct program_code program_filter = {.name = "filter",
                                            .payload_bytes = 2,
                                            .input_bytes = 1,
                                            .result_bytes = 1,
                                            .argument_most = sizeof filters / sizeof filters[0] - 1,
                                            .superframes = filter_superframes,
                                            .begin = filter_begin,
                                            .role = role,
                                            .emit = filter_emit,
                                            .take = filter_take,
                                            .end = filter_end};
