/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "selftest_forms.h"

#include "host/base/form.h"

int pb_selftest_form_text(FILE *out, void *context)
{
    const struct pb_selftest_step *step = ((const struct pb_selftest_shown *)context)->test->step;
    for (size_t i = 0; i < PB_SELFTEST_STEPS; i++)
        pb_form_line(out, "%s  %-10s %6.2f s  %s", pb_selftest_state_name(step[i].state), step[i].name,
                     (double)step[i].wall_ns / 1e9, step[i].detail.text);
    return 0;
}

int pb_selftest_form_json(FILE *out, void *context)
{
    const struct pb_selftest_shown *shown = context;
    const struct pb_selftest_step *step = shown->test->step;
    json_t *list = json_array();
    for (size_t i = 0; i < PB_SELFTEST_STEPS; i++)
        pb_form_add(list,
                    json_pack("{s:s, s:s, s:o, s:I}", "name", step[i].name, "status",
                              pb_selftest_state_name(step[i].state), "detail",
                              pb_form_text(step[i].detail.text), "wall_ns", (json_int_t)step[i].wall_ns));
    return pb_form_json(out, json_pack("{s:o, s:o, s:s}", "rig", pb_form_text(shown->rig_url), "rungs", list,
                                       "verdict", shown->passed ? "pass" : "fail"));
}
