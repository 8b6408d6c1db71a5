/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every value of a validation in few rows, for a page of paper: what is measured at each link is one row,
 * with a column for each link, of which a page is wide enough for some; all else is one row each.
 */
#include "html.h"
#include "validation_html.h"

#include <string.h>

#define ACROSS 8 /* links in one table: with limits and values of 10 characters, as wide as a page */

/* "start/link3/1 kHz": the row is "start/1 kHz". */
struct row_name {
    char text[sizeof((struct pb_item_value *)0)->name];
};

static struct row_name row_name(const struct pb_item_value *value)
{
    struct row_name row;
    const char *const link = strstr(value->name, "/link");
    const size_t before = link ? (size_t)(link - value->name) : strlen(value->name);
    const char *rest = link ? link + strlen("/link") : value->name + before;
    rest += strspn(rest, "0123456789");
    snprintf(row.text, sizeof row.text, "%.*s%s", (int)before, value->name, rest);
    return row;
}

static bool is_in_row(const struct pb_item_value *value, const struct row_name *row)
{
    return value->link >= 0 && !strcmp(row_name(value).text, row->text);
}

static unsigned links_of(const struct pb_validation *validation)
{
    int last = -1;
    for (size_t i = 0; i < validation->values; i++)
        last = validation->value[i].link > last ? validation->value[i].link : last;
    return (unsigned)(last + 1);
}

static void open_table(FILE *stream, const char *caption, const char *style)
{
    fprintf(stream,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table "
            "class=\"dense of-%s\"><caption>%s</caption>\n<thead><tr>",
            caption, style, caption);
}

/* What does not pass has its sign and its colour. */
static void open_value(FILE *stream, const struct pb_item_value *value)
{
    const struct pb_shown shown = pb_shown_judgement(value->judgement);
    fprintf(stream, "<td class=\"n %s\">", shown.style);
    if (pb_html_needs_evidence(value->judgement))
        fprintf(stream, "<span class=\"tone\"><span role=\"img\" aria-label=\"%s\">%s</span>\302\240",
                shown.word, shown.glyph);
}

static void close_value(FILE *stream, const struct pb_item_value *value)
{
    fputs(pb_html_needs_evidence(value->judgement) ? "</span></td>" : "</td>", stream);
}

static void cell(FILE *stream, const struct pb_item_value *value)
{
    if (!value) {
        fputs("<td class=\"n none\">" PB_HTML_DASH "</td>", stream);
        return;
    }
    const struct pb_number number = pb_measured(pb_item_unit(value->item), value->value);
    open_value(stream, value);
    fprintf(stream, "%.*s", (int)strcspn(number.text, " "), number.text);
    close_value(stream, value);
}

static const struct pb_item_value *value_at(const struct pb_validation *validation,
                                            const struct pb_step *step, const struct row_name *row,
                                            unsigned link)
{
    for (size_t i = step->first; i < step->first + step->count; i++)
        if (validation->value[i].link == (int)link && is_in_row(&validation->value[i], row))
            return &validation->value[i];
    return NULL;
}

/* Of the links from..to - 1. */
static void link_row(FILE *stream, const struct pb_validation *validation, const struct pb_step *step,
                     const struct pb_item_value *first, unsigned from, unsigned to)
{
    const struct row_name row = row_name(first);
    const enum pb_unit unit = pb_item_unit(first->item);
    const char *const unit_name = strchr(pb_measured(unit, 0).text, ' ');
    bool alike = true, any = false;
    for (unsigned link = from; link < to; link++)
        any |= value_at(validation, step, &row, link) != NULL;
    if (!any)
        return;
    fputs("<tr><th scope=\"row\" class=\"name\">", stream);
    pb_markup(stream, row.text);
    if (unit_name)
        fprintf(stream, ", %s", unit_name + 1);
    fputs("</th>", stream);
    for (size_t i = 0; i < step->count; i++) {
        const struct pb_item_value *value = &validation->value[step->first + i];
        alike &= !is_in_row(value, &row) || (value->lower == first->lower && value->upper == first->upper);
    }
    fputs("<td class=\"one\">", stream);
    if (alike)
        pb_html_range(stream, unit, first->lower, first->upper);
    else
        fputs("by link", stream);
    fputs("</td>", stream);
    for (unsigned link = from; link < to; link++)
        cell(stream, value_at(validation, step, &row, link));
    fputs("</tr>\n", stream);
}

static bool is_first(const struct pb_validation *validation, const struct pb_step *step, size_t at)
{
    const struct row_name row = row_name(&validation->value[at]);
    for (size_t i = step->first; i < at; i++)
        if (is_in_row(&validation->value[i], &row))
            return false;
    return true;
}

static void by_link(FILE *stream, const struct pb_validation *validation, unsigned from, unsigned to)
{
    char style[32], caption[64];
    snprintf(style, sizeof style, "links%u", from);
    snprintf(caption, sizeof caption, from ? "Values at each link, from link %u on" : "Values at each link",
             from);
    open_table(stream, caption, style);
    fputs("<th scope=\"col\">value</th><th scope=\"col\">limits</th>", stream);
    for (unsigned link = from; link < to; link++)
        fprintf(stream, "<th scope=\"col\" class=\"n\">link&nbsp;%u</th>", link);
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        for (size_t at = step->first; at < step->first + step->count; at++)
            if (validation->value[at].link >= 0 && is_first(validation, step, at))
                link_row(stream, validation, step, &validation->value[at], from, to);
    }
    fputs("</tbody></table></div>\n", stream);
}

static bool are_alike(const struct pb_item_value *a, const struct pb_item_value *b)
{
    return b->link < 0 && pb_item_unit(a->item) == pb_item_unit(b->item) && a->value == b->value &&
           a->lower == b->lower && a->upper == b->upper && a->judgement == b->judgement;
}

/* Values of one size with the same limits share a row. Returns false if an earlier one has it. */
static bool names_of(FILE *stream, const struct pb_validation *validation, size_t at)
{
    const struct pb_item_value *value = &validation->value[at];
    for (size_t i = 0; i < at; i++)
        if (are_alike(value, &validation->value[i]))
            return false;
    fputs("<tr><th scope=\"row\" class=\"text\">", stream);
    for (size_t i = at; i < validation->values; i++)
        if (are_alike(value, &validation->value[i])) {
            fputs(i > at ? ", " : "", stream);
            pb_markup(stream, validation->value[i].name);
        }
    return true;
}

static void others(FILE *stream, const struct pb_validation *validation)
{
    open_table(stream, "All other values", "others");
    fputs("<th scope=\"col\">values</th><th scope=\"col\" class=\"n\">measured</th><th "
          "scope=\"col\">limits</th><th scope=\"col\" class=\"n\">margin</th></tr></thead>\n<tbody>\n",
          stream);
    for (size_t i = 0; i < validation->values; i++) {
        const struct pb_item_value *value = &validation->value[i];
        const enum pb_unit unit = pb_item_unit(value->item);
        if (value->link >= 0 || !names_of(stream, validation, i))
            continue;
        fputs("</th>", stream);
        open_value(stream, value);
        pb_html_quantity(stream, unit, value->value);
        close_value(stream, value);
        fputs("<td class=\"one\">", stream);
        pb_html_range(stream, unit, value->lower, value->upper);
        fputs("</td><td class=\"n\">", stream);
        pb_html_quantity(stream, unit, value->margin);
        fputs("</td></tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

void pb_html_glance_style(FILE *stream, const struct pb_validation *validation)
{
    fputs("@media screen and (max-width:40rem){\n", stream);
    for (unsigned link = 0; link < links_of(validation); link++) {
        const unsigned from = link / ACROSS * ACROSS;
        if (link == from)
            fprintf(stream, PB_HTML_COLUMN_OF("links%u", "%u", "limits"), from, 2);
        fprintf(stream, PB_HTML_COLUMN_OF("links%u", "%u", "link %u"), from, 3 + link - from, link);
    }
    fputs("}\n", stream);
}

void pb_html_glance(FILE *stream, const struct pb_validation *validation)
{
    const unsigned links = links_of(validation);
    for (unsigned from = 0; from < links; from += ACROSS)
        by_link(stream, validation, from, from + ACROSS < links ? from + ACROSS : links);
    others(stream, validation);
}
