/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "validate.h"

#include "runner.h"

#include "host/base/utf8.h"

#include <string.h>

const struct validate_step validate_steps[] = {
    {"bench",
     "the core, its clock, and its own delays and jitter, measured",
     validate_step_bench,
     "",
     {0.2, 0.2, 0.2}},
    {"lines",
     "each line idle, pulled and released: stuck, open, shorted, slow",
     validate_step_lines,
     "bench",
     {0.1, 0.1, 0.1}},
    {"identity",
     "the node answers: firmware, address, network",
     validate_step_identity,
     "bench",
     {0.4, 0.4, 0.4}},
    {"clock", "TDMA_CLK and TDMA_SYNC reach the node", validate_step_clock, "lines identity", {1, 12, 12}},
    {"ports",
     "each port sends and receives: bits, bit time, start, guards",
     validate_step_ports,
     "lines clock",
     {4, 45, 45}},
    {"idle", "idle lines stay high while the pins switch", validate_step_idle, "lines clock", {0.5, 2, 2}},
    {"baud",
     "frames of another bit rate that the node receives",
     validate_step_baud,
     "ports",
     {0.7, 1.2, 60}},
    {"forwarding",
     "a message between each pair of ports",
     validate_step_forwarding,
     "ports",
     {0.7, 0.7, 0.7}},
    {"paths",
     "the worked paths of the machine, end to end",
     validate_step_paths,
     "forwarding",
     {4.5, 4.5, 4.5}},
    {"load",
     "every link in both directions in each superframe",
     validate_step_load,
     "forwarding",
     {2, 28, 28}},
    {"contract",
     "console, test modes and addresses, after a run",
     validate_step_contract,
     "forwarding",
     {0.7, 0.7, 0.7}},
    {"queues", "messages of all ports wait for one", validate_step_queues, "forwarding", {2, 2, 2}},
    {"disturbed",
     "clock, SYNC, frames and lines with injected faults",
     validate_step_disturbed,
     "load",
     {8, 25, 25}},
    {"rates", "latency and errors at 1, 5 and 10 kHz", validate_step_rates, "load", {3, 20, 20}},
    {"hops", "four and sixteen nodes, 0 to 15, at 1, 5 and 10 kHz", validate_step_hops, "rates", {0, 30, 30}},
    {"trips", "10,000 messages to the node and 10,000 back", validate_step_trips, "load", {0, 190, 190}},
    {"phase",
     "shortest phase in which every frame is correct, at each baud",
     validate_step_phase,
     "load",
     {0, 20, 40}},
    {"ceiling", "highest phase rate that the node follows", validate_step_ceiling, "load", {0, 4, 8}},
    {"soak", "10,000 frames and more at full load", validate_step_soak, "load", {0, 60, 600}},
    {.id = NULL},
};

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
    validate_live_value(validator, added);
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

static unsigned choose(const struct validator *validator, const char *only,
                       const struct validate_step *chosen[PB_STEPS_MAX])
{
    unsigned steps = 0;
    for (const struct validate_step *step = validate_steps; step->id; step++)
        if (only ? has_word(only, step->id) : step->cost[validator->profile] > 0)
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

static enum pb_step_state climb(struct validator *validator, const struct validate_step *def)
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
        snprintf(validation->incomplete, sizeof validation->incomplete, "interrupted in step %s", def->id);
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

int validate_climb(struct validator *validator, const char *only)
{
    struct pb_validation *validation = validator->validation;
    const struct validate_step *chosen[PB_STEPS_MAX];
    const unsigned steps = choose(validator, only, chosen);
    const int64_t begun_ns = cli_now_ns();
    validate_live_plan(validator, chosen, steps);
    for (unsigned i = 0; i < steps; i++) {
        struct pb_step *step = &validation->step[validation->steps++];
        const int64_t step_ns = cli_now_ns();
        *step = (struct pb_step){.first = validation->values};
        snprintf(step->id, sizeof step->id, "%s", chosen[i]->id);
        snprintf(step->purpose, sizeof step->purpose, "%s", chosen[i]->purpose);
        *validator->reason = '\0';
        validator->runs = 0;
        validator->runs_expected = 1;
        validate_live_step(validator, i, "running", "");
        if (*validation->incomplete || runner_stopped()) {
            if (!*validation->incomplete)
                snprintf(validation->incomplete, sizeof validation->incomplete, "interrupted before step %s",
                         step->id);
            snprintf(step->reason, sizeof step->reason, "%.399s", validation->incomplete);
            step->state = PB_STEP_SKIPPED;
        } else {
            step->state = climb(validator, chosen[i]);
        }
        step->wall_ns = cli_now_ns() - step_ns;
        explain(validation, step);
        validation->wall_ns = cli_now_ns() - begun_ns;
        validate_live_step(validator, i, pb_step_state_name(step->state), step->reason);
    }
    validate_live_end(validator);
    switch (pb_validation_go(validation)) {
    case PB_GO:
    case PB_GO_MARGINAL:
        return CLI_PASS;
    case PB_NO_GO:
        return *validation->incomplete && runner_stopped() ? CLI_INTERRUPTED : CLI_NODE_FAILED;
    case PB_GO_NOT_READY:
        return runner_stopped() ? CLI_INTERRUPTED : CLI_BENCH_FAILED;
    case PB_GO_INCOMPLETE:
        break;
    }
    return runner_stopped() ? CLI_INTERRUPTED : CLI_INCONCLUSIVE;
}
