/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PHASEBENCH_BASE_EXIT_CODE_H
#define PHASEBENCH_BASE_EXIT_CODE_H

/* The worse of two exit codes of the command, in the order 130, 124, 4, 3, 2, 1, 5, 0. */
int pb_worse_exit_code(int left, int right);

#endif
