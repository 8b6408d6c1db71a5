/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_WHOLE_FILE_H
#define PB_BASE_WHOLE_FILE_H

/* Writes a text to a file as a whole or not at all: to a new file beside it, which takes its name once it is
 * on the disk. A symbolic link stays, and so do the permissions of a file that is replaced. A pipe, or what
 * else is no regular file, is written to. Returns 0, or an errno; then the old file is as it was. */
int pb_whole_file_write(const char *path, const char *text);

#endif
