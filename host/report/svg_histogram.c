/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start of the nodes' transmissions: one row per link, figures at the left, histogram at the right,
 * with a common axis. The axis holds both limits. A limit far from all starts is beyond a break of the axis,
 * so that the starts keep their resolution.
 */
#include "html.h"
#include "render.h"

#include <inttypes.h>

#define WIDTH 640
#define PLOT_LEFT 84
#define PLOT_WIDTH 472.0
#define BEYOND_LEFT 44 /* positions of limits beyond a break of the axis */
#define BEYOND_RIGHT 596
#define BREAK_LEFT 64
#define BREAK_RIGHT 576
#define ROW_HEIGHT 34
#define AXIS_HEIGHT 44

struct axis {
    double from_ps, span_ps;
    uint32_t tallest;
    int64_t lower_ps, upper_ps; /* limits; both 0: none */
};

static double axis_x(const struct axis *axis, double ps)
{
    const double x = PLOT_LEFT + (ps - axis->from_ps) / axis->span_ps * PLOT_WIDTH;
    return x < PLOT_LEFT ? BEYOND_LEFT : x > PLOT_LEFT + PLOT_WIDTH ? BEYOND_RIGHT : x;
}

static bool on_axis(const struct axis *axis, int64_t ps)
{
    return (double)ps >= axis->from_ps && (double)ps <= axis->from_ps + axis->span_ps;
}

static bool has_limits(const struct axis *axis)
{
    return axis->lower_ps || axis->upper_ps;
}

static void limit_line(FILE *stream, const struct axis *axis, int64_t ps, int from_y, int to_y)
{
    fprintf(stream, "<line class=\"limit\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
            axis_x(axis, (double)ps), from_y, axis_x(axis, (double)ps), to_y);
}

static void limit_label(FILE *stream, const struct axis *axis, int64_t ps, bool first)
{
    const double x = axis_x(axis, (double)ps);
    if (on_axis(axis, ps))
        fprintf(stream, "<text class=\"name %s\" x=\"%.1f\" y=\"11\">%s %s</text>", first ? "end" : "",
                x + (first ? 4 : -4), first ? "from" : "to", pb_us(ps).text);
    else
        fprintf(stream, "<text class=\"name mid\" x=\"%.1f\" y=\"11\">%s %s</text>", x, first ? "from" : "to",
                pb_us(ps).text);
}

static int side(const struct axis *axis, int64_t ps)
{
    return on_axis(axis, ps) ? 0 : (double)ps < axis->from_ps ? -1 : 1;
}

/* Two limits beyond the same end share a position and a label. */
static void limit_labels(FILE *stream, const struct axis *axis)
{
    const int first = side(axis, axis->lower_ps), last = side(axis, axis->upper_ps);
    if (first && first == last) {
        fprintf(stream, "<text class=\"name %s\" x=\"%d\" y=\"11\">from %s to %s</text>",
                first < 0 ? "" : "end", first < 0 ? 0 : WIDTH, pb_us(axis->lower_ps).text,
                pb_us(axis->upper_ps).text);
        return;
    }
    limit_label(stream, axis, axis->lower_ps, true);
    limit_label(stream, axis, axis->upper_ps, false);
}

/* Extends the axis, with a break, to a limit beyond the plot. */
static void beyond(FILE *stream, const struct axis *axis, int64_t ps, double y)
{
    const bool left = (double)ps < axis->from_ps;
    const double from = left ? BEYOND_LEFT : PLOT_LEFT + PLOT_WIDTH, to = left ? PLOT_LEFT : BEYOND_RIGHT,
                 gap = left ? BREAK_LEFT : BREAK_RIGHT;
    if (on_axis(axis, ps))
        return;
    fprintf(stream,
            "<path class=\"break\" d=\"M%.1f %.1fH%.1fM%.1f %.1fl4 -8M%.1f %.1fl4 -8M%.1f %.1fH%.1f\"/>",
            from, y, gap - 2, gap - 4, y + 4, gap, y + 4, gap + 2, y, to);
}

static void axis_head(FILE *stream, const struct axis *axis)
{
    fprintf(stream, "<svg viewBox=\"0 0 %d %d\" aria-hidden=\"true\">", WIDTH, AXIS_HEIGHT);
    for (int i = 0; i <= 4; i++) {
        double x = PLOT_LEFT + PLOT_WIDTH * i / 4;
        fprintf(stream,
                "<line class=\"edge\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/><text class=\"mid\" "
                "x=\"%.1f\" "
                "y=\"%d\">%s</text>",
                x, AXIS_HEIGHT - 8, x, AXIS_HEIGHT, x, AXIS_HEIGHT - 13,
                pb_us((int64_t)(axis->from_ps + axis->span_ps * i / 4)).text);
    }
    if (has_limits(axis)) {
        limit_line(stream, axis, axis->lower_ps, 15, 20);
        limit_line(stream, axis, axis->upper_ps, 15, 20);
        beyond(stream, axis, axis->lower_ps, AXIS_HEIGHT - 4);
        beyond(stream, axis, axis->upper_ps, AXIS_HEIGHT - 4);
        limit_labels(stream, axis);
    }
    fputs("</svg>", stream);
}

static void histogram(FILE *stream, const struct pb_result *result, const struct axis *axis, unsigned link)
{
    const struct pb_histogram *histogram = &result->histogram[link];
    const double step = PLOT_WIDTH / PB_HISTOGRAM_BINS, base = ROW_HEIGHT - 1;
    fprintf(stream, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Histogram of link %u\">", WIDTH,
            ROW_HEIGHT, link);
    for (unsigned i = 0; i < PB_HISTOGRAM_BINS; i++) {
        if (!histogram->bin[i])
            continue;
        double height = (double)histogram->bin[i] / axis->tallest * (ROW_HEIGHT - 6);
        double from_ps = axis->from_ps + axis->span_ps * i / PB_HISTOGRAM_BINS;
        double to_ps = axis->from_ps + axis->span_ps * (i + 1) / PB_HISTOGRAM_BINS;
        bool outside = has_limits(axis) &&
                       (to_ps <= (double)axis->lower_ps || from_ps >= (double)axis->upper_ps);
        height = height < 1.5 ? 1.5 : height;
        fprintf(stream, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>",
                outside ? "bar-bad" : "bar", PLOT_LEFT + step * i + 0.5, base - height, step - 1, height);
    }
    fprintf(stream, "<line class=\"edge\" x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", PLOT_LEFT,
            base + 0.5, PLOT_LEFT + PLOT_WIDTH, base + 0.5);
    if (has_limits(axis)) {
        beyond(stream, axis, axis->lower_ps, base - 4);
        beyond(stream, axis, axis->upper_ps, base - 4);
        limit_line(stream, axis, axis->lower_ps, 0, ROW_HEIGHT);
        limit_line(stream, axis, axis->upper_ps, 0, ROW_HEIGHT);
    }
    if (histogram->below)
        fprintf(stream, "<text class=\"out end\" x=\"%d\" y=\"%.0f\">%" PRIu32 " \342\227\202</text>",
                PLOT_LEFT - 4, base - 6, histogram->below);
    if (histogram->above)
        fprintf(stream, "<text class=\"out\" x=\"%.0f\" y=\"%.0f\">\342\226\270 %" PRIu32 "</text>",
                PLOT_LEFT + PLOT_WIDTH + 4, base - 6, histogram->above);
    fputs("</svg>", stream);
}

static void row(FILE *stream, const struct pb_result *result, const struct axis *axis, unsigned link)
{
    const struct pb_measurement *start = pb_measurement_find(result, PB_FIGURE_NODE_START, (int)link);
    fprintf(stream,
            "<tr><th scope=\"row\" class=\"n\">%u</th><td class=\"n\">%u</td><td class=\"n\">%" PRIu64
            "</td>",
            link, link % result->network.ports, start ? start->n : 0);
    if (start)
        fprintf(
            stream,
            "<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
            pb_us(start->min).text, pb_us(start->mean).text, pb_us(start->max).text, pb_us(start->sd).text);
    else
        fputs("<td colspan=\"4\">nothing sent</td>", stream);
    fputs("<td class=\"plot\">", stream);
    if (axis->tallest)
        histogram(stream, result, axis, link);
    fputs("</td></tr>\n", stream);
}

void pb_html_start_latency(FILE *stream, const struct pb_result *result, int64_t lower_ps, int64_t upper_ps)
{
    struct axis axis = {.lower_ps = lower_ps, .upper_ps = upper_ps};
    bool any = false;
    for (unsigned link = 0; link < pb_lines_of(result); link++) {
        const struct pb_histogram *histogram = &result->histogram[link];
        any |= pb_measurement_find(result, PB_FIGURE_NODE_START, (int)link) != NULL;
        for (unsigned i = 0; i < PB_HISTOGRAM_BINS && histogram->bin_ps > 0; i++)
            axis.tallest = histogram->bin[i] > axis.tallest ? histogram->bin[i] : axis.tallest;
        if (histogram->bin_ps > 0 && axis.span_ps <= 0) {
            axis.from_ps = (double)histogram->from_ps;
            axis.span_ps = (double)histogram->bin_ps * PB_HISTOGRAM_BINS;
        }
    }
    if (!any) {
        fputs("<p>The node sent nothing.</p>\n", stream);
        return;
    }
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Start latency\">\n"
          "<table class=\"plots of-start\"><caption>From the phase edge to the first start bit, in us",
          stream);
    if (has_limits(&axis))
        fprintf(stream, "; allowed from %s to %s", pb_us(lower_ps).text,
                pb_us(upper_ps).text);
    fprintf(stream, ". Each time is known to \302\261%s us (U95).</caption>\n",
            pb_us(result->uncertainty_ps).text);
    fprintf(stream, "<thead><tr><th scope=\"col\" class=\"n\">link</th><th scope=\"col\" class=\"n\">%s</th>",
            result->network.dims ? "dim" : "port");
    fputs("<th scope=\"col\" class=\"n\">count</th>"
          "<th scope=\"col\" class=\"n\">min</th><th scope=\"col\" class=\"n\">mean</th>"
          "<th scope=\"col\" class=\"n\">max</th><th scope=\"col\" class=\"n\">sd</th>"
          "<th scope=\"col\" class=\"plot\" aria-label=\"histogram\">",
          stream);
    if (axis.tallest)
        axis_head(stream, &axis);
    fputs("</th></tr></thead>\n<tbody>\n", stream);
    for (unsigned link = 0; link < pb_lines_of(result); link++)
        row(stream, result, &axis, link);
    fputs("</tbody></table></div>\n", stream);
    if (axis.tallest)
        fprintf(stream,
                "<p class=\"note\">The tallest bar represents %" PRIu32
                ". A dashed line is a limit; a hatched bar lies "
                "outside of it; behind a break it is not to scale; a number next to an arrow counts starts "
                "beyond the "
                "axis.</p>\n",
                axis.tallest);
}
