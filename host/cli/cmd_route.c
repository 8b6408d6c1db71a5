/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"
#include "output.h"
#include "rows.h"

#include "host/report/analysis_forms.h"

struct request {
    struct pb_network network;
    const char *out, *birth_text; /* its range depends on the network */
    struct pb_route_shown shown;
    bool json;
};

static const struct cli_form forms[] = {
    {"route.txt", pb_report_route_text}, {"route.json", pb_report_route_json}, {.name = NULL}};

static const struct cli_option options[] = {
    CLI_ROW_NETWORK(request, network, PB_DIMS_MAX, PB_METACUBE_BITS_MAX, 0),
    {"rule", "RULE", CLI_CHOICE, CLI_AT(request, shown.rule), .words = "ecube opportunistic",
     .initial = "ecube", .help = "which of the dimensions or digits that differ is crossed first"},
    {"birth", "P", CLI_TEXT, CLI_AT(request, birth_text), .initial = "0",
     .help = "phase at whose start the message is ready, up to the last of a superframe"},
    CLI_ROW_PHASE_HZ(request, shown.rate_mhz, ", adds the time"),
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
    struct request request = {.out = NULL};
    struct pb_route_shown *const shown = &request.shown;
    const struct pb_network *const network = &request.network;
    int exit_code;
    char **const operand = cli_parse(&verb_route, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    if (!cli_address("SOURCE", operand[0], network, &shown->source) ||
        !cli_address("DESTINATION", operand[1], network, &shown->destination) ||
        !cli_unsigned("--birth", request.birth_text, 0, network->phases - 1, &shown->birth))
        return CLI_USAGE;

    struct pb_route route;
    pb_route_lone(&route, network, shown->rule, shown->source, shown->destination, shown->birth);
    shown->network = network;
    shown->route = &route;
    exit_code = output_forms_begin(request.out, forms);
    return exit_code == CLI_PASS ? output_forms_end(request.out, forms, shown, request.json) : exit_code;
}
