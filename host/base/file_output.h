/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file that is written as a stream, as a whole or not at all: under a temporary name next to its own, and
 * renamed when it is on the disk. A full disk keeps the previous file, or none, and a link under the name is
 * replaced, not followed.
 */
#ifndef PB_BASE_FILE_OUTPUT_H
#define PB_BASE_FILE_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#define PB_FILE_OUTPUT_SIZE 4096 /* of a path */

struct pb_file_output {
    const char *path; /* borrowed */
    bool exclusive;   /* set by the caller: EEXIST if there is a file by then */
    bool direct;      /* a device, a pipe or a link at the check: written in place; else replaced */
};

/* Fills in *file, and checks that the file can be written, without a change of it. Returns 0 or an errno. */
int pb_file_output_check(struct pb_file_output *file, const char *path);

struct pb_file_stream {
    FILE *stream; /* for the caller to write; NULL: not open */
    struct pb_file_output file;
    char beside[PB_FILE_OUTPUT_SIZE]; /* where it is written; "" in place */
};

/* Returns 0, or -1 with errno. */
int pb_file_stream_begin(struct pb_file_stream *out, const struct pb_file_output *file);
/* Ends the stream; the data must be on the disk before the rename. failed: the caller could not write all;
 * error: its errno, 0 for none. Returns 0, or -1 with errno; then there is no new file. */
int pb_file_stream_end(struct pb_file_stream *out, bool failed, int error);

/* Signals wait until a temporary file is the whole one, or is removed, else it would stay. The caller sets
 * the mask *before afterwards. */
void pb_file_hold_signals(sigset_t *before);

#endif
