/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The results of a suite on the disk: each form of each case, one after the other, so that the memory does
 * not grow with the results. */
#ifndef PHASEBENCH_PROCEDURE_SUITE_SUITE_SPOOL_H
#define PHASEBENCH_PROCEDURE_SUITE_SUITE_SPOOL_H

#include "phasebench/suite_run.h"

struct pb_suite_results {
    struct pb_suite whole; /* its cases and rigs are owned */
    unsigned forms;        /* as in struct pb_suite_options */
    FILE *spool;           /* owned */
    struct suite_kept {
        long long at[PB_SUITE_FORMS]; /* in the spool */
        size_t length[PB_SUITE_FORMS]; /* 0: none */
    } * kept; /* owned; of each case */
};

/* An empty suite with room for these numbers of cases and rigs. On failure *out is NULL. */
int suite_spool_open(struct pb_suite_results **out, size_t cases, size_t rigs, unsigned forms,
                     struct pb_diag *diag);

/* Writes the forms of the case with this index to the file, and their lengths. frames: its capture; NULL:
 * none. */
int suite_spool_render(const struct pb_suite_results *results, FILE *file, size_t index,
                       const struct pb_case *one, const struct pb_result *result, FILE *frames,
                       size_t length[PB_SUITE_FORMS], struct pb_diag *diag);
/* Appends them to the spool. */
int suite_spool_keep(struct pb_suite_results *results, size_t index, FILE *file,
                     const size_t length[PB_SUITE_FORMS], struct pb_diag *diag);
/* A temporary file, and one that is made empty again. */
int suite_spool_file(FILE **out, struct pb_diag *diag);
int suite_spool_empty(FILE *file, struct pb_diag *diag);

#endif
