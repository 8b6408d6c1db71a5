/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs the program on a scenario file and reads what it says; makes a case smaller.
 */
#ifndef VERDICTS_OUTCOME_H
#define VERDICTS_OUTCOME_H

#include "case.h"

struct outcome {
    unsigned verdict; /* V_* */
    char finding[32]; /* of the first finding that counts, or of the first; "" */
    char text[640];   /* its place, expected and seen; of a refusal or an error the message */
    double seconds;
};

struct runner {
    const char *program;
    char scenario[256], out[256], err[256]; /* files in the working directory */
};

/* Files in `directory` whose names end in `name`. */
void runner_init(struct runner *runner, const char *program, const char *directory, const char *name);
void run_file(const struct runner *runner, const char *scenario, struct outcome *outcome);
void run_case(const struct runner *runner, const struct test_case *test, struct outcome *outcome);

/* Drops and simplifies parts of *test as long as its expectation and its wrong outcome (verdict and finding)
 * stay; at most `runs` runs. *outcome is that of the smallest. */
void shrink_case(const struct runner *runner, struct test_case *test, struct outcome *outcome, unsigned runs);

#endif
