/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The words of a command line, as a shell splits them, without expansion.
 */
#ifndef PB_WORDS_H
#define PB_WORDS_H

/* Splits at blanks. '...' is literal; in "..." a backslash quotes " and \; elsewhere it quotes any character.
 * Returns a NULL-terminated list in one block, which the caller frees; NULL: no memory (errno is ENOMEM), or
 * a quote or backslash without an end, or no word (errno is EINVAL). */
char **pb_words_split(const char *text);

#endif
