/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One superframe, drawn to scale: time to the right, one row per link. A script draws the whole run in its
 * place, with the same sizes and classes (timeline.js). Positions are pixels of the drawing, as doubles; the
 * exact figures are in the tooltips and in the table of transmissions.
 */
#include "html.h"
#include "render.h"

#include <inttypes.h>

#define LEFT 152  /* names of the links */
#define TOP 58    /* numbers of dimensions and phases, symbols of findings */
#define BOTTOM 24 /* time axis */
#define RIGHT 32
#define PHASE_WIDTH 40
#define ROW_HEIGHT 30
#define BAR_HEIGHT 14

struct frame {
    FILE *stream;
    const struct pb_result *result;
    uint32_t superframe;
    unsigned phases;
    size_t rows;
    double px_per_ps;
};

static double phase_x(double phase)
{
    return LEFT + phase * PHASE_WIDTH;
}

static double time_x(const struct frame *frame, unsigned phase, int64_t ps)
{
    return phase_x(phase) + (double)ps * frame->px_per_ps;
}

static double bottom(const struct frame *frame)
{
    return TOP + (double)frame->rows * ROW_HEIGHT;
}

static void patterns(FILE *stream)
{
    static const char *const name[] = {"", "-bad"};
    fputs("<defs>", stream);
    for (int i = 0; i < 2; i++)
        fprintf(stream,
                "<pattern id=\"pb-hatch%s\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                "patternTransform=\"rotate(45)\"><rect class=\"ground\" width=\"5\" height=\"5\"/>"
                "<line class=\"hatch%s\" x1=\"1\" y1=\"0\" x2=\"1\" y2=\"5\"/></pattern>",
                name[i], name[i]);
    fputs("</defs>\n", stream);
}

static void guards(const struct frame *frame)
{
    const struct pb_result *result = frame->result;
    double height = bottom(frame) - TOP;
    double head = (double)result->head_guard_ps * frame->px_per_ps;
    double tail = (double)(result->guard_ps - result->head_guard_ps) * frame->px_per_ps;
    for (unsigned phase = 0; phase < frame->phases; phase++) {
        if (head > 0)
            fprintf(frame->stream,
                    "<rect class=\"guard\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%.0f\"/>",
                    phase_x(phase), TOP, head, height);
        if (tail > 0)
            fprintf(frame->stream,
                    "<rect class=\"guard\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%.0f\"/>",
                    phase_x(phase + 1) - tail, TOP, tail, height);
    }
    fputc('\n', frame->stream);
}

/* Label of a dimension, above the middle of its phases. */
static void dimension_name(FILE *stream, const struct pb_network *network, unsigned phase)
{
    for (unsigned digit = 0; digit < network->digits; digit++) {
        const unsigned first = network->first_phase[digit],
                       next = digit + 1 < network->digits ? network->first_phase[digit + 1] : network->phases;
        if (first == phase)
            fprintf(stream, "<text class=\"mid name\" x=\"%.1f\" y=\"%d\">dim %u</text>",
                    phase_x(phase) + PHASE_WIDTH * (next - first) / 2.0, TOP - 33, digit);
    }
}

static void axes(const struct frame *frame)
{
    FILE *stream = frame->stream;
    for (unsigned phase = 0; phase <= frame->phases; phase++) {
        double x = phase_x(phase);
        fprintf(stream, "<line class=\"%s\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.0f\"/>",
                phase % 2 ? "line" : "edge", x, phase % 2 ? TOP : TOP - 42, x, bottom(frame) + 4);
        if (phase % 2 == 0) {
            fprintf(stream, "<text class=\"mid\" x=\"%.1f\" y=\"%.0f\">", x, bottom(frame) + 17);
            if (phase)
                pb_html_duration(stream, (int64_t)phase * frame->result->phase_ps);
            else
                fputc('0', stream);
            fputs("</text>", stream);
        }
        if (phase == frame->phases)
            break;
        dimension_name(stream, &frame->result->network, phase);
        fprintf(stream, "<text class=\"mid phase\" x=\"%.1f\" y=\"%d\">%u</text>\n", x + PHASE_WIDTH / 2.0,
                TOP - 18, phase);
    }
}

/* Shades the columns of findings, with a symbol on each: filled for a divergence, hollow for a finding that
 * is marginal or explained by an injected fault. */
static void finding_marks(const struct frame *frame)
{
    static const char *const mark[] = {"known", "near", "found"};
    const struct pb_result *result = frame->result;
    for (unsigned phase = 0; phase < frame->phases; phase++) {
        const struct pb_finding *shown = NULL;
        for (size_t i = 0; i < result->findings; i++) {
            const struct pb_finding *finding = &result->finding[i];
            if (finding->superframe == frame->superframe && finding->phase == phase &&
                (!shown || pb_finding_rank(shown) < pb_finding_rank(finding)))
                shown = finding;
        }
        if (!shown)
            continue;
        double x = phase_x(phase);
        fprintf(frame->stream, "<g><title>phase %u: %s</title>", phase, pb_finding_text(shown->kind));
        if (pb_finding_rank(shown) == 2)
            fprintf(frame->stream,
                    "<rect class=\"column\" x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%.0f\"/>", x, TOP,
                    PHASE_WIDTH, bottom(frame) - TOP);
        fprintf(frame->stream, "<path class=\"%s\" d=\"M%.1f %dl5 -8h-10z\"/></g>\n",
                mark[pb_finding_rank(shown)], x + PHASE_WIDTH / 2.0, TOP - 3);
    }
}

/* Frames the phase in which an injected fault begins: on its lines; for a clock fault on all lines. */
static void fault_marks(const struct frame *frame, const struct pb_link_row *row)
{
    const struct pb_result *result = frame->result;
    for (size_t i = 0; i < result->faults; i++) {
        const struct pb_fault_row *fault = &result->fault[i];
        if (fault->superframe != frame->superframe || fault->phase >= frame->phases)
            continue;
        for (size_t k = 0; k < frame->rows; k++) {
            const bool clock = fault->link < 0;
            if (clock ? k > 0 : (int)row[k].link != fault->link && (int)row[k].link != fault->other_link)
                continue;
            fprintf(frame->stream,
                    "<g><title>injected fault %zu: %s, %s</title><rect class=\"fault\" x=\"%.1f\" y=\"%.1f\" "
                    "width=\"%d\" height=\"%.1f\"/></g>\n",
                    i, pb_fault_id(fault->kind), pb_fault_found_text(fault).text, phase_x(fault->phase) + 1,
                    TOP + (double)k * ROW_HEIGHT + 2, PHASE_WIDTH - 2,
                    (clock ? bottom(frame) - TOP : ROW_HEIGHT) - 4);
        }
    }
}

static void tooltip(const struct frame *frame, const struct pb_hop_row *hop)
{
    static const char *const state[] = {"as expected", "wrong", "missing"};
    FILE *stream = frame->stream;
    const struct pb_network *network = &frame->result->network;
    fprintf(stream, "<title>%s \342\206\222 %s, phase %u, sent by the %s: %s",
            pb_address(hop->from, network).text, pb_address(hop->to, network).text, hop->phase,
            hop->sender == PB_SENDER_NODE ? "node" : "bench", state[pb_hop_state(hop)]);
    if (hop->message != SIZE_MAX)
        fprintf(stream, "\nmessage %zu, %s \342\206\222 %s", hop->message,
                pb_address(hop->source, network).text, pb_address(hop->destination, network).text);
    if (hop->seen) {
        char bytes[3 * sizeof hop->bytes];
        pb_hex(bytes, sizeof bytes, hop);
        fprintf(stream, "\n%s to %s us\n%s", pb_us(hop->start_ps).text, pb_us(hop->end_ps).text,
                bytes);
    }
    fputs("</title>", stream);
}

static void bar(const struct frame *frame, const struct pb_hop_row *hop, size_t row)
{
    const struct pb_result *result = frame->result;
    enum pb_hop_state state = pb_hop_state(hop);
    int64_t start_ps = state == PB_HOP_MISSING ? result->head_guard_ps : hop->start_ps;
    int64_t end_ps =
        state == PB_HOP_MISSING ? result->phase_ps - (result->guard_ps - result->head_guard_ps) : hop->end_ps;
    double x = time_x(frame, hop->phase, start_ps);
    double width = time_x(frame, hop->phase, end_ps) - x;
    double y = TOP + (double)row * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2.0;
    fputs("<g>", frame->stream);
    tooltip(frame, hop);
    fprintf(frame->stream, "<rect class=\"%s%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\"/>",
            state == PB_HOP_MISSING         ? "missing"
            : hop->sender == PB_SENDER_NODE ? "node"
                                            : "bench",
            state == PB_HOP_WRONG ? " wrong" : "", x, y, width > 1.5 ? width : 1.5, BAR_HEIGHT);
    if (state != PB_HOP_CORRECT)
        fprintf(frame->stream,
                "<rect class=\"ground\" x=\"%.2f\" y=\"%.1f\" width=\"12\" height=\"%d\"/>"
                "<text class=\"glyph\" x=\"%.2f\" y=\"%.1f\">%s</text>",
                x + width / 2 - 6, y + 1, BAR_HEIGHT - 2, x + width / 2, y + 11.5,
                state == PB_HOP_WRONG ? "\303\227" : "?");
    fputs("</g>\n", frame->stream);
}

static void link_row(const struct frame *frame, const struct pb_link_row *row, size_t index)
{
    const struct pb_result *result = frame->result;
    double middle = TOP + ((double)index + 0.5) * ROW_HEIGHT;
    fprintf(frame->stream,
            "<text class=\"name\" x=\"0\" y=\"%.1f\">link %u</text>"
            "<text class=\"ends end\" x=\"%d\" y=\"%.1f\">%s \342\200\223 %s</text>"
            "<line class=\"line\" x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            middle + 4, row->link, LEFT - 8, middle + 4, pb_address(row->low, &result->network).text,
            pb_address(row->high, &result->network).text, LEFT, middle, phase_x(frame->phases), middle);
    for (size_t i = 0; i < result->hops; i++) {
        const struct pb_hop_row *hop = &result->hop[i];
        if (hop->superframe == frame->superframe && hop->phase < frame->phases && pb_hop_is_on(hop, row))
            bar(frame, hop, index);
    }
}

static void legend(FILE *stream)
{
    static const struct {
        const char *drawing, *text;
    } item[] = {
        {"<rect class=\"node\" x=\"1\" y=\"1\" width=\"26\" height=\"12\"/>", "sent by the node under test"},
        {"<rect class=\"bench\" x=\"1\" y=\"1\" width=\"26\" height=\"12\"/>", "sent by the bench"},
        {"<rect class=\"node wrong\" x=\"1\" y=\"1\" width=\"26\" height=\"12\"/>"
         "<rect class=\"ground\" x=\"8\" y=\"2\" width=\"12\" height=\"10\"/>"
         "<text class=\"glyph\" x=\"14\" y=\"11.5\">\303\227</text>",
         "wrong"},
        {"<rect class=\"missing\" x=\"1\" y=\"1\" width=\"26\" height=\"12\"/>"
         "<text class=\"glyph\" x=\"14\" y=\"11.5\">?</text>",
         "expected, not seen"},
        {"<rect class=\"guard\" x=\"1\" y=\"1\" width=\"26\" height=\"12\"/>", "guard"},
        {"<path class=\"found\" d=\"M14 11l4.5 -7h-9z\"/>", "finding"},
        {"<path class=\"near\" d=\"M14 11l4.5 -7h-9z\"/>", "marginal finding"},
        {"<path class=\"known\" d=\"M14 11l4.5 -7h-9z\"/>", "explained by an injected fault"},
        {"<rect class=\"fault\" x=\"2\" y=\"1\" width=\"24\" height=\"12\"/>", "injected fault"},
    };
    fputs("<ul class=\"legend\">\n", stream);
    for (size_t i = 0; i < sizeof item / sizeof item[0]; i++)
        fprintf(stream, "<li><svg viewBox=\"0 0 28 14\" aria-hidden=\"true\">%s</svg>%s</li>\n",
                item[i].drawing, item[i].text);
    fputs("</ul>\n", stream);
}

void pb_html_timeline(FILE *stream, const struct pb_result *result)
{
    struct pb_link_row row[PB_LINK_ROWS_MAX];
    struct frame frame = {
        .stream = stream,
        .result = result,
        .superframe = pb_superframe_to_show(result),
        .phases = result->network.phases,
        .rows = pb_link_rows(row, result),
    };
    if (!frame.rows || result->phase_ps <= 0) {
        fputs("<p>No transmission was expected or seen on a line of the rig.</p>\n", stream);
        return;
    }
    frame.px_per_ps = (double)PHASE_WIDTH / (double)result->phase_ps;
    fprintf(stream, "<p>Superframe %" PRIu32 ", drawn to scale%s.</p>\n", frame.superframe,
            pb_first_divergence(result) ? "; it holds the first finding"
            : result->faults            ? "; it holds the first injected fault"
                                        : "; the busiest one");
    double width = phase_x(frame.phases) + RIGHT, height = bottom(&frame) + BOTTOM;
    fprintf(stream,
            "<figure class=\"of-timeline\"><div class=\"wide\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Timeline of superframe %" PRIu32
            "\"><svg class=\"timeline\" style=\"min-width:%.0fpx;max-width:%.0fpx\" viewBox=\"0 0 %.0f "
            "%.0f\" role=\"img\" "
            "aria-label=\"Transmissions of each link in each phase of superframe %" PRIu32
            "; the same data is in the table of transmissions\">\n",
            frame.superframe, width * 0.8, width * 1.4, width, height, frame.superframe);
    patterns(stream);
    guards(&frame);
    finding_marks(&frame);
    axes(&frame);
    for (size_t i = 0; i < frame.rows; i++)
        link_row(&frame, &row[i], i);
    fault_marks(&frame, row);
    fputs("</svg></div>\n", stream);
    legend(stream);
    pb_html_timeline_data(stream, result, frame.superframe, row, frame.rows);
    fputs("</figure>\n", stream);
}
