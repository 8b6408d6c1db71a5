/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/marks.h"

#include <stdlib.h>
#include <string.h>

struct pb_phase_mark *pb_marks_add(struct pb_marks *marks)
{
    const size_t at = marks->end - marks->base;
    if (at == marks->capacity) {
        const size_t capacity = 2 * marks->capacity + 64;
        struct pb_phase_mark *grown = realloc(marks->mark, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        marks->mark = grown;
        marks->capacity = capacity;
    }
    marks->end++;
    return &marks->mark[at];
}

/* What is forgotten is given back when it is half of all. */
void pb_marks_forget(struct pb_marks *marks, size_t before)
{
    const size_t count = before - marks->base, left = marks->end - before;
    if (before <= marks->base || count < left)
        return;
    memmove(marks->mark, marks->mark + count, left * sizeof *marks->mark);
    marks->base = before;
}

void pb_marks_free(struct pb_marks *marks)
{
    free(marks->mark);
    *marks = (struct pb_marks){.mark = NULL};
}
