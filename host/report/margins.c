/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "html.h"
#include "measured.h"
#include "render.h"

#include <inttypes.h>
#include <string.h>

/* All places of a figure, and the place with the worst margin. */
struct summary {
    const struct pb_measurement *worst; /* NULL: not measured */
    uint64_t values;
};

static bool is_worse(const struct pb_measurement *a, const struct pb_measurement *b)
{
    return a->judgement != b->judgement ? a->judgement > b->judgement : a->margin < b->margin;
}

static struct summary summary_of(const struct pb_result *result, int figure)
{
    struct summary summary = {NULL, 0};
    for (size_t i = 0; i < result->measurements; i++) {
        const struct pb_measurement *row = &result->measurement[i];
        if ((int)row->figure != figure)
            continue;
        summary.values += row->n;
        if (!summary.worst || is_worse(row, summary.worst))
            summary.worst = row;
    }
    return summary;
}

static struct pb_number place_of(const struct pb_measurement *row)
{
    struct pb_number place = {"-"};
    if (row->link >= 0)
        snprintf(place.text, sizeof place.text, "link %d", row->link);
    else if (row->node >= 0)
        snprintf(place.text, sizeof place.text, "node %d", row->node);
    return place;
}

static struct pb_number shown(const struct pb_measurement *row, int64_t value)
{
    return pb_measured(pb_figure_unit(row->figure), value);
}

void pb_terminal_margins(struct pb_terminal *terminal, const struct pb_result *result)
{
    bool any = false;
    for (int figure = 0; figure < PB_FIGURES; figure++) {
        const struct summary summary = summary_of(result, figure);
        const struct pb_measurement *worst = summary.worst;
        if (!worst || worst->margin == PB_ABSENT)
            continue;
        if (!any) {
            fputc('\n', terminal->stream);
            pb_terminal_field(terminal, "margins",
                              "to the nearest limit, the worst of all values and links%s",
                              result->faults ? "; values under injected faults are included" : "");
            fputs("  figure              values          margin            U95  judgement where\n",
                  terminal->stream);
        }
        any = true;
        fprintf(terminal->stream, "  %-16s %9" PRIu64 " %15s %14s  %-9s %s\n", pb_figure_id(figure),
                summary.values, shown(worst, worst->margin).text, shown(worst, worst->u95).text,
                pb_judgement_name(worst->judgement), place_of(worst).text);
    }
}

static const char *tone(enum pb_judgement judgement)
{
    static const char *const name[] = {"inconclusive", "pass", "marginal", "fail"};
    return name[judgement];
}

static void number_cell(FILE *stream, const struct pb_measurement *row, int64_t value)
{
    struct pb_number number = shown(row, value);
    char *unit = strchr(number.text, ' ');
    if (unit)
        *unit++ = '\0';
    fprintf(stream, "<td class=\"n one\">%s%s%s</td>", number.text, unit ? "\302\240" : "",
            unit ? unit : "");
}

static void judgement_cell(FILE *stream, const struct pb_measurement *row)
{
    static const char *const glyph[] = {"\342\200\223", "\342\234\223", "\342\211\210", "\342\234\225"};
    fprintf(stream, "<td class=\"%s\"><span class=\"tone\">%s %s</span></td>", tone(row->judgement),
            glyph[row->judgement], pb_judgement_name(row->judgement));
}

static void summary_table(FILE *stream, const struct pb_result *result)
{
    fprintf(stream,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Margins\"><table class=\"dense "
            "of-margins\"><caption>Distance to the nearest limit, the worst of all values and links%s; below "
            "0: beyond it</caption>\n",
            result->faults ? ", values under injected faults included" : "");
    fputs("<thead><tr><th scope=\"col\">figure</th><th scope=\"col\" class=\"n\">values</th>"
          "<th scope=\"col\" class=\"n\">margin</th><th scope=\"col\" class=\"n\">U95</th>"
          "<th scope=\"col\">judgement</th><th scope=\"col\">where</th></tr></thead>\n<tbody>\n",
          stream);
    for (int figure = 0; figure < PB_FIGURES; figure++) {
        const struct summary summary = summary_of(result, figure);
        const struct pb_measurement *worst = summary.worst;
        if (!worst)
            continue;
        fprintf(stream, "<tr><th scope=\"row\" title=\"%s\">%s</th><td class=\"n\">%" PRIu64 "</td>",
                pb_figure_text(figure), pb_figure_id(figure), summary.values);
        number_cell(stream, worst, worst->margin);
        number_cell(stream, worst, worst->u95);
        judgement_cell(stream, worst);
        fprintf(stream, "<td class=\"one\">%s</td></tr>\n", place_of(worst).text);
    }
    fputs("</tbody></table></div>\n", stream);
}

static void list_table(FILE *stream, const struct pb_result *result)
{
    fprintf(stream,
            "<details><summary>All %zu measurements</summary>\n<div class=\"wide\" tabindex=\"0\" "
            "role=\"region\" aria-label=\"Measurements\"><table class=\"dense of-measured\"><caption>All "
            "measured figures, with the limits that held at the worst margin</caption>\n"
            "<thead><tr><th scope=\"col\">measurement</th><th scope=\"col\" class=\"n\">n</th>"
            "<th scope=\"col\" class=\"n\">min</th><th scope=\"col\" class=\"n\">mean</th>"
            "<th scope=\"col\" class=\"n\">max</th><th scope=\"col\" class=\"n\">sd</th>"
            "<th scope=\"col\" class=\"n\">from</th><th scope=\"col\" class=\"n\">to</th>"
            "<th scope=\"col\" class=\"n\">U95</th><th scope=\"col\" class=\"n\">margin</th>"
            "<th scope=\"col\">judgement</th></tr></thead>\n<tbody>\n",
            result->measurements);
    for (size_t i = 0; i < result->measurements; i++) {
        const struct pb_measurement *row = &result->measurement[i];
        const int64_t value[] = {row->min,   row->mean,  row->max, row->sd,
                                 row->lower, row->upper, row->u95, row->margin};
        fprintf(stream, "<tr><th scope=\"row\" class=\"one\">%s</th><td class=\"n\">%" PRIu64 "</td>",
                pb_measurement_id(row).text, row->n);
        for (size_t k = 0; k < sizeof value / sizeof value[0]; k++)
            number_cell(stream, row, value[k]);
        judgement_cell(stream, row);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div></details>\n", stream);
}

void pb_html_measurements(FILE *stream, const struct pb_result *result)
{
    if (!result->measurements) {
        fputs("<p>Nothing was measured.</p>\n", stream);
        return;
    }
    summary_table(stream, result);
    list_table(stream, result);
}
