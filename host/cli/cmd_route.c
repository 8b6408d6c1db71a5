/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"
#include "output.h"
#include "rows.h"

#include "host/base/form.h"

#include "phasebench/cube.h"

#include <inttypes.h>
#include <stdio.h>

struct request {
    struct pb_network network;
    const char *out, *birth_text; /* its range depends on the network */
    unsigned birth;
    enum pb_rule rule;
    uint32_t source, destination;
    uint64_t rate_mhz; /* 0: no time requested */
    bool json;
};

static unsigned bound_phases(const struct request *request)
{
    return pb_bound_lone_phases(&request->network, request->rule, request->birth > 0);
}

static int64_t duration_ps(const struct request *request, unsigned phases)
{
    return (int64_t)(phases * UINT64_C(1000000000000000) / request->rate_mhz);
}

/* Name of the wire of a hop: dimension and direction in a cube, else digit and port. */
static void set_wire(json_t *object, const struct pb_network *network, const struct pb_hop *hop)
{
    if (network->dims) {
        cli_json_set(object, "dimension", json_integer(hop->port));
        cli_json_set(object, "direction", json_integer(pb_phase_direction(hop->phase)));
    } else {
        cli_json_set(object, "digit", json_integer(pb_network_differing_digit(network, hop->from, hop->to)));
        cli_json_set(object, "port", json_integer(hop->port));
    }
}

static json_t *hop_json(const struct pb_network *network, const struct pb_hop *hop)
{
    json_t *object = json_object();
    cli_json_set(object, "superframe", json_integer(hop->superframe));
    cli_json_set(object, "phase", json_integer(hop->phase));
    set_wire(object, network, hop);
    cli_json_set(object, "from", json_integer(hop->from));
    cli_json_set(object, "to", json_integer(hop->to));
    return object;
}

struct shown {
    const struct request *request;
    const struct pb_route *route;
};

static int write_json(FILE *out, void *context)
{
    const struct request *request = ((const struct shown *)context)->request;
    const struct pb_route *route = ((const struct shown *)context)->route;
    json_t *object = json_object(), *hops = json_array();
    for (unsigned i = 0; i < route->hops; i++)
        cli_json_add(hops, hop_json(&request->network, &route->hop[i]));

    cli_json_set(object, "source", json_integer(request->source));
    cli_json_set(object, "destination", json_integer(request->destination));
    cli_json_network(object, &request->network);
    cli_json_set(object, "rule", json_string(pb_rule_name(request->rule)));
    cli_json_set(object, "birth", json_integer(request->birth));
    cli_json_set(object, "latency_phases", json_integer(route->latency_phases));
    cli_json_set(object, "bound_phases", json_integer(bound_phases(request)));
    cli_json_set(object, "hops", hops);
    if (request->rate_mhz) {
        cli_json_set(object, "phase_hz", json_real((double)request->rate_mhz / 1e3));
        cli_json_set(object, "latency_us",
                     json_real((double)duration_ps(request, route->latency_phases) / 1e6));
    }
    return cli_write_json(out, object);
}

static int write_text(FILE *out, void *context)
{
    const struct request *request = ((const struct shown *)context)->request;
    const struct pb_route *route = ((const struct shown *)context)->route;
    const struct pb_network *network = &request->network;
    int digits = (int)pb_network_address_digits(network);
    char size[PB_NETWORK_TEXT_SIZE];

    fprintf(out, "0x%0*" PRIX32 " to 0x%0*" PRIX32 ": %s, %s, ready in phase %u\n\n", digits, request->source,
            digits, request->destination, pb_network_text(network, size), pb_rule_name(request->rule),
            request->birth);
    fprintf(out, "hop  superframe  phase  %s  %-*s  to\n",
            network->dims ? "dimension  direction" : "digit  port", digits + 2, "from");
    for (unsigned i = 0; i < route->hops; i++) {
        const struct pb_hop *hop = &route->hop[i];
        fprintf(out, "%3u  %10u  %5u  ", i + 1, hop->superframe, hop->phase);
        if (network->dims)
            fprintf(out, "%9u  %9s", hop->port, pb_phase_direction(hop->phase) ? "1 to 0" : "0 to 1");
        else
            fprintf(out, "%5u  %4u", pb_network_differing_digit(network, hop->from, hop->to), hop->port);
        fprintf(out, "  0x%0*" PRIX32 "  0x%0*" PRIX32 "\n", digits, hop->from, digits, hop->to);
    }
    fprintf(out, "\nlatency %u phases; at most %u for a lone message %s\n", route->latency_phases,
            bound_phases(request),
            request->birth ? "ready in any phase" : "ready at the start of a superframe");
    if (request->rate_mhz) {
        char rate[PB_FORM_FIXED_SIZE], latency[PB_FORM_FIXED_SIZE], bound[PB_FORM_FIXED_SIZE];
        fprintf(out, "at %s Hz: %s us, at most %s us\n", pb_form_fixed(rate, (int64_t)request->rate_mhz, 3),
                pb_form_fixed(latency, duration_ps(request, route->latency_phases), 6),
                pb_form_fixed(bound, duration_ps(request, bound_phases(request)), 6));
    }
    return 0;
}

enum { TEXT, JSON };
static const struct cli_form forms[] = {
    {"route.txt", write_text}, {"route.json", write_json}, {.name = NULL}};

static const struct cli_option options[] = {
    CLI_ROW_NETWORK(request, network),
    {"rule", "RULE", CLI_CHOICE, CLI_AT(request, rule), .words = "ecube opportunistic", .initial = "ecube",
     .help = "which of the dimensions or digits that differ is crossed first"},
    {"birth", "P", CLI_TEXT, CLI_AT(request, birth_text), .initial = "0",
     .help = "phase at whose start the message is ready, up to the last of a superframe"},
    CLI_ROW_PHASE_HZ(request, rate_mhz, ", adds the time"),
    CLI_ROW_JSON(request, json),
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_route = {
    .name = "route",
    .summary = "hops and latency of one message",
    .usage = "SOURCE DESTINATION [options]",
    .about = "Prints the hops of a message that is alone in the network, and when it arrives. Addresses are "
             "decimal or 0x hexadecimal.",
    .options = options,
    .more = "The rule ecube crosses the lowest differing dimension or digit first, opportunistic any "
            "differing one, as soon as its phase comes. A network has at most 65536 nodes, 64 ports a node "
            "and 16 digits.",
    .exits = "0 done, 2 wrong usage, 4 the result could not be written",
    .examples = "  phasebench route 0x2A3 0x91C --phase-hz 10000\n"
                "  phasebench route 0x800 0x001 --birth 1 --json\n",
    .least = 2,
    .most = 2,
    .run = cmd_route,
};

int cmd_route(int argc, char **argv)
{
    struct request request = {.rate_mhz = 0};
    const struct pb_network *const network = &request.network;
    int exit_code;
    char **const operand = cli_parse(&verb_route, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    if (!cli_address("SOURCE", operand[0], network, &request.source) ||
        !cli_address("DESTINATION", operand[1], network, &request.destination) ||
        !cli_unsigned("--birth", request.birth_text, 0, network->phases - 1, &request.birth))
        return CLI_USAGE;

    struct pb_route route;
    pb_route_lone(&route, network, request.rule, request.source, request.destination, request.birth);
    exit_code = output_forms_begin(request.out, forms);
    return exit_code == CLI_PASS ? output_forms_end(request.out, forms, &(struct shown){&request, &route},
                                                    request.json ? JSON : TEXT)
                                 : exit_code;
}
