/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pb_copy_printable(char *to, size_t size, const char *from)
{
    size_t at = 0;
    for (; from[at] && at + 1 < size; at++)
        to[at] = from[at] >= ' ' && from[at] <= '~' ? from[at] : '?';
    to[at] = 0;
}

/* ---- pairs */

/* The next word of an answer, from *at on, which it passes; *length 0: none. */
static const char *next_word(const char **at, size_t *length)
{
    const char *word = *at + strspn(*at, " ");
    *length = strcspn(word, " ");
    *at = word + *length;
    return word;
}

enum pb_pair_fault pb_pair_text(const char *answer, const char *key, const char **value, size_t *length)
{
    const size_t name = strlen(key);
    unsigned found = 0;
    size_t size;
    *value = "";
    *length = 0;
    for (const char *at = answer, *word; word = next_word(&at, &size), size;) {
        if (size <= name || strncmp(word, key, name) || word[name] != '=')
            continue;
        if (!found++) {
            *value = word + name + 1;
            *length = size - name - 1;
        }
    }
    return !found ? PB_PAIR_MISSING : found > 1 ? PB_PAIR_TWICE : !*length ? PB_PAIR_EMPTY : PB_PAIR_SOUND;
}

enum pb_pair_fault pb_pair_number(const char *answer, const char *key, int64_t *number)
{
    enum { DIGITS = 8 };
    const char *value;
    size_t length;
    const enum pb_pair_fault fault = pb_pair_text(answer, key, &value, &length);
    *number = -1;
    if (fault != PB_PAIR_SOUND)
        return fault;
    if (strspn(value, "0123456789abcdefABCDEF") < length)
        return PB_PAIR_GARBLED;
    if (length > DIGITS)
        return PB_PAIR_LONG;
    *number = strtoll(value, NULL, 16); /* it ends at the blank */
    return PB_PAIR_SOUND;
}

const char *pb_pair_stray(const char *answer, char letter, size_t *length)
{
    const char *at = answer, *word = next_word(&at, length);
    bool sound = word == answer && *length == 2 && word[0] == '+' && word[1] == letter;
    while (sound && (word = next_word(&at, length), *length)) {
        const size_t key = strcspn(word, "= ");
        sound = key && word[key] == '=';
    }
    return word;
}

/* ---- counters */

void pb_counters_read(int64_t counter[PB_COUNTERS], const char *answer)
{
    for (int i = 0; i < PB_COUNTERS; i++)
        pb_pair_number(answer, pb_counter_key(i), &counter[i]);
}

/* At most as much as fits, with an ellipsis for the rest. */
static void quote(char *to, size_t size, const char *from, size_t length)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s%s", (int)(length < 40 ? length : 40), from, length > 40 ? "..." : "");
    pb_copy_printable(to, size, text);
}

static void describe(struct pb_answer_flaw *flaw, const char *answer, const char *key,
                     enum pb_pair_fault fault)
{
    const char *value;
    size_t length;
    char text[64];
    pb_pair_text(answer, key, &value, &length);
    quote(text, sizeof text, value, length);
    snprintf(flaw->expected, sizeof flaw->expected,
             fault == PB_PAIR_TWICE ? "T with %s= once" : "T with %s= and 1 to 8 hexadecimal digits", key);
    snprintf(flaw->seen, sizeof flaw->seen,
             fault == PB_PAIR_TWICE   ? "%s= twice or more, first %s"
             : fault == PB_PAIR_EMPTY ? "%s= without a value%s"
                                      : "%s=%s",
             key, text);
}

unsigned pb_counters_flaws(struct pb_answer_flaw flaw[PB_COUNTERS_FLAWS], const char *answer)
{
    unsigned count = 0, missing = 0;
    char names[96] = "";
    unsigned named = 0;
    size_t length, used = 0;
    const char *stray = pb_pair_stray(answer, 'T', &length);
    if (length) {
        snprintf(flaw[count].expected, sizeof flaw->expected, "T with +T and pairs key=value");
        quote(flaw[count++].seen, sizeof flaw->seen, stray, length);
    }
    for (int i = 0; i < PB_COUNTERS; i++) {
        int64_t number;
        const char *key = pb_counter_key(i);
        const enum pb_pair_fault fault = pb_pair_number(answer, key, &number);
        if (fault == PB_PAIR_MISSING) {
            if (named == missing && used + strlen(key) + 2 < sizeof names) {
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", named ? ", " : "", key);
                named++;
            }
            missing++;
        } else if (fault != PB_PAIR_SOUND)
            describe(&flaw[count++], answer, key, fault);
    }
    if (missing) {
        snprintf(flaw[count].expected, sizeof flaw->expected, "T with every counter (docs/node.md)");
        snprintf(flaw[count++].seen, sizeof flaw->seen, "%u missing: %s%s", missing, names,
                 named < missing ? ", ..." : "");
    }
    return count;
}
