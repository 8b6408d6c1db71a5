/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scenarios by their bare names, and those of a folder. Functions that return an exit code have reported
 * what went wrong.
 */
#ifndef PHASEBENCH_CLI_FIND_SCENARIOS_H
#define PHASEBENCH_CLI_FIND_SCENARIOS_H

#include <stdbool.h>
#include <stddef.h>

#define FIND_PATH_SIZE 4096

/* The path of the scenario that an operand means: the operand itself when there is such a file; else, when it
 * is no path of a YAML file, NAME.yaml among the scenarios installed with this program or in the tree it was
 * built in; else the operand. */
const char *find_scenario(char path[FIND_PATH_SIZE], const char *operand);

/* The same of a folder: the operand when it is one; else a folder of the shipped scenarios that it names
 * bare, as "broken"; else NULL. */
const char *find_folder(char path[FIND_PATH_SIZE], const char *operand);
/* A bare name that is both a folder and a shipped scenario; with a slash at its end it is a path. */
bool find_is_ambiguous(const char *operand);

struct find_list {
    char **path; /* owned, as are the texts */
    size_t count, capacity;
};
int find_add(struct find_list *list, const char *path);
void find_free(struct find_list *list);

/* Appends every *.yaml file of the folder, in the order of their bytes; not those whose name begins with a
 * dot, and not what is in folders below. None is an error. */
int find_in_folder(struct find_list *list, const char *folder);
/* Appends every shipped scenario: those of the top folder, then those of each folder in it. */
int find_all_shipped(struct find_list *list);

/* Folder of the shipped scenarios; false: there is none. */
bool find_root(char path[FIND_PATH_SIZE]);
/* The bare name of a shipped scenario's path; any other path as it is. */
void find_name(char name[FIND_PATH_SIZE], const char *path);
/* The bare name of a shipped scenario that is most like the operand; false: the operand is no bare name. */
bool find_nearest(char name[FIND_PATH_SIZE], const char *operand);

#endif
