/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measurements by link: the worst judgement of items and links as a matrix, and the values of an item over
 * the links.
 */
#include "svg_plot.h"
#include "validation_html.h"

#include <string.h>

enum {
    LINKS_MAX = 256,  /* a core has 64 */
    LINKS_ACROSS = 16, /* in one drawing, which a phone makes as narrow as itself */
    NAME_WIDTH = 140,
    CELL = 22,
    HEAD = 20
};

struct links {
    bool used[LINKS_MAX]; /* has a value */
    bool item[PB_ITEMS];  /* has a value of a link */
    unsigned count;
};

static bool of_link(const struct pb_item_value *value)
{
    return value->link >= 0 && value->link < LINKS_MAX;
}

static void find_links(struct links *links, const struct pb_validation *validation)
{
    *links = (struct links){.count = 0};
    for (size_t i = 0; i < validation->values; i++) {
        const struct pb_item_value *value = &validation->value[i];
        if (!of_link(value))
            continue;
        links->count += !links->used[value->link];
        links->used[value->link] = links->item[value->item] = true;
    }
}

/* The worst of the values of an item at a link; false: none. */
static bool judgement_at(const struct pb_validation *validation, int item, int link,
                         enum pb_judgement *judgement)
{
    bool any = false;
    *judgement = PB_NOT_JUDGED;
    for (size_t i = 0; i < validation->values; i++) {
        const struct pb_item_value *value = &validation->value[i];
        if ((int)value->item != item || value->link != link)
            continue;
        *judgement = value->judgement > *judgement ? value->judgement : *judgement;
        any = true;
    }
    return any;
}

/* ---- matrix */

static void cell(FILE *stream, unsigned column, unsigned row, enum pb_judgement judgement)
{
    const struct pb_shown shown = pb_shown_judgement(judgement);
    const unsigned x = NAME_WIDTH + column * CELL, y = HEAD + row * CELL;
    fprintf(stream,
            "<g class=\"%s\"><rect class=\"cell %s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/><text "
            "class=\"mid sign\" x=\"%u\" y=\"%u\">%s</text></g>",
            shown.style, shown.style, x + 1, y + 1, CELL - 2, CELL - 2, x + CELL / 2, y + CELL / 2 + 5,
            shown.glyph);
}

/* At most LINKS_ACROSS of the links, from `first` on; returns the link after the last. */
static int matrix(FILE *stream, const struct pb_validation *validation, const struct links *links, int first)
{
    unsigned rows = 0, columns = 0;
    int link = first;
    for (; link < LINKS_MAX && columns < LINKS_ACROSS; link++)
        columns += links->used[link];
    const int end = link;
    for (int item = 0; item < PB_ITEMS; item++)
        rows += links->item[item];
    const unsigned width = NAME_WIDTH + columns * CELL + 2, height = HEAD + rows * CELL + 2;
    fprintf(stream,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Items and links\"><svg "
            "class=\"matrix\" style=\"width:%upx\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"The worst "
            "judgement of each item at each link\">",
            width, width, height);
    unsigned row = 0, column = 0;
    fputs("<text class=\"end\" x=\"134\" y=\"14\">link</text>", stream);
    for (link = first; link < end; link++)
        if (links->used[link])
            fprintf(stream, "<text class=\"mid\" x=\"%u\" y=\"14\">%d</text>",
                    NAME_WIDTH + column++ * CELL + CELL / 2, link);
    for (int item = 0; item < PB_ITEMS; item++) {
        if (!links->item[item])
            continue;
        fprintf(stream, "<text class=\"end name\" x=\"134\" y=\"%u\">%s</text>",
                HEAD + row * CELL + CELL / 2 + 4, pb_item_id(item));
        column = 0;
        for (link = first; link < end; link++) {
            enum pb_judgement judgement;
            if (!links->used[link])
                continue;
            if (judgement_at(validation, item, link, &judgement))
                cell(stream, column, row, judgement);
            column++;
        }
        row++;
    }
    fputs("</svg></div>\n", stream);
    return end;
}

void pb_html_matrix(FILE *stream, const struct pb_validation *validation)
{
    struct links links;
    unsigned drawn = 0;
    find_links(&links, validation);
    if (!links.count) {
        fputs("<p>No value is that of a link.</p>\n", stream);
        return;
    }
    fputs("<p>The worst judgement of each item at each link.</p>\n", stream);
    for (int first = 0; drawn < links.count; drawn += LINKS_ACROSS)
        first = matrix(stream, validation, &links, first);
    fputs("<ul class=\"legend\">\n", stream);
    for (int judgement = PB_JUDGED_PASS; judgement <= PB_JUDGED_FAIL; judgement++) {
        const struct pb_shown shown = pb_shown_judgement((enum pb_judgement)judgement);
        fprintf(stream, "<li class=\"%s\"><span class=\"tone\">%s</span> %s</li>\n", shown.style, shown.glyph,
                shown.word);
    }
    fputs("<li>empty: not measured at this link</li>\n</ul>\n", stream);
}

/* ---- value over link */

static void limit_line(struct pb_plot *plot, int64_t limit, double scale)
{
    const double x[2] = {plot->x.from, plot->x.to}, y[2] = {(double)limit / scale, (double)limit / scale};
    if (limit != PB_ABSENT)
        pb_plot_line(plot, "limit", x, y, 2);
}

static void scatter(FILE *stream, const struct pb_validation *validation, int item, int first, int last)
{
    const struct pb_limit *limit = &validation->limits.limit[item];
    const struct pb_unit_shown shown = pb_unit_shown(pb_item_unit((enum pb_item)item));
    const bool given = limit->given;
    struct pb_plot plot = {.stream = stream,
                           .x = {.label = "link", .from = first - 0.5, .to = last + 0.5},
                           .y = {.label = shown.name}};
    plot.x.step = last - first < 16 ? 1 : 4;
    for (size_t i = 0; i < validation->values; i++) {
        const struct pb_item_value *value = &validation->value[i];
        if ((int)value->item != item || !of_link(value))
            continue;
        pb_axis_hold(&plot.y, (double)(value->value - value->u95) / shown.scale);
        pb_axis_hold(&plot.y, (double)(value->value + value->u95) / shown.scale);
    }
    if (given && limit->lower != PB_ABSENT)
        pb_axis_hold(&plot.y, (double)limit->lower / shown.scale);
    if (given && limit->upper != PB_ABSENT)
        pb_axis_hold(&plot.y, (double)limit->upper / shown.scale);
    pb_axis_round(&plot.y);
    fprintf(stream, "<h3>%s <span class=\"purpose\">%s</span></h3>\n", pb_item_id(item), pb_item_text(item));
    pb_plot_begin(&plot, pb_item_text(item));
    if (given) {
        limit_line(&plot, limit->lower, shown.scale);
        limit_line(&plot, limit->upper, shown.scale);
    }
    for (size_t i = 0; i < validation->values; i++) {
        const struct pb_item_value *value = &validation->value[i];
        const struct pb_shown judged = pb_shown_judgement(value->judgement);
        const double y = (double)value->value / shown.scale, u95 = (double)value->u95 / shown.scale;
        if ((int)value->item != item || !of_link(value))
            continue;
        fprintf(stream, "<g class=\"%s\">", judged.style);
        pb_plot_point(&plot, value->link, y, y - u95, y + u95);
        if (value->judgement > PB_JUDGED_PASS)
            pb_plot_sign(&plot, "sign", value->link, y, judged.glyph);
        fputs("</g>", stream);
    }
    pb_plot_end(&plot);
}

void pb_html_scatter(FILE *stream, const struct pb_validation *validation)
{
    struct links links;
    bool any = false;
    find_links(&links, validation);
    for (int item = 0; item < PB_ITEMS; item++) {
        int first = LINKS_MAX, last = -1;
        for (size_t i = 0; i < validation->values; i++) {
            const struct pb_item_value *value = &validation->value[i];
            if ((int)value->item != item || !of_link(value))
                continue;
            first = value->link < first ? value->link : first;
            last = value->link > last ? value->link : last;
        }
        /* Counts that are all 0 say it better in the matrix. */
        if (last <= first || pb_item_unit((enum pb_item)item) == PB_UNIT_COUNT)
            continue;
        if (!any)
            fputs("<h3>Values over the links</h3>\n<p>Dashed: the limits. A bar is U95. Values that do not "
                  "pass have the sign of their judgement.</p>\n",
                  stream);
        any = true;
        scatter(stream, validation, item, first, last);
    }
}
