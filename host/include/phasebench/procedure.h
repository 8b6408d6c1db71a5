/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a procedure of the bench (selftest.h, validate.h) works on: a rig, its limit of time, and who stops
 * it.
 */
#ifndef PHASEBENCH_PROCEDURE_H
#define PHASEBENCH_PROCEDURE_H

#include "phasebench/api.h"
#include "phasebench/error.h"
#include "phasebench/scenario.h"

#include <signal.h>

PB_API_BEGIN

struct pb_procedure {
    const char *rig_url; /* as in rig.h; NULL: "sim:" */
    unsigned timeout_s;  /* wall time of each run; 0: pb_run_timeout_s (run.h) */
    const volatile sig_atomic_t *stop; /* non-zero: safe state, then no further step; NULL: never */
    /* For a rig that exists only while it is used, as a virtual board that a program starts; both NULL: the
     * rig is at rig_url. begin comes before each time that the rig is opened. *url is rig_url, which it
     * replaces by what is opened, valid until end. timeout_s: limit of the run, 0: none. A negative code with
     * the diagnostic refuses it. end comes after each begin, also after one that failed, when the rig is
     * closed again. */
    int (*begin)(void *context, const char **url, const struct pb_scenario *scenario, unsigned timeout_s,
                 struct pb_diag *diag);
    void (*end)(void *context);
    void *context; /* of both */
};

PB_API_END

#endif
