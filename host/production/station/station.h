/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An operator's station: a web server with one page, which validates one unit after another. Each validation
 * is a process of its own, so that a crash fails one unit. docs/use/station.md
 *
 *     event.c        a line of a validation -> an event
 *     state.c        events -> what the page shows
 *     state_json.c   the same as JSON
 *     child.c        the process of a validation
 *     records.c      its folder, the last units, the yield
 *     serial.c       serial numbers, operators, names of folders
 *     access.c       addresses, names, who has the token
 *     token.c        where it comes from
 *     server.c       HTTP
 *     page.c, page/  the page
 *     station.c      joins them in one thread
 */
#ifndef PB_STATION_H
#define PB_STATION_H

#include "access.h"

#include <signal.h>

struct station_options {
    struct station_address address;
    struct station_access access;
    const char *out; /* exists, and no other station has it; a folder of each validation is made in it */
    const char *name, *history; /* history: NULL: none */
    const char *profile, *limits, *rig, *node, *scenario; /* of each validation; NULL: not given to it */
    const char *program; /* that is run as `PROGRAM validate ...`, also a wrapper; NULL: this program */
    const char *pattern; /* that each serial number matches; NULL: any */
    const volatile sig_atomic_t *stop; /* not 0: the station ends */
    void (*say)(void *context, const char *sentence); /* for the terminal */
    void *context;
};

/* Runs until *stop; then a running validation is stopped and awaited, at most 15 s. Returns 0,
 * PB_ERR_ARGUMENT (name or pattern), PB_ERR_IO (the address is in use or not of this computer, no folder),
 * PB_ERR_CONFIG (history) or PB_ERR_MEMORY. */
int station_run(const struct station_options *options, struct pb_diag *diag);

#endif
