/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/freedoms.h"

#include <string.h>

const struct pb_freedom_info pb_freedoms[] = {
#define PB_FREEDOM_INFO(id, name, sentence, text) {name, sentence, text},
    PB_FREEDOM_LIST(PB_FREEDOM_INFO)
#undef PB_FREEDOM_INFO
};

static uint64_t one_of(const char *word, size_t length)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < PB_FREEDOMS; i++)
        if (strlen(pb_freedoms[i].name) == length && !strncmp(word, pb_freedoms[i].name, length))
            found = UINT64_C(1) << i;
    return found;
}

const char *pb_freedoms_read(const char *text, uint64_t *set)
{
    uint64_t read = 0;
    if (!strcmp(text, "none") || !strcmp(text, "any") || !strcmp(text, "all")) {
        *set = *text == 'n' ? 0 : text[1] == 'n' ? PB_FREEDOMS_ANY : PB_FREEDOMS_ALL;
        return NULL;
    }
    for (const char *word = text; word; word = strchr(word, '+'), word += word != NULL) {
        const uint64_t one = one_of(word, strcspn(word, "+"));
        if (!one)
            return word;
        read |= one;
    }
    *set = read;
    return NULL;
}
