/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the cases of tests/bench/unit/check/: pieces of words, with loops and expressions (words.def there).
 * What a word does is in test_check.c.
 */
#ifndef CHECK_SCRIPT_H
#define CHECK_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRIPT_PIECE = 400 };

struct script_case {
    char *name, **piece; /* FILE/CASE; NULL-terminated */
    const char *setup;   /* of its file: the text before the first case */
};

struct script {
    struct script_case *it;
    size_t count;
};

/* Reads every file of a folder whose name ends in .cases, in the order of the alphabet. A failure fails. */
void script_read(struct script *script, const char *folder);
void script_free(struct script *script);

/* Runs each piece of a case, once for each choice of its loops; `begin` comes before each of them. */
void script_run(const struct script_case *it, void (*begin)(const struct script_case *),
                void (*word)(const char *));

/* Fails with the case, and the piece that is run. */
void script_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Reads this text in place of the piece, for the time of a call. */
void script_again(const char *text, void (*reader)(void *), void *argument);

/* ---- what follows a word in its piece */
bool script_more(void);                    /* anything more */
bool script_take(const char *text);        /* the next characters are these: takes them */
const char *script_word(void);             /* up to the next blank; one of the last four is valid */
const char *script_text(const char *ends); /* up to one of these characters, or the end of the piece */
const char *script_peek(const char *ends); /* the same, and does not take it */
int64_t script_number(void);               /* an expression without blanks */
int64_t script_primary(void);              /* one operand of an expression */
/* What an expression cannot know: the value of name(argument, ...), and the tick at which a phase begins. */
extern int64_t (*script_function)(const char *name, const int64_t *argument, unsigned arguments);
extern int64_t (*script_tick)(uint32_t superframe, unsigned phase);

#endif
