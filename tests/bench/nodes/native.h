/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The native node for the process nodes of the tests: its configuration and pins in the form of the protocol.
 */
#ifndef TESTS_NATIVE_H
#define TESTS_NATIVE_H

#include "bench/nodes/node.h"
#include "phasebench/node_process.h"

#include <string.h>

static inline struct pb_node_inputs native_inputs(uint32_t pins)
{
    return (struct pb_node_inputs){
        .line = pins & PB_PROCESS_LINES,
        .tdma_clk = pins & PB_PROCESS_CLK,
        .tdma_sync = pins & PB_PROCESS_SYNC,
        .nrst = pins & PB_PROCESS_NRST,
        .boot0 = pins & PB_PROCESS_BOOT0,
        .uart0_rx = pins & PB_PROCESS_UART0_RX,
    };
}

static inline uint32_t native_outputs(const struct pb_node_outputs *out)
{
    return out->pull_low | (uint32_t)out->drive_high << PB_PROCESS_HIGH_SHIFT |
           (out->uart0_tx ? PB_PROCESS_UART0_TX : 0);
}

/* NULL: refused, or no memory. */
static inline struct pb_node *native_of(const struct pb_process_hello *hello)
{
    struct pb_node_config config = {
        .address = hello->address,
        .digits = hello->digits,
        .rule = hello->rule == PB_PROCESS_OPPORTUNISTIC ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE,
        .codec = hello->codec == PB_PROCESS_STARC ? PB_NODE_CODEC_STARC : PB_NODE_CODEC_SLOT,
        .payload_bytes = hello->payload_bytes,
        .phase_rate_mhz = hello->phase_rate_mhz,
        .baud_hz = hello->baud_hz,
        .console_baud_hz = hello->console_baud_hz,
        .head_guard_ps = hello->head_guard_ps,
        .tail_guard_ps = hello->tail_guard_ps,
        .clock_ppm = hello->clock_ppm,
        .irq_latency_ps = hello->irq_latency_ps,
        .irq_jitter_ps = hello->irq_jitter_ps,
        .seed = hello->seed,
        .push_pull = hello->push_pull,
    };
    memcpy(config.radix, hello->radix, sizeof config.radix);
    return pb_node_native_create(&config);
}

#endif
