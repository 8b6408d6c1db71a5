/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Validates a node board: takes it through steps, each of which appends measured values to a struct
 * pb_validation (validation.h). docs/use/validate.md describes steps, profiles and values.
 */
#ifndef PHASEBENCH_VALIDATE_H
#define PHASEBENCH_VALIDATE_H

#include "phasebench/api.h"
#include "phasebench/procedure.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"
#include "phasebench/validation.h"

PB_API_BEGIN

enum pb_validate_profile {
    PB_VALIDATE_QUICK,
    PB_VALIDATE_FULL,
    PB_VALIDATE_CHARACTERISE,
    PB_VALIDATE_PROFILES
};

struct pb_validate_step {
    const char *id, *purpose;            /* static */
    double cost_s[PB_VALIDATE_PROFILES]; /* about the time on a simulated rig; 0: not part of the profile */
};
/* The steps in their order, from index 0 on; NULL: there are no more. */
const struct pb_validate_step *pb_validate_step(unsigned index);

/* A run of a validation, for `keep` below; borrowed until the call returns. */
struct pb_validate_run {
    const char *name; /* unique in a step; without blanks */
    const struct pb_scenario *scenario;
    struct pb_result *result; /* only its trace_path may change */
    FILE *frames;             /* pcapng of what the links carried; NULL: not recorded */
};

/* Who watches. Each is called from pb_validate, which it blocks; NULL: not called. The present step is the
 * last of the validation. */
struct pb_validate_observer {
    /* Before the first step; `step` lasts until pb_validate returns. */
    void (*begin)(void *context, const struct pb_validation *validation,
                  const struct pb_validate_step *const *step, unsigned steps);
    /* Twice for each step: while it is running, and when its state and reason are known. */
    void (*step)(void *context, const struct pb_validation *validation, unsigned index, bool running);
    void (*value)(void *context, const struct pb_validation *validation, const struct pb_item_value *value);
    /* Often, of the costs of all steps. */
    void (*progress)(void *context, const struct pb_validation *validation, double done_s, double whole_s);
    /* Once for each run with a value that did not pass, or that ended its step: may write files, and say so
     * with pb_validation_keep. With it the frames of all runs are recorded, in temporary files. */
    void (*keep)(void *context, struct pb_validation *validation, const struct pb_validate_run *run);
    void *context; /* of all */
};

#define PB_VALIDATE_SETTINGS 8
struct pb_validate_options {
    const struct pb_scenario *scenario; /* the base: one node, with the settings; its traffic is not played */
    struct pb_scenario_texts *texts;    /* what it was made of; unchanged */
    const struct pb_scenario_setting *setting; /* as in pb_scenario_parse_settings, for each run */
    unsigned settings;                         /* at most PB_VALIDATE_SETTINGS */
    const uint64_t *seed;                      /* in place of the scenario's; NULL: none */
    enum pb_validate_profile profile;
    const char *only; /* ids of steps, separated by commas, in place of those of the profile; NULL: none */
    struct pb_validate_observer observer;
};

/* PB_ERR_ARGUMENT: an id that no step has. */
int pb_validate_check_only(const char *only, struct pb_diag *diag);
/* PB_ERR_CONFIG: the base has not one node, or asks for a model of it on a rig without models. Opens
 * nothing. */
int pb_validate_check(const struct pb_procedure *procedure, const struct pb_validate_options *options,
                      struct pb_diag *diag);

/* Takes the board through the steps. *validation is zero except for what the caller says: limits and
 * limits_path, unit, station, operator_name, command. Release it with pb_validation_clear.
 * Returns 0 with values, steps and all else in it (pb_validation_go), also if steps failed, or if `stop`
 * ended it (validation->incomplete); or, before any step, PB_ERR_ARGUMENT (steps, too many settings, or a
 * recording, which has one run), or as pb_validate_check. Blocks as long as the steps take: seconds to hours.
 * Opens and closes the rig for each run. */
int pb_validate(struct pb_validation *validation, const struct pb_procedure *procedure,
                const struct pb_validate_options *options, struct pb_diag *diag);

PB_API_END

#endif
