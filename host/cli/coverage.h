/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `--coverage FILE`: the lines of firmware images that runs execute. Functions that return an exit code have
 * reported the error.
 */
#ifndef PHASEBENCH_CLI_COVERAGE_H
#define PHASEBENCH_CLI_COVERAGE_H

#include "bench/emulator/watch/coverage.h"
#include "output.h"

#include "phasebench/scenario.h"


/* Refuses a rig whose nodes' instructions are not seen. */
int coverage_check_rig(const char *url);
/* True if a node is a firmware image. */
bool coverage_has_image(const struct pb_scenario *scenario);
/* Refuses what has none; `what` names it. */
int coverage_refuse(const char *what);

/* Writes the counts of a run; *out is what it wrote, which the caller frees, or NULL. */
int coverage_write(const char *path, const struct pb_coverage *coverage, struct pb_lcov **out);

/* The sum of the files of several runs. */
struct coverage_sum {
    struct pb_lcov *lcov;
    unsigned runs, lost; /* that left counts; that left none */
    char name[64];       /* of the first one that left none */
};
int coverage_sum_begin(struct coverage_sum *sum);
/* Adds the file of a run; one that cannot be read is counted only. */
int coverage_sum_add(struct coverage_sum *sum, const char *path, const char *name);
int coverage_sum_write(const struct coverage_sum *sum, const struct pb_file_output *file);
void coverage_sum_end(struct coverage_sum *sum);

/* Prints how much the counts cover. */
void coverage_say(const char *path, const struct pb_lcov *lcov);

#endif
