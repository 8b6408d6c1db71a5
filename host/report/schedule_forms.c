/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis_forms.h"
#include "network_json.h"

#include "host/base/form.h"
#include "phasebench/cube.h"

#include <inttypes.h>

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
        pb_form_add(pair, json_integer(wires.from[i]));
        pb_form_add(pair, json_integer(wires.to[i]));
        pb_form_add(pairs, pair);
    }
    pb_form_set(row, "phase", json_integer(phase));
    pb_form_set(row, "digit", json_integer(wires.digit));
    pb_form_set(row, "senders", pairs);
    return row;
}

/* Of a metacube: the bit that the wires of a phase change, of the field of the class or of the class. */
struct phase_bit {
    const char *edge, *of;
    unsigned bit, sender_bit;
};

static struct phase_bit bit_of(const struct pb_network *network, unsigned phase)
{
    const unsigned port = phase / 2;
    return port < network->field_bits
               ? (struct phase_bit){"cube", "the field of their class", port, phase % 2}
               : (struct phase_bit){"cross", "their class", port - network->field_bits, phase % 2};
}

static json_t *bit_json(const struct pb_network *network, unsigned phase)
{
    const struct phase_bit bit = bit_of(network, phase);
    return json_pack("{s:i, s:s, s:i, s:i}", "phase", (int)phase, "edge", bit.edge, "bit", (int)bit.bit,
                     "sender_bit", (int)bit.sender_bit);
}

static json_t *phase_json(const struct pb_schedule_shown *shown, unsigned phase)
{
    const struct pb_network *network = shown->network;
    json_t *row = network->dims
                      ? json_pack("{s:i, s:i, s:i, s:i}", "phase", (int)phase, "dimension",
                                  (int)pb_phase_dimension(phase), "direction", (int)pb_phase_direction(phase),
                                  "sender_bit", (int)pb_phase_direction(phase))
                  : network->by_digits ? wires_json(network, phase)
                                       : bit_json(network, phase);
    if (!row || !shown->has_node)
        return row;
    const struct pb_slot slot = pb_network_slot(network, shown->node, phase);
    pb_form_set(row, "action", json_string(action[slot.role]));
    if (slot.role == PB_ROLE_IDLE)
        return row;
    pb_form_set(row, "neighbour", json_integer(pb_network_peer(network, shown->node, slot.port).node));
    if (!network->dims)
        pb_form_set(row, "port", json_integer(slot.port));
    return row;
}

int pb_report_schedule_json(FILE *out, void *context)
{
    const struct pb_schedule_shown *shown = context;
    const struct pb_network *network = shown->network;
    json_t *object = json_object(), *schedule = json_array();

    for (unsigned phase = 0; phase < network->phases; phase++)
        pb_form_add(schedule, phase_json(shown, phase));
    pb_network_json(object, network);
    if (!network->dims) {
        pb_form_set(object, "ports", json_integer(network->ports));
        pb_form_set(object, "look_ahead", json_boolean(network->look_ahead));
    }
    pb_form_set(object, "phases", json_integer(network->phases));
    pb_form_set(object, "schedule", schedule);
    if (shown->has_node)
        pb_form_set(object, "node", json_integer(shown->node));
    return pb_form_json(out, object);
}

/* Blanks of an idle node: the width of "to   0x7, port 12" without the address digits. */
enum { IDLE_WIDTH = 17 };

/* Writes "send   to   0x7", with the port in a network other than a cube. */
static void put_action(FILE *out, const struct pb_schedule_shown *shown, unsigned phase)
{
    const struct pb_network *network = shown->network;
    const struct pb_slot slot = pb_network_slot(network, shown->node, phase);

    fprintf(out, "  %-6s", action[slot.role]);
    if (slot.role == PB_ROLE_IDLE) {
        fprintf(out, "%*s", (int)pb_network_address_digits(network) + IDLE_WIDTH, "");
        return;
    }
    fprintf(out, " %s 0x%0*" PRIX32, slot.role == PB_ROLE_SEND ? "to  " : "from",
            (int)pb_network_address_digits(network), pb_network_peer(network, shown->node, slot.port).node);
    if (!network->dims)
        fprintf(out, ", port %-2u", slot.port);
}

static void put_cube(FILE *out, const struct pb_schedule_shown *shown)
{
    const struct pb_network *network = shown->network;

    fprintf(out, "%u dimensions, %" PRIu32 " nodes, %u phases in a superframe\n\n", network->dims,
            network->nodes, network->phases);
    fprintf(out, "phase  dimension  direction  who sends");
    if (shown->has_node)
        fprintf(out, "              node 0x%0*" PRIX32, (int)pb_network_address_digits(network), shown->node);
    putc('\n', out);
    for (unsigned phase = 0; phase < network->phases; phase++) {
        unsigned dimension = pb_phase_dimension(phase), bit = pb_phase_direction(phase);
        fprintf(out, "%5u  %9u  %9s  nodes with bit %2u = %u", phase, dimension, bit ? "1 to 0" : "0 to 1",
                dimension, bit);
        if (shown->has_node)
            put_action(out, shown, phase);
        putc('\n', out);
    }
}

static void put_metacube(FILE *out, const struct pb_schedule_shown *shown)
{
    const struct pb_network *network = shown->network;

    fprintf(out, "phase  edge   bit  %s%*swho sends\n", shown->has_node ? "the node" : "",
            shown->has_node ? (int)pb_network_address_digits(network) + IDLE_WIDTH : 0, "");
    for (unsigned phase = 0; phase < network->phases; phase++) {
        const struct phase_bit bit = bit_of(network, phase);
        fprintf(out, "%5u  %-5s  %3u", phase, bit.edge, bit.bit);
        if (shown->has_node)
            put_action(out, shown, phase);
        fprintf(out, "  nodes with %u in bit %u of %s\n", bit.sender_bit, bit.bit, bit.of);
    }
}

static void put_product(FILE *out, const struct pb_schedule_shown *shown)
{
    const struct pb_network *network = shown->network;

    fprintf(out, "phase  digit  %s%*swho sends to whom, by the value of the digit\n",
            shown->has_node ? "the node" : "",
            shown->has_node ? (int)pb_network_address_digits(network) + IDLE_WIDTH : 0, "");
    for (unsigned phase = 0; phase < network->phases; phase++) {
        struct phase_wires wires;
        find_wires(network, phase, &wires);
        fprintf(out, "%5u  %5u", phase, wires.digit);
        if (shown->has_node)
            put_action(out, shown, phase);
        for (unsigned i = 0; i < wires.pairs; i++)
            fprintf(out, "%s %u to %u", i ? "," : " ", wires.from[i], wires.to[i]);
        putc('\n', out);
    }
}

static void put_network(FILE *out, const struct pb_schedule_shown *shown)
{
    const struct pb_network *network = shown->network;
    const unsigned fields = network->digits - (network->class_bits > 0);
    char size[PB_NETWORK_TEXT_SIZE];

    fprintf(out, "%s, %" PRIu32 " nodes, %u ports a node, %u phases in a superframe\n\n",
            pb_network_text(network, size), network->nodes, network->ports, network->phases);
    if (shown->has_node) {
        fprintf(out, "node 0x%0*" PRIX32 ": ", (int)pb_network_address_digits(network), shown->node);
        if (network->class_bits)
            fprintf(out, "class %u, ", pb_network_digit(network, shown->node, fields));
        fputs(network->by_digits ? "digits " : "fields ", out);
        for (unsigned digit = 0; digit < fields; digit++)
            fprintf(out, digit ? ",%u" : "%u", pb_network_digit(network, shown->node, digit));
        fputs("\n\n", out);
    }
    if (network->by_digits)
        put_product(out, shown);
    else
        put_metacube(out, shown);
}

int pb_report_schedule_text(FILE *out, void *context)
{
    const struct pb_schedule_shown *shown = context;
    if (shown->network->dims)
        put_cube(out, shown);
    else
        put_network(out, shown);
    return 0;
}
