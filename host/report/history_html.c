/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The runs of a history as one page: yield over days, what failed most, a measurement with its limits, units.
 */
#include "html.h"
#include "parts.h"
#include "phasebench/history.h"
#include "phasebench/report.h"
#include "render.h"
#include "svg_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS_SHOWN = 1000, BAR_WIDTH = 240 };
#define DAY_S 86400.0
#define DATES "UTC"

static const char own_style[] =
    "h3{font-size:1rem;font-weight:600;margin:1.75rem 0 .25rem;overflow-wrap:anywhere}\n"
    "@media screen and (max-width:40rem){\n"
    /* clang-format off */
    PB_HTML_COLUMN("yield", 2, "station") PB_HTML_COLUMN("yield", 3, "units")
    PB_HTML_COLUMN("yield", 4, "first pass") PB_HTML_COLUMN("yield", 5, "final")
    PB_HTML_COLUMN("yield", 6, "retests")
    PB_HTML_COLUMN("causes", 2, "runs") PB_HTML_COLUMN("causes", 3, "findings")
    PB_HTML_COLUMN("units", 2, "scenario") PB_HTML_COLUMN("units", 3, "first pass")
    PB_HTML_COLUMN("units", 4, "at") PB_HTML_COLUMN("units", 5, "station") PB_HTML_COLUMN("units", 6, "last")
    PB_HTML_COLUMN("units", 7, "at") PB_HTML_COLUMN("units", 8, "retests")
    PB_HTML_COLUMN("units", 9, "reason")
    /* clang-format on */
    "}\n";

static double percent(size_t part, size_t whole)
{
    return 100.0 * (double)part / (double)whole;
}

static void head(FILE *stream, const struct pb_history_page *page)
{
    pb_html_begin(stream, false);
    fputs("History</title>\n<style>\n", stream);
    fputs(pb_html_style, stream);
    fputs(pb_html_plot_style, stream);
    fputs(own_style, stream);
    fprintf(stream,
            "</style>\n</head>\n<body>\n<header>\n<p class=\"over\">phasebench history</p>\n"
            "<h1>%zu run%s",
            page->runs, page->runs == 1 ? "" : "s");
    if (page->runs) {
        fputs(", ", stream);
        pb_markup(stream, page->run[0].started_utc);
        fputs(" to ", stream);
        pb_markup(stream, page->run[page->runs - 1].started_utc);
    }
    fputs("</h1>\n</header>\n<main>\n", stream);
}

/* A table up to its rows. of: its name in the style sheet; columns: "" ends them. */
static void table_head(FILE *stream, const char *of, const char *caption, const char *const *column)
{
    fprintf(stream,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"of-%s\">"
            "<caption>%s</caption>\n<thead><tr>",
            caption, of, caption);
    for (; **column; column++)
        fprintf(stream, "<th scope=\"col\">%s</th>", *column);
    fputs("</tr></thead>\n<tbody>\n", stream);
}

static void table_end(FILE *stream)
{
    fputs("</tbody></table></div>\n", stream);
}

static void cell(FILE *stream, const char *text)
{
    fputs("<td>", stream);
    pb_markup(stream, *text ? text : "-");
    fputs("</td>", stream);
}

/* As pb_axis_hold, of an axis that holds a value already, which may be 0. */
static void widen(struct pb_axis *axis, double value)
{
    axis->from = fmin(axis->from, value);
    axis->to = fmax(axis->to, value);
}

/* ---- yield */

static double day_of(const char *utc)
{
    int64_t seconds;
    return pb_history_seconds(utc, &seconds) ? (double)seconds / DAY_S : NAN;
}

/* The rows of the days of a scenario. */
static void plot_yield(FILE *stream, const struct pb_history_yield *row, size_t days, double *x, double *y)
{
    char title[160];
    struct pb_plot plot = {
        .stream = stream, .x = {.label = DATES, .dates = true}, .y = {.label = "yield, %", .to = 100}};
    for (size_t i = 0; i < days; i++) {
        x[i] = day_of(row[i].day);
        pb_axis_hold(&plot.x, x[i]);
    }
    pb_axis_round(&plot.x);
    fputs("<h3>", stream);
    pb_markup(stream, row->scenario);
    fputs("</h3>\n", stream);
    snprintf(title, sizeof title, "Yield over %zu days", days);
    pb_plot_begin(&plot, title);
    for (size_t i = 0; i < days; i++)
        y[i] = percent(row[i].finally_passed, row[i].units);
    pb_plot_line(&plot, "other", x, y, days);
    for (size_t i = 0; i < days; i++) {
        y[i] = percent(row[i].first_passed, row[i].units);
        pb_plot_point(&plot, x[i], y[i], NAN, NAN);
    }
    pb_plot_line(&plot, "trace", x, y, days);
    pb_plot_end(&plot);
}

static void yield_row(FILE *stream, const struct pb_history_yield *row)
{
    fputs("<tr><th scope=\"row\">", stream);
    pb_markup(stream, row->scenario);
    fputs("</th>", stream);
    cell(stream, row->station ? row->station : "all");
    fprintf(stream, "<td>%zu</td><td>%.2f %%</td><td>%.2f %%</td><td>%zu</td></tr>\n", row->units,
            percent(row->first_passed, row->units), percent(row->finally_passed, row->units), row->retests);
}

static int yields(FILE *stream, const struct pb_history_page *page)
{
    static const char *const column[] = {"scenario", "station", "units", "first pass",
                                         "final",    "retests", ""};
    struct pb_history_yield *row;
    size_t rows;
    if (pb_history_yield(&row, &rows, page->run, page->runs, true))
        return PB_ERR_MEMORY;
    double *place = calloc(2 * rows + 1, sizeof *place);
    fputs("<h2>Yield</h2>\n<p>Points: units that passed at their first pass; dashed: units whose last judged "
          "run passed. A marginal run has passed.</p>\n",
          stream);
    table_head(stream, "yield", "All days", column);
    size_t days = 0;
    for (size_t i = 0; i < rows; i++)
        if (!*row[i].day)
            yield_row(stream, &row[i]);
        else if (!row[i].station)
            row[days++] = row[i]; /* those of the days, for the plots */
    table_end(stream);
    for (size_t i = 0, length; place && i < days; i += length) {
        for (length = 1; i + length < days; length++)
            if (strcmp(row[i + length].scenario, row[i].scenario) != 0)
                break;
        plot_yield(stream, &row[i], length, place, place + rows);
    }
    const int code = place ? PB_OK : PB_ERR_MEMORY;
    free(place);
    free(row);
    return code;
}

/* ---- what failed */

static void causes(FILE *stream, const struct pb_history_page *page)
{
    static const char *const column[] = {"finding or step", "runs", "findings", "runs, drawn", ""};
    fputs("<h2>What failed</h2>\n", stream);
    if (!page->causes) {
        fputs("<p>No finding.</p>\n", stream);
        return;
    }
    table_head(stream, "causes",
               "Kinds of finding, and steps of validations that failed, by the runs that have them", column);
    for (size_t i = 0; i < page->causes; i++) {
        const struct pb_history_cause *cause = &page->cause[i];
        fputs("<tr><th scope=\"row\">", stream);
        pb_markup(stream, cause->kind);
        fprintf(stream,
                "</th><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td><svg width=\"%d\" height=\"12\" "
                "aria-hidden=\"true\"><rect class=\"bar\" width=\"%.1f\" height=\"12\"/></svg></td></tr>\n",
                cause->runs, cause->count, BAR_WIDTH,
                BAR_WIDTH * (double)cause->runs / (double)page->cause[0].runs);
    }
    table_end(stream);
}

/* ---- a measurement */

/* As pb_unit_shown, by the name of the unit. */
static struct pb_unit_shown unit_of(const char *name)
{
    for (int unit = 0; unit <= PB_UNIT_MHZ; unit++)
        if (!strcmp(pb_unit_name(unit), name))
            return pb_unit_shown(unit);
    return (struct pb_unit_shown){name, 1, 0};
}

static void plot_limit(struct pb_plot *plot, int64_t limit, double scale)
{
    const double x[] = {plot->x.from, plot->x.to}, y[] = {(double)limit / scale, (double)limit / scale};
    if (limit != PB_ABSENT)
        pb_plot_line(plot, "other", x, y, 2);
}

static void figure(FILE *stream, const struct pb_history_page *page)
{
    const struct pb_history_value *value = page->value;
    const struct pb_unit_shown shown = unit_of(value->figure.unit);
    struct pb_history_trend trend;
    char unit[32];
    pb_history_trend_of(&trend, value, page->values);
    snprintf(unit, sizeof unit, *shown.name ? "%s" : "count", shown.name);
    struct pb_plot plot = {
        .stream = stream, .x = {.label = DATES, .dates = true}, .y = {.label = unit}};
    plot.y.from = plot.y.to = (double)value->figure.mean / shown.scale;
    for (size_t i = 0; i < page->values; i++) {
        pb_axis_hold(&plot.x, day_of(value[i].run.started_utc));
        widen(&plot.y, (double)value[i].figure.min / shown.scale);
        widen(&plot.y, (double)value[i].figure.max / shown.scale);
    }
    if (trend.lower != PB_ABSENT)
        widen(&plot.y, (double)trend.lower / shown.scale);
    if (trend.upper != PB_ABSENT)
        widen(&plot.y, (double)trend.upper / shown.scale);
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    fputs("<h2>", stream);
    pb_markup(stream, value->figure.id);
    fprintf(stream,
            "</h2>\n<p>Point: mean of a run, with its least and largest value; dashed: limits%s. Mean of the "
            "runs %.*f %s",
            trend.capability == PB_CAPABLE_UNLIKE ? ", which are left out as those of the runs differ" : "",
            shown.decimals, trend.mean / shown.scale, shown.name);
    if (trend.cpk_capability == PB_CAPABLE)
        fprintf(stream, ", Cpk (within runs) %.3f", trend.cpk);
    if (trend.capability == PB_CAPABLE)
        fprintf(stream, ", Ppk (overall) %.3f of %" PRIu64 " values", trend.ppk, trend.n);
    fputs(".</p>\n", stream);
    pb_plot_begin(&plot, "The measurement over time");
    plot_limit(&plot, trend.lower, shown.scale);
    plot_limit(&plot, trend.upper, shown.scale);
    for (size_t i = 0; i < page->values; i++) {
        const struct pb_history_figure *at = &value[i].figure;
        pb_plot_point(&plot, day_of(value[i].run.started_utc), (double)at->mean / shown.scale,
                      (double)at->min / shown.scale, (double)at->max / shown.scale);
    }
    pb_plot_end(&plot);
}

/* ---- units */

static void verdict_cell(FILE *stream, enum pb_verdict verdict)
{
    fprintf(stream, "<td class=\"%s\"><span class=\"tone\">%s</span></td>", pb_verdict_name(verdict),
            pb_verdict_name(verdict));
}

static int units(FILE *stream, const struct pb_history_page *page)
{
    static const char *const column[] = {"unit", "scenario", "first pass", "at", "station", "last",
                                         "at",   "retests",  "reason",     ""};
    struct pb_history_unit *unit;
    size_t count;
    if (pb_history_units(&unit, &count, page->run, page->runs))
        return PB_ERR_MEMORY;
    fputs("<h2>Units</h2>\n", stream);
    if (count > UNITS_SHOWN)
        fprintf(stream, "<p>The first %d of %zu; phasebench history --csv has them all.</p>\n", UNITS_SHOWN,
                count);
    table_head(stream, "units", "Units by scenario, with the reason of the last judged run", column);
    for (size_t i = 0; i < count && i < UNITS_SHOWN; i++) {
        fputs("<tr><th scope=\"row\">", stream);
        pb_markup(stream, unit[i].first->unit);
        fputs("</th>", stream);
        cell(stream, unit[i].first->scenario);
        verdict_cell(stream, unit[i].first->verdict);
        cell(stream, unit[i].first->started_utc);
        cell(stream, unit[i].first->station);
        verdict_cell(stream, unit[i].last->verdict);
        cell(stream, unit[i].last->started_utc);
        fprintf(stream, "<td>%zu</td>", unit[i].retests);
        cell(stream, unit[i].last->verdict == PB_VERDICT_PASS ? "" : unit[i].last->reason);
        fputs("</tr>\n", stream);
    }
    table_end(stream);
    free(unit);
    return PB_OK;
}

int pb_report_history_html(FILE *stream, const struct pb_history_page *page)
{
    head(stream, page);
    int code = yields(stream, page);
    causes(stream, page);
    if (page->value && page->values)
        figure(stream, page);
    if (!code)
        code = units(stream, page);
    fputs("</main>\n<footer>Made by phasebench. This file needs nothing from "
          "outside.</footer>\n</body>\n</html>\n",
          stream);
    return code ? code : pb_stream_status(stream);
}
