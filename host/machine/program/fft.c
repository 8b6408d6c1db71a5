/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Discrete Fourier transform of N = 2^n complex samples, X[k] = sum of x[i] exp(-2 pi j i k / N), not scaled.
 * Sample i is at node bitrev(i), X[k] ends at node k. Dimension d is rank d of decimation in time, so all
 * ranks are one superframe.
 *
 * Numbers: samples are of 16 bits, all others of 32 bits with 15 - n bits after the point. They cannot
 * overflow: |x| <= 2^15.5 grows to at most 2^(15.5 + n). A twiddle factor is a product of roots in Q30, in
 * ascending order of the bits of the address. Each product is rounded once, half up. The largest error is
 * proven in docs/use/programs.md. */
#include "program.h"

enum { DIMS_MAX = 15, POINT = 30 };

struct number {
    int32_t re, im;
};

/* exp(-2 pi j / 2^(i + 2)) in Q30. */
static const struct number root[DIMS_MAX] = {
    {0, -1073741824},         {759250125, -759250125},  {992008094, -410903207},  {1053110176, -209476638},
    {1068571464, -105245103}, {1072448455, -52686014},  {1073418433, -26350943},  {1073660973, -13176464},
    {1073721611, -6588356},   {1073736771, -3294193},   {1073740561, -1647099},   {1073741508, -823550},
    {1073741745, -411775},    {1073741804, -205887},    {1073741819, -102944},
};

struct state {
    uint8_t *result;
    uint32_t address;
    struct number twiddle[DIMS_MAX]; /* of each dimension */
    struct number now, next;         /* on the wires of `port`, and after them */
    uint8_t port;
};

static int32_t rounded(int64_t product)
{
    return (int32_t)((product + (INT64_C(1) << (POINT - 1))) >> POINT);
}

static struct number product(struct number factor, struct number value)
{
    return (struct number){rounded((int64_t)factor.re * value.re - (int64_t)factor.im * value.im),
                           rounded((int64_t)factor.re * value.im + (int64_t)factor.im * value.re)};
}

/* exp(-2 pi j (address mod 2^d) / 2^(d + 1)): each bit b of the address below d gives a root. */
static struct number twiddle(uint32_t address, unsigned dimension)
{
    struct number factor = {INT32_C(1) << POINT, 0};
    for (unsigned bit = 0; bit < dimension; bit++)
        if (address >> bit & 1)
            factor = product(root[dimension - 1 - bit], factor);
    return factor;
}

static void put(uint8_t *to, struct number value)
{
    program_put32(to, (uint32_t)value.re);
    program_put32(to + 4, (uint32_t)value.im);
}

static struct number get(const uint8_t *from)
{
    return (struct number){(int32_t)program_get32(from), (int32_t)program_get32(from + 4)};
}

static int suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("fft", network, false, PB_DIMS_MIN, DIMS_MAX, diag);
}

static uint32_t source(const struct pb_network *network, uint32_t argument, uint32_t index)
{
    (void)argument;
    return program_reversed(index, network->dims);
}

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    const unsigned dims = place->network->dims;
    const int32_t unit = INT32_C(1) << (DIMS_MAX - dims);
    (void)length;
    state->result = place->result;
    state->address = place->address;
    for (unsigned dimension = 0; dimension < dims; dimension++)
        state->twiddle[dimension] = twiddle(place->address, dimension);
    state->now = state->next = (struct number){program_get16(input) * unit, program_get16(input + 2) * unit};
    state->port = PROGRAM_NO_PORT;
    put(state->result, state->now);
}

static void turn_to(struct state *state, unsigned port)
{
    if (port != state->port)
        state->now = state->next;
    state->port = (uint8_t)port;
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    struct state *state = context;
    (void)superframe;
    turn_to(state, port);
    put(payload, state->now);
    return true;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    const struct number other = get(payload);
    (void)superframe;
    turn_to(state, port);
    if (state->address >> port & 1) {
        const struct number own = product(state->twiddle[port], state->now);
        state->next = (struct number){other.re - own.re, other.im - own.im};
    } else {
        const struct number odd = product(state->twiddle[port], other);
        state->next = (struct number){state->now.re + odd.re, state->now.im + odd.im};
    }
}

static void end(void *context, uint32_t superframe)
{
    struct state *state = context;
    (void)superframe;
    turn_to(state, PROGRAM_NO_PORT);
    put(state->result, state->now);
}

const struct pb_program pb_program_fft = {
    .name = "fft",
    .summary = "Fourier transform of one complex sample a node",
    .state_bytes = sizeof(struct state),
    .payload_bytes = 8,
    .rooms = 2,
    .input_bytes = 4,
    .result_bytes = 8,
    .suits = suits,
    .superframes = program_one,
    .source = source,
    .begin = begin,
    .emit = emit,
    .take = take,
    .end = end,
};
