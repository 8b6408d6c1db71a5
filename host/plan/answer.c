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

bool pb_answer_fits(const char *seen, const char *expected)
{
    static const char digits[] = "0123456789ABCDEFabcdef";
    if (!strcmp(seen, expected))
        return true;
    return !strncmp(seen, "+S ", 3) && !strncmp(expected, "+S ", 3) && seen[3] &&
           strspn(seen + 3, digits) == strlen(seen + 3) &&
           strtoul(seen + 3, NULL, 16) == strtoul(expected + 3, NULL, 16);
}
