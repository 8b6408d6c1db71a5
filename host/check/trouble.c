/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/trouble.h"

#include <inttypes.h>
#include <string.h>

static const enum pb_finding_kind kind_of[] = {
    [PB_TROUBLE_DIED] = PB_FINDING_NODE_DIED,
    [PB_TROUBLE_HUNG] = PB_FINDING_NODE_HUNG,
    [PB_TROUBLE_BROKE] = PB_FINDING_NODE_PROTOCOL,
    [PB_TROUBLE_TRAPPED] = PB_FINDING_NODE_TRAPPED,
};

void pb_judge_troubles(struct pb_check_output *out, const struct pb_marks *marks)
{
    const struct pb_scenario *scenario = out->run->scenario;
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const struct pb_node_trouble *trouble = &out->run->observation->trouble[i];
        if (trouble->kind == PB_TROUBLE_NONE)
            continue;
        const struct pb_schedule_place at =
            trouble->clocked ? pb_schedule_place_nominal(marks, trouble->superframe, trouble->phase)
                             : (struct pb_schedule_place){.tick = out->run->origin_tick};
        const struct pb_claim claim = {.kind = kind_of[trouble->kind],
                                       .at_ps = trouble->in_phase_ps,
                                       .sender = PB_SENDER_NONE,
                                       .unexcused = true};
        struct pb_finding *finding = pb_finding_claim(out, &at, -1, &claim);
        const bool trapped = trouble->kind == PB_TROUBLE_TRAPPED;
        pb_finding_expected(finding, "the %s '%s' of node 0x%" PRIX32 " %s until the end",
                            trapped ? "firmware" : "process", trouble->name, scenario->node[i].address,
                            trapped ? "runs" : "answers");
        pb_finding_seen(finding, "it %s%s%s", trouble->text,
                        trouble->clocked ? "" : " before the phase clock ran",
                        !*trouble->output ? "" : trapped ? ": " : "; it wrote: ");
        /* The end of what it wrote says most. */
        const size_t used = strlen(finding->seen), room = sizeof finding->seen - 1 - used,
                     length = strlen(trouble->output);
        memcpy(finding->seen + used, trouble->output + (length > room ? length - room : 0),
               (length < room ? length : room) + 1);
    }
}

void pb_measure_processors(struct pb_check_output *out)
{
    const struct pb_observation *observation = out->run->observation;
    for (unsigned i = 0; i < out->run->scenario->node_count; i++) {
        const struct pb_node_figures *figures = &observation->figures[i];
        const struct {
            enum pb_figure figure;
            int64_t value;
        } taken[] = {
            {PB_FIGURE_NODE_LOAD, figures->load_ppm},
            {PB_FIGURE_NODE_STACK, figures->stack_bytes},
            {PB_FIGURE_NODE_INTERRUPT, figures->interrupt_ps},
            {PB_FIGURE_NODE_INSTRUCTIONS, figures->instructions_per_phase},
        };
        for (size_t k = 0; observation->figured >> i & 1 && k < sizeof taken / sizeof taken[0]; k++)
            pb_measure_take(
                &out->measure, taken[k].figure, i,
                &(struct pb_reading){.value = taken[k].value, .lower = PB_ABSENT, .upper = PB_ABSENT});
    }
}
