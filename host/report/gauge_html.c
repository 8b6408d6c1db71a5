/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "html.h"
#include "parts.h"
#include "phasebench/gauge.h"
#include "phasebench/report.h"
#include "render.h"
#include "svg_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_OF_ONE 16  /* a plot with at most this many parts has a tick for each */
#define NAME_ON_AXIS 10  /* bytes of a part's name that an axis has room for */

static const char own_style[] =
    "h3{font-size:1rem;font-weight:600;margin:1.75rem 0 .25rem;overflow-wrap:anywhere}\n"
    ".chart{break-inside:avoid}\n"
    "@media screen and (max-width:40rem){\n"
    /* clang-format off */
    PB_HTML_COLUMN("components", 2, "deviation") PB_HTML_COLUMN("components", 3, "% of variance")
    PB_HTML_COLUMN("components", 4, "% of total")
    PB_HTML_COLUMN("sources", 2, "df") PB_HTML_COLUMN("sources", 3, "SS") PB_HTML_COLUMN("sources", 4, "MS")
    PB_HTML_COLUMN("cells", 2, "appraiser") PB_HTML_COLUMN("cells", 3, "n") PB_HTML_COLUMN("cells", 4, "mean")
    PB_HTML_COLUMN("cells", 5, "min") PB_HTML_COLUMN("cells", 6, "max") PB_HTML_COLUMN("cells", 7, "range")
    /* clang-format on */
    "}\n";

static const struct {
    const char *style, *glyph;
} verdicts[] = {
    [PB_GAUGE_GOOD] = {"pass", "\342\234\223"},
    [PB_GAUGE_CONDITIONAL] = {"marginal", "\342\211\210"},
    [PB_GAUGE_POOR] = {"fail", "\342\234\225"},
};

/* The values of a part from an appraiser. */
struct cell {
    unsigned n;
    double sum, least, most;
};

static void hold(struct cell *cell, double value)
{
    cell->least = cell->n ? fmin(cell->least, value) : value;
    cell->most = cell->n ? fmax(cell->most, value) : value;
    cell->sum += value;
    cell->n++;
}

static double mean_of(const struct cell *cell)
{
    return cell->sum / cell->n;
}

/* The parts, sorted by their names: as numbers where both are. */
struct order {
    const char *name[PB_GAUGE_PARTS_MAX];
    unsigned part[PB_GAUGE_PARTS_MAX]; /* as in the values */
    bool named;                     /* an axis has room for all of them */
};

static bool is_before(const char *a, const char *b)
{
    char *end_a, *end_b;
    const double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return *end_a || *end_b || x == y ? strcmp(a, b) < 0 : x < y;
}

static void sort(struct order *order, const struct pb_gauge_labels *part)
{
    order->named = true;
    for (unsigned i = 0; i < part->count; i++) {
        unsigned at = i;
        for (; at && is_before(part->text[i], order->name[at - 1]); at--) {
            order->name[at] = order->name[at - 1];
            order->part[at] = order->part[at - 1];
        }
        order->name[at] = part->text[i];
        order->part[at] = i;
        order->named &= strlen(part->text[i]) <= NAME_ON_AXIS;
    }
}

/* part after part, of each the appraisers; owned by the caller. NULL: no memory. */
static struct cell *cells_of(const struct pb_gauge_file *file)
{
    struct cell *cell = calloc((size_t)file->part->count * file->appraiser->count, sizeof *cell);
    for (size_t i = 0; cell && i < file->count; i++)
        hold(&cell[(size_t)file->value[i].part * file->appraiser->count + file->value[i].appraiser],
             file->value[i].value);
    return cell;
}

/* ---- figures */

static void figure(FILE *stream, const char *name, const char *value, const char *beside)
{
    fprintf(stream, "<div><dt>%s</dt><dd>%s <small>%s</small></dd></div>\n", name, value, beside);
}

static void head(FILE *stream, const char *path, const struct pb_gauge *gauge)
{
    pb_html_begin(stream, false);
    fputs("Gauge study: ", stream);
    pb_markup(stream, path);
    fprintf(stream, "</title>\n<style>\n%s%s%s</style>\n</head>\n<body>\n", pb_html_style, pb_html_plot_style,
            own_style);
    fputs("<header>\n<p class=\"over\">phasebench grr</p>\n<h1>", stream);
    pb_markup(stream, path);
    fprintf(
        stream,
        "</h1>\n</header>\n<main>\n<div class=\"verdict %s\"><b>%s %.2f %%</b><p>%s: the measuring system "
        "makes %.2f %% of the total deviation.</p></div>\n",
        verdicts[gauge->verdict].style, verdicts[gauge->verdict].glyph, gauge->study_percent,
        pb_gauge_verdict_text(gauge->verdict), gauge->study_percent);
}

static void figures(FILE *stream, const struct pb_gauge *gauge, double tolerance)
{
    char value[32], beside[64];
    fputs("<dl class=\"figures\">\n", stream);
    snprintf(value, sizeof value, "%u", gauge->parts);
    figure(stream, "Parts", value, "");
    snprintf(value, sizeof value, "%u", gauge->appraisers);
    figure(stream, "Appraisers", value, "");
    snprintf(value, sizeof value, "%u", gauge->trials);
    figure(stream, "Trials", value, "each");
    if (tolerance > 0) {
        snprintf(value, sizeof value, "%.2f %%", gauge->tolerance_percent);
        snprintf(beside, sizeof beside, "of a tolerance of %g", tolerance);
        figure(stream, "%tolerance", value, beside);
    }
    if (isfinite(gauge->categories)) {
        snprintf(value, sizeof value, "%.0f", floor(gauge->categories));
        snprintf(beside, sizeof beside, "distinct (ndc %.3f); 5 are wanted", gauge->categories);
        figure(stream, "Categories", value, beside);
    } else {
        figure(stream, "Categories", "without limit", "no value differs from its repeats");
    }
    fputs("</dl>\n", stream);
}

/* ---- tables; the columns end with "" */

static void table_head(FILE *stream, const char *of, const char *caption, const char *const *column)
{
    fprintf(
        stream,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"dense of-%s\">"
        "<caption>%s</caption>\n<thead><tr><th scope=\"col\">%s</th>",
        caption, of, caption, *column);
    while (**++column)
        fprintf(stream, "<th scope=\"col\" class=\"n\">%s</th>", *column);
    fputs("</tr></thead>\n<tbody>\n", stream);
}

static void component(FILE *stream, const char *name, double deviation, const struct pb_gauge *gauge)
{
    const double share = gauge->total > 0 ? deviation / gauge->total : 0;
    fprintf(stream,
            "<tr><th scope=\"row\">%s</th><td class=\"n\">%.6g</td><td class=\"n\">%.4f</td>"
            "<td class=\"n\">%.2f</td></tr>\n",
            name, deviation, 100 * share * share, 100 * share);
}

static void components(FILE *stream, const struct pb_gauge *gauge)
{
    static const char *const column[] = {"component", "deviation", "% of variance", "% of total", ""};
    fputs("<h2>Components</h2>\n", stream);
    table_head(stream, "components", "Deviations, in the unit of the values", column);
    component(stream, "repeatability (EV)", gauge->repeatability, gauge);
    component(stream, "reproducibility (AV)", gauge->reproducibility, gauge);
    component(stream, "measuring system (GRR)", gauge->study, gauge);
    component(stream, "parts (PV)", gauge->parts_deviation, gauge);
    component(stream, "total (TV)", gauge->total, gauge);
    fputs("</tbody></table></div>\n", stream);
}

static void analysis(FILE *stream, const struct pb_gauge *gauge)
{
    static const char *const column[] = {"source", "df", "SS", "MS", ""};
    fputs("<h2>Analysis of variance</h2>\n", stream);
    table_head(stream, "sources", "Degrees of freedom, sums and means of squares", column);
    for (int source = 0; source < PB_GAUGE_SOURCES; source++)
        fprintf(stream,
                "<tr><th scope=\"row\">%s</th><td class=\"n\">%.0f</td><td class=\"n\">%.6f</td>"
                "<td class=\"n\">%.6f</td></tr>\n",
                pb_gauge_source_name(source), gauge->row[source].freedom, gauge->row[source].squares,
                gauge->row[source].mean_square);
    fprintf(stream, "</tbody></table></div>\n<p class=\"note\">Interaction: F %.4f, p %.4f; %s.</p>\n",
            gauge->f_interaction, gauge->p_interaction,
            gauge->pooled ? "no effect, pooled into the error" : "an effect of its own");
}

static void table(FILE *stream, const struct pb_gauge_file *file, const struct order *order,
                  const struct cell *cells)
{
    static const char *const column[] = {"part", "appraiser", "n", "mean", "min", "max", "range", ""};
    const size_t appraisers = file->appraiser->count, all = file->part->count * appraisers;
    fputs("<h2>Values</h2>\n", stream);
    table_head(stream, "cells", "Each part by each appraiser", column);
    for (size_t i = 0; i < all && i < PB_HTML_ROWS_MAX; i++) {
        const struct cell *cell = &cells[order->part[i / appraisers] * appraisers + i % appraisers];
        fputs("<tr><th scope=\"row\">", stream);
        pb_markup(stream, order->name[i / appraisers]);
        fputs("</th><td class=\"n\">", stream);
        pb_markup(stream, file->appraiser->text[i % appraisers]);
        fprintf(stream,
                "</td><td class=\"n\">%u</td><td class=\"n\">%.6g</td><td class=\"n\">%.6g</td>"
                "<td class=\"n\">%.6g</td><td class=\"n\">%.6g</td></tr>\n",
                cell->n, mean_of(cell), cell->least, cell->most, cell->most - cell->least);
    }
    fputs("</tbody></table></div>\n", stream);
    if (all > PB_HTML_ROWS_MAX)
        fprintf(stream, "<p class=\"note\">%zu further rows are left out.</p>\n", all - PB_HTML_ROWS_MAX);
}

/* ---- plots */

/* Of one appraiser; all have the axes of the study. mean: of each part, over all appraisers. */
static void plot(FILE *stream, const struct pb_gauge_file *file, const struct order *order,
                 const struct cell *cell, unsigned appraiser, const struct pb_axis *values,
                 const double *place, const double *mean, double *own)
{
    const unsigned parts = file->part->count;
    struct pb_plot plot = {
        .stream = stream, .x = {.label = "part", .from = 0.5, .to = parts + 0.5}, .y = *values};
    if (order->named)
        plot.x.name = order->name;
    else
        plot.x.label = "part, by its place in the table";
    plot.x.step = parts <= TICKS_OF_ONE ? 1 : 0;
    fputs("<h3>", stream);
    pb_markup(stream, file->appraiser->text[appraiser]);
    fputs("</h3>\n", stream);
    pb_plot_begin(&plot, "Values of an appraiser, by part");
    pb_plot_line(&plot, "other", place, mean, parts);
    for (unsigned part = 0; part < parts; part++) {
        const struct cell *at = &cell[(size_t)order->part[part] * file->appraiser->count + appraiser];
        own[part] = mean_of(at);
        pb_plot_point(&plot, place[part], own[part], at->least, at->most);
    }
    pb_plot_line(&plot, "trace", place, own, parts);
    pb_plot_end(&plot);
}

static int plots(FILE *stream, const struct pb_gauge_file *file, const struct order *order,
                 const struct cell *cell)
{
    const unsigned parts = file->part->count, appraisers = file->appraiser->count;
    double *const place = calloc(3 * (size_t)parts, sizeof *place);
    if (!place)
        return PB_ERR_MEMORY;
    double *const mean = place + parts, *const own = mean + parts;
    struct pb_axis values = {.label = "value", .from = cell->least, .to = cell->most};
    for (unsigned part = 0; part < parts; part++) {
        place[part] = part + 1;
        for (unsigned i = 0; i < appraisers; i++) {
            const struct cell *at = &cell[(size_t)order->part[part] * appraisers + i];
            mean[part] += mean_of(at) / appraisers;
            values.from = fmin(values.from, at->least);
            values.to = fmax(values.to, at->most);
        }
    }
    pb_axis_round(&values);
    fputs("<h2>Parts by appraiser</h2>\n<p>Point: mean of a part, with its least and largest value; dashed: "
          "mean "
          "of all appraisers.</p>\n",
          stream);
    for (unsigned i = 0; i < appraisers; i++)
        plot(stream, file, order, cell, i, &values, place, mean, own);
    free(place);
    return PB_OK;
}

int pb_report_gauge_html(FILE *stream, const char *path, const struct pb_gauge_file *file,
                         const struct pb_gauge *gauge, double tolerance)
{
    struct cell *const cell = cells_of(file);
    if (!cell)
        return PB_ERR_MEMORY;
    struct order order;
    sort(&order, file->part);
    head(stream, path, gauge);
    figures(stream, gauge, tolerance);
    components(stream, gauge);
    const int code = plots(stream, file, &order, cell);
    table(stream, file, &order, cell);
    analysis(stream, gauge);
    free(cell);
    fputs("</main>\n<footer>Made by phasebench. This file needs nothing from outside.</footer>\n</body>\n"
          "</html>\n",
          stream);
    return code ? code : pb_stream_status(stream);
}
