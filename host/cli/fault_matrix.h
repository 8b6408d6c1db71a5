/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every kind of fault on an otherwise clean run: injection, start and finding.
 */
#ifndef PHASEBENCH_FAULT_MATRIX_H
#define PHASEBENCH_FAULT_MATRIX_H

#include "phasebench/scenario.h"

#include <stdbool.h>

struct fault_matrix {
    const char *scenario_path; /* NULL: the built-in scenario */
    const char *rig_url;       /* NULL: sim: */
    unsigned timeout_s;        /* of each run */
    bool markdown;
    bool capture_given; /* in place of the scenario's */
    enum pb_capture capture;
};

/* Adds a fault of an existing kind to the scenario. Chooses a place and amounts not given in the text so that
 * the fault has a visible effect. PB_ERR_CONFIG: not possible; the diagnostic gives the reason. */
int fault_add(struct pb_scenario *scenario, const struct pb_fault_text *text, struct pb_diag *diag);

/* Runs and prints the matrix, with a control row without a fault. CLI_PASS: each fault was injected at its
 * tick, found and named, and the control run has no finding; CLI_INCONCLUSIVE: otherwise; else the error has
 * been reported. */
int fault_matrix_print(const struct fault_matrix *matrix);

#endif
