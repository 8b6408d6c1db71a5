/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A case for each step: <failure> with the values beyond their limits, <error> where nothing was decided,
 * <skipped>. A marginal step passes; its output names the values.
 */
#include "parts.h"
#include "phasebench/suite.h"
#include "validation_parts.h"

#include <inttypes.h>

static void properties(FILE *stream, const struct pb_validation *validation)
{
    const struct pb_limit_set *limits = &validation->limits;
    char text[160];
    fputs("    <properties>\n", stream);
    pb_junit_property(stream, "go", pb_go_name(pb_validation_go(validation)));
    pb_junit_property(stream, "result", pb_validation_summary(validation).text);
    pb_junit_property(stream, "unit", validation->unit);
    pb_junit_property(stream, "station", validation->station);
    pb_junit_property(stream, "operator", validation->operator_name);
    pb_junit_property(stream, "scenario_path", validation->scenario_path);
    pb_junit_property(stream, "profile", validation->profile);
    pb_junit_property(stream, "rig", validation->rig);
    pb_junit_property(stream, "core", validation->core);
    pb_junit_property(stream, "nodes", validation->nodes);
    snprintf(text, sizeof text, "%s, version %s, crc32 %08" PRIX32, limits->title, limits->version,
             limits->crc32);
    pb_junit_property(stream, "limits", text);
    pb_junit_property(stream, "decision", pb_acceptance_name(limits->rule));
    snprintf(text, sizeof text, "%" PRIu64, validation->seed);
    pb_junit_property(stream, "seed", text);
    for (unsigned i = 0; i < validation->unchecked.rows; i++) {
        snprintf(text, sizeof text, "%s, in %zu of %zu runs", validation->unchecked.row[i].what,
                 validation->unchecked.row[i].runs, validation->runs);
        pb_junit_property(stream, "not checked", text);
    }
    pb_junit_property(stream, "program", validation->program);
    pb_junit_property(stream, "command", validation->command);
    fputs("    </properties>\n", stream);
}

static void value_line(FILE *stream, const struct pb_item_value *value)
{
    fprintf(stream, "%s: ", pb_judgement_name(value->judgement));
    pb_markup(stream, pb_value_text(value).text);
    if (*value->note) {
        fputs("; ", stream);
        pb_markup(stream, value->note);
    }
    fputc('\n', stream);
}

/* All of a step, those that fail first. */
static void value_lines(FILE *stream, const struct pb_validation *validation, const struct pb_step *step)
{
    for (int judgement = PB_JUDGED_FAIL; judgement >= PB_NOT_JUDGED; judgement--) {
        const struct pb_item_value *value;
        size_t next = 0;
        while ((value = pb_step_value(validation, step, &next)) != NULL)
            if ((int)value->judgement == judgement)
                value_line(stream, value);
    }
}

static void outcome(FILE *stream, const struct pb_validation *validation, const struct pb_step *step)
{
    const struct pb_item_value *worst = pb_step_worst(validation, step);
    const char *element = step->state == PB_STEP_FAIL    ? "failure"
                          : step->state == PB_STEP_ERROR ? "error"
                                                         : "system-out";
    if (step->state == PB_STEP_SKIPPED) {
        fputs("      <skipped message=\"", stream);
        pb_markup(stream, step->reason);
        fputs("\"/>\n", stream);
        return;
    }
    fprintf(stream, "      <%s", element);
    if (step->state == PB_STEP_FAIL || step->state == PB_STEP_ERROR) {
        fprintf(stream, " type=\"%s\" message=\"",
                step->state == PB_STEP_FAIL && worst ? pb_item_id((int)worst->item)
                                                     : pb_step_state_name(step->state));
        pb_markup(stream, step->reason);
        fputc('"', stream);
    }
    fprintf(stream, ">%s\n", pb_step_state_name(step->state));
    value_lines(stream, validation, step);
    fprintf(stream, "</%s>\n", element);
}

int pb_report_validation_junit(FILE *stream, const struct pb_validation *validation)
{
    const struct pb_junit_totals totals = {
        .tests = validation->steps,
        .failures = pb_steps_in(validation, PB_STEP_FAIL),
        .errors = pb_steps_in(validation, PB_STEP_ERROR),
        .skipped = pb_steps_in(validation, PB_STEP_SKIPPED),
        .wall_ns = validation->wall_ns,
        .started_utc = validation->started_utc,
    };
    pb_junit_begin(stream, &totals);
    properties(stream, validation);
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        fputs("    <testcase classname=\"phasebench.validate\" name=\"", stream);
        pb_markup(stream, step->id);
        fputc('"', stream);
        pb_junit_seconds(stream, step->wall_ns);
        fputs(">\n", stream);
        outcome(stream, validation, step);
        fputs("    </testcase>\n", stream);
    }
    return pb_suite_junit_end(stream);
}
