/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Words and selections that the forms of a validation share.
 */
#ifndef PB_REPORT_VALIDATION_PARTS_H
#define PB_REPORT_VALIDATION_PARTS_H

#include "phasebench/validation.h"
#include "render.h"

struct pb_sentence {
    char text[600];
};

/* What came of the steps, in one sentence without a full stop. */
struct pb_sentence pb_validation_summary(const struct pb_validation *validation);
/* Hint for the operator: the first step that did not pass and its worst value; "" if all passed. */
struct pb_sentence pb_validation_advice(const struct pb_validation *validation);

/* "at most 0.3195 us", "from -0.0834 us to 0.0834 us", "none" */
struct pb_clause pb_limits_text(enum pb_unit unit, int64_t lower, int64_t upper);
/* "line_rise/link3 0.3400 us, at most 0.3195 us, margin -0.0205 us, U95 0.0070 us" */
struct pb_sentence pb_value_text(const struct pb_item_value *value);

/* The decision rule in words: what pass, marginal and fail mean. */
const char *pb_acceptance_text(enum pb_acceptance rule);
/* "non_binary (pass and fail with a guard band of U95, marginal between)" */
const char *pb_acceptance_short(enum pb_acceptance rule);

size_t pb_steps_in(const struct pb_validation *validation, enum pb_step_state state);
/* The values of a step, one after the other; `*next` starts at 0. NULL: no further one. */
const struct pb_item_value *pb_step_value(const struct pb_validation *validation, const struct pb_step *step,
                                          size_t *next);

#endif
