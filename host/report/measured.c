/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "measured.h"
#include "html.h"
#include "render.h"

#include <inttypes.h>
#include <stdio.h>

static double ns(int64_t ps)
{
    return (double)ps / 1e3;
}

/* Lines with this source of the rise time, and the range of their rise times. */
static unsigned count_lines(const struct pb_result *result, enum pb_rise_source source, int64_t *min_ps,
                            int64_t *max_ps)
{
    unsigned count = 0;
    bool any = false;
    for (unsigned link = 0; link < pb_lines_of(result); link++) {
        const struct pb_measurement *rise = pb_measurement_find(result, PB_FIGURE_LINE_RISE, (int)link);
        if (result->rise_source[link] != source)
            continue;
        count++;
        if (!rise)
            continue;
        *min_ps = !any || rise->min < *min_ps ? rise->min : *min_ps;
        *max_ps = !any || rise->max > *max_ps ? rise->max : *max_ps;
        any = true;
    }
    return count;
}

/* "12 measured: 0.0 to 10.4 ns; 1 not measured" */
static void rises_text(char text[160], const struct pb_result *result)
{
    static const char *const how[] = {[PB_RISE_UNKNOWN] = "not measured",
                                      [PB_RISE_MEASURED] = "measured",
                                      [PB_RISE_SET] = "set",
                                      [PB_RISE_DRIVEN] = "driven high by their senders"};
    size_t used = 0;
    text[0] = 0;
    for (unsigned source = PB_RISE_UNKNOWN; source <= PB_RISE_DRIVEN; source++) {
        int64_t min_ps = 0, max_ps = 0;
        const unsigned count = count_lines(result, (enum pb_rise_source)source, &min_ps, &max_ps);
        if (!count)
            continue;
        used += (size_t)snprintf(text + used, 160 - used, "%s%u %s", used ? "; " : "", count, how[source]);
        if (source == PB_RISE_MEASURED || source == PB_RISE_SET)
            used += (size_t)snprintf(text + used, 160 - used, ", %.1f to %.1f ns", ns(min_ps), ns(max_ps));
    }
}

void pb_terminal_lines(struct pb_terminal *terminal, const struct pb_result *result)
{
    char text[160];
    rises_text(text, result);
    if (*text)
        pb_terminal_field(terminal, "rise", "of the lines: %s", text);
    if (result->budget_rows)
        pb_terminal_field(terminal, "U95", "of a falling edge %.1f ns, of a rising one %.1f ns%s%s",
                          ns(result->u95_fall_ps), ns(result->u95_rise_ps), *result->board ? "; " : "",
                          result->board);
    if (result->late_fall_ps)
        pb_terminal_field(
            terminal, "delays",
            "%.1f ns are taken off each start of a node's frame, %.1f ns off each end: pads and "
            "levels of the board",
            ns(result->late_fall_ps), ns(result->late_rise_ps));
}

void pb_terminal_processors(struct pb_terminal *terminal, const struct pb_result *result)
{
    bool any = false;
    for (int node = 0; node < (int)result->node_rows; node++) {
        const struct pb_measurement *load = pb_measurement_find(result, PB_FIGURE_NODE_LOAD, node),
                                    *stack = pb_measurement_find(result, PB_FIGURE_NODE_STACK, node),
                                    *interrupt = pb_measurement_find(result, PB_FIGURE_NODE_INTERRUPT, node),
                                    *instructions =
                                        pb_measurement_find(result, PB_FIGURE_NODE_INSTRUCTIONS, node);
        if (!load || !stack || !interrupt || !instructions)
            continue;
        if (!any)
            fputc('\n', terminal->stream);
        any = true;
        pb_terminal_field(
            terminal, "processor", "node %d: awake %s, stack %s, longest handler %s, %s a phase", node,
            pb_measured(PB_UNIT_PPM, load->mean).text, pb_measured(PB_UNIT_BYTES, stack->mean).text,
            pb_measured(PB_UNIT_PS, interrupt->mean).text,
            pb_measured(PB_UNIT_INSTRUCTIONS, instructions->mean).text);
    }
}

void pb_terminal_clock(struct pb_terminal *terminal, const struct pb_result *result)
{
    const struct pb_measurement *period = pb_measurement_find(result, PB_FIGURE_CLOCK_PERIOD, -1),
                                *tie = pb_measurement_find(result, PB_FIGURE_CLOCK_TIE, -1);
    if (period)
        pb_terminal_field(terminal, "phase",
                          "min %s mean %s max %s sd %s us over %" PRIu64
                          " periods, mean period off by %s ppm",
                          pb_us(period->min).text, pb_us(period->mean).text, pb_us(period->max).text,
                          pb_us(period->sd).text, period->n, pb_ppm(period->mean, result->phase_ps).text);
    else
        pb_terminal_field(terminal, "phase", "no period was captured");
    if (tie)
        pb_terminal_field(terminal, "TIE",
                          "of TDMA_CLK: %s peak to peak, sd %s, mean %s over %" PRIu64 " edges",
                          pb_duration((int64_t)((uint64_t)tie->max - (uint64_t)tie->min)).text,
                          pb_duration(tie->sd).text, pb_duration(tie->mean).text, tie->n);
}

static const char *dither(const struct pb_corrected *corrected)
{
    return corrected->swept ? "swept" : "not swept";
}

/* The starts, consecutive as the list is ordered by figure. */
static size_t starts_of(const struct pb_result *result, const struct pb_measurement **first)
{
    size_t count = 0;
    *first = NULL;
    for (size_t i = 0; i < result->measurements; i++)
        if (result->measurement[i].figure == PB_FIGURE_NODE_START && !count++)
            *first = &result->measurement[i];
    return count;
}

void pb_terminal_starts(struct pb_terminal *terminal, const struct pb_result *result)
{
    const struct pb_measurement *start;
    const size_t count = starts_of(result, &start);
    if (!count)
        return;
    fputc('\n', terminal->stream);
    char limit[128] = "";
    if (result->start_min_ps || result->start_max_ps)
        snprintf(limit, sizeof limit, "; allowed %s to %s us", pb_us(result->start_min_ps).text,
                 pb_us(result->start_max_ps).text);
    pb_terminal_field(terminal, "start", "of the node's transmissions, from the phase edge%s; U95 %s us",
                      limit, pb_us(result->uncertainty_ps).text);
    fputs("  link  dim     count    min us   mean us    max us     sd us\n", terminal->stream);
    for (size_t i = 0; i < count; i++)
        fprintf(terminal->stream, "  %4d %4d %9" PRIu64 " %9s %9s %9s %9s\n", start[i].link,
                start[i].dimension, start[i].n, pb_us(start[i].min).text, pb_us(start[i].mean).text,
                pb_us(start[i].max).text, pb_us(start[i].sd).text);
    pb_terminal_field(
        terminal, "  corrected",
        "by the steps of the stamps; not swept: a clock locked to that of the bench, or too few "
        "starts");
    fputs("  link   mean us    U95 ns     sd ns    stamps\n", terminal->stream);
    for (size_t i = 0; i < count; i++) {
        const struct pb_corrected *corrected = &start[i].corrected;
        fprintf(terminal->stream, "  %4d %9s %9.1f %2s%7.1f %9" PRIu64 " %s\n", start[i].link,
                pb_us(corrected->mean_ps).text, ns(corrected->mean_u95_ps),
                corrected->sd_is_bound ? "<=" : "", ns(corrected->sd_ps), corrected->residues,
                dither(corrected));
    }
}

static void html_lines(FILE *stream, const struct pb_result *result)
{
    char text[160];
    rises_text(text, result);
    fputs("<p>Rise of the lines, from the release to the high level: ", stream);
    pb_markup(stream, *text ? text : "not known");
    fputs(".</p>\n", stream);
    if (!pb_lines_of(result))
        return;
    fputs(
        "<details><summary>Line by line</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Lines\"><table class=\"dense of-rises\"><caption>Rise of each line</caption>\n"
        "<thead><tr><th scope=\"col\" class=\"n\">link</th><th scope=\"col\">known by</th>"
        "<th scope=\"col\" class=\"n\">least ns</th><th scope=\"col\" class=\"n\">most ns</th></tr></thead>\n"
        "<tbody>\n",
        stream);
    for (unsigned link = 0; link < pb_lines_of(result); link++) {
        const struct pb_measurement *rise = pb_measurement_find(result, PB_FIGURE_LINE_RISE, (int)link);
        fprintf(stream,
                "<tr><td class=\"n\">%u</td><td>%s</td><td class=\"n\">%.1f</td><td "
                "class=\"n\">%.1f</td></tr>\n",
                link, pb_rise_source_name(result->rise_source[link]), rise ? ns(rise->min) : 0.0,
                rise ? ns(rise->max) : 0.0);
    }
    fputs("</tbody></table></div></details>\n", stream);
}

static void html_budget(FILE *stream, const struct pb_result *result)
{
    if (!result->budget_rows)
        return;
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Uncertainty\"><table "
          "class=\"dense of-budget\"><caption>What makes an edge of a line uncertain, in ns",
          stream);
    if (*result->board) {
        fputs(": ", stream);
        pb_markup(stream, result->board);
    }
    fputs("</caption>\n<thead><tr><th scope=\"col\">part</th><th scope=\"col\">shape</th>"
          "<th scope=\"col\" class=\"n\">falling</th><th scope=\"col\" class=\"n\">rising</th></tr></thead>\n"
          "<tbody>\n",
          stream);
    for (unsigned i = 0; i < result->budget_rows && i < PB_BUDGET_MAX; i++) {
        const struct pb_uncertainty_row *row = &result->budget[i];
        fputs("<tr><th scope=\"row\">", stream);
        pb_markup(stream, row->name);
        fprintf(stream, "</th><td>%s</td><td class=\"n\">%.2f</td><td class=\"n\">%.2f</td></tr>\n",
                row->normal ? "normal, standard deviation" : "rectangle, half-width", ns(row->fall_ps),
                ns(row->rise_ps));
    }
    fprintf(stream,
            "<tr><th scope=\"row\">U95 of the sum</th><td></td><td class=\"n\">%.2f</td><td "
            "class=\"n\">%.2f</td></tr>\n</tbody></table></div>\n",
            ns(result->u95_fall_ps), ns(result->u95_rise_ps));
    if (result->late_fall_ps)
        fprintf(stream,
                "<p>%.2f ns are taken off each start of a node's frame, %.2f ns off each end: delays of pads "
                "and levels of the board.</p>\n",
                ns(result->late_fall_ps), ns(result->late_rise_ps));
}

static void html_corrected(FILE *stream, const struct pb_result *result)
{
    const struct pb_measurement *start;
    const size_t count = starts_of(result, &start);
    if (!count)
        return;
    fputs(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Corrected starts\"><table "
        "class=\"dense of-corrected\"><caption>Starts without the steps of their stamps: half a step later, "
        "deviation by Sheppard; not swept: a clock locked to the bench, or too few starts</caption>\n"
        "<thead><tr><th scope=\"col\" class=\"n\">link</th><th scope=\"col\" class=\"n\">mean us</th>"
        "<th scope=\"col\" class=\"n\">U95 ns</th><th scope=\"col\" class=\"n\">deviation ns</th>"
        "<th scope=\"col\" class=\"n\">stamps</th><th scope=\"col\">phases of a step</th></tr></thead>\n"
        "<tbody>\n",
        stream);
    for (size_t i = 0; i < count; i++) {
        const struct pb_corrected *corrected = &start[i].corrected;
        fprintf(stream,
                "<tr><td class=\"n\">%d</td><td class=\"n\">%s</td><td class=\"n\">%.1f</td>"
                "<td class=\"n\">%s%.1f</td><td class=\"n\">%" PRIu64 "</td><td>%s</td></tr>\n",
                start[i].link, pb_us(corrected->mean_ps).text, ns(corrected->mean_u95_ps),
                corrected->sd_is_bound ? "\342\211\244 " : "", ns(corrected->sd_ps), corrected->residues,
                dither(corrected));
    }
    fputs("</tbody></table></div>\n", stream);
}

void pb_html_measured(FILE *stream, const struct pb_result *result)
{
    html_lines(stream, result);
    html_budget(stream, result);
    html_corrected(stream, result);
}
