/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "entries.h"

#include "host/base/nearest_word.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int pb_entry_refuse(const struct pb_entries *reading, const struct pb_outline_entry *at, const char *format,
                    ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pb_fail(reading->diag, PB_ERR_CONFIG, "%s:%u: %s", reading->path, at->line, text);
}

size_t pb_entry_key(const struct pb_entries *reading, const struct pb_outline_entry *at, const char *what,
                    const char *const *key, size_t count)
{
    char list[160], hint[PB_HINT_SIZE];
    size_t i = 0;
    while (i < count && strcmp(key[i], at->key))
        i++;
    if (i == count)
        pb_entry_refuse(reading, at, "unknown key '%.40s' in %s%s There are %s", at->key, what,
                        pb_hint(hint, "", at->key, key, count, "."),
                        pb_word_list(list, sizeof list, key, count));
    return i;
}

int pb_entry_text(const struct pb_entries *reading, const struct pb_outline_entry *at, char *out, size_t size)
{
    if (at->kind != PB_OUTLINE_SCALAR || strpbrk(at->text, "\n\r\t"))
        return pb_entry_refuse(reading, at, "%s is no single line of text; write one value", at->key);
    if (at->length >= size)
        return pb_entry_refuse(reading, at, "%s has %zu bytes; at most %zu are possible, shorten it", at->key,
                               at->length, size - 1);
    memcpy(out, at->text, at->length + 1);
    return PB_OK;
}
