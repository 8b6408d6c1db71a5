/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/trouble.h"

#include <inttypes.h>
#include <string.h>

static const enum pb_finding_kind kind_of[] = {
    [PB_PROCESS_DIED] = PB_FINDING_NODE_DIED,
    [PB_PROCESS_HUNG] = PB_FINDING_NODE_HUNG,
    [PB_PROCESS_BROKE] = PB_FINDING_NODE_PROTOCOL,
};

void pb_judge_troubles(struct pb_checker *checker)
{
    const struct pb_scenario *scenario = checker->scenario;
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const struct pb_process_trouble *trouble = &checker->observation->trouble[i];
        if (trouble->kind == PB_PROCESS_NO_TROUBLE)
            continue;
        const struct pb_schedule_place at =
            trouble->clocked ? pb_schedule_place_nominal(checker, trouble->superframe, trouble->phase)
                             : (struct pb_schedule_place){.tick = checker->origin_tick};
        const struct pb_claim claim = {.kind = kind_of[trouble->kind],
                                       .at_ps = trouble->in_phase_ps,
                                       .sender = PB_SENDER_NONE,
                                       .unexcused = true};
        struct pb_finding *finding = pb_finding_claim(checker, &at, -1, &claim);
        pb_finding_expected(finding, "the process '%s' of node 0x%" PRIX32 " answers until the end",
                            trouble->name, scenario->node[i].address);
        pb_finding_seen(finding, "it %s%s%s", trouble->text,
                        trouble->clocked ? "" : " before the phase clock ran",
                        *trouble->output ? "; it wrote: " : "");
        /* The end of what it wrote says most. */
        const size_t used = strlen(finding->seen), room = sizeof finding->seen - 1 - used,
                     length = strlen(trouble->output);
        memcpy(finding->seen + used, trouble->output + (length > room ? length - room : 0),
               (length < room ? length : room) + 1);
    }
}
