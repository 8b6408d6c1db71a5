/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/adjacency.h"
#include "phasebench/rig.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *rig_url, *csv_path, *out;
    unsigned timeout_s;
    bool json;
};

static const char unchecked[] =
    "pins of the core are taken as labelled; a board of which all nodes and all taps are exchanged by one "
    "symmetry of the network looks the same, as do two nodes and their consoles, addresses and taps";

/* ---- forms */

struct shown {
    const struct pb_adjacency *map;
    const char *path; /* of the scenario */
};

/* Numbers of the bits, with this between them; "-" for none. */
#define LIST_SIZE 200
static const char *list_bits(char text[LIST_SIZE], uint64_t bits, char between)
{
    size_t at = 0;
    snprintf(text, LIST_SIZE, "-");
    for (; bits && at < LIST_SIZE; bits &= bits - 1) {
        if (at)
            text[at++] = between;
        at += (size_t)snprintf(text + at, LIST_SIZE - at, "%d", __builtin_ctzll(bits));
    }
    return text;
}

static bool is_on_its_net(const struct pb_adjacency_port *port)
{
    return port->nets == UINT64_C(1) << port->net;
}

static void put_row(FILE *out, const struct pb_adjacency *map, unsigned index)
{
    const struct pb_adjacency_node *node = &map->node[index];
    char line[512], nets[LIST_SIZE], cell[LIST_SIZE + 2];
    int at = snprintf(line, sizeof line, "0x%-6" PRIX32, node->address);
    if (node->answers)
        at += snprintf(line + at, sizeof line - (size_t)at, "0x%-7" PRIX32, node->identity);
    else
        at += snprintf(line + at, sizeof line - (size_t)at, "%-9s", "-");
    for (unsigned port = 0; port < map->ports && (size_t)at < sizeof line; port++) {
        snprintf(cell, sizeof cell, "%s%s", list_bits(nets, node->port[port].nets, '+'),
                 is_on_its_net(&node->port[port]) ? "" : "*");
        at += snprintf(line + at, sizeof line - (size_t)at, " %-5s", cell);
    }
    for (size_t end = strlen(line); end && line[end - 1] == ' '; end--)
        line[end - 1] = '\0';
    cli_say_to(out, "%s", line);
}

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_adjacency *map = shown->map;
    static const char *const name[] = {
        [PB_VERDICT_PASS] = "PASS", [PB_VERDICT_FAIL] = "FAIL", [PB_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE"};
    char header[160];
    int at = snprintf(header, sizeof header, "%-8s%-9s", "node", "answers");
    if (map->faults)
        cli_say_to(out, "%-12s %u fault%s of the wiring", name[map->verdict], map->faults,
                   map->faults > 1 ? "s" : "");
    else
        cli_say_to(out, "%-12s %s", name[map->verdict], map->reason);
    for (unsigned i = 0; i < map->faults; i++)
        cli_say_to(out, "fault        %s", map->fault[i].text);
    fputs("\n", out);
    cli_say_to(out, "scenario     %s (%s)", map->scenario, shown->path);
    cli_say_to(out, "rig          %s", map->rig);
    cli_say_to(out, "network      %s, %u nodes here, %u nets", map->network, map->nodes, map->nets);
    cli_say_to(out, "sent         %s",
               map->one_by_one ? "one node after the other, the rest in reset" : "all nodes at once");
    cli_say_to(out, "not checked  %s", unchecked);
    fputs("\n", out);
    for (unsigned port = 0; port < map->ports; port++)
        at += snprintf(header + at, sizeof header - (size_t)at, " D%-4u", port);
    for (; at && header[at - 1] == ' '; at--)
        header[at - 1] = '\0';
    cli_say_to(out, "%s", header);
    for (unsigned node = 0; node < map->nodes; node++)
        put_row(out, map, node);
    if (map->faults)
        cli_say_to(out, "* not on its own net alone; - on none");
    return 0;
}

static json_t *json_bits(uint64_t bits)
{
    json_t *list = json_array();
    for (; bits; bits &= bits - 1)
        cli_json_add(list, json_integer(__builtin_ctzll(bits)));
    return list;
}

static json_t *json_node(const struct pb_adjacency *map, unsigned index)
{
    const struct pb_adjacency_node *node = &map->node[index];
    json_t *ports = json_array();
    for (unsigned port = 0; port < map->ports; port++) {
        const struct pb_adjacency_port *at = &node->port[port];
        cli_json_add(ports, json_pack("{s:i, s:i, s:o, s:o, s:b}", "dimension", (int)port, "expected_net",
                                      (int)at->net, "nets", json_bits(at->nets), "pins", json_bits(at->pins),
                                      "damaged", at->damaged));
    }
    return json_pack("{s:I, s:o, s:b, s:o}", "address", (json_int_t)node->address, "answers_as",
                     node->answers ? json_integer(node->identity) : json_null(), "sends", node->sends,
                     "ports", ports);
}

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_adjacency *map = shown->map;
    json_t *nodes = json_array(), *nets = json_array(), *faults = json_array();
    for (unsigned i = 0; i < map->faults; i++)
        cli_json_add(faults, json_pack("{s:s, s:o}", "kind", pb_adjacency_id(map->fault[i].kind), "text",
                                       cli_json_text(map->fault[i].text)));
    for (unsigned i = 0; i < map->nets; i++)
        cli_json_add(nets, cli_json_text(map->net[i]));
    for (unsigned i = 0; i < map->nodes; i++)
        cli_json_add(nodes, json_node(map, i));
    return cli_write_json(out, json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:s}", "verdict", pb_verdict_name(map->verdict),
        "reason", cli_json_text(map->reason), "scenario", cli_json_text(map->scenario), "scenario_path",
        cli_json_text(shown->path), "rig", cli_json_text(map->rig), "network", map->network, "one_by_one",
        map->one_by_one, "faults", faults, "nodes", nodes, "nets", nets, "not_checked", unchecked));
}

static int write_csv(FILE *stream, void *context)
{
    const struct pb_adjacency *map = ((const struct shown *)context)->map;
    char nets[LIST_SIZE], pins[LIST_SIZE];
    fputs("node,dimension,expected_net,nets,pins\n", stream);
    for (unsigned node = 0; node < map->nodes; node++)
        for (unsigned port = 0; port < map->ports; port++) {
            const struct pb_adjacency_port *at = &map->node[node].port[port];
            fprintf(stream, "0x%" PRIX32 ",%u,%u,%s,%s\n", map->node[node].address, port, at->net,
                    list_bits(nets, at->nets, ' '), list_bits(pins, at->pins, ' '));
        }
    return ferror(stream) ? -1 : 0;
}

enum { TEXT, JSON };
static const struct cli_form forms[] = {{"adjacency.txt", write_text},
                                        {"adjacency.json", write_json},
                                        {"adjacency.csv", write_csv},
                                        {.name = NULL}};

/* ---- the test */

static int test(struct pb_adjacency **map, const struct source *source, const struct request *request)
{
    const struct runner limits = {.options = {.timeout_s = request->timeout_s}};
    struct pb_diag diag = {.text = ""};
    struct vusb vusb;
    struct pb_run_options options = {.timeout_s = runner_timeout_s(&limits, source->scenario),
                                     .stop = runner_stop_flag()};
    runner_catch_signals();
    int code = vusb_begin(&vusb, request->rig_url, source->scenario, options.timeout_s, &diag);
    options.rig_url = vusb.url;
    if (!code)
        code = pb_adjacency_run(map, source->scenario, &options, &diag);
    vusb_end(&vusb);
    return code ? cli_fail(pb_error_exit_code(code), "%s", diag.text) : CLI_PASS;
}

static int adjacency(const char *path, const struct request *request)
{
    struct source source;
    struct output_file csv;
    struct pb_adjacency *map = NULL;
    if (pb_rig_target_of(request->rig_url).replays)
        return cli_fail(CLI_USAGE, "adjacency: a recording holds no test of the wiring; use the rig itself");
    int exit_code = vusb_check_url(request->rig_url);
    if (exit_code == CLI_PASS && request->csv_path)
        exit_code = output_check_file(&csv, request->csv_path);
    if (exit_code == CLI_PASS)
        exit_code = source_open(&source, path, request->rig_url, &(struct source_overrides){.seed = 0});
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = output_forms_begin(request->out, forms);
    if (exit_code == CLI_PASS)
        exit_code = test(&map, &source, request);
    if (map) {
        snprintf(map->rig, sizeof map->rig, "%s", request->rig_url);
        exit_code = pb_verdict_exit_code(map->verdict);
        struct shown shown = {map, source.scenario->path};
        exit_code = cli_worse(
            exit_code, output_forms_end(request->out, forms, &shown, request->json ? JSON : TEXT));
        if (request->csv_path)
            exit_code = cli_worse(exit_code, output_form(&csv, write_csv, &shown));
    }
    free(map);
    source_close(&source);
    return exit_code;
}

static const struct cli_option options[] = {
    CLI_ROW_RIG(request, rig_url),
    CLI_ROW_JSON(request, json),
    {"csv", "FILE", CLI_FILE, CLI_AT(request, csv_path), .use = CLI_WRITES,
     .help = "the map as CSV, one row for each port: node,dimension,expected_net,nets,pins"},
    CLI_ROW_OUT(request, out, forms),
    CLI_ROW_TIMEOUT(request, timeout_s, "limit of wall time", .otherwise = RUNNER_TIMEOUT_DEFAULT),
    {.name = NULL},
};

const struct cli_verb verb_adjacency = {
    .name = "adjacency",
    .summary = "which port of which node is on which net; names wiring faults",
    .usage = "SCENARIO [options]",
    .about =
        "Asks each node of the scenario for its identity, makes it send a frame to every neighbour, and "
        "compares where the frames arrive with the network. The bench listens to every link and pulls "
        "none. Faults are named with their remedy: nodes in each other's place, exchanged and crossed "
        "links, ports on another net, open and shorted nets, nodes that do not answer. The map shows the "
        "net of each port.\n"
        "\n"
        "All nodes send at once first. If anything is not as expected they send one after the other, "
        "while the others are in reset. Traffic and faults of the scenario play no part; its wiring does.",
    .options = options,
    .exits =
        "0 every port is on its net, 1 a fault of the wiring or of a node, 2 wrong usage, 3 bad scenario, "
        "4 the bench failed, 5 a node could not be made to send, 124 timeout, 130 interrupted",
    .examples = "  phasebench adjacency machine-16\n"
                "  phasebench adjacency board.yaml --rig ftdi: --csv map.csv\n",
    .least = 1,
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .run = cmd_adjacency,
};

int cmd_adjacency(int argc, char **argv)
{
    struct request request = {.rig_url = "sim:"};
    int exit_code;
    char **const operand = cli_parse(&verb_adjacency, &request, argc, argv, &exit_code);
    return operand ? adjacency(operand[0], &request) : exit_code;
}
