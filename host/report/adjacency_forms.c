/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/form.h"
#include "phasebench/adjacency.h"
#include "render.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char unchecked[] =
    "pins of the core are taken as labelled; a board of which all nodes and all taps are exchanged by one "
    "symmetry of the network looks the same, as do two nodes and their consoles, addresses and taps";

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
    pb_form_line(out, "%s", line);
}

int pb_report_adjacency_text(FILE *out, const struct pb_adjacency *map, const char *path)
{
    static const char *const name[] = {
        [PB_VERDICT_PASS] = "PASS", [PB_VERDICT_FAIL] = "FAIL", [PB_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE"};
    char header[160];
    int at = snprintf(header, sizeof header, "%-8s%-9s", "node", "answers");
    if (map->faults)
        pb_form_line(out, "%-12s %u fault%s of the wiring", name[map->verdict], map->faults,
                     map->faults > 1 ? "s" : "");
    else
        pb_form_line(out, "%-12s %s", name[map->verdict], map->reason);
    for (unsigned i = 0; i < map->faults; i++)
        pb_form_line(out, "fault        %s", map->fault[i].text);
    fputs("\n", out);
    pb_form_line(out, "scenario     %s (%s)", map->scenario, path);
    pb_form_line(out, "rig          %s", map->rig);
    pb_form_line(out, "network      %s, %u nodes here, %u nets", map->network, map->nodes, map->nets);
    pb_form_line(out, "sent         %s",
                 map->one_by_one ? "one node after the other, the rest in reset" : "all nodes at once");
    pb_form_line(out, "not checked  %s", unchecked);
    fputs("\n", out);
    for (unsigned port = 0; port < map->ports; port++)
        at += snprintf(header + at, sizeof header - (size_t)at, " D%-4u", port);
    for (; at && header[at - 1] == ' '; at--)
        header[at - 1] = '\0';
    pb_form_line(out, "%s", header);
    for (unsigned node = 0; node < map->nodes; node++)
        put_row(out, map, node);
    if (map->faults)
        pb_form_line(out, "* not on its own net alone; - on none");
    return pb_stream_status(out);
}

static json_t *json_bits(uint64_t bits)
{
    json_t *list = json_array();
    for (; bits; bits &= bits - 1)
        pb_form_add(list, json_integer(__builtin_ctzll(bits)));
    return list;
}

static json_t *json_node(const struct pb_adjacency *map, unsigned index)
{
    const struct pb_adjacency_node *node = &map->node[index];
    json_t *ports = json_array();
    for (unsigned port = 0; port < map->ports; port++) {
        const struct pb_adjacency_port *at = &node->port[port];
        pb_form_add(ports, json_pack("{s:i, s:i, s:o, s:o, s:b}", "dimension", (int)port, "expected_net",
                                      (int)at->net, "nets", json_bits(at->nets), "pins", json_bits(at->pins),
                                      "damaged", at->damaged));
    }
    return json_pack("{s:I, s:o, s:b, s:o}", "address", (json_int_t)node->address, "answers_as",
                     node->answers ? json_integer(node->identity) : json_null(), "sends", node->sends,
                     "ports", ports);
}

int pb_report_adjacency_json(FILE *out, const struct pb_adjacency *map, const char *path)
{
    json_t *nodes = json_array(), *nets = json_array(), *faults = json_array();
    for (unsigned i = 0; i < map->faults; i++)
        pb_form_add(faults, json_pack("{s:s, s:o}", "kind", pb_adjacency_id(map->fault[i].kind), "text",
                                       pb_form_text(map->fault[i].text)));
    for (unsigned i = 0; i < map->nets; i++)
        pb_form_add(nets, pb_form_text(map->net[i]));
    for (unsigned i = 0; i < map->nodes; i++)
        pb_form_add(nodes, json_node(map, i));
    return pb_form_json(out, json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:s}", "verdict", pb_verdict_name(map->verdict),
        "reason", pb_form_text(map->reason), "scenario", pb_form_text(map->scenario), "scenario_path",
        pb_form_text(path), "rig", pb_form_text(map->rig), "network", map->network, "one_by_one",
        map->one_by_one, "faults", faults, "nodes", nodes, "nets", nets, "not_checked", unchecked));
}

int pb_report_adjacency_csv(FILE *stream, const struct pb_adjacency *map)
{
    char nets[LIST_SIZE], pins[LIST_SIZE];
    fputs("node,dimension,expected_net,nets,pins\n", stream);
    for (unsigned node = 0; node < map->nodes; node++)
        for (unsigned port = 0; port < map->ports; port++) {
            const struct pb_adjacency_port *at = &map->node[node].port[port];
            fprintf(stream, "0x%" PRIX32 ",%u,%u,%s,%s\n", map->node[node].address, port, at->net,
                    list_bits(nets, at->nets, ' '), list_bits(pins, at->pins, ' '));
        }
    return pb_stream_status(stream);
}
