/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forms of a calibration that was measured. Each returns 0 or a negative code, with errno.
 */
#ifndef PB_REPORT_CALIBRATION_FORMS_H
#define PB_REPORT_CALIBRATION_FORMS_H

#include "phasebench/calibration.h"

#include <stdio.h>

struct pb_calibration_shown {
    bool host;            /* the reference is the clock of the computer */
    bool reference_given; /* so is the uncertainty of the reference */
    const struct pb_calibration *calibration;
    const struct pb_calibration_fit *fit;
    const char *path; /* of the calibration */
};
int pb_report_calibration_text(FILE *out, void *shown);
int pb_report_calibration_json(FILE *out, void *shown);

#endif
