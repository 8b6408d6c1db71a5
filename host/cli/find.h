/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scenarios by their bare names.
 */
#ifndef PHASEBENCH_CLI_FIND_H
#define PHASEBENCH_CLI_FIND_H

#define FIND_PATH_SIZE 4096

/* The path of the scenario that an operand means: the operand itself when there is such a file; else, when it
 * is no path of a YAML file, NAME.yaml among the scenarios installed with this program or in the tree it was
 * built in; else the operand. */
const char *find_scenario(char path[FIND_PATH_SIZE], const char *operand);

#endif
