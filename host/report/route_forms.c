/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis_forms.h"
#include "network_json.h"

#include "host/base/form.h"
#include "phasebench/cube.h"

#include <inttypes.h>

static unsigned bound_phases(const struct pb_route_shown *shown)
{
    return pb_bound_lone_phases(shown->network, shown->rule, shown->birth > 0);
}

static int64_t duration_ps(const struct pb_route_shown *shown, unsigned phases)
{
    return (int64_t)(phases * UINT64_C(1000000000000000) / shown->rate_mhz);
}

/* Name of the wire of a hop: dimension and direction in a cube, else digit and port. */
static void set_wire(json_t *object, const struct pb_network *network, const struct pb_hop *hop)
{
    if (network->dims) {
        pb_form_set(object, "dimension", json_integer(hop->port));
        pb_form_set(object, "direction", json_integer(pb_phase_direction(hop->phase)));
    } else {
        pb_form_set(object, "digit", json_integer(pb_network_differing_digit(network, hop->from, hop->to)));
        pb_form_set(object, "port", json_integer(hop->port));
    }
}

static json_t *hop_json(const struct pb_network *network, const struct pb_hop *hop)
{
    json_t *object = json_object();
    pb_form_set(object, "superframe", json_integer(hop->superframe));
    pb_form_set(object, "phase", json_integer(hop->phase));
    set_wire(object, network, hop);
    pb_form_set(object, "from", json_integer(hop->from));
    pb_form_set(object, "to", json_integer(hop->to));
    return object;
}

int pb_report_route_json(FILE *out, void *context)
{
    const struct pb_route_shown *shown = context;
    const struct pb_route *route = shown->route;
    json_t *object = json_object(), *hops = json_array();
    for (unsigned i = 0; i < route->hops; i++)
        pb_form_add(hops, hop_json(shown->network, &route->hop[i]));

    pb_form_set(object, "source", json_integer(shown->source));
    pb_form_set(object, "destination", json_integer(shown->destination));
    pb_network_json(object, shown->network);
    pb_form_set(object, "rule", json_string(pb_rule_name(shown->rule)));
    pb_form_set(object, "birth", json_integer(shown->birth));
    pb_form_set(object, "latency_phases", json_integer(route->latency_phases));
    pb_form_set(object, "bound_phases", json_integer(bound_phases(shown)));
    pb_form_set(object, "hops", hops);
    if (shown->rate_mhz) {
        pb_form_set(object, "phase_hz", json_real((double)shown->rate_mhz / 1e3));
        pb_form_set(object, "latency_us", json_real((double)duration_ps(shown, route->latency_phases) / 1e6));
    }
    return pb_form_json(out, object);
}

int pb_report_route_text(FILE *out, void *context)
{
    const struct pb_route_shown *shown = context;
    const struct pb_route *route = shown->route;
    const struct pb_network *network = shown->network;
    int digits = (int)pb_network_address_digits(network);
    char size[PB_NETWORK_TEXT_SIZE];

    fprintf(out, "0x%0*" PRIX32 " to 0x%0*" PRIX32 ": %s, %s, ready in phase %u\n\n", digits, shown->source,
            digits, shown->destination, pb_network_text(network, size), pb_rule_name(shown->rule),
            shown->birth);
    fprintf(out, "hop  superframe  phase  %s  %-*s  to\n",
            network->dims        ? "dimension  direction"
            : network->by_digits ? "digit  port"
                                 : " edge  port",
            digits + 2, "from");
    for (unsigned i = 0; i < route->hops; i++) {
        const struct pb_hop *hop = &route->hop[i];
        fprintf(out, "%3u  %10u  %5u  ", i + 1, hop->superframe, hop->phase);
        if (network->dims)
            fprintf(out, "%9u  %9s", hop->port, pb_phase_direction(hop->phase) ? "1 to 0" : "0 to 1");
        else if (!network->by_digits)
            fprintf(out, "%5s  %4u", hop->port < network->field_bits ? "cube" : "cross", hop->port);
        else
            fprintf(out, "%5u  %4u", pb_network_differing_digit(network, hop->from, hop->to), hop->port);
        fprintf(out, "  0x%0*" PRIX32 "  0x%0*" PRIX32 "\n", digits, hop->from, digits, hop->to);
    }
    fprintf(out, "\nlatency %u phases; at most %u for a lone message %s\n", route->latency_phases,
            bound_phases(shown), shown->birth ? "ready in any phase" : "ready at the start of a superframe");
    if (shown->rate_mhz) {
        char rate[PB_FORM_FIXED_SIZE], latency[PB_FORM_FIXED_SIZE], bound[PB_FORM_FIXED_SIZE];
        fprintf(out, "at %s Hz: %s us, at most %s us\n", pb_form_fixed(rate, (int64_t)shown->rate_mhz, 3),
                pb_form_fixed(latency, duration_ps(shown, route->latency_phases), 6),
                pb_form_fixed(bound, duration_ps(shown, bound_phases(shown)), 6));
    }
    return 0;
}
