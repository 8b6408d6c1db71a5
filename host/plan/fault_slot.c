/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/fault_slot.h"
#include "host/plan/node_map.h"
#include "host/scenario/movement.h"

#include <inttypes.h>

/* What a fault wants to meet. */
enum want { WANT_BENCH, WANT_NODE, WANT_QUIET };

struct survey {
    const struct pb_scenario *scenario;
    uint32_t address;
    unsigned phases;
    struct pb_fault_slot *aim;
    uint32_t next; /* superframe that was not searched */
    enum want want;
    bool found;
};

/* Whose turn it is, and that the bench has a virtual neighbour where it is to send or might. */
static bool fits(const struct survey *survey, unsigned phase)
{
    const struct pb_network *network = &survey->scenario->network;
    const struct pb_slot slot = pb_network_slot(network, survey->address, phase);
    if (survey->want == WANT_NODE)
        return slot.role == PB_ROLE_SEND;
    return slot.role == PB_ROLE_LISTEN &&
           pb_scenario_node_index(survey->scenario,
                                  pb_network_neighbour(network, survey->address, slot.port)) < 0;
}

/* The first slot that fits, in the first superframe from survey->next to `last` that may be taken: all of
 * them are as *moved, NULL: without a frame. */
static void search(struct survey *survey, uint32_t last, const struct pb_moved *moved)
{
    struct pb_fault_slot *aim = survey->aim;
    bool frame[PB_WIRE_PHASES_MAX] = {false};
    const int64_t first = survey->next, superframe = aim->superframe > first ? aim->superframe : first;

    survey->next = last + 1;
    if (superframe > last || (aim->superframe >= 0 && aim->superframe != superframe))
        return;
    /* The node has one open line in each phase. */
    for (size_t i = 0; moved && i < moved->crossings; i++)
        if (moved->crossing[i].to == survey->address || moved->crossing[i].from == survey->address)
            frame[moved->crossing[i].phase] = true;
    for (unsigned phase = 0; phase < survey->phases && !survey->found; phase++) {
        const int port = (int)pb_network_slot(&survey->scenario->network, survey->address, phase).port;
        if ((aim->phase >= 0 && aim->phase != (int)phase) ||
            (aim->dimension >= 0 && aim->dimension != port) || !fits(survey, phase) ||
            frame[phase] != (survey->want != WANT_QUIET))
            continue;
        survey->found = true;
        *aim = (struct pb_fault_slot){superframe, (int)phase, port};
    }
}

static int see(void *context, const struct pb_moved *moved)
{
    struct survey *survey = context;
    if (moved->superframe > survey->next)
        search(survey, moved->superframe - 1, NULL);
    if (!survey->found && moved->superframe >= survey->next)
        search(survey, moved->superframe, moved);
    return survey->found ? PB_MOVEMENT_ENOUGH : PB_OK;
}

static enum want want_of(unsigned kind)
{
    switch (kind) {
    case PB_FAULT_GLITCH:
    case PB_FAULT_BABBLE:
        return WANT_QUIET;
    case PB_FAULT_SECOND_DRIVER:
        return WANT_NODE;
    default:
        return WANT_BENCH;
    }
}

int pb_fault_slot_choose(struct pb_fault_slot *aim, const struct pb_scenario *scenario, unsigned node_index,
                         unsigned kind, struct pb_diag *diag)
{
    static const char *const lacking[] = {[WANT_BENCH] = "the bench sends to",
                                          [WANT_NODE] = "a frame is sent by",
                                          [WANT_QUIET] = "the bench could send, and does not, to"};
    const enum want want = want_of(kind);
    const uint32_t first = aim->superframe >= 0 || scenario->superframes < 2 ? 0 : 1;
    struct survey survey = {.scenario = scenario,
                            .address = scenario->node[node_index].address,
                            .phases = scenario->network.phases,
                            .aim = aim,
                            .next = first,
                            .want = want};
    const bool settled = aim->phase >= 0 && aim->dimension >= 0;
    if (pb_fault_info(kind)->place == PB_FAULT_ON_CLOCK || (settled && aim->superframe >= 0)) {
        if (aim->superframe < 0)
            aim->superframe = first;
        return PB_OK;
    }
    int code = pb_foresee(scenario, scenario->superframes, see, &survey, diag);
    if (code)
        return code;
    if (!survey.found && survey.next < scenario->superframes)
        search(&survey, scenario->superframes - 1, NULL);
    if (survey.found)
        return PB_OK;
    if (settled && pb_fault_info(kind)->place == PB_FAULT_ON_LINE)
        aim->superframe = first; /* a line can be broken in any phase */
    else
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "'%s' needs a slot in which %s 0x%" PRIX32 ", and there is none %s superframe %" PRIu32
                       "; give other traffic or the place",
                       pb_fault_info(kind)->id, lacking[want], survey.address,
                       aim->superframe >= 0 ? "in" : "from",
                       aim->superframe >= 0 ? (uint32_t)aim->superframe : first);
    return code;
}
