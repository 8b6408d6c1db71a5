/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "find_scenarios.h"

#include "host/base/nearest_word.h"
#include "host/base/room.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(FIND_PATH_SIZE >= PATH_MAX, "realpath writes up to PATH_MAX bytes");

/* Directories of scenarios, relative to that of the program: bin/ of a prefix, build/ of a tree. */
static const char *const folders[] = {"../share/phasebench/scenarios", "../host/scenarios"};

#define SUFFIX ".yaml"
#define SUFFIX_LENGTH (sizeof SUFFIX - 1)

static bool names_yaml(const char *operand)
{
    const size_t length = strlen(operand);
    return length >= SUFFIX_LENGTH && !strcmp(operand + length - SUFFIX_LENGTH, SUFFIX);
}

/* True for a name that may be a shipped scenario: no path. */
static bool is_bare(const char *operand)
{
    return *operand && *operand != '/' && *operand != '.' && !names_yaml(operand);
}

bool find_beside_program(char path[FIND_PATH_SIZE], const char *relative)
{
    char program[1024], candidate[FIND_PATH_SIZE];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = 0;
    char *end = strrchr(program, '/');
    if (!end)
        return false;
    *end = 0;
    const int wanted = snprintf(candidate, sizeof candidate, "%s/%s", program, relative);
    return wanted < (int)sizeof candidate && realpath(candidate, path);
}

/* Path of NAME and suffix in the first directory of shipped scenarios with it; "": the directory itself. */
static bool find_shipped(char path[FIND_PATH_SIZE], const char *name, const char *suffix)
{
    char candidate[1200];
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const int wanted = snprintf(candidate, sizeof candidate, "%s/%s%s", folders[i], name, suffix);
        if ((size_t)wanted < sizeof candidate && find_beside_program(path, candidate))
            return true;
    }
    return false;
}

const char *find_scenario(char path[FIND_PATH_SIZE], const char *operand)
{
    if (!is_bare(operand) || access(operand, F_OK) == 0 || !find_shipped(path, operand, SUFFIX))
        return operand;
    return path;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

const char *find_folder(char path[FIND_PATH_SIZE], const char *operand)
{
    if (is_folder(operand))
        return operand;
    return is_bare(operand) && access(operand, F_OK) != 0 && find_shipped(path, operand, "") &&
                   is_folder(path)
               ? path
               : NULL;
}

bool find_is_ambiguous(const char *operand)
{
    char path[FIND_PATH_SIZE];
    const size_t length = strlen(operand);
    return is_bare(operand) && operand[length - 1] != '/' && find_folder(path, operand) &&
           find_shipped(path, operand, SUFFIX);
}

/* Directory of the shipped scenarios; false: none. */
static bool find_root(char path[FIND_PATH_SIZE])
{
    return find_shipped(path, "", "");
}

void find_free(struct find_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->path[i]);
    free(list->path);
    *list = (struct find_list){.path = NULL};
}

static int no_memory(const char *folder, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_MEMORY, "no memory for the names in '%s'; name fewer scenarios", folder);
}

int find_add(struct find_list *list, const char *path, struct pb_diag *diag)
{
    if (pb_make_room(&list->path, &list->capacity, list->count + 1, sizeof *list->path))
        return no_memory(path, diag);
    list->path[list->count] = strdup(path);
    if (!list->path[list->count])
        return no_memory(path, diag);
    list->count++;
    return PB_OK;
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int add_entry(struct find_list *list, const char *folder, const char *name, bool folders_wanted,
                     struct pb_diag *diag)
{
    char path[FIND_PATH_SIZE];
    struct stat status;
    if (*name == '.' || names_yaml(name) == folders_wanted)
        return PB_OK;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "the path '%.60s...' is too long; at most %d characters, move the folder", path,
                       FIND_PATH_SIZE - 1);
    if (stat(path, &status) != 0 || !(folders_wanted ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode)))
        return PB_OK;
    return find_add(list, path, diag);
}

/* The entries are sorted by their bytes, so that a suite is the same in every locale. */
static int scan(struct find_list *list, const char *folder, bool folders_wanted, struct pb_diag *diag)
{
    const size_t first = list->count;
    DIR *stream = opendir(folder);
    int code = PB_OK;
    if (!stream)
        return pb_fail(diag, PB_ERR_CONFIG, "cannot read the folder '%s': %s; give one that you may read",
                       folder, strerror(errno));
    for (const struct dirent *entry; !code && (entry = readdir(stream));)
        code = add_entry(list, folder, entry->d_name, folders_wanted, diag);
    closedir(stream);
    if (list->count > first)
        qsort(list->path + first, list->count - first, sizeof *list->path, compare);
    return code;
}

int find_in_folder(struct find_list *list, const char *folder, struct pb_diag *diag)
{
    char trimmed[FIND_PATH_SIZE];
    const size_t before = list->count;
    snprintf(trimmed, sizeof trimmed, "%s", folder);
    for (size_t length = strlen(trimmed); length > 1 && trimmed[length - 1] == '/'; length--)
        trimmed[length - 1] = '\0';
    const int code = scan(list, trimmed, false, diag);
    if (!code && list->count == before)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "the folder '%s' holds no file that ends in " SUFFIX
                       ", and those below it are not searched; name a folder that does",
                       folder);
    return code;
}

int find_all_shipped(struct find_list *list, struct pb_diag *diag)
{
    char root[FIND_PATH_SIZE];
    struct find_list below = {.path = NULL};
    if (!find_root(root))
        return pb_fail(diag, PB_ERR_IO,
                       "no shipped scenarios are installed with this program; install it again, or name "
                       "scenario files");
    int code = scan(list, root, false, diag);
    if (!code)
        code = scan(&below, root, true, diag);
    for (size_t i = 0; !code && i < below.count; i++)
        code = scan(list, below.path[i], false, diag);
    find_free(&below);
    return code;
}

void find_name(char name[FIND_PATH_SIZE], const char *path)
{
    char root[FIND_PATH_SIZE];
    const size_t length = find_root(root) ? strlen(root) : 0;
    const char *rest =
        length && !strncmp(path, root, length) && path[length] == '/' ? path + length + 1 : path;
    snprintf(name, FIND_PATH_SIZE, "%s", rest);
    if (rest != path && names_yaml(name))
        name[strlen(name) - SUFFIX_LENGTH] = '\0';
}

bool find_nearest(char name[FIND_PATH_SIZE], const char *operand)
{
    struct find_list list = {.path = NULL};
    bool found = false;
    char root[FIND_PATH_SIZE];
    if (!is_bare(operand) || !find_root(root) || find_all_shipped(&list, NULL)) {
        find_free(&list);
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        char shipped[FIND_PATH_SIZE];
        find_name(shipped, list.path[i]);
        strcpy(list.path[i], shipped); /* never longer than the path */
    }
    const char *nearest = pb_nearest(operand, (const char *const *)list.path, list.count);
    if (nearest) {
        snprintf(name, FIND_PATH_SIZE, "%s", nearest);
        found = true;
    }
    find_free(&list);
    return found;
}
