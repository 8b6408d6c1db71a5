/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The map of a shmoo as a page. A point has the sign of the text form: colours may be equal on paper.
 */
#include "html.h"
#include "parts.h"
#include "phasebench/report.h"
#include "phasebench/shmoo.h"
#include "render.h"

enum {
    LEFT = 120, /* of the map; the labels of the other axis are before it */
    TOP = 10,
    WIDTH = 600,
    HEIGHT = 420
};

static const char own_style[] =
    ".point rect{fill:var(--tone);fill-opacity:.3}.point.refused rect,.point.not rect{fill:none}\n"
    ".point.fail rect{fill-opacity:1}.point.idle rect{fill-opacity:.12}.point.fail.idle "
    "rect{fill-opacity:.4}\n"
    "svg .point text{fill:var(--ink);font-weight:700;text-anchor:middle}.chart .point "
    "text{font-size:inherit}\n"
    "svg .point.fail:not(.idle) text{fill:var(--paper)}\n"
    ".point rect.op{fill:none;stroke:var(--ink);stroke-width:2.5}\n"
    ".legend svg{width:18px;height:18px;vertical-align:-4px}\n"
    ".facts{margin-top:1rem}\n"
    "@media print{svg,.legend{break-inside:avoid}}\n";

static void class_of(FILE *stream, enum pb_shmoo_state state, bool ran)
{
    fprintf(stream, "point %s%s", pb_shmoo_state_name(state), ran ? "" : " idle");
}

/* ---- map */

static void point(FILE *stream, const struct pb_shmoo *shmoo, unsigned x, unsigned y)
{
    const struct pb_shmoo_point *point = pb_shmoo_at(shmoo, x, y);
    const double width = (double)WIDTH / (shmoo->steps + 1), height = (double)HEIGHT / (shmoo->steps + 1),
                 left = LEFT + x * width, top = TOP + (shmoo->steps - y) * height;
    char text[PB_SHMOO_TEXT];
    fputs("<g class=\"", stream);
    class_of(stream, point->state, point->ran);
    fprintf(stream, "\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>", left, top,
            width - 1, height - 1);
    for (unsigned axis = 0; axis < 2; axis++) {
        pb_shmoo_axis_value(&shmoo->axis[axis], shmoo->steps, axis ? y : x, text);
        pb_markup(stream, text);
        fputs(", ", stream);
    }
    fprintf(stream, "%s%s", pb_shmoo_state_name(point->state), point->ran ? "" : ", not run");
    if (*point->reason) {
        fputs(": ", stream);
        pb_markup(stream, point->reason);
    }
    fprintf(stream, "</title></rect><text x=\"%.2f\" y=\"%.2f\">%c</text>", left + (width - 1) / 2,
            top + 0.72 * height, pb_shmoo_sign(point));
    if (pb_shmoo_is_operating(shmoo, x, y))
        fprintf(stream, "<rect class=\"op\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>", left,
                top, width - 1, height - 1);
    fputs("</g>", stream);
}

static void axes(FILE *stream, const struct pb_shmoo *shmoo)
{
    const double width = (double)WIDTH / (shmoo->steps + 1), height = (double)HEIGHT / (shmoo->steps + 1);
    char text[PB_SHMOO_TEXT];
    unsigned before = shmoo->steps + 1;
    for (unsigned i = 0; i <= 4; i++) {
        const unsigned at = shmoo->steps * i / 4;
        if (at == before) /* fewer than four steps */
            continue;
        before = at;
        pb_shmoo_axis_value(&shmoo->axis[0], shmoo->steps, at, text);
        fprintf(stream, "<text class=\"mid across%s\" x=\"%.1f\" y=\"%d\">", i % 2 ? " spare" : "",
                LEFT + (at + 0.5) * width, TOP + HEIGHT + 20);
        pb_markup(stream, text);
        pb_shmoo_axis_value(&shmoo->axis[1], shmoo->steps, at, text);
        fprintf(stream, "</text><text class=\"end\" x=\"%d\" y=\"%.1f\">", LEFT - 8,
                TOP + 4 + (shmoo->steps - at + 0.5) * height);
        pb_markup(stream, text);
        fputs("</text>", stream);
    }
    fprintf(stream, "<text class=\"mid name across\" x=\"%d\" y=\"%d\">", LEFT + WIDTH / 2,
            TOP + HEIGHT + 46);
    pb_markup(stream, shmoo->axis[0].place);
    fprintf(stream, "</text><text class=\"mid name up\" transform=\"translate(12 %d) rotate(-90)\">",
            TOP + HEIGHT / 2);
    pb_markup(stream, shmoo->axis[1].place);
    fputs("</text>", stream);
}

static void map(FILE *stream, const struct pb_shmoo *shmoo)
{
    fprintf(stream,
            "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"State of each point\">"
            "<g style=\"font-size:%.1fpx\">\n",
            LEFT + WIDTH + 20, TOP + HEIGHT + 60, 0.72 * HEIGHT / (shmoo->steps + 1));
    for (unsigned y = 0; y <= shmoo->steps; y++)
        for (unsigned x = 0; x <= shmoo->steps; x++)
            point(stream, shmoo, x, y);
    fputs("</g>\n", stream);
    axes(stream, shmoo);
    fputs("</svg>\n", stream);
}

static void legend(FILE *stream)
{
    static const char svg[] = "<svg viewBox=\"0 0 18 18\" aria-hidden=\"true\"><g class=\"";
    static const char square[] = "<rect x=\"1\" y=\"1\" width=\"16\" height=\"16\"/>";
    for (int ran = 1; ran >= 0; ran--) {
        fprintf(stream, "<p class=\"note\">%s</p>\n<ul class=\"legend\">\n",
                ran ? "Points that ran:" : "Points that did not run, between points that agree:");
        for (int state = PB_SHMOO_PASS; state < PB_SHMOO_STATES; state++) {
            const struct pb_shmoo_point shown = {.state = (enum pb_shmoo_state)state, .ran = ran};
            fprintf(stream, "<li>%s", svg);
            class_of(stream, shown.state, ran);
            fprintf(stream, "\">%s<text x=\"9\" y=\"13\">%c</text></g></svg>%s</li>\n", square,
                    pb_shmoo_sign(&shown), pb_shmoo_state_name(shown.state));
        }
        if (ran)
            fprintf(stream,
                    "<li>%spoint\"><rect class=\"op\" x=\"2\" y=\"2\" width=\"14\" height=\"14\"/></g></svg>"
                    "operating point</li>\n",
                    svg);
        fputs("</ul>\n", stream);
    }
}

/* ---- what the text says, too */

static void name(FILE *stream, const char *term, const char *of)
{
    fprintf(stream, "<dt>%s", term);
    pb_markup(stream, of);
    fputs("</dt><dd>", stream);
}

static void facts(FILE *stream, const struct pb_shmoo *shmoo)
{
    const struct pb_shmoo_axis *x = &shmoo->axis[0], *y = &shmoo->axis[1];
    struct pb_shmoo_margin margin;
    fputs("<dl class=\"facts\">\n", stream);
    for (unsigned axis = 0; axis < 2; axis++) {
        name(stream, axis ? "Up" : "Across", "");
        pb_markup(stream, shmoo->axis[axis].place);
        fprintf(stream, ", %g to %g ", shmoo->axis[axis].from, shmoo->axis[axis].to);
        pb_markup(stream, shmoo->axis[axis].unit);
        fputs("</dd>\n", stream);
    }
    name(stream, "Points", "");
    fprintf(stream, "%u \303\227 %u, %u of them run%s</dd>\n", shmoo->steps + 1, shmoo->steps + 1,
            shmoo->runs, shmoo->stopped ? "; then it was stopped" : "");
    if (shmoo->holds_frame) {
        name(stream, "Payload at every point", "");
        fprintf(stream, "%u bytes, %s</dd>\n", shmoo->scenario->payload_bytes, pb_shmoo_payload_is(shmoo));
    }
    if (pb_shmoo_operating(shmoo) != PB_SHMOO_UNKNOWN) {
        name(stream, "Operating point", "");
        fprintf(stream, "%g ", x->point);
        pb_markup(stream, x->unit);
        fprintf(stream, ", %g ", y->point);
        pb_markup(stream, y->unit);
        fprintf(stream, ": %s</dd>\n", pb_shmoo_state_name(pb_shmoo_operating(shmoo)));
    }
    for (unsigned axis = 0; axis < 2; axis++) {
        const struct pb_shmoo_axis *of = &shmoo->axis[axis];
        if (!pb_shmoo_margin(shmoo, axis, &margin))
            continue;
        name(stream, "Margin of ", of->place);
        fprintf(stream, "%s%.6g ", margin.below_found ? "" : "more than ", margin.below);
        pb_markup(stream, of->unit);
        fprintf(stream, " downwards, %s%.6g ", margin.above_found ? "" : "more than ", margin.above);
        pb_markup(stream, of->unit);
        fputs(" upwards</dd>\n", stream);
    }
    fputs("</dl>\n", stream);
}

int pb_report_shmoo_html(FILE *stream, const struct pb_shmoo *shmoo)
{
    pb_html_begin(stream, false);
    fputs("Shmoo: ", stream);
    pb_markup(stream, shmoo->scenario->name);
    fprintf(stream, "</title>\n<style>\n%s%s%s</style>\n</head>\n<body>\n", pb_html_style, pb_html_plot_style,
            own_style);
    fputs("<header>\n<p class=\"over\">phasebench shmoo</p>\n<h1>", stream);
    pb_markup(stream, shmoo->scenario->name);
    fputs("</h1>\n</header>\n<main>\n", stream);
    facts(stream, shmoo);
    fputs("<h2>Map</h2>\n", stream);
    map(stream, shmoo);
    legend(stream);
    fputs("</main>\n<footer>Made by phasebench. This file needs nothing from outside.</footer>\n</body>\n"
          "</html>\n",
          stream);
    return pb_stream_status(stream);
}
