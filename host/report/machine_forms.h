/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forms of a machine under traffic. `sweep`: a struct pb_machine_sweep that has run. Each returns 0 or a
 * negative code with errno.
 */
#ifndef PB_REPORT_MACHINE_FORMS_H
#define PB_REPORT_MACHINE_FORMS_H

#include "host/machine/sweep.h"

#include <stdio.h>

int pb_report_machine_text(FILE *stream, void *sweep);
int pb_report_machine_json(FILE *stream, void *sweep);
int pb_report_machine_csv(FILE *stream, void *sweep);
int pb_report_machine_html(FILE *stream, void *sweep);

#endif
