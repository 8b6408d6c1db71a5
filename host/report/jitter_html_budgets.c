/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "jitter_html.h"
#include "render.h"

static void budget_rows(FILE *stream, const struct pb_jitter *jitter, enum pb_jitter_edge edge)
{
    const struct pb_jitter_budget *budget = &jitter->budget[edge];
    fprintf(stream, "<tr><th scope=\"rowgroup\" colspan=\"5\">%s</th></tr>\n",
            pb_jitter_edge_text(jitter, edge));
    if (!budget->parts)
        fputs("<tr><td class=\"text\" colspan=\"5\">exact: the core makes it</td></tr>\n", stream);
    for (unsigned i = 0; i < budget->parts; i++) {
        const struct pb_jitter_part *part = &budget->part[i];
        fputs("<tr><th scope=\"row\">", stream);
        pb_markup(stream, part->name);
        fprintf(stream,
                "</th><td class=\"text\">%s</td><td>%.3f</td><td>%.3f</td><td class=\"text\">%s</td></tr>\n",
                part->normal ? "normal, standard deviation" : "rectangle, half-width", part->size_ps / 1e3,
                part->u_ps / 1e3, part->averages ? "yes, it is in the scatter" : "no");
    }
    if (budget->parts)
        fprintf(
            stream,
            "<tr><th scope=\"row\">sum</th><td class=\"text\">k %.2f, U95 %.3f ns</td><td></td><td>%.3f</td>"
            "<td></td></tr>\n",
            budget->sum.k, budget->sum.u95 / 1e3, budget->sum.u / 1e3);
}

void pb_jitter_html_budgets(FILE *stream, const struct pb_jitter *jitter)
{
    fputs("<h2>Uncertainty</h2>\n<p>Of one instant, by the kind of its edge: ", stream);
    pb_markup(stream, *jitter->board ? jitter->board : "simulated core, the step of the stamps alone");
    fputs(
        ". U95 of a mean in the tables above contains what no n reduces. k is that of the convolution of all "
        "rows.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Uncertainty\"><table "
        "class=\"dense of-part\"><thead><tr><th scope=\"col\">part</th><th scope=\"col\">shape</th><th "
        "scope=\"col\">size, ns</th><th scope=\"col\">u, ns</th><th scope=\"col\">less in a "
        "mean</th></tr></thead>\n<tbody>\n",
        stream);
    for (int edge = 0; edge < pb_jitter_edges(jitter); edge++)
        budget_rows(stream, jitter, (enum pb_jitter_edge)edge);
    fputs("</tbody></table></div>\n", stream);
}
