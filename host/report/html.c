/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One self-contained file, to mail and to archive. The content security policy in its head blocks scripts and
 * external content that escaping might miss; of scripts it knows that of the timeline alone, by its hash.
 */
#include "html.h"
#include "measured.h"
#include "parts.h"

#include "phasebench/report.h"
#include "render.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *glyph, *word;
} verdict_text[] = {
    [PB_VERDICT_PASS] = {"\342\234\223", "Pass"},
    [PB_VERDICT_MARGINAL] = {"\342\211\210", "Marginal"},
    [PB_VERDICT_FAIL] = {"\342\234\225", "Fail"},
    [PB_VERDICT_INCONCLUSIVE] = {"?", "Inconclusive"},
};

void pb_html_duration(FILE *stream, int64_t ps)
{
    struct pb_number number = pb_duration(ps);
    char *unit = strchr(number.text, ' ');
    *unit++ = '\0';
    fprintf(stream, "%s\302\240%s", number.text, unit);
}

/* Made by mk/host.mk. */
extern const char _binary_timeline_js_start[], _binary_timeline_js_end[];
extern const char _binary_timeline_source_start[];

const char *pb_report_script_source(void)
{
    return _binary_timeline_source_start;
}

void pb_html_begin(FILE *stream, bool scripted)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'",
          stream);
    if (scripted)
        fprintf(stream, "; script-src %s", pb_report_script_source());
    fputs("\">\n<title>", stream);
}

void pb_html_script(FILE *stream)
{
    fputs("<script>", stream);
    fwrite(_binary_timeline_js_start, 1, (size_t)(_binary_timeline_js_end - _binary_timeline_js_start),
           stream);
    fputs("</script>\n", stream);
}

static void section(FILE *stream, const char *id, const char *title)
{
    fprintf(stream, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

static void fact(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, "<dt>%s</dt><dd>", name);
    pb_markup(stream, value);
    fputs("</dd>\n", stream);
}

static void figure(FILE *stream, const char *name, uint64_t value, const char *beside)
{
    /* Groups of three digits, separated by narrow no-break spaces. */
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    fprintf(stream, "<div><dt>%s</dt><dd>", name);
    for (int i = 0; i < length; i++)
        fprintf(stream, "%s%c", i && (length - i) % 3 == 0 ? "\342\200\257" : "", digits[i]);
    fprintf(stream, " <small>%s</small></dd></div>\n", beside);
}

static void head(FILE *stream, const struct pb_result *result)
{
    pb_html_begin(stream, true);
    fprintf(stream, "%s: ", verdict_text[result->verdict].word);
    pb_markup(stream, result->scenario);
    fputs("</title>\n<style>\n", stream);
    fputs(pb_html_style, stream);
    fputs("</style>\n</head>\n<body>\n<header>\n<p class=\"over\">phasebench report \302\267 ", stream);
    pb_markup(stream, result->started_utc);
    fputs("</p>\n<h1>", stream);
    pb_markup(stream, result->scenario);
    fprintf(stream, "</h1>\n</header>\n<main>\n<div class=\"verdict %s\"><b>%s %s</b><p>",
            pb_verdict_name(result->verdict), verdict_text[result->verdict].glyph,
            verdict_text[result->verdict].word);
    pb_markup(stream, result->reason);
    fputs("</p></div>\n", stream);
    if (*result->incomplete) {
        fputs("<p class=\"incomplete\"><b>Incomplete run</b>: only what came before was judged. ", stream);
        pb_markup(stream, result->incomplete);
        fputs(".</p>\n", stream);
    }
}

static void figures(FILE *stream, const struct pb_result *result)
{
    char beside[64];
    fputs("<dl class=\"figures four\">\n", stream);
    snprintf(beside, sizeof beside, "of %" PRIu64, result->messages);
    figure(stream, "Messages delivered", result->delivered, beside);
    figure(stream, "Through the rig", result->messages_through_rig, "messages");
    figure(stream, "Late", result->late, "messages");
    figure(stream, "Slowest message", result->worst_latency_phases, "phases");
    if (!strcmp(result->rest, "reacts")) {
        snprintf(beside, sizeof beside, "of them; %" PRIu32 " superframes at most",
                 result->reaction_superframes);
        figure(stream, "Lost on the rig", result->lost_messages, "messages");
        figure(stream, "Taken out of the rest", result->taken_out, beside);
    }
    figure(stream, "Slots checked", result->slots_checked, "");
    figure(stream, "Bytes seen", result->bytes_seen, "");
    figure(stream, "Edges seen", result->edges_seen, "");
    snprintf(beside, sizeof beside, "of %" PRIu64, result->events);
    figure(stream, "Events lost", result->events_lost, beside);
    figure(stream, "Alarms", result->alarms, "of the core");
    if (result->faults)
        figure(stream, "Injected faults", result->faults, "");
    fputs("</dl>\n", stream);
}

/* Checks that were not possible. */
static void not_checked(FILE *stream, const struct pb_result *result)
{
    const char *clause;
    if (!pb_result_unchecked(result, 0))
        return;
    section(stream, "unchecked", "Not checked");
    if (!strcmp(result->capture, "bytes")) {
        fputs("<p>Bytes alone were recorded: ", stream);
        pb_markup(stream, *result->capture_reason ? result->capture_reason : "the scenario asks for them");
        fputs(".</p>\n", stream);
    }
    fputs("<ul>\n", stream);
    for (unsigned i = 0; (clause = pb_result_unchecked(result, i)); i++) {
        fputs("<li>", stream);
        pb_markup(stream, clause);
        fputs("</li>\n", stream);
    }
    fputs("</ul>\n", stream);
}

static void bound(FILE *stream, const struct pb_result *result)
{
    section(stream, "bound", "Bound and hypotheses");
    fputs("<p>", stream);
    pb_markup(stream, result->bound);
    fputs(".</p>\n", stream);
    if (!result->hypotheses)
        return;
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Hypotheses\"><table "
          "class=\"of-bound\">"
          "<caption>What the tighter bound supposes, and what was found</caption>\n"
          "<thead><tr><th scope=\"col\">hypothesis</th><th scope=\"col\">condition</th><th "
          "scope=\"col\">found</th>"
          "<th scope=\"col\">result</th></tr></thead>\n<tbody>\n",
          stream);
    for (unsigned i = 0; i < result->hypotheses; i++) {
        const struct pb_hypothesis *hypothesis = &result->hypothesis[i];
        fputs("<tr><th scope=\"row\">", stream);
        pb_markup(stream, hypothesis->name);
        fputs("</th><td class=\"text\">", stream);
        pb_markup(stream, hypothesis->condition);
        fputs("</td><td class=\"text\">", stream);
        pb_markup(stream, hypothesis->detail);
        fprintf(stream, "</td><td class=\"%s\"><span class=\"tone\">%s</span></td></tr>\n",
                hypothesis->holds ? "pass" : "marginal",
                hypothesis->holds ? "\342\234\223 holds" : "\342\234\225 does not hold");
    }
    fputs("</tbody></table></div>\n", stream);
}

/* A file of the run; path "": there is none. */
static void run_file(FILE *stream, const char *what, const char *path, const char *link)
{
    const bool linked = link && *link;
    if (!*path)
        return;
    fprintf(stream, "<p class=\"note\">%s: ", what);
    if (linked) {
        fputs("<a href=\"", stream);
        pb_markup(stream, link);
        fputs("\">", stream);
    }
    fputs("<code>", stream);
    pb_markup(stream, path);
    fprintf(stream, "</code>%s</p>\n", linked ? "</a>" : "");
}

static void first_divergence(FILE *stream, const struct pb_result *result,
                             const struct pb_report_links *links)
{
    const struct pb_finding *first = pb_first_divergence(result);
    if (!first)
        return;
    section(stream, "divergence", first->marginal ? "First marginal finding" : "First divergence");
    fprintf(stream, "<p>%s (<code>%s</code>).</p>\n<dl class=\"bytes\">\n<dt>expected</dt><dd>",
            pb_finding_text(first->kind), pb_finding_id(first->kind));
    pb_html_compared(stream, first->expected, first->seen);
    fputs("</dd>\n<dt>seen</dt><dd>", stream);
    pb_html_compared(stream, first->seen, first->expected);
    fputs("</dd>\n</dl>\n<dl class=\"figures\" style=\"margin-top:1rem\">\n", stream);
    figure(stream, "Superframe", first->superframe, "");
    figure(stream, "Phase", first->phase, "");
    if (first->link >= 0)
        figure(stream, "Link", (uint64_t)first->link, "");
    if (first->dimension >= 0)
        figure(stream, result->network.dims ? "Dimension" : "Port", (uint64_t)first->dimension,
               first->phase % 2 ? "high to low" : "low to high");
    if (first->bit >= 0) {
        struct pb_number bit = pb_bit_place(first->bit);
        figure(stream, "Bit", (uint64_t)first->bit, strchr(bit.text, '('));
    }
    fputs("<div><dt>Since the first phase edge</dt><dd>", stream);
    pb_html_duration(stream, first->time_ps);
    fputs("</dd></div>\n</dl>\n", stream);
    run_file(stream, "Waveform around it", result->trace_path, links->trace);
    run_file(stream, "Instructions around it", result->steps_path, links->steps);
}

static void settings(FILE *stream, const struct pb_result *result)
{
    char size[PB_NETWORK_TEXT_SIZE];
    section(stream, "setup", "Set-up");
    fputs("<dl class=\"facts\">\n", stream);
    fact(stream, "Scenario file", result->scenario_path);
    fact(stream, "Rig", result->rig);
    fact(stream, "Nodes", result->nodes);
    fprintf(stream, "<dt>Network</dt><dd>%s, %s, %" PRIu32 " nodes, %s routing</dd>\n",
            result->network.family->name, pb_network_text(&result->network, size), result->network.nodes,
            pb_rule_name(result->rule));
    fprintf(stream, "<dt>Schedule</dt><dd>%" PRIu32 " superframes of %u phases, %sHz, ", result->superframes,
            result->network.phases, pb_frequency(result->phase_rate_mhz).text);
    pb_html_duration(stream, result->phase_ps);
    fputs(" each</dd>\n<dt>Guard</dt><dd>", stream);
    pb_html_duration(stream, result->guard_ps);
    fputs(", ", stream);
    pb_html_duration(stream, result->head_guard_ps);
    fputs(" of it at the head</dd>\n<dt>Slot frame</dt><dd>", stream);
    pb_markup(stream, result->codec);
    fprintf(stream, ", %u bytes, %u of them payload, at %sbaud</dd>\n", result->frame_bytes,
            result->payload_bytes, pb_frequency(result->baud_hz * 1000).text);
    fprintf(stream, "<dt>Time stamps</dt><dd>core clock %sHz, resolution ",
            pb_frequency(result->core_clock_hz * 1000).text);
    pb_html_duration(stream, result->resolution_ps);
    if (result->edge_resolution_ps != result->resolution_ps) {
        fputs(", of edges on lines ", stream);
        pb_html_duration(stream, result->edge_resolution_ps);
    }
    fputs(", uncertainty \302\261", stream);
    pb_html_duration(stream, result->uncertainty_ps);
    fputs(" (U95)</dd>\n<dt>Capture</dt><dd>", stream);
    pb_markup(stream, result->capture);
    if (*result->capture_reason)
        fputs(": ", stream);
    pb_markup(stream, result->capture_reason);
    fputs("</dd>\n<dt>Duration</dt><dd>", stream);
    if (result->simulated_ps > 0) {
        pb_html_duration(stream, result->simulated_ps);
        fputs(" simulated in ", stream);
    }
    fprintf(stream, "%.2f\302\240s</dd>\n</dl>\n", (double)result->wall_ns / 1e9);
}

/* Writes "key=value; key=value" as rows. */
static void environment(FILE *stream, const struct pb_result *result)
{
    section(stream, "environment", "Environment");
    fputs("<dl class=\"facts\">\n", stream);
    char copy[sizeof result->environment];
    memcpy(copy, result->environment, sizeof copy);
    copy[sizeof copy - 1] = '\0';
    for (char *entry = copy, *next; entry; entry = next) {
        next = strchr(entry, ';');
        if (next)
            *next++ = '\0';
        entry += strspn(entry, " ");
        char *value = strchr(entry, '=');
        if (value)
            *value++ = '\0';
        if (!*entry)
            continue;
        fputs("<dt>", stream);
        pb_markup(stream, entry);
        fputs("</dt><dd>", stream);
        pb_markup(stream, value ? value : "");
        fputs("</dd>\n", stream);
    }
    fprintf(stream, "<dt>seed</dt><dd>%" PRIu64 "</dd>\n</dl>\n", result->seed);
    section(stream, "repeat", "Repeat this run");
    fputs("<pre><code>", stream);
    pb_markup(stream, result->command);
    fputs("</code></pre>\n", stream);
}

void pb_html_manual(FILE *stream, const char *measurements)
{
    fputs("<p class=\"note\">What each figure means, its limits and its uncertainty: ", stream);
    if (measurements && *measurements) {
        fputs("<a href=\"", stream);
        pb_markup(stream, measurements);
        fputs("\">docs/reference/measurements.md</a>", stream);
    } else {
        fputs("docs/reference/measurements.md", stream);
    }
    fputs(" of the source, <code>share/doc/phasebench/reference/measurements.md</code> of an "
          "installation.</p>\n",
          stream);
}

int pb_report_html(FILE *stream, const struct pb_result *result)
{
    return pb_report_html_linked(stream, result, &(struct pb_report_links){.measurements = NULL});
}

int pb_report_html_linked(FILE *stream, const struct pb_result *result, const struct pb_report_links *links)
{
    head(stream, result);
    figures(stream, result);
    not_checked(stream, result);
    bound(stream, result);
    first_divergence(stream, result, links);
    section(stream, "timeline", "Timeline");
    pb_html_timeline(stream, result);
    if (result->faults) {
        section(stream, "faults", "Injected faults");
        pb_html_faults(stream, result);
    }
    if (result->node_rows) {
        section(stream, "nodes", "Nodes");
        pb_html_nodes(stream, result);
    }
    section(stream, "start", "Start latency");
    pb_html_start_latency(stream, result, result->start_min_ps, result->start_max_ps);
    section(stream, "measurements", "Measurements");
    pb_html_manual(stream, links->measurements);
    pb_html_measurements(stream, result);
    section(stream, "uncertainty", "Lines and uncertainty");
    pb_html_measured(stream, result);
    section(stream, "findings", "Findings");
    pb_html_findings(stream, result);
    section(stream, "hops", "Transmissions");
    pb_html_hops(stream, result);
    settings(stream, result);
    environment(stream, result);
    fputs("</main>\n<footer>Made by phasebench. This file needs nothing from outside.</footer>\n", stream);
    pb_html_script(stream);
    fputs("</body>\n</html>\n", stream);
    return pb_stream_status(stream);
}
