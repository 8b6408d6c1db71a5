/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "svg_jitter.h"
#include "svg_plot.h"

#include <inttypes.h>
#include <math.h>

enum { CURVE_POINTS = 400 };

#define RATIO_LEAST 1e-13

void pb_svg_bathtub_text(FILE *stream)
{
    fputs(
        "<p>Share of bits that a receiver reads wrong which samples at a fixed instant after the phase edge. "
        "A UART begins anew with each start edge, so the jitter of starts does not cost it that. Line: "
        "counted, down to 10 values; dashed: an <strong>extrapolation</strong> by the dual Dirac split. "
        "Half of all bits have an edge.</p>\n",
        stream);
}

static bool is_of(const struct pb_jitter_row *row, int link)
{
    return row->quantity == PB_JITTER_RESPONSE && (link < 0 || row->link == link);
}

static void curves(struct pb_plot *plot, const struct pb_jitter_row *row)
{
    double x[CURVE_POINTS], model[CURVE_POINTS], counted[CURVE_POINTS];
    for (unsigned i = 0; i < CURVE_POINTS; i++) {
        const double at = row->bit_ps * i / (CURVE_POINTS - 1);
        const double share = pb_bathtub_counted(row->value, row->raw.n, row->split.centre, row->bit_ps, at);
        x[i] = at / 1e3;
        model[i] = pb_bathtub_model(&row->split, row->bit_ps, at);
        model[i] = model[i] >= RATIO_LEAST ? model[i] : NAN;
        counted[i] = share * (double)row->raw.n >= 10 * PB_BATHTUB_TRANSITIONS ? share : NAN;
    }
    pb_plot_line(plot, "other", x, model, CURVE_POINTS);
    pb_plot_line(plot, "trace", x, counted, CURVE_POINTS);
}

/* The instants that every row leaves, and the least n of those that are too few; 0: none is. */
static uint64_t common(const struct pb_jitter *jitter, int link, unsigned window,
                       struct pb_jitter_window *left)
{
    uint64_t few = 0;
    *left = (struct pb_jitter_window){.model = {-INFINITY, INFINITY}, .counted = {-INFINITY, INFINITY}};
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        const struct pb_jitter_window *at = &row->window[window];
        if (!is_of(row, link) || !(row->bit_ps > 0))
            continue;
        left->ratio = at->ratio;
        left->model.lower = fmax(left->model.lower, at->model.lower);
        left->model.upper = fmin(left->model.upper, at->model.upper);
        if (!at->is_counted) {
            few = few && few < row->raw.n ? few : row->raw.n;
            continue;
        }
        left->counted.lower = fmax(left->counted.lower, at->counted.lower);
        left->counted.upper = fmin(left->counted.upper, at->counted.upper);
    }
    return few;
}

static void interval_cell(FILE *stream, const struct pb_interval *interval)
{
    if (interval->lower < interval->upper)
        fprintf(stream, "<td>%.3f to %.3f</td>", interval->lower / 1e3, interval->upper / 1e3);
    else
        fputs("<td>no such instant</td>", stream);
}

static void windows(FILE *stream, const struct pb_jitter *jitter, int link)
{
    fprintf(stream,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Instants to sample at\"><table "
            "class=\"dense\"><caption>Instants at which %s can be sampled</caption>\n<thead><tr><th "
            "scope=\"col\">error ratio</th><th scope=\"col\">sample between, ns: extrapolated</th><th "
            "scope=\"col\">counted</th></tr></thead>\n<tbody>\n",
            link < 0 ? "every link" : "the link");
    for (unsigned i = 0; i < PB_JITTER_WINDOWS; i++) {
        struct pb_jitter_window left;
        const uint64_t few = common(jitter, link, i, &left);
        fprintf(stream, "<tr><th scope=\"row\">%.0e</th>", left.ratio);
        interval_cell(stream, &left.model);
        if (few)
            fprintf(stream, "<td>n %" PRIu64 " is too small</td>", few);
        else
            interval_cell(stream, &left.counted);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

/* The links without a split, a line for each reason. */
static void refused(FILE *stream, const struct pb_jitter *jitter, int link)
{
    for (int refusal = PB_SPLIT_VALID + 1; refusal <= PB_SPLIT_BOUNDED; refusal++) {
        bool any = false;
        for (unsigned i = 0; i < jitter->rows; i++) {
            const struct pb_jitter_row *row = &jitter->row[i];
            if (!is_of(row, link) || row->bit_ps > 0 || (int)row->split.refusal != refusal)
                continue;
            if (!any)
                fprintf(stream, "<p>No bathtub without a split: %s: ",
                        pb_split_reason(row->split.refusal));
            fprintf(stream, "%slink %d, n %" PRIu64, any ? "; " : "", row->link, row->raw.n);
            any = true;
        }
        fputs(any ? ".</p>\n" : "", stream);
    }
}

void pb_svg_bathtub(FILE *stream, const struct pb_jitter *jitter, int link)
{
    char title[80] = "Bathtub of all links";
    double bit_ps = 0;
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (is_of(row, link) && row->bit_ps > 0)
            bit_ps = row->bit_ps;
    }
    refused(stream, jitter, link);
    if (!(bit_ps > 0))
        return;
    struct pb_plot plot = {
        .stream = stream,
        .x = {.label = "instant of sampling in the bit, ns", .to = bit_ps / 1e3},
        .y = {.label = "error ratio", .logarithmic = true, .from = RATIO_LEAST, .to = 1}};
    if (link >= 0)
        snprintf(title, sizeof title, "Bathtub of link %d", link);
    pb_axis_round(&plot.x);
    fprintf(stream, "<h3>%s</h3>\n", title);
    for (unsigned i = 0, first = 1; i < jitter->rows; i++)
        if (is_of(&jitter->row[i], link) && jitter->row[i].bit_ps > 0) {
            fprintf(stream, first ? "<p>n %" PRIu64 " on link %d" : ", %" PRIu64 " on link %d",
                    jitter->row[i].raw.n, jitter->row[i].link);
            first = 0;
        }
    fputs(".</p>\n", stream);
    pb_plot_begin(&plot, title);
    for (unsigned i = 0; i < jitter->rows; i++)
        if (is_of(&jitter->row[i], link) && jitter->row[i].bit_ps > 0)
            curves(&plot, &jitter->row[i]);
    pb_plot_end(&plot);
    windows(stream, jitter, link);
}
