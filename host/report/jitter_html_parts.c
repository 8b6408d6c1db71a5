/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "jitter_html.h"
#include "render.h"
#include "svg_plot.h"

#include <inttypes.h>
#include <math.h>

enum { CURVE_POINTS = 400 };

#define RATIO_LEAST 1e-13

/* ---- rate */

void pb_jitter_html_rate(FILE *stream, const struct pb_jitter *jitter)
{
    struct pb_plot plot = {.stream = stream, .x = {.label = "time, s"}, .y = {.label = "rate, ppm"}};
    double time = 0, rate = 0, x[2], y[2];
    fputs("<h3>Rate over time</h3>\n", stream);
    if (!jitter->has_drift) {
        fputs("<p>Not computed: fewer than 200 edges.</p>\n", stream);
        return;
    }
    for (unsigned i = 0; i < jitter->blocks; i++) {
        const struct pb_jitter_block *block = &jitter->block[i];
        time += block->time_s / jitter->blocks;
        rate += block->rate_ppm / jitter->blocks;
        pb_axis_hold(&plot.x, block->time_s);
        pb_axis_hold(&plot.y, block->rate_ppm - block->rate_u95_ppm);
        pb_axis_hold(&plot.y, block->rate_ppm + block->rate_u95_ppm);
    }
    if (pb_jitter_drifts(jitter))
        fprintf(stream,
                "<p>Drift %+.3g ppm/s, U95 %.2g ppm/s. Points: parts of the run with U95; dashed: the line "
                "through "
                "them.</p>\n",
                jitter->drift_ppm_s, jitter->drift_u95_ppm_s);
    else
        fprintf(stream, "<p>No drift above its U95 of %.2g ppm/s. Points: parts of the run with U95.</p>\n",
                jitter->drift_u95_ppm_s);
    x[0] = jitter->block[0].time_s;
    x[1] = jitter->block[jitter->blocks - 1].time_s;
    for (unsigned i = 0; i < 2; i++)
        y[i] = rate + jitter->drift_ppm_s * (x[i] - time);
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    pb_plot_begin(&plot, "Rate of TDMA_CLK over time");
    if (pb_jitter_drifts(jitter))
        pb_plot_line(&plot, "other", x, y, 2);
    for (unsigned i = 0; i < jitter->blocks; i++)
        pb_plot_point(&plot, jitter->block[i].time_s, jitter->block[i].rate_ppm,
                      jitter->block[i].rate_ppm - jitter->block[i].rate_u95_ppm,
                      jitter->block[i].rate_ppm + jitter->block[i].rate_u95_ppm);
    pb_plot_end(&plot);
}

/* ---- starts */

void pb_jitter_html_starts(FILE *stream, const struct pb_jitter *jitter)
{
    struct pb_plot plot = {.stream = stream,
                           .x = {.label = "tau, s", .logarithmic = true},
                           .y = {.label = "TDEV, ns", .logarithmic = true}};
    for (unsigned k = 0; k < jitter->start_links; k++)
        for (unsigned i = 0; i < jitter->starts[k].stable.taus; i++) {
            pb_axis_hold(&plot.x, jitter->starts[k].stable.at[i].tau_s);
            pb_axis_hold(&plot.y, jitter->starts[k].stable.at[i].tdev_ps / 1e3);
        }
    if (!(plot.y.from > 0))
        return; /* no start is out of its place, or there are too few */
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    fputs("<h3>Stability of the starts</h3>\n<p>Time deviation of the starts of frames, a line for each "
          "link.</p>\n",
          stream);
    pb_plot_begin(&plot, "Time deviation of the starts over tau");
    for (unsigned k = 0; k < jitter->start_links; k++) {
        const struct pb_jitter_stable *stable = &jitter->starts[k].stable;
        double tau[PB_JITTER_TAUS], tdev[PB_JITTER_TAUS];
        for (unsigned i = 0; i < stable->taus; i++) {
            tau[i] = stable->at[i].tau_s;
            tdev[i] = stable->at[i].tdev_ps / 1e3;
        }
        pb_plot_line(&plot, "trace", tau, tdev, stable->taus);
    }
    pb_plot_end(&plot);
}

/* ---- budgets */

static void budget_rows(FILE *stream, const struct pb_jitter *jitter, enum pb_jitter_edge edge)
{
    const struct pb_jitter_budget *budget = &jitter->budget[edge];
    fprintf(stream, "<tr><th scope=\"rowgroup\" colspan=\"5\">%s</th></tr>\n",
            pb_jitter_edge_text(jitter, edge));
    if (!budget->parts)
        fputs("<tr><td class=\"text\" colspan=\"5\">exact: the core makes it</td></tr>\n", stream);
    for (unsigned i = 0; i < budget->parts; i++) {
        const struct pb_jitter_part *part = &budget->part[i];
        fputs("<tr><th scope=\"row\">", stream);
        pb_markup(stream, part->name);
        fprintf(stream,
                "</th><td class=\"text\">%s</td><td>%.3f</td><td>%.3f</td><td class=\"text\">%s</td></tr>\n",
                part->normal ? "normal, standard deviation" : "rectangle, half-width", part->size_ps / 1e3,
                part->u_ps / 1e3, part->averages ? "yes, it is in the scatter" : "no");
    }
    if (budget->parts)
        fprintf(
            stream,
            "<tr><th scope=\"row\">sum</th><td class=\"text\">k %.2f, U95 %.3f ns</td><td></td><td>%.3f</td>"
            "<td></td></tr>\n",
            budget->sum.k, budget->sum.u95 / 1e3, budget->sum.u / 1e3);
}

void pb_jitter_html_budgets(FILE *stream, const struct pb_jitter *jitter)
{
    fputs("<h2>Uncertainty</h2>\n<p>Of one instant, by the kind of its edge: ", stream);
    pb_markup(stream, *jitter->board ? jitter->board : "simulated core, the step of the stamps alone");
    fputs(
        ". U95 of a mean in the tables above contains what no n reduces. k is that of the convolution of all "
        "rows.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Uncertainty\"><table "
        "class=\"dense\"><thead><tr><th scope=\"col\">part</th><th scope=\"col\">shape</th><th "
        "scope=\"col\">size, ns</th><th scope=\"col\">u, ns</th><th scope=\"col\">less in a "
        "mean</th></tr></thead>\n<tbody>\n",
        stream);
    for (int edge = 0; edge < pb_jitter_edges(jitter); edge++)
        budget_rows(stream, jitter, (enum pb_jitter_edge)edge);
    fputs("</tbody></table></div>\n", stream);
}

/* ---- bathtubs */

static void draw(FILE *stream, const struct pb_jitter_row *row)
{
    double x[CURVE_POINTS], model[CURVE_POINTS], counted[CURVE_POINTS];
    char title[80];
    struct pb_plot plot = {
        .stream = stream,
        .x = {.label = "instant of sampling in the bit, ns", .to = row->bit_ps / 1e3},
        .y = {.label = "error ratio", .logarithmic = true, .from = RATIO_LEAST, .to = 1}};
    for (unsigned i = 0; i < CURVE_POINTS; i++) {
        const double at = row->bit_ps * i / (CURVE_POINTS - 1);
        const double share = pb_bathtub_counted(row->value, row->raw.n, row->split.centre, row->bit_ps, at);
        x[i] = at / 1e3;
        model[i] = pb_bathtub_model(&row->split, row->bit_ps, at);
        model[i] = model[i] >= RATIO_LEAST ? model[i] : NAN;
        counted[i] = share * (double)row->raw.n >= 10 * PB_BATHTUB_TRANSITIONS ? share : NAN;
    }
    pb_axis_round(&plot.x);
    snprintf(title, sizeof title, "Bathtub of link %d", row->link);
    fprintf(stream, "<h3>%s</h3>\n", title);
    pb_plot_begin(&plot, title);
    pb_plot_line(&plot, "other", x, model, CURVE_POINTS);
    pb_plot_line(&plot, "trace", x, counted, CURVE_POINTS);
    pb_plot_end(&plot);
    fputs("<div class=\"wide\"><table class=\"dense\"><thead><tr><th scope=\"col\">error ratio</th><th "
          "scope=\"col\">sample between, ns: extrapolated</th><th scope=\"col\">counted</th></tr></thead>\n"
          "<tbody>\n",
          stream);
    for (unsigned i = 0; i < PB_JITTER_WINDOWS; i++) {
        const struct pb_jitter_window *at = &row->window[i];
        fprintf(stream, "<tr><th scope=\"row\">%.0e</th>", at->ratio);
        if (at->model.lower < at->model.upper)
            fprintf(stream, "<td>%.3f to %.3f</td>", at->model.lower / 1e3, at->model.upper / 1e3);
        else
            fputs("<td>no such instant</td>", stream);
        if (at->is_counted)
            fprintf(stream, "<td>%.3f to %.3f</td></tr>\n", at->counted.lower / 1e3, at->counted.upper / 1e3);
        else
            fprintf(stream, "<td>n %" PRIu64 " is too small</td></tr>\n", row->raw.n);
    }
    fputs("</tbody></table></div>\n", stream);
}

void pb_jitter_html_bathtubs(FILE *stream, const struct pb_jitter *jitter)
{
    fputs("<h2>Bathtub</h2>\n<p>Share of bits that a receiver reads wrong which samples at a fixed instant "
          "after "
          "the phase edge. A UART begins anew with each start edge, so the jitter of starts does not cost it "
          "that. "
          "Line: counted, down to 10 values; dashed: an <strong>extrapolation</strong> by the dual Dirac "
          "split. Half "
          "of all bits have an edge.</p>\n",
          stream);
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (row->quantity != PB_JITTER_RESPONSE)
            continue;
        if (row->bit_ps > 0)
            draw(stream, row);
        else
            fprintf(stream, "<p>Link %d, n %" PRIu64 ": no bathtub without a split: %s.</p>\n", row->link,
                    row->raw.n, pb_split_reason(row->split.refusal));
    }
    if (!jitter->skew_links)
        fputs("<p>None: no frame of a node was measured.</p>\n", stream);
}
