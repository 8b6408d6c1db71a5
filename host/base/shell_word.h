/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Command lines that are printed to be typed again.
 */
#ifndef PB_BASE_SHELL_WORD_H
#define PB_BASE_SHELL_WORD_H

#include <stddef.h>

/* Appends a word to a command line, after a blank unless the line is empty; in quotes where a shell needs
 * them, and with octal numbers where a report would show other characters. What does not fit is cut off. */
void pb_shell_append(char *line, size_t size, const char *word);

#endif
