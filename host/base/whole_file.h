/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_WHOLE_FILE_H
#define PB_BASE_WHOLE_FILE_H

#include <stddef.h>

/* Writes a text to a file as a whole or not at all: writes a new file in the same directory, and renames it
 * once it is on the disk. Keeps a symbolic link, and the permissions of a replaced file. Writes directly to a
 * pipe or another file that is not regular. Returns 0, or an errno; then the old file is unchanged. */
int pb_whole_file_write(const char *path, const char *text);

/* Makes a file of these bytes that appears as a whole or not at all, however the process ends. Returns 0,
 * EEXIST if a file of this name is there, which is left as it is, or another errno. Signals wait for the
 * end. */
int pb_new_file_write(const char *path, const void *bytes, size_t length);

/* Removes a regular file without a byte, which a failed write has left; a link to it stays. */
void pb_drop_empty_file(const char *path);

#endif
