/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text for an operator: go or no-go first, then the decisive step, then the steps and their values.
 */
#include "host/base/utf8.h"
#include "terminal.h"
#include "validation_parts.h"

#include <inttypes.h>
#include <string.h>

enum {
    VALUES_SHOWN = 12, /* of a step; the other forms have all */
    STATE_COLUMN = 2,
    STEP_COLUMN = 12,
    VALUE_COLUMN = 30
};

static enum pb_ink ink_of(enum pb_step_state state)
{
    static const enum pb_ink ink[] = {[PB_STEP_PASS] = PB_INK_GREEN,
                                      [PB_STEP_MARGINAL] = PB_INK_YELLOW,
                                      [PB_STEP_FAIL] = PB_INK_RED,
                                      [PB_STEP_ERROR] = PB_INK_MAGENTA,
                                      [PB_STEP_SKIPPED] = PB_INK_DIM};
    return ink[state];
}

static void verdict(struct pb_terminal *terminal, const struct pb_validation *validation)
{
    static const struct {
        const char *word;
        enum pb_ink ink;
    } shown[] = {
        [PB_GO] = {"GO", PB_INK_GREEN},
        [PB_GO_MARGINAL] = {"GO, MARGINAL", PB_INK_YELLOW},
        [PB_NO_GO] = {"NO-GO", PB_INK_RED},
        [PB_GO_NOT_READY] = {"BENCH NOT READY", PB_INK_MAGENTA},
        [PB_GO_INCOMPLETE] = {"INCOMPLETE", PB_INK_MAGENTA},
    };
    const enum pb_go go = pb_validation_go(validation);
    pb_terminal_ink(terminal, shown[go].ink);
    fputs(shown[go].word, terminal->stream);
    pb_terminal_ink(terminal, PB_INK_PLAIN);
    fputc('\n', terminal->stream);
    pb_terminal_field(terminal, "result", "%s", pb_validation_summary(validation).text);
}

static void optional(struct pb_terminal *terminal, const char *label, const char *text)
{
    if (*text)
        pb_terminal_field(terminal, label, "%s", text);
}

static void conditions(struct pb_terminal *terminal, const struct pb_validation *validation)
{
    const struct pb_limit_set *limits = &validation->limits;
    fputc('\n', terminal->stream);
    optional(terminal, "unit", validation->unit);
    optional(terminal, "station", validation->station);
    optional(terminal, "operator", validation->operator_name);
    pb_terminal_field(terminal, "scenario", "%s (%s), profile %s", validation->scenario,
                      validation->scenario_path, validation->profile);
    pb_terminal_field(terminal, "rig", "%s", validation->rig);
    optional(terminal, "nodes", validation->nodes);
    optional(terminal, "core", validation->core);
    pb_terminal_field(terminal, "limits", "%s, version %s, crc32 %08" PRIX32 " (%s)", limits->title,
                      limits->version, limits->crc32, validation->limits_path);
    pb_terminal_field(terminal, "decision", "%s", pb_acceptance_short(limits->rule));
    pb_terminal_field(terminal, "started", "%s, %.2f s, phasebench %s", validation->started_utc,
                      (double)validation->wall_ns / 1e9, validation->program);
}

/* Of all runs. */
static void unchecked(struct pb_terminal *terminal, const struct pb_validation *validation)
{
    char text[PB_UNCHECKED_TEXT];
    if (*pb_unchecked_text(&validation->unchecked, validation->runs, "runs", text))
        pb_terminal_field(terminal, "not checked", "%s", text);
}

static void step_row(struct pb_terminal *terminal, const struct pb_validation *validation,
                     const struct pb_step *step)
{
    FILE *const stream = terminal->stream;
    const struct pb_item_value *worst = pb_step_worst(validation, step);
    struct pb_sentence text = {"-"};
    char id[sizeof step->id];
    pb_utf8_clean(id, sizeof id, step->id);
    fprintf(stream, "%*s", STATE_COLUMN, "");
    pb_terminal_ink(terminal, ink_of(step->state));
    fprintf(stream, "%-*s", STEP_COLUMN - STATE_COLUMN, pb_step_state_name(step->state));
    pb_terminal_ink(terminal, PB_INK_PLAIN);
    fprintf(stream, "%-*s", VALUE_COLUMN - STEP_COLUMN, id);
    if (strlen(id) >= VALUE_COLUMN - STEP_COLUMN)
        fprintf(stream, "\n%*s", VALUE_COLUMN, "");
    if (worst)
        snprintf(text.text, sizeof text.text, "%s: %s, margin %s", worst->name,
                 pb_measured(pb_item_unit(worst->item), worst->value).text,
                 pb_measured(pb_item_unit(worst->item), worst->margin).text);
    pb_terminal_words(terminal, VALUE_COLUMN, text.text);
    fprintf(stream, "%*s", STEP_COLUMN, "");
    if (step->state == PB_STEP_SKIPPED)
        snprintf(text.text, sizeof text.text, "%s", step->purpose);
    else
        snprintf(text.text, sizeof text.text, "%s; %.2f s", step->purpose, (double)step->wall_ns / 1e9);
    pb_terminal_words(terminal, STEP_COLUMN, text.text);
}

static void steps(struct pb_terminal *terminal, const struct pb_validation *validation)
{
    fprintf(terminal->stream, "\n%*s%-*s%-*s%s\n", STATE_COLUMN, "", STEP_COLUMN - STATE_COLUMN, "state",
            VALUE_COLUMN - STEP_COLUMN, "step", "worst value");
    for (unsigned i = 0; i < validation->steps; i++)
        step_row(terminal, validation, &validation->step[i]);
}

/* The files of a run; nothing if none were kept. */
static void evidence(struct pb_terminal *terminal, const struct pb_validation *validation, const char *run)
{
    const struct pb_run_files *files = pb_validation_files(validation, run);
    if (files)
        pb_terminal_field(terminal, "  report", "%s/%s", run, pb_run_file_name(PB_RUN_FILE_REPORT));
}

/* The values of a step that have this judgement. */
static void values(struct pb_terminal *terminal, const struct pb_validation *validation,
                   const struct pb_step *step, enum pb_judgement judgement)
{
    const struct pb_item_value *value;
    size_t next = 0, count = 0;
    while ((value = pb_step_value(validation, step, &next)) != NULL) {
        if (value->judgement != judgement || ++count > VALUES_SHOWN)
            continue;
        pb_terminal_field(terminal, "  value", "%s", pb_value_text(value).text);
        optional(terminal, "  seen", value->note);
        evidence(terminal, validation, value->run);
    }
    if (count > VALUES_SHOWN)
        fprintf(terminal->stream, "  and %zu values more\n", count - VALUES_SHOWN);
}

/* What did not pass: each step with its reason and values. */
static void troubles(struct pb_terminal *terminal, const struct pb_validation *validation)
{
    static const struct {
        enum pb_step_state state;
        const char *label;
        enum pb_judgement judgement;
    } kind[] = {{PB_STEP_FAIL, "FAILED", PB_JUDGED_FAIL},
                {PB_STEP_ERROR, "ERROR", PB_JUDGED_FAIL},
                {PB_STEP_MARGINAL, "MARGINAL", PB_JUDGED_MARGINAL},
                {PB_STEP_SKIPPED, "SKIPPED", PB_JUDGED_FAIL}};
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++)
        for (unsigned i = 0; i < validation->steps; i++) {
            const struct pb_step *step = &validation->step[i];
            struct pb_sentence text;
            if (step->state != kind[k].state)
                continue;
            fputc('\n', terminal->stream);
            snprintf(text.text, sizeof text.text, "%s%s%s", step->id, *step->reason ? ": " : "",
                     step->reason);
            pb_terminal_headline(terminal, ink_of(step->state), kind[k].label, text.text);
            evidence(terminal, validation, step->run);
            values(terminal, validation, step, kind[k].judgement);
        }
}

int pb_report_validation_text(FILE *stream, const struct pb_validation *validation,
                              const struct pb_report_style *style)
{
    struct pb_terminal terminal;
    const struct pb_item_value *worst = pb_validation_worst(validation);
    pb_terminal_open(&terminal, stream, style);
    verdict(&terminal, validation);
    optional(&terminal, "look at", pb_validation_advice(validation).text);
    pb_terminal_field(&terminal, "worst", "%s",
                      worst ? pb_value_text(worst).text : "no value has a margin to a limit");
    unchecked(&terminal, validation);
    conditions(&terminal, validation);
    steps(&terminal, validation);
    troubles(&terminal, validation);
    fputs("\nrepeat this validation with\n", stream);
    pb_terminal_line(&terminal, validation->command);
    return pb_stream_status(stream);
}
