/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "html.h"
#include "render.h"

#include <inttypes.h>
#include <string.h>

#define BYTES_UNBROKEN 36 /* characters of a frame that stay on one line */
#define ROWS_OPEN 60      /* a longer table starts folded */
#define ARROW " \342\206\222 "

static bool is_hex(const char *text)
{
    return *text && strspn(text, "0123456789ABCDEFabcdef ") == strlen(text);
}

void pb_html_compared(FILE *stream, const char *text, const char *other)
{
    if (!is_hex(text) || !is_hex(other)) {
        pb_markup(stream, text);
        return;
    }
    fputs("<code>", stream);
    while (*text) {
        size_t length = strcspn(text, " "), other_length = strcspn(other, " ");
        bool same = length == other_length && !strncmp(text, other, length);
        fprintf(stream, same ? "%.*s" : "<mark>%.*s</mark>", (int)length, text);
        text += length;
        other += other_length;
        size_t gap = strspn(text, " ");
        fprintf(stream, "%.*s", (int)gap, text);
        text += gap;
        other += strspn(other, " ");
    }
    fputs("</code>", stream);
}

static void index_cell(FILE *stream, int value)
{
    if (value < 0)
        fputs("<td class=\"n\">" PB_HTML_DASH "</td>", stream);
    else
        fprintf(stream, "<td class=\"n\">%d</td>", value);
}

static void compared_cell(FILE *stream, const char *text, const char *other)
{
    bool short_frame = is_hex(text) && strlen(text) <= BYTES_UNBROKEN;
    fprintf(stream, "<td class=\"%s\">", short_frame ? "one" : "text");
    pb_html_compared(stream, text, other);
    fputs("</td>", stream);
}

static void left_out(FILE *stream, size_t all)
{
    if (all > PB_HTML_ROWS_MAX)
        fprintf(
            stream,
            "<p class=\"note\">%zu further rows are left out; the JSON form of the result has them.</p>\n",
            all - PB_HTML_ROWS_MAX);
}

static const char *weight(char word[48], const struct pb_finding *finding)
{
    if (finding->fault < 0)
        return finding->marginal ? "\342\211\210 marginal" : "\342\234\225 fails";
    snprintf(word, 48, "\342\227\207 fault %d", finding->fault);
    return word;
}

void pb_html_findings(FILE *stream, const struct pb_result *result)
{
    if (!result->findings) {
        fputs("<p>None.</p>\n", stream);
        return;
    }
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Findings\">\n<table "
          "class=\"dense of-findings\"><caption>",
          stream);
    if (result->findings_total > result->findings)
        fprintf(stream, "The first %zu of %zu findings, in time order", result->findings,
                result->findings_total);
    else
        fprintf(stream, "All %zu findings, in time order", result->findings);
    fputs("</caption>\n<thead><tr><th scope=\"col\">weight</th><th scope=\"col\">finding</th>"
          "<th scope=\"col\" class=\"n\">time</th><th scope=\"col\" class=\"n\">superframe</th>"
          "<th scope=\"col\" class=\"n\">phase</th><th scope=\"col\" class=\"n\">link</th>"
          "<th scope=\"col\" class=\"n\">dim</th><th scope=\"col\" class=\"n\">bit</th>"
          "<th scope=\"col\">expected</th><th scope=\"col\">seen</th></tr></thead>\n<tbody>\n",
          stream);
    for (size_t i = 0; i < result->findings && i < PB_HTML_ROWS_MAX; i++) {
        char word[48];
        const struct pb_finding *finding = &result->finding[i];
        fprintf(
            stream,
            "<tr><td class=\"%s\"><span class=\"tone\">%s</span></td><td class=\"one\" title=\"%s\">%s</td>"
            "<td class=\"n\">",
            finding->fault >= 0 ? "inconclusive"
            : finding->marginal ? "marginal"
                                : "fail",
            weight(word, finding), pb_finding_text(finding->kind), pb_finding_id(finding->kind));
        pb_html_duration(stream, finding->time_ps);
        fprintf(stream, "</td><td class=\"n\">%" PRIu32 "</td><td class=\"n\">%u</td>", finding->superframe,
                finding->phase);
        index_cell(stream, finding->link);
        index_cell(stream, finding->dimension);
        index_cell(stream, finding->bit);
        compared_cell(stream, finding->expected, finding->seen);
        compared_cell(stream, finding->seen, finding->expected);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
    left_out(stream, result->findings);
}

static void hop_row(FILE *stream, const struct pb_hop_row *hop, const struct pb_network *network)
{
    static const struct {
        const char *tone, *word;
    } state[] = {
        [PB_HOP_CORRECT] = {"pass", "\342\234\223 right"},
        [PB_HOP_WRONG] = {"fail", "\342\234\225 wrong"},
        [PB_HOP_MISSING] = {"fail", "? missing"},
    };
    enum pb_hop_state now = pb_hop_state(hop);
    fprintf(stream,
            "<tr><td class=\"%s\"><span class=\"tone\">%s</span></td><td class=\"n\">%" PRIu32
            "</td><td class=\"n\">%u</td><td class=\"n\">%u</td><td class=\"n\">%u</td>"
            "<td class=\"one mono\">%s" ARROW "%s</td><td>%s</td>",
            state[now].tone, state[now].word, hop->superframe, hop->phase, hop->dimension, hop->link,
            pb_address(hop->from, network).text, pb_address(hop->to, network).text,
            hop->sender == PB_SENDER_NODE ? "node" : "bench");
    if (hop->message == SIZE_MAX)
        fputs("<td class=\"n\">" PB_HTML_DASH "</td><td>" PB_HTML_DASH "</td>", stream);
    else
        fprintf(stream, "<td class=\"n\">%zu</td><td class=\"one mono\">%s" ARROW "%s</td>", hop->message,
                pb_address(hop->source, network).text, pb_address(hop->destination, network).text);
    if (hop->seen) {
        char bytes[3 * sizeof hop->bytes];
        pb_hex(bytes, sizeof bytes, hop);
        fprintf(stream, "<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"%s mono\">%s</td>",
                pb_us(hop->start_ps).text, pb_us(hop->end_ps).text, hop->byte_count > 12 ? "text" : "one",
                bytes);
    } else {
        fputs("<td class=\"n\">" PB_HTML_DASH "</td><td class=\"n\">" PB_HTML_DASH "</td><td>" PB_HTML_DASH
              "</td>",
              stream);
    }
    fputs("</tr>\n", stream);
}

void pb_html_hops(FILE *stream, const struct pb_result *result)
{
    if (!result->hops) {
        fputs("<p>None.</p>\n", stream);
        return;
    }
    size_t shown = result->hops < PB_HTML_ROWS_MAX ? result->hops : PB_HTML_ROWS_MAX;
    fprintf(stream, "<details%s><summary>%zu of %" PRIu64 " transmissions</summary>\n",
            shown <= ROWS_OPEN ? " open" : "", shown, result->hops_total);
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Transmissions\">\n"
          "<table class=\"dense of-hops\"><caption>Each frame that a line of the rig carried or should have "
          "carried; "
          "times in us from the phase edge</caption>\n"
          "<thead><tr><th scope=\"col\">frame</th><th scope=\"col\" class=\"n\">superframe</th><th "
          "scope=\"col\" class=\"n\">phase</th>"
          "<th scope=\"col\" class=\"n\">dim</th><th scope=\"col\" class=\"n\">link</th>"
          "<th scope=\"col\">from" ARROW "to</th><th scope=\"col\">sender</th>"
          "<th scope=\"col\" class=\"n\">message</th><th scope=\"col\">source" ARROW "destination</th>"
          "<th scope=\"col\" class=\"n\">start</th><th scope=\"col\" class=\"n\">end</th>"
          "<th scope=\"col\">bytes</th></tr></thead>\n<tbody>\n",
          stream);
    for (size_t i = 0; i < shown; i++)
        hop_row(stream, &result->hop[i], &result->network);
    fputs("</tbody></table></div></details>\n", stream);
    left_out(stream, result->hops);
}

void pb_html_faults(FILE *stream, const struct pb_result *result)
{
    fprintf(
        stream,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Injected faults\">\n<table "
        "class=\"dense of-faults\"><caption>What the bench did wrong on purpose, with the core's receipts: "
        "%zu</caption>\n"
        "<thead><tr><th scope=\"col\" class=\"n\">number</th><th scope=\"col\">fault</th><th "
        "scope=\"col\">place</th>"
        "<th scope=\"col\">receipt</th><th scope=\"col\">found</th><th scope=\"col\" "
        "class=\"n\">explains</th>"
        "</tr></thead>\n<tbody>\n",
        result->faults);
    for (size_t i = 0; i < result->faults && i < PB_HTML_ROWS_MAX; i++) {
        const struct pb_fault_row *fault = &result->fault[i];
        const bool good = fault->began && (fault->detected || fault->unsought);
        fprintf(stream,
                "<tr><td class=\"n\">%zu</td><th scope=\"row\">%s</th><td class=\"one\">%s</td><td "
                "class=\"one\">%s</td>"
                "<td class=\"%s\"><span class=\"tone\">%s %s</span></td><td class=\"n\">%zu</td></tr>\n",
                i, pb_fault_id(fault->kind), pb_fault_place_text(fault).text,
                pb_fault_receipt_text(fault).text, good ? "pass" : "inconclusive",
                good ? "\342\234\223" : "?", pb_fault_found_text(fault).text, fault->explains);
    }
    fputs("</tbody></table></div>\n", stream);
    left_out(stream, result->faults);
}
