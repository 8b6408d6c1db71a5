/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis_forms.h"
#include "network_json.h"

#include "host/base/form.h"
#include "phasebench/flow.h"

#include <inttypes.h>

static bool link_load_ok(const struct pb_flow_bound *bound)
{
    return bound->max_link_load <= 1;
}

int pb_report_bound_json(FILE *out, void *context)
{
    const struct pb_bound_shown *shown = context;
    const struct pb_flow_bound *bound = shown->bound;
    const struct {
        const char *key;
        size_t value;
    } figures[] = {
        {"messages", bound->messages},
        {"max_link_load", bound->max_link_load},
        {"bound_superframes", bound->bound_superframes},
        {"fifo_superframes", bound->fifo_superframes},
        {"opportunistic_superframes", bound->opportunistic_superframes},
        {"max_queue", bound->max_queue},
        {"max_occupancy", bound->max_occupancy},
        {"lost_single_register", bound->lost_single_register},
        {"lost_register_and_latch", bound->lost_register_and_latch},
        {"lost_register_per_dimension", bound->lost_register_per_dimension},
    };
    json_t *object = json_object();

    pb_form_set(object, "traffic", pb_form_text(shown->pattern));
    pb_network_json(object, shown->network);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        pb_form_set(object, figures[i].key, json_integer((json_int_t)figures[i].value));
    pb_form_set(object, "hypothesis_link_load_ok", json_boolean(link_load_ok(bound)));
    return pb_form_json(out, object);
}

static void put_figures(FILE *out, const struct pb_network *network, const struct pb_flow_bound *bound)
{
    fprintf(out, "messages                        %10zu\n", bound->messages);
    fprintf(out, "busiest directed link           %10" PRIu32 " messages (C)\n", bound->max_link_load);
    fprintf(out, "dimension order, FIFO           %10" PRIu32 " superframes (T)\n", bound->fifo_superframes);
    fprintf(out, "opportunistic                   %10" PRIu32 " superframes\n",
            bound->opportunistic_superframes);
    fprintf(out, "%-31s %10u messages\n",
            network->dims ? "deepest queue of a dimension" : "deepest queue of a port", bound->max_queue);
    fprintf(out, "fullest node                    %10u messages\n", bound->max_occupancy);
}

static void put_buffer(FILE *out, const char *buffer, size_t lost)
{
    fprintf(out, "  %-6s %s", lost ? "FAILS" : "holds", buffer);
    if (lost)
        fprintf(out, ": %zu messages lost", lost);
    putc('\n', out);
}

static void put_hypotheses(FILE *out, const struct pb_network *network, const struct pb_flow_bound *bound)
{
    fputs("\nhypotheses of the bound\n", out);
    fputs("  given  every message is ready when superframe 0 starts, none joins later\n", out);
    fputs("  given  dimension order; a node with a message for the phase sends one\n", out);
    fprintf(out, "  %-6s no directed link is wanted twice: C = %" PRIu32 ", limit 1\n",
            link_load_ok(bound) ? "holds" : "FAILS", bound->max_link_load);
    fprintf(out, "  needs  no message is dropped: room for %u messages in each queue\n", bound->max_queue);

    fputs("\nwould less room do?\n", out);
    put_buffer(out, "one register per node", bound->lost_single_register);
    put_buffer(out, "one register and a receive latch per node", bound->lost_register_and_latch);
    put_buffer(out, network->dims ? "one register per outgoing dimension" : "one register per outgoing port",
               bound->lost_register_per_dimension);
}

static void put_conclusion(FILE *out, const struct pb_network *network, const struct pb_flow_bound *bound)
{
    const bool alone = network->lone_phases[PB_RULE_ECUBE][0] > network->phases;

    if (bound->bound_superframes == 0)
        fputs("\nbound: 0 superframes, every message is at its destination\n", out);
    else if (link_load_ok(bound) && alone)
        fprintf(out,
                "\nbound: %" PRIu32
                " superframes, those of the slowest message alone, as no directed link is\n"
                "wanted twice\n",
                bound->bound_superframes);
    else if (alone)
        fprintf(out,
                "\nbound: %" PRIu32
                " superframes: of a message those that it takes alone, and one for each other\n"
                "message that shares a directed link with it; the largest sum\n",
                bound->bound_superframes);
    else if (link_load_ok(bound))
        fputs("\nbound: 1 superframe, as no directed link is wanted twice\n", out);
    else
        fprintf(out,
                "\nbound: %" PRIu32 " superframes (1 + the largest number of other messages that share a\n"
                "directed link with one message). One is not enough: two messages need the same\n"
                "directed link.\n",
                bound->bound_superframes);
}

int pb_report_bound_text(FILE *out, void *context)
{
    const struct pb_bound_shown *shown = context;
    const struct pb_network *network = shown->network;
    char size[PB_NETWORK_TEXT_SIZE];
    pb_form_line(out, "%s, %s, %" PRIu32 " nodes", shown->pattern, pb_network_text(network, size),
                 network->nodes);
    putc('\n', out);
    put_figures(out, network, shown->bound);
    put_hypotheses(out, network, shown->bound);
    put_conclusion(out, network, shown->bound);
    return 0;
}
