/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "find.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(FIND_PATH_SIZE >= PATH_MAX, "realpath writes up to PATH_MAX bytes");

/* Folders of scenarios, from the folder of the program: bin/ of a prefix, build/ of a tree. */
static const char *const folders[] = {"../share/phasebench/scenarios", "../host/scenarios"};

static bool names_yaml(const char *operand)
{
    const size_t length = strlen(operand);
    return length >= 5 && !strcmp(operand + length - 5, ".yaml");
}

const char *find_scenario(char path[FIND_PATH_SIZE], const char *operand)
{
    char program[1024], candidate[1200];
    if (access(operand, F_OK) == 0 || *operand == '/' || *operand == '.' || names_yaml(operand))
        return operand;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return operand;
    program[length] = 0;
    char *end = strrchr(program, '/');
    if (!end)
        return operand;
    *end = 0;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const int wanted =
            snprintf(candidate, sizeof candidate, "%s/%s/%s.yaml", program, folders[i], operand);
        if ((size_t)wanted < sizeof candidate && realpath(candidate, path))
            return path;
    }
    return operand;
}
