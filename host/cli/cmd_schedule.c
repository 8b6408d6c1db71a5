/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "phasebench/cube.h"

#include <inttypes.h>
#include <stdio.h>

const char cmd_schedule_help[] =
    "usage: phasebench schedule [options]\n"
    "\n"
    "Prints the phases of a superframe: which dimension, which direction, who sends.\n"
    "\n"
    "  --dims N         dimensions of the cube, 1..16 (12)\n"
    "  --node A         address, decimal or 0x: adds what this node does, and with whom\n"
    "  --json           machine-readable result\n"
    "  -h, --help       this text\n"
    "\n"
    "exit codes: 0 done, 2 wrong usage, 4 the result could not be written\n"
    "\n"
    "examples:\n"
    "  phasebench schedule --dims 3\n"
    "  phasebench schedule --node 0x2A3 --json\n";

struct request {
    unsigned dims;
    bool has_node;
    uint32_t node;
    bool json;
};

static const char *action(const struct request *request, unsigned phase)
{
    return pb_sends(request->node, phase) ? "send" : "listen";
}

static int print_json(const struct request *request)
{
    json_t *schedule = json_array();
    for (unsigned phase = 0; phase < pb_cube_phases(request->dims); phase++) {
        unsigned dimension = pb_phase_dimension(phase);
        json_t *row =
            json_pack("{s:i, s:i, s:i, s:i}", "phase", (int)phase, "dimension", (int)dimension, "direction",
                      (int)pb_phase_direction(phase), "sender_bit", (int)pb_phase_direction(phase));
        if (row && request->has_node) {
            cli_json_set(row, "action", json_string(action(request, phase)));
            cli_json_set(row, "neighbour", json_integer(pb_neighbour(request->node, dimension)));
        }
        cli_json_add(schedule, row);
    }

    json_t *object = json_pack("{s:i, s:i, s:o}", "dims", (int)request->dims, "phases",
                               (int)pb_cube_phases(request->dims), "schedule", schedule);
    if (object && request->has_node)
        cli_json_set(object, "node", json_integer(request->node));
    return cli_print_json(object);
}

static int print_table(const struct request *request)
{
    int digits = cli_address_digits(request->dims);

    printf("%u dimensions, %" PRIu32 " nodes, %u phases in a superframe\n\n", request->dims,
           pb_cube_nodes(request->dims), pb_cube_phases(request->dims));
    printf("phase  dimension  direction  who sends");
    if (request->has_node)
        printf("              node 0x%0*" PRIX32, digits, request->node);
    putchar('\n');
    for (unsigned phase = 0; phase < pb_cube_phases(request->dims); phase++) {
        unsigned dimension = pb_phase_dimension(phase), bit = pb_phase_direction(phase);
        printf("%5u  %9u  %9s  nodes with bit %2u = %u", phase, dimension, bit ? "1 to 0" : "0 to 1",
               dimension, bit);
        if (request->has_node)
            printf("  %-6s %s 0x%0*" PRIX32, action(request, phase),
                   pb_sends(request->node, phase) ? "to  " : "from", digits,
                   pb_neighbour(request->node, dimension));
        putchar('\n');
    }
    return cli_flush();
}

enum { OPTION_DIMS = CLI_LONG_OPTION, OPTION_NODE, OPTION_JSON };

int cmd_schedule(int argc, char **argv)
{
    static const struct option options[] = {
        {"dims", required_argument, NULL, OPTION_DIMS},
        {"node", required_argument, NULL, OPTION_NODE},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct request request = {.dims = CLI_DIMS_DEFAULT};
    const char *node = NULL; /* its range depends on --dims, which may come later */
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_DIMS:
            if (!cli_dims(optarg, &request.dims))
                return CLI_USAGE;
            break;
        case OPTION_NODE:
            node = optarg;
            break;
        case OPTION_JSON:
            request.json = true;
            break;
        case 'h':
            return cli_help(cmd_schedule_help);
        default:
            return CLI_USAGE;
        }
    }
    if (!cli_no_operands(argc, argv))
        return CLI_USAGE;
    request.has_node = node != NULL;
    if (node && !cli_address("--node", node, request.dims, &request.node))
        return CLI_USAGE;
    return request.json ? print_json(&request) : print_table(&request);
}
