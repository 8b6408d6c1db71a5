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

struct gauge_file {
    struct pb_gauge_value *value; /* owned */
    size_t count;
    struct gauge_labels *labels;  /* owned */
    struct pb_gauge_names names;  /* of labels, cleaned */
};

/* Returns an exit code, after the error has been reported; *file is then empty. */
int gauge_file_read(struct gauge_file *file, const char *path);
void gauge_file_free(struct gauge_file *file);

#endif
