/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * TAP: a point for each step, with its values in a YAML block. A marginal step is ok; one in error
 * is not, as nothing was decided.
 */
#include "parts.h"
#include "phasebench/suite.h"
#include "validation_parts.h"

#include <inttypes.h>

static void value_entry(FILE *stream, const struct pb_item_value *value)
{
    const enum pb_unit unit = pb_item_unit(value->item);
    pb_tap_text(stream, 4, "- name", value->name);
    pb_tap_text(stream, 6, "judgement", pb_judgement_name(value->judgement));
    pb_tap_text(stream, 6, "value", pb_measured(unit, value->value).text);
    pb_tap_text(stream, 6, "limits", pb_limits_text(unit, value->lower, value->upper).text);
    if (value->margin != PB_ABSENT)
        pb_tap_text(stream, 6, "margin", pb_measured(unit, value->margin).text);
    pb_tap_text(stream, 6, "u95", pb_measured(unit, value->u95).text);
    fprintf(stream, "      n: %" PRIu64 "\n", value->n);
    if (*value->note)
        pb_tap_text(stream, 6, "note", value->note);
}

static void block(FILE *stream, const struct pb_validation *validation, const struct pb_step *step)
{
    const struct pb_item_value *value;
    size_t next = 0;
    fputs("  ---\n", stream);
    if (*step->reason)
        pb_tap_text(stream, 2, "message", step->reason);
    pb_tap_text(stream, 2, "severity",
                step->state == PB_STEP_FAIL    ? "fail"
                : step->state == PB_STEP_ERROR ? "error"
                                               : "comment");
    pb_tap_text(stream, 2, "state", pb_step_state_name(step->state));
    fprintf(stream, "  duration_ms: %" PRId64 "\n", step->wall_ns / 1000000);
    if (step->count)
        fputs("  values:\n", stream);
    while ((value = pb_step_value(validation, step, &next)) != NULL)
        value_entry(stream, value);
    fputs("  ...\n", stream);
}

static void comment(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, "# %s: ", key);
    pb_tap_description(stream, text);
    fputc('\n', stream);
}

int pb_report_validation_tap(FILE *stream, const struct pb_validation *validation)
{
    char unchecked[PB_UNCHECKED_TEXT];
    pb_tap_begin(stream, validation->steps);
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        const bool failed = step->state == PB_STEP_FAIL || step->state == PB_STEP_ERROR;
        fprintf(stream, "%sok %u - ", failed ? "not " : "", i + 1);
        pb_tap_description(stream, step->id);
        fputs(": ", stream);
        pb_tap_description(stream, step->purpose);
        if (step->state == PB_STEP_SKIPPED) {
            fputs(" # SKIP ", stream);
            pb_tap_description(stream, step->reason);
        }
        fputc('\n', stream);
        block(stream, validation, step);
    }
    comment(stream, "go", pb_go_name(pb_validation_go(validation)));
    comment(stream, "result", pb_validation_summary(validation).text);
    if (*pb_unchecked_text(&validation->unchecked, validation->runs, "runs", unchecked))
        comment(stream, "not checked", unchecked);
    comment(stream, "repeat", validation->command);
    return pb_stream_status(stream);
}
