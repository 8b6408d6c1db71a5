/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The jitter of a run as one page, in the style of the report of a run.
 */
#include "html.h"
#include "jitter_html.h"
#include "parts.h"
#include "phasebench/report.h"
#include "render.h"
#include "svg_jitter.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const char style[] =
    ".dense th{white-space:nowrap}.dense th[scope=rowgroup]{font-weight:700}\n"
    "@media screen and (max-width:40rem){.dense th{white-space:normal}"
    PB_HTML_COLUMN("row", 2, "n") PB_HTML_COLUMN("row", 3, "mean, us") PB_HTML_COLUMN("row", 4, "U95, ns")
    PB_HTML_COLUMN("row", 5, "k") PB_HTML_COLUMN("row", 6, "sd, ns") PB_HTML_COLUMN("row", 7, "sd, 95 %, ns")
    PB_HTML_COLUMN("row", 8, "min, ns") PB_HTML_COLUMN("row", 9, "max, ns")
    PB_HTML_COLUMN("row", 10, "p-p, ns") PB_HTML_COLUMN("row", 11, "99 %, ns")
    PB_HTML_COLUMN("row", 12, "99.9 %, ns")
    PB_HTML_COLUMN("split", 2, "random, ns") PB_HTML_COLUMN("split", 3, "deterministic, ns")
    PB_HTML_COLUMN("split", 4, "total, ns")
    PB_HTML_COLUMN("part", 2, "shape") PB_HTML_COLUMN("part", 3, "size, ns")
    PB_HTML_COLUMN("part", 4, "u, ns") PB_HTML_COLUMN("part", 5, "less in a mean")
    "}\n";
/* clang-format on */

static void head(FILE *stream, const struct pb_jitter *jitter, const struct pb_result *result)
{
    const char *const title = result ? result->scenario : jitter->source;
    pb_html_begin(stream, false);
    fputs("Jitter: ", stream);
    pb_markup(stream, title);
    fputs("</title>\n<style>\n", stream);
    fputs(pb_html_style, stream);
    fputs(pb_html_plot_style, stream);
    fputs(style, stream);
    fputs("</style>\n</head>\n<body>\n<header>\n<p class=\"over\">phasebench jitter \302\267 ", stream);
    pb_markup(stream, result ? result->started_utc : "stamps of a file");
    fputs("</p>\n<h1>", stream);
    pb_markup(stream, title);
    fputs("</h1>\n</header>\n<main>\n", stream);
    if (!result)
        return;
    fputs("<dl class=\"facts\"><dt>Rig</dt><dd>", stream);
    pb_markup(stream, result->rig);
    fputs("</dd><dt>Nodes</dt><dd>", stream);
    pb_markup(stream, result->nodes);
    fprintf(stream, "</dd><dt>Run</dt><dd>%s: ", pb_verdict_name(result->verdict));
    pb_markup(stream, result->reason);
    fputs("</dd></dl>\n", stream);
}

/* ---- tables */

static void row_cells(FILE *stream, const struct pb_jitter_row *row)
{
    const struct pb_distribution *raw = &row->raw;
    fprintf(stream, "<td>%" PRIu64 "</td><td>%.6f</td>", raw->n, row->mean_ps / 1e6);
    if (isfinite(row->scatter_ps))
        fprintf(stream, "<td>%.3f</td><td>%.2f</td>", row->expanded.u95 / 1e3, row->expanded.k);
    else
        fputs("<td>-</td><td>-</td>", stream);
    if (isfinite(row->sd_ps))
        fprintf(stream, "<td>%s%.3f</td><td>%.3f to %.3f</td>", row->sd_is_bound ? "&lt;&nbsp;" : "",
                row->sd_ps / 1e3, row->sd95.lower / 1e3, row->sd95.upper / 1e3);
    else
        fputs("<td>-</td><td>-</td>", stream);
    fprintf(stream, "<td>%.3f</td><td>%.3f</td><td>%.3f</td>", (raw->min - raw->mean) / 1e3,
            (raw->max - raw->mean) / 1e3, (raw->max - raw->min) / 1e3);
    for (unsigned q = 1; q < PB_QUANTILES; q++)
        fprintf(stream, raw->bounded[q] ? "<td>%.3f</td>" : "<td>-</td>",
                (raw->quantile[q] - raw->mean) / 1e3);
    fputs("</tr>\n", stream);
}

static void table_head(FILE *stream, const char *caption, const char *first)
{
    fprintf(stream,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table "
            "class=\"dense of-row\"><caption>%s. "
            "Minimum, maximum and quantiles are distances from the mean; &lt; is an upper "
            "bound.</caption>\n<thead>"
            "<tr><th scope=\"col\">%s</th><th scope=\"col\">n</th><th scope=\"col\">mean, us</th><th "
            "scope=\"col\">U95, ns</th><th scope=\"col\">k</th><th scope=\"col\">sd, ns</th><th "
            "scope=\"col\">sd, 95 %%, ns</th><th "
            "scope=\"col\">min, ns</th><th scope=\"col\">max, ns</th><th scope=\"col\">p-p, ns</th><th "
            "scope=\"col\">99 %%, ns</th><th scope=\"col\">99.9 %%, ns</th></tr></thead>\n<tbody>\n",
            caption, caption, first);
}

static void tables(FILE *stream, const struct pb_jitter *jitter)
{
    table_head(stream, *jitter->source ? "The clock" : "TDMA_CLK and TDMA_SYNC", "quantity");
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (row->link >= 0)
            continue;
        fprintf(stream, "<tr><th scope=\"row\" title=\"%s\">%s</th>", pb_jitter_text(row->quantity),
                pb_jitter_id(row->quantity));
        row_cells(stream, row);
    }
    fputs("</tbody></table></div>\n", stream);
    if (!jitter->skew_links)
        return;
    table_head(stream, "Responses: start of a node's frame after the phase edge", "link");
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (row->quantity != PB_JITTER_RESPONSE)
            continue;
        fprintf(stream, "<tr><th scope=\"row\">link %d, node %d, phase %d", row->link, row->node, row->phase);
        if (row->from >= 0)
            fprintf(stream, ", %d to %d", row->from, row->to);
        fputs("</th>", stream);
        row_cells(stream, row);
    }
    fputs(
        "</tbody></table></div>\n<p>A node sends on a link in one of its two phases, from its digit to the "
        "neighbour's, and receives in the other, so the other direction has no response of this node.</p>\n",
        stream);
    if (jitter->skew_links > 1)
        fprintf(stream, "<p>Skew between the means of %u links: %.3f ns, U95 %.3f ns.</p>\n",
                jitter->skew_links, jitter->skew_ps / 1e3, jitter->skew.u95 / 1e3);
}

static void starts(FILE *stream, const struct pb_jitter *jitter)
{
    if (!jitter->start_links)
        return;
    table_head(stream, "Starts of frames as edges, one a superframe", "link");
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (row->link < 0 || row->quantity == PB_JITTER_RESPONSE || !row->raw.n)
            continue;
        fprintf(stream, "<tr><th scope=\"row\">link %d, %s</th>", row->link, pb_jitter_id(row->quantity));
        row_cells(stream, row);
    }
    fputs("</tbody></table></div>\n", stream);
}

static void notes(FILE *stream, const struct pb_jitter *jitter)
{
    double step_ps = 0;
    for (unsigned i = 0; i < jitter->rows; i++)
        step_ps = fmax(step_ps, jitter->row[i].step_ps);
    fprintf(
        stream,
        "<p>Stamps are rounded down to %.3f ns; mean and sd are without that error, the other figures are as "
        "stamped.</p>\n",
        step_ps / 1e3);
    for (unsigned i = 0; i < jitter->rows; i++)
        if (pb_jitter_is_locked(&jitter->row[i])) {
            fputs("<p><strong>Locked:</strong> clock and stamps are locked to each other where sd is a "
                  "bound: nothing "
                  "dithers, so a mean may be wrong by half a step, whatever n is.</p>\n",
                  stream);
            break;
        }
}

static void splits(FILE *stream, const struct pb_jitter *jitter)
{
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Split\"><table class=\"of-split\">"
          "<caption>Split "
          "into a random "
          "and a deterministic part by the dual Dirac model; total at an error ratio of "
          "1e-12</caption>\n<thead><tr><th "
          "scope=\"col\">of</th><th scope=\"col\">random, ns</th><th scope=\"col\">deterministic, ns</th><th "
          "scope=\"col\">total, ns</th></tr></thead>\n<tbody>\n",
          stream);
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (row->quantity != PB_JITTER_RESPONSE && (row->quantity != PB_JITTER_TIE || row->link >= 0))
            continue;
        fputs("<tr><th scope=\"row\">", stream);
        if (row->link < 0)
            fputs("TIE", stream);
        else
            fprintf(stream, "link %d", row->link);
        if (row->split.refusal == PB_SPLIT_VALID)
            fprintf(stream, "</th><td>%.3f</td><td>%.3f</td><td>%.3f</td></tr>\n", row->split.random / 1e3,
                    row->split.deterministic / 1e3, row->split.total_1e12 / 1e3);
        else
            fprintf(stream, "</th><td class=\"text\" colspan=\"3\">not split: %s</td></tr>\n",
                    pb_split_reason(row->split.refusal));
    }
    fputs("</tbody></table></div>\n", stream);
}

static void bathtubs(FILE *stream, const struct pb_jitter *jitter)
{
    fputs("<h2>Bathtub</h2>\n", stream);
    pb_svg_bathtub_text(stream);
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].quantity == PB_JITTER_RESPONSE)
            pb_svg_bathtub(stream, jitter, jitter->row[i].link);
    if (!jitter->skew_links)
        fputs("<p>None: no frame of a node was measured.</p>\n", stream);
}

int pb_report_jitter_html(FILE *stream, const struct pb_jitter *jitter, const struct pb_result *result)
{
    head(stream, jitter, result);
    fputs("<h2>Figures</h2>\n", stream);
    fprintf(stream,
            "<p>%s. %" PRIu64 " edges, %" PRIu64
            " missing. Nominal period %.6f us, reference %.6f us. "
            "Rate %+.4f ppm, U95 %.4f ppm",
            *jitter->source   ? "The stamps are those of another instrument"
            : jitter->follows ? "TDMA_CLK is that of another controller"
                              : "TDMA_CLK is driven by the bench",
            jitter->edges,
            jitter->missing, jitter->nominal_ps / 1e6, jitter->period_ps / 1e6, jitter->rate_ppm,
            jitter->rate_u95_ppm);
    if (jitter->oscillator_ppm > 0)
        fprintf(stream, " against the oscillator of the bench; U95 %.1f ppm with that of %.0f ppm",
                jitter->absolute_rate.u95, jitter->oscillator_ppm);
    fputs(".</p>\n", stream);
    if (*jitter->calibration) {
        fputs("<p>The rate is corrected by a calibration: ", stream);
        pb_markup(stream, jitter->calibration);
        fputs(".</p>\n", stream);
    }
    if (jitter->fine.used) {
        char line[PB_JITTER_FINE_LINE];
        fprintf(stream, "<p>Time-to-digital converter, in place of stamps: %s.</p>\n",
                pb_jitter_fine_line(jitter, line));
    }
    tables(stream, jitter);
    starts(stream, jitter);
    notes(stream, jitter);
    splits(stream, jitter);
    pb_jitter_html_budgets(stream, jitter);
    fputs("<h2>Plots</h2>\n", stream);
    if (jitter->edges > 1) {
        pb_svg_trend(stream, jitter);
        pb_svg_rate(stream, jitter);
        pb_svg_stability(stream, jitter);
    }
    pb_svg_starts(stream, jitter);
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].raw.n && jitter->row[i].quantity != PB_JITTER_N_PERIOD &&
            (jitter->row[i].link < 0 || jitter->row[i].quantity == PB_JITTER_RESPONSE) &&
            jitter->row[i].raw.max > jitter->row[i].raw.min)
            pb_svg_histogram(stream, &jitter->row[i]);
    pb_svg_bit_times(stream, jitter, NAN, NAN);
    if (result)
        bathtubs(stream, jitter);
    fputs("</main>\n</body>\n</html>\n", stream);
    return pb_stream_status(stream);
}
