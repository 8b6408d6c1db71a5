/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The current run of a validation. It is kept until the next one begins, so that the first of its values that
 * does not pass can have its files written: report, waveform, frames on the links.
 */
#include "validate_steps.h"

void validate_release(struct validator *validator)
{
    struct validate_run *run = &validator->run;
    if (!run->exhibited)
        pb_result_free(run->result);
    pb_scenario_free(run->scenario);
    if (run->frames)
        fclose(run->frames);
    *run = (struct validate_run){.name = ""};
}

void validate_hold(struct validator *validator, const char *name, struct pb_scenario *scenario)
{
    struct validate_run *run = &validator->run;
    validate_release(validator);
    snprintf(run->name, sizeof run->name, "%s", name);
    for (char *at = run->name; *at; at++)
        if (*at == ' ')
            *at = '-'; /* it is a folder, and a part of a URL */
    run->scenario = scenario;
    if (validator->options->observer.keep)
        run->frames = tmpfile(); /* NULL: no frames are kept */
}

void validate_exhibit(struct validator *validator, const struct pb_jitter_collector *samples)
{
    struct validate_run *run = &validator->run;
    struct pb_jitter *jitter = NULL;
    if (pb_jitter_compute(&jitter, samples, run->result, run->scenario->follow, PB_JITTER_FIT))
        jitter = NULL; /* the page says so */
    run->exhibited = !pb_validation_exhibit(validator->validation, run->name, run->result, jitter);
    if (!run->exhibited)
        pb_jitter_free(jitter);
}

void validate_keep(struct validator *validator)
{
    struct validate_run *run = &validator->run;
    const struct pb_validate_observer *observer = &validator->options->observer;
    if (!observer->keep || !run->result || run->kept)
        return;
    run->kept = true;
    observer->keep(observer->context, validator->validation,
                   &(const struct pb_validate_run){run->name, run->scenario, run->result, run->frames});
}
