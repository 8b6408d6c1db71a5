/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key_rows.h"

#include <stdio.h>
#include <string.h>

bool pb_key_rows(const char *section, void (*print)(const struct pb_key_row *row, void *context),
                 void *context)
{
    const struct pb_key *key;
    const unsigned count = pb_section(section, &key);
    for (const struct pb_key *end = key + count; key < end; key++) {
        char word[32];
        struct pb_key_row row = {.otherwise = key->initial ? key->initial : key->otherwise,
                                 .example = key->example,
                                 .meaning = key->meaning};
        if (key->form == PB_KEY_CHOICE) {
            snprintf(word, sizeof word, "`%s`", key->initial);
            row.otherwise = word;
        }
        snprintf(row.name, sizeof row.name, "`%s`", key->name);
        if (key->range) {
            pb_key_range(key, row.range);
            print(&row, context);
        }
        for (const struct pb_key_among *among = NULL; (among = pb_key_among(key, among));) {
            snprintf(row.name, sizeof row.name, "`%s` of %s", key->name, among->of);
            snprintf(row.range, sizeof row.range, "%s", among->range);
            row.otherwise = among->otherwise;
            row.meaning = among->meaning;
            print(&row, context);
        }
    }
    return count > 0;
}

const char *pb_key_plain(char out[512], const char *text)
{
    size_t length = 0;
    for (; *text && length < 511; text++) {
        const char *const end = strstr(text, "](");
        if (*text == '[' && end && !memchr(text + 1, '[', (size_t)(end - text) - 1))
            continue;
        if (text == end)
            text = strchr(text, ')');
        else if (*text != '`')
            out[length++] = *text;
    }
    out[length] = '\0';
    return out;
}
