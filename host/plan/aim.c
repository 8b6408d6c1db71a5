/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/aim.h"
#include "host/plan/seats.h"
#include "host/scenario/movement.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a fault wants to meet. */
enum want { WANT_BENCH, WANT_NODE, WANT_QUIET };

struct survey {
    const struct pb_scenario *scenario;
    uint32_t address;
    unsigned phases;
    bool *frame; /* by superframe and phase; the node has one open line in each */
};

static void note(void *context, const struct pb_crossing *crossing)
{
    struct survey *survey = context;
    if (crossing->to == survey->address || crossing->from == survey->address)
        survey->frame[(size_t)crossing->superframe * survey->phases + crossing->phase] = true;
}

/* Whose turn it is, and that the bench has a virtual neighbour where it is to send or might. */
static bool fits(const struct survey *survey, unsigned phase, enum want want)
{
    const struct pb_network *network = &survey->scenario->network;
    const struct pb_slot slot = pb_network_slot(network, survey->address, phase);
    if (want == WANT_NODE)
        return slot.role == PB_ROLE_SEND;
    return slot.role == PB_ROLE_LISTEN &&
           pb_seat_of(survey->scenario, pb_network_neighbour(network, survey->address, slot.port)) < 0;
}

static bool search(struct pb_aim *aim, const struct survey *survey, uint32_t first, enum want want)
{
    const struct pb_scenario *scenario = survey->scenario;
    for (uint32_t superframe = first; superframe < scenario->superframes; superframe++) {
        if (aim->superframe >= 0 && aim->superframe != superframe)
            continue;
        for (unsigned phase = 0; phase < survey->phases; phase++) {
            const int port = (int)pb_network_slot(&scenario->network, survey->address, phase).port;
            if ((aim->phase >= 0 && aim->phase != (int)phase) ||
                (aim->dimension >= 0 && aim->dimension != port) ||
                !fits(survey, phase, want) ||
                survey->frame[(size_t)superframe * survey->phases + phase] != (want != WANT_QUIET))
                continue;
            *aim = (struct pb_aim){superframe, (int)phase, port};
            return true;
        }
    }
    return false;
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

int pb_aim(struct pb_aim *aim, const struct pb_scenario *scenario, unsigned seat, unsigned kind,
           struct pb_diag *diag)
{
    static const char *const lacking[] = {[WANT_BENCH] = "the bench sends to",
                                          [WANT_NODE] = "a frame is sent by",
                                          [WANT_QUIET] = "the bench could send, and does not, to"};
    const enum want want = want_of(kind);
    const uint32_t first = aim->superframe >= 0 || scenario->superframes < 2 ? 0 : 1;
    struct survey survey = {.scenario = scenario,
                            .address = scenario->node[seat].address,
                            .phases = scenario->network.phases};
    const bool settled = aim->phase >= 0 && aim->dimension >= 0;
    if (pb_fault_info(kind)->place == PB_FAULT_ON_CLOCK || (settled && aim->superframe >= 0)) {
        if (aim->superframe < 0)
            aim->superframe = first;
        return PB_OK;
    }
    survey.frame = calloc((size_t)scenario->superframes * survey.phases, sizeof *survey.frame);
    if (!survey.frame)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to follow the traffic");
    struct pb_movement movement = {
        .superframes = scenario->superframes, .visit = note, .context = &survey};
    int code = pb_move(&movement, scenario);
    if (code)
        pb_fail(diag, code, "no memory to follow the traffic");
    else if (search(aim, &survey, first, want))
        code = PB_OK;
    else if (settled && pb_fault_info(kind)->place == PB_FAULT_ON_LINE)
        aim->superframe = first; /* a line can be broken in any phase */
    else
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "'%s' needs a slot in which %s 0x%" PRIX32 ", and there is none %s superframe %" PRIu32
                       "; give other traffic or the place",
                       pb_fault_info(kind)->id, lacking[want], survey.address,
                       aim->superframe >= 0 ? "in" : "from",
                       aim->superframe >= 0 ? (uint32_t)aim->superframe : first);
    free(survey.frame);
    return code;
}
