/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/nearest_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 63
#define LETTERS 2 /* farther away it is another word */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned least_ab = a < b ? a : b;
    return least_ab < c ? least_ab : c;
}

/* Levenshtein distance, one row of the table at a time. */
static unsigned edit_distance(const char *a, const char *b)
{
    size_t a_length = strnlen(a, WORD_MAX), b_length = strnlen(b, WORD_MAX);
    unsigned row[WORD_MAX + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *pb_nearest(const char *word, const char *const *candidate, size_t count)
{
    const char *nearest = NULL;
    unsigned nearest_distance = 0;
    for (size_t i = 0; i < count; i++) {
        bool begun = *word && strncmp(candidate[i], word, strlen(word)) == 0;
        unsigned distance = begun ? 1 : edit_distance(word, candidate[i]);
        if (!nearest || distance < nearest_distance) {
            nearest = candidate[i];
            nearest_distance = distance;
        }
    }
    return nearest && nearest_distance <= LETTERS && nearest_distance < strlen(word) ? nearest : NULL;
}

const char *pb_hint(char out[PB_HINT_SIZE], const char *prefix, const char *word,
                    const char *const *candidate, size_t count, const char *otherwise)
{
    const char *const nearest = pb_nearest(word, candidate, count);
    if (nearest)
        snprintf(out, PB_HINT_SIZE, "; did you mean '%s%.63s'?", prefix, nearest);
    else
        snprintf(out, PB_HINT_SIZE, "%s", otherwise);
    return out;
}

size_t pb_words(const char *words, char *text, size_t size, const char **word, size_t most)
{
    size_t count = 0;
    snprintf(text, size, "%s", words);
    for (char *at = text; *at && count < most; count++) {
        word[count] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
    return count;
}

char *pb_word_list(char *out, size_t size, const char *const *word, size_t count)
{
    static const char more[] = ", ...";
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(word[i]) + (i ? strlen(", ") : 0);
        if (used + length + (i + 1 < count ? strlen(more) : 0) >= size) {
            snprintf(out + used, size - used, "%s", i ? more : "...");
            break;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", word[i]);
    }
    return out;
}
