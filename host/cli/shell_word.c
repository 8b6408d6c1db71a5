/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void shell_append(char *line, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+,@%-";
    size_t length = strlen(line);
    const bool quote = !*word || word[strspn(word, plain)];

    length += (size_t)snprintf(line + length, size - length, "%s%s", *line ? " " : "", quote ? "'" : "");
    for (; *word && length + 6 < size; word++)
        length +=
            (size_t)snprintf(line + length, size - length, quote && *word == '\'' ? "'\\''" : "%c", *word);
    if (quote && length + 1 < size)
        snprintf(line + length, size - length, "'");
}
