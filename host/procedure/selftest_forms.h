/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forms of a self-test. Each returns 0 or a negative code, with errno.
 */
#ifndef PB_PROCEDURE_SELFTEST_FORMS_H
#define PB_PROCEDURE_SELFTEST_FORMS_H

#include "phasebench/selftest.h"

#include <stdbool.h>
#include <stdio.h>

struct pb_selftest_shown {
    const char *rig_url;
    const struct pb_selftest *test;
    bool passed; /* the whole self-test */
};
int pb_selftest_form_text(FILE *out, void *shown);
int pb_selftest_form_json(FILE *out, void *shown);

#endif
