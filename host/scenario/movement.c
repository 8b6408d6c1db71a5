/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "movement.h"

int pb_move(struct pb_movement *movement, const struct pb_scenario *scenario)
{
    struct pb_flow_room room[PB_SCENARIO_NODES_MAX];
    for (unsigned i = 0; i < scenario->node_count; i++)
        room[i] = (struct pb_flow_room){.node = scenario->node[i].address,
                                        .in_all = scenario->node[i].room,
                                        .per_dimension = scenario->node[i].room_per_dimension};
    const int code = pb_flow_run_bounded(&scenario->network, scenario->rule, &scenario->traffic,
                                         movement->superframes, room, scenario->node_count, movement->visit,
                                         movement->dropped, movement->context, &movement->stats);
    for (unsigned i = 0; i < scenario->node_count; i++)
        movement->fullest[i] = room[i].fullest;
    return code;
}
