/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "svg_jitter.h"

#include "svg_plot.h"

#include <inttypes.h>
#include <math.h>

enum { BINS = 80, TREND_POINTS = 600, DOTS_MAX = 2000 };

/* ---- TDMA_CLK */

/* No edge is out of its place. */
static bool is_exact(const struct pb_jitter *jitter)
{
    for (uint64_t i = 0; i < jitter->edges; i++)
        if (jitter->tie_ps[i] != 0)
            return false;
    return true;
}

/* Minimum and maximum of equal parts, so that no excursion is lost. */
void pb_svg_trend(FILE *stream, const struct pb_jitter *jitter)
{
    const size_t n = jitter->edges, parts = n < TREND_POINTS ? n : TREND_POINTS;
    double x[2 * TREND_POINTS], y[2 * TREND_POINTS];
    struct pb_plot plot = {.stream = stream, .x = {.label = "time, s"}, .y = {.label = "TIE, ns"}};
    for (size_t k = 0; k < parts; k++) {
        const size_t from = n * k / parts, to = n * (k + 1) / parts;
        double low = jitter->tie_ps[from], high = low;
        for (size_t i = from; i < to; i++) {
            low = fmin(low, jitter->tie_ps[i]);
            high = fmax(high, jitter->tie_ps[i]);
        }
        x[2 * k] = x[2 * k + 1] = (double)from * jitter->period_ps / 1e12;
        y[2 * k] = low / 1e3;
        y[2 * k + 1] = high / 1e3;
        pb_axis_hold(&plot.x, x[2 * k]);
        pb_axis_hold(&plot.y, y[2 * k]);
        pb_axis_hold(&plot.y, y[2 * k + 1]);
    }
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    fprintf(stream, "<h3>Time interval error</h3>\n<p>n %" PRIu64 " edges.%s</p>\n", jitter->edges,
            n < PB_SVG_JITTER_LEAST ? " Too few for a plot."
            : is_exact(jitter)      ? " Each is at its nominal place."
                                    : "");
    if (n < PB_SVG_JITTER_LEAST || is_exact(jitter))
        return;
    pb_plot_begin(&plot, "Time interval error over time");
    pb_plot_line(&plot, "trace", x, y, 2 * parts);
    pb_plot_end(&plot);
}

void pb_svg_rate(FILE *stream, const struct pb_jitter *jitter)
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

void pb_svg_stability(FILE *stream, const struct pb_jitter *jitter)
{
    double tau[PB_JITTER_TAUS], mdev[PB_JITTER_TAUS], tdev[PB_JITTER_TAUS], mtie[PB_JITTER_TAUS];
    struct pb_plot relative = {.stream = stream,
                               .x = {.label = "tau, s", .logarithmic = true},
                               .y = {.label = "OADEV, MDEV", .logarithmic = true}},
                   time = {.stream = stream,
                           .x = {.label = "tau, s", .logarithmic = true},
                           .y = {.label = "TDEV, MTIE, ns", .logarithmic = true}};
    for (unsigned i = 0; i < jitter->stable.taus; i++) {
        const struct pb_jitter_stability *at = &jitter->stable.at[i];
        tau[i] = at->tau_s;
        mdev[i] = at->mdev;
        tdev[i] = at->tdev_ps / 1e3;
        mtie[i] = at->mtie_ps / 1e3;
        pb_axis_hold(&relative.x, tau[i]);
        pb_axis_hold(&relative.y, at->oadev);
        pb_axis_hold(&relative.y, mdev[i]);
        pb_axis_hold(&time.x, tau[i]);
        pb_axis_hold(&time.y, tdev[i]);
        pb_axis_hold(&time.y, mtie[i]);
    }
    fprintf(stream, "<h3>Stability of TDMA_CLK</h3>\n<p>n %" PRIu64 " edges in a row. ",
            jitter->stable.edges);
    if (!(relative.y.from > 0)) {
        fputs(jitter->stable.taus ? "No edge is out of its place: all deviations are 0.</p>\n"
                                  : "Too few for a deviation: 8 are needed.</p>\n",
              stream);
        return;
    }
    pb_axis_round(&relative.x);
    pb_axis_round(&relative.y);
    pb_axis_round(&time.x);
    pb_axis_round(&time.y);
    fputs("Points: overlapping Allan deviation with its 95 % interval; "
          "dashed: "
          "modified Allan deviation (NIST SP 1065).</p>\n",
          stream);
    pb_plot_begin(&relative, "Allan deviation over tau");
    pb_plot_line(&relative, "other", tau, mdev, jitter->stable.taus);
    for (unsigned i = 0; i < jitter->stable.taus; i++)
        pb_plot_point(&relative, tau[i], jitter->stable.at[i].oadev, jitter->stable.at[i].oadev95.lower,
                      jitter->stable.at[i].oadev95.upper);
    pb_plot_end(&relative);
    fputs("<p>Line: time deviation; dashed: maximum time interval error.</p>\n", stream);
    pb_plot_begin(&time, "Time deviation and MTIE over tau");
    pb_plot_line(&time, "trace", tau, tdev, jitter->stable.taus);
    pb_plot_line(&time, "other", tau, mtie, jitter->stable.taus);
    pb_plot_end(&time);
}

/* ---- starts */

void pb_svg_starts(FILE *stream, const struct pb_jitter *jitter)
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

/* ---- distributions */

/* Whole steps of the stamps to a column, so that none is empty by the way of counting alone. */
static double column_of(const struct pb_jitter_row *row)
{
    const double span = row->raw.max - row->raw.min + (row->step_ps > 0 ? row->step_ps : 1),
                 plain = span / BINS;
    return row->step_ps > 0 ? row->step_ps * ceil(plain / row->step_ps) : plain;
}

void pb_svg_histogram(FILE *stream, const struct pb_jitter_row *row)
{
    const double column = column_of(row);
    uint64_t count[BINS + 2] = {0};
    char title[80];
    struct pb_plot plot = {.stream = stream,
                           .x = {.label = "ns from the mean"},
                           .y = {.label = "values", .logarithmic = true, .from = 1, .to = 10}};
    for (uint64_t i = 0; i < row->raw.n; i++)
        count[(size_t)((row->value[i] - row->raw.min) / column) % (BINS + 2)]++;
    pb_axis_hold(&plot.x, (row->raw.min - row->raw.mean) / 1e3);
    pb_axis_hold(&plot.x, (row->raw.max + column - row->raw.mean) / 1e3);
    for (unsigned i = 0; i < BINS + 2; i++)
        pb_axis_hold(&plot.y, (double)count[i]);
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    if (row->link < 0)
        snprintf(title, sizeof title, "Histogram of %s", pb_jitter_id(row->quantity));
    else
        snprintf(title, sizeof title, "Histogram of the responses on link %d", row->link);
    fprintf(stream, "<h3>%s</h3>\n<p>n %" PRIu64 ".%s</p>\n", title, row->raw.n,
            row->raw.n < PB_SVG_JITTER_LEAST ? " Too few for a histogram."
            : row->raw.max > row->raw.min    ? ""
                                             : " All values are the same.");
    if (row->raw.n < PB_SVG_JITTER_LEAST || !(row->raw.max > row->raw.min))
        return;
    pb_plot_begin(&plot, title);
    for (unsigned i = 0; i < BINS + 2; i++) {
        const double from = (row->raw.min + i * column - row->raw.mean) / 1e3;
        if (count[i])
            pb_plot_column(&plot, from, from + column / 1e3, (double)count[i]);
    }
    pb_plot_end(&plot);
}

/* ---- bit times */

/* The least and the largest of equal parts of the time, so that no excursion is lost. */
static void bit_time_parts(struct pb_plot *plot, const struct pb_jitter *jitter)
{
    double low[TREND_POINTS], high[TREND_POINTS];
    const double part_s = (plot->x.to - plot->x.from) / TREND_POINTS;
    for (size_t k = 0; k < TREND_POINTS; k++)
        low[k] = high[k] = NAN;
    for (size_t i = 0; i < jitter->bit_times; i++) {
        const size_t k = (size_t)fmin(jitter->bit_time[i].time_s / part_s, TREND_POINTS - 1);
        low[k] = fmin(low[k], jitter->bit_time[i].ppm);
        high[k] = fmax(high[k], jitter->bit_time[i].ppm);
    }
    for (size_t k = 0; k < TREND_POINTS; k++) {
        pb_plot_dot(plot, ((double)k + 0.5) * part_s, low[k]);
        pb_plot_dot(plot, ((double)k + 0.5) * part_s, high[k]);
    }
}

static void limit_line(struct pb_plot *plot, double limit)
{
    const double x[2] = {plot->x.from, plot->x.to}, y[2] = {limit, limit};
    pb_plot_line(plot, "limit", x, y, 2);
}

void pb_svg_bit_times(FILE *stream, const struct pb_jitter *jitter, double lower_ppm, double upper_ppm)
{
    const size_t n = jitter->bit_times;
    struct pb_plot plot = {
        .stream = stream, .x = {.label = "time, s"}, .y = {.label = "bit time, ppm from nominal"}};
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        pb_axis_hold(&plot.x, jitter->bit_time[i].time_s);
        least = fmin(least, jitter->bit_time[i].ppm);
        most = fmax(most, jitter->bit_time[i].ppm);
    }
    fprintf(stream, "<h3>Bit time of each frame</h3>\n<p>n %zu frames of the node.", n);
    if (n < PB_SVG_JITTER_LEAST) {
        fputs(" Too few for a plot.</p>\n", stream);
        return;
    }
    fprintf(stream, " From %.1f to %.1f ppm.%s%s</p>\n", least, most,
            n > DOTS_MAX ? " Drawn: the least and the largest of each of 600 parts of the time." : "",
            isnan(lower_ppm) && isnan(upper_ppm) ? "" : " Dashed: the limits.");
    pb_axis_hold(&plot.y, least);
    pb_axis_hold(&plot.y, most);
    pb_axis_hold(&plot.y, lower_ppm);
    pb_axis_hold(&plot.y, upper_ppm);
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    pb_plot_begin(&plot, "Bit time of each frame over time");
    limit_line(&plot, lower_ppm);
    limit_line(&plot, upper_ppm);
    if (n > DOTS_MAX)
        bit_time_parts(&plot, jitter);
    else
        for (size_t i = 0; i < n; i++)
            pb_plot_dot(&plot, jitter->bit_time[i].time_s, jitter->bit_time[i].ppm);
    pb_plot_end(&plot);
}
