/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * index.html of a suite: one row for each scenario, with a link to its report. Self-contained.
 */
#include "html.h"
#include "parts.h"
#include "phasebench/suite.h"
#include "render.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *glyph, *word;
} verdicts[] = {
    [PB_VERDICT_PASS] = {"\342\234\223", "Pass"},
    [PB_VERDICT_MARGINAL] = {"\342\211\210", "Marginal"},
    [PB_VERDICT_FAIL] = {"\342\234\225", "Fail"},
    [PB_VERDICT_INCONCLUSIVE] = {"?", "Inconclusive"},
};

/* Writes a relative path as a URL. */
static void reference(FILE *stream, const char *folder, const char *file)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/";
    for (const char *part[] = {"./", folder, "/", file, NULL}, **at = part; *at; at++)
        for (const char *byte = *at; *byte; byte++)
            fprintf(stream, strchr(plain, *byte) ? "%c" : "%%%02X", (unsigned char)*byte);
}

static void head(FILE *stream, const struct pb_suite *suite, const struct pb_suite_totals *totals)
{
    pb_html_begin(stream, false);
    fprintf(stream, "%s: %zu scenarios</title>\n<style>\n%s</style>\n</head>\n<body>\n",
            verdicts[totals->worst].word, suite->count, pb_html_style);
    fputs("<header>\n<p class=\"over\">phasebench suite \302\267 ", stream);
    pb_markup(stream, suite->started_utc);
    if (suite->shards)
        fprintf(stream, " \302\267 shard %u of %u", suite->shard, suite->shards);
    fprintf(stream, "</p>\n<h1>%zu scenario%s</h1>\n</header>\n<main>\n", suite->count,
            suite->count == 1 ? "" : "s");
    fprintf(stream, "<div class=\"verdict %s\"><b>%s %s</b><p>", pb_verdict_name(totals->worst),
            verdicts[totals->worst].glyph, verdicts[totals->worst].word);
    fprintf(stream, "%zu of %zu passed",
            totals->verdict[PB_VERDICT_PASS] + totals->verdict[PB_VERDICT_MARGINAL], suite->count);
    for (int i = PB_VERDICT_MARGINAL; i <= PB_VERDICT_INCONCLUSIVE; i++)
        if (totals->verdict[i])
            fprintf(stream, i == PB_VERDICT_MARGINAL ? ", %zu of them %s" : ", %zu %s", totals->verdict[i],
                    pb_verdict_name((enum pb_verdict)i));
    if (totals->state[PB_CASE_SKIPPED])
        fprintf(stream, ", %zu skipped", totals->state[PB_CASE_SKIPPED]);
    if (totals->not_judged)
        fprintf(stream, ", %zu not judged", totals->not_judged);
    if (totals->flaky)
        fprintf(stream, ", %zu flaky", totals->flaky);
    if (totals->excused)
        fprintf(stream, ", %zu failed in quarantine", totals->excused);
    if (totals->healed)
        fprintf(stream, ", %zu passed in quarantine", totals->healed);
    fputs("</p></div>\n", stream);
    char unchecked[PB_UNCHECKED_TEXT];
    if (*pb_unchecked_text(&totals->unchecked, totals->judged, "scenarios", unchecked)) {
        fputs("<p class=\"unchecked\"><b>Not checked</b>: ", stream);
        pb_markup(stream, unchecked);
        fputs("</p>\n", stream);
    }
    if (suite->running)
        fputs(
            "<p class=\"incomplete\"><b>The suite has not ended</b>: it is in progress, or was killed. What "
            "each scenario has come to is in its own folder.</p>\n",
            stream);
}

static void row(FILE *stream, const struct pb_case *one)
{
    const bool failed = one->verdict == PB_VERDICT_FAIL;
    const bool linked = *one->folder && pb_case_ran(one);
    fputs("<tr><th scope=\"row\" class=\"text\">", stream);
    if (linked) {
        fputs("<a href=\"", stream);
        reference(stream, one->folder, "report.html");
        fputs("\">", stream);
    }
    pb_markup(stream, one->name);
    fprintf(stream, "%s<br><small>", linked ? "</a>" : "");
    pb_markup(stream, one->path);
    char note[PB_CASE_NOTE_SIZE];
    const bool has_verdict = one->state == PB_CASE_JUDGED || failed;
    fprintf(stream, "</small></th><td class=\"%s\"><span class=\"tone\">%s\302\240%s</span></td>",
            pb_verdict_name(one->verdict), has_verdict ? verdicts[one->verdict].glyph : "?",
            pb_case_word(one));
    fputs("<td class=\"text\">", stream);
    pb_markup(stream, one->reason);
    if (*pb_case_note(one, note)) {
        fputs("<br><small>", stream);
        pb_markup(stream, note);
        fputs("</small>", stream);
    }
    for (unsigned i = 0; i < one->unchecked.rows; i++) {
        fputs(i ? ", " : "<br><small>not checked: ", stream);
        pb_markup(stream, one->unchecked.row[i].what);
    }
    if (one->unchecked.rows)
        fputs("</small>", stream);
    if (*one->rig) {
        fputs("<br><small>on ", stream);
        pb_markup(stream, one->rig);
        fputs("</small>", stream);
    }
    if (one->retries && linked) {
        fputs(" <a href=\"", stream);
        reference(stream, one->folder, "first/report.html");
        fputs("\">first run</a>", stream);
    }
    if (*one->trace && linked) {
        fputs(" <a href=\"", stream);
        reference(stream, one->folder, one->trace);
        fputs("\">waveform</a>", stream);
    }
    fprintf(stream, "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%zu</td><td class=\"n\">%s</td>",
            one->slots, one->findings, one->margin_known ? pb_us(one->margin_ps).text : PB_HTML_DASH);
    if (pb_case_ran(one) && one->queue_depth >= 0)
        fprintf(stream, "<td class=\"n\">%" PRId64 "</td>", one->queue_depth);
    else
        fputs("<td class=\"n\">" PB_HTML_DASH "</td>", stream);
    if (!pb_case_ran(one))
        fputs("<td class=\"n\">" PB_HTML_DASH "</td></tr>\n", stream);
    else
        fprintf(stream, "<td class=\"n\">%.2f</td></tr>\n", (double)one->wall_ns / 1e9);
}

static void rigs(FILE *stream, const struct pb_suite *suite)
{
    if (!suite->rigs)
        return;
    fputs("<h2>Rigs</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Rigs\"><table "
          "class=\"of-rigs\"><thead><tr><th scope=\"col\">rig</th><th scope=\"col\">board</th>"
          "<th scope=\"col\" class=\"n\">cases</th><th scope=\"col\">taken out</th></tr></thead>\n<tbody>\n",
          stream);
    for (size_t i = 0; i < suite->rigs; i++) {
        const struct pb_suite_rig *rig = &suite->rig[i];
        fputs("<tr><th scope=\"row\" class=\"text\">", stream);
        pb_markup(stream, rig->url);
        fputs("</th><td class=\"text\">", stream);
        pb_markup(stream, rig->serial);
        fprintf(stream, "</td><td class=\"n\">%zu</td><td class=\"text\">", rig->cases);
        pb_markup(stream, *rig->lost ? rig->lost : "no");
        fputs("</td></tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

int pb_suite_html(FILE *stream, const struct pb_suite *suite)
{
    const struct pb_suite_totals totals = pb_suite_count(suite);
    head(stream, suite, &totals);
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Scenarios\"><table "
          "class=\"of-suite\"><caption>The margin is the smallest distance of a node's transmission from the "
          "limits of its start, in us; negative: outside. Queue: most messages in one queue of a "
          "node, by its "
          "own counters</caption>\n<thead><tr><th "
          "scope=\"col\">scenario</th><th scope=\"col\">verdict</th><th scope=\"col\">reason</th><th "
          "scope=\"col\" class=\"n\">slots</th><th scope=\"col\" class=\"n\">findings</th><th scope=\"col\" "
          "class=\"n\">margin, us</th><th scope=\"col\" class=\"n\">queue</th><th scope=\"col\" "
          "class=\"n\">time, "
          "s</th></tr></thead>\n<tbody>\n",
          stream);
    for (size_t i = 0; i < suite->count; i++)
        row(stream, &suite->one[i]);
    fputs("</tbody></table></div>\n", stream);
    rigs(stream, suite);
    fprintf(stream,
            "<p class=\"note\">%.2f s in all, %u at a time.</p>\n</main>\n"
            "<footer>Made by phasebench. This file needs nothing from outside but the reports next "
            "to it.</footer>\n</body>\n</html>\n",
            (double)suite->wall_ns / 1e9, suite->jobs);
    return pb_stream_status(stream);
}
