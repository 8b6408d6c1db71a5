/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A set of names in which none occurs twice.
 */
#ifndef PHASEBENCH_PROCEDURE_SUITE_NAME_SET_H
#define PHASEBENCH_PROCEDURE_SUITE_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>

struct names {
    struct names_entry {
        char *name;    /* owned; NULL: free */
        unsigned next; /* first number tried for its next duplicate */
    } * entry;         /* owned */
    size_t slots, count;
};

/* Adds the name. A duplicate gets a number from 2 on, by `format` ("-%u"), and is truncated to fit size.
 * False: out of memory; the name is unchanged. */
bool names_add(struct names *names, char *name, size_t size, const char *format)
    __attribute__((format(printf, 4, 0)));
void names_free(struct names *names);

#endif
