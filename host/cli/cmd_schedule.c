/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"
#include "output.h"
#include "rows.h"

#include "host/report/analysis_forms.h"

struct request {
    struct pb_network network;
    const char *out, *node_text; /* its range depends on the network */
    bool json;
};

static const struct cli_form forms[] = {
    {"schedule.txt", pb_report_schedule_text}, {"schedule.json", pb_report_schedule_json}, {.name = NULL}};

static const struct cli_option options[] = {
    CLI_ROW_NETWORK(request, network, PB_DIMS_MAX, PB_METACUBE_BITS_MAX, 0),
    {"node", "A", CLI_TEXT, CLI_AT(request, node_text),
     .help = "address, decimal or 0x hexadecimal: adds what this node does in each phase, and with whom"},
    CLI_ROW_JSON(request, json),
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_schedule = {
    .name = "schedule",
    .summary = "who sends in which phase",
    .usage = "[options]",
    .about = "Prints the phases of a superframe: which dimension, which direction, who sends. In a network "
             "that is no cube: in which digit of the address the nodes of a wire differ, and which of its "
             "values sends to which.",
    .options = options,
    .exits = "0 done, 2 wrong usage, 4 the result could not be written",
    .examples = "  phasebench schedule --dims 3\n"
                "  phasebench schedule --node 0x2A3 --json\n"
                "  phasebench schedule --network generalised:4,4,3 --node 7\n",
    .run = cmd_schedule,
};

int cmd_schedule(int argc, char **argv)
{
    struct request request = {.out = NULL};
    struct pb_schedule_shown shown = {.network = &request.network};
    int exit_code;
    if (!cli_parse(&verb_schedule, &request, argc, argv, &exit_code))
        return exit_code;
    shown.has_node = request.node_text != NULL;
    if (shown.has_node && !cli_address("--node", request.node_text, &request.network, &shown.node))
        return CLI_USAGE;
    exit_code = output_forms_begin(request.out, forms);
    return exit_code == CLI_PASS ? output_forms_end(request.out, forms, &shown, request.json) : exit_code;
}
