/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "validation_events.h"

#include "host/base/form.h"

#include <stdio.h>
#include <unistd.h>

json_t *pb_validation_event_progress(const struct pb_validation *validation, double share, double left_s)
{
    return json_pack("{s:s, s:i, s:f, s:f}", "event", "progress", "index", (int)validation->steps - 1,
                     "share", share, "left_s", left_s);
}

json_t *pb_validation_event_begin(const struct pb_validation *validation,
                                  const struct pb_validate_step *const *step, unsigned steps)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < steps; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "id", step[i]->id, "purpose", step[i]->purpose));
    return json_pack("{s:s, s:i, s:o, s:o, s:s, s:o, s:s}", "event", "begin", "pid", (int)getpid(), "serial",
                     pb_form_text(validation->unit), "operator", pb_form_text(validation->operator_name),
                     "profile", validation->profile, "steps", list, "started_utc", validation->started_utc);
}

json_t *pb_validation_event_step(const struct pb_validation *validation, unsigned index, bool running)
{
    const struct pb_step *step = &validation->step[index];
    if (running)
        return json_pack("{s:s, s:i, s:s}", "event", "step", "index", (int)index, "state", "running");
    return json_pack("{s:s, s:i, s:s, s:o}", "event", "step", "index", (int)index, "state",
                     pb_step_state_name(step->state), "reason", pb_form_text(step->reason));
}

static void limits_text(const struct pb_item_value *value, char *text, size_t size)
{
    const struct pb_item_shown lower = pb_item_shown(value->item, value->lower),
                               upper = pb_item_shown(value->item, value->upper);
    if (value->lower != PB_ABSENT && value->upper != PB_ABSENT)
        snprintf(text, size, "%s to %s", lower.text, upper.text);
    else if (value->lower != PB_ABSENT)
        snprintf(text, size, "at least %s", lower.text);
    else if (value->upper != PB_ABSENT)
        snprintf(text, size, "at most %s", upper.text);
    else
        snprintf(text, size, "no limit");
}

json_t *pb_validation_event_value(const struct pb_validation *validation, const struct pb_item_value *value)
{
    char limits[112];
    limits_text(value, limits, sizeof limits);
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:s}", "event", "value", "index", (int)validation->steps - 1,
                     "name", value->name, "text", pb_item_shown(value->item, value->value).text, "limits",
                     limits, "judgement", pb_judgement_name((int)value->judgement));
}

json_t *pb_validation_event_end(const struct pb_validation *validation)
{
    const struct pb_step *look = pb_validation_first(validation);
    const struct pb_item_value *worst = pb_validation_worst(validation);
    char text[112] = "", reason[480] = "", unjudged[PB_UNJUDGED_SIZE];
    if (worst)
        snprintf(text, sizeof text, "%s %s", worst->name, pb_item_shown(worst->item, worst->value).text);
    if (look)
        snprintf(reason, sizeof reason, "%s: %s", look->id, look->reason);
    else
        snprintf(reason, sizeof reason, "%s", pb_validation_unjudged(validation, unjudged));
    return json_pack("{s:s, s:s, s:o, s:s}", "event", "end", "go", pb_go_name(pb_validation_go(validation)),
                     "look", pb_form_text(reason), "worst", text);
}
