/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "state_json.h"

#include "host/base/json_text.h"

#include <jansson.h>
#include <string.h>

static json_t *value_json(const struct station_value *value)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "name", value->name, "text", value->text, "limits",
                     value->limits, "judgement", pb_judgement_name((int)value->judgement));
}

static json_t *step_json(const struct station_step *step)
{
    json_t *odd = json_array();
    for (unsigned i = 0; i < step->not_passed && i < STATION_SHOWN_VALUES; i++)
        json_array_append_new(odd, value_json(&step->odd[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:o*, s:o}", "id", step->id, "purpose", step->purpose,
                     "state", station_step_name(step->state), "reason", step->reason, "values",
                     (int)step->values, "not_passed", (int)step->not_passed, "last",
                     step->values ? value_json(&step->last) : NULL, "odd", odd);
}

static json_t *record_json(const struct station_record *record)
{
    char report[STATION_ID_SIZE + 40] = "";
    if (record->report && *record->id)
        snprintf(report, sizeof report, "/report/%s/validation.html", record->id);
    return json_pack("{s:s, s:o, s:s, s:s, s:o, s:s}", "serial", record->serial, "operator",
                     pb_json_text(record->operator_name), "started_utc", record->started_utc, "go",
                     pb_go_name(record->go), "look", pb_json_text(record->look), "report", report);
}

static json_t *run_json(const struct station_state *state, int64_t now_ns)
{
    if (state->phase == STATION_IDLE)
        return json_null();
    json_t *run = record_json(&state->run);
    json_t *steps = json_array();
    for (unsigned i = 0; i < state->steps; i++)
        json_array_append_new(steps, step_json(&state->step[i]));
    json_object_set_new(run, "steps", steps);
    json_object_set_new(run, "share", json_real(state->share));
    json_object_set_new(run, "left_s", state->left_s < 0 ? json_null() : json_real(state->left_s));
    json_object_set_new(run, "elapsed_s", json_integer((now_ns - state->begun_ns) / INT64_C(1000000000)));
    json_object_set_new(run, "stopping", json_boolean(state->stopping));
    json_object_set_new(run, "silent_s", json_integer(state->silent_s));
    json_object_set_new(run, "garbled", json_integer((json_int_t)state->garbled));
    json_object_set_new(run, "worst", json_string(state->worst));
    if (state->phase == STATION_RUNNING)
        json_object_del(run, "go");
    return run;
}

char *station_state_json(const struct station_state *state, const struct station_info *info, int64_t now_ns)
{
    json_t *last = json_array();
    for (unsigned i = 0; i < state->lasts; i++)
        json_array_append_new(last, record_json(&state->last[i]));
    json_t *object = json_pack(
        "{s:I, s:s, s:{s:o, s:s, s:o, s:s}, s:o, s:o, s:{s:i, s:i, s:i}}", "version",
        (json_int_t)state->version, "phase", station_phase_name(state->phase), "station", "name",
        pb_json_text(info->name), "profile", info->profile, "rig", pb_json_text(info->rig), "program",
        PB_VERSION, "run", run_json(state, now_ns), "last", last, "today", "units", (int)state->today.units,
        "first_passed", (int)state->today.first_passed, "finally_passed", (int)state->today.finally_passed);
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(object);
    return text;
}
