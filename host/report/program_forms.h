/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forms of a program that all nodes have played. Each returns 0, PB_FORM_NONE where the program has no such
 * form, or a negative code with errno.
 */
#ifndef PB_REPORT_PROGRAM_FORMS_H
#define PB_REPORT_PROGRAM_FORMS_H

#include "host/machine/program/job.h"

#include <stdio.h>

struct pb_program_shown {
    const struct pb_program_job *job; /* played and checked */
    const char *input;                /* file of the input; NULL: drawn by the seed */
    uint64_t seed;
};
int pb_report_program_text(FILE *out, void *shown);
int pb_report_program_json(FILE *out, void *shown);
int pb_report_program_csv(FILE *out, void *shown);
int pb_report_program_pgm(FILE *out, void *shown);

#endif
