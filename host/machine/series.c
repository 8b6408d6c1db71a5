/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Series of values that depend on one another: batch means, and the end of a transient. */
#include "phasebench/machine.h"

#include <math.h>

void pb_batch_means_of(struct pb_batch_means *out, const double *sum, const double *weight, size_t n,
                       unsigned batches)
{
    const size_t parts = n < batches ? n : batches, length = parts ? n / parts : 0;
    double total = 0, squares = 0;
    unsigned used = 0;

    *out = (struct pb_batch_means){0, NAN};
    /* The mean of all is that of the batches only when their weights are equal; it is taken of all. */
    double all = 0, of_all = 0;
    size_t at = 0;
    for (size_t batch = 1; batch <= parts; batch++) {
        double part = 0, of_part = 0;
        for (; at < n - (parts - batch) * length; at++) {
            part += sum[at];
            of_part += weight ? weight[at] : 1;
        }
        if (!(of_part > 0))
            continue;
        all += part;
        of_all += of_part;
        const double mean = part / of_part, before = used ? total / used : mean;
        total += mean;
        used++;
        squares += (mean - before) * (mean - total / used);
    }
    if (used)
        out->mean = all / of_all;
    if (used > 1)
        out->half95 = pb_student_factor(0.95, used - 1) * sqrt(squares / (used - 1) / used);
}

enum { STEP = 5 };

size_t pb_transient_of(const double *value, size_t n)
{
    const size_t steps = n / STEP;
    double sum = 0, squares = 0, least = INFINITY;
    size_t best = 0;

    /* From the end on, so that each cut adds one step. The last cuts leave too few to compare. */
    for (size_t left = 1; left <= steps; left++) {
        double mean = 0;
        for (size_t i = 0; i < STEP; i++)
            mean += value[(steps - left) * STEP + i] / STEP;
        const double before = left > 1 ? sum / (double)(left - 1) : mean;
        sum += mean;
        squares += (mean - before) * (mean - sum / (double)left);
        const double error = squares / ((double)left * (double)left);
        if (left >= 5 && error <= least) {
            least = error;
            best = (steps - left) * STEP;
        }
    }
    return best;
}
