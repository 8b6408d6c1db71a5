/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 * A node as a function of its pins, which only forwards, as a start for your own
 * (docs/start/your-firmware.md). */
#include "phasebench_node.h"
static struct pb_process_hello config;
static struct node_queue queue;
static struct node_frame frame;
static struct node_tx tx;
static struct node_rx rx;
static int phase = -1;        /* -1: unknown */
static unsigned port, before; /* link of the phase; inputs at the last call */
static int64_t edge_ps, handler_ps = INT64_MAX; /* the handler runs irq_latency after the edge */
static void *create(const struct pb_process_hello *hello)
{
    config = *hello;
    before = PB_PROCESS_CLK;
    tx.bit_ps = rx.bit_ps = node_bit_ps(config.baud_hz, config.clock_ppm);
    return node_supports(hello) ? &config : NULL;
}
static unsigned ways(const uint8_t *message) /* the dimensions on which it may leave (F8) */
{
    const unsigned differing = node_destination(message) ^ config.address;
    return config.rule == PB_PROCESS_ECUBE ? differing & -differing : differing;
}
static void edge(uint32_t inputs)
{
    phase = node_phase(&config, phase, inputs & PB_PROCESS_SYNC);
    port = phase < 0 ? 0 : (unsigned)phase / 2;
    tx.count = frame.count = 0;
    frame.over = phase < 0 || (config.address >> port & 1) == (unsigned)phase % 2; /* it sends (P6, P7) */
    rx = (struct node_rx){.bit_ps = rx.bit_ps, .level = inputs >> port & 1};
    if (phase < 0 || !frame.over)
        return;
    for (unsigned at = 0; at < queue.count && !tx.count; at++) /* first in, first out (F9, F13) */
        if (ways(queue.frame[at]) >> port & 1) {
            node_tx_start(&tx, edge_ps + config.head_guard_ps, node_remove(&queue, at),
                          node_frame_bytes(&config));
        }
}
static uint32_t advance(void *state, int64_t now_ps, uint32_t inputs, int64_t *next_ps)
{
    const unsigned rise = inputs & ~before;
    (void)state;
    before = inputs;
    if (!(inputs & PB_PROCESS_NRST))
        queue.count = tx.count = 0, phase = -1, frame.over = true;
    if (rise & PB_PROCESS_CLK)
        edge_ps = now_ps, handler_ps = now_ps + config.irq_latency_ps;
    if (handler_ps <= now_ps)
        handler_ps = INT64_MAX, edge(inputs);
    *next_ps = handler_ps;
    const int byte = frame.over ? -1 : node_rx_advance(&rx, now_ps, inputs >> port & 1, next_ps);
    if (byte >= 0 && node_take(&frame, &config, (uint8_t)byte, byte >> 8 & 1) && ways(frame.bytes))
        node_put(&queue, frame.bytes);
    return PB_PROCESS_UART0_TX | (node_tx_level(&tx, now_ps, next_ps) ? 0 : 1u << port);
}
static const struct pb_pins_node node = {"mypins", create, advance, NULL, PB_PROCESS_LINES};
PB_NODE_LIBRARY(&node, NULL)
