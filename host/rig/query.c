/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/query.h"
#include "host/base/nearest_word.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pb_query_split(struct pb_query *query, const char *text, struct pb_diag *diag)
{
    while (*text) {
        char key[64], list[160];
        const size_t length = strcspn(text, "&"), name = strcspn(text, "=&");
        if (name >= sizeof key || length - name > sizeof query->value[0])
            return pb_fail(diag, PB_ERR_ARGUMENT, "option '%.40s...' of rig %s is longer than %zu characters",
                           text, query->rig, sizeof key - 1);
        memcpy(key, text, name);
        key[name] = '\0';
        unsigned option = 0;
        char hint[PB_HINT_SIZE];
        while (option < query->options && strcmp(key, query->name[option]))
            option++;
        if (option == query->options)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "unknown option '%s' of rig %s%s Known are %s", key, query->rig,
                           pb_hint(hint, "", key, query->name, query->options, "."),
                           pb_word_list(list, sizeof list, query->name, query->options));
        if (name == length || name + 1 == length)
            return pb_fail(diag, PB_ERR_ARGUMENT, "option '%s' of rig %s has no value; write %s=VALUE", key,
                           query->rig, key);
        if (query->given[option])
            return pb_fail(diag, PB_ERR_ARGUMENT, "option '%s' of rig %s is given twice; give it once", key,
                           query->rig);
        query->given[option] = true;
        memcpy(query->value[option], text + name + 1, length - name - 1);
        text += length + (text[length] == '&');
    }
    return PB_OK;
}

int pb_query_number(const struct pb_query *query, unsigned option, uint64_t low, uint64_t high,
                    uint64_t *number, struct pb_diag *diag)
{
    const char *text = query->value[option];
    char *end;
    if (!query->given[option])
        return PB_OK;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < low || value > high)
        return pb_fail(
            diag, PB_ERR_ARGUMENT, "%s of rig %s is '%s'; a whole number from %llu to %llu is possible",
            query->name[option], query->rig, text, (unsigned long long)low, (unsigned long long)high);
    *number = value;
    return PB_OK;
}
