/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware on simulated pins: a node model (bench/nodes/node.h) that runs firmware/app unchanged.
 *
 * The timing model:
 *
 * A single clock of TICK_HZ * (1 + clock_ppm / 10^6); reset does not stop it. When the phase clock starts,
 * the node's time jumps to just before the next multiple of CLOCK_EPOCH_PS, where a tick and the begin of a
 * bit of every rate coincide.
 *
 * A rising edge of TDMA_CLK is captured as the first tick at or after it. Its handler runs irq_latency_ps
 * plus uniform 0..irq_jitter_ps (splitmix64, from `seed`) after the edge and reads TDMA_SYNC then. A
 * further edge before that overwrites the captured time, as in a capture register, and has no other effect.
 *
 * Handlers and main loop take no time. UART handlers run at the last sample of the stop bit, without
 * latency.
 *
 * Guard and period are whole ticks of the nominal clock (guard rounded up). So a transmission starts
 * between 0 and 2 ticks after the guard, apart from the clock error.
 *
 * Baud rates are exact divisions of the clock: clock_ppm is their only error. The receiver is that of uart.h.
 * A node never receives its own frames, as it receives only in phases in which it does not send.
 *
 * Outputs are open drain and switch at once. BOOT0 is ignored. After NRST the firmware runs at once. The
 * main loop blocks while the console's transmit buffer has no room for another answer.
 */
#include "bench/nodes/native/native.h"
#include "bench/nodes/limits.h"
#include "bench/nodes/uart.h"
#include "firmware/app/node.h"
#include "phasebench/random.h"

#include <stdlib.h>
#include <string.h>

#define TICK_HZ UINT64_C(48000000)
#define PS_PER_S INT64_C(1000000000000)

enum { CONSOLE_BUFFER = 4096 };

struct port {
    struct pb_node base;
    struct node app;
    struct route_network network;
    struct node_config app_config;
    struct program program;
    uint16_t option_address;
    uint64_t random;
    int64_t irq_latency_ps, irq_jitter_ps;
    bool push_pull;
    struct clock_rate tick, baud, sampling, console_baud, console_sampling;

    int64_t epoch_ps; /* lead of the node's time */
    int64_t now_ps;   /* node's time, as all times of this struct */
    uint16_t line;    /* levels now */
    bool running, tdma_clk;
    bool edge_pending;
    int64_t edge_ticks, handler_ps;

    struct uart_tx tx;
    uint8_t tx_dimension;
    struct uart_rx rx;
    bool listening;
    uint8_t rx_dimension;

    struct uart_rx console_rx;
    struct uart_tx console_tx;
    uint8_t console[CONSOLE_BUFFER]; /* ring of answers to send */
    unsigned console_at, console_used, console_sending;
};

/* ---- the functions of port.h ---- */

uint16_t port_address(struct port *port)
{
    return port->option_address;
}

bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length)
{
    const int64_t ahead = (int32_t)(start_ticks - (uint32_t)port->edge_ticks);
    const int64_t start_ps = clock_ps(port->tick, port->edge_ticks + ahead);
    const bool in_time = start_ps >= port->now_ps;

    port->tx_dimension = dimension;
    uart_tx_start(&port->tx, in_time ? start_ps : port->now_ps, bytes, length);
    return in_time;
}

void port_link_listen(struct port *port, uint8_t dimension)
{
    port->listening = true;
    port->rx_dimension = dimension;
    uart_rx_start(&port->rx, port->sampling, port->now_ps, (port->line >> dimension) & 1);
}

bool port_link_release(struct port *port)
{
    const bool cut = port->tx.busy;
    uart_tx_stop(&port->tx);
    port->listening = false;
    return cut;
}

void port_console_write(struct port *port, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        port->console[(port->console_at + port->console_used++) % CONSOLE_BUFFER] = (uint8_t)text[i];
}

/* Handlers never interrupt the main loop here, so no interrupt needs a mask. */
uint32_t port_irq_save(struct port *port)
{
    (void)port;
    return 0;
}

void port_irq_restore(struct port *port, uint32_t state)
{
    (void)port;
    (void)state;
}

/* ---- the model ---- */

static void boot(struct port *port, const struct pb_node_inputs *in)
{
    port->running = true;
    port->edge_pending = false;
    port->listening = false;
    uart_tx_init(&port->tx, port->baud);
    uart_tx_init(&port->console_tx, port->console_baud);
    uart_rx_start(&port->console_rx, port->console_sampling, port->now_ps, in->uart0_rx);
    port->console_at = port->console_used = port->console_sending = 0;
    node_init(&port->app, &port->app_config, port);
}

static void advance_console(struct port *port, bool level)
{
    struct uart_byte byte;

    if (uart_rx_advance(&port->console_rx, port->now_ps, level, &byte))
        node_on_console_byte(&port->app, byte.framing_ok ? byte.value : 0);
    uart_tx_advance(&port->console_tx, port->now_ps);
    if (!port->console_tx.busy) {
        port->console_at = (port->console_at + port->console_sending) % CONSOLE_BUFFER;
        port->console_used -= port->console_sending;
        port->console_sending = 0;
    }
    if (CONSOLE_BUFFER - port->console_used >= CONSOLE_ANSWER_MAX)
        node_poll(&port->app);
    if (!port->console_tx.busy && port->console_used > 0) {
        const unsigned to_wrap = CONSOLE_BUFFER - port->console_at;
        port->console_sending = port->console_used < to_wrap ? port->console_used : to_wrap;
        uart_tx_start(&port->console_tx, port->now_ps, port->console + port->console_at,
                      port->console_sending);
        uart_tx_advance(&port->console_tx, port->now_ps);
    }
}

static void capture_edge(struct port *port)
{
    port->edge_ticks = clock_ticks(port->tick, port->now_ps);
    if (port->edge_pending)
        return;
    port->edge_pending = true;
    port->handler_ps = port->now_ps + port->irq_latency_ps;
    if (port->irq_jitter_ps > 0)
        port->handler_ps += (int64_t)(pb_splitmix64(&port->random) % ((uint64_t)port->irq_jitter_ps + 1));
}

static void advance_links(struct port *port, const struct pb_node_inputs *in)
{
    struct uart_byte byte;

    uart_tx_advance(&port->tx, port->now_ps);
    if (port->listening &&
        uart_rx_advance(&port->rx, port->now_ps, (in->line >> port->rx_dimension) & 1, &byte))
        node_on_rx_byte(&port->app, byte.value, byte.framing_ok);
    if (in->tdma_clk && !port->tdma_clk)
        capture_edge(port);
    if (port->edge_pending && port->handler_ps <= port->now_ps) {
        port->edge_pending = false;
        node_on_phase_edge(&port->app, (uint32_t)port->edge_ticks, in->tdma_sync);
        uart_tx_advance(&port->tx, port->now_ps);
    }
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t advance(struct pb_node *node, int64_t bench_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct port *port = (struct port *)node;
    int64_t next_ps = INT64_MAX;

    port->now_ps = bench_ps + port->epoch_ps;
    port->line = in->line;
    *out = (struct pb_node_outputs){.uart0_tx = true};
    if (!in->nrst) {
        port->running = false;
    } else {
        if (!port->running)
            boot(port, in);
        advance_links(port, in);
        advance_console(port, in->uart0_rx);

        if (!port->tx.level)
            out->pull_low = (uint16_t)(1u << port->tx_dimension);
        else if (port->push_pull && port->tx.busy && port->tx.start_ps <= port->now_ps)
            out->drive_high = (uint16_t)(1u << port->tx_dimension);
        out->uart0_tx = port->console_tx.level;
        next_ps = earlier(port->tx.next_ps, port->console_tx.next_ps);
        next_ps = earlier(next_ps, port->console_rx.next_ps);
        if (port->listening)
            next_ps = earlier(next_ps, port->rx.next_ps);
        if (port->edge_pending)
            next_ps = earlier(next_ps, port->handler_ps);
    }
    port->tdma_clk = in->tdma_clk;
    return next_ps == INT64_MAX ? next_ps : next_ps - port->epoch_ps;
}

static void align(struct pb_node *node, int64_t bench_ps)
{
    struct port *port = (struct port *)node;
    const int64_t start_ps = ((bench_ps + port->epoch_ps) / CLOCK_EPOCH_PS + 1) * CLOCK_EPOCH_PS;
    if (start_ps < CLOCK_EPOCHS_MAX * CLOCK_EPOCH_PS)
        port->epoch_ps = start_ps - CLOCK_START_PS - bench_ps;
}

static void destroy(struct pb_node *node)
{
    free(node);
}

/* ---- whole phases and lines, in place of bits */

void pb_node_native_edge(struct pb_node *node, int64_t bench_ps, bool sync)
{
    struct port *port = (struct port *)node;

    port->now_ps = bench_ps + port->epoch_ps;
    port->line = UINT16_MAX;
    capture_edge(port);
    port->edge_pending = false;
    port->now_ps = port->handler_ps;
    node_on_phase_edge(&port->app, (uint32_t)port->edge_ticks, sync);
}

const uint8_t *pb_node_native_sent(struct pb_node *node, unsigned link, unsigned *length)
{
    struct port *port = (struct port *)node;
    const bool sends = port->tx.busy && port->tx_dimension == link;

    *length = sends ? port->tx.bits / UART_BYTE_BITS : 0;
    uart_tx_stop(&port->tx);
    return port->tx.bytes;
}

void pb_node_native_receive(struct pb_node *node, unsigned link, const uint8_t *bytes, unsigned length)
{
    struct port *port = (struct port *)node;

    for (unsigned i = 0; i < length && port->listening && port->rx_dimension == link; i++)
        node_on_rx_byte(&port->app, bytes[i], true);
}

int64_t pb_node_native_type(struct pb_node *node, const char *line, char *answer, size_t size)
{
    struct port *port = (struct port *)node;
    size_t typed = 0, got = 0;

    for (; line[typed]; typed++)
        node_on_console_byte(&port->app, (uint8_t)line[typed]);
    node_on_console_byte(&port->app, '\n');
    node_poll(&port->app);
    for (; port->console_used > 0; port->console_used--) {
        const char byte = (char)port->console[port->console_at];
        port->console_at = (port->console_at + 1) % CONSOLE_BUFFER;
        if (byte != '\n' && got + 1 < size)
            answer[got++] = byte;
    }
    answer[got] = '\0';
    return clock_ps(port->console_baud, (int64_t)(typed + got + 2) * UART_BYTE_BITS);
}

static const struct pb_node_ops native_ops = {.advance = advance, .align = align, .destroy = destroy};

bool pb_node_is_native(const struct pb_node *node)
{
    return node->ops == &native_ops;
}

size_t pb_node_native_size(void)
{
    return sizeof(struct port);
}

int64_t pb_node_native_console_ps(const struct pb_node *node)
{
    const struct port *port = (const struct port *)node;
    const int64_t end_ps = port->running ? port->console_rx.next_ps : INT64_MAX;
    return end_ps == INT64_MAX ? end_ps : end_ps - port->epoch_ps;
}

static const struct codec *codec_of(const struct pb_node_config *config)
{
    return config->codec == PB_NODE_CODEC_STARC  ? &codec_starc
           : config->codec == PB_NODE_CODEC_BARE ? &codec_bare
                                                 : &codec_slot;
}

int pb_node_native_check(const struct pb_node_config *config, struct pb_diag *diag)
{
    const struct codec *codec = codec_of(config);
    const struct pb_node_limit limit[] = {
        {"links of the network", pb_node_links(config), 1, ROUTE_PORTS_MAX},
        {"address", config->address, 0, (int64_t)pb_node_addresses(config) - 1},
        {"link.payload in bytes", config->payload_bytes, 0, codec->payload_max},
        {"link.phase_rate in mHz", config->phase_rate_mhz, 1000, 100000000},
        {"link.baud", config->baud_hz, CLOCK_BAUD_MIN_HZ, CLOCK_BAUD_MAX_HZ},
        {"link.console_baud", config->console_baud_hz, CLOCK_BAUD_MIN_HZ, CLOCK_BAUD_MAX_HZ},
        {"link.head_guard in ps", config->head_guard_ps, 0, PS_PER_S},
        {"clock_error in ppm", config->clock_ppm, -CLOCK_PPM_MAX, CLOCK_PPM_MAX},
        {"irq_latency in ps", config->irq_latency_ps, 0, PS_PER_S},
        {"irq_jitter in ps", config->irq_jitter_ps, 0, PS_PER_S},
    };
    return pb_node_check_limits("native", limit, sizeof limit / sizeof limit[0], diag);
}

static struct pb_node *create(const struct pb_node_config *config, const struct route_rule *rule)
{
    const struct codec *codec = codec_of(config);
    const struct clock_rate nominal = clock_rate(TICK_HZ, 0);

    if (pb_node_native_check(config, NULL))
        return NULL;
    struct port *port = calloc(1, sizeof *port);
    if (!port)
        return NULL;
    port->base.ops = &native_ops;
    port->network = pb_node_addresses(config) == 1u << config->digits
                        ? route_cube((uint8_t)config->digits)
                        : route_generalised(config->radix, (uint8_t)config->digits);
    port->app_config = (struct node_config){
        .name = "native",
        .rule = rule,
        .codec = codec,
        .network = &port->network,
        .payload_bytes = (uint8_t)config->payload_bytes,
        .period_ticks = (uint32_t)((TICK_HZ * 1000 + config->phase_rate_mhz / 2) / config->phase_rate_mhz),
        .head_guard_ticks = (uint32_t)clock_ticks(nominal, config->head_guard_ps),
        .program = &port->program,
    };
    port->program.ops = &program_ops;
    port->option_address = (uint16_t)config->address;
    port->random = config->seed;
    port->irq_latency_ps = config->irq_latency_ps;
    port->irq_jitter_ps = config->irq_jitter_ps;
    port->push_pull = config->push_pull;
    port->tick = clock_rate(TICK_HZ, config->clock_ppm);
    port->baud = clock_rate(config->baud_hz, config->clock_ppm);
    port->sampling = clock_rate(16 * (uint64_t)config->baud_hz, config->clock_ppm);
    port->console_baud = clock_rate(config->console_baud_hz, config->clock_ppm);
    port->console_sampling = clock_rate(16 * (uint64_t)config->console_baud_hz, config->clock_ppm);
    port->tdma_clk = true; /* a clock that is high at power-up gives no edge */
    return &port->base;
}

struct pb_node *pb_node_native_create(const struct pb_node_config *config)
{
    return create(config, config->rule == PB_NODE_OPPORTUNISTIC ? &route_opportunistic : &route_ecube);
}

/* Intended defect: each hop is valid, but the order is not that of the schedule. */
static uint16_t pick_highest(uint16_t ways)
{
    while (ways & (ways - 1))
        ways &= (uint16_t)(ways - 1);
    return ways;
}

struct pb_node *pb_node_native_create_wrong_order(const struct pb_node_config *config)
{
    static const struct route_rule highest_first = {pick_highest, true};
    return create(config, &highest_first);
}
