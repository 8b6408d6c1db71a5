/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "host/base/file_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MOST = 40 };

/* Follows a link whose target is missing, and which the file would be written through. */
static void follow(char path[PB_FILE_PLACE_SIZE])
{
    char target[PB_FILE_PLACE_SIZE], joined[PB_FILE_PLACE_SIZE];
    struct stat status;
    for (unsigned i = 0; i < LINKS_MOST && stat(path, &status) != 0; i++) {
        const ssize_t length = readlink(path, target, sizeof target);
        if (length < 0)
            return;
        const char *slash = *target == '/' ? NULL : strrchr(path, '/');
        const int above = slash ? (int)(slash + 1 - path) : 0;
        if (snprintf(joined, sizeof joined, "%.*s%.*s", above, path, (int)length, target) >=
            PB_FILE_PLACE_SIZE)
            return;
        memcpy(path, joined, sizeof joined);
    }
}

/* Appends the parts of a path of which nothing exists. */
static bool append(char path[PB_FILE_PLACE_SIZE], const char *rest)
{
    while (*rest) {
        const size_t length = strcspn(rest, "/"), used = strlen(path);
        char *const slash = strrchr(path, '/');
        if (length == 2 && !strncmp(rest, "..", 2))
            slash[slash == path] = '\0';
        else if (length && (length != 1 || *rest != '.') &&
                 snprintf(path + used, PB_FILE_PLACE_SIZE - used, "%s%.*s", used > 1 ? "/" : "", (int)length,
                          rest) >= (int)(PB_FILE_PLACE_SIZE - used))
            return false;
        rest += length;
        rest += *rest == '/';
    }
    return true;
}

bool pb_file_place_find(struct pb_file_place *place, const char *text)
{
    char path[PB_FILE_PLACE_SIZE], head[PB_FILE_PLACE_SIZE];
    size_t end = strlen(text);
    if (!end || end >= sizeof path)
        return false;
    memcpy(path, text, end + 1);
    follow(path);
    place->exists = stat(path, &place->status) == 0;
    end = strlen(path);
    for (;;) { /* the longest part that exists */
        snprintf(head, sizeof head, "%.*s", (int)end, end ? path : ".");
        if (!end)
            snprintf(head, sizeof head, ".");
        if (realpath(head, place->path))
            return append(place->path, path + end);
        if (!end)
            return false;
        while (end && path[end - 1] == '/')
            end--;
        while (end && path[end - 1] != '/')
            end--;
    }
}

bool pb_file_place_is_stream(const char *text)
{
    return !strcmp(text, "/dev/stdin") || !strcmp(text, "/dev/stdout") || !strcmp(text, "/dev/stderr") ||
           !strncmp(text, "/dev/fd/", 8) || !strncmp(text, "/proc/", 6);
}

bool pb_file_place_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool pb_file_place_same(const struct pb_file_place *a, const struct pb_file_place *b)
{
    return a->exists && b->exists ? pb_file_place_same_file(&a->status, &b->status)
                                  : a->exists == b->exists && !strcmp(a->path, b->path);
}
