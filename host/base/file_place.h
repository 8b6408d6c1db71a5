/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the name of a file leads, so that two names of one file are known as such before one is written.
 */
#ifndef PB_BASE_FILE_PLACE_H
#define PB_BASE_FILE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#define PB_FILE_PLACE_SIZE 4096

struct pb_file_place {
    bool exists;
    struct stat status;            /* if it exists */
    char path[PB_FILE_PLACE_SIZE]; /* without links, . and ..; the file need not exist, nor its folder */
};

/* False: it leads nowhere, and what opens it says why. */
bool pb_file_place_find(struct pb_file_place *place, const char *text);
/* A stream that the process got, also one that is a file now. */
bool pb_file_place_is_stream(const char *text);
bool pb_file_place_same_file(const struct stat *a, const struct stat *b);
bool pb_file_place_same(const struct pb_file_place *a, const struct pb_file_place *b);

#endif
