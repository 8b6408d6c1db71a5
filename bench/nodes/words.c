/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Copies one word and its end; NULL: a quote or backslash without an end. */
static const char *take(const char *text, char **to)
{
    char quote = '\0';
    for (; *text && (quote || !is_blank(*text)); text++) {
        const bool escapes = *text == '\\' && quote != '\'' &&
                             (!quote || text[1] == '"' || text[1] == '\\' || !text[1]);
        if (escapes && !*++text)
            return NULL;
        if (!escapes && *text == quote)
            quote = '\0';
        else if (!escapes && !quote && (*text == '\'' || *text == '"'))
            quote = *text;
        else
            *(*to)++ = *text;
    }
    *(*to)++ = '\0';
    return quote ? NULL : text;
}

char **pb_words_split(const char *text)
{
    /* Each word but the last needs a blank after it. */
    const size_t length = strlen(text), most = length / 2 + 2;
    char **word = malloc(most * sizeof *word + length + 1);
    if (!word) {
        errno = ENOMEM;
        return NULL;
    }
    char *to = (char *)(word + most);
    size_t count = 0;
    while (text) {
        while (is_blank(*text))
            text++;
        if (!*text)
            break;
        word[count++] = to;
        text = take(text, &to);
    }
    if (!text || !count) {
        free(word);
        errno = EINVAL;
        return NULL;
    }
    word[count] = NULL;
    return word;
}
