/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "source_texts.h"

#include "text_file.h"

#include <stdlib.h>
#include <string.h>

/* Takes ownership of text, also on failure. */
static int adopt(struct pb_scenario_texts *texts, const char *name, char *text, size_t length)
{
    struct pb_scenario_text *grown = realloc(texts->text, (texts->count + 1) * sizeof *grown);
    if (grown)
        texts->text = grown;
    char *name_copy = strdup(name);
    if (!grown || !name_copy || !text) {
        free(name_copy);
        free(text);
        return PB_ERR_MEMORY;
    }
    texts->text[texts->count++] = (struct pb_scenario_text){name_copy, text, length};
    return PB_OK;
}

int pb_scenario_texts_add(struct pb_scenario_texts *texts, const char *name, const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy && length)
        memcpy(copy, text, length);
    if (copy)
        copy[length] = '\0';
    return adopt(texts, name, copy, length);
}

void pb_scenario_texts_free(struct pb_scenario_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->text[i].name);
        free(texts->text[i].text);
    }
    free(texts->text);
    *texts = (struct pb_scenario_texts){0};
}

int pb_texts_read(struct pb_scenario_texts *texts, const char *name, const char *path, struct pb_diag *diag)
{
    char *text = NULL;
    size_t length = 0;
    int code = pb_text_read(&text, &length, path, diag);
    if (code != PB_OK)
        return code;
    code = adopt(texts, name, text, length);
    return code == PB_OK
               ? code
               : pb_fail(diag, code, "%s: no memory for %zu bytes; close other programs", path, length);
}

int pb_texts_file(const struct pb_reader *reader, const char *name, const char *path,
                  const struct pb_scenario_text **out, struct pb_diag *diag)
{
    struct pb_scenario_texts *texts = reader->texts;
    for (size_t i = 1; i < texts->count; i++)
        if (!strcmp(texts->text[i].name, name)) {
            *out = &texts->text[i];
            return PB_OK;
        }
    if (reader->closed)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: is not among the texts of the recording; record again",
                       path);
    const int code = pb_texts_read(texts, name, path, diag);
    *out = code == PB_OK ? &texts->text[texts->count - 1] : NULL;
    return code;
}
