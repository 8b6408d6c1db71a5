/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The results of the shipped programs against plain computations from the inputs, each in the order in which
 * people count them. */
#include "machine_program.h"

#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t input_word(const struct machine_run *run, uint32_t index)
{
    return machine_word(machine_input_at(run, index));
}

static uint32_t result_word(const struct machine_run *run, uint32_t index)
{
    return machine_word(machine_result_at(run, run->play, index));
}

static int no_memory(const struct machine_run *run)
{
    return cli_fail(CLI_BENCH_FAILED, "no memory to check program '%s'; give fewer nodes",
                    run->program->name);
}

/* All nodes have this value. */
static int check_all(struct machine_run *run, uint32_t wanted)
{
    run->right = true;
    for (uint32_t index = 0; index < run->network->nodes; index++)
        run->right = run->right && result_word(run, index) == wanted;
    snprintf(run->detail, sizeof run->detail, "%" PRIu32, wanted);
    return CLI_PASS;
}

static int check_broadcast(struct machine_run *run)
{
    return check_all(run, input_word(run, run->argument));
}

static int check_allreduce(struct machine_run *run)
{
    uint32_t result = input_word(run, 0);
    for (uint32_t index = 1; index < run->network->nodes; index++) {
        const uint32_t value = input_word(run, index);
        if (run->argument == 0)
            result += value;
        else if (run->argument == 1)
            result = value < result ? value : result;
        else
            result = value > result ? value : result;
    }
    return check_all(run, result);
}

static int check_scan(struct machine_run *run)
{
    uint32_t before = 0;
    run->right = true;
    for (uint32_t index = 0; index < run->network->nodes; index++) {
        run->right = run->right && result_word(run, index) == before;
        before += input_word(run, index);
    }
    return CLI_PASS;
}

static int check_barrier(struct machine_run *run)
{
    uint32_t last = 0;
    for (uint32_t index = 0; index < run->network->nodes; index++)
        last = input_word(run, index) > last ? input_word(run, index) : last;
    const bool released = last < run->argument;
    check_all(run, released ? last + 1 : 0);
    if (released)
        snprintf(run->detail, sizeof run->detail,
                 "in superframe %" PRIu32 ", before which the last one arrives", last);
    else
        snprintf(run->detail, sizeof run->detail,
                 "none, as the last one arrives before superframe %" PRIu32 " only", last);
    return CLI_PASS;
}

static int by_value(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static int check_sort(struct machine_run *run)
{
    const uint32_t nodes = run->network->nodes;
    uint32_t *key = malloc(nodes * sizeof *key);
    if (!key)
        return no_memory(run);
    for (uint32_t index = 0; index < nodes; index++)
        key[index] = input_word(run, index);
    qsort(key, nodes, sizeof *key, by_value);
    run->right = true;
    for (uint32_t rank = 0; rank < nodes; rank++)
        run->right = run->right && result_word(run, rank) == key[rank];
    snprintf(run->detail, sizeof run->detail, "%" PRIu32 " to %" PRIu32, key[0], key[nodes - 1]);
    free(key);
    return CLI_PASS;
}

/* ---- Fourier transform by halves, in double */

struct number {
    double re, im;
};

static void transform(const struct number *in, uint32_t apart, struct number *out, uint32_t count)
{
    if (count == 1) {
        *out = *in;
        return;
    }
    const uint32_t half = count / 2;
    transform(in, 2 * apart, out, half);
    transform(in + apart, 2 * apart, out + half, half);
    for (uint32_t k = 0; k < half; k++) {
        const double angle = -2 * acos(-1) * k / count, re = cos(angle), im = sin(angle);
        const struct number even = out[k], odd = out[half + k];
        const struct number turned = {re * odd.re - im * odd.im, re * odd.im + im * odd.re};
        out[k] = (struct number){even.re + turned.re, even.im + turned.im};
        out[half + k] = (struct number){even.re - turned.re, even.im - turned.im};
    }
}

static int check_fft(struct machine_run *run)
{
    const unsigned dims = run->network->dims;
    const uint32_t nodes = run->network->nodes;
    struct number *in = calloc(2 * (size_t)nodes, sizeof *in), *out = in + nodes;
    const double unit = UINT32_C(1) << (15 - dims), limit = 0.71 * nodes + dims * dims;
    double worst = 0;
    if (!in)
        return no_memory(run);
    for (uint32_t i = 0; i < nodes; i++) {
        const uint8_t *sample = machine_input_at(run, i);
        in[i] = (struct number){machine_half_word(sample), machine_half_word(sample + 2)};
    }
    transform(in, 1, out, nodes);
    for (uint32_t k = 0; k < nodes; k++) {
        const uint8_t *result = machine_result_at(run, run->play, k);
        const double error = hypot((int32_t)machine_word(result) - out[k].re * unit,
                                   (int32_t)machine_word(result + 4) - out[k].im * unit);
        worst = error > worst ? error : worst;
    }
    free(in);
    run->right = worst <= limit;
    snprintf(run->detail, sizeof run->detail, "largest error %.2f of at most %.2f, in units of 1/%.0f", worst,
             limit, unit);
    return CLI_PASS;
}

/* ---- pictures */

/* The sum of the 3 x 3 around a cell, with weights. */
static int around(const uint8_t *cell, unsigned side, unsigned x, unsigned y, const int weight[3][3])
{
    int sum = 0;
    for (unsigned row = 0; row < 3; row++)
        for (unsigned column = 0; column < 3; column++)
            sum += weight[row][column] *
                   cell[(y + row + side - 1) % side * side + (x + column + side - 1) % side];
    return sum;
}

static uint8_t next_cell(const struct machine_run *run, const uint8_t *cell, unsigned x, unsigned y)
{
    static const int others[3][3] = {{1, 1, 1}, {1, 0, 1}, {1, 1, 1}};
    const unsigned side = machine_side(run->network);
    const int count = around(cell, side, x, y, others);
    return count == 3 || (count == 2 && cell[y * side + x]);
}

static uint8_t filtered(const struct machine_run *run, const uint8_t *pixel, unsigned x, unsigned y)
{
    static const int weight[][3][3] = {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
                                       {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}},
                                       {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}},
                                       {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}}};
    static const double divisor[] = {9, 16, 1, 1};
    const int sum = around(pixel, machine_side(run->network), x, y, weight[run->argument]);
    const double value = floor(abs(sum) / divisor[run->argument] + 0.5);
    return value > 255 ? 255 : (uint8_t)value;
}

static int check_picture(struct machine_run *run,
                         uint8_t (*next)(const struct machine_run *, const uint8_t *, unsigned, unsigned))
{
    const unsigned side = machine_side(run->network);
    const uint32_t cells = run->network->nodes;
    uint8_t *now = malloc(2 * (size_t)cells), *after = now + cells;
    if (!now)
        return no_memory(run);
    for (uint32_t i = 0; i < cells; i++)
        now[i] = *machine_input_at(run, i);
    for (uint32_t superframe = 0; superframe < pb_program_play_superframes(run->play); superframe++) {
        for (unsigned y = 0; y < side; y++)
            for (unsigned x = 0; x < side; x++)
                after[y * side + x] = next(run, now, x, y);
        memcpy(now, after, cells);
    }
    run->right = true;
    for (uint32_t i = 0; i < cells; i++)
        run->right = run->right && *machine_result_at(run, run->play, i) == now[i];
    free(now);
    return CLI_PASS;
}

static int check_life(struct machine_run *run)
{
    uint32_t before = 0, after = 0;
    for (uint32_t i = 0; i < run->network->nodes; i++) {
        before += *machine_input_at(run, i);
        after += *machine_result_at(run, run->play, i);
    }
    snprintf(run->detail, sizeof run->detail, "%" PRIu32 " cells alive before, %" PRIu32 " after", before,
             after);
    return check_picture(run, next_cell);
}

static int check_filter(struct machine_run *run)
{
    return check_picture(run, filtered);
}

/* ---- matrices */

static int check_transpose(struct machine_run *run)
{
    const uint32_t side = machine_side(run->network);
    run->right = true;
    for (uint32_t row = 0; row < side; row++)
        for (uint32_t column = 0; column < side; column++)
            run->right = run->right &&
                         result_word(run, row * side + column) == input_word(run, column * side + row);
    return CLI_PASS;
}

static int check_exchange(struct machine_run *run)
{
    const uint32_t nodes = run->network->nodes;
    run->right = true;
    for (uint32_t to = 0; to < nodes; to++)
        for (uint32_t from = 0; from < nodes; from++)
            run->right =
                run->right && machine_word(machine_result_at(run, run->play, to) + 4 * (size_t)from) ==
                                  machine_word(machine_input_at(run, from) + 4 * (size_t)to);
    snprintf(run->detail, sizeof run->detail, "%" PRIu64 " messages", (uint64_t)nodes * nodes);
    return CLI_PASS;
}

static const struct machine_kind kinds[] = {
    {"broadcast", MACHINE_WORDS, 16, "at every node", check_broadcast},
    {"allreduce", MACHINE_WORDS, 16, "at every node", check_allreduce},
    {"scan", MACHINE_WORDS, 16, "sums correct", check_scan},
    {"barrier", MACHINE_WORDS, 32, "releases correct", check_barrier},
    {"sort", MACHINE_WORDS, 32, "sorted", check_sort},
    {"fft", MACHINE_SAMPLES, 16, "transform correct", check_fft},
    {"life", MACHINE_CELLS, 16, "as on one computer", check_life},
    {"filter", MACHINE_PIXELS, 8, "as on one computer", check_filter},
    {"transpose", MACHINE_WORDS, 16, "transposed", check_transpose},
    {"exchange", MACHINE_MATRIX, 32, "all arrived", check_exchange},
};

const struct machine_kind *machine_kind_of(const char *program)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].program, program) == 0)
            return &kinds[i];
    return NULL;
}
