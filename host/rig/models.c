/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rigs with models of the scenario's nodes, and rigs with a wired node.
 */
#include "bench/registry/kinds.h"
#include "phasebench/rig.h"

#include <string.h>

static const char *shown(const struct pb_scenario_node *node)
{
    if (!strcmp(node->model_key, "kind"))
        return node->kind;
    return strcmp(node->model_key, "defect") ? "a setting" : node->defect;
}

int pb_rig_check_models(const char *url, const struct pb_scenario *scenario, struct pb_diag *diag)
{
    const struct pb_rig_target rig = pb_rig_target_of(url);
    const bool simulates = rig.simulates;
    if (rig.replays)
        return PB_OK; /* the recorded rig accepted it */
    if (!simulates && scenario->simulated_rise_ps)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "link.simulated_rise: rig %.60s has real lines, which rise as they do; remove the key, or use a "
            "rig sim: or vusb:",
            url);
    if (!simulates && scenario->controller.sync_skew_ps)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "clock.sync_skew: rig %.60s has a real controller, which drives TDMA_SYNC as it does; "
                       "remove the key, or use a rig sim: or vusb:",
                       url);
    if (!simulates && scenario->wiring)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "wiring: rig %.60s has a real board, which is wired as it is; remove the key, or use "
                       "a rig sim: or "
                       "vusb:",
                       url);
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const struct pb_scenario_node *node = &scenario->node[i];
        if (simulates && !pb_node_kind_of(node->kind)->model)
            return pb_fail(
                diag, PB_ERR_CONFIG,
                "nodes[%u].kind: '%s' has no model, so rig %.60s cannot make it; use kind %s or another "
                "model, or a rig ftdi:",
                i, node->kind, rig.url, pb_node_kinds(NULL)->name);
        if (!simulates && node->model_key)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "nodes[%u].%s: '%s' is of a model, and rig %.60s tests the node that is wired to "
                           "it; remove the key, or use a rig sim: or vusb:",
                           i, node->model_key, shown(node), url);
    }
    return PB_OK;
}
