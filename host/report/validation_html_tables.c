/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "html.h"
#include "validation_html.h"

#include <inttypes.h>
#include <string.h>

struct pb_shown pb_shown_judgement(enum pb_judgement judgement)
{
    static const struct pb_shown shown[] = {
        [PB_NOT_JUDGED] = {"skipped", "\302\267", "not judged"},
        [PB_JUDGED_PASS] = {"pass", "\342\234\223", "pass"},
        [PB_JUDGED_MARGINAL] = {"marginal", "\342\211\210", "marginal"},
        [PB_JUDGED_FAIL] = {"fail", "\342\234\225", "fail"},
    };
    return shown[judgement];
}

static struct pb_shown shown_state(enum pb_step_state state)
{
    static const struct pb_shown shown[] = {
        [PB_STEP_PASS] = {"pass", "\342\234\223", "pass"},
        [PB_STEP_MARGINAL] = {"marginal", "\342\211\210", "marginal"},
        [PB_STEP_FAIL] = {"fail", "\342\234\225", "fail"},
        [PB_STEP_ERROR] = {"inconclusive", "?", "error"},
        [PB_STEP_SKIPPED] = {"skipped", PB_HTML_DASH, "skipped"},
    };
    return shown[state];
}

void pb_html_quantity(FILE *stream, enum pb_unit unit, int64_t value)
{
    struct pb_number number = pb_measured(unit, value);
    char *name = strchr(number.text, ' ');
    if (value == PB_ABSENT) {
        fputs(PB_HTML_DASH, stream);
        return;
    }
    if (name)
        *name++ = '\0';
    fputs(number.text, stream);
    if (name)
        fprintf(stream, "\302\240%s", name);
}

static void tone_cell(FILE *stream, struct pb_shown shown)
{
    fprintf(stream, "<td class=\"%s\"><span class=\"tone\">%s %s</span></td>", shown.style, shown.glyph,
            shown.word);
}

static void number_cell(FILE *stream, enum pb_unit unit, int64_t value)
{
    fprintf(stream, "<td class=\"n%s\">", value == PB_ABSENT ? " none" : "");
    pb_html_quantity(stream, unit, value);
    fputs("</td>", stream);
}

void pb_html_range(FILE *stream, enum pb_unit unit, int64_t lower, int64_t upper)
{
    if (lower == PB_ABSENT && upper == PB_ABSENT) {
        fputs("none", stream);
        return;
    }
    if (lower != PB_ABSENT) {
        fputs(upper != PB_ABSENT ? "" : "\342\211\245 ", stream);
        pb_html_quantity(stream, unit, lower);
    }
    if (upper != PB_ABSENT) {
        fputs(lower != PB_ABSENT ? " to " : "\342\211\244 ", stream);
        pb_html_quantity(stream, unit, upper);
    }
}

static void open_table(FILE *stream, const char *id, const char *label)
{
    fprintf(stream,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"dense "
            "of-%s\"><caption>%s</caption>\n<thead><tr>",
            label, id, label);
}

static void column(FILE *stream, const char *name, bool number)
{
    fprintf(stream, "<th scope=\"col\"%s>%s</th>", number ? " class=\"n\"" : "", name);
}

void pb_html_steps(FILE *stream, const struct pb_validation *validation)
{
    open_table(stream, "steps", "Steps in their order");
    column(stream, "step", false);
    column(stream, "state", false);
    column(stream, "purpose", false);
    column(stream, "time", true);
    column(stream, "worst value", false);
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        const struct pb_item_value *worst = pb_step_worst(validation, step);
        fputs("<tr><th scope=\"row\">", stream);
        pb_markup(stream, step->id);
        fputs("</th>", stream);
        tone_cell(stream, shown_state(step->state));
        fputs("<td class=\"text\">", stream);
        pb_markup(stream, step->purpose);
        if (step->state == PB_STEP_SKIPPED)
            fputs("</td><td class=\"n none\">" PB_HTML_DASH "</td><td class=\"text\">", stream);
        else
            fprintf(stream, "</td><td class=\"n\">%.2f\302\240s</td><td class=\"text\">",
                    (double)step->wall_ns / 1e9);
        if (worst) {
            pb_markup(stream, worst->name);
            fputs(", margin ", stream);
            pb_html_quantity(stream, pb_item_unit(worst->item), worst->margin);
        } else {
            pb_markup(stream, *step->reason ? step->reason : PB_HTML_DASH);
        }
        fputs("</td></tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

/* A second row follows. */
static bool is_noted(const struct pb_item_value *value)
{
    return *value->note || pb_html_needs_evidence(value->judgement);
}

static void value_row(FILE *stream, const struct pb_validation *validation, const struct pb_item_value *value)
{
    const enum pb_unit unit = pb_item_unit(value->item);
    const bool spread = value->min != value->max || value->sd;
    const int64_t statistics[] = {value->min, value->mean, value->max, value->sd};
    fprintf(stream, "<tr%s><th scope=\"row\" class=\"name\" title=\"",
            is_noted(value) ? " class=\"noted\"" : "");
    pb_markup(stream, pb_item_text((int)value->item));
    fputs("\">", stream);
    pb_markup(stream, value->name);
    fputs("</th>", stream);
    tone_cell(stream, pb_shown_judgement(value->judgement));
    number_cell(stream, unit, value->value);
    fputs("<td class=\"one\">", stream);
    pb_html_range(stream, unit, value->lower, value->upper);
    fputs("</td>", stream);
    number_cell(stream, unit, value->margin);
    number_cell(stream, unit, value->u95);
    fprintf(stream, "<td class=\"n\">%" PRIu64 "</td>", value->n);
    for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++)
        number_cell(stream, unit, spread ? statistics[i] : PB_ABSENT);
    fputs("</tr>\n", stream);
    if (!is_noted(value))
        return;
    fputs("<tr class=\"seen\"><td colspan=\"11\">", stream);
    pb_markup(stream, value->note);
    if (pb_html_needs_evidence(value->judgement)) {
        fputs(*value->note ? ". " : "", stream);
        pb_html_evidence(stream, validation, value->run);
    }
    fputs("</td></tr>\n", stream);
}

static void value_table(FILE *stream, const struct pb_validation *validation, const struct pb_step *step)
{
    static const char *const numbers[] = {"margin", "U95", "n", "min", "mean", "max", "sd"};
    const struct pb_item_value *value;
    size_t next = 0;
    fprintf(stream,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Values\"><table class=\"dense "
            "of-values\"><caption>%zu value%s; minimum to sd where they were kept</caption>\n<thead><tr>",
            step->count, step->count == 1 ? "" : "s");
    column(stream, "name", false);
    column(stream, "judgement", false);
    column(stream, "value", true);
    column(stream, "limits", false);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        column(stream, numbers[i], true);
    fputs("</tr></thead>\n<tbody>\n", stream);
    while ((value = pb_step_value(validation, step, &next)) != NULL)
        value_row(stream, validation, value);
    fputs("</tbody></table></div>\n", stream);
}

void pb_html_values(FILE *stream, const struct pb_validation *validation)
{
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        const struct pb_shown shown = shown_state(step->state);
        fprintf(stream, "<h3 class=\"%s\"><span class=\"tone\">%s %s</span> ", shown.style, shown.glyph,
                shown.word);
        pb_markup(stream, step->id);
        fputs(": <span class=\"purpose\">", stream);
        pb_markup(stream, step->purpose);
        fputs("</span></h3>\n", stream);
        if (*step->reason) {
            fputs("<p>", stream);
            pb_markup(stream, step->reason);
            fputs(".", stream);
            if (*step->run) {
                fputs(" ", stream);
                pb_html_evidence(stream, validation, step->run);
            }
            fputs("</p>\n", stream);
        }
        if (step->count)
            value_table(stream, validation, step);
        else
            fputs("<p class=\"note\">No value was measured.</p>\n", stream);
    }
}

void pb_html_limits(FILE *stream, const struct pb_validation *validation)
{
    open_table(stream, "limits", "Each item with its limits and their reason");
    column(stream, "item", false);
    column(stream, "limits", false);
    column(stream, "marginal within", true);
    column(stream, "reason", false);
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (int item = 0; item < PB_ITEMS; item++) {
        const struct pb_limit *limit = &validation->limits.limit[item];
        const enum pb_unit unit = pb_item_unit((enum pb_item)item);
        if (!limit->given)
            continue;
        fprintf(stream, "<tr><th scope=\"row\" title=\"%s\">%s</th><td class=\"one\">", pb_item_text(item),
                pb_item_id(item));
        pb_html_range(stream, unit, limit->lower, limit->upper);
        fputs("</td>", stream);
        number_cell(stream, unit, limit->band ? limit->band : PB_ABSENT);
        fputs("<td class=\"text\">", stream);
        pb_markup(stream, *limit->rationale ? limit->rationale : PB_HTML_DASH);
        fputs("</td></tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}
