/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each value on the bar of its limits. All bars have their limits at the same places, so that they can be
 * compared: the scale of a bar is the distance of its limits, or the size of the only one.
 */
#include "validation_html.h"

#include <math.h>

#define WIDTH 320.0
#define HEIGHT 22.0
#define LEFT 8.0
#define RIGHT 312.0
#define TOP 4.0
#define BOTTOM 18.0
#define MIDDLE 11.0

struct scale {
    double from, to;
};

static struct scale scale_of(const struct pb_item_value *value)
{
    const double lower = (double)value->lower, upper = (double)value->upper;
    double size = value->upper == PB_ABSENT   ? fabs(lower)
                  : value->lower == PB_ABSENT ? fabs(upper)
                                              : upper - lower;
    size = size > 0 ? size : 1;
    if (value->upper == PB_ABSENT)
        return (struct scale){lower - size / 2, lower + size};
    if (value->lower == PB_ABSENT)
        return (struct scale){upper - size, upper + size / 2};
    return (struct scale){lower - size / 2, upper + size / 2};
}

static double place(const struct scale *scale, double value)
{
    const double x = LEFT + (value - scale->from) / (scale->to - scale->from) * (RIGHT - LEFT);
    return x < LEFT ? LEFT : x > RIGHT ? RIGHT : x;
}

static void zone(FILE *stream, const char *style, const struct scale *scale, double from, double to)
{
    const double left = place(scale, from), right = place(scale, to);
    if (right > left)
        fprintf(stream, "<rect class=\"%s\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\"/>", style,
                left, TOP, right - left, BOTTOM - TOP);
}

static void bound(FILE *stream, const struct scale *scale, int64_t limit)
{
    if (limit != PB_ABSENT)
        fprintf(stream, "<line class=\"bound\" x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%.0f\"/>",
                place(scale, (double)limit), place(scale, (double)limit), HEIGHT);
}

/* Margins from which on a value passes, and below which it fails. */
static void zones(FILE *stream, const struct scale *scale, const struct pb_item_value *value,
                  const struct pb_limit_set *limits)
{
    const double guard = limits->rule == PB_ACCEPT_SIMPLE ? 0 : (double)value->u95,
                 passes = guard + (double)limits->limit[value->item].band,
                 fails = limits->rule == PB_ACCEPT_NON_BINARY ? -guard : guard,
                 lower = value->lower != PB_ABSENT ? (double)value->lower : -INFINITY,
                 upper = value->upper != PB_ABSENT ? (double)value->upper : INFINITY,
                 middle = (fmax(lower, scale->from) + fmin(upper, scale->to)) / 2;
    zone(stream, "beyond", scale, scale->from, scale->to);
    zone(stream, "zone", scale, fmax(lower + passes, scale->from), fmin(upper - passes, scale->to));
    if (value->lower != PB_ABSENT)
        zone(stream, "unsure-zone", scale, lower + fails,
             value->upper != PB_ABSENT ? fmin(lower + passes, fmax(middle, lower + fails)) : lower + passes);
    if (value->upper != PB_ABSENT)
        zone(stream, "unsure-zone", scale,
             value->lower != PB_ABSENT ? fmax(upper - passes, fmin(middle, upper - fails)) : upper - passes,
             upper - fails);
}

/* A shape for each judgement; an arrow where the value is beyond the bar. */
static void spot(FILE *stream, const struct scale *scale, const struct pb_item_value *value)
{
    const double at = (double)value->value, x = place(scale, at);
    if (at < scale->from || at > scale->to) {
        const int way = at < scale->from ? -1 : 1;
        fprintf(stream, "<path class=\"spot\" d=\"M%.1f %.0fl%d 6l%d 6z\"/>", x - way * 4.0, MIDDLE - 6,
                way * 10, -way * 10);
        return;
    }
    switch (value->judgement) {
    case PB_JUDGED_FAIL:
        fprintf(stream, "<path class=\"cross\" d=\"M%.1f %.0fl8 8m0 -8l-8 8\"/>", x - 4, MIDDLE - 4);
        break;
    case PB_JUDGED_MARGINAL:
        fprintf(stream, "<path class=\"spot\" d=\"M%.1f %.0fl6 6l-6 6l-6 -6z\"/>", x, MIDDLE - 6);
        break;
    case PB_JUDGED_PASS:
    case PB_NOT_JUDGED:
        fprintf(stream, "<circle class=\"spot\" cx=\"%.1f\" cy=\"%.0f\" r=\"4.5\"/>", x, MIDDLE);
        break;
    }
}

static void uncertainty(FILE *stream, const struct scale *scale, const struct pb_item_value *value)
{
    const double low = place(scale, (double)value->value - (double)value->u95),
                 high = place(scale, (double)value->value + (double)value->u95);
    if (value->u95 > 0)
        fprintf(stream, "<path class=\"span\" d=\"M%.1f %.0fv8m0 -4H%.1fm0 -4v8\"/>", low, MIDDLE - 4, high);
}

static void bar(FILE *stream, const struct pb_item_value *value, const struct pb_limit_set *limits)
{
    const struct scale scale = scale_of(value);
    fprintf(stream, "<svg class=\"limitbar\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", WIDTH,
            HEIGHT);
    pb_markup(stream, pb_value_text(value).text);
    fputs("\">", stream);
    zones(stream, &scale, value, limits);
    bound(stream, &scale, value->lower);
    bound(stream, &scale, value->upper);
    uncertainty(stream, &scale, value);
    spot(stream, &scale, value);
    fputs("</svg>", stream);
}

static void bar_row(FILE *stream, const struct pb_item_value *value, const struct pb_limit_set *limits)
{
    const struct pb_shown shown = pb_shown_judgement(value->judgement);
    fprintf(stream, "<tr class=\"%s\"><th scope=\"row\" class=\"name\">", shown.style);
    pb_markup(stream, value->name);
    fputs("</th><td>", stream);
    bar(stream, value, limits);
    fprintf(stream, "</td><td><span class=\"tone\">%s %s</span></td><td class=\"n\">", shown.glyph,
            shown.word);
    pb_html_quantity(stream, pb_item_unit(value->item), value->value);
    fputs("</td></tr>\n", stream);
}

static void legend(FILE *stream)
{
    static const struct {
        const char *drawing, *text;
    } entry[] = {
        {"<rect class=\"zone\" x=\"0\" y=\"0\" width=\"28\" height=\"14\"/>", "passes"},
        {"<rect class=\"unsure-zone\" x=\"0\" y=\"0\" width=\"28\" height=\"14\"/>", "marginal"},
        {"<rect class=\"beyond\" x=\"0\" y=\"0\" width=\"28\" height=\"14\"/>", "fails"},
        {"<line class=\"bound\" x1=\"14\" y1=\"0\" x2=\"14\" y2=\"14\"/>", "limit"},
        {"<path class=\"span\" d=\"M4 3v8m0 -4H24m0 -4v8\"/>", "value \302\261 U95"},
        {"<g class=\"pass\"><circle class=\"spot\" cx=\"14\" cy=\"7\" r=\"4.5\"/></g>", "pass"},
        {"<g class=\"marginal\"><path class=\"spot\" d=\"M14 1l6 6l-6 6l-6 -6z\"/></g>", "marginal value"},
        {"<g class=\"fail\"><path class=\"cross\" d=\"M10 3l8 8m0 -8l-8 8\"/></g>", "fail"},
    };
    fputs("<ul class=\"legend\">\n", stream);
    for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++)
        fprintf(stream, "<li><svg viewBox=\"0 0 28 14\" aria-hidden=\"true\">%s</svg>%s</li>\n",
                entry[i].drawing, entry[i].text);
    fputs("</ul>\n", stream);
}

void pb_html_bars(FILE *stream, const struct pb_validation *validation)
{
    fputs("<p>A bar for each value with a limit. An arrow is a value beyond the drawing.</p>\n", stream);
    legend(stream);
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        const struct pb_item_value *value;
        size_t next = 0, drawn = 0;
        while ((value = pb_step_value(validation, step, &next)) != NULL) {
            if (value->judgement == PB_NOT_JUDGED)
                continue;
            if (!drawn++) {
                fputs("<h3>", stream);
                pb_markup(stream, step->id);
                fputs("</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Values on "
                      "their limits\"><table class=\"dense of-bars\"><caption>Values between their "
                      "limits</caption>\n<tbody>\n",
                      stream);
            }
            bar_row(stream, value, &validation->limits);
        }
        if (drawn)
            fputs("</tbody></table></div>\n", stream);
    }
}
