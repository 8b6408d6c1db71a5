/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A text file in memory.
 */
#ifndef PB_TEXT_FILE_H
#define PB_TEXT_FILE_H

#include "phasebench/error.h"

#include <stddef.h>

#define PB_TEXT_BYTES_MAX ((size_t)1 << 20)

/* Reads a regular file of at most PB_TEXT_BYTES_MAX bytes; *text is zero-terminated and the caller frees it.
 * PB_ERR_CONFIG for a missing, unreadable or too large file and for a directory or device; the sentence
 * starts with the path. Does not wait, not even for the writer of a FIFO. */
int pb_text_read(char **text, size_t *length, const char *path, struct pb_diag *diag);

#endif
