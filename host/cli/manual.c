/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "manual.h"

#include "host/procedure/suite/find_scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the folder of the program: installed, in the tree. */
static const char *const places[] = {"../share/doc/phasebench/reference/measurements.md",
                                     "../docs/reference/measurements.md"};

/* Appends one character; false: no room. */
static bool put(char link[MANUAL_LINK_SIZE], char byte)
{
    const size_t length = strlen(link);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || strchr("-._~/", byte);
    const int wanted = snprintf(link + length, MANUAL_LINK_SIZE - length, plain ? "%c" : "%%%02X",
                                (unsigned)(unsigned char)byte);
    return (size_t)wanted < MANUAL_LINK_SIZE - length;
}

static bool put_all(char link[MANUAL_LINK_SIZE], const char *text)
{
    while (*text)
        if (!put(link, *text++))
            return false;
    return true;
}

/* Both are real paths: absolute, without links. */
static bool relate(char link[MANUAL_LINK_SIZE], const char *folder, const char *to)
{
    size_t same = 0, i = 0;
    for (; folder[i] && folder[i] == to[i]; i++)
        if (folder[i] == '/')
            same = i + 1;
    if (!folder[i] && to[i] == '/')
        same = i + 1;
    if (same > strlen(folder)) /* the document is below the folder */
        return put_all(link, to + same);
    for (const char *at = folder + same; *at; at += *at == '/') {
        if (!put_all(link, "../"))
            return false;
        at += strcspn(at, "/");
    }
    return put_all(link, to + same);
}

bool manual_link(char link[MANUAL_LINK_SIZE], const char *folder)
{
    char document[FIND_PATH_SIZE], *const from = realpath(folder, NULL);
    bool found = false;
    *link = '\0';
    for (size_t i = 0; from && i < sizeof places / sizeof places[0] && !found; i++)
        found = find_beside_program(document, places[i]);
    found = found && relate(link, from, document);
    if (!found)
        *link = '\0';
    free(from);
    return found;
}

/* The folder of a page; false: its path is too long. */
static bool folder_of(char folder[FIND_PATH_SIZE], const char *page)
{
    const char *slash = strrchr(page, '/');
    const int length = !slash ? 1 : slash == page ? 1 : (int)(slash - page);
    if (length >= FIND_PATH_SIZE)
        return false;
    snprintf(folder, FIND_PATH_SIZE, "%.*s", length, slash ? page : ".");
    return true;
}

bool manual_link_of(char link[MANUAL_LINK_SIZE], const char *page)
{
    char folder[FIND_PATH_SIZE];
    *link = '\0';
    return folder_of(folder, page) && manual_link(link, folder);
}

bool manual_link_to(char link[MANUAL_LINK_SIZE], const char *page, const char *file)
{
    char folder[FIND_PATH_SIZE];
    *link = '\0';
    char *const from = folder_of(folder, page) ? realpath(folder, NULL) : NULL;
    char *const to = *file ? realpath(file, NULL) : NULL;
    const bool found = from && to && relate(link, from, to);
    if (!found)
        *link = '\0';
    free(from);
    free(to);
    return found;
}
