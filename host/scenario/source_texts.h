/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The source texts of a scenario.
 */
#ifndef PB_SOURCE_TEXTS_H
#define PB_SOURCE_TEXTS_H

#include "values.h"

#include "phasebench/scenario.h"

/* Reads a file with pb_text_read and appends it under this name. */
int pb_texts_read(struct pb_scenario_texts *texts, const char *name, const char *path, struct pb_diag *diag);

/* The file at this path that the reader's scenario names. *out stays valid until the next call.
 */
int pb_texts_file(const struct pb_reader *reader, const char *name, const char *path,
                  const struct pb_scenario_text **out, struct pb_diag *diag);

#endif
