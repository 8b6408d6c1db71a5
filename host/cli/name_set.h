/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A set of names in which none occurs twice.
 */
#ifndef PHASEBENCH_CLI_NAME_SET_H
#define PHASEBENCH_CLI_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>

struct names {
    struct names_entry {
        char *name;    /* owned; NULL: free */
        unsigned next; /* the number that its next namesake tries first */
    } * entry;         /* owned */
    size_t slots, count;
};

/* Adds the name. One that is there already gets a number from 2 on, by `format` ("-%u"), and its end is cut
 * where it would not fit into size. False: out of memory; the name is unchanged then. */
bool names_add(struct names *names, char *name, size_t size, const char *format)
    __attribute__((format(printf, 4, 0)));
void names_free(struct names *names);

#endif
