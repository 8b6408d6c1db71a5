/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How often the lines and functions of firmware images were executed, over all nodes of a run.
 *
 * An instruction counts each time it is executed. A function has the count of its first instruction; a line
 * the largest of those with which a statement of it begins in the line table: a line that is inlined at
 * several places has the count of the busiest one.
 */
#ifndef PB_MCU_COVERAGE_H
#define PB_MCU_COVERAGE_H

#include "bench/emulator/watch/lcov.h"

struct pb_image;
struct pb_coverage;
struct pb_coverage_image; /* what is counted of one image */

/* NULL: out of memory. */
struct pb_coverage *pb_coverage_create(void);
void pb_coverage_free(struct pb_coverage *coverage);

/* The counts of an image, the same for all its nodes; keeps the image. NULL: out of memory, with *diag. */
struct pb_coverage_image *pb_coverage_of(struct pb_coverage *coverage, struct pb_image *image,
                                         struct pb_diag *diag);
/* An instruction was executed. */
void pb_coverage_count(struct pb_coverage_image *image, uint32_t address);

/* Adds all to *tracefile. PB_ERR_CONFIG: an image has no line table (built without -g); PB_ERR_MEMORY. */
int pb_coverage_lines(const struct pb_coverage *coverage, struct pb_lcov *tracefile, struct pb_diag *diag);

#endif
