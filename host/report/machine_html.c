/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A machine under traffic as a page: latency against load with the limit, the load of the links, messages in
 * flight over time. */
#include "html.h"
#include "machine_bench.h"
#include "machine_forms.h"
#include "parts.h"
#include "svg_plot.h"

#include "phasebench/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Columns of the map of links, each of nodes with neighbouring addresses. */
#define MAP_COLUMNS 64u
enum { CELL_WIDTH = 9, CELL_HEIGHT = 16, MAP_LEFT = 64, MAP_TOP = 8 };

static const char own_style[] =
    ".cell{fill:var(--node)}.frame{fill:none;stroke:var(--rule)}\n"
    ".facts{margin-top:1rem}\n"
    "@media print{svg{break-inside:avoid}}\n";

static bool is_swept(const struct pb_machine_sweep *sweep)
{
    return !pb_machine_sweep_once(sweep) && !sweep->closed;
}

/* Values that are stable; a saturated one is as high as the run is long. */
static bool is_stable(const struct pb_machine_result *result)
{
    return result->completed && !result->saturated;
}

static int latency_plot(FILE *stream, const struct pb_machine_sweep *sweep)
{
    struct pb_plot plot = {.stream = stream,
                           .x = {.label = "load, messages of a node and superframe"},
                           .y = {.label = "latency, phases"}};
    double *x = calloc(sweep->points, sizeof *x), *mean = calloc(sweep->points, sizeof *mean),
           *high = calloc(sweep->points, sizeof *high);
    const double limit = sweep->limit > 0 ? sweep->limit : NAN, edge[] = {limit, limit};

    if (!x || !mean || !high) {
        free(x);
        free(mean);
        free(high);
        return PB_ERR_MEMORY;
    }
    plot.y.to = 2.0 * sweep->network->phases;
    for (unsigned i = 0; i < sweep->points; i++) {
        const struct pb_machine_result *result = &sweep->point[i].result;
        x[i] = sweep->point[i].load;
        mean[i] = result->completed ? result->latency.mean : NAN;
        high[i] = result->completed ? result->p99 : NAN;
        pb_axis_hold(&plot.x, x[i]);
        if (is_stable(result)) {
            pb_axis_hold(&plot.y, mean[i]);
            pb_axis_hold(&plot.y, high[i]);
        }
    }
    pb_axis_hold(&plot.x, 1.05 * limit);
    plot.x.from = plot.y.from = 0;
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    pb_plot_begin(&plot, "Latency against load");
    pb_plot_line(&plot, "trace", x, mean, sweep->points);
    pb_plot_line(&plot, "trace", x, high, sweep->points);
    for (unsigned i = 0; i < sweep->points; i++) {
        const struct pb_batch_means *means = &sweep->point[i].result.latency;
        pb_plot_point(&plot, x[i], mean[i], means->mean - means->half95, means->mean + means->half95);
        pb_plot_dot(&plot, x[i], high[i]);
    }
    if (sweep->limit > 0)
        pb_plot_line(&plot, "other", edge, (const double[]){plot.y.from, plot.y.to}, 2);
    pb_plot_end(&plot);
    fprintf(
        stream,
        "<p class=\"note\">Large points: mean, with its interval of 95 %%. Small points: 99 of 100 messages "
        "take "
        "no longer.%s A saturated machine has no latency: the longer it runs, the higher it is, beyond the "
        "drawing.</p>\n",
        sweep->limit > 0 ? " Dashed: the limit of the links." : "");
    free(x);
    free(mean);
    free(high);
    return PB_OK;
}

static void throughput_plot(FILE *stream, const struct pb_machine_sweep *sweep)
{
    struct pb_plot plot = {.stream = stream,
                           .x = {.label = "load, messages of a node and superframe"},
                           .y = {.label = "throughput, of a node and superframe"}};
    for (unsigned i = 0; i < sweep->points; i++) {
        pb_axis_hold(&plot.x, sweep->point[i].load);
        pb_axis_hold(&plot.y, sweep->point[i].result.throughput.mean);
    }
    pb_axis_hold(&plot.x, 1.05 * sweep->limit);
    pb_axis_hold(&plot.y, 1.05 * sweep->limit);
    plot.x.from = plot.y.from = 0;
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    pb_plot_begin(&plot, "Throughput against load");
    if (sweep->limit > 0)
        pb_plot_line(&plot, "other", (const double[]){sweep->limit, sweep->limit},
                     (const double[]){plot.y.from, plot.y.to}, 2);
    for (unsigned i = 0; i < sweep->points; i++) {
        const struct pb_batch_means *means = &sweep->point[i].result.throughput;
        pb_plot_point(&plot, sweep->point[i].load, means->mean, means->mean - means->half95,
                      means->mean + means->half95);
    }
    pb_plot_end(&plot);
}

/* The mean of the links of some nodes at a port. */
static double used_by(const struct pb_machine_sweep *sweep, const struct pb_machine_result *result,
                      unsigned port, uint32_t first, uint32_t end)
{
    const unsigned ports = sweep->network->ports;
    double sum = 0;
    for (uint32_t node = first; node < end; node++)
        sum += result->link[(size_t)node * ports + port];
    return sum / (end - first);
}

static void link_map(FILE *stream, const struct pb_machine_sweep *sweep,
                     const struct pb_machine_result *result)
{
    const struct pb_network *network = sweep->network;
    const unsigned columns = network->nodes < MAP_COLUMNS ? network->nodes : MAP_COLUMNS;
    const unsigned width = MAP_COLUMNS * CELL_WIDTH, cell = width / columns;

    fprintf(stream,
            "<svg class=\"chart\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"Load of the links\">\n",
            MAP_LEFT + cell * columns + 8, MAP_TOP + CELL_HEIGHT * network->ports + 40);
    for (unsigned port = 0; port < network->ports; port++) {
        const unsigned top = MAP_TOP + CELL_HEIGHT * port;
        fprintf(stream, "<text class=\"end\" x=\"%d\" y=\"%u\">%u</text>", MAP_LEFT - 6, top + 12, port);
        for (unsigned column = 0; column < columns; column++) {
            const uint32_t first = (uint32_t)((uint64_t)network->nodes * column / columns),
                           end = (uint32_t)((uint64_t)network->nodes * (column + 1) / columns);
            const double used = used_by(sweep, result, port, first, end);
            fprintf(stream,
                    "<rect class=\"cell\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" fill-opacity=\"%.3f\">"
                    "<title>0x%" PRIX32 " to 0x%" PRIX32 ", %s %u: %.1f %%</title></rect>",
                    MAP_LEFT + cell * column, top, cell, CELL_HEIGHT - 1, used, first, end - 1,
                    network->dims ? "dimension" : "port", port, 100 * used);
        }
        putc('\n', stream);
    }
    fprintf(stream,
            "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\"/>"
            "<text class=\"mid name across\" x=\"%u\" y=\"%u\">address of the sender</text>"
            "<text class=\"mid name up\" transform=\"translate(12 %u) rotate(-90)\">%s</text></svg>\n",
            MAP_LEFT, MAP_TOP, cell * columns, CELL_HEIGHT * network->ports, MAP_LEFT + cell * columns / 2,
            MAP_TOP + CELL_HEIGHT * network->ports + 24, MAP_TOP + CELL_HEIGHT * network->ports / 2,
            network->dims ? "dimension" : "port");
}

static int course_plot(FILE *stream, const struct pb_machine_sweep *sweep,
                       const struct pb_machine_result *result)
{
    struct pb_plot plot = {
        .stream = stream, .x = {.label = "superframe"}, .y = {.label = "messages in flight"}};
    double *x = calloc(result->courses + 1, sizeof *x);
    const double begin[] = {result->warm_up, result->warm_up};

    (void)sweep;
    if (!x)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < result->courses; i++) {
        x[i] = ((double)i + 0.5) * result->course_every;
        pb_axis_hold(&plot.x, x[i]);
        pb_axis_hold(&plot.y, result->course[i]);
    }
    plot.x.from = plot.y.from = 0;
    pb_axis_round(&plot.x);
    pb_axis_round(&plot.y);
    pb_plot_begin(&plot, "Messages in flight over time");
    pb_plot_line(&plot, "trace", x, result->course, result->courses);
    if (result->warm_up)
        pb_plot_line(&plot, "other", begin, (const double[]){plot.y.from, plot.y.to}, 2);
    pb_plot_end(&plot);
    free(x);
    return PB_OK;
}

static int details(FILE *stream, const struct pb_machine_sweep *sweep, const struct pb_machine_point *point)
{
    fputs("<h2>", stream);
    if (is_swept(sweep))
        fprintf(stream, "Load %g%s", point->load, point->result.saturated ? ", saturated" : "");
    else if (point->window)
        fprintf(stream, "Window %u", point->window);
    else
        fputs("Links and queues", stream);
    fputs("</h2>\n<h3>Load of the links</h3>\n", stream);
    link_map(stream, sweep, &point->result);
    fputs(
        "<p class=\"note\">White: never used; full: in every superframe.</p>\n<h3>Messages in flight</h3>\n",
        stream);
    const int code = course_plot(stream, sweep, &point->result);
    fprintf(stream, "<p class=\"note\">%sAt most %" PRIu32 " messages were in one node.</p>\n",
            point->result.warm_up ? "Dashed: the end of the warm-up. " : "", point->result.max_occupancy);
    return code;
}

static void fact(FILE *stream, const char *name, double value)
{
    fprintf(stream, "<dt>%s</dt><dd>%.6g</dd>\n", name, value);
}

int pb_report_machine_html(FILE *stream, void *context)
{
    const struct pb_machine_sweep *sweep = context;
    const struct pb_network *network = sweep->network;
    char size[PB_NETWORK_TEXT_SIZE];
    int code = PB_OK;

    pb_html_begin(stream, false);
    fputs("Machine: ", stream);
    pb_markup(stream, sweep->pattern);
    fprintf(stream, "</title>\n<style>\n%s%s%s</style>\n</head>\n<body>\n", pb_html_style, pb_html_plot_style,
            own_style);
    fputs("<header>\n<p class=\"over\">phasebench machine</p>\n<h1>", stream);
    pb_markup(stream, sweep->pattern);
    fprintf(stream, ", %s, %" PRIu32 " nodes, %s", pb_network_text(network, size), network->nodes,
            pb_rule_name(sweep->rule));
    if (sweep->engine != PB_ENGINE_SLOT)
        fprintf(stream, ", engine %s", pb_machine_engine_name(sweep->engine));
    fputs("</h1>\n</header>\n<main>\n<dl class=\"facts\">\n", stream);
    if (sweep->limit > 0)
        fact(stream, "Limit of the links, messages of a node and superframe", sweep->limit);
    if (sweep->searched)
        fact(stream, "Queues grow without end from", sweep->saturation.load);
    fputs("</dl>\n", stream);
    if (sweep->engine == PB_ENGINE_BENCH)
        pb_machine_put_bench_html(stream, sweep);
    if (is_swept(sweep) && sweep->points) {
        fputs("<h2>Latency</h2>\n", stream);
        code = latency_plot(stream, sweep);
        fputs("<h2>Throughput</h2>\n", stream);
        throughput_plot(stream, sweep);
    }
    /* Of many loads, the first, the middle and the last. */
    for (unsigned i = 0; i < sweep->points && code == PB_OK; i++)
        if (sweep->points <= 3 || i == 0 || i == sweep->points / 2 || i == sweep->points - 1)
            code = details(stream, sweep, &sweep->point[i]);
    fputs("</main>\n<footer>Made by phasebench. This file needs nothing from outside.</footer>\n</body>\n"
          "</html>\n",
          stream);
    return code ? code : fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
