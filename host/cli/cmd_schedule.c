/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"
#include "output.h"
#include "rows.h"

#include "phasebench/cube.h"

#include <inttypes.h>
#include <stdio.h>

struct request {
    struct pb_network network;
    const char *out, *node_text; /* its range depends on the network */
    bool has_node;
    uint32_t node;
    bool json;
};

static const char *const action[] = {
    [PB_ROLE_IDLE] = "idle", [PB_ROLE_SEND] = "send", [PB_ROLE_LISTEN] = "listen"};

/* The wires of one phase, in a network whose nodes differ in one digit across a wire. */
struct phase_wires {
    unsigned digit;
    unsigned pairs;
    unsigned from[PB_NETWORK_PORTS_MAX], to[PB_NETWORK_PORTS_MAX]; /* values of the digit */
};

/* The node whose other digits are 0 represents all nodes with its value of the digit. */
static void find_wires(const struct pb_network *network, unsigned phase, struct phase_wires *wires)
{
    *wires = (struct phase_wires){0};
    for (unsigned digit = 0; digit < network->digits; digit++)
        for (unsigned value = 0; value < network->radix[digit]; value++) {
            const uint32_t node = value * network->weight[digit];
            const struct pb_slot slot = pb_network_slot(network, node, phase);
            if (slot.role != PB_ROLE_SEND)
                continue;
            const uint32_t to = pb_network_peer(network, node, slot.port).node;
            if (pb_network_differing_digit(network, node, to) != digit)
                continue;
            wires->digit = digit;
            wires->from[wires->pairs] = value;
            wires->to[wires->pairs++] = pb_network_digit(network, to, digit);
        }
}

static json_t *wires_json(const struct pb_network *network, unsigned phase)
{
    struct phase_wires wires;
    find_wires(network, phase, &wires);
    json_t *row = json_object(), *pairs = json_array();
    for (unsigned i = 0; i < wires.pairs; i++) {
        json_t *pair = json_array();
        cli_json_add(pair, json_integer(wires.from[i]));
        cli_json_add(pair, json_integer(wires.to[i]));
        cli_json_add(pairs, pair);
    }
    cli_json_set(row, "phase", json_integer(phase));
    cli_json_set(row, "digit", json_integer(wires.digit));
    cli_json_set(row, "senders", pairs);
    return row;
}

static json_t *phase_json(const struct request *request, unsigned phase)
{
    const struct pb_network *network = &request->network;
    json_t *row = network->dims
                      ? json_pack("{s:i, s:i, s:i, s:i}", "phase", (int)phase, "dimension",
                                  (int)pb_phase_dimension(phase), "direction", (int)pb_phase_direction(phase),
                                  "sender_bit", (int)pb_phase_direction(phase))
                      : wires_json(network, phase);
    if (!row || !request->has_node)
        return row;
    const struct pb_slot slot = pb_network_slot(network, request->node, phase);
    cli_json_set(row, "action", json_string(action[slot.role]));
    if (slot.role == PB_ROLE_IDLE)
        return row;
    cli_json_set(row, "neighbour", json_integer(pb_network_peer(network, request->node, slot.port).node));
    if (!network->dims)
        cli_json_set(row, "port", json_integer(slot.port));
    return row;
}

static int write_json(FILE *out, void *context)
{
    const struct request *request = context;
    const struct pb_network *network = &request->network;
    json_t *object = json_object(), *schedule = json_array();

    for (unsigned phase = 0; phase < network->phases; phase++)
        cli_json_add(schedule, phase_json(request, phase));
    cli_json_network(object, network);
    if (!network->dims) {
        cli_json_set(object, "ports", json_integer(network->ports));
        cli_json_set(object, "look_ahead", json_boolean(network->look_ahead));
    }
    cli_json_set(object, "phases", json_integer(network->phases));
    cli_json_set(object, "schedule", schedule);
    if (request->has_node)
        cli_json_set(object, "node", json_integer(request->node));
    return cli_write_json(out, object);
}

/* Blanks of an idle node: the width of "to   0x7, port 12" without the address digits. */
enum { IDLE_WIDTH = 17 };

/* Writes "send   to   0x7", with the port in a network other than a cube. */
static void put_action(FILE *out, const struct request *request, unsigned phase)
{
    const struct pb_network *network = &request->network;
    const struct pb_slot slot = pb_network_slot(network, request->node, phase);

    fprintf(out, "  %-6s", action[slot.role]);
    if (slot.role == PB_ROLE_IDLE) {
        fprintf(out, "%*s", (int)pb_network_address_digits(network) + IDLE_WIDTH, "");
        return;
    }
    fprintf(out, " %s 0x%0*" PRIX32, slot.role == PB_ROLE_SEND ? "to  " : "from",
            (int)pb_network_address_digits(network), pb_network_peer(network, request->node, slot.port).node);
    if (!network->dims)
        fprintf(out, ", port %-2u", slot.port);
}

static void put_cube(FILE *out, const struct request *request)
{
    const struct pb_network *network = &request->network;

    fprintf(out, "%u dimensions, %" PRIu32 " nodes, %u phases in a superframe\n\n", network->dims,
            network->nodes, network->phases);
    fprintf(out, "phase  dimension  direction  who sends");
    if (request->has_node)
        fprintf(out, "              node 0x%0*" PRIX32, (int)pb_network_address_digits(network),
                request->node);
    putc('\n', out);
    for (unsigned phase = 0; phase < network->phases; phase++) {
        unsigned dimension = pb_phase_dimension(phase), bit = pb_phase_direction(phase);
        fprintf(out, "%5u  %9u  %9s  nodes with bit %2u = %u", phase, dimension, bit ? "1 to 0" : "0 to 1",
                dimension, bit);
        if (request->has_node)
            put_action(out, request, phase);
        putc('\n', out);
    }
}

static void put_network(FILE *out, const struct request *request)
{
    const struct pb_network *network = &request->network;
    char size[PB_NETWORK_TEXT_SIZE];

    fprintf(out, "%s, %" PRIu32 " nodes, %u ports a node, %u phases in a superframe\n\n",
            pb_network_text(network, size), network->nodes, network->ports, network->phases);
    if (request->has_node) {
        fprintf(out, "node 0x%0*" PRIX32 ": digits ", (int)pb_network_address_digits(network), request->node);
        for (unsigned digit = 0; digit < network->digits; digit++)
            fprintf(out, digit ? ",%u" : "%u", pb_network_digit(network, request->node, digit));
        fputs("\n\n", out);
    }
    fprintf(out, "phase  digit  %s%*swho sends to whom, by the value of the digit\n",
            request->has_node ? "the node" : "",
            request->has_node ? (int)pb_network_address_digits(network) + IDLE_WIDTH : 0, "");
    for (unsigned phase = 0; phase < network->phases; phase++) {
        struct phase_wires wires;
        find_wires(network, phase, &wires);
        fprintf(out, "%5u  %5u", phase, wires.digit);
        if (request->has_node)
            put_action(out, request, phase);
        for (unsigned i = 0; i < wires.pairs; i++)
            fprintf(out, "%s %u to %u", i ? "," : " ", wires.from[i], wires.to[i]);
        putc('\n', out);
    }
}

static int write_text(FILE *out, void *context)
{
    const struct request *request = context;
    if (request->network.dims)
        put_cube(out, request);
    else
        put_network(out, request);
    return 0;
}

enum { TEXT, JSON };
static const struct cli_form forms[] = {
    {"schedule.txt", write_text}, {"schedule.json", write_json}, {.name = NULL}};

static const struct cli_option options[] = {
    CLI_ROW_NETWORK(request, network),
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
    struct request request = {.has_node = false};
    int exit_code;
    if (!cli_parse(&verb_schedule, &request, argc, argv, &exit_code))
        return exit_code;
    request.has_node = request.node_text != NULL;
    if (request.has_node && !cli_address("--node", request.node_text, &request.network, &request.node))
        return CLI_USAGE;
    exit_code = output_forms_begin(request.out, forms);
    return exit_code == CLI_PASS
               ? output_forms_end(request.out, forms, &request, request.json ? JSON : TEXT)
               : exit_code;
}
