/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every kind of fault on an otherwise clean run: was it made, when, and how was it found.
 */
#ifndef PHASEBENCH_FAULT_MATRIX_H
#define PHASEBENCH_FAULT_MATRIX_H

#include "phasebench/scenario.h"

#include <stdbool.h>

struct fault_matrix {
    const char *scenario_path; /* NULL: the one that is part of the program */
    const char *rig_url;       /* NULL: sim: */
    unsigned timeout_s;        /* of each run */
    bool markdown;
    bool capture_given; /* in place of the scenario's */
    enum pb_capture capture;
};

/* Adds a fault of this kind, which there is, to the scenario. Place and amounts that the text leaves open are
 * chosen so that it shows. PB_ERR_CONFIG: the sentence says why that is not possible. */
int fault_add(struct pb_scenario *scenario, const struct pb_fault_text *text, struct pb_diag *diag);

/* Runs and prints it, with a control row without a fault. CLI_PASS: each fault was made at its tick, found
 * and named, and nothing was found without one; CLI_INCONCLUSIVE: not so; else the error has been
 * reported. */
int fault_matrix_print(const struct fault_matrix *matrix);

#endif
