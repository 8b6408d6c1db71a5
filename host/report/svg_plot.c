/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "svg_plot.h"

#include "phasebench/report.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define WIDTH 640.0
#define HEIGHT 250.0
#define LEFT 64.0
#define RIGHT 616.0
#define TOP 10.0
#define BOTTOM 208.0
#define TICKS 6 /* at most, about */
#define DATE_WIDTH 80.0
#define DAY_S 86400
#define NEAR 1e-6 /* of a step: a tick at an end; a step of a second is known to 2.4e-7 in days */
/* On a narrow screen, by the style sheet: of a character of a label, and between two labels. */
#define NARROW_CHARACTER 11.5
#define NARROW_GAP 12.0
#define NARROW_GAP_DATES 40.0 /* the last one is moved towards the one before it */

static bool shows(const struct pb_axis *axis, double value)
{
    return isfinite(value) && (!axis->logarithmic || value > 0);
}

void pb_axis_hold(struct pb_axis *axis, double value)
{
    if (!shows(axis, value))
        return;
    const bool empty = axis->from == 0 && axis->to == 0;
    axis->from = empty || value < axis->from ? value : axis->from;
    axis->to = empty || value > axis->to ? value : axis->to;
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double span)
{
    const double rough = span / TICKS, decade = pow(10, floor(log10(rough))), part = rough / decade;
    return decade * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* Of dates: a usual part of a day, of an hour or of a minute, or 1, 2 or 5 times a power of ten days. */
static double step_of(const struct pb_axis *axis)
{
    static const int seconds[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                  600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY_S};
    const double span = axis->to - axis->from;
    if (!axis->dates || span / TICKS > 1)
        return round_step(span);
    size_t i = 0;
    while (seconds[i] < DAY_S && seconds[i] * TICKS < span * DAY_S)
        i++;
    return (double)seconds[i] / DAY_S;
}

void pb_axis_round(struct pb_axis *axis)
{
    if (axis->logarithmic) {
        const bool empty = !(axis->from > 0);
        /* A value within 0.2 % of a power of ten is at the end itself: of a clock 20 ppm fast, too. */
        axis->from = empty ? 1 : pow(10, floor(log10(axis->from) + 1e-3));
        axis->to = empty ? 10 : pow(10, ceil(log10(axis->to) - 1e-3));
        axis->to = axis->to > axis->from ? axis->to : 10 * axis->from;
        return;
    }
    if (!(axis->to > axis->from)) {
        const double beside = axis->dates ? 0.5 : axis->to != 0 ? fabs(axis->to) / 1e3 : 1;
        axis->from -= beside;
        axis->to += beside;
    }
    const double step = step_of(axis);
    axis->from = step * floor(axis->from / step + NEAR);
    axis->to = step * ceil(axis->to / step - NEAR);
}

static double part(const struct pb_axis *axis, double value)
{
    const double share = axis->logarithmic ? log(value / axis->from) / log(axis->to / axis->from)
                                           : (value - axis->from) / (axis->to - axis->from);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

static double place_x(const struct pb_plot *plot, double x)
{
    return LEFT + part(&plot->x, x) * (RIGHT - LEFT);
}

static double place_y(const struct pb_plot *plot, double y)
{
    return BOTTOM - part(&plot->y, y) * (BOTTOM - TOP);
}

struct label {
    char text[24];
};

/* A name; a date, or its month, day and time where the ticks are parts of a day, to the second where they are
 * parts of a minute; else the number. */
static struct label label_of(const struct pb_axis *axis, double value)
{
    struct label label;
    if (axis->name && value >= 1) {
        snprintf(label.text, sizeof label.text, "%s", axis->name[(size_t)value - 1]);
        return label;
    }
    if (!axis->dates) {
        snprintf(label.text, sizeof label.text, "%.6g", value);
        return label;
    }
    const time_t seconds = (time_t)llround(value * DAY_S);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    const double step = step_of(axis);
    strftime(label.text, sizeof label.text,
             step < 59.5 / DAY_S ? "%H:%M:%S"
             : step < 1          ? "%m-%d %H:%M"
                                 : "%Y-%m-%d",
             &utc);
    return label;
}

/* spare: a tick whose label a narrow screen leaves out. */
static void tick(struct pb_plot *plot, const struct pb_axis *axis, double value, bool spare)
{
    value = fabs(value) < 1e-9 * (axis->to - axis->from) && !axis->logarithmic ? 0 : value;
    const bool is_x = axis == &plot->x;
    const double x = is_x ? place_x(plot, value) : 0, y = is_x ? 0 : place_y(plot, value);
    const bool at_end = is_x && axis->dates && x > WIDTH - DATE_WIDTH / 2;
    fprintf(plot->stream, "<line class=\"line\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
            is_x ? x : LEFT, is_x ? TOP : y, is_x ? x : RIGHT, is_x ? BOTTOM : y);
    fprintf(plot->stream, "<text class=\"%s%s%s\" x=\"%.1f\" y=\"%.1f\">",
            is_x && !at_end ? "mid" : "end", is_x ? " across" : "", spare ? " spare" : "",
            at_end ? WIDTH : is_x ? x : LEFT - 6, is_x ? BOTTOM + 16 : y + 4);
    pb_markup(plot->stream, label_of(axis, value).text);
    fputs("</text>", plot->stream);
}

/* Of ticks first + k * step, or first * step^k, with k up to `last`: of how many labels of the x axis a
 * narrow screen has room for one. */
static int narrow_every(const struct pb_axis *axis, double first, double step, int last)
{
    size_t longest = 0;
    for (int k = 0; k <= last; k++) {
        const double value = axis->logarithmic ? first * pow(step, k) : first + k * step;
        const size_t length = strlen(label_of(axis, value).text);
        longest = length > longest ? length : longest;
    }
    const double second = axis->logarithmic ? first * step : first + step,
                 room = last ? (part(axis, second) - part(axis, first)) * (RIGHT - LEFT) : RIGHT - LEFT;
    const double gap = axis->dates ? NARROW_GAP_DATES : NARROW_GAP;
    return (int)ceil(((double)longest * NARROW_CHARACTER + gap) / room);
}

static void draw_axis(struct pb_plot *plot, const struct pb_axis *axis)
{
    double step, first;
    int last = 0;
    if (axis->logarithmic) {
        const double decades = round(log10(axis->to / axis->from)), every = ceil(decades / 9);
        first = axis->from;
        step = pow(10, every);
        last = (int)(decades / every);
    } else {
        step = axis->step > 0 ? axis->step : step_of(axis);
        first = step * ceil(axis->from / step - NEAR);
        while (first + (last + 1) * step <= axis->to + NEAR * step)
            last++;
    }
    const int every = axis == &plot->x ? narrow_every(axis, first, step, last) : 1;
    for (int k = 0; k <= last; k++)
        tick(plot, axis, axis->logarithmic ? first * pow(step, k) : first + k * step, k % every != 0);
}

void pb_plot_begin(struct pb_plot *plot, const char *title)
{
    fprintf(plot->stream, "<svg class=\"chart\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">",
            WIDTH, HEIGHT, title);
    draw_axis(plot, &plot->x);
    draw_axis(plot, &plot->y);
    fprintf(plot->stream,
            "<text class=\"mid name across\" x=\"%.1f\" y=\"%.1f\">%s</text><text class=\"mid name up\" "
            "transform=\"translate(12 %.1f) rotate(-90)\">%s</text>",
            (LEFT + RIGHT) / 2, HEIGHT - 8, plot->x.label, (TOP + BOTTOM) / 2, plot->y.label);
}

void pb_plot_line(struct pb_plot *plot, const char *style, const double *x, const double *y, size_t n)
{
    bool begun = false;
    fprintf(plot->stream, "<path class=\"%s\" d=\"", style);
    for (size_t i = 0; i < n; i++) {
        if (!shows(&plot->x, x[i]) || !shows(&plot->y, y[i])) {
            begun = false;
            continue;
        }
        fprintf(plot->stream, "%c%.1f %.1f", begun ? 'L' : 'M', place_x(plot, x[i]), place_y(plot, y[i]));
        begun = true;
    }
    fputs("\"/>", plot->stream);
}

void pb_plot_point(struct pb_plot *plot, double x, double y, double low, double high)
{
    if (!shows(&plot->x, x) || !shows(&plot->y, y))
        return;
    if (shows(&plot->y, low) && shows(&plot->y, high))
        fprintf(plot->stream, "<line class=\"edge\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                place_x(plot, x), place_y(plot, low), place_x(plot, x), place_y(plot, high));
    fprintf(plot->stream, "<circle class=\"node\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", place_x(plot, x),
            place_y(plot, y));
}

void pb_plot_dot(struct pb_plot *plot, double x, double y)
{
    if (shows(&plot->x, x) && shows(&plot->y, y))
        fprintf(plot->stream, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>",
                place_x(plot, x), place_y(plot, y));
}

void pb_plot_sign(struct pb_plot *plot, const char *style, double x, double y, const char *text)
{
    if (shows(&plot->x, x) && shows(&plot->y, y))
        fprintf(plot->stream, "<text class=\"mid %s\" x=\"%.1f\" y=\"%.1f\">%s</text>", style,
                place_x(plot, x), place_y(plot, y) - 7, text);
}

void pb_plot_column(struct pb_plot *plot, double from, double to, double height)
{
    const double left = place_x(plot, from), right = place_x(plot, to), top = place_y(plot, height);
    if (top < BOTTOM)
        fprintf(plot->stream, "<rect class=\"bar\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>",
                left, top, right - left > 0.6 ? right - left - 0.4 : right - left, BOTTOM - top);
}

void pb_plot_end(struct pb_plot *plot)
{
    fputs("</svg>\n", plot->stream);
}
