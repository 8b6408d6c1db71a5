/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A quarantine file: cases of a suite whose failure does not count until a date, each with a reason
 * (docs/use/regress.md).
 */
#ifndef PHASEBENCH_PROCEDURE_SUITE_QUARANTINE_H
#define PHASEBENCH_PROCEDURE_SUITE_QUARANTINE_H

#include "phasebench/suite.h"

#include <stddef.h>

struct quarantine_entry {
    char name[96];
    char reason[PB_CASE_QUARANTINE_SIZE];
    char until[PB_CASE_DATE_SIZE]; /* the last day, YYYY-MM-DD */
    unsigned line;
};

struct quarantine {
    const char *path;
    struct quarantine_entry *entry; /* owned */
    size_t count;
};

/* Reads the file. Refused, with the line: an unknown key, a missing one, a case named twice, no date, one
 * before today (UTC). */
int quarantine_open(struct quarantine *list, const char *path, struct pb_diag *diag);
void quarantine_close(struct quarantine *list); /* an empty one: no effect */

/* Puts the cases of the list into quarantine; group[i]: another name of case i (NULL: none). also: names of
 * cases that are not part of this suite, and no error. Refuses an entry that names none of all these. */
int quarantine_apply(const struct quarantine *list, struct pb_suite *suite, const char *const *group,
                     const char *const *also, size_t also_count, struct pb_diag *diag);

#endif
