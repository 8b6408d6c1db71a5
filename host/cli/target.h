/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware that a command line names, as the kind of a node.
 */
#ifndef PHASEBENCH_CLI_TARGET_H
#define PHASEBENCH_CLI_TARGET_H

#define TARGET_SIZE 4200

struct target {
    char kind[TARGET_SIZE]; /* of the scenario's node: "native", "exec:COMMAND" */
};

/* Recognises the target: a kind of node, with what follows its colon; or the path of a file, by its content:
 * a program for this computer and a script with #! become exec:, a shared library so:. Returns an exit code;
 * an error has been reported. */
int target_read(struct target *target, const char *text);

#endif
