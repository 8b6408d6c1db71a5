/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The files of the page, which are part of the program (mk/host.mk). */
#ifndef PB_STATION_PAGE_H
#define PB_STATION_PAGE_H

#include <stdbool.h>
#include <stddef.h>

struct station_file {
    const char *path, *type; /* in the URL; media type */
    const char *text;
    size_t length;
    bool open; /* part of the login form: needs no token */
};

/* The file with this path; NULL: none. "/" is the page, "/login" the form for the token. */
const struct station_file *station_file(const char *path);

#endif
