/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The nodes under test: frames of each on its lines, its counters, and the evidence of its work.
 */
#include "html.h"
#include "render.h"

#include <inttypes.h>

static void counter_cell(FILE *stream, int64_t value)
{
    if (value < 0)
        fputs("<td class=\"n\">" PB_HTML_DASH "</td>", stream);
    else
        fprintf(stream, "<td class=\"n\">%" PRId64 "</td>", value);
}

static void row(FILE *stream, const struct pb_node_row *node, const struct pb_network *network)
{
    const bool none = node->evidence == PB_EVIDENCE_NONE;
    fprintf(stream, "<tr><th scope=\"row\" class=\"one mono\">%s</th><td>",
            pb_address(node->address, network).text);
    pb_markup(stream, node->kind);
    fprintf(stream,
            "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
            "</td><td class=\"n\">%" PRIu64 "</td>",
            node->sent, node->forwarded, node->received, node->delivered);
    counter_cell(stream, node->counter[PB_COUNTER_TX_FRAMES]);
    counter_cell(stream, node->counter[PB_COUNTER_RX_FRAMES]);
    counter_cell(stream, node->counter[PB_COUNTER_DELIVERED]);
    counter_cell(stream, node->counter[PB_COUNTER_QUEUE_DROPS]);
    fprintf(stream, "<td class=\"%s\"><span class=\"tone\">%s</span></td><td class=\"text mono\">",
            none ? "inconclusive" : "pass", none ? "? none" : pb_evidence_name((int)node->evidence));
    pb_markup(stream, *node->identity ? node->identity : PB_HTML_DASH);
    fputs("</td></tr>\n", stream);
}

void pb_html_nodes(FILE *stream, const struct pb_result *result)
{
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Nodes\">\n<table "
          "class=\"dense of-nodes\"><caption>Frames on the lines of each node, what it counted itself, and "
          "what speaks for "
          "it</caption>\n<thead><tr><th scope=\"col\">node</th><th scope=\"col\">kind</th>"
          "<th scope=\"col\" class=\"n\">sent</th><th scope=\"col\" class=\"n\">forwarded</th>"
          "<th scope=\"col\" class=\"n\">received</th><th scope=\"col\" class=\"n\">for itself</th>"
          "<th scope=\"col\" class=\"n\">tx_frames</th><th scope=\"col\" class=\"n\">rx_frames</th>"
          "<th scope=\"col\" class=\"n\">delivered</th><th scope=\"col\" class=\"n\">queue_drops</th>"
          "<th scope=\"col\">evidence</th><th scope=\"col\">identity</th></tr></thead>\n<tbody>\n",
          stream);
    for (unsigned i = 0; i < result->node_rows; i++)
        row(stream, &result->node[i], &result->network);
    fputs("</tbody></table></div>\n", stream);
}
