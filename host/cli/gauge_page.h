/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A gauge study as a page: verdict, figures, each part by each appraiser as a plot and as a table.
 */
#ifndef PHASEBENCH_CLI_GAUGE_PAGE_H
#define PHASEBENCH_CLI_GAUGE_PAGE_H

#include "gauge_file.h"

#include <stdio.h>

const char *gauge_source_name(int source);
/* path: of the study, as the title; tolerance 0: none. Returns 0 or a negative code. */
int gauge_page(FILE *stream, const char *path, const struct gauge_file *file, const struct pb_gauge *gauge,
               double tolerance);

#endif
