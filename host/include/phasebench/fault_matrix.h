/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every kind of fault on an otherwise clean run: injection, start and finding. docs/use/faults.md has the
 * table of the simulated bench.
 */
#ifndef PHASEBENCH_FAULT_MATRIX_H
#define PHASEBENCH_FAULT_MATRIX_H

#include "phasebench/api.h"
#include "phasebench/procedure.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

PB_API_BEGIN

struct pb_fault_matrix_row {
    const char *kind;  /* static; "none": the control run */
    const char *lacks; /* static; why there was no run: "not on this core"; NULL: there was one, and: */
    bool injected, receipt, found, unsought, clean; /* clean: no finding that the fault does not explain */
    bool right;          /* injected at its tick, found and named, or not sought; clean, and a pass */
    int64_t error_ticks; /* of its start, against the plan; if there is a receipt */
    int64_t latency_ps, phase_ps; /* from its start to its finding; of a phase */
    const char *found_as;         /* static; id of a finding, "not sought" or "-" */
    enum pb_verdict verdict;
};

struct pb_fault_matrix {
    char core[160];                            /* the kinds that the core injects, in words */
    unsigned kinds, wrong, unsought, lacking;  /* wrong: of all rows; the others of the kinds */
};

/* Who watches; each NULL: not called. */
struct pb_fault_matrix_observer {
    void (*begin)(void *context, const struct pb_fault_matrix *matrix); /* the core is known */
    /* After each row, first that of the control run; false: no further one. */
    bool (*row)(void *context, const struct pb_fault_matrix_row *row);
    void *context; /* of both */
};

struct pb_fault_matrix_options {
    const char *scenario_path;      /* without faults of its own; NULL: the built-in scenario */
    const enum pb_capture *capture; /* in place of the scenario's; NULL: none */
    struct pb_fault_matrix_observer observer;
};

/* Adds a fault of an existing kind to the scenario. Chooses a place and amounts not given in the text so that
 * the fault has a visible effect. PB_ERR_CONFIG: not possible; the diagnostic gives the reason. */
int pb_fault_add(struct pb_scenario *scenario, const struct pb_fault_text *text, struct pb_diag *diag);

/* Runs each kind, and a control run without a fault. Opens and closes the rig for each. Blocks for as long as
 * they take. Returns 0 with the sums in *matrix, also if kinds were not found or the observer ended it; else
 * the code of the run that failed: PB_ERR_CONFIG for a scenario that is none, or has faults. */
int pb_fault_matrix_run(struct pb_fault_matrix *matrix, const struct pb_procedure *procedure,
                        const struct pb_fault_matrix_options *options, struct pb_diag *diag);

/* The table, as text or in Markdown, in the parts that become known one after the other. */
void pb_report_fault_matrix_head(FILE *stream, bool markdown);
void pb_report_fault_matrix_row(FILE *stream, const struct pb_fault_matrix_row *row, bool markdown);
void pb_report_fault_matrix_sums(FILE *stream, const struct pb_fault_matrix *matrix);

PB_API_END

#endif
