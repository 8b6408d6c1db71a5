/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events of a validation in progress, one JSON object each (docs/use/validate.md). NULL: out of memory.
 */
#ifndef PB_REPORT_VALIDATION_EVENTS_H
#define PB_REPORT_VALIDATION_EVENTS_H

#include "phasebench/validate.h"

#include <jansson.h>

json_t *pb_validation_event_begin(const struct pb_validation *validation,
                                  const struct pb_validate_step *const *step, unsigned steps);
json_t *pb_validation_event_step(const struct pb_validation *validation, unsigned index, bool running);
json_t *pb_validation_event_value(const struct pb_validation *validation, const struct pb_item_value *value);
/* share: 0 to 1 of the step in progress and those before it. */
json_t *pb_validation_event_progress(const struct pb_validation *validation, double share, double left_s);
json_t *pb_validation_event_end(const struct pb_validation *validation);

#endif
