/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Refuses an output file of a command that is also an input, or the file of another output: one would replace
 * the other. The option tables say which options are files, and how they are used.
 */
#ifndef PHASEBENCH_CLI_FILE_CLASH_H
#define PHASEBENCH_CLI_FILE_CLASH_H

#include "option.h"

/* After the command line was read, before any work: refuses two options, or an option and an operand, that
 * name one file, if one of them is written; and a file in a folder that another process holds. Devices,
 * pipes, and streams as /dev/stdout may be given several times. Returns an exit code. */
int clash_check(const struct cli_verb *verb, const void *request, char *const *operand);

#endif
