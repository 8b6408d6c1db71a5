/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The figures of a benchmark: a row of the table for each, and a JSON object per line in a file. A failure
 * of the bench ends the program with a diagnostic.
 */
#ifndef PB_PERF_FIGURES_H
#define PB_PERF_FIGURES_H

#include <stdint.h>

/* mode: of fopen. */
void figures_open(const char *path, const char *mode);
void figure(const char *id, const char *what, double value, const char *unit);
/* The exit code of the program. */
int figures_close(void);

int64_t perf_cpu_ns(void); /* of this process and of the children that it waited for */
double perf_peak_mb(void); /* most memory of this process so far */
void perf_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
