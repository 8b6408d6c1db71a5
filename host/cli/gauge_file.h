/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The values of a gauge study from a CSV file: a line of column names, then a line for each value. Columns
 * other than part, appraiser and value are ignored; parts and appraisers are numbered as they first come, and
 * keep their names.
 */
#ifndef PHASEBENCH_CLI_GAUGE_FILE_H
#define PHASEBENCH_CLI_GAUGE_FILE_H

#include "phasebench/gauge.h"

#define GAUGE_PARTS_MAX 200
#define GAUGE_LABEL_SIZE 64

/* By the numbers of a value. */
struct gauge_labels {
    char text[GAUGE_PARTS_MAX][GAUGE_LABEL_SIZE]; /* clean, for a message or a page */
    const char *name[GAUGE_PARTS_MAX];            /* text */
    unsigned count;
};

struct gauge_file {
    struct pb_gauge_value *value; /* owned */
    size_t count;
    struct gauge_labels *part, *appraiser; /* owned */
    struct pb_gauge_names names;           /* of these */
};

/* Returns an exit code, after the error has been reported; *file is then empty. */
int gauge_file_read(struct gauge_file *file, const char *path);
void gauge_file_free(struct gauge_file *file);

#endif
