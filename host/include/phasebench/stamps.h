/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instants of the edges of one signal, from the file of another instrument: a table (CSV), a value change
 * dump (VCD) or a session of sigrok (.sr). docs/use/jitter.md has the forms.
 */
#ifndef PHASEBENCH_STAMPS_H_PUBLIC
#define PHASEBENCH_STAMPS_H_PUBLIC

#include "phasebench/api.h"
#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

#define PB_STAMPS_MAX ((size_t)1 << 22)

struct pb_stamps_choice {
    const char *channel; /* column, value of the column `channel`, scalar or probe; NULL: the only one */
    double unit_ps;      /* of a table whose column names no other unit; 0: by its name. Others refuse it */
    double step_ps;      /* resolution; 0: by the file */
    bool falls;          /* of levels: falls in place of rises */
};

struct pb_stamps {
    int64_t *time_ps;       /* owned; ascending */
    size_t count, left_out; /* left_out: beyond PB_STAMPS_MAX */
    double step_ps;         /* to which the stamps are rounded */
    char channel[64];
    const char *form; /* "CSV", "VCD", "sigrok session" */
};

/* Reads the bytes of a file; path: for messages. Returns PB_OK with *stamps, to be released with
 * pb_stamps_free; PB_ERR_CONFIG (unknown form, channel or unit, no number, or stamps that do not rise); or
 * PB_ERR_MEMORY. */
int pb_stamps_read(struct pb_stamps *stamps, const char *path, const char *text, size_t length,
                   const struct pb_stamps_choice *choice, struct pb_diag *diag);
void pb_stamps_free(struct pb_stamps *stamps);

PB_API_END

#endif
