/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The known word that a misspelt one probably meant.
 */
#ifndef PB_NEAREST_WORD_H
#define PB_NEAREST_WORD_H

#include <stddef.h>

/* The candidate with the smallest edit distance to word, the first of equals; one that begins with the whole
 * word counts as one edit away. NULL: none within two letters. Words are compared in their first 63 bytes. */
const char *pb_nearest(const char *word, const char *const *candidate, size_t count);

/* "; did you mean 'x'?" with that candidate, for a message; `otherwise` without one. x begins with `prefix`.
 * Returns out. */
#define PB_HINT_SIZE 96
const char *pb_hint(char out[PB_HINT_SIZE], const char *prefix, const char *word,
                    const char *const *candidate, size_t count, const char *otherwise);

/* Cuts words that blanks separate, at most `most` of them, from a copy in `text`; returns how many. */
size_t pb_words(const char *words, char *text, size_t size, const char **word, size_t most);

/* "a, b, c" into out, cut to size; returns out. */
char *pb_word_list(char *out, size_t size, const char *const *word, size_t count);

#endif
