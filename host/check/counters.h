/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Strict reader of answers of the form "+X key=value key=value" (docs/node.md, C3 and C5): each required key
 * occurs once and is well formed. Pure; private to host/check.
 */
#ifndef PHASEBENCH_CHECK_COUNTERS_H
#define PHASEBENCH_CHECK_COUNTERS_H

#include "phasebench/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Error of a required key. A number is 1 to 8 hexadecimal digits without prefix. */
enum pb_pair_fault {
    PB_PAIR_SOUND,
    PB_PAIR_MISSING,
    PB_PAIR_TWICE, /* or more often, even with the same value */
    PB_PAIR_EMPTY, /* "key=" */
    PB_PAIR_LONG,  /* a number of nine digits or more */
    PB_PAIR_GARBLED
};

/* A value: *length bytes within the answer; PB_PAIR_SOUND, MISSING, TWICE or EMPTY. */
enum pb_pair_fault pb_pair_text(const char *answer, const char *key, const char **value, size_t *length);
/* A number; -1 with any fault. */
enum pb_pair_fault pb_pair_number(const char *answer, const char *key, int64_t *number);
/* Returns the first invalid word of an answer, which is "+X" and then pairs with a key. *length 0: none. */
const char *pb_pair_stray(const char *answer, char letter, size_t *length);

/* The counters of an answer to T; -1 where one is missing, twice there, or garbled. */
void pb_counters_read(int64_t counter[PB_COUNTERS], const char *answer);

/* An error in the form of an answer, as texts of a finding after "node 0x5 answers ". */
struct pb_answer_flaw {
    char expected[128], seen[128];
};
/* One for each garbled counter, one for all missing ones, one for a stray word. */
#define PB_COUNTERS_FLAWS (PB_COUNTERS + 2)
/* Finds the errors in the form of an answer to T; returns their number. Unknown keys are legal. */
unsigned pb_counters_flaws(struct pb_answer_flaw flaw[PB_COUNTERS_FLAWS], const char *answer);

/* Copies text that a node sent; only printable ASCII reaches a report. */
void pb_copy_printable(char *to, size_t size, const char *from);

#endif
