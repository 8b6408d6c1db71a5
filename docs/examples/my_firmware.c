/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 * A node as firmware with handlers, as a start for your own (docs/start/your-firmware.md). */
#include "phasebench_node.h"
static const struct pb_process_hello *config;
static const struct pb_bench_services *bench;
static struct node_queue queue;
static struct node_frame frame;
static struct node_console console;
static int phase; /* -1: unknown */
static bool create(const struct pb_process_hello *hello, const struct pb_bench_services *services)
{
    config = hello, bench = services;
    return node_supports(config);
}
static void reset(void)
{
    queue.count = console.length = console.sequence = 0;
    phase = -1;
}
static unsigned ways(const uint8_t *message) /* the dimensions on which it may leave (F8) */
{
    const unsigned differing = node_destination(message) ^ config->address;
    return config->rule == PB_PROCESS_ECUBE ? differing & -differing : differing;
}
static void edge(int64_t edge_ticks, bool sync)
{
    bench->link_release(bench);
    frame.count = frame.over = 0;
    phase = node_phase(config, phase, sync);
    if (phase < 0)
        return;
    const unsigned port = (unsigned)phase / 2;
    const bool sends = (config->address >> port & 1) == (unsigned)phase % 2; /* P6, P7 */
    if (!sends)
        bench->link_listen(bench, port);
    for (unsigned at = 0; sends && at < queue.count; at++) /* first in, first out (F9, F13) */
        if (ways(queue.frame[at]) >> port & 1) {
            bench->link_send(bench, port, edge_ticks + bench->head_guard_ticks, node_remove(&queue, at),
                             node_frame_bytes(config));
            return;
        }
}
static void link_byte(uint8_t value, bool framing_ok)
{
    if (node_take(&frame, config, value, framing_ok) && ways(frame.bytes))
        node_put(&queue, frame.bytes);
}
static void console_byte(uint8_t value, bool framing_ok)
{
    enum node_command command = node_type(&console, config, framing_ok ? value : 0);
    if (command == NODE_SEND && ways(console.message) && !node_put(&queue, console.message))
        command = NODE_FULL;
    const char *answer = node_answer(&console, config, "myfirmware", command);
    bench->console_write(bench, answer, strlen(answer));
}
static const struct pb_callbacks_node node = {"myfirmware", create,       reset, edge, NULL, link_byte, NULL,
                                              console_byte, NULL};
PB_NODE_LIBRARY(NULL, &node)
