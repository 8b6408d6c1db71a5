/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scenarios by bare name, and the scenarios of a directory.
 */
#ifndef PHASEBENCH_PROCEDURE_SUITE_FIND_SCENARIOS_H
#define PHASEBENCH_PROCEDURE_SUITE_FIND_SCENARIOS_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>

#define FIND_PATH_SIZE 4096

/* The real path of a file or folder that exists, relative to the folder of this program: bin/ of a prefix,
 * build/ of a tree. */
bool find_beside_program(char path[FIND_PATH_SIZE], const char *relative);

/* Path of the scenario of an operand: the operand if that file exists; else, if it is no path of a YAML file,
 * NAME.yaml among the scenarios installed with this program or in its build tree; else the operand. */
const char *find_scenario(char path[FIND_PATH_SIZE], const char *operand);

/* Path of the directory of an operand: the operand if it is a directory; else a directory of the shipped
 * scenarios by its bare name, as "broken"; else NULL. */
const char *find_folder(char path[FIND_PATH_SIZE], const char *operand);
/* True for a bare name of both a directory and a shipped scenario; a final slash makes it a path. */
bool find_is_ambiguous(const char *operand);

struct find_list {
    char **path; /* owned, as are the texts */
    size_t count, capacity;
};
int find_add(struct find_list *list, const char *path, struct pb_diag *diag);
void find_free(struct find_list *list);

/* Appends every *.yaml file of the directory, sorted by bytes, without names that begin with a dot and
 * without subdirectories. No file is an error. */
int find_in_folder(struct find_list *list, const char *folder, struct pb_diag *diag);
/* Appends every shipped scenario: of the top directory, then of each directory in it. */
int find_all_shipped(struct find_list *list, struct pb_diag *diag);

/* Bare name of a shipped scenario's path; any other path unchanged. */
void find_name(char name[FIND_PATH_SIZE], const char *path);
/* Bare name of the shipped scenario nearest to the operand; false: the operand is no bare name. */
bool find_nearest(char name[FIND_PATH_SIZE], const char *operand);

#endif
