/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The wiring of a simulated board: rows of a netlist, then single changes in the order of the file.
 */
#include "compile.h"
#include "nets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 256, PINS_SHOWN = 3 };
enum kind { ROW, SWAPPED, OPEN, SHORTED, MISSING };

struct wiring {
    const struct pb_reader *reader;
    const struct pb_scenario *scenario;
    struct pb_wiring *made;
    struct pb_nets nets;
    int row_of[PB_SCENARIO_NODES_MAX];                            /* its entry; -1: none */
    uint8_t netlist[PB_SCENARIO_NODES_MAX][PB_WIRE_PORTS_MAX];    /* of the rows */
};

struct entry {
    const struct pb_raw_wiring *raw;
    unsigned index;
    size_t kind;
};

static const char *place_of(struct pb_place *place, const struct entry *entry, const char *key)
{
    return pb_place(place, "wiring", entry->index, key);
}

/* ---- values */

static int read_node(const struct wiring *wiring, const struct entry *entry, const char *key,
                     const char *text, unsigned *node)
{
    struct pb_place place;
    uint32_t address = 0;
    place_of(&place, entry, key);
    if (!text)
        return pb_reject(wiring->reader, place.text, "is missing; give the address of a node of nodes");
    const int code =
        pb_read_address(wiring->reader, place.text, text, &wiring->scenario->network, &address);
    if (code != PB_OK)
        return code;
    for (*node = 0; *node < wiring->scenario->node_count; ++*node)
        if (wiring->scenario->node[*node].address == address)
            return PB_OK;
    return pb_reject(wiring->reader, place.text,
                     "0x%" PRIX32 " is no node of nodes, and only those are on the board; give one of them",
                     address);
}

static int read_port(const struct wiring *wiring, const struct entry *entry, const char *key,
                     const char *text, unsigned *port)
{
    struct pb_place place;
    uint64_t value = *port;
    const int code = pb_read_number(wiring->reader, place_of(&place, entry, key), text, 0,
                                    wiring->scenario->network.ports - 1, &value);
    *port = (unsigned)value;
    return code;
}

static int read_net(const struct wiring *wiring, const struct entry *entry, unsigned index, unsigned *net)
{
    struct pb_place place;
    char key[24];
    uint64_t value = 0;
    snprintf(key, sizeof key, "nets[%u]", index);
    const int code = pb_read_number(wiring->reader, place_of(&place, entry, key), entry->raw->net[index], 0,
                                    wiring->nets.count - 1, &value);
    *net = (unsigned)value;
    return code;
}

/* What an entry of this kind does not take, or NULL. */
static const char *stray_key(const struct entry *entry)
{
    const struct pb_raw_wiring *raw = entry->raw;
    const bool swapped = entry->kind == SWAPPED, open = entry->kind == OPEN;
    if (raw->dimension && !swapped && !(open && !raw->net))
        return "dimension";
    if (raw->other_node && !swapped)
        return "other_node";
    if (raw->other_dimension && !(swapped && raw->dimension))
        return "other_dimension";
    if (raw->net && (swapped || entry->kind == MISSING || (open && raw->node)))
        return "nets";
    return raw->node && entry->kind == SHORTED ? "node" : NULL;
}

/* ---- the netlist */

static int read_row(struct wiring *wiring, const struct entry *entry)
{
    const unsigned ports = wiring->scenario->network.ports;
    struct pb_place place;
    unsigned node = 0;
    int code = read_node(wiring, entry, "node", entry->raw->node, &node);
    if (code != PB_OK)
        return code;
    if (wiring->row_of[node] >= 0)
        return pb_reject(wiring->reader, place_of(&place, entry, "node"),
                         "0x%" PRIX32 " has its row in wiring[%d] already; remove one",
                         wiring->scenario->node[node].address, wiring->row_of[node]);
    if (entry->raw->net_count != ports)
        return pb_reject(wiring->reader, place_of(&place, entry, "nets"),
                         "names %u nets, and a node has %u ports; give one net for each",
                         entry->raw->net_count, ports);
    wiring->row_of[node] = (int)entry->index;
    for (unsigned port = 0; code == PB_OK && port < ports; port++) {
        unsigned net = 0;
        code = read_net(wiring, entry, port, &net);
        wiring->netlist[node][port] = (uint8_t)net;
    }
    return code;
}

/* Finds the ports that the netlist puts on a net; returns their number. *end holds the first PB_NETS_MAX. */
static unsigned pins_of(const struct wiring *wiring, unsigned net, struct pb_wire_end end[PB_NETS_MAX])
{
    unsigned pins = 0;
    for (unsigned node = 0; node < wiring->scenario->node_count; node++)
        for (unsigned port = 0; port < wiring->scenario->network.ports; port++)
            if (wiring->netlist[node][port] == net)
                end[pins++] = (struct pb_wire_end){(int8_t)node, (uint8_t)port};
    return pins;
}

static int refuse_pins(const struct wiring *wiring, unsigned net, const struct pb_wire_end *end,
                       unsigned pins)
{
    char list[120] = "", key[24] = "";
    size_t at = 0;
    for (unsigned i = 0; i < pins && i < PINS_SHOWN; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%snode 0x%" PRIX32 " dimension %u",
                               i ? ", " : ": ", wiring->scenario->node[end[i].node].address, end[i].port);
    if (pins)
        snprintf(key, sizeof key, "wiring[%d].nets", wiring->row_of[end[0].node]);
    return pb_reject(wiring->reader, pins ? key : "wiring",
                     "net %u has %u pin%s%s%s; it joins %u, so name it %s", net, pins, pins == 1 ? "" : "s",
                     list, pins > PINS_SHOWN ? ", ..." : "", wiring->nets.net[net].ends,
                     wiring->nets.net[net].ends == 1 ? "once" : "twice");
}

static bool is_end(const struct pb_net *net, struct pb_wire_end end)
{
    for (unsigned i = 0; i < net->ends; i++)
        if (net->end[i].node == end.node && net->end[i].port == end.port)
            return true;
    return false;
}

/* Places the ports of a net. A port of the net gets its own pin of the core, any other port a free pin. */
static void place_net(struct wiring *wiring, unsigned number, const struct pb_wire_end *end)
{
    const struct pb_net *net = &wiring->nets.net[number];
    bool taken[2] = {false, false};
    for (unsigned i = 0; i < net->ends; i++)
        for (unsigned k = 0; k < net->ends; k++)
            taken[k] |= end[i].node == net->end[k].node && end[i].port == net->end[k].port;
    for (unsigned i = 0; i < net->ends; i++) {
        if (is_end(net, end[i])) {
            wiring->made->at[end[i].node][end[i].port] = end[i];
            continue;
        }
        const unsigned k = taken[0] ? 1 : 0;
        taken[k] = true;
        wiring->made->at[end[i].node][end[i].port] = net->end[k];
    }
}

static int apply_netlist(struct wiring *wiring)
{
    struct pb_wire_end end[PB_NETS_MAX];
    unsigned rows = 0;
    for (unsigned node = 0; node < wiring->scenario->node_count; node++)
        rows += wiring->row_of[node] >= 0;
    if (!rows)
        return PB_OK;
    for (unsigned node = 0; node < wiring->scenario->node_count; node++)
        if (wiring->row_of[node] < 0)
            return pb_reject(wiring->reader, "wiring",
                             "has rows for %u of %u nodes, none for 0x%" PRIX32
                             "; give a row for each node, or none",
                             rows, wiring->scenario->node_count, wiring->scenario->node[node].address);
    for (unsigned net = 0; net < wiring->nets.count; net++) {
        const unsigned pins = pins_of(wiring, net, end);
        if (pins != wiring->nets.net[net].ends)
            return refuse_pins(wiring, net, end, pins);
    }
    for (unsigned net = 0; net < wiring->nets.count; net++) {
        pins_of(wiring, net, end);
        place_net(wiring, net, end);
    }
    return PB_OK;
}

/* ---- single changes */

static void exchange(struct pb_wire_end *left, struct pb_wire_end *right)
{
    const struct pb_wire_end kept = *left;
    *left = *right;
    *right = kept;
}

static int apply_swap(struct wiring *wiring, const struct entry *entry)
{
    const struct pb_raw_wiring *raw = entry->raw;
    struct pb_wire_end(*at)[PB_WIRE_PORTS_MAX] = wiring->made->at;
    struct pb_place place;
    unsigned node = 0, other = 0, port = 0;
    int code = read_node(wiring, entry, "node", raw->node, &node);
    other = node;
    if (code == PB_OK && (raw->other_node || !raw->dimension))
        code = read_node(wiring, entry, "other_node", raw->other_node, &other);
    if (code == PB_OK)
        code = read_port(wiring, entry, "dimension", raw->dimension, &port);
    unsigned other_port = port;
    if (code == PB_OK)
        code = read_port(wiring, entry, "other_dimension", raw->other_dimension, &other_port);
    if (code != PB_OK)
        return code;
    if (node == other && (!raw->dimension || port == other_port))
        return pb_reject(wiring->reader,
                         place_of(&place, entry, raw->dimension ? "other_dimension" : "other_node"),
                         "is what it is exchanged with; give another one");
    if (raw->dimension)
        exchange(&at[node][port], &at[other][other_port]);
    else
        for (port = 0; port < wiring->scenario->network.ports; port++)
            exchange(&at[node][port], &at[other][port]);
    return PB_OK;
}

static const struct pb_wire_end nowhere = {-1, 0};

static int apply_open(struct wiring *wiring, const struct entry *entry)
{
    struct pb_place place;
    unsigned node = 0, port = 0, net = 0;
    int code = PB_OK;
    if (!entry->raw->net) {
        code = read_node(wiring, entry, "node", entry->raw->node, &node);
        if (code == PB_OK && !entry->raw->dimension)
            code = pb_reject(wiring->reader, place_of(&place, entry, "dimension"),
                             "is missing; give the port that is open, or nets in place of node");
        if (code == PB_OK)
            code = read_port(wiring, entry, "dimension", entry->raw->dimension, &port);
        if (code == PB_OK)
            wiring->made->at[node][port] = nowhere;
        return code;
    }
    for (unsigned i = 0; i < entry->raw->net_count && code == PB_OK; i++) {
        code = read_net(wiring, entry, i, &net);
        for (node = 0; code == PB_OK && node < wiring->scenario->node_count; node++)
            for (port = 0; port < wiring->scenario->network.ports; port++)
                if (wiring->made->at[node][port].node >= 0 &&
                    is_end(&wiring->nets.net[net], wiring->made->at[node][port]))
                    wiring->made->at[node][port] = nowhere;
    }
    return code;
}

static int apply_short(struct wiring *wiring, const struct entry *entry)
{
    struct pb_wiring *made = wiring->made;
    struct pb_place place;
    unsigned net = 0, last = 0;
    int code = PB_OK;
    if (entry->raw->net_count < 2)
        return pb_reject(wiring->reader, place_of(&place, entry, "nets"),
                         "names %u nets; give two or more that are one wire", entry->raw->net_count);
    for (unsigned i = 0; i < entry->raw->net_count && code == PB_OK; i++, last = net) {
        code = read_net(wiring, entry, i, &net);
        if (code == PB_OK && i && net == last)
            code = pb_reject(wiring->reader, place_of(&place, entry, "nets"),
                             "names net %u twice; remove one", net);
        if (code == PB_OK && i && made->shorts == sizeof made->shorted / sizeof made->shorted[0])
            code = pb_reject(wiring->reader, place_of(&place, entry, "nets"),
                             "is one short too many; %u are the limit", made->shorts);
        if (code == PB_OK && i)
            made->shorted[made->shorts++] =
                (struct pb_wire_short){wiring->nets.net[last].end[0], wiring->nets.net[net].end[0]};
    }
    return code;
}

static int apply_missing(struct wiring *wiring, const struct entry *entry)
{
    unsigned node = 0;
    const int code = read_node(wiring, entry, "node", entry->raw->node, &node);
    if (code != PB_OK)
        return code;
    wiring->made->missing |= 1u << node;
    for (unsigned port = 0; port < wiring->scenario->network.ports; port++)
        wiring->made->at[node][port] = nowhere;
    return PB_OK;
}

/* ---- entries */

static int read_kind(const struct wiring *wiring, struct entry *entry)
{
    struct pb_place place;
    const int code = pb_read_key(wiring->reader, PB_KEY_wiring_kind, entry->raw, entry->index, &entry->kind);
    const char *stray = code == PB_OK ? stray_key(entry) : NULL;
    return stray ? pb_reject(wiring->reader, place_of(&place, entry, stray),
                             "has no meaning here; remove the key (docs/reference/scenario.md, wiring)")
                 : code;
}

static int apply(struct wiring *wiring, const struct entry *entry)
{
    switch ((enum kind)entry->kind) {
    case ROW:
        return PB_OK;
    case SWAPPED:
        return apply_swap(wiring, entry);
    case OPEN:
        return apply_open(wiring, entry);
    case SHORTED:
        return apply_short(wiring, entry);
    case MISSING:
    default:
        return apply_missing(wiring, entry);
    }
}

int pb_compile_wiring(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                      struct pb_scenario *scenario)
{
    struct wiring wiring = {.reader = reader, .scenario = scenario};
    if (!raw->wiring)
        return PB_OK;
    if (!raw->wiring_count || raw->wiring_count > ENTRIES_MAX)
        return pb_reject(reader, "wiring", "has %u entries; give 1 to %d, or remove the key",
                         raw->wiring_count, ENTRIES_MAX);
    wiring.made = scenario->wiring = calloc(1, sizeof *scenario->wiring);
    if (!wiring.made)
        return pb_fail(reader->diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs",
                       reader->path);
    pb_nets_number(&wiring.nets, scenario);
    for (unsigned node = 0; node < PB_SCENARIO_NODES_MAX; node++) {
        wiring.row_of[node] = -1;
        for (unsigned port = 0; port < PB_WIRE_PORTS_MAX; port++)
            wiring.made->at[node][port] = (struct pb_wire_end){(int8_t)node, (uint8_t)port};
    }
    int code = PB_OK;
    for (unsigned i = 0; i < raw->wiring_count && code == PB_OK; i++) {
        struct entry entry = {&raw->wiring[i], i, ROW};
        code = read_kind(&wiring, &entry);
        if (code == PB_OK && entry.kind == ROW)
            code = read_row(&wiring, &entry);
    }
    if (code == PB_OK)
        code = apply_netlist(&wiring);
    for (unsigned i = 0; i < raw->wiring_count && code == PB_OK; i++) {
        struct entry entry = {&raw->wiring[i], i, ROW};
        code = read_kind(&wiring, &entry);
        if (code == PB_OK)
            code = apply(&wiring, &entry);
    }
    return code;
}
