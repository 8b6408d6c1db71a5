/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What each defect of docs/scenario.md needs to show itself. A new defect gets a line here: from then on it
 * is drawn as often as every other one.
 */
#include "case.h"

#include <string.h>

#define ANY (1u << KIND_NATIVE | 1u << KIND_REF | 1u << KIND_CONTRACT)

static const struct defect table[] = {
    {"silent", ANY, NEED_NOTHING, 0},
    {"phase_off", ANY, NEED_SEND, 0},
    {"late_start", ANY, NEED_SEND | NEED_LATE_AMOUNT, 4000000},
    {"flipped_bit", ANY, NEED_SEND, 0},
    {"swapped_links", ANY, NEED_LOW_LINKS, 0},
    {"wrong_order", 1u << KIND_NATIVE, NEED_TWO_BITS, 0},
};

const struct defect *defect_table(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct defect *defect_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}
