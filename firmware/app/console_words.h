/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the commands of the console share. Private to console*.c.
 */
#ifndef FW_CONSOLE_WORDS_H
#define FW_CONSOLE_WORDS_H

#include "console.h"

/* The rest of a line while it is parsed. */
struct words {
    const char *at, *end;
};

/* Finds the next word (run of non-blanks). Returns its length, 0 at the end of the line. */
uint8_t console_word(struct words *words, const char **word);
/* Reads the next word as a number. Returns NULL, or the reason of the refusal. */
const char *console_number(struct words *words, uint16_t *number);
/* Reads hexadecimal digits in pairs. Returns NULL, or the reason of the refusal. */
const char *console_bytes(uint8_t *bytes, uint8_t most, const char *digits, uint8_t length);
bool console_at_end(struct words *words);

void console_put(struct node *node, const char *text);
void console_put_number(struct node *node, const char *before, uint32_t number);

/* Commands of a node that has room for a program: each writes its answer without the line end and returns
 * NULL, or returns the reason of the refusal. */
const char *console_load_program(struct node *node, struct words *words);
const char *console_show_program(struct node *node, struct words *words);

#endif
