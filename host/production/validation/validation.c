/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/validation.h"

#include "phasebench/jitter.h"
#include "phasebench/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *id, *text;
    enum pb_unit unit;
} items[] = {
#define ITEM(name, id, unit, text) {id, text, unit},
    PB_ITEM_LIST(ITEM)
#undef ITEM
};

const char *pb_item_id(int item)
{
    return items[item].id;
}

const char *pb_item_text(int item)
{
    return items[item].text;
}

enum pb_unit pb_item_unit(enum pb_item item)
{
    return items[item].unit;
}

const char *pb_acceptance_name(enum pb_acceptance rule)
{
    static const char *const name[] = {"simple", "guarded", "non_binary"};
    return name[rule];
}

const char *pb_step_state_name(enum pb_step_state state)
{
    static const char *const name[] = {"pass", "marginal", "fail", "error", "skipped"};
    return name[state];
}

const char *pb_go_name(enum pb_go go)
{
    static const char *const name[] = {"go", "go, marginal", "no-go", "bench not ready", "incomplete"};
    return name[go];
}

/* ---- decision */

/* a - b, or the nearest number that fits and is no PB_ABSENT. A node may report any firmware version. */
static int64_t difference(int64_t a, int64_t b)
{
    int64_t result;
    if (__builtin_sub_overflow(a, b, &result) || result == PB_ABSENT)
        return a < b ? -INT64_MAX : INT64_MAX;
    return result;
}

void pb_item_judge(struct pb_item_value *value, const struct pb_limit_set *limits)
{
    const struct pb_limit *limit = &limits->limit[value->item];
    value->lower = value->upper = value->margin = PB_ABSENT;
    value->judgement = PB_NOT_JUDGED;
    if (!limit->given)
        return;
    value->lower = limit->lower;
    value->upper = limit->upper;
    if (limit->lower != PB_ABSENT)
        value->margin = difference(value->value, limit->lower);
    if (limit->upper != PB_ABSENT &&
        (value->margin == PB_ABSENT || difference(limit->upper, value->value) < value->margin))
        value->margin = difference(limit->upper, value->value);
    const int64_t guard = limits->rule == PB_ACCEPT_SIMPLE ? 0 : value->u95;
    if (value->margin < (limits->rule == PB_ACCEPT_NON_BINARY ? -guard : guard))
        value->judgement = PB_JUDGED_FAIL;
    else if (value->margin < guard || (limit->band && value->margin < guard + limit->band))
        value->judgement = PB_JUDGED_MARGINAL;
    else
        value->judgement = PB_JUDGED_PASS;
}

int pb_validation_add(struct pb_validation *validation, const struct pb_item_value *value)
{
    if (validation->values == validation->capacity) {
        const size_t capacity = validation->capacity ? 2 * validation->capacity : 128;
        struct pb_item_value *grown = realloc(validation->value, capacity * sizeof *grown);
        if (!grown)
            return PB_ERR_MEMORY;
        validation->value = grown;
        validation->capacity = capacity;
    }
    struct pb_item_value *own = &validation->value[validation->values++];
    *own = *value;
    pb_item_judge(own, &validation->limits);
    if (validation->steps)
        validation->step[validation->steps - 1].count++;
    return PB_OK;
}

enum pb_step_state pb_validation_state(const struct pb_validation *validation, const struct pb_step *step)
{
    enum pb_step_state state = PB_STEP_PASS;
    for (size_t i = step->first; i < step->first + step->count; i++) {
        const enum pb_judgement judgement = validation->value[i].judgement;
        if (judgement == PB_JUDGED_FAIL)
            return PB_STEP_FAIL;
        if (judgement == PB_JUDGED_MARGINAL)
            state = PB_STEP_MARGINAL;
    }
    return state;
}

/* ---- the whole */

static const struct pb_step *first_in(const struct pb_validation *validation, enum pb_step_state state)
{
    for (unsigned i = 0; i < validation->steps; i++)
        if (validation->step[i].state == state)
            return &validation->step[i];
    return NULL;
}

const char *pb_validation_unjudged(const struct pb_validation *validation, char text[PB_UNJUDGED_SIZE])
{
    *text = '\0';
    for (size_t i = 0; i < validation->values; i++)
        if (validation->value[i].judgement != PB_NOT_JUDGED)
            return text;
    if (validation->values)
        snprintf(text, PB_UNJUDGED_SIZE,
                 "no item that was measured has a row in the limits '%s', so nothing was judged: add rows, "
                 "or leave --limits out",
                 validation->limits.title);
    return text;
}

enum pb_go pb_validation_go(const struct pb_validation *validation)
{
    if (first_in(validation, PB_STEP_FAIL))
        return PB_NO_GO;
    const struct pb_step *error = first_in(validation, PB_STEP_ERROR);
    if (error && !strcmp(error->id, "bench") && !*validation->incomplete)
        return PB_GO_NOT_READY;
    const struct pb_step *marginal = first_in(validation, PB_STEP_MARGINAL);
    char unjudged[PB_UNJUDGED_SIZE];
    if (error || *validation->incomplete || *pb_validation_unjudged(validation, unjudged) ||
        (!marginal && !first_in(validation, PB_STEP_PASS)))
        return PB_GO_INCOMPLETE;
    return marginal ? PB_GO_MARGINAL : PB_GO;
}

/* Margin as a share of what the limits leave: their distance, or the size of the only one. */
static double relative_margin(const struct pb_item_value *value)
{
    const double width = value->lower != PB_ABSENT && value->upper != PB_ABSENT
                             ? (double)(value->upper - value->lower) / 2
                             : fabs((double)(value->lower != PB_ABSENT ? value->lower : value->upper));
    return (double)value->margin / (width > 0 ? width : 1);
}

/* Nothing of the node's quality is in the margin: a count that may be 0 and is, the only value that the
 * limits leave, the number of a version, and a latency within its bound, as the schedule fixes the phases in
 * which a message moves. */
static bool is_given_by_theory(const struct pb_item_value *value)
{
    return value->judgement != PB_JUDGED_FAIL &&
           ((value->upper == 0 && value->value == 0) ||
            (value->lower != PB_ABSENT && value->lower == value->upper) ||
            value->item == PB_ITEM_FIRMWARE || value->item == PB_ITEM_LATENCY);
}

static const struct pb_item_value *worst_of(const struct pb_item_value *values, size_t count)
{
    const struct pb_item_value *worst = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct pb_item_value *value = &values[i];
        if (value->judgement == PB_NOT_JUDGED || is_given_by_theory(value))
            continue;
        if (!worst || value->judgement > worst->judgement ||
            (value->judgement == worst->judgement && relative_margin(value) < relative_margin(worst)))
            worst = value;
    }
    return worst;
}

const struct pb_item_value *pb_validation_worst(const struct pb_validation *validation)
{
    return worst_of(validation->value, validation->values);
}

const struct pb_item_value *pb_step_worst(const struct pb_validation *validation, const struct pb_step *step)
{
    return step->count ? worst_of(validation->value + step->first, step->count) : NULL;
}

const struct pb_step *pb_validation_first(const struct pb_validation *validation)
{
    const enum pb_step_state order[] = {PB_STEP_FAIL, PB_STEP_ERROR, PB_STEP_MARGINAL};
    const struct pb_step *step = NULL;
    for (unsigned i = 0; i < sizeof order / sizeof order[0] && !step; i++)
        step = first_in(validation, order[i]);
    return step;
}

/* ---- runs */

const char *pb_run_file_name(int file)
{
    static const char *const name[] = {
#define FILE_NAME(name, file, text) file,
        PB_RUN_FILE_LIST(FILE_NAME)
#undef FILE_NAME
    };
    return name[file];
}

const char *pb_run_file_text(int file)
{
    static const char *const name[] = {
#define TEXT(name, file, text) text,
        PB_RUN_FILE_LIST(TEXT)
#undef TEXT
    };
    return name[file];
}

int pb_validation_keep(struct pb_validation *validation, const struct pb_run_files *files)
{
    struct pb_run_files *grown = realloc(validation->files, (validation->kept + 1) * sizeof *grown);
    if (!grown)
        return PB_ERR_MEMORY;
    validation->files = grown;
    grown[validation->kept++] = *files;
    return PB_OK;
}

/* The last of the name: a run of the same name replaces the files of the one before. */
const struct pb_run_files *pb_validation_files(const struct pb_validation *validation, const char *run)
{
    for (size_t i = validation->kept; *run && i-- > 0;)
        if (!strcmp(validation->files[i].run, run))
            return &validation->files[i];
    return NULL;
}

int pb_validation_exhibit(struct pb_validation *validation, const char *run, struct pb_result *result,
                          struct pb_jitter *jitter)
{
    struct pb_exhibit *grown = realloc(validation->exhibit, (validation->exhibits + 1) * sizeof *grown);
    if (!grown)
        return PB_ERR_MEMORY;
    validation->exhibit = grown;
    struct pb_exhibit *exhibit = &grown[validation->exhibits++];
    *exhibit = (struct pb_exhibit){.result = result, .jitter = jitter};
    snprintf(exhibit->run, sizeof exhibit->run, "%s", run);
    if (validation->steps)
        snprintf(exhibit->step, sizeof exhibit->step, "%s", validation->step[validation->steps - 1].id);
    return PB_OK;
}

void pb_validation_clear(struct pb_validation *validation)
{
    for (size_t i = 0; i < validation->exhibits; i++) {
        pb_result_free(validation->exhibit[i].result);
        pb_jitter_free(validation->exhibit[i].jitter);
    }
    free(validation->exhibit);
    free(validation->files);
    free(validation->value);
    validation->exhibit = NULL;
    validation->files = NULL;
    validation->value = NULL;
    validation->values = validation->capacity = validation->kept = validation->exhibits = 0;
}
