/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Counts of lines and functions as a tracefile of lcov: geninfo(1), section FILES.
 */
#ifndef PB_MCU_LCOV_H
#define PB_MCU_LCOV_H

#include "phasebench/error.h"

#include <stdint.h>
#include <stdio.h>

struct pb_lcov;

/* NULL: out of memory. */
struct pb_lcov *pb_lcov_create(void);
void pb_lcov_free(struct pb_lcov *lcov);

/* A line, or a function by its name, was executed `count` times: of several calls the largest count holds.
 * `line` is at least 1; of a function it is that of the first call. PB_ERR_MEMORY. */
int pb_lcov_line(struct pb_lcov *lcov, const char *file, uint32_t line, uint64_t count);
int pb_lcov_function(struct pb_lcov *lcov, const char *file, const char *name, uint32_t line,
                     uint64_t count);

/* Adds the counts of another one. PB_ERR_MEMORY. */
int pb_lcov_add(struct pb_lcov *lcov, const struct pb_lcov *other);
/* Adds those of a file that pb_lcov_write has written. PB_ERR_CONFIG: it is none, or not whole: nothing of it
 * is added; PB_ERR_MEMORY. */
int pb_lcov_read(struct pb_lcov *lcov, FILE *stream);

/* Writes it, files, lines and functions in order. PB_ERR_IO. */
int pb_lcov_write(const struct pb_lcov *lcov, FILE *stream);

struct pb_lcov_totals {
    uint64_t lines, lines_hit, functions, functions_hit;
};
struct pb_lcov_totals pb_lcov_totals(const struct pb_lcov *lcov);

#endif
