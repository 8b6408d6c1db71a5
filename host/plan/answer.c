/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pb_answer(char answer[PB_ANSWER_MAX], bool refused, unsigned sequence)
{
    if (refused)
        snprintf(answer, PB_ANSWER_MAX, "-full");
    else
        snprintf(answer, PB_ANSWER_MAX, "+S %X", sequence & 15);
}

bool pb_answer_refuses(const char *seen)
{
    static const char *const reason[] = {"empty",  "character", "long",   "lost", "unknown",
                                         "syntax", "range",     "length", "full", "busy"};
    for (size_t i = 0; *seen == '-' && i < sizeof reason / sizeof reason[0]; i++)
        if (!strcmp(seen + 1, reason[i]))
            return true;
    return false;
}

bool pb_answer_fits(const char *seen, const char *expected)
{
    static const char digits[] = "0123456789ABCDEFabcdef";
    if (!strcmp(seen, expected) || (*expected == '-' && pb_answer_refuses(seen)))
        return true;
    return expected[0] == '+' && !strncmp(seen, expected, 3) && seen[3] && strlen(seen + 3) <= 8 &&
           strspn(seen + 3, digits) == strlen(seen + 3) &&
           strtoul(seen + 3, NULL, 16) == strtoul(expected + 3, NULL, 16);
}
