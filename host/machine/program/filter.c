/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A separable filter of 3 x 3 on a grey picture, one pixel a node, in one superframe: on the dimensions of x
 * a node sends its pixel, on those of y the weighted sum of three pixels of its row. */
#include "torus.h"

#include <stdlib.h>

enum { BRIGHTEST = 255 };

static const struct filter {
    int row[3], column[3]; /* weights: left, own, right; above, own, below */
    int divisor;
} filters[] = {
    {{1, 1, 1}, {1, 1, 1}, 9},   /* mean */
    {{1, 2, 1}, {1, 2, 1}, 16},  /* binomial */
    {{-1, 0, 1}, {1, 2, 1}, 1},  /* Sobel, vertical edges */
    {{1, 2, 1}, {-1, 0, 1}, 1},  /* Sobel, horizontal edges */
};
enum { FILTERS = sizeof filters / sizeof filters[0] };

struct state {
    uint8_t *result;
    const struct filter *filter;
    struct torus_ports ports;
    uint8_t pixel;
    int row, sum; /* of three pixels of the row; of three such sums */
};

static int suits(const struct pb_network *network, uint32_t argument, struct pb_diag *diag)
{
    (void)argument;
    return program_needs_cube("filter", network, true, 2, PB_DIMS_MAX, diag);
}

static void begin(void *context, const struct pb_program_place *place, const uint8_t *input, size_t length)
{
    struct state *state = context;
    (void)length;
    state->result = place->result;
    state->filter = &filters[place->argument];
    state->ports = torus_ports(place->network, place->address);
    state->pixel = *state->result = *input;
    state->row = state->pixel * state->filter->row[1];
}

static bool emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    const struct state *state = context;
    const struct torus_ports *ports = &state->ports;
    (void)superframe;
    program_put16(payload, (uint32_t)(port < ports->half ? state->pixel : state->row));
    return port == ports->left || port == ports->right || port == ports->up || port == ports->down;
}

static void take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    struct state *state = context;
    const struct torus_ports *ports = &state->ports;
    const int value = program_get16(payload);
    const int *row = state->filter->row, *column = state->filter->column;
    (void)superframe;
    state->row += value * ((port == ports->left) * row[0] + (port == ports->right) * row[2]);
    state->sum += value * ((port == ports->up) * column[0] + (port == ports->down) * column[2]);
}

static void end(void *context, uint32_t superframe)
{
    struct state *state = context;
    const int divisor = state->filter->divisor;
    const int sum = abs(state->sum + state->row * state->filter->column[1]);
    const int pixel = (sum + divisor / 2) / divisor;
    (void)superframe;
    *state->result = (uint8_t)(pixel < BRIGHTEST ? pixel : BRIGHTEST);
}

const struct pb_program pb_program_filter = {
    .name = "filter",
    .summary = "separable filter of 3 x 3 on a torus of grey pixels, one a node",
    .argument_is = "0 mean, 1 binomial, 2 vertical edges, 3 horizontal edges",
    .argument_initial = 1,
    .argument_most = FILTERS - 1,
    .state_bytes = sizeof(struct state),
    .payload_bytes = 2,
    .rooms = 2,
    .input_bytes = 1,
    .result_bytes = 1,
    .suits = suits,
    .superframes = program_one,
    .source = torus_node,
    .sink = torus_node,
    .begin = begin,
    .emit = emit,
    .take = take,
    .end = end,
};
