/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * sort, permute, fft, transpose, exchange, alltoall: programs of a binary cube. */
#include "program_code.h"

/* ---- sort: stage i compares ranks that differ in bit i - 1, ..., 0; bit b is dimension dims - 1 - b */

enum { KEY, KEY_AFTER }; /* on the current wire, and after it */

static uint16_t sort_superframes(const struct program *program)
{
    return program_dims(program);
}

static void sort_begin(struct program *program)
{
    program->word[KEY] = program->word[KEY_AFTER] = program_word(program->input);
}

static uint8_t sort_role(const struct program *program, uint8_t port)
{
    return port + program->superframe + 1 >= program_dims(program) ? PROGRAM_SENDS | PROGRAM_TAKES : 0;
}

static void sort_turn(struct program *program, uint8_t from, uint8_t to)
{
    (void)from;
    (void)to;
    program->word[KEY] = program->word[KEY_AFTER];
}

static void sort_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    (void)port;
    program_put_word(payload, program->word[KEY]);
}

static void sort_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    const uint8_t dims = program_dims(program), stage = (uint8_t)(program->superframe + 1);
    /* The bit of the rank that decides the direction; above the highest one all ascend. */
    const uint16_t descends = stage < dims ? program_bit(program, (uint8_t)(dims - 1 - stage)) : 0;
    const bool keeps_larger = program_bit(program, port) != descends;
    const uint32_t other = program_word(payload);

    if (keeps_larger == (other > program->word[KEY]))
        program->word[KEY_AFTER] = other;
}

static void sort_end(struct program *program)
{
    program_put_word(program->result, program->word[KEY]);
}

const struct program_code program_sort = {.name = "sort",
                                          .payload_bytes = 4,
                                          .input_bytes = 4,
                                          .result_bytes = 4,
                                          .superframes = sort_superframes,
                                          .begin = sort_begin,
                                          .role = sort_role,
                                          .turn = sort_turn,
                                          .emit = sort_emit,
                                          .take = sort_take,
                                          .end = sort_end};

/* ---- permute: sorts messages by the reversed destination, in the upper half of a word above the source;
 * then each crosses the dimensions in which its node is not its destination */

#define ABSENT UINT32_C(0xFFFFFFFF)

static uint16_t permute_superframes(const struct program *program)
{
    return program_dims(program) ? program_dims(program) + 1 : 0;
}

static void permute_begin(struct program *program)
{
    const uint8_t dims = program_dims(program);
    const uint32_t destination = program_word(program->input);
    uint32_t key = 0;
    for (uint8_t bit = 0; bit < dims; bit++)
        key = key << 1 | (destination >> bit & 1);
    program->word[KEY] = program->word[KEY_AFTER] =
        destination == ABSENT ? ABSENT : key << 16 | program->address;
}

static bool spreads(const struct program *program)
{
    return program->superframe == program_dims(program);
}

static bool moves_on(const struct program *program, uint8_t port)
{
    const uint16_t due = program->word[KEY] >> 16 >> (program_dims(program) - 1 - port) & 1;
    return program->word[KEY] != ABSENT && due != program_bit(program, port);
}

static void permute_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    program_put_word(payload, spreads(program) && !moves_on(program, port) ? ABSENT : program->word[KEY]);
}

static void permute_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    if (!spreads(program))
        sort_take(program, port, payload);
    else if (program_word(payload) != ABSENT)
        program->word[KEY_AFTER] = program_word(payload);
    else if (moves_on(program, port))
        program->word[KEY_AFTER] = ABSENT;
}

static void permute_end(struct program *program)
{
    const uint32_t message = program->word[KEY];
    program_put_word(program->result, message == ABSENT ? ABSENT : message & 0xFFFF);
}

const struct program_code program_permute = {.name = "permute",
                                             .payload_bytes = 4,
                                             .input_bytes = 4,
                                             .result_bytes = 4,
                                             .superframes = permute_superframes,
                                             .begin = permute_begin,
                                             .role = sort_role,
                                             .turn = sort_turn,
                                             .emit = permute_emit,
                                             .take = permute_take,
                                             .end = permute_end};

/* ---- fft: dimension d is rank d of decimation in time. Samples have 15 - dims bits after the point. */

enum { RE, IM, RE_AFTER, IM_AFTER };
enum { POINT = 30, FFT_BITS = 15 };

struct complex32 {
    int32_t re, im;
};

/* exp(-2 pi j / 2^(i + 2)), 30 bits after the point. */
static const struct complex32 root[ROUTE_PORTS_MAX] = {
    {0, -1073741824},         {759250125, -759250125}, {992008094, -410903207}, {1053110176, -209476638},
    {1068571464, -105245103}, {1072448455, -52686014}, {1073418433, -26350943}, {1073660973, -13176464},
    {1073721611, -6588356},   {1073736771, -3294193},  {1073740561, -1647099},  {1073741508, -823550}};

static int32_t rounded(int64_t product)
{
    return (int32_t)((product + (INT64_C(1) << (POINT - 1))) >> POINT);
}

static struct complex32 times(struct complex32 a, struct complex32 b)
{
    return (struct complex32){rounded((int64_t)a.re * b.re - (int64_t)a.im * b.im),
                              rounded((int64_t)a.re * b.im + (int64_t)a.im * b.re)};
}

static struct complex32 twiddle(uint16_t address, uint8_t dimension)
{
    struct complex32 factor = {INT32_C(1) << POINT, 0};
    for (uint8_t bit = 0; bit < dimension; bit++)
        if (address >> bit & 1)
            factor = times(root[dimension - 1 - bit], factor);
    return factor;
}

static int32_t sample(const uint8_t *bytes, uint8_t dims)
{
    return (int16_t)(uint16_t)(bytes[0] | bytes[1] << 8) * (INT32_C(1) << (FFT_BITS - dims));
}

static uint16_t fft_superframes(const struct program *program)
{
    return program_dims(program) != 0;
}

static uint8_t fft_role(const struct program *program, uint8_t port)
{
    (void)program;
    (void)port;
    return PROGRAM_SENDS | PROGRAM_TAKES;
}

static void fft_begin(struct program *program)
{
    program->word[RE] = program->word[RE_AFTER] = (uint32_t)sample(program->input, program_dims(program));
    program->word[IM] = program->word[IM_AFTER] = (uint32_t)sample(program->input + 2, program_dims(program));
}

static void fft_turn(struct program *program, uint8_t from, uint8_t to)
{
    (void)from;
    (void)to;
    program->word[RE] = program->word[RE_AFTER];
    program->word[IM] = program->word[IM_AFTER];
}

static void fft_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    (void)port;
    program_put_word(payload, program->word[RE]);
    program_put_word(payload + 4, program->word[IM]);
}

static void fft_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    const bool odd = program_bit(program, port);
    const struct complex32 own = {(int32_t)program->word[RE], (int32_t)program->word[IM]};
    const struct complex32 other = {(int32_t)program_word(payload), (int32_t)program_word(payload + 4)};
    const struct complex32 turned = times(twiddle(program->address, port), odd ? own : other);

    /* Modulo 2^32, as a node that is wrong may send anything. */
    program->word[RE_AFTER] =
        odd ? (uint32_t)other.re - (uint32_t)turned.re : (uint32_t)own.re + (uint32_t)turned.re;
    program->word[IM_AFTER] =
        odd ? (uint32_t)other.im - (uint32_t)turned.im : (uint32_t)own.im + (uint32_t)turned.im;
}

static void fft_end(struct program *program)
{
    program_put_word(program->result, program->word[RE]);
    program_put_word(program->result + 4, program->word[IM]);
}

const struct program_code program_fft = {.name = "fft",
                                         .payload_bytes = 8,
                                         .input_bytes = 4,
                                         .result_bytes = 8,
                                         .superframes = fft_superframes,
                                         .begin = fft_begin,
                                         .role = fft_role,
                                         .turn = fft_turn,
                                         .emit = fft_emit,
                                         .take = fft_take,
                                         .end = fft_end};

/* ---- transpose: an element whose bits of a pair of dimensions differ crosses the lower, then the upper
 * one */

enum { ELEMENT, GUEST }; /* GUEST: between both dimensions of a pair */
enum { INTERLEAVED, HALVES };

struct pair {
    uint8_t lower, upper;
};

static struct pair pair_of(const struct program *program, uint8_t port)
{
    if (program->argument == INTERLEAVED)
        return (struct pair){port & 0xFE, port | 1};
    return (struct pair){(uint8_t)program->superframe,
                         (uint8_t)(program->superframe + program_dims(program) / 2)};
}

/* The node's own element stays, and it takes another one between both dimensions. */
static bool stays(const struct program *program, struct pair pair)
{
    return program_bit(program, pair.lower) == program_bit(program, pair.upper);
}

static uint16_t transpose_superframes(const struct program *program)
{
    const uint8_t dims = program_dims(program);
    return dims % 2 || dims == 0 ? 0 : program->argument == HALVES ? dims / 2 : 1;
}

static void transpose_begin(struct program *program)
{
    program->word[ELEMENT] = program_word(program->input);
}

static uint8_t transpose_role(const struct program *program, uint8_t port)
{
    const struct pair pair = pair_of(program, port);
    if (port != pair.lower && port != pair.upper)
        return 0;
    return (port == pair.upper) == stays(program, pair) ? PROGRAM_SENDS : PROGRAM_TAKES;
}

static uint8_t transpose_word(const struct program *program, uint8_t port)
{
    return stays(program, pair_of(program, port)) ? GUEST : ELEMENT;
}

static void transpose_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    program_put_word(payload, program->word[transpose_word(program, port)]);
}

static void transpose_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    program->word[transpose_word(program, port)] = program_word(payload);
}

static void transpose_end(struct program *program)
{
    program_put_word(program->result, program->word[ELEMENT]);
}

const struct program_code program_transpose = {.name = "transpose",
                                               .payload_bytes = 4,
                                               .input_bytes = 4,
                                               .result_bytes = 4,
                                               .argument_most = HALVES,
                                               .superframes = transpose_superframes,
                                               .begin = transpose_begin,
                                               .role = transpose_role,
                                               .emit = transpose_emit,
                                               .take = transpose_take,
                                               .end = transpose_end};

/* ---- exchange, alltoall: in round k a message crosses the dimensions of the bits of k. Rounds k and NOT k
 * share a superframe. Messages of alltoall are computed, and added up. */

#define MESSAGE_STEP UINT32_C(0x9E3779B1)

enum { ROUND, COMPLEMENT, TAKEN, HAS_TAKEN }; /* messages of both rounds; what came of the current wire */
enum { PAIRS, ALONE };

static uint16_t exchange_superframes(const struct program *program)
{
    const uint16_t nodes = program->network->nodes;
    return program_dims(program) == 0 ? 0 : program->argument == ALONE ? (uint16_t)(nodes - 1) : nodes / 2;
}

static uint16_t round_of(const struct program *program, uint8_t which)
{
    const uint16_t round = (uint16_t)(program->superframe + (program->argument == ALONE));
    return which == ROUND ? round : (uint16_t)(~round & (program->network->nodes - 1));
}

/* Which of both rounds crosses a dimension. */
static uint8_t crosses(const struct program *program, uint8_t port)
{
    return round_of(program, ROUND) >> port & 1 ? ROUND : COMPLEMENT;
}

static uint16_t peer_of(const struct program *program, uint8_t which)
{
    return program->address ^ round_of(program, which);
}

static uint32_t message_to(const struct program *program, uint16_t node)
{
    return program->code->each_node ? program_word(program->input + 4 * node)
                                    : program_word(program->input) + node * MESSAGE_STEP;
}

static void arrive(struct program *program, uint16_t from, uint32_t message)
{
    if (program->code->each_node)
        program_put_word(program->result + 4 * from, message);
    else
        program_put_word(program->result, program_word(program->result) + message * (2 * (uint32_t)from + 1));
}

static void exchange_restart(struct program *program)
{
    program->word[HAS_TAKEN] = 0;
    for (uint8_t which = ROUND; program->superframe < program->superframes && which <= COMPLEMENT; which++)
        program->word[which] = message_to(program, peer_of(program, which));
}

static void exchange_begin(struct program *program)
{
    if (program->argument == ALONE) /* else it is the message of round 0 */
        arrive(program, program->address, message_to(program, program->address));
    exchange_restart(program);
}

static uint8_t exchange_role(const struct program *program, uint8_t port)
{
    return program->argument == PAIRS || crosses(program, port) == ROUND ? PROGRAM_SENDS | PROGRAM_TAKES : 0;
}

static void exchange_turn(struct program *program, uint8_t from, uint8_t to)
{
    (void)to;
    if (program->word[HAS_TAKEN])
        program->word[crosses(program, from)] = program->word[TAKEN];
    program->word[HAS_TAKEN] = 0;
}

static void exchange_emit(struct program *program, uint8_t port, uint8_t *payload)
{
    program_put_word(payload, program->word[crosses(program, port)]);
}

static void exchange_take(struct program *program, uint8_t port, const uint8_t *payload)
{
    (void)port;
    program->word[TAKEN] = program_word(payload);
    program->word[HAS_TAKEN] = 1;
}

static void exchange_end(struct program *program)
{
    for (uint8_t which = ROUND; which <= (program->argument == PAIRS ? COMPLEMENT : ROUND); which++)
        arrive(program, peer_of(program, which), program->word[which]);
    program->superframe++;
    exchange_restart(program);
    program->superframe--;
}

const struct program_code program_exchange = {.name = "exchange",
                                              .payload_bytes = 4,
                                              .input_bytes = 4,
                                              .result_bytes = 4,
                                              .each_node = true,
                                              .argument_most = ALONE,
                                              .superframes = exchange_superframes,
                                              .begin = exchange_begin,
                                              .role = exchange_role,
                                              .turn = exchange_turn,
                                              .emit = exchange_emit,
                                              .take = exchange_take,
                                              .end = exchange_end};

const struct program_code program_alltoall = {.name = "alltoall",
                                              .payload_bytes = 4,
                                              .input_bytes = 4,
                                              .result_bytes = 4,
                                              .argument_most = ALONE,
                                              .superframes = exchange_superframes,
                                              .begin = exchange_begin,
                                              .role = exchange_role,
                                              .turn = exchange_turn,
                                              .emit = exchange_emit,
                                              .take = exchange_take,
                                              .end = exchange_end};
