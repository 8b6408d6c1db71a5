/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell_word.h"

#include "host/base/utf8.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A report shows one line of printable characters, which would name another file. */
static bool shows_otherwise(const char *word)
{
    char shown[PATH_MAX];
    pb_utf8_clean(shown, sizeof shown, word);
    return strcmp(shown, word) != 0;
}

/* Each byte that is not of ASCII as an octal number, as POSIX 2024, bash and zsh read it. */
static void append_bytes(char *line, size_t size, const char *word)
{
    size_t length = strlen(line);
    length += (size_t)snprintf(line + length, size - length, "%s$'", *line ? " " : "");
    for (; *word && length + 8 < size; word++) {
        const unsigned char byte = (unsigned char)*word;
        const char *const form = strchr("'\\", byte) ? "\\%c" : byte < 0x20 || byte > 0x7E ? "\\%03o" : "%c";
        length += (size_t)snprintf(line + length, size - length, form, byte);
    }
    if (length + 1 < size)
        snprintf(line + length, size - length, "'");
}

void pb_shell_append(char *line, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+,@%-";
    size_t length = strlen(line);
    const bool quote = !*word || word[strspn(word, plain)];
    if (shows_otherwise(word)) {
        append_bytes(line, size, word);
        return;
    }

    length += (size_t)snprintf(line + length, size - length, "%s%s", *line ? " " : "", quote ? "'" : "");
    for (; *word && length + 6 < size; word++)
        length +=
            (size_t)snprintf(line + length, size - length, quote && *word == '\'' ? "'\\''" : "%c", *word);
    if (quote && length + 1 < size)
        snprintf(line + length, size - length, "'");
}
