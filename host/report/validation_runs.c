/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs on the page of a validation: links to the files of runs that did not pass, plots of their
 * measurements.
 */
#include "html.h"
#include "svg_jitter.h"
#include "validation_html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- evidence */

/* A path of a URL: all but what RFC 3986 reserves nothing of is encoded. */
static void url_part(FILE *stream, const char *text)
{
    for (const char *at = text; *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= '0' && byte <= '9') || strchr("-._~", byte);
        fprintf(stream, plain ? "%c" : "%%%02X", byte);
    }
}

void pb_html_evidence(FILE *stream, const struct pb_validation *validation, const char *run)
{
    const struct pb_run_files *files = pb_validation_files(validation, run);
    bool any = false;
    if (!*run) {
        fputs("The bench measured it on the lines, without a run of the schedule: it has no report.", stream);
        return;
    }
    fputs("Run ", stream);
    pb_markup(stream, run);
    if (!files) {
        fputs(
            ": nothing was kept of it; <code>phasebench validate --out DIR</code> keeps its report, waveform "
            "and frames.",
            stream);
        return;
    }
    for (int file = 0; file < PB_RUN_FILES; file++) {
        if (!files->has[file])
            continue;
        fputs(any ? ", <a href=\"" : ": <a href=\"", stream);
        url_part(stream, run);
        fprintf(stream, "/%s\">%s</a>", pb_run_file_name(file), pb_run_file_text(file));
        any = true;
    }
    fputs(".", stream);
}

/* ---- plots */

/* The limit of the file, else that of the run. */
static int64_t or_else(int64_t limit, int64_t head_guard_ps, int64_t otherwise)
{
    return limit != PB_ABSENT ? head_guard_ps + limit : otherwise;
}

static void starts(FILE *stream, const struct pb_validation *validation, const struct pb_result *result)
{
    const struct pb_limit *limit = &validation->limits.limit[PB_ITEM_START];
    int64_t lower = result->start_min_ps, upper = result->start_max_ps;
    if (limit->given) {
        lower = or_else(limit->lower, result->head_guard_ps, lower);
        upper = or_else(limit->upper, result->head_guard_ps, upper);
    }
    fputs("<h3>Starts of the frames of the node</h3>\n", stream);
    pb_html_start_latency(stream, result, lower, upper);
}

static double in_ppm(int64_t ppb)
{
    return ppb == PB_ABSENT ? NAN : (double)ppb / 1e3;
}

static void bit_times(FILE *stream, const struct pb_validation *validation, const struct pb_jitter *jitter)
{
    const struct pb_limit *limit = &validation->limits.limit[PB_ITEM_BIT_TIME];
    pb_svg_bit_times(stream, jitter, limit->given ? in_ppm(limit->lower) : NAN,
                     limit->given ? in_ppm(limit->upper) : NAN);
}

static void clock_plots(FILE *stream, const struct pb_jitter *jitter)
{
    if (jitter->edges < 2) {
        fprintf(stream, "<p>TDMA_CLK: n %" PRIu64 " edges, too few for a plot.</p>\n", jitter->edges);
        return;
    }
    pb_svg_trend(stream, jitter);
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].quantity == PB_JITTER_PERIOD && jitter->row[i].link < 0)
            pb_svg_histogram(stream, &jitter->row[i]);
    pb_svg_stability(stream, jitter);
}

static void node_plots(FILE *stream, const struct pb_validation *validation, const struct pb_exhibit *exhibit)
{
    fputs("<h3>Phase by phase</h3>\n", stream);
    pb_html_timeline(stream, exhibit->result);
    starts(stream, validation, exhibit->result);
    bit_times(stream, validation, exhibit->jitter);
    pb_svg_starts(stream, exhibit->jitter);
    fputs("<h3>Bathtub</h3>\n", stream);
    pb_svg_bathtub_text(stream);
    pb_svg_bathtub(stream, exhibit->jitter, -1);
}

void pb_html_plots(FILE *stream, const struct pb_validation *validation)
{
    if (!validation->exhibits)
        fputs("<p>No step that draws its measurements was run.</p>\n", stream);
    for (size_t i = 0; i < validation->exhibits; i++) {
        const struct pb_exhibit *exhibit = &validation->exhibit[i];
        fputs("<section class=\"run\">\n<h3 class=\"of-run\">Step ", stream);
        pb_markup(stream, exhibit->step);
        fputs(", run ", stream);
        pb_markup(stream, exhibit->run);
        fputs("</h3>\n", stream);
        if (!exhibit->jitter)
            fputs("<p>There was no memory for its plots.</p>\n", stream);
        else if (!strcmp(exhibit->step, "clock"))
            clock_plots(stream, exhibit->jitter);
        else
            node_plots(stream, validation, exhibit);
        fputs("</section>\n", stream);
    }
}
