/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/controller.h"
#include "phasebench/random.h"

/* Time of a number of half phases after the first edge, in ps; exact except for one rounding. */
static int64_t half_phases_ps(const struct pb_phase_controller *controller, uint64_t halves)
{
    const struct pb_controller_config *config = &controller->config;
    return (int64_t)((unsigned __int128)halves * UINT64_C(500000000000000) * 1000000 /
                     config->phase_rate_mhz / (uint64_t)(1000000 + config->clock_ppm));
}

static int64_t jitter_ps(struct pb_phase_controller *controller)
{
    const int64_t largest = controller->config.jitter_ps;
    return largest ? (int64_t)(pb_splitmix64(&controller->random) % ((uint64_t)largest + 1)) : 0;
}

/* The next rising edge is known: TDMA_SYNC changes about it if its level there is another one. */
static void plan_sync(struct pb_phase_controller *controller)
{
    const bool wanted = controller->edge % controller->config.phases == 0;
    controller->sync_ps =
        wanted == controller->tdma_sync ? INT64_MAX : controller->change_ps + controller->config.sync_skew_ps;
}

void pb_controller_start(struct pb_phase_controller *controller, const struct pb_controller_config *config)
{
    *controller = (struct pb_phase_controller){.config = *config, .random = config->seed, .edge = 1};
    controller->change_ps = half_phases_ps(controller, 2) + jitter_ps(controller);
    plan_sync(controller);
}

int64_t pb_controller_advance(struct pb_phase_controller *controller, int64_t now_ps)
{
    for (;;) {
        const bool sync_first = controller->sync_ps < controller->change_ps;
        const int64_t next_ps = sync_first ? controller->sync_ps : controller->change_ps;
        if (next_ps > now_ps)
            return next_ps;
        if (sync_first || controller->sync_ps == next_ps) {
            controller->tdma_sync = !controller->tdma_sync;
            controller->sync_ps = INT64_MAX;
        }
        if (sync_first)
            continue;
        controller->tdma_clk = !controller->tdma_clk;
        if (controller->tdma_clk) {
            controller->change_ps = half_phases_ps(controller, 2 * controller->edge + 1);
        } else {
            controller->edge++;
            controller->change_ps = half_phases_ps(controller, 2 * controller->edge) + jitter_ps(controller);
            plan_sync(controller);
        }
    }
}
