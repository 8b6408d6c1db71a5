/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "validation_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(struct pb_sentence *sentence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void append(struct pb_sentence *sentence, const char *format, ...)
{
    const size_t used = strlen(sentence->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence->text + used, sizeof sentence->text - used, format, arguments);
    va_end(arguments);
}

size_t pb_steps_in(const struct pb_validation *validation, enum pb_step_state state)
{
    size_t count = 0;
    for (unsigned i = 0; i < validation->steps; i++)
        count += validation->step[i].state == state;
    return count;
}

const struct pb_item_value *pb_step_value(const struct pb_validation *validation, const struct pb_step *step,
                                          size_t *next)
{
    return *next < step->count ? &validation->value[step->first + (*next)++] : NULL;
}

/* "lines, start and tail" */
static void append_steps(struct pb_sentence *sentence, const struct pb_validation *validation,
                         enum pb_step_state state)
{
    const size_t count = pb_steps_in(validation, state);
    size_t listed = 0;
    for (unsigned i = 0; i < validation->steps; i++)
        if (validation->step[i].state == state) {
            append(sentence, "%s%s", !listed ? "" : listed + 1 == count ? " and " : ", ",
                   validation->step[i].id);
            listed++;
        }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void append_skipped(struct pb_sentence *sentence, const struct pb_validation *validation)
{
    const size_t skipped = pb_steps_in(validation, PB_STEP_SKIPPED);
    if (skipped)
        append(sentence, "; %zu skipped", skipped);
}

/* Why nothing, or not all, was decided. */
static void append_obstacle(struct pb_sentence *sentence, const struct pb_validation *validation)
{
    const size_t errors = pb_steps_in(validation, PB_STEP_ERROR);
    char unjudged[PB_UNJUDGED_SIZE];
    if (*validation->incomplete)
        append(sentence, "%s", validation->incomplete);
    else if (errors) {
        append(sentence, "step%s ", plural(errors));
        append_steps(sentence, validation, PB_STEP_ERROR);
        append(sentence, " ended in an error, so not all was decided");
    } else if (*pb_validation_unjudged(validation, unjudged))
        append(sentence, "%s", unjudged);
    else
        append(sentence, "no step passed, so nothing is known about the unit");
}

struct pb_sentence pb_validation_summary(const struct pb_validation *validation)
{
    struct pb_sentence sentence = {""};
    const size_t failed = pb_steps_in(validation, PB_STEP_FAIL),
                 marginal = pb_steps_in(validation, PB_STEP_MARGINAL),
                 passed = pb_steps_in(validation, PB_STEP_PASS);
    switch (pb_validation_go(validation)) {
    case PB_GO:
        append(&sentence, "%zu step%s passed", passed, plural(passed));
        break;
    case PB_GO_MARGINAL:
        append(&sentence, "%zu step%s passed, %zu of them marginal: ", passed + marginal,
               plural(passed + marginal), marginal);
        append_steps(&sentence, validation, PB_STEP_MARGINAL);
        break;
    case PB_NO_GO:
        append(&sentence, "%zu of %u step%s failed: ", failed, validation->steps, plural(validation->steps));
        append_steps(&sentence, validation, PB_STEP_FAIL);
        if (*validation->incomplete)
            append(&sentence, "; ended early: %s", validation->incomplete);
        break;
    case PB_GO_NOT_READY:
        append(&sentence, "step %s of the bench ended in an error, so nothing is known about the unit",
               validation->step[0].id);
        break;
    case PB_GO_INCOMPLETE:
        append_obstacle(&sentence, validation);
        break;
    }
    append_skipped(&sentence, validation);
    return sentence;
}

struct pb_sentence pb_validation_advice(const struct pb_validation *validation)
{
    struct pb_sentence sentence = {""};
    const struct pb_step *step = pb_validation_first(validation);
    if (!step)
        return sentence;
    append(&sentence, "step %s (%s)", step->id, step->purpose);
    const struct pb_item_value *worst = pb_step_worst(validation, step);
    if (worst && worst->judgement > PB_JUDGED_PASS && *worst->note)
        append(&sentence, ": %s: %s", worst->name, worst->note);
    else if (*step->reason)
        append(&sentence, ": %s", step->reason);
    return sentence;
}

struct pb_clause pb_limits_text(enum pb_unit unit, int64_t lower, int64_t upper)
{
    struct pb_clause clause = {"none"};
    if (lower != PB_ABSENT && upper != PB_ABSENT)
        snprintf(clause.text, sizeof clause.text, "from %s to %s", pb_measured(unit, lower).text,
                 pb_measured(unit, upper).text);
    else if (lower != PB_ABSENT)
        snprintf(clause.text, sizeof clause.text, "at least %s", pb_measured(unit, lower).text);
    else if (upper != PB_ABSENT)
        snprintf(clause.text, sizeof clause.text, "at most %s", pb_measured(unit, upper).text);
    return clause;
}

struct pb_sentence pb_value_text(const struct pb_item_value *value)
{
    const enum pb_unit unit = pb_item_unit(value->item);
    struct pb_sentence sentence = {""};
    append(&sentence, "%s %s", value->name, pb_measured(unit, value->value).text);
    if (value->judgement != PB_NOT_JUDGED)
        append(&sentence, ", %s, margin %s", pb_limits_text(unit, value->lower, value->upper).text,
               pb_measured(unit, value->margin).text);
    if (value->u95)
        append(&sentence, ", U95 %s", pb_measured(unit, value->u95).text);
    return sentence;
}

const char *pb_acceptance_text(enum pb_acceptance rule)
{
    static const char *const text[] = {
        [PB_ACCEPT_SIMPLE] =
            "Simple acceptance (ILAC-G8:09/2019, 4.2.1): a value within its limits passes, a value beyond "
            "one fails. Its uncertainty is not counted, so a pass at a limit is wrong with a probability of "
            "up to 50 %. A passing value nearer to a limit than its marginal band is marginal.",
        [PB_ACCEPT_GUARDED] =
            "Guarded acceptance (ILAC-G8:09/2019, 4.2.2), guard band U95: a value passes if it lies within "
            "its limits by at least its expanded uncertainty U95 (coverage 95 %); every other value fails. A "
            "pass is wrong with a probability of at most 2.5 %. A passing value nearer to a limit than U95 "
            "and its marginal band together is marginal.",
        [PB_ACCEPT_NON_BINARY] =
            "Non-binary statement with a guard band (ILAC-G8:09/2019, 4.2.3), guard band U95: a value passes "
            "if it lies within its limits by at least its expanded uncertainty U95 (coverage 95 %), and "
            "fails if it lies beyond a limit by more than U95. A pass or a fail is wrong with a probability "
            "of at most 2.5 %. Between them it is marginal: the measurement does not decide. A passing value "
            "nearer to a limit than U95 and its marginal band together is marginal, too.",
    };
    return text[rule];
}

const char *pb_acceptance_short(enum pb_acceptance rule)
{
    switch (rule) {
    case PB_ACCEPT_SIMPLE:
        break;
    case PB_ACCEPT_GUARDED:
        return "guarded: pass within the limits by U95";
    case PB_ACCEPT_NON_BINARY:
        return "non_binary: pass within the limits by U95, fail beyond them by U95, else marginal";
    }
    return "simple: pass within the limits, U95 not counted";
}
