/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "validate_steps.h"

#include "host/base/monotonic.h"
#include "host/base/utf8.h"

#include "phasebench/rig.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const struct step {
    struct pb_validate_step shown;
    int (*climb)(struct validator *validator);
    const char *rests; /* ids of the steps that must have passed, separated by blanks */
} all_steps[] = {
    {{"bench", "the core, its clock, and its own delays and jitter, measured", {0.2, 0.2, 0.2}},
     validate_step_bench,
     ""},
    {{"lines", "each line idle, pulled and released: stuck, open, shorted, slow", {0.1, 0.1, 0.1}},
     validate_step_lines,
     "bench"},
    {{"identity", "the node answers: firmware, address, network", {0.4, 0.4, 0.4}},
     validate_step_identity,
     "bench"},
    {{"clock", "TDMA_CLK and TDMA_SYNC reach the node", {1, 12, 12}}, validate_step_clock, "lines identity"},
    {{"ports", "each port sends and receives: bits, bit time, start, guards", {4, 45, 45}},
     validate_step_ports,
     "lines clock"},
    {{"idle", "idle lines stay high while the pins switch", {0.5, 2, 2}}, validate_step_idle, "lines clock"},
    {{"baud", "frames of another bit rate that the node receives", {0.7, 1.2, 60}},
     validate_step_baud,
     "ports"},
    {{"forwarding", "a message between each pair of ports", {0.7, 0.7, 0.7}},
     validate_step_forwarding,
     "ports"},
    {{"paths", "the worked paths of the machine, end to end", {4.5, 4.5, 4.5}},
     validate_step_paths,
     "forwarding"},
    {{"load", "every link in both directions in each superframe", {2, 28, 28}},
     validate_step_load,
     "forwarding"},
    {{"contract", "console, test modes and addresses, after a run", {0.7, 0.7, 0.7}},
     validate_step_contract,
     "forwarding"},
    {{"queues", "messages of all ports wait for one", {2, 2, 2}}, validate_step_queues, "forwarding"},
    {{"disturbed", "clock, SYNC, frames and lines with injected faults", {8, 25, 25}},
     validate_step_disturbed,
     "load"},
    {{"rates", "latency and errors at 1, 5 and 10 kHz", {3, 20, 20}}, validate_step_rates, "load"},
    {{"hops", "four and sixteen nodes, 0 to 15, at 1, 5 and 10 kHz", {0, 30, 30}},
     validate_step_hops,
     "rates"},
    {{"trips", "10,000 messages to the node and 10,000 back", {0, 190, 190}}, validate_step_trips, "load"},
    {{"phase", "shortest phase in which every frame is correct, at each baud", {0, 20, 40}},
     validate_step_phase,
     "load"},
    {{"ceiling", "highest phase rate that the node follows", {0, 4, 8}}, validate_step_ceiling, "load"},
    {{"soak", "10,000 frames and more at full load", {0, 60, 600}}, validate_step_soak, "load"},
};
enum { STEPS = sizeof all_steps / sizeof *all_steps };
_Static_assert(STEPS <= PB_STEPS_MAX, "a validation has room for all steps");

const struct pb_validate_step *pb_validate_step(unsigned index)
{
    return index < STEPS ? &all_steps[index].shown : NULL;
}

static const char *profile_name(enum pb_validate_profile profile)
{
    static const char *const name[PB_VALIDATE_PROFILES] = {"quick", "full", "characterise"};
    return name[profile];
}

/* ---- who watches */

static void tell_step(struct validator *validator, unsigned index, const struct step *step, bool running)
{
    const struct pb_validate_observer *observer = &validator->options->observer;
    validator->done_s += running ? 0 : validator->current_s;
    validator->current_s = running ? fmax(step->shown.cost_s[validator->options->profile], 0.1) : 0;
    if (observer->step)
        observer->step(observer->context, validator->validation, index, running);
    validate_progress(validator, 0);
}

static void tell_plan(struct validator *validator, const struct step *const *step, unsigned steps)
{
    const struct pb_validate_observer *observer = &validator->options->observer;
    const struct pb_validate_step *shown[PB_STEPS_MAX];
    for (unsigned i = 0; i < steps; i++) {
        shown[i] = &step[i]->shown;
        validator->whole_s += fmax(shown[i]->cost_s[validator->options->profile], 0.1);
    }
    if (observer->begin)
        observer->begin(observer->context, validator->validation, shown, steps);
}

void validate_progress(struct validator *validator, double share)
{
    const struct pb_validate_observer *observer = &validator->options->observer;
    if (observer->progress)
        observer->progress(observer->context, validator->validation,
                           validator->done_s + validator->current_s * fmin(fmax(share, 0), 1),
                           validator->whole_s);
}

/* ---- values */

int validate_because(struct validator *validator, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pb_utf8_shorten_list(validator->reason, sizeof validator->reason, format, arguments);
    va_end(arguments);
    return code;
}

struct pb_item_value validate_value(enum pb_item item, int64_t value, uint64_t n)
{
    return (struct pb_item_value){.item = item,
                                  .node = -1,
                                  .link = -1,
                                  .port = -1,
                                  .n = n,
                                  .value = value,
                                  .min = value,
                                  .mean = value,
                                  .max = value};
}

int validate_add(struct validator *validator, struct pb_item_value value, const char *format, ...)
{
    struct pb_validation *validation = validator->validation;
    char place[sizeof value.name];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(place, sizeof place, format, arguments);
    va_end(arguments);
    snprintf(value.name, sizeof value.name, "%s%s%.*s", pb_item_id((int)value.item), *place ? "/" : "",
             40, place);
    snprintf(value.run, sizeof value.run, "%s", validator->run.name);
    const int code = pb_validation_add(validation, &value);
    if (code)
        return validate_because(validator, code, "no memory for the values");
    struct pb_item_value *added = &validation->value[validation->values - 1];
    if (added->judgement != PB_JUDGED_FAIL && added->judgement != PB_JUDGED_MARGINAL)
        *added->note = '\0';
    const struct pb_validate_observer *observer = &validator->options->observer;
    if (observer->value)
        observer->value(observer->context, validation, added);
    if (added->judgement > PB_JUDGED_PASS)
        validate_keep(validator);
    return PB_OK;
}

/* ---- the order */

/* True if a text of words separated by blanks or commas has this one. */
static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " ,"), at += strspn(at, " ,"))
        if (!strncmp(at, word, length) && strcspn(at, " ,") == length)
            return true;
    return false;
}

static unsigned choose(const struct pb_validate_options *options, const struct step *chosen[PB_STEPS_MAX])
{
    unsigned steps = 0;
    for (const struct step *step = all_steps; step < all_steps + STEPS; step++)
        if (options->only ? has_word(options->only, step->shown.id)
                          : step->shown.cost_s[options->profile] > 0)
            chosen[steps++] = step;
    return steps;
}

/* The first step that this one rests on and that was tried without a pass, or not tried; NULL: none. */
static const struct pb_step *missing(const struct validator *validator, const char *rests)
{
    const struct pb_validation *validation = validator->validation;
    for (unsigned i = 0; i + 1 < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        if (has_word(rests, step->id) && !validator->spared[i] && step->state != PB_STEP_PASS &&
            step->state != PB_STEP_MARGINAL)
            return step;
    }
    return NULL;
}

/* Of a step that ends without a value that shows why, the present run does. */
static void keep_end(struct validator *validator, struct pb_step *step, int code)
{
    if (code && code != VALIDATE_SKIP && validator->run.result) {
        snprintf(step->run, sizeof step->run, "%s", validator->run.name);
        validate_keep(validator);
    }
    validate_release(validator);
}

int validate_leave_out(struct validator *validator, const char *part, int code)
{
    if (code != PB_ERR_CONFIG)
        return code;
    if (!*validator->left_out)
        pb_utf8_shorten(validator->left_out, sizeof validator->left_out, "left out: %s, as %s", part,
                        validator->reason);
    *validator->reason = '\0';
    return PB_OK;
}

static enum pb_step_state climb(struct validator *validator, const struct step *def)
{
    struct pb_validation *validation = validator->validation;
    struct pb_step *step = &validation->step[validation->steps - 1];
    const struct pb_step *before = missing(validator, def->rests);
    if (before) {
        snprintf(step->reason, sizeof step->reason, "it rests on %s, which did not pass", before->id);
        return PB_STEP_SKIPPED;
    }
    *validator->left_out = '\0';
    const int code = def->climb(validator);
    keep_end(validator, step, code);
    snprintf(step->reason, sizeof step->reason, "%.399s", validator->reason);
    const enum pb_step_state state = pb_validation_state(validation, step);
    if (code == PB_ERR_INTERRUPTED && !*validation->incomplete)
        snprintf(validation->incomplete, sizeof validation->incomplete, "interrupted in step %s",
                 def->shown.id);
    if (state == PB_STEP_FAIL) /* a value that failed counts, whatever ended the step */
        return state;
    validator->spared[validation->steps - 1] = code == VALIDATE_SKIP;
    if (code == VALIDATE_SKIP)
        return PB_STEP_SKIPPED;
    if (code)
        return code == PB_ERR_NODE ? PB_STEP_FAIL : PB_STEP_ERROR;
    if (state == PB_STEP_PASS)
        snprintf(step->reason, sizeof step->reason, "%s", validator->left_out);
    return state;
}

/* What a step says of its values: the first of the worst, of those at a link if there are any. */
static void explain(struct pb_validation *validation, struct pb_step *step)
{
    const enum pb_judgement worst = step->state == PB_STEP_FAIL ? PB_JUDGED_FAIL : PB_JUDGED_MARGINAL;
    if (*step->reason || (step->state != PB_STEP_FAIL && step->state != PB_STEP_MARGINAL))
        return;
    const struct pb_item_value *first = NULL;
    for (size_t i = step->first; i < step->first + step->count; i++) {
        const struct pb_item_value *value = &validation->value[i];
        if (value->judgement == worst && (!first || (first->link < 0 && value->link >= 0)))
            first = value;
    }
    if (first)
        pb_utf8_shorten(step->reason, sizeof step->reason, "%s%s%s", first->name, *first->note ? ": " : "",
                        *first->note ? first->note : " is beyond its limit");
}

/* ---- the validation */

static void describe(struct pb_validation *validation, const struct pb_procedure *procedure,
                     const struct pb_validate_options *options)
{
    const struct pb_scenario *scenario = options->scenario;
    const time_t now = time(NULL);
    struct tm utc;
#define COPY(field, text) snprintf(validation->field, sizeof validation->field, "%s", text)
    COPY(scenario, scenario->name);
    COPY(scenario_path, scenario->path);
    COPY(rig, procedure->rig_url ? procedure->rig_url : "sim:");
    /* A part is no first pass of a profile. */
    COPY(profile, options->only ? "part" : profile_name(options->profile));
    COPY(program, PB_VERSION);
#undef COPY
    validation->seed = options->seed ? *options->seed : scenario->seed;
    gmtime_r(&now, &utc);
    strftime(validation->started_utc, sizeof validation->started_utc, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Each word must be the id of a step: a misspelt one would leave out a test in silence. */
int pb_validate_check_only(const char *only, struct pb_diag *diag)
{
    for (const char *at = only; at && *at; at += strcspn(at, ","), at += *at == ',') {
        const size_t length = strcspn(at, ",");
        const struct pb_validate_step *step;
        unsigned index = 0;
        while ((step = pb_validate_step(index)) &&
               (strlen(step->id) != length || strncmp(step->id, at, length)))
            index++;
        if (!step)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "no step has the name '%.*s'; phasebench validate --list shows all",
                           (int)(length < 60 ? length : 60), at);
    }
    return PB_OK;
}

int pb_validate_check(const struct pb_procedure *procedure, const struct pb_validate_options *options,
                      struct pb_diag *diag)
{
    const struct pb_scenario *scenario = options->scenario;
    if (scenario->node_count != 1)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: %u nodes; a validation is of one node board: leave one in `nodes`, or use "
                       "phasebench run or adjacency",
                       scenario->path, scenario->node_count);
    if (scenario->program)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: traffic[0].program: a validation sends messages; give a scenario with messages, "
                       "and run the program by phasebench run",
                       scenario->path);
    return pb_rig_check_models(procedure->rig_url, scenario, diag);
}

static int check(const struct pb_procedure *procedure, const struct pb_validate_options *options,
                 struct pb_diag *diag)
{
    const int code = pb_validate_check_only(options->only, diag);
    if (!code && options->settings > PB_VALIDATE_SETTINGS)
        return pb_fail(diag, PB_ERR_ARGUMENT, "%u settings of the base; %u is the limit", options->settings,
                       PB_VALIDATE_SETTINGS);
    if (!code && pb_rig_target_of(procedure->rig_url).replays)
        return pb_fail(diag, PB_ERR_ARGUMENT, "a recording has one run; give another rig");
    return code ? code : pb_validate_check(procedure, options, diag);
}

static void climb_one(struct validator *validator, unsigned index, const struct step *def)
{
    struct pb_validation *validation = validator->validation;
    struct pb_step *step = &validation->step[validation->steps++];
    const int64_t begun_ns = pb_monotonic_ns();
    *step = (struct pb_step){.first = validation->values};
    snprintf(step->id, sizeof step->id, "%s", def->shown.id);
    snprintf(step->purpose, sizeof step->purpose, "%s", def->shown.purpose);
    *validator->reason = '\0';
    validator->runs = 0;
    validator->runs_expected = 1;
    tell_step(validator, index, def, true);
    if (*validation->incomplete || procedure_stopped(validator->procedure)) {
        if (!*validation->incomplete)
            snprintf(validation->incomplete, sizeof validation->incomplete, "interrupted before step %s",
                     step->id);
        snprintf(step->reason, sizeof step->reason, "%.399s", validation->incomplete);
        step->state = PB_STEP_SKIPPED;
    } else {
        step->state = climb(validator, def);
    }
    step->wall_ns = pb_monotonic_ns() - begun_ns;
    explain(validation, step);
}

int pb_validate(struct pb_validation *validation, const struct pb_procedure *procedure,
                const struct pb_validate_options *options, struct pb_diag *diag)
{
    struct validator validator = {.procedure = procedure,
                                  .options = options,
                                  .scenario = options->scenario,
                                  .texts = options->texts,
                                  .validation = validation};
    const struct step *chosen[PB_STEPS_MAX];
    const int code = check(procedure, options, diag);
    if (code)
        return code;
    const unsigned steps = choose(options, chosen);
    const int64_t begun_ns = pb_monotonic_ns();
    describe(validation, procedure, options);
    tell_plan(&validator, chosen, steps);
    for (unsigned i = 0; i < steps; i++) {
        climb_one(&validator, i, chosen[i]);
        validation->wall_ns = pb_monotonic_ns() - begun_ns;
        tell_step(&validator, i, chosen[i], false);
    }
    return PB_OK;
}
