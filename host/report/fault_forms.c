/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fault_forms.h"

#include "host/base/form.h"

#include <inttypes.h>

/* Effect of each kind; struct pb_fault_info has the action of the core. */
static const char *const effect[] = {
    [PB_FAULT_STUCK_LOW] = "the line is pulled low",
    [PB_FAULT_OPEN] = "the line is cut between node and bench",
    [PB_FAULT_SHORT] = "two lines become one wire",
    [PB_FAULT_SLOW_RISE] = "a weak pull-up: the line rises late",
    [PB_FAULT_GLITCH] = "the line is pulled low for less than a bit",
    [PB_FAULT_SECOND_DRIVER] = "a second sender pulls the line in a square wave",
    [PB_FAULT_LATE_EDGE] = "one edge of TDMA_CLK comes late",
    [PB_FAULT_EARLY_EDGE] = "one edge of TDMA_CLK comes early",
    [PB_FAULT_MISSING_EDGE] = "one edge of TDMA_CLK does not come",
    [PB_FAULT_EXTRA_EDGE] = "TDMA_CLK rises once more within a phase",
    [PB_FAULT_MISSING_SYNC] = "TDMA_SYNC stays low through phase 0",
    [PB_FAULT_EXTRA_SYNC] = "TDMA_SYNC is high where no superframe begins",
    [PB_FAULT_JITTER] = "each edge of TDMA_CLK comes late by a random amount",
    [PB_FAULT_DRIFT] = "TDMA_CLK is faster or slower than configured",
    [PB_FAULT_WRONG_BYTES] = "a slot frame has one to three bits inverted",
    [PB_FAULT_FRAMING] = "the last stop bit of a slot frame is low",
    [PB_FAULT_BAUD] = "a slot frame comes at another baud",
    [PB_FAULT_EARLY_START] = "a slot frame starts inside the head guard",
    [PB_FAULT_LATE_START] = "a slot frame starts later than a node may",
    [PB_FAULT_BABBLE] = "random bytes where no transmission is expected",
    [PB_FAULT_SHORT_FRAME] = "a slot frame lacks bytes of its payload; its check is right",
    [PB_FAULT_LONG_FRAME] = "random bytes follow a right slot frame",
    [PB_FAULT_WRONG_LENGTH] = "the length field of a StarC frame is wrong; its check is right",
    [PB_FAULT_OUTSIDE_ADDRESS] = "a slot frame is for an address outside the cube; its check is right",
};

static const char *place_name(const struct pb_fault_info *info)
{
    static const char *const name[] = {
        [PB_FAULT_ON_LINE] = "line", [PB_FAULT_ON_CLOCK] = "clock", [PB_FAULT_ON_FRAME] = "frame"};
    return name[info->place];
}

static const char *wiring_name(const struct pb_fault_info *info)
{
    return info->wiring == PB_WIRING_THROUGH ? "through" : "any";
}

json_t *pb_fault_kinds_json(void)
{
    unsigned count;
    const struct pb_fault_info *info = pb_fault_infos(&count);
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        pb_form_add(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "kind", info[i].id, "place",
                                    place_name(&info[i]), "wiring", wiring_name(&info[i]), "finding",
                                    pb_finding_id((enum pb_finding_kind)info[i].finding), "text",
                                    effect[info[i].kind]));
    return json_pack("{s:o}", "faults", list);
}

void pb_fault_kinds_text(FILE *out)
{
    unsigned count;
    const struct pb_fault_info *info = pb_fault_infos(&count);
    fprintf(out, "%-15s  %-5s  %-7s  %-18s  %s\n", "KIND", "PLACE", "WIRING", "FOUND AS", "WHAT HAPPENS");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%-15s  %-5s  %-7s  %-18s  %s\n", info[i].id, place_name(&info[i]),
                wiring_name(&info[i]), pb_finding_id((enum pb_finding_kind)info[i].finding),
                effect[info[i].kind]);
    fputs("\nwiring through: the line passes through the bench, which acts between the node and what is "
          "behind;\n"
          "any: the bench's pin in parallel with the line will do\n"
          "\na glitch is found by edges alone, not with --capture bytes\n",
          out);
}

static void put_place(FILE *out, const struct pb_scenario *scenario, const struct pb_fault *fault)
{
    const struct pb_fault_info *info = pb_fault_info(fault->kind);
    fprintf(out, "fault        %s: %s\n             superframe %" PRIu32 ", phase %u", info->id,
            effect[fault->kind], fault->superframe, fault->phase);
    if (info->place == PB_FAULT_ON_CLOCK)
        fprintf(out, ", at the phase clock\n");
    else
        fprintf(out, ", node 0x%0*" PRIX32 ", dimension %u\n",
                (int)pb_network_address_digits(&scenario->network), scenario->node[fault->node_index].address,
                fault->dimension);
}

static double us(int64_t ps)
{
    return (double)ps / 1e6;
}

static void put_row(FILE *out, const struct pb_result *result, const struct pb_fault_row *row)
{
    const char *name = pb_finding_id((enum pb_finding_kind)pb_fault_info(row->kind)->finding);
    if (row->began)
        fprintf(out, "receipt      began %.3f us after the first phase edge", us(row->start_ps));
    else
        fprintf(out, "receipt      none");
    if (row->began && row->ended)
        fprintf(out, ", lasted %.3f us", us(row->length_ps));
    fprintf(out, row->began && !row->ended ? ", to the end of the run\n" : "\n");
    if (row->detected)
        fprintf(out, "found        as %s, %.2f phases after it began; it explains %zu finding%s\n", name,
                (double)(row->detected_ps - row->start_ps) / (double)result->phase_ps, row->explains,
                row->explains == 1 ? "" : "s");
    else if (row->unsought)
        fprintf(out, "found        not sought: %s\n",
                row->kind == PB_FAULT_SECOND_DRIVER
                    ? "the sender drives the line high against it"
                    : "only edges show it, and none were recorded of this line");
    else if (row->found_as != PB_FINDING_KINDS)
        fprintf(out, "found        as %s, which does not name it (%s does)\n", pb_finding_id(row->found_as),
                name);
    else
        fprintf(out, "found        no: there is no finding %s within a superframe\n", name);
}

void pb_fault_runs_text(FILE *out, const struct pb_scenario *scenario, const struct pb_result *result)
{
    for (size_t i = 0; i < scenario->fault_count; i++) {
        put_place(out, scenario, &scenario->fault[i]);
        if (i < result->faults)
            put_row(out, result, &result->fault[i]);
    }
}
