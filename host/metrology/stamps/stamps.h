/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instants of edges from the files of other instruments. A reader takes the bytes of the file and appends; a
 * new form is a reader and a row in stamps.c. Private to host/metrology/stamps.
 */
#ifndef PHASEBENCH_STAMPS_H
#define PHASEBENCH_STAMPS_H

#include "phasebench/stamps.h"

#include <stdbool.h>

struct stamps_source {
    const char *path, *text;
    size_t length;
    const struct pb_stamps_choice *choice;
};

/* The edges of one signal, level by level. */
struct stamps_edges {
    struct pb_stamps *stamps;
    size_t capacity;
    bool falls; /* wanted are falls */
    int level;  /* -1: unknown */
    const char *path;
    unsigned line; /* that is read; samples of a session always rise, and have none */
};
#define STAMPS_LARGEST_PS 4e18L /* 46 days */
/* PB_ERR_MEMORY, or PB_ERR_CONFIG: the stamps do not rise. */
int pb_stamps_add(struct stamps_edges *edges, int64_t time_ps, struct pb_diag *diag);
/* The level from time_ps on; -1: unknown. Adds the stamp if that is a wanted edge. */
int pb_stamps_level(struct stamps_edges *edges, int level, int64_t time_ps, struct pb_diag *diag);

/* Begins or continues the list of channels in a message; omits a name that it already has. A full list ends
 * with "...". */
#define STAMPS_NAMES 200
void pb_stamps_name(char names[STAMPS_NAMES], const char *name);

int pb_stamps_from_table(struct stamps_edges *edges, const struct stamps_source *source,
                         struct pb_diag *diag);
int pb_stamps_from_vcd(struct stamps_edges *edges, const struct stamps_source *source, struct pb_diag *diag);
int pb_stamps_from_sigrok(struct stamps_edges *edges, const struct stamps_source *source,
                          struct pb_diag *diag);

#endif
