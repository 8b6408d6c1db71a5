/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The report of a validation as one self-contained file; what the browser prints of it is the report to file.
 */
#include "validation_html.h"

#include "html.h"
#include "parts.h"

#include <inttypes.h>
#include <string.h>

static const char own_style[] =
    ".skipped{--tone:var(--muted)}\n"
    ".figures dd{overflow-wrap:anywhere}\n"
    ".figures .long{grid-column:1/-1}.figures .long dd{font-size:1.05rem}\n"
    "h3{font-size:1rem;font-weight:600;margin:1.75rem 0 .25rem;overflow-wrap:anywhere}\n"
    ".of-run{font-size:1.1rem;border-bottom:1px solid var(--rule);padding-bottom:.25rem}\n"
    ".evidence{margin-top:.75rem;overflow-wrap:anywhere}\n"
    ".purpose{color:var(--muted);font-weight:400}\n"
    ".seen td{border-bottom:1px solid var(--rule);padding-top:0;color:var(--muted);overflow-wrap:anywhere}\n"
    ".noted td,.noted th{border-bottom:0}\n"
    ".name{overflow-wrap:anywhere;min-width:9rem}\n"
    /* Bars: pattern and outline carry the same information as the colours. */
    ".defs{position:absolute;width:0;height:0}\n"
    ".limitbar{display:block;width:20rem;max-width:100%;height:auto}\n"
    ".zone{fill:var(--good);fill-opacity:.2}.beyond{fill:var(--guard)}\n"
    ".unsure-zone{fill:url(#pb-near)}.near-line{stroke:var(--warn);stroke-width:1.5}\n"
    ".bound{stroke:var(--ink);stroke-width:1.5}\n"
    ".span{stroke:var(--ink);stroke-width:1.5;fill:none}\n"
    ".spot{fill:var(--tone);stroke:var(--paper);stroke-width:1}\n"
    ".cross{fill:none;stroke:var(--tone);stroke-width:2.5}\n"
    ".cell{fill:var(--tone);fill-opacity:.16;stroke:var(--tone);stroke-width:1}\n"
    ".cell.fail{fill-opacity:.4;stroke-width:2}.cell.marginal{stroke-dasharray:3 2}\n"
    "svg .sign{fill:var(--tone);font-weight:700;font-size:13px}\n"
    ".scroll{overflow-x:auto}.matrix{display:block;margin:.5rem 0;height:auto;max-width:100%}\n"
    ".of-bars{width:auto}.of-bars td,.of-bars th{vertical-align:middle}\n"
    "@media screen and (max-width:40rem){.limitbar{width:100%}.of-bars{width:100%}"
    ".none{display:none}.seen td{border:0}.noted{border-bottom:0}\n"
    /* clang-format off */
    PB_HTML_COLUMN("steps", 3, "purpose") PB_HTML_COLUMN("steps", 4, "time")
    PB_HTML_COLUMN("steps", 5, "worst")
    PB_HTML_COLUMN("values", 3, "value") PB_HTML_COLUMN("values", 4, "limits")
    PB_HTML_COLUMN("values", 5, "margin") PB_HTML_COLUMN("values", 6, "U95")
    PB_HTML_COLUMN("values", 7, "n") PB_HTML_COLUMN("values", 8, "min") PB_HTML_COLUMN("values", 9, "mean")
    PB_HTML_COLUMN("values", 10, "max") PB_HTML_COLUMN("values", 11, "sd")
    PB_HTML_COLUMN("limits", 2, "limits") PB_HTML_COLUMN("limits", 3, "marginal")
    PB_HTML_COLUMN("limits", 4, "because")
    PB_HTML_COLUMN("others", 2, "measured") PB_HTML_COLUMN("others", 3, "limits")
    PB_HTML_COLUMN("others", 4, "margin")
    /* clang-format on */
    "}\n"
    "@media print{.page{break-before:page}.noted{break-after:avoid}"
    ".scroll{overflow:visible}"
    ".name{min-width:5.5rem}.chart{break-inside:avoid;max-width:36rem}.evidence a{color:inherit}"
    ".plots td.plot,.plots thead th.plot,.plot svg{width:360px}"
    ".of-values .one,.of-values td.n{white-space:normal}.verdict b{font-size:2.2rem}}\n";

static struct pb_shown shown_go(enum pb_go go)
{
    static const struct pb_shown shown[] = {
        [PB_GO] = {"pass", "\342\234\223", "Go"},
        [PB_GO_MARGINAL] = {"marginal", "\342\211\210", "Go, marginal"},
        [PB_NO_GO] = {"fail", "\342\234\225", "No-go"},
        [PB_GO_NOT_READY] = {"inconclusive", "?", "Bench not ready"},
        [PB_GO_INCOMPLETE] = {"inconclusive", "?", "Incomplete"},
    };
    return shown[go];
}

static void section(FILE *stream, const char *id, const char *title, bool new_page)
{
    fprintf(stream, "<h2 id=\"%s\"%s>%s</h2>\n", id, new_page ? " class=\"page\"" : "", title);
}

static void fact(FILE *stream, const char *name, const char *value)
{
    if (!*value)
        return;
    fprintf(stream, "<dt>%s</dt><dd>", name);
    pb_markup(stream, value);
    fputs("</dd>\n", stream);
}

static void figure(FILE *stream, bool whole_line, const char *name, const char *value)
{
    fprintf(stream, "<div%s><dt>%s</dt><dd>", whole_line ? " class=\"long\"" : "", name);
    pb_markup(stream, *value ? value : "\342\200\223");
    fputs("</dd></div>\n", stream);
}

static void head(FILE *stream, const struct pb_validation *validation)
{
    const struct pb_shown go = shown_go(pb_validation_go(validation));
    const char *title = *validation->unit ? validation->unit : validation->scenario;
    pb_html_begin(stream, true);
    fprintf(stream, "%s: ", go.word);
    pb_markup(stream, title);
    fprintf(stream, "</title>\n<style>\n%s%s%s", pb_html_style, pb_html_plot_style, own_style);
    pb_html_glance_style(stream, validation);
    fputs("</style>\n</head>\n<body>\n"
          "<svg class=\"defs\" aria-hidden=\"true\"><defs><pattern id=\"pb-near\" width=\"6\" height=\"6\" "
          "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><line class=\"near-line\" "
          "x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\"/></pattern></defs></svg>\n"
          "<header>\n<p class=\"over\">phasebench validation \302\267 ",
          stream);
    pb_markup(stream, validation->started_utc);
    fputs("</p>\n<h1>", stream);
    pb_markup(stream, title);
    fprintf(stream, "</h1>\n</header>\n<main>\n<div class=\"verdict %s\"><b>%s %s</b><p>", go.style, go.glyph,
            go.word);
    pb_markup(stream, pb_validation_summary(validation).text);
    fputs(".</p></div>\n", stream);
    if (*validation->incomplete) {
        fputs("<p class=\"incomplete\"><b>Ended early</b>: ", stream);
        pb_markup(stream, validation->incomplete);
        fputs(".</p>\n", stream);
    }
}

/* The files of what is to be looked at. */
static void look_at_evidence(FILE *stream, const struct pb_validation *validation)
{
    const struct pb_step *step = pb_validation_first(validation);
    const struct pb_item_value *worst = step ? pb_step_worst(validation, step) : NULL;
    const bool of_value = worst && pb_html_needs_evidence(worst->judgement);
    if (!step || (!of_value && !*step->run))
        return;
    fputs("<p class=\"evidence\">", stream);
    pb_html_evidence(stream, validation, of_value ? worst->run : step->run);
    fputs("</p>\n", stream);
}

/* Who, what, and the one value that matters most. */
static void overview(FILE *stream, const struct pb_validation *validation)
{
    const struct pb_item_value *worst = pb_validation_worst(validation);
    const struct pb_sentence advice = pb_validation_advice(validation);
    char text[64];
    fputs("<dl class=\"figures\">\n", stream);
    figure(stream, false, "Unit", validation->unit);
    figure(stream, false, "Station", validation->station);
    figure(stream, false, "Operator", validation->operator_name);
    figure(stream, false, "Profile", validation->profile);
    snprintf(text, sizeof text, "%zu of %u",
             pb_steps_in(validation, PB_STEP_PASS) + pb_steps_in(validation, PB_STEP_MARGINAL),
             validation->steps);
    figure(stream, false, "Steps passed", text);
    snprintf(text, sizeof text, "%.2f s", (double)validation->wall_ns / 1e9);
    figure(stream, false, "Time", text);
    figure(stream, true, "Worst margin",
           worst ? pb_value_text(worst).text : "no value has a margin to a limit");
    figure(stream, true, "Look at", *advice.text ? advice.text : "nothing: every step that ran passed");
    char unchecked[PB_UNCHECKED_TEXT];
    if (*pb_unchecked_text(&validation->unchecked, validation->runs, "runs", unchecked))
        figure(stream, true, "Not checked", unchecked);
    fputs("</dl>\n", stream);
    look_at_evidence(stream, validation);
}

static void conditions(FILE *stream, const struct pb_validation *validation)
{
    const struct pb_limit_set *limits = &validation->limits;
    section(stream, "conditions", "Conditions", false);
    fputs("<dl class=\"facts\">\n", stream);
    fact(stream, "Scenario", validation->scenario);
    fact(stream, "Scenario file", validation->scenario_path);
    fact(stream, "Rig", validation->rig);
    fact(stream, "Core", validation->core);
    fact(stream, "Nodes, as they identify themselves", validation->nodes);
    fact(stream, "Program", validation->program);
    fprintf(stream, "<dt>Seed</dt><dd>%" PRIu64 "</dd>\n<dt>Limits</dt><dd>", validation->seed);
    pb_markup(stream, limits->title);
    fputs(", version ", stream);
    pb_markup(stream, limits->version);
    fprintf(stream, ", crc32 <code>%08" PRIX32 "</code></dd>\n", limits->crc32);
    fact(stream, "Limits file", validation->limits_path);
    fact(stream, "Decision rule", pb_acceptance_name(limits->rule));
    fputs("</dl>\n", stream);
    section(stream, "decision", "Decision rule", false);
    fputs("<p>", stream);
    pb_markup(stream, pb_acceptance_text(limits->rule));
    fputs(" Counts have no uncertainty. The unit is no-go if a step fails, and a step fails if one of its "
          "values fails.</p>\n",
          stream);
    section(stream, "repeat", "Repeat this validation", false);
    fputs("<pre><code>", stream);
    pb_markup(stream, validation->command);
    fputs("</code></pre>\n", stream);
}

static void begin_details(FILE *stream, const struct pb_validation *validation, const char *summary)
{
    fprintf(stream, "<details%s><summary>%s</summary>\n",
            pb_validation_go(validation) == PB_GO ? "" : " open", summary);
}

/* Closed for a unit that passed, where they are rarely read; a print leaves out closed parts. */
static void details(FILE *stream, const struct pb_validation *validation)
{
    section(stream, "limits", "Limits", false);
    begin_details(stream, validation, "Every item with its limits and their reason");
    pb_html_limits(stream, validation);
    fputs("</details>\n", stream);
    section(stream, "values", "Measurements", false);
    pb_html_manual(stream, validation->measurements);
    begin_details(stream, validation, "Every value, step by step");
    pb_html_values(stream, validation);
    fputs("</details>\n", stream);
    section(stream, "bars", "Values and their limits", false);
    begin_details(stream, validation, "Every value on the bar of its limits, and over the links");
    pb_html_bars(stream, validation);
    pb_html_scatter(stream, validation);
    fputs("</details>\n", stream);
    section(stream, "plots", "Plots of the runs", false);
    begin_details(stream, validation, "Phases, starts, bit times, bathtub and Allan deviation");
    pb_html_plots(stream, validation);
    fputs("</details>\n", stream);
}

int pb_report_validation_html(FILE *stream, const struct pb_validation *validation)
{
    head(stream, validation);
    overview(stream, validation);
    section(stream, "steps", "Steps", false);
    pb_html_steps(stream, validation);
    section(stream, "glance", "Values at a glance", false);
    pb_html_glance(stream, validation);
    section(stream, "matrix", "Links", false);
    pb_html_matrix(stream, validation);
    conditions(stream, validation);
    details(stream, validation);
    fputs("</main>\n<footer>Made by phasebench. This file needs nothing from outside.</footer>\n", stream);
    pb_html_script(stream);
    fputs("</body>\n</html>\n", stream);
    return pb_stream_status(stream);
}
