/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The results of the shipped programs against plain computations from the inputs, each in the order in which
 * people count them. */
#include "job.h"
#include "program.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t input_word(const struct pb_program_job *job, uint32_t index)
{
    return program_get32(pb_program_job_input(job, index));
}

static uint32_t result_word(const struct pb_program_job *job, uint32_t index)
{
    return program_get32(pb_program_job_result(job, job->play, index));
}

static int no_memory(const struct pb_program_job *job, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_MEMORY, "no memory to check program '%s'; give fewer nodes",
                   job->program->name);
}

/* All nodes have this value. */
static int check_all(struct pb_program_job *job, uint32_t wanted)
{
    job->right = true;
    for (uint32_t index = 0; index < job->network->nodes; index++)
        job->right = job->right && result_word(job, index) == wanted;
    snprintf(job->detail, sizeof job->detail, "%" PRIu32, wanted);
    return PB_OK;
}

static int check_broadcast(struct pb_program_job *job, struct pb_diag *diag)
{
    (void)diag;
    return check_all(job, input_word(job, job->argument));
}

static int check_allreduce(struct pb_program_job *job, struct pb_diag *diag)
{
    (void)diag;
    uint32_t result = input_word(job, 0);
    for (uint32_t index = 1; index < job->network->nodes; index++) {
        const uint32_t value = input_word(job, index);
        if (job->argument == 0)
            result += value;
        else if (job->argument == 1)
            result = value < result ? value : result;
        else
            result = value > result ? value : result;
    }
    return check_all(job, result);
}

static int check_scan(struct pb_program_job *job, struct pb_diag *diag)
{
    (void)diag;
    uint32_t before = 0;
    job->right = true;
    for (uint32_t index = 0; index < job->network->nodes; index++) {
        job->right = job->right && result_word(job, index) == before;
        before += input_word(job, index);
    }
    return PB_OK;
}

static int check_barrier(struct pb_program_job *job, struct pb_diag *diag)
{
    (void)diag;
    uint32_t last = 0;
    for (uint32_t index = 0; index < job->network->nodes; index++)
        last = input_word(job, index) > last ? input_word(job, index) : last;
    const bool released = last < job->argument;
    check_all(job, released ? last + 1 : 0);
    if (released)
        snprintf(job->detail, sizeof job->detail,
                 "in superframe %" PRIu32 ", before which the last one arrives", last);
    else
        snprintf(job->detail, sizeof job->detail,
                 "none, as the last one arrives before superframe %" PRIu32 " only", last);
    return PB_OK;
}

static int by_value(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static int check_sort(struct pb_program_job *job, struct pb_diag *diag)
{
    const uint32_t nodes = job->network->nodes;
    uint32_t *key = malloc(nodes * sizeof *key);
    if (!key)
        return no_memory(job, diag);
    for (uint32_t index = 0; index < nodes; index++)
        key[index] = input_word(job, index);
    qsort(key, nodes, sizeof *key, by_value);
    job->right = true;
    for (uint32_t rank = 0; rank < nodes; rank++)
        job->right = job->right && result_word(job, rank) == key[rank];
    snprintf(job->detail, sizeof job->detail, "%" PRIu32 " to %" PRIu32, key[0], key[nodes - 1]);
    free(key);
    return PB_OK;
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

static int check_fft(struct pb_program_job *job, struct pb_diag *diag)
{
    const unsigned dims = job->network->dims;
    const uint32_t nodes = job->network->nodes;
    struct number *in = calloc(2 * (size_t)nodes, sizeof *in), *out = in + nodes;
    const double unit = UINT32_C(1) << (15 - dims), limit = 0.71 * nodes + dims * dims;
    double worst = 0;
    if (!in)
        return no_memory(job, diag);
    for (uint32_t i = 0; i < nodes; i++) {
        const uint8_t *sample = pb_program_job_input(job, i);
        in[i] = (struct number){program_get16(sample), program_get16(sample + 2)};
    }
    transform(in, 1, out, nodes);
    for (uint32_t k = 0; k < nodes; k++) {
        const uint8_t *result = pb_program_job_result(job, job->play, k);
        const double error = hypot((int32_t)program_get32(result) - out[k].re * unit,
                                   (int32_t)program_get32(result + 4) - out[k].im * unit);
        worst = error > worst ? error : worst;
    }
    free(in);
    job->right = worst <= limit;
    snprintf(job->detail, sizeof job->detail, "largest error %.2f of at most %.2f, in units of 1/%.0f", worst,
             limit, unit);
    return PB_OK;
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

static uint8_t next_cell(const struct pb_program_job *job, const uint8_t *cell, unsigned x, unsigned y)
{
    static const int others[3][3] = {{1, 1, 1}, {1, 0, 1}, {1, 1, 1}};
    const unsigned side = pb_program_side(job->network);
    const int count = around(cell, side, x, y, others);
    return count == 3 || (count == 2 && cell[y * side + x]);
}

static uint8_t filtered(const struct pb_program_job *job, const uint8_t *pixel, unsigned x, unsigned y)
{
    static const int weight[][3][3] = {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
                                       {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}},
                                       {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}},
                                       {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}}};
    static const double divisor[] = {9, 16, 1, 1};
    const int sum = around(pixel, pb_program_side(job->network), x, y, weight[job->argument]);
    const double value = floor(abs(sum) / divisor[job->argument] + 0.5);
    return value > 255 ? 255 : (uint8_t)value;
}

static int check_picture(struct pb_program_job *job, struct pb_diag *diag,
                         uint8_t (*next)(const struct pb_program_job *, const uint8_t *, unsigned, unsigned))
{
    const unsigned side = pb_program_side(job->network);
    const uint32_t cells = job->network->nodes;
    uint8_t *now = malloc(2 * (size_t)cells), *after = now + cells;
    if (!now)
        return no_memory(job, diag);
    for (uint32_t i = 0; i < cells; i++)
        now[i] = *pb_program_job_input(job, i);
    for (uint32_t superframe = 0; superframe < pb_program_play_superframes(job->play); superframe++) {
        for (unsigned y = 0; y < side; y++)
            for (unsigned x = 0; x < side; x++)
                after[y * side + x] = next(job, now, x, y);
        memcpy(now, after, cells);
    }
    job->right = true;
    for (uint32_t i = 0; i < cells; i++)
        job->right = job->right && *pb_program_job_result(job, job->play, i) == now[i];
    free(now);
    return PB_OK;
}

static int check_life(struct pb_program_job *job, struct pb_diag *diag)
{
    uint32_t before = 0, after = 0;
    for (uint32_t i = 0; i < job->network->nodes; i++) {
        before += *pb_program_job_input(job, i);
        after += *pb_program_job_result(job, job->play, i);
    }
    snprintf(job->detail, sizeof job->detail, "%" PRIu32 " cells alive before, %" PRIu32 " after", before,
             after);
    return check_picture(job, diag, next_cell);
}

static int check_filter(struct pb_program_job *job, struct pb_diag *diag)
{
    return check_picture(job, diag, filtered);
}

/* ---- matrices */

static int check_transpose(struct pb_program_job *job, struct pb_diag *diag)
{
    (void)diag;
    const uint32_t side = pb_program_side(job->network);
    job->right = true;
    for (uint32_t row = 0; row < side; row++)
        for (uint32_t column = 0; column < side; column++)
            job->right =
                job->right && result_word(job, row * side + column) == input_word(job, column * side + row);
    return PB_OK;
}

static int check_exchange(struct pb_program_job *job, struct pb_diag *diag)
{
    (void)diag;
    const uint32_t nodes = job->network->nodes;
    job->right = true;
    for (uint32_t to = 0; to < nodes; to++)
        for (uint32_t from = 0; from < nodes; from++)
            job->right =
                job->right && program_get32(pb_program_job_result(job, job->play, to) + 4 * (size_t)from) ==
                                  program_get32(pb_program_job_input(job, from) + 4 * (size_t)to);
    snprintf(job->detail, sizeof job->detail, "%" PRIu64 " messages", (uint64_t)nodes * nodes);
    return PB_OK;
}

/* The sums over all messages, by the formula of an arithmetic series. */
static int check_alltoall(struct pb_program_job *job, struct pb_diag *diag)
{
    (void)diag;
    const uint32_t nodes = job->network->nodes;
    uint32_t keys = 0;
    for (uint32_t from = 0; from < nodes; from++)
        keys += input_word(job, from) * (2 * from + 1);
    job->right = true;
    for (uint32_t to = 0; to < nodes; to++)
        job->right = job->right && result_word(job, to) == keys + to * UINT32_C(0x9E3779B1) * nodes * nodes;
    snprintf(job->detail, sizeof job->detail, "%" PRIu64 " messages", (uint64_t)nodes * nodes);
    return PB_OK;
}

static int check_permute(struct pb_program_job *job, struct pb_diag *diag)
{
    (void)diag;
    const uint32_t nodes = job->network->nodes;
    uint32_t messages = 0, arrived = 0;
    job->right = true;
    for (uint32_t from = 0; from < nodes; from++) {
        const uint32_t to = input_word(job, from);
        messages += to != UINT32_MAX;
        job->right = job->right && (to == UINT32_MAX || result_word(job, to) == from);
    }
    for (uint32_t node = 0; node < nodes; node++)
        arrived += result_word(job, node) != UINT32_MAX;
    job->right = job->right && arrived == messages;
    snprintf(job->detail, sizeof job->detail, "%" PRIu32 " messages", messages);
    return PB_OK;
}

static const struct pb_program_kind kinds[] = {
    {"broadcast", PB_PROGRAM_WORDS, 16, "at every node", check_broadcast},
    {"allreduce", PB_PROGRAM_WORDS, 16, "at every node", check_allreduce},
    {"scan", PB_PROGRAM_WORDS, 16, "sums correct", check_scan},
    {"barrier", PB_PROGRAM_WORDS, 32, "releases correct", check_barrier},
    {"sort", PB_PROGRAM_WORDS, 32, "sorted", check_sort},
    {"fft", PB_PROGRAM_SAMPLES, 16, "transform correct", check_fft},
    {"life", PB_PROGRAM_CELLS, 16, "as on one computer", check_life},
    {"filter", PB_PROGRAM_PIXELS, 8, "as on one computer", check_filter},
    {"transpose", PB_PROGRAM_WORDS, 16, "transposed", check_transpose},
    {"exchange", PB_PROGRAM_MATRIX, 32, "all arrived", check_exchange},
    {"alltoall", PB_PROGRAM_WORDS, 32, "all arrived", check_alltoall},
    {"permute", PB_PROGRAM_ROUTES, 32, "all arrived", check_permute},
};

const struct pb_program_kind *pb_program_kind_of(const char *program)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].program, program) == 0)
            return &kinds[i];
    return NULL;
}
