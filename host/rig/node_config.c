/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "node_config.h"

struct pb_node_config pb_node_config_of(const struct pb_scenario *scenario, unsigned index)
{
    const struct pb_scenario_node *node = &scenario->node[index];
    struct pb_node_config config = {
        .address = node->address,
        .digits = scenario->network.digits,
        .rule = scenario->rule == PB_RULE_ECUBE ? PB_NODE_ECUBE : PB_NODE_OPPORTUNISTIC,
        .codec = scenario->codec == PB_CODEC_SLOT    ? PB_NODE_CODEC_SLOT
                 : scenario->codec == PB_CODEC_STARC ? PB_NODE_CODEC_STARC
                                                     : PB_NODE_CODEC_BARE,
        .payload_bytes = scenario->payload_bytes,
        .phase_rate_mhz = (uint32_t)scenario->phase_rate_mhz,
        .baud_hz = (uint32_t)scenario->baud_hz,
        .console_baud_hz = (uint32_t)scenario->console_baud_hz,
        .head_guard_ps = scenario->head_guard_ps,
        .tail_guard_ps = scenario->guard_ps - scenario->head_guard_ps,
        .clock_ppm = node->clock_error_ppm,
        .irq_latency_ps = node->irq_latency_ps,
        .irq_jitter_ps = node->irq_jitter_ps,
        .flash_miss_cycles = node->flash_miss_cycles,
        .seed = scenario->seed + index,
        .push_pull = scenario->push_pull,
    };
    for (unsigned digit = 0; digit < config.digits; digit++)
        config.radix[digit] = (uint8_t)scenario->network.radix[digit];
    return config;
}
