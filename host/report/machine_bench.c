/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "machine_bench.h"

#include "host/base/form.h"
#include "phasebench/machine_bench.h"
#include "phasebench/report.h"

#include <inttypes.h>

/* Which nodes they are, and why others can be computed a superframe ahead. */
void pb_machine_put_bench(FILE *out, const struct pb_machine_sweep *sweep)
{
    uint64_t superframes = 0, behind = 0;

    for (unsigned i = 0; i < sweep->points; i++) {
        superframes += sweep->point[i].result.seen.superframes;
        behind += sweep->point[i].result.seen.behind;
    }
    fprintf(out, "bench        ");
    for (unsigned i = 0; i < sweep->bench->nodes; i++)
        fprintf(out, "%s0x%" PRIX32, i ? " " : "", sweep->bench->address[i]);
    pb_form_line(out, " of %s on %s; messages alone in the others", sweep->scenario, sweep->rig);
    fprintf(out,
            "look-ahead   %s: phases ascend and hops are shortest (%s); a full node drops newcomers; "
            "releases and "
            "answers wait for the next superframe\n",
            sweep->network->look_ahead ? "holds" : "does not hold",
            sweep->network->look_ahead ? "yes" : "no");
    fprintf(out, "reaction     exact in %" PRIu64 " of %" PRIu64 " superframes", superframes - behind,
            superframes);
    if (behind)
        fprintf(
            out,
            "; one superframe behind in the others: what one real node had not sent had to reach another one "
            "in the same superframe");
    putc('\n', out);
}

/* Or its window. */
static double load_of(const struct pb_machine_point *point)
{
    return point->load > 0 ? point->load : point->window;
}

static unsigned shown_of(const struct pb_machine_seen *seen)
{
    return seen->findings < PB_MACHINE_FINDINGS_MAX ? (unsigned)seen->findings : PB_MACHINE_FINDINGS_MAX;
}

void pb_machine_put_findings(FILE *out, const struct pb_machine_sweep *sweep)
{
    for (unsigned i = 0; i < sweep->points; i++) {
        const struct pb_machine_seen *seen = &sweep->point[i].result.seen;
        const unsigned shown = shown_of(seen);
        fprintf(out, "\n");
        if (sweep->points > 1)
            fprintf(out, "at %g: ", load_of(&sweep->point[i]));
        fprintf(out,
                "the real nodes sent %" PRIu64 " frames that were due, %" PRIu64 " late and %" PRIu64
                " that are no message of theirs, and lost %" PRIu64 " messages; %" PRIu64 " findings\n",
                seen->frames, seen->late, seen->wrong, seen->lost, seen->findings);
        if (seen->unjudged)
            fprintf(out,
                    "  %" PRIu32
                    " of them are not judged to the end: they got what is no message of its sender, or "
                    "held 32 messages, and have no key room in the scenario\n",
                    seen->unjudged);
        for (unsigned k = 0; k < shown; k++) {
            const struct pb_machine_finding *finding = &seen->first[k];
            fprintf(out, "  superframe %" PRIu32, finding->superframe);
            if (finding->phase >= 0)
                fprintf(out, ", phase %d", finding->phase);
            pb_form_line(out, ": node 0x%" PRIX32 " %s", finding->node, finding->text);
        }
        if (shown < seen->findings)
            fprintf(out, "  and %" PRIu64 " more\n", seen->findings - shown);
    }
}

json_t *pb_machine_bench_json(const struct pb_machine_sweep *sweep)
{
    json_t *nodes = json_array();
    for (unsigned i = 0; i < sweep->bench->nodes; i++)
        pb_form_add(nodes, json_integer(sweep->bench->address[i]));
    return json_pack("{s:o, s:o, s:o, s:b}", "nodes", nodes, "scenario", pb_form_text(sweep->scenario), "rig",
                     pb_form_text(sweep->rig), "look_ahead", sweep->network->look_ahead);
}

json_t *pb_machine_seen_json(const struct pb_machine_seen *seen)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < shown_of(seen); i++) {
        const struct pb_machine_finding *finding = &seen->first[i];
        pb_form_add(list, json_pack("{s:I, s:o, s:I, s:o}", "superframe", (json_int_t)finding->superframe,
                                    "phase", finding->phase < 0 ? json_null() : json_integer(finding->phase),
                                    "node", (json_int_t)finding->node, "text", pb_form_text(finding->text)));
    }
    const struct {
        const char *key;
        uint64_t value;
    } count[] = {{"superframes", seen->superframes},
                 {"behind", seen->behind},
                 {"frames", seen->frames},
                 {"late", seen->late},
                 {"wrong", seen->wrong},
                 {"lost", seen->lost},
                 {"unjudged", seen->unjudged},
                 {"findings", seen->findings}};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof count / sizeof count[0]; i++)
        pb_form_set(object, count[i].key, json_integer((json_int_t)count[i].value));
    pb_form_set(object, "first_behind", seen->behind ? json_integer(seen->first_behind) : json_null());
    pb_form_set(object, "first", list);
    return object;
}

void pb_machine_put_bench_html(FILE *stream, const struct pb_machine_sweep *sweep)
{
    fputs("<h2>Real nodes</h2>\n<p>Nodes", stream);
    for (unsigned i = 0; i < sweep->bench->nodes; i++)
        fprintf(stream, " 0x%" PRIX32, sweep->bench->address[i]);
    fputs(" of ", stream);
    pb_markup(stream, sweep->scenario);
    fputs(" on ", stream);
    pb_markup(stream, sweep->rig);
    fputs(". The others are computed, and react to what these do.</p>\n<div class=\"wide\" tabindex=\"0\" "
          "role=\"region\" aria-label=\"Real nodes\"><table>\n<tr><th>load</th>"
          "<th>superframes</th><th>of them one behind</th><th>frames that were due</th><th>late</th><th>no "
          "message</th>"
          "<th>lost messages</th><th>findings</th></tr>\n",
          stream);
    for (unsigned i = 0; i < sweep->points; i++) {
        const struct pb_machine_point *point = &sweep->point[i];
        const struct pb_machine_seen *seen = &point->result.seen;
        fprintf(stream,
                "<tr><td>%g</td><td>%" PRIu32 "</td><td>%" PRIu32 "</td><td>%" PRIu64 "</td><td>%" PRIu64
                "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td></tr>\n",
                load_of(point), seen->superframes, seen->behind, seen->frames, seen->late, seen->wrong,
                seen->lost, seen->findings);
    }
    fputs("</table></div>\n", stream);
    if (!pb_machine_sweep_findings(sweep))
        return;
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Findings\"><table>\n"
          "<tr><th>load</th><th>superframe</th><th>phase</th><th>node</th><th>finding</th></tr>\n",
          stream);
    for (unsigned i = 0; i < sweep->points; i++)
        for (unsigned k = 0; k < shown_of(&sweep->point[i].result.seen); k++) {
            const struct pb_machine_finding *finding = &sweep->point[i].result.seen.first[k];
            fprintf(stream, "<tr><td>%g</td><td>%" PRIu32 "</td><td>", load_of(&sweep->point[i]),
                    finding->superframe);
            if (finding->phase >= 0)
                fprintf(stream, "%d", finding->phase);
            fprintf(stream, "</td><td>0x%" PRIX32 "</td><td>", finding->node);
            pb_markup(stream, finding->text);
            fputs("</td></tr>\n", stream);
        }
    fputs("</table></div>\n", stream);
}
